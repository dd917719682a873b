// random_knobs.cpp - draws legal knobs for every target, algorithm, class, grid and q, compiles the
// sums and compares them with the IR summed in double.
//
//   facet_random_knobs --seeds 5000 --first 1000 --target avx2      thousands, by hand
//
// What a seed draws depends on the options --target and --algorithm, and on nothing else.
#include "emulator.h"
#include "kernels.h"
#include "runtime/app/cli/command/command.h"
#include "schedules/targets.h"
#include "sum_check.h"
#include "tests/support/environment.h"
#include <atomic>
#include <chrono>
#include <cstdio>
#include <fmt/format.h>
#include <map>
#include <mutex>
#include <random>
#include <thread>

namespace {
using namespace facet;
using namespace facet::test;
using passes::Algorithm;
using passes::Class;
using schedules::KnobInfo;
using schedules::Knobs;

/// What knobs are drawn for.
struct Cell {
  std::string target;
  passes::Variant variant;
};

std::vector<Cell> cells(const std::string &target, const std::string &algorithm) {
  std::vector<std::string> targets = targetsHere();
  // Halide refuses or loses lanes for some knobs of sve2_256 (docs/schedules.md): facet_unit_cross
  // has it.
  for (const schedules::TargetInfo &one : schedules::targetTable())
    if (!schedules::isOfHost(one) && one.name != "sve2_256" &&
        emulatorProblem(one.architecture).empty())
      targets.emplace_back(one.name);
  std::vector<Cell> all;
  using enum ir::GridKind;
  for (const std::string &name : targets)
    for (const bool complexQ : {false, true}) {
      for (const Class klass : {Class::F32, Class::F32Careful, Class::F64})
        for (const ir::GridKind grid : {Product, Points})
          all.push_back({name, {grid, complexQ, klass}});
      for (const Class klass : {Class::F32, Class::F64})
        all.push_back({name, {Product, complexQ, klass, Algorithm::Separable}});
    }
  std::erase_if(all, [&](const Cell &cell) {
    return (!target.empty() && cell.target != target) ||
           (!algorithm.empty() && passes::spelling(cell.variant.algorithm) != algorithm);
  });
  return all;
}

/// Around vectors, tiles, turns of the loop and blocks of records.
constexpr Size sizes[] = {{1, 1, 1, 1},   {2, 2, 3, 15},  {9, 1, 16, 65},
                          {17, 2, 5, 67}, {33, 3, 1, 31}, {130, 1, 19, 35}};

struct Text {
  const char *name;
  std::string text;
};
const Text kernels[] = {{"born", Born}, {"closed", Closed}, {"odd", Odd}, {"exact", Exact}};

struct Draw {
  std::uint64_t seed = 0;
  Cell cell;
  std::size_t kernel = 0;
  Knobs knobs;
  std::vector<std::size_t> sizes;
  std::string text() const {
    const passes::Variant &v = cell.variant;
    return fmt::format("seed {}: {} {} {} {} {} {} --knobs={}", seed, kernels[kernel].name,
                       cell.target, passes::spelling(v.algorithm), passes::spelling(v.klass),
                       v.grid == ir::GridKind::Product ? "product" : "points",
                       v.complexQ ? "complex" : "real",
                       schedules::print(knobs, v.algorithm == Algorithm::Separable));
  }
};

/// Each cell in its turn; all else at random. Tiles are held to a size that compiles in a second.
Draw drawOf(std::uint64_t seed, const std::vector<Cell> &all) {
  std::mt19937_64 random(seed * 0x9e3779b97f4a7c15U);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  Draw draw;
  draw.seed = seed;
  draw.cell = all[seed % all.size()];
  const bool separable = draw.cell.variant.algorithm == Algorithm::Separable;
  const std::size_t kind = below(10); // of the other two, a few
  draw.kernel = kind < 4 ? 0 : kind < 8 || separable ? 1 : kind - 6;
  const int largest = draw.kernel == 3 ? 2 : separable ? 24 : 12;
  const int widest = schedules::findTarget(draw.cell.target)->vectorBytes;
  do
    for (const KnobInfo &knob : schedules::knobTable()) {
      std::vector<int> values = valuesOf(knob);
      constexpr std::size_t many = 64; // half of the draws are among the small ones
      if (values.size() > many && below(2) == 0)
        values.resize(many);
      draw.knobs.*knob.member = values[below(values.size())];
    }
  while (!schedules::problem(draw.knobs, widest).empty());
  Knobs &knobs = draw.knobs;
  const auto registers = [&] {
    return knobs.tileY * knobs.tileZ * std::max(1, knobs.vectorBytes / widest);
  };
  while (registers() > largest)
    if (knobs.tileY * knobs.tileZ == 1)
      knobs.vectorBytes /= 2;
    else if (knobs.tileZ == 1 || (knobs.tileY > 1 && below(2) == 0))
      knobs.tileY /= 2;
    else
      knobs.tileZ /= 2;
  draw.sizes = {below(std::size(sizes)), std::size(sizes) - 1 - below(3)};
  return draw;
}

/// What is expected of a kernel, q, grid and size: found once, by whoever needs it first.
class Expectations {
public:
  const Expected &of(const Draw &draw, std::size_t size) {
    const passes::Variant &v = draw.cell.variant;
    const std::lock_guard<std::mutex> lock(guard);
    std::unique_ptr<Expected> &slot = made[{draw.kernel, v.complexQ, v.grid, size}];
    if (!slot)
      slot = std::make_unique<Expected>(
          expect(sourceFor(kernels[draw.kernel].text, {v.grid, v.complexQ, Class::F64}), v,
                 sizes[size], 50, 64));
    return *slot;
  }

private:
  std::mutex guard;
  std::map<std::tuple<std::size_t, bool, ir::GridKind, std::size_t>, std::unique_ptr<Expected>>
      made;
};

double allowed(const passes::Variant &variant) {
  if (variant.klass == Class::F64)
    return 1e-12;
  return variant.algorithm == Algorithm::Separable ? 2e-6 : 5e-6;
}

/// What is wrong with the sum; "" if nothing is.
std::string wrong(const Draw &draw, Expectations &expectations) {
  lower::SumKernel sum;
  sum.variant = draw.cell.variant;
  sum.variant.addition = draw.knobs.addition && sum.variant.algorithm == Algorithm::Direct;
  sum.kernel = passes::run(ir::read(kernels[draw.kernel].text, "kernel"), sum.variant);
  sum.target = draw.cell.target;
  sum.knobs = draw.knobs;
  sum.symbol = "sum";
  const SumCall call(sum);
  for (const std::size_t k : draw.sizes) {
    const double error = errorOf(sum, call, expectations.of(draw, k));
    if (!(error <= allowed(sum.variant)))
      return fmt::format("error {:.2g}, allowed {:.2g}, nt {}, {} x {} x {}", error,
                         allowed(sum.variant), sizes[k].nt, sizes[k].nx, sizes[k].ny, sizes[k].nz);
  }
  return "";
}

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

struct Request {
  std::uint64_t first = 0, seeds = fullTests() ? 480 : 48; // a draw or more of each cell
  unsigned threads = std::max(1U, std::thread::hardware_concurrency());
  std::string target, algorithm;
  bool verbose = false;
};

/// How many sums are wrong.
int run(const Request &request) {
  const std::vector<Cell> all = cells(request.target, request.algorithm);
  if (all.empty())
    throw std::runtime_error(fmt::format("nothing to draw: target '{}', algorithm '{}'\n",
                                         request.target, request.algorithm));
  Expectations expectations;
  std::atomic<std::uint64_t> next = request.first;
  std::atomic<int> failures = 0;
  std::mutex guard;
  const auto work = [&] {
    for (std::uint64_t seed = next++; seed < request.first + request.seeds; seed = next++) {
      const Draw draw = drawOf(seed, all);
      std::string reason;
      const double start = now();
      try {
        reason = wrong(draw, expectations);
      } catch (const ir::Error &error) {
        reason = error.message;
      } catch (const std::exception &error) {
        reason = error.what();
      }
      failures += !reason.empty();
      const std::lock_guard<std::mutex> lock(guard);
      if (request.verbose)
        fmt::print("{:6.2f} s  {}\n", now() - start, draw.text());
      if (!reason.empty())
        fmt::print("{}\n  {}\n", draw.text(), reason);
    }
  };
  std::vector<std::thread> others;
  for (unsigned k = 1; k < request.threads; ++k)
    others.emplace_back(work);
  work();
  for (std::thread &thread : others)
    thread.join();
  fmt::print("{} sums of {} kinds, {} wrong\n", request.seeds, all.size(), failures.load());
  return failures;
}

} // namespace

int main(int argc, char **argv) {
  facet::cli::CommandLine line("sums with random knobs against the IR in double",
                               "facet_random_knobs");
  facet::cli::Command app = line.root();
  Request request;
  app.option("--first", request.first);
  app.option("--seeds", request.seeds);
  app.option("--threads", request.threads);
  app.option("--target", request.target);
  app.option("--algorithm", request.algorithm);
  app.flag("--verbose", request.verbose, "print each draw and its seconds");
  int failures = 0;
  app.run([&] { failures = run(request); });
  try {
    const int refused = line.read(argc, argv);
    return refused != 0 || failures != 0 ? 1 : 0;
  } catch (const std::exception &error) {
    std::fputs(error.what(), stderr);
    return 1;
  }
}
