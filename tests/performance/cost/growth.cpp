// growth.cpp - how the cost of sums grows with triangles and with q, as tables and pictures; one
// thread, the best target, least of a few runs.
//
//   facet_bench_growth KERNEL.cpp PICTURE.png
// Times, slopes and memory of class f32 (nufft: accuracy 1e-6). Memory is the peak of resident
// memory of a fresh process while it executes, less what was resident when it had planned. It is
// also less what any sum must keep from then on: the sums in double and F, 16 bytes a q each, and
// the packed records. (The mesh's columns are the plan's.)
//
//   facet_bench_growth KERNEL.cpp PICTURE.png crossover
// Where direct, separable and nufft cross: times for accuracy 1e-5 over the number of triangles for
// three grids, the picture of docs/algorithms.md. What the planner expects to take twenty times the
// best, or longer than a few seconds, is left out.
#include "runtime/engine/plan/plan_run.h"
#include "tests/performance/bench.h"
#include "tests/performance/cost/picture.h"
#include <fstream>
#include <functional>
#include <malloc.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using namespace facet;
using namespace facet::runtime;

constexpr double Tolerance = 0.05; // of a slope from 1
constexpr double Cliff = 1.5;      // of a size above the line through its neighbours
constexpr double Flat = 8e6;       // bytes of working memory, whatever the size
constexpr std::array<facet_algorithm, 3> algorithms{FACET_DIRECT, FACET_SEPARABLE, FACET_NUFFT};
constexpr std::array<Colour, 3> colours{Colour{210, 90, 30}, Colour{40, 110, 180},
                                        Colour{50, 140, 70}};

/// One algorithm over sizes: seconds of one run, and bytes of memory beyond inputs and outputs.
struct Growth {
  std::string name;
  std::vector<double> size, seconds, bytes;
};

/// What grows, for a pair of panels: seconds above, bytes below.
struct Series {
  std::string axis; // "triangles"
  std::string rest; // "4096 q"
  std::vector<Growth> curves;
};

/// t = overhead + seconds a unit * n^slope, by least squares of the relative differences, overhead
/// at least 0.
struct Fit {
  double overhead = 0, unit = 0, slope = 0;
};

Fit fitOf(const std::vector<double> &size, const std::vector<double> &seconds) {
  Fit best;
  double least = HUGE_VAL;
  // For a slope s, overhead a and unit b are linear: a / t + b n^s / t = 1 at each point.
  for (double s = 0.5; s <= 1.5; s += 0.001) {
    double aa = 0, ab = 0, bb = 0, a1 = 0, b1 = 0;
    for (std::size_t k = 0; k < size.size(); ++k) {
      const double a = 1 / seconds[k], b = std::pow(size[k], s) / seconds[k];
      aa += a * a, ab += a * b, bb += b * b, a1 += a, b1 += b;
    }
    double a = (a1 * bb - b1 * ab) / (aa * bb - ab * ab);
    double b = (b1 * aa - a1 * ab) / (aa * bb - ab * ab);
    if (a < 0)
      a = 0, b = b1 / bb;
    double sum = 0;
    for (std::size_t k = 0; k < size.size(); ++k)
      sum += std::pow((a + b * std::pow(size[k], s)) / seconds[k] - 1, 2);
    if (sum < least)
      least = sum, best = {a, b, s};
  }
  return best;
}

/// About n q, whole vectors of z, so that what is left over of a line does not blur the slope.
Grid gridOf(double n) {
  const auto nz = static_cast<std::int64_t>(std::max(16.0, 16 * std::round(std::sqrt(n) / 16)));
  return bench::standardGrid(std::llround(n / static_cast<double>(nz)), nz);
}

Plan planOf(const Kernel &kernel, const Grid &grid, const Mesh &mesh, facet_algorithm algorithm) {
  std::optional<facet_class> klass;
  if (algorithm != FACET_NUFFT)
    klass = FACET_F32;
  return {kernel, grid, mesh, bench::oneThread(algorithm, 1e-6, klass)};
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
    const facet_variant &variant = plan.run().variant();
    const double record =
        algorithm == FACET_NUFFT ? 0 : 4.0 * variant.narrow_fields + 8.0 * variant.wide_fields;
    const double bytes = status("VmHWM") - before - 32.0 * static_cast<double>(grid.size()) -
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

void point(Series &series, const Kernel &kernel, std::int64_t size, const Grid &grid,
           const Mesh &mesh) {
  series.curves.resize(algorithms.size());
  fmt::print("{:>10} {:>10} q ", mesh.size(), grid.size());
  for (std::size_t a = 0; a < algorithms.size(); ++a) {
    Growth &curve = series.curves[a];
    curve.name = algorithmName(algorithms[a]);
    curve.size.push_back(static_cast<double>(size));
    const double bytes = workingBytes(kernel, grid, mesh, algorithms[a]);
    curve.bytes.push_back(std::max(bytes, 1e5));
    Plan plan = planOf(kernel, grid, mesh, algorithms[a]);
    plan.execute();
    curve.seconds.push_back(bench::leastSeconds(plan, 5000, 0.15));
    fmt::print(" {:>12.4f} ms {:>7.1f} MB", 1e3 * curve.seconds.back(), 1e-6 * bytes);
  }
  fmt::print("\n");
  std::fflush(stdout);
}

/// How far the worst size lies above the line through its neighbours, on logarithmic axes.
double cliffOf(const Growth &curve) {
  double most = 0;
  for (std::size_t k = 1; k + 1 < curve.size.size(); ++k) {
    const double along = std::log(curve.size[k] / curve.size[k - 1]) /
                         std::log(curve.size[k + 1] / curve.size[k - 1]);
    most = std::max(most, curve.seconds[k] / std::pow(curve.seconds[k - 1], 1 - along) /
                              std::pow(curve.seconds[k + 1], along));
  }
  return most;
}

/// Slopes and cliffs beside the goals; the slope of nufft for information.
bool judge(const Series &series) {
  bool met = true;
  for (const Growth &curve : series.curves) {
    const Fit fit = fitOf(curve.size, curve.seconds);
    const std::string what = fmt::format("{:9} over {}:", curve.name, series.axis);
    fmt::print("{} overhead {:.1f} us, {:.3g} ns each, slope {:.3f}\n", what, 1e6 * fit.overhead,
               1e9 * fit.unit * std::pow(curve.size.back(), fit.slope - 1), fit.slope);
    met &= bench::verdict(what + " above the line through its neighbours", cliffOf(curve), Cliff,
                          "x{:.2f}", true);
    if (curve.name == algorithmName(FACET_NUFFT))
      continue;
    met &=
        bench::verdict(what + " slope from 1", std::abs(fit.slope - 1), Tolerance, "{:.3f}", true);
    met &= bench::verdict(what + " largest working memory, MB",
                          1e-6 * *std::max_element(curve.bytes.begin(), curve.bytes.end()),
                          1e-6 * Flat, "{:.1f}", true);
  }
  return met;
}

Scale scaleOf(const std::vector<Series> &series, const std::string &label, bool bytes) {
  std::vector<double> all;
  for (const Series &each : series)
    for (const Growth &curve : each.curves) {
      const std::vector<double> &values = bytes ? curve.bytes : curve.seconds;
      all.insert(all.end(), values.begin(), values.end());
    }
  const auto [least, most] = std::minmax_element(all.begin(), all.end());
  return {label, std::floor(std::log10(*least)), std::ceil(std::log10(*most)), true};
}

/// The curves of a series in a panel, each with the text that `label` gives.
plot::Panel panelOf(const Rect &box, const Scale &x, const Scale &y, const Series &series,
                    bool bytes, const std::function<std::string(const Growth &)> &label) {
  using namespace plot;
  Panel panel{.box = box, .x = x, .y = y, .title = bytes ? "" : series.rest, .size = 0.8};
  for (std::size_t k = 0; k < series.curves.size(); ++k) {
    const Growth &curve = series.curves[k];
    const std::vector<double> &at = bytes ? curve.bytes : curve.seconds;
    panel.add(Line{curve.size, at, colours[k], 2.5});
    for (std::size_t i = 0; i < at.size(); ++i)
      panel.add(Disc{curve.size[i], at[i], 3.5, colours[k]});
    if (!bytes)
      panel.add(Text{std::pow(10, x.low), std::pow(10, y.high), label(curve), 0.9, 0, colours[k],
                     20, 28 + 32 * static_cast<double>(k)});
  }
  return panel;
}

plot::Figure titled(plot::Figure figure, const std::string &title) {
  plot::Panel page = figure.page();
  plot::addHeading(figure, page, 30, title, 1);
  figure.panels.push_back(page);
  return figure;
}

/// Seconds and bytes over sizes on logarithmic axes.
bool draw(const std::string &path, const std::vector<Series> &all) {
  plot::Figure figure = titled(
      {}, fmt::format("How cost grows: born, one thread, f32 (nufft: 1e-6), {}", bestTarget()));
  Scale seconds = scaleOf(all, "seconds", false), bytes = scaleOf(all, "working bytes", true);
  const auto slope = [](const Growth &curve) {
    return fmt::format("{}: slope {:.2f}", curve.name, fitOf(curve.size, curve.seconds).slope);
  };
  for (std::size_t p = 0; p < all.size(); ++p) {
    const double left = 120 + 565 * static_cast<double>(p);
    const std::vector<double> &size = all[p].curves.front().size;
    const Scale x{all[p].axis, std::floor(std::log10(size.front()) + 0.05) - 0.05,
                  std::ceil(std::log10(size.back()) - 0.05) + 0.05, true};
    figure.panels.push_back(panelOf({left, 105, 470, 410}, x, seconds, all[p], false, slope));
    figure.panels.push_back(panelOf({left, 625, 470, 180}, x, bytes, all[p], true, slope));
    seconds.label = bytes.label = "";
  }
  return bench::drawn(figure, path);
}

bool run(const std::string &file, const std::string &picture) {
  const Kernel kernel = bench::kernelFor(file, bestTarget(), bench::standardGrid(2, 2));
  fmt::print("least time and working memory; one thread, {}\n{:>10} {:>12}  {:>15} {:>10}  "
             "{:>14} {:>10}  {:>14}\n",
             bestTarget(), "triangles", "", "direct", "", "separable", "", "nufft");
  const Grid fixedGrid = bench::standardGrid(64, 64);
  Series triangles{"triangles", fmt::format("{} q", fixedGrid.size()), {}};
  for (double n = 100; n < 1.1e6; n *= std::sqrt(10.0)) {
    const Mesh mesh = bench::torusOf(n);
    point(triangles, kernel, mesh.size(), fixedGrid, mesh);
  }
  const Mesh fixedMesh = bench::torusOf(1000);
  Series q{"q", fmt::format("{} triangles", fixedMesh.size()), {}};
  for (double n = 128; n < 1.3e7; n *= std::sqrt(10.0)) {
    const Grid grid = gridOf(std::min(n, 1e7));
    point(q, kernel, grid.size(), grid, fixedMesh);
  }
  const bool met = judge(triangles);
  const bool both = judge(q) && met;
  return draw(picture, {triangles, q}) && both;
}

/// The three algorithms on one grid over the number of triangles, with a line of the table each.
Series crossing(const Kernel &kernel, std::int64_t side) {
  constexpr double longest = 3; // seconds
  Series series{"triangles", fmt::format("{0} x {0} q", side), {}};
  for (const facet_algorithm algorithm : algorithms)
    series.curves.push_back({algorithmName(algorithm), {}, {}, {}});
  const Grid grid = bench::standardGrid(side, side);
  for (double n = 18; n < 1.1e6; n *= std::sqrt(10.0)) {
    const Mesh mesh = bench::torusOf(n);
    double best = HUGE_VAL;
    std::array<std::string, 3> shown{"-", "-", "-"};
    // The likely winner first, so that the others know what to be compared with.
    for (const std::size_t a : {2, 1, 0}) {
      Plan plan(kernel, grid, mesh, bench::oneThread(algorithms[a]));
      if (plan.choice().seconds > std::min(longest, 20 * best))
        continue;
      series.curves[a].size.push_back(static_cast<double>(mesh.size()));
      series.curves[a].seconds.push_back(bench::leastSeconds(plan, 9, 0.5));
      best = std::min(best, series.curves[a].seconds.back());
      shown[a] = fmt::format("{:.3f}", 1e3 * series.curves[a].seconds.back());
    }
    fmt::print("{:>6} {:>9} {:>10} {:>10} {:>10}\n", fmt::format("{}^2", side), mesh.size(),
               shown[0], shown[1], shown[2]);
    std::fflush(stdout);
  }
  return series;
}

bool crossover(const std::string &file, const std::string &picture) {
  const Kernel kernel = bench::kernelFor(file, bestTarget(), bench::standardGrid(2, 2));
  fmt::print("least time of one execute, ms, one thread, accuracy 1e-05, {}\n", bestTarget());
  fmt::print("{:>6} {:>9} {:>10} {:>10} {:>10}\n", "grid", "triangles", "direct", "separable",
             "nufft");
  plot::Figure figure = titled({.width = 1500, .height = 620},
                               fmt::format("{}: seconds of one run, one thread, accuracy 1e-05, {}",
                                           kernel->name, bestTarget()));
  double left = 110;
  for (const std::int64_t side : {50, 200, 500}) {
    const Scale y{left == 110 ? "seconds" : "", -5, 1, true};
    figure.panels.push_back(panelOf({left, 105, 365, 405}, {"triangles", 1, 6, true}, y,
                                    crossing(kernel, side), false,
                                    [](const Growth &curve) { return curve.name; }));
    left += 474;
  }
  return bench::drawn(figure, picture);
}

} // namespace

int main(int argc, char **argv) {
  return bench::program(argc, argv, 2, "KERNEL.cpp PICTURE.png [crossover]", [&] {
    return argc > 3 ? crossover(argv[1], argv[2]) : run(argv[1], argv[2]);
  });
}
