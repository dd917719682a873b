// curve.cpp - the averaged curve I(|q|) of an experiment.
#include "runtime/experiment/scene/curve.h"
#include "runtime/experiment/average/curve.h"
#include "runtime/experiment/physics/dwba.h"
#include "runtime/experiment/scene/answers.h"
#include "runtime/experiment/scene/bodies.h"
#include "runtime/plan/inside.h"
#include <algorithm>
#include <cmath>
#include <facet/runtime/error.h>
#include <fmt/format.h>
#include <numbers>

namespace facet::runtime {
namespace {

constexpr std::int64_t mostPoints = 1 << 20, bytesOfAPoint = 200, room = 4;

/// What multiplies |F|^2, by which volume it is divided, and what comes out.
void setScale(const Experiment &e, const Mesh &mesh, CurveOptions &options, Curve &curve) {
  const Particle &p = e.particles[0];
  curve.quantity = "|F|^2";
  if (!e.fUnit.empty())
    curve.unit = e.fUnit == "nm^3" ? "nm^6" : fmt::format("({})^2", e.fUnit);
  if (!p.delta)
    return;
  const double k = 2 * std::numbers::pi / e.wavelength;
  const double density = std::abs(contrast(Medium{}, k, *p.delta, p.beta.value_or(0)));
  options.factor = density * density;
  curve.quantity = "dsigma/dOmega";
  curve.unit = "nm^2";
  if (!p.density)
    return;
  options.factor = absoluteFactor(*p.density, density);
  options.volume = std::abs(inspect(mesh).volume);
  if (options.volume == 0)
    throw Error(mesh.name, volumeNeeded, "leave density out: I is then of one particle");
  curve.quantity = "dSigma/dOmega";
  curve.unit = "1/cm";
}

} // namespace

namespace {

/// A curve in the making: F of the particle at a size.
class Making {
public:
  Making(const Experiment &e, const SceneHost &host, const Kernel &any, const Mesh &mesh)
      : e_(e), host_(host), mesh_(mesh), radius_(halfExtent(mesh)),
        answers_(answersOf(any, mesh, host.options(any).params, radius_)) {
    if (!answers_.turns)
      throw Error(std::string("kernel ") + any->name,
                  "a curve turns q in the place of the particle, and F is not the same where both "
                  "turn together: something in the term is of the lab",
                  "take an image, with orientation = { average = \"full\" }");
  }

  CurveResult run(const std::vector<double> &q) {
    const Particle &p = e_.particles[0];
    std::vector<Size> sizes;
    if (p.size)
      sizes = sizesOf(*p.size);
    CurveOptions options;
    options.realDensity = answers_.mirrored;
    setScale(e_, mesh_, options, scale_);
    options.batch = mostPoints;
    if (!e_.memory.empty())
      options.batch = std::clamp<std::int64_t>(
          static_cast<std::int64_t>(parseBytes(e_.memory) / room / bytesOfAPoint), 1024,
          mostPoints);
    options.progress = [&](std::int64_t done, std::int64_t all) {
      const auto records = static_cast<double>(mesh_.size());
      if (host_.progress)
        host_.progress(static_cast<double>(done) * records, static_cast<double>(all) * records);
    };
    result_.curve =
        sizes.empty() || answers_.power ? alike(q, options, sizes) : oneByOne(q, options, sizes);
    result_.curve.quantity = scale_.quantity;
    result_.curve.unit = scale_.unit;
    result_.curve.title = e_.title;
    return std::move(result_);
  }

private:
  /// All sizes from one mesh, as F_s(q) = s^d F(s q).
  Curve alike(const std::vector<double> &q, CurveOptions options, const std::vector<Size> &sizes) {
    options.radius = radius_;
    options.sizes = sizes;
    options.power = answers_.power.value_or(0);
    return averagedCurve(q, [&](const Grid &points) { return at(mesh_, points); }, options);
  }

  /// A mesh for each size.
  Curve oneByOne(const std::vector<double> &q, CurveOptions options,
                 const std::vector<Size> &sizes) {
    const double scale = options.volume > 0 ? 1 / (options.volume * meanCube(sizes)) : 1;
    options.volume = 0;
    Curve all;
    for (const Size &size : sizes) {
      const Mesh mesh = posed(mesh_, {}, size.scale, {1, 0, 0, 0, 1, 0, 0, 0, 1});
      options.radius = size.scale * radius_;
      const Curve one =
          averagedCurve(q, [&](const Grid &points) { return at(mesh, points); }, options);
      if (all.q.empty()) {
        all = one;
        all.intensity.assign(q.size(), 0);
        all.deviation.assign(q.size(), 0);
      }
      for (std::size_t i = 0; i < q.size(); ++i) {
        all.intensity[i] += scale * size.weight * one.intensity[i];
        all.deviation[i] += scale * size.weight * one.deviation[i];
        all.directions[i] = std::max(all.directions[i], one.directions[i]);
      }
    }
    return all;
  }

  Amplitudes at(const Mesh &mesh, const Grid &points) {
    const Kernel kernel = host_.kernel(points);
    result_.kernelName = kernel->name;
    const PlanOptions options = host_.options(kernel);
    Plan plan(kernel, points, mesh, options);
    const Measured measured = executeToContract(plan, options.params, host_.say);
    Amplitudes a{plan.values(), 0};
    double largest = 0;
    for (const auto &f : a.f)
      largest = std::max(largest, std::abs(f));
    a.error = measured.error * largest;
    Evaluations &all = result_.evaluations;
    all.add(measured);
    ++all.count;
    all.seconds += plan.last().seconds;
    all.tqp += plan.explain().tqp;
    all.repaired += plan.last().repaired;
    all.threads = plan.explain().threads;
    all.how = fmt::format("{}, {}", name(plan.choice()), variantOf(plan).target);
    return a;
  }

  const Experiment &e_;
  const SceneHost &host_;
  const Mesh &mesh_;
  double radius_;
  Answers answers_;
  Curve scale_;
  CurveResult result_;
};

} // namespace

CurveResult computeCurve(const Experiment &e, const SceneHost &host) {
  const Axis q = parseAxis(e.curve);
  if (q.isComplex() || std::any_of(q.re.begin(), q.re.end(), [](double v) { return !(v >= 0); }))
    throw Error("grid", "q of a curve is a length: real and not below 0");
  Particle unturned = e.particles[0];
  unturned.orientation = {};
  Mesh mesh = makeMesh(unturned);
  Grid points; // as those of the curve are
  points.kind = Grid::Kind::Points;
  for (Axis &axis : points.axes)
    axis.re = {0.1};
  const Kernel kernel = host.kernel(points);
  checkPlaces(*kernel, "averaged over orientations");
  giveRoles(mesh, rolesOf(*kernel));
  return Making(e, host, kernel, mesh).run(q.re);
}

} // namespace facet::runtime
