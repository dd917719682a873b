// scheduled.cpp - direct and separable sums beside the same algorithm scheduled by Halide's
// autoschedulers: time, error, ratio, goal.
//
//   facet_bench_autoscheduler KERNEL.cpp [REPEATS]
// One thread, the best target here, class f32. The rival's algorithm is facet's own: the
// expressions of its lowering with the reduction and polynomials in them, written as a programmer
// would in Halide, in a few ways; the best of them counts. Each runs in a process of its own, since
// autoschedulers may abort, beside facet, in turns.
#include "codegen/passes/passes.h"
#include "natural.h"
#include "runtime/plan/inside.h"
#include "tests/performance/bench.h"
#include "tests/performance/problems.h"
#include "tests/support/folder.h"
#include <filesystem>
#include <fstream>
#include <sstream>

namespace {

using namespace facet;
using passes::Algorithm;

const std::vector<bench::Scheduler> schedulers = {
    {"Mullapudi2016", {{"parallelism", "1"}, {"last_level_cache_size", "2097152"}}},
    {"Adams2019", {{"parallelism", "1"}}},
    {"Li2018", {{"parallelism", "1"}}}};
// Of blocks of 8 to 600 records 24 was the best for direct sums, 200 for separable ones.
const std::vector<bench::Writing> writings = {{false, 0}, {true, 0}, {true, 24}, {true, 200}};

std::string describe(const bench::Writing &writing) {
  return fmt::format("{}, {}", writing.tables ? "tables" : "one sum",
                     writing.block > 0 ? fmt::format("blocks of {}", writing.block)
                                       : std::string("no blocks"));
}

/// A kernel file as IR, by facetc.
ir::Kernel readKernel(const std::string &file) {
  const test::Folder folder;
  const std::string path = folder.path / "kernel.fir";
  const int code = runtime::spawn({runtime::findFacetc(), file, "--emit=ir", "-o", path});
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  if (code != 0)
    throw runtime::Error("bench", "facetc refused " + file);
  return ir::read(text.str(), path);
}

/// Both timed in turns; prints "seconds seconds error" of rival and facet.
void one(const std::string &file, Algorithm algorithm, const bench::Scheduler &scheduler,
         const bench::Writing &writing, int repeats) {
  const bool direct = algorithm == Algorithm::Direct;
  const std::int64_t side = direct ? 200 : 500;
  const std::string target = runtime::bestTarget();
  const runtime::Mesh mesh = bench::smallTorus();
  runtime::Grid grid = bench::standardGrid(side, side);
  runtime::Plan plan =
      bench::planFor(file, target, grid, mesh, direct ? FACET_DIRECT : FACET_SEPARABLE, FACET_F32);
  const facet_variant &variant = variantOf(plan);

  lower::SumKernel sum;
  sum.variant.algorithm = algorithm;
  sum.variant.addition = std::string(variant.knobs).find("addition=1") != std::string::npos;
  sum.kernel = passes::run(readKernel(file), sum.variant);
  sum.target = target;
  sum.knobs = lower::defaultKnobs(sum.kernel, sum.variant, target);
  sum.symbol = "rival";
  const auto nt = static_cast<std::size_t>(mesh.size());
  Halide::load_plugin(std::string(AUTOSCHEDULER_PREFIX) + [&] {
    std::string name = scheduler.name;
    std::transform(name.begin(), name.end(), name.begin(), ::tolower);
    return name;
  }() + ".so");
  const double begin = bench::now();
  bench::Natural natural(sum, writing, scheduler, static_cast<int>(nt), static_cast<int>(side),
                         static_cast<int>(side));
  const double compiling = bench::now() - begin;

  std::vector<std::vector<double>> columns;
  std::vector<const double *> pointers;
  for (int k = 0; k < kernelOf(plan)->column_count; ++k)
    columns.push_back(runtime::column(mesh, kernelOf(plan)->columns[k], {}));
  for (const std::vector<double> &column : columns)
    pointers.push_back(column.data());
  std::vector<float> narrow(nt * static_cast<std::size_t>(variant.narrow_fields));
  std::vector<double> wide(nt * static_cast<std::size_t>(variant.wide_fields));
  variant.pack(pointers.data(), mesh.size(), nullptr, narrow.data(), wide.data());
  std::array<std::vector<double>, 3> axes;
  for (std::size_t k = 0; k < 3; ++k)
    axes[k] = grid.axes[k].re;
  natural.bind(narrow.data(), wide.data(), axes[0].data(), axes[1].data(), axes[2].data());
  const auto n = static_cast<std::size_t>(grid.size());
  std::vector<double> re(n), im(n);

  bench::Times mine, theirs;
  plan.execute();
  natural.run(re.data(), im.data());
  for (int i = 0; i < repeats; ++i) {
    theirs.run([&] { natural.run(re.data(), im.data()); });
    mine.run([&] { plan.execute(); });
  }
  const double error = bench::Reference(kernelOf(plan), mesh, grid).error([&](std::int64_t i) {
    const auto p = static_cast<std::size_t>(i);
    const double *no = nullptr;
    const auto q = grid.at(i);
    const std::array<double, 3> at{q[0].real(), q[1].real(), q[2].real()};
    const double *const qRe[3] = {&at[0], &at[1], &at[2]}, *const qIm[3] = {no, no, no};
    const std::int64_t stride[3] = {0, 0, 0};
    std::complex<double> f;
    auto *const parts = reinterpret_cast<double *>(&f);
    variant.finish(qRe, qIm, stride, 1, nullptr, nullptr, &re[p], &im[p], parts, parts + 1);
    return f;
  });
  if (std::getenv("FACET_BENCH_SCHEDULE"))
    fmt::print(stderr, "{}\n", natural.schedule());
  fmt::print("result {} {} {} {}\n", theirs.least(), mine.least(), error, compiling);
}

struct Result {
  double rival = 0, facet = 0, error = 0, compiling = 0;
  std::string failure; // empty: none
};

/// `one` in a process of its own.
Result run(const std::string &self, const std::string &arguments) {
  Result result;
  FILE *pipe =
      popen(("HL_NUM_THREADS=1 timeout 100 '" + self + "' " + arguments + " 2>&1").c_str(), "r");
  std::string text;
  for (int c = fgetc(pipe); c != EOF; c = fgetc(pipe))
    text += static_cast<char>(c);
  const int status = pclose(pipe);
  const std::size_t at = text.rfind("result ");
  if (status == 0 && at != std::string::npos) {
    std::istringstream(text.substr(at + 7)) >> result.rival >> result.facet >> result.error >>
        result.compiling;
    return result;
  }
  const std::size_t error = text.find("rror");
  const std::string line =
      error == std::string::npos ? text : text.substr(text.rfind('\n', error) + 1);
  result.failure = fmt::format("exit status {}: {}", status >> 8, line.substr(0, line.find('\n')));
  return result;
}

bool table(const std::string &self, const std::string &file, Algorithm algorithm, double goal,
           int repeats) {
  const bool direct = algorithm == Algorithm::Direct;
  const double work = 1e-9 * 6600 * (direct ? 200.0 * 200 : 500.0 * 500);
  const std::string name(passes::spelling(algorithm));
  double best = 0;
  std::string which;
  for (std::size_t s = 0; s < schedulers.size(); ++s)
    for (const bench::Writing &writing : writings) {
      const std::string what =
          fmt::format("{:9} {:13} {:22}", name, schedulers[s].name, describe(writing));
      const Result result =
          run(self, fmt::format("'{}' {} --one {} {} {} {}", file, repeats, direct ? 0 : 1, s,
                                writing.tables ? 1 : 0, writing.block));
      if (!result.failure.empty()) {
        fmt::print("{} failed: {}\n", what, result.failure);
        continue;
      }
      const double ratio = result.rival / result.facet;
      fmt::print("{} {:6.2f} rival, error {:.1e}, compiled in {:.1f} s; {:6.2f} facet; x{:.2f}\n",
                 what, work / result.rival, result.error, result.compiling, work / result.facet,
                 ratio);
      std::fflush(stdout);
      if (best == 0 || ratio < best)
        best = ratio, which = what;
    }
  if (best == 0) {
    fmt::print("{:9} [SKIP] no autoscheduler gave a result\n", name);
    return true;
  }
  return bench::verdict(fmt::format("{:9} times the best,", name), best, goal, "x{:.2f}");
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: facet_bench_autoscheduler KERNEL.cpp [REPEATS]\n");
    return 2;
  }
  const std::string file = argv[1];
  const int repeats = argc > 2 ? std::atoi(argv[2]) : 5;
  try {
    if (argc > 7) {
      one(file, std::atoi(argv[4]) == 0 ? Algorithm::Direct : Algorithm::Separable,
          schedulers.at(static_cast<std::size_t>(std::atoi(argv[5]))),
          {std::atoi(argv[6]) != 0, std::atoi(argv[7])}, repeats);
      return 0;
    }
    bench::sayTuned();
    fmt::print(
        "least of alternating runs, 1e9 TQP/s; 6,600 triangles, f32, real q, one thread, {}; "
        "direct 200 x 200, separable 500 x 500\n",
        runtime::bestTarget());
    bool met = true;
#define FACET_SCHEDULER_GOAL(algorithm, goal)                                                      \
  met &= table(argv[0], file, Algorithm::algorithm, goal, repeats);
#include "tests/performance/goals.def"
    return met ? 0 : 1;
  } catch (const Halide::Error &error) {
    fmt::print("Error: {}\n", error.what());
  } catch (const ir::Error &error) {
    fmt::print(stderr, "facet_bench_autoscheduler: {}\n", error.message);
  } catch (const runtime::Error &error) {
    fmt::print(stderr, "facet_bench_autoscheduler: {}\n", error.what());
  }
  return 2;
}
