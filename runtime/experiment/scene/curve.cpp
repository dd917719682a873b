// curve.cpp - the averaged curve I(|q|) of an experiment.
#include "runtime/experiment/scene/curve.h"
#include "runtime/experiment/average/curve.h"
#include "runtime/experiment/physics/dwba.h"
#include "runtime/experiment/scene/bodies.h"
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
  const Particle &p = sceneOf(e).particles[0];
  curve.quantity = "|F|^2";
  if (!e.fUnit.empty())
    curve.unit = e.fUnit == "nm^3" ? "nm^6" : fmt::format("({})^2", e.fUnit);
  if (!p.delta)
    return;
  const double k = 2 * std::numbers::pi / sceneOf(e).wavelength;
  const double density = std::abs(contrast(Medium{}, k, *p.delta, p.beta));
  options.factor = density * density;
  curve.quantity = "dsigma/dOmega";
  curve.unit = "nm^2";
  if (!p.density)
    return;
  options.factor = absoluteFactor(*p.density, density);
  options.volume = std::abs(inspect(mesh).volume);
  curve.quantity = "dSigma/dOmega";
  curve.unit = "1/cm";
}

} // namespace

CurveResult computeCurve(const Experiment &e, const SceneHost &host) {
  const Particle &p = sceneOf(e).particles[0];
  CurveResult result;
  std::int64_t dropped = 0;
  const Mesh mesh = meshOf(p, &dropped);
  const Axis q = parseAxis(sceneOf(e).curve);
  if (q.isComplex() || std::any_of(q.re.begin(), q.re.end(), [](double v) { return !(v >= 0); }))
    throw Error("grid", "q of a curve is a length: real and not below 0");
  CurveOptions options;
  Curve scale;
  options.radius = halfExtent(mesh);
  if (p.size)
    options.sizes = sizesOf({p.size->type, p.size->width, p.size->points, p.size->nsigmas});
  setScale(e, mesh, options, scale);
  options.batch = mostPoints;
  if (!e.memory.empty())
    options.batch = std::clamp<std::int64_t>(
        static_cast<std::int64_t>(parseBytes(e.memory) / room / bytesOfAPoint), 1024, mostPoints);
  const auto records = static_cast<double>(mesh.size());
  options.progress = [&](std::int64_t done, std::int64_t all) {
    if (host.progress)
      host.progress(static_cast<double>(done) * records, static_cast<double>(all) * records);
  };
  result.curve = averagedCurve(
      q.re,
      [&](const Grid &points) {
        const Kernel kernel = host.kernel(points);
        result.kernelName = kernel->name;
        const PlanOptions options = host.options(kernel);
        Plan plan(kernel, points, mesh, options);
        const Measured measured = executeToContract(plan, options.params, host.say);
        Amplitudes a{plan.values(), 0};
        double largest = 0;
        for (const auto &f : a.f)
          largest = std::max(largest, std::abs(f));
        a.error = measured.error * largest;
        Evaluations &all = result.evaluations;
        all.add(measured);
        ++all.count;
        all.seconds += plan.seconds();
        all.tqp += plan.tqp();
        all.repaired += plan.repaired();
        all.threads = plan.threads();
        all.how = fmt::format("{}, {}", name(plan.choice()), plan.variant().target);
        return a;
      },
      options);
  result.curve.quantity = scale.quantity;
  result.curve.unit = scale.unit;
  result.curve.title = e.title;
  return result;
}

} // namespace facet::runtime
