// growth.cpp - how the cost of sums grows with triangles and with q: times, slopes, memory,
// picture.
//
//   facet_bench_growth KERNEL.cpp PICTURE.png
// One thread, the best target, class f32 (nufft: accuracy 1e-6), least of a few runs. Slopes by
// growth_fit.cpp. Memory: the peak of resident memory of a fresh process while it executes, less
// what was resident when it had planned, less what any sum must keep from then on: the sums in
// double, 16 bytes a q, and the packed records. (F and the mesh's columns are the plan's.)
#include "growth.h"
#include "runtime/plan/inside.h"
#include "tests/performance/bench.h"
#include "tests/performance/problems.h"
#include <fstream>
#include <malloc.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using namespace facet;
using namespace facet::runtime;
using bench::Growth;

constexpr double Tolerance = 0.05; // of a slope from 1
constexpr double Flat = 8e6;       // bytes of working memory, whatever the size
constexpr std::array<facet_algorithm, 3> algorithms{FACET_DIRECT, FACET_SEPARABLE, FACET_NUFFT};

/// About n q, whole vectors of z, so that what is left over of a line does not blur the slope.
Grid gridOf(double n) {
  const auto nz = static_cast<std::int64_t>(std::max(16.0, 16 * std::round(std::sqrt(n) / 16)));
  return bench::standardGrid(std::llround(n / static_cast<double>(nz)), nz);
}

Plan planOf(const Kernel &kernel, const Grid &grid, const Mesh &mesh, facet_algorithm algorithm) {
  PlanOptions options;
  options.algorithm = algorithm;
  options.threads = 1;
  options.accuracy = 1e-6;
  if (algorithm != FACET_NUFFT)
    options.klass = FACET_F32;
  return {kernel, grid, mesh, options};
}

double timed(const Kernel &kernel, const Grid &grid, const Mesh &mesh, facet_algorithm algorithm) {
  Plan plan = planOf(kernel, grid, mesh, algorithm);
  plan.execute();
  bench::Times times;
  double all = 0;
  for (int k = 0; k < 5000 && (k < 2 || all < 0.15); ++k) {
    times.run([&] { plan.execute(); });
    all += times.all.back();
  }
  return times.least();
}

/// A line of /proc/self/status, bytes.
double status(const std::string &name) {
  std::ifstream file("/proc/self/status");
  for (std::string word; file >> word;)
    if (word == name + ":") {
      double kilobytes = 0;
      file >> kilobytes;
      return 1024 * kilobytes;
    }
  return 0;
}

/// Working memory of executing once, in a child process, bytes.
double workingBytes(const Kernel &kernel, const Grid &grid, const Mesh &mesh,
                    facet_algorithm algorithm) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0)
    throw Error("bench", "no pipe");
  const pid_t child = fork();
  if (child == 0) {
    mallopt(M_MMAP_THRESHOLD, 1 << 16);
    Plan plan = planOf(kernel, grid, mesh, algorithm);
    malloc_trim(0);                              // what is free already would hide what is taken
    std::ofstream("/proc/self/clear_refs") << 5; // forget the peak so far
    const double before = status("VmRSS");
    plan.execute();
    const facet_variant &variant = variantOf(plan);
    const double record =
        algorithm == FACET_NUFFT ? 0 : 4.0 * variant.narrow_fields + 8.0 * variant.wide_fields;
    const double bytes = status("VmHWM") - before - 16.0 * static_cast<double>(grid.size()) -
                         record * static_cast<double>(mesh.size());
    const bool wrote = write(ends[1], &bytes, sizeof bytes) == sizeof bytes;
    _exit(wrote ? 0 : 1);
  }
  double bytes = 0;
  const bool read = ::read(ends[0], &bytes, sizeof bytes) == sizeof bytes;
  close(ends[0]), close(ends[1]);
  waitpid(child, nullptr, 0);
  if (!read)
    throw Error("bench", "the process whose memory was measured failed");
  return bytes;
}

class Bench {
public:
  explicit Bench(const std::string &file)
      : kernel_(bench::kernelFor(file, bestTarget(), bench::standardGrid(2, 2))) {}

  void point(bench::Series &series, double size, const Grid &grid, const Mesh &mesh) {
    series.curves.resize(algorithms.size());
    fmt::print("{:>10} {:>10} q ", mesh.size(), grid.size());
    for (std::size_t a = 0; a < algorithms.size(); ++a) {
      Growth &curve = series.curves[a];
      curve.name = algorithmName(algorithms[a]);
      curve.size.push_back(size);
      const double bytes = workingBytes(kernel_, grid, mesh, algorithms[a]);
      curve.bytes.push_back(std::max(bytes, 1e5));
      curve.seconds.push_back(timed(kernel_, grid, mesh, algorithms[a]));
      fmt::print(" {:>12.4f} ms {:>7.1f} MB", 1e3 * curve.seconds.back(), 1e-6 * bytes);
    }
    fmt::print("\n");
    std::fflush(stdout);
  }

  /// Slopes beside the goal; of nufft for information.
  static bool judge(const bench::Series &series) {
    bool met = true;
    for (const Growth &curve : series.curves) {
      const bench::Fit fit = bench::fit(curve.size, curve.seconds);
      const std::string what = fmt::format("{:9} over {}:", curve.name, series.axis);
      fmt::print("{} overhead {:.1f} us, {:.3g} ns each, slope {:.3f}\n", what, 1e6 * fit.overhead,
                 1e9 * fit.unit * std::pow(curve.size.back(), fit.slope - 1), fit.slope);
      if (curve.name == algorithmName(FACET_NUFFT))
        continue; // for information
      met &= bench::verdict(what + " slope from 1", std::abs(fit.slope - 1), Tolerance, "{:.3f}",
                            true);
      met &= bench::verdict(what + " largest working memory, MB",
                            1e-6 * *std::max_element(curve.bytes.begin(), curve.bytes.end()),
                            1e-6 * Flat, "{:.1f}", true);
    }
    return met;
  }

private:
  Kernel kernel_;
};

} // namespace

int main(int argc, char **argv) {
  if (argc < 3) {
    fmt::print(stderr, "usage: facet_bench_growth KERNEL.cpp PICTURE.png\n");
    return 2;
  }
  try {
    Bench bench(argv[1]);
    fmt::print("least time and working memory; one thread, {}\n{:>10} {:>12}  {:>15} {:>10}  "
               "{:>14} {:>10}  {:>14}\n",
               bestTarget(), "triangles", "", "direct", "", "separable", "", "nufft");
    const Grid fixedGrid = bench::standardGrid(64, 64);
    bench::Series triangles{"triangles", fmt::format("{} q", fixedGrid.size()), {}};
    for (double n = 100; n < 1.1e6; n *= std::sqrt(10.0)) {
      const Mesh mesh = bench::torusOf(n);
      bench.point(triangles, static_cast<double>(mesh.size()), fixedGrid, mesh);
    }
    const Mesh fixedMesh = bench::torusOf(1000);
    bench::Series q{"q", fmt::format("{} triangles", fixedMesh.size()), {}};
    for (double n = 128; n < 1.3e7; n *= std::sqrt(10.0)) {
      const Grid grid = gridOf(std::min(n, 1e7));
      bench.point(q, static_cast<double>(grid.size()), grid, fixedMesh);
    }
    const bool met = Bench::judge(triangles);
    const bool both = Bench::judge(q) && met;
    bench::draw(
        argv[2],
        fmt::format("How cost grows: born, one thread, f32 (nufft: 1e-6), {}", bestTarget()),
        {triangles, q});
    fmt::print("picture {}\n", argv[2]);
    return both ? 0 : 1;
  } catch (const Error &error) {
    fmt::print(stderr, "facet_bench_growth: {}\n", error.what());
    return 2;
  }
}
