// how_to_derive.cpp - cotangents checked; the kernel that is differentiated, and what of a scene
// keys need; units of derivatives.
#include "runtime/scattering/derive/how_to_derive.h"
#include "runtime/engine/kernel/inside.h"
#include "runtime/engine/system/budget.h"
#include "runtime/engine/system/text.h"
#include <algorithm>
#include <cmath>
#include <facet/runtime/error.h>
#include <filesystem>
#include <fmt/format.h>

namespace facet::runtime {

void checkCotangent(const std::vector<std::vector<double>> &cotangent,
                    const std::vector<SimulatedImage> &images) {
  const std::string help = "give dL by each number of the images, 0 where it does not count";
  if (cotangent.size() != images.size())
    throw Error("the cotangent",
                fmt::format("is of {}, and there are {}", plural(std::ssize(cotangent), "image"),
                            images.size()),
                help);
  for (std::size_t i = 0; i < images.size(); ++i) {
    const std::vector<double> &values = images[i].intensity, &by = cotangent[i];
    if (by.size() != values.size())
      throw Error("the cotangent",
                  fmt::format("has {} numbers for '{}', which has {}", by.size(), images[i].name,
                              values.size()),
                  help);
    for (std::size_t k = 0; k < by.size(); ++k)
      if (!std::isfinite(by[k]) && !std::isnan(values[k]))
        throw Error("the cotangent",
                    fmt::format("number {} for '{}' is not finite", k, images[i].name), help);
  }
}

namespace {
/// Calls with each intensity of a unit's rows of a curve, the value it counts in, and its weight
/// there. Intensities of the rule that states the error count for nothing.
template <class Use> void eachOfCurve(const SceneProblem &problem, const SceneUnit &unit, Use use) {
  const Pixels &pixels = problem.pixels(unit.image);
  const std::int64_t columns = pixels.columns(), parts = pixels.rowsOfSphere();
  const Band &band = *pixels.band();
  for (std::int64_t row = unit.begin; row < unit.end; ++row) {
    const Sphere &sphere = band.spheres[static_cast<std::size_t>(row / parts)];
    const std::int64_t begin = row % parts * columns;
    for (std::int64_t i = begin; i < std::min(begin + columns, band.directions()); ++i)
      use(static_cast<std::size_t>((row - unit.begin) * columns + i - begin), sphere.at,
          sphere.weight * band.weight(i));
  }
}
} // namespace

std::vector<double> cotangentOfRows(const SceneProblem &problem, const SceneUnit &unit,
                                    const std::vector<std::vector<double>> &cotangent) {
  const std::int64_t columns = problem.pixels(unit.image).columns();
  if (!problem.isCurve()) {
    const auto first = cotangent[unit.image].begin() + unit.begin * columns;
    return {first, first + (unit.end - unit.begin) * columns};
  }
  std::vector<double> rows(static_cast<std::size_t>((unit.end - unit.begin) * columns));
  const CurveResolution *smearing = problem.layout.curve->smearing.get();
  const std::vector<double> by = smearing != nullptr ? smearing->pull(cotangent[0]) : cotangent[0];
  eachOfCurve(problem, unit, [&](std::size_t pixel, std::size_t value, double weight) {
    rows[pixel] = by[value] * weight;
  });
  return rows;
}

SlopesOfImages::SlopesOfImages(const SceneProblem &problem,
                               const std::vector<SimulatedImage> &images, std::size_t directions,
                               std::size_t units)
    : problem_(problem), ofUnits_(problem.isCurve() ? units : 0) {
  const std::size_t beams = std::max<std::size_t>(problem.layout.beams.size(), 1);
  for (const SimulatedImage &image : images)
    none_.insert(none_.end(), beams,
                 std::vector<double>(smearing() != nullptr ? smearing()->at().size()
                                                           : image.intensity.size()));
  all_.assign(directions, none_);
}

void SlopesOfImages::add(std::size_t number, const SceneUnit &unit,
                         const std::vector<std::vector<double>> &rows) {
  const std::int64_t first = unit.begin * problem_.pixels(unit.image).columns();
  for (std::size_t d = 0; d < all_.size(); ++d) {
    if (!problem_.isCurve()) {
      std::ranges::copy(rows[d], all_[d][unit.image].begin() + first);
      continue;
    }
    std::vector<double> &values = ofUnits_[number].emplace_back(none_[0]);
    eachOfCurve(problem_, unit, [&](std::size_t pixel, std::size_t value, double weight) {
      values[value] += rows[d][pixel] * weight;
    });
  }
}

std::vector<SlopesOfImages::Images> SlopesOfImages::take() {
  for (const auto &unit : ofUnits_)
    for (std::size_t d = 0; d < all_.size(); ++d)
      for (std::size_t i = 0; i < unit[d].size(); ++i)
        all_[d][0][i] += unit[d][i];
  for (Images &of : all_)
    if (smearing() != nullptr)
      of[0] = smearing()->of(of[0]);
    else if (problem_.layout.blurs())
      of = recordedOf(problem_.layout, of);
  return std::move(all_);
}

KernelSource kernelSource(const Experiment &e) {
  const auto [spec, name] = splitKernel(e.kernel);
  KernelSource from;
  from.file = findKernel(spec);
  if (std::filesystem::path(from.file).extension() == ".so")
    throw Error(e.kernel, "a library cannot be differentiated", "give the kernel's file");
  from.options.kernel = name;
  // Experiments keep many adjoints, each with queues of its own: on the CPU.
  from.options.target = isDeviceTarget(targetsFor(e.target).back()) ? bestTarget() : e.target;
  from.options.threads = 1; // a unit has one
  from.options.accuracy = e.accuracy;
  if (e.algorithm == "direct" || e.algorithm == "nufft") // of derivatives there is no third
    from.options.algorithm = algorithmByName(e.algorithm);
  return from;
}

void checkCorners(const SceneProblem &problem) {
  if (problem.decoupled()) // the middle that amplitudes are about moves with corners
    throw Error("arrangement.approximation",
                "no derivative by corners or lengths of a shape is made through decoupling",
                "take differences, or leave out approximation");
  if (!problem.experiment.directions.whole())
    throw Error("directions",
                "are enough for the body as it is: a corner that moves alone breaks its symmetry, "
                "and derivatives by corners need the whole sphere",
                "leave out directions in [grid]");
}

void checkSymmetries(const Kernel &kernel, const SceneProblem &problem, const GradientKeys &keys) {
  const auto parameters = keys.parameters(*kernel);
  if (!problem.isCurve() || parameters.empty())
    return;
  const SceneMesh &mesh = problem.bodies.bodies[0].mesh;
  const std::vector<double> params = kernel.parameters(problem.experiment.parameters);
  const auto at = [&](const std::vector<double> &p) {
    return symmetriesOf(kernel, *mesh.blocks, p, mesh.summary.farthest);
  };
  const Symmetries here = at(params);
  const auto holds = [&](const Symmetries &there) {
    const bool finite = there.mirrored || there.turns || there.power; // else there is no F
    return !finite || ((there.mirrored || !here.mirrored) && (there.turns || !here.turns) &&
                       (!problem.layout.curve->power || there.power == here.power));
  };
  std::size_t number = 0;
  for (int k = 0; k < kernel->parameter_count; ++k)
    for (int n = numberCount(kernel->parameters[k]); n > 0; --n, ++number)
      for (const double by : {-0.1, 0.1}) {
        std::vector<double> moved = params;
        moved[number] += by * std::max(1.0, std::abs(moved[number]));
        if (parameters.contains({kernel->parameters[k].name, 0}) && !holds(at(moved)))
          throw Error(fmt::format("parameters.{}", kernel->parameters[k].name),
                      "the curve is made by a symmetry that this parameter breaks: it holds at "
                      "its present value alone, and derivatives would be as if it did elsewhere",
                      "give it a value beside that, 1e-6 for 0");
      }
}

SceneAdjoint::Options adjointOptions(const Experiment &e, const GradientKeys &keys, bool corners,
                                     const facet_kernel_description *kernel) {
  using Needs = GradientKeys::Needs;
  SceneAdjoint::Options options;
  keys.checkCorners();
  options.kernel = kernelSource(e);
  options.corners = corners || keys.moveCorners();
  options.places = options.corners || keys.need(Needs::Places);
  if (kernel != nullptr)
    options.parameters = keys.parameters(*kernel);
  options.waves = keys.waves();
  return options;
}

namespace {
/// `most`: q of a unit; `least`: units of all images.
void setRows(const SceneProblem &problem, double most, double least, SceneDecision &decision) {
  for (std::size_t i = 0; i < problem.way.size(); ++i) {
    const double share = least / static_cast<double>(problem.way.size());
    const double rows =
        std::min(most / problem.rowOf(i), static_cast<double>(problem.pixels(i).rows()) / share);
    decision.ways[problem.way[i]].rows = std::max<std::int64_t>(1, std::llround(std::ceil(rows)));
  }
}
} // namespace

SceneDecision withLargeUnits(const SceneProblem &problem, SceneDecision large, double memory) {
  constexpr double most = 1 << 20, least = 4; // q, units
  const double room = bytes::shareOfKept * memory /
                      (bytes::ofPlannedQ * static_cast<double>(problem.bodies.bodies.size()));
  setRows(problem, std::min(most, room), least, large);
  return large;
}

double sharedUnit(double q, double records) {
  constexpr double most = 1 << 20;
  return std::min(std::max(q / 16, std::min(2 * records, q / 4)), most);
}

SceneDecision withSharedUnits(const SceneProblem &problem, SceneDecision shared) {
  double q = 0, records = 0;
  for (std::size_t i = 0; i < problem.way.size(); ++i)
    q += problem.rowOf(i) * static_cast<double>(problem.pixels(i).rows());
  for (const Body &body : problem.bodies.bodies)
    records = std::max(records, static_cast<double>(body.mesh.blocks->size()));
  setRows(problem, sharedUnit(q, records), static_cast<double>(problem.way.size()), shared);
  for (SceneDecision::Incidence &way : shared.ways)
    way.blocks = 0;
  return shared;
}

} // namespace facet::runtime
