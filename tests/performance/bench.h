// bench.h - what benchmarks share: times in turns, verdicts, problems, plans, errors.
#pragma once
#include "rivals/rivals.h"
#include "runtime/engine/kernel/tuned.h"
#include "runtime/engine/sum/points.h"
#include "runtime/engine/sum/records.h"
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <facet/runtime/error.h>
#include <facet/runtime/plan.h>
#include <filesystem>
#include <fmt/format.h>
#include <random>

namespace facet::bench {

/// Whether times are CPU times, which say nothing of several threads.
inline bool cpuClock() {
  static const char *clock = std::getenv("FACET_BENCH_CLOCK");
  return clock && std::string(clock) == "cpu";
}

/// Seconds of the wall clock; with FACET_BENCH_CLOCK=cpu of this process's CPU time, which for runs
/// on one thread is what a busy machine leaves comparable.
inline double now() {
  timespec t{};
  clock_gettime(cpuClock() ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// All times of one side, in seconds.
struct Times {
  std::vector<double> all;
  double least() const { return *std::min_element(all.begin(), all.end()); }
  double median() const {
    std::vector<double> sorted = all;
    std::sort(sorted.begin(), sorted.end());
    return sorted[sorted.size() / 2];
  }
  /// "1.25 (1.20)": work done a second, in the least time and in the median.
  std::string rates(double work) const {
    return fmt::format("{:6.3f} ({:.3f})", work / least(), work / median());
  }
  /// "371 (376) ms": the least and the median.
  std::string ms() const {
    return fmt::format("{:.1f} ({:.1f}) ms", 1e3 * least(), 1e3 * median());
  }
  /// Runs once and keeps its time.
  void run(auto &&work) {
    const double start = now();
    work();
    all.push_back(now() - start);
  }
};

/// The times of each of `work`, run in turns so that a busy machine slows all alike.
template <class... Work>
std::array<Times, sizeof...(Work)> inTurns(int repeats, const Work &...work) {
  std::array<Times, sizeof...(Work)> times;
  for (int i = 0; i < repeats; ++i) {
    std::size_t k = 0;
    (times[k++].run(work), ...);
  }
  return times;
}

/// Least seconds of executing, two to `most` times and no longer than `seconds`.
inline double leastSeconds(runtime::Plan &plan, int most, double seconds) {
  Times times;
  double all = 0;
  for (int k = 0; k < most && (k < 2 || all < seconds); ++k) {
    times.run([&] { plan.execute(); });
    all += times.all.back();
  }
  return times.least();
}

/// Prints a figure beside its goal; false if it is missed. `atMost`: less is better.
inline bool verdict(const std::string &what, double figure, double goal, const char *format,
                    bool atMost = false) {
  const bool met = atMost ? figure <= goal : figure >= goal;
  const auto show = [&](double x) { return fmt::format(fmt::runtime(format), x); };
  fmt::print("{}  {}  goal {}  {}\n", what, show(figure), show(goal), met ? "met" : "MISSED");
  std::fflush(stdout);
  return met;
}

/// Two threads beside one: at least 1.9 times as fast.
inline bool twoThreads(const std::string &what, const Times &one, const Times &two) {
  if (!cpuClock())
    return verdict(what, one.least() / two.least(), 1.9, "x{:.2f}");
  fmt::print("{}  [SKIP] CPU time says nothing of threads\n", what);
  return true;
}

/// A benchmark's main: `body` says whether all goals were met. Exit 0: they were; 1: one was
/// missed; 2: less than `least` arguments, or an error.
int program(int argc, char **argv, int least, const char *arguments, auto &&body) {
  const std::string name = std::filesystem::path(argv[0]).filename();
  try {
    if (argc > least)
      return body() ? 0 : 1;
    fmt::print(stderr, "usage: {} {}\n", name, arguments);
  } catch (const runtime::Error &error) {
    fmt::print(stderr, "{}: {}\n", name, error.what());
  }
  return 2;
}

/// q.x 0.1, q.y from -2 to 2, q.z from 0.01 to 2 nm^-1. `imaginary`: Im q.z from 0.001 to 0.01.
inline runtime::Grid standardGrid(std::int64_t ny, std::int64_t nz, bool imaginary = false) {
  runtime::Grid grid;
  grid.axes[0] = runtime::linspace(0.1, 0.1, 1);
  grid.axes[1] = runtime::linspace(-2, ny > 1 ? 2 : -2, ny);
  grid.axes[2] = runtime::linspace(0.01, nz > 1 ? 2 : 0.01, nz);
  if (imaginary)
    grid.axes[2].im = runtime::linspace(0.001, 0.01, nz).re;
  return grid;
}

/// A closed surface of 2 x around x tube triangles, radii 30 and 12 nm.
inline runtime::Mesh torus(double around, double tube) {
  return runtime::makeMesh(
      "torus", {{"major", {30}}, {"minor", {12}}, {"around", {around}}, {"tube", {tube}}});
}
inline runtime::Mesh smallTorus() { return torus(60, 55); }   // 6,600
inline runtime::Mesh largeTorus() { return torus(229, 200); } // 91,600
/// About n triangles, at least 18.
inline runtime::Mesh torusOf(double n) {
  const double around = std::max(3.0, std::round(std::sqrt(n / 2)));
  return torus(around, std::max(3.0, std::round(n / 2 / around)));
}

/// A mesh as rivals want it, about `centre`.
template <class Real>
rivals::Columns<Real> columnsOf(const runtime::Mesh &mesh, const runtime::Vec3 &centre) {
  rivals::Columns<Real> to;
  const std::vector<double> area = runtime::column(mesh, "area", centre);
  for (std::size_t k = 0; k < 3; ++k) {
    const auto column = [&](const char *name) {
      return runtime::column(mesh, fmt::format("{}.{}", name, "xyz"[k]), centre);
    };
    const auto normal = column("normal"), c = column("centroid"), v0 = column("vertex0"),
               v1 = column("vertex1");
    for (std::size_t t = 0; t < area.size(); ++t) {
      to.w[k].push_back(static_cast<Real>(area[t] * normal[t]));
      to.c[k].push_back(static_cast<Real>(c[t]));
      to.first[k].push_back(static_cast<Real>(v0[t] - c[t]));
      to.second[k].push_back(static_cast<Real>(v1[t] - c[t]));
    }
  }
  return to;
}

/// Whether this CPU can run what is compiled for `target`; if not, says so after `what`.
inline bool runs(const std::string &target, const std::string &what) {
  for (const runtime::Target &t : runtime::targets())
    if (t.name == target && t.runnable())
      return true;
  fmt::print("{} [SKIP] this CPU has no {}\n", what, target);
  return false;
}

/// TunedEntry knobs that hold on this machine, as `facet run` would use them (FACET_SCHEDULES= for
/// none).
inline const runtime::Schedules &tuned() {
  static const runtime::Schedules here = runtime::schedulesHere(
      "", [](const std::string &why) { fmt::print(stderr, "schedules: {}\n", why); });
  return here;
}

/// Says for which variants there are tuned knobs; the others run with the defaults.
inline void sayTuned() {
  fmt::print("schedules: {}\n", tuned().held.empty() ? "the defaults" : "tuned for");
  for (const runtime::TunedEntry &entry : tuned().held)
    fmt::print("  {}: {}\n", entry.key.text(),
               schedules::print(entry.knobs, entry.key.algorithm == "separable"));
}

/// The kernel of a file, compiled for a grid's kind and its q.
inline runtime::Kernel kernelFor(const std::string &file, const std::string &target,
                                 const runtime::Grid &grid) {
  runtime::CompileRequest request;
  request.target = target;
  if (grid.kind == runtime::Grid::Kind::Points)
    request.grid = FACET_POINTS;
  if (grid.complexQ())
    request.q = FACET_COMPLEX_Q;
  std::vector<runtime::TunedEntry> entries;
  for (const runtime::TunedEntry &entry : tuned().held)
    if (entry.key.target == target && entry.key.q == runtime::qName(request.q))
      entries.push_back(entry);
  request.schedules = runtime::schedulesJson(entries);
  return runtime::Kernel::load(runtime::compileKernel(file, request).library);
}

/// Options of a plan on one thread; without a class the accuracy decides.
inline runtime::PlanOptions oneThread(facet_algorithm algorithm, double accuracy = 1e-5,
                                      std::optional<facet_class> klass = {}) {
  runtime::PlanOptions options;
  options.algorithm = algorithm;
  options.klass = klass;
  options.accuracy = accuracy;
  options.threads = 1;
  return options;
}

/// A plan with everything but its knobs forced.
inline runtime::Plan planFor(const std::string &file, const std::string &target,
                             const runtime::Grid &grid, const runtime::Mesh &mesh,
                             facet_algorithm algorithm, facet_class klass, int threads = 1) {
  runtime::PlanOptions options = oneThread(algorithm, 1e-5, klass);
  options.target = target;
  options.threads = threads;
  return {kernelFor(file, target, grid), grid, mesh, options};
}

/// F of the kernel file in plain double at some q of a grid.
class Reference {
public:
  Reference(const runtime::Kernel &kernel, const runtime::Mesh &mesh, const runtime::Grid &grid,
            std::size_t samples = 64)
      : f_(samples) {
    runtime::Records records(*kernel);
    records.setMesh(mesh);
    std::mt19937 random(2);
    std::vector<double> q, size(samples), factor(samples);
    while (at_.size() < samples) {
      at_.push_back(random() % static_cast<std::size_t>(grid.size()));
      const auto at = grid.at(static_cast<std::int64_t>(at_.back()));
      for (const std::complex<double> &part : at)
        q.insert(q.end(), {part.real(), part.imag()});
      im_.push_back(at[2].imag());
    }
    kernel->reference(q.data(), static_cast<std::int64_t>(samples), records.columns().data(),
                      mesh.size(), nullptr, reinterpret_cast<double *>(f_.data()), size.data(),
                      factor.data());
  }

  /// max|value(i) - F| / max|F| over the sample; of complex q, |F| over those with Im q.z within
  /// 10%. `value`: F at a q of the grid.
  double error(const auto &value) const {
    double worst = 0;
    for (std::size_t i = 0; i < at_.size(); ++i) {
      double largest = 0;
      for (std::size_t j = 0; j < at_.size(); ++j)
        if (std::abs(im_[j] - im_[i]) <= 0.1 * std::abs(im_[i]))
          largest = std::max(largest, std::abs(f_[j]));
      worst = std::max(worst, std::abs(value(at_[i]) - f_[i]) / largest);
    }
    return worst;
  }

private:
  std::vector<std::size_t> at_;
  std::vector<double> im_;
  std::vector<std::complex<double>> f_;
};

/// Fused multiply-adds a second (one a lane) of this core now, registers only, in the best of a few
/// milliseconds: vectors of `bytes` bytes (32, 64), of double or of float.
double fusedMultiplyAdds(int bytes, bool isDouble);

} // namespace facet::bench
