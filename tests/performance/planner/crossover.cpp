// crossover.cpp - where direct, separable and nufft cross: times over the number of triangles for
// three grids, as a table and as the picture of docs/algorithms.md.
//
//   facet_bench_crossover KERNEL.cpp PICTURE.png
// One thread, F in memory, least of the repeats of each. What the planner expects to take twenty
// times the best, or longer than a few seconds, is left out.
#include "runtime/output/figure.h"
#include "tests/performance/bench.h"
#include <map>

namespace {

using namespace facet;
using namespace facet::runtime;

constexpr std::array<std::int64_t, 3> sides{50, 200, 500};
constexpr double accuracy = 1e-5, longest = 3;
constexpr std::array<facet_algorithm, 3> algorithms{FACET_DIRECT, FACET_SEPARABLE, FACET_NUFFT};
constexpr std::array<Colour, 3> colours{Colour{210, 90, 30}, Colour{40, 110, 180},
                                        Colour{50, 140, 70}};

struct Curve {
  std::vector<double> triangles, seconds;
};

/// Seconds of one execute, the least of a few; negative where it was not run.
double timed(const Kernel &kernel, const Grid &grid, const Mesh &mesh, facet_algorithm algorithm,
             double best) {
  Plan plan(kernel, grid, mesh, bench::oneThread(algorithm, accuracy));
  const double expected = plan.choice().seconds;
  if (expected > longest || (best > 0 && expected > 20 * best))
    return -1;
  return bench::leastSeconds(plan, 9, 0.5);
}

struct Times {
  std::int64_t side;
  std::array<Curve, 3> curves;
};

void draw(const std::string &path, const std::vector<Times> &all, const std::string &title) {
  using namespace plot;
  Figure figure{.width = 1500, .height = 620};
  Panel page = figure.page();
  addHeading(page, 30, title, 1);
  figure.panels.push_back(page);
  for (std::size_t p = 0; p < all.size(); ++p) {
    Panel panel{.box = {110.0 + 474.0 * static_cast<double>(p), 90, 365, 420},
                .x = {"triangles", 1, 6, true},
                .y = {p == 0 ? "seconds" : "", -5, 1, true},
                .title = fmt::format("{0} x {0} q", all[p].side),
                .size = 0.8};
    for (std::size_t a = 0; a < algorithms.size(); ++a) {
      const Curve &curve = all[p].curves[a];
      panel.add(Line{curve.triangles, curve.seconds, colours[a], 2.5});
      if (p == 0)
        panel.add(Text{10, 10, algorithmName(algorithms[a]), 1, 0, colours[a], 20,
                       25 + 32 * static_cast<double>(a)});
    }
    figure.panels.push_back(std::move(panel));
  }
  plot::draw(figure, path);
}

/// The three algorithms on one grid over the number of triangles, with a line of the table each.
Times timesOn(const Kernel &kernel, std::int64_t side) {
  Times panel{side, {}};
  const Grid grid = bench::standardGrid(side, side);
  for (double n = 18; n < 1.1e6; n *= std::sqrt(10.0)) {
    const Mesh mesh = bench::torusOf(n);
    double best = 0;
    std::map<facet_algorithm, std::string> shown;
    // The likely winner first, so that the others know what to be compared with.
    for (const facet_algorithm algorithm : {FACET_NUFFT, FACET_SEPARABLE, FACET_DIRECT}) {
      const double seconds = timed(kernel, grid, mesh, algorithm, best);
      shown[algorithm] = seconds < 0 ? "-" : fmt::format("{:.3f}", 1e3 * seconds);
      if (seconds < 0)
        continue;
      best = best > 0 ? std::min(best, seconds) : seconds;
      Curve &curve = panel.curves[static_cast<std::size_t>(algorithm)];
      curve.triangles.push_back(static_cast<double>(mesh.size()));
      curve.seconds.push_back(seconds);
    }
    fmt::print("{:>6} {:>9} {:>10} {:>10} {:>10}\n", fmt::format("{}^2", side), mesh.size(),
               shown[FACET_DIRECT], shown[FACET_SEPARABLE], shown[FACET_NUFFT]);
    std::fflush(stdout);
  }
  return panel;
}

} // namespace

int main(int argc, char **argv) {
  return bench::program(argc, argv, 2, "KERNEL.cpp PICTURE.png", [&] {
    const Kernel kernel = bench::kernelFor(argv[1], bestTarget(), bench::standardGrid(2, 2));
    fmt::print("least time of one execute, ms, one thread, accuracy {:.0e}, {}\n", accuracy,
               bestTarget());
    fmt::print("{:>6} {:>9} {:>10} {:>10} {:>10}\n", "grid", "triangles", "direct", "separable",
               "nufft");
    std::vector<Times> panels;
    for (const std::int64_t side : sides)
      panels.push_back(timesOn(kernel, side));
    draw(argv[2], panels,
         fmt::format("{}: seconds of one run, one thread, accuracy {:.0e}, {}", kernel->name,
                     accuracy, bestTarget()));
    fmt::print("picture {}\n", argv[2]);
    return true;
  });
}
