// curve.cpp - the orientation-averaged curve: spheres of q, their directions, sums and errors.
#include "runtime/experiment/average/curve.h"
#include "runtime/experiment/average/orientation.h"
#include <algorithm>
#include <cmath>
#include <facet/runtime/error.h>
#include <fmt/format.h>
#include <limits>
#include <numeric>

namespace facet::runtime {

namespace {
constexpr int partnerBelow = 6; // half of the 12 by which gaussOrder exceeds |q| R

/// A sphere of |q| s: what one size adds to one value of the curve.
struct Sphere {
  double k = 0;      // its radius, nm^-1
  std::size_t at{};  // the value of the curve
  double weight = 0; // of <|F|^2> in it: w_s s^2d
  int order = 0;     // of its band
  // In long double, in the order of the directions: the sums do not depend on the batches.
  long double sum = 0, partner = 0; // of |F|^2 by both rules
  double error = 0;                 // of F
};

/// Orders in steps of 8, doubled at 128, 256, ..: few bands, and seldom a quarter more directions.
int bandOrder(double qRadius) {
  const int order = gaussOrder(qRadius);
  int step = 8;
  for (int limit = 128; order > limit; limit *= 2)
    step *= 2;
  return (order + step - 1) / step * step;
}

std::vector<Sphere> spheresOf(const std::vector<double> &q, const CurveOptions &options) {
  if (!(options.radius > 0) || !std::isfinite(options.radius))
    throw Error("curve", fmt::format("the particle's radius is {} nm", options.radius),
                "give half its largest extent: it tells how many directions are needed");
  const std::vector<Size> sizes = options.sizes.empty() ? std::vector<Size>(1) : options.sizes;
  std::vector<Sphere> spheres;
  for (std::size_t i = 0; i < q.size(); ++i) {
    if (!(q[i] >= 0) || !std::isfinite(q[i]))
      throw Error("curve", fmt::format("|q| number {} is {}", i + 1, q[i]),
                  "lengths of q are numbers, none below 0");
    for (const Size &size : sizes) {
      Sphere sphere;
      sphere.k = q[i] * size.scale;
      sphere.at = i;
      sphere.weight = size.weight * std::pow(size.scale, 2 * options.power);
      if (sphere.k * options.radius > 3000)
        throw Error("curve", fmt::format("|q| R is {:.3g}", sphere.k * options.radius),
                    "an average over 1e7 directions is out of reach; see the units of q and mesh");
      sphere.order = bandOrder(sphere.k * options.radius);
      spheres.push_back(sphere);
    }
  }
  std::stable_sort(spheres.begin(), spheres.end(),
                   [](const Sphere &a, const Sphere &b) { return a.k < b.k; });
  return spheres;
}

std::int64_t squared(int order) { return static_cast<std::int64_t>(order) * order; }

/// Directions of a rule and of its partner; how many there are, without making them.
struct Rules {
  std::vector<Direction> rule, partner;
  Rules(int order, const CurveOptions &options)
      : rule(gaussDirections(order, options.realDensity)),
        partner(gaussDirections(order - partnerBelow, options.realDensity)) {}
  static std::int64_t count(int order, const CurveOptions &options) {
    return squared(order) * (options.realDensity ? 1 : 2);
  }
  static std::int64_t both(int order, const CurveOptions &options) {
    return count(order, options) + count(order - partnerBelow, options);
  }
};

/// Points gathered for a call of F, and where their |F|^2 go.
class Batch {
public:
  Batch(std::vector<Sphere> &spheres, const AmplitudeFunction &amplitude,
        const CurveOptions &options, std::int64_t all)
      : spheres(spheres), amplitude(amplitude), options(options), all(all) {
    points.kind = Grid::Kind::Points;
  }

  void add(std::size_t sphere, const Direction &direction, bool isPartner) {
    for (std::size_t k = 0; k < 3; ++k)
      points.axes[k].re.push_back(spheres[sphere].k * direction.at[k]);
    shares.push_back({sphere, direction.weight, isPartner});
    if (static_cast<std::int64_t>(shares.size()) >= options.batch)
      evaluate();
  }

  void evaluate() {
    if (options.progress)
      options.progress(done, all);
    if (shares.empty())
      return;
    const Amplitudes a = amplitude(points);
    if (a.f.size() != shares.size())
      throw Error("curve", fmt::format("F has {} values for {} q", a.f.size(), shares.size()), "",
                  Exit::Failed);
    for (std::size_t i = 0; i < shares.size(); ++i) {
      Sphere &sphere = spheres[shares[i].sphere];
      const double value = std::norm(a.f[i]);
      if (!std::isfinite(value))
        throw Error("curve", fmt::format("F is not finite at |q| = {} nm^-1", sphere.k),
                    sphere.k == 0 ? "begin the curve above 0, or use a kernel with an origin"
                                  : "is q in nm^-1 and the mesh in nm?",
                    Exit::Failed);
      (shares[i].isPartner ? sphere.partner : sphere.sum) += shares[i].weight * value;
      sphere.error = std::max(sphere.error, a.error);
    }
    done += static_cast<std::int64_t>(shares.size());
    shares.clear();
    for (Axis &axis : points.axes)
      axis.re.clear();
  }

private:
  struct Share {
    std::size_t sphere;
    double weight;
    bool isPartner;
  };
  std::vector<Sphere> &spheres;
  const AmplitudeFunction &amplitude;
  const CurveOptions &options;
  std::int64_t all, done = 0;
  Grid points;
  std::vector<Share> shares;
};

/// |<|F|^2> - truth|: the rule's, and what an error e of F does: |F + e|^2 - |F|^2 is within
/// 2 |F| e + e^2, and its average within 2 sqrt(<|F|^2>) e + e^2 (Cauchy and Schwarz).
double errorOf(const Sphere &sphere) {
  const auto mean = static_cast<double>(sphere.sum);
  return std::abs(static_cast<double>(sphere.sum - sphere.partner)) +
         sphere.error * (2 * std::sqrt(mean) + sphere.error) +
         4 * std::numeric_limits<double>::epsilon() * mean;
}
} // namespace

std::int64_t curvePoints(const std::vector<double> &q, const CurveOptions &options) {
  std::int64_t points = 0;
  for (const Sphere &sphere : spheresOf(q, options))
    points += Rules::both(sphere.order, options);
  return points;
}

Curve averagedCurve(const std::vector<double> &q, const AmplitudeFunction &amplitude,
                    const CurveOptions &options) {
  std::vector<Sphere> spheres = spheresOf(q, options);
  Batch batch(spheres, amplitude, options, curvePoints(q, options));
  for (std::size_t begin = 0, end = 0; begin < spheres.size(); begin = end) {
    const Rules rules(spheres[begin].order, options);
    for (; end < spheres.size() && spheres[end].order == spheres[begin].order; ++end) {
      for (const Direction &direction : rules.rule)
        batch.add(end, direction, false);
      for (const Direction &direction : rules.partner)
        batch.add(end, direction, true);
    }
    batch.evaluate();
  }
  if (options.progress)
    batch.evaluate(); // all done
  Curve curve;
  curve.q = q;
  curve.intensity.assign(q.size(), 0);
  curve.deviation.assign(q.size(), 0);
  curve.directions.assign(q.size(), 0);
  for (const Sphere &sphere : spheres) {
    curve.intensity[sphere.at] += sphere.weight * static_cast<double>(sphere.sum);
    curve.deviation[sphere.at] += sphere.weight * errorOf(sphere);
    curve.directions[sphere.at] =
        std::max(curve.directions[sphere.at], Rules::count(sphere.order, options));
  }
  double scale = options.factor;
  if (options.volume > 0)
    scale /= options.volume * (options.sizes.empty() ? 1 : meanCube(options.sizes));
  for (std::size_t i = 0; i < q.size(); ++i) {
    curve.intensity[i] *= scale;
    curve.deviation[i] *= std::abs(scale);
  }
  return curve;
}

double halfExtent(const Mesh &mesh) {
  const Vec3 middle = centre(mesh);
  double square = -1;
  eachPlace(mesh, [&](const Vec3 &p) {
    double sum = 0;
    for (std::size_t k = 0; k < 3; ++k)
      sum += (p[k] - middle[k]) * (p[k] - middle[k]);
    square = std::max(square, sum);
  });
  if (square < 0)
    throw Error(mesh.name.empty() ? "mesh" : mesh.name,
                "its records have no place, so that its extent is not known",
                "give the radius of the particle");
  return std::sqrt(square);
}

double absoluteFactor(double volumeFraction, double contrast) {
  return 1e7 * volumeFraction * contrast * contrast;
}

} // namespace facet::runtime
