// rank.cpp - the picture of docs/algorithms.md: nodes that strengths need, against the range of the
// scalar they are interpolated in. It shows what the planner counts from Chebyshev coefficients,
// and the closed bound of e^{a s}.
//
//   facet_bench_rank PICTURE.png
#include "runtime/engine/transform/nufft/layout.h"
#include "runtime/engine/transform/scalars.h"
#include "tests/performance/bench.h"
#include "tests/performance/cost/picture.h"
#include <cmath>

namespace {
using namespace facet;
using namespace facet::runtime;

using Function = double (*)(double);

/// Strengths f(t u) of one wave without points, as a library would have them.
template <Function f>
void refill(const double *const *columns, std::int64_t n, const double *params, double *const *,
            double *const *strengths) {
  for (std::int64_t t = 0; t < n; ++t)
    strengths[0][t] = f(columns[0][t] * params[0]);
}

double decay(double x) { return std::exp(-x); }
double wave(double x) { return std::cos(x); }
double lorentzian(double x) { return 1 / (1 + x * x); }

/// The nodes for records t from 0 to 1 and u from 0 to `range`; 0: more than 64.
template <Function f> int nodes(double range, double tolerance) {
  static const std::int32_t zero = 0, one = 1;
  static const facet_waves_fn function = refill<f>;
  facet_transforms form{};
  form.waves = form.transforms = form.scalars = 1;
  form.wave_of = &zero, form.parts = form.scalars_of = &one, form.refill = &function;
  const SampledRecords sample{3, 3, {{0, 0.5, 1}}};
  const auto ends = std::make_shared<std::vector<double>>(std::vector<double>{0, range});
  return countedScalars(form, 0, {{"u", ends, 0, range, {}}}, {}, sample)
      .front()
      .count(0, range, tolerance);
}

struct Curve {
  const char *name;
  int (*count)(double range, double tolerance);
  Colour colour;
};

/// e^{-x} of x from 0 to 2 a is e^{-a} e^{a s}: relative to its largest value, at s = -1.
int bound(double range, double tolerance) { return chebyshevCount(0.5 * range, 1, tolerance, 64); }

bool run(const std::string &picture) {
  const Curve curves[] = {{"cos t u", nodes<wave>, {40, 110, 180}},
                          {"e^{−t u}, its bound", bound, plot::grey},
                          {"e^{−t u}", nodes<decay>, {210, 90, 30}},
                          {"1 / (1 + t² u²)", nodes<lorentzian>, {60, 150, 70}}};
  plot::Figure figure{.width = 1200, .height = 560};
  plot::Panel page = figure.page();
  plot::addHeading(figure, page, 28, "nodes R against the range of t u", 1);
  double left = 90;
  for (const double tolerance : {1e-5, 1e-10}) {
    plot::Panel panel{.box = {left, 100, 480, 380},
                      .x = {"largest t u", -1, 2.5, true},
                      .y = {left == 90 ? "R" : "", 0, 64},
                      .title = fmt::format("to {:.0e}", tolerance),
                      .grid = true};
    for (const Curve &curve : curves) {
      plot::Line line{{}, {}, curve.colour, 2.5};
      for (double range = 0.1; range < 310; range *= std::pow(10, 0.05))
        if (const int r = curve.count(range, tolerance); r > 0)
          line.x.push_back(range), line.y.push_back(r);
      fmt::print("{:>20} to {:.0e}: {} nodes at {:.3g}\n", curve.name, tolerance, line.y.back(),
                 line.x.back());
      panel.add(line);
      const double at = 184 + 26 * static_cast<double>(&curve - curves);
      plot::addKey(figure, page, left + 20, at - 60, curve.colour, curve.name, 0.8);
    }
    figure.panels.push_back(panel);
    left += 560;
  }
  figure.panels.push_back(page);
  return bench::drawn(figure, picture);
}

} // namespace

int main(int argc, char **argv) {
  return bench::program(argc, argv, 1, "PICTURE.png", [&] { return run(argv[1]); });
}
