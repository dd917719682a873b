// grid_derivatives.cpp - the adjoint of a kernel on one grid, box by box of the result.
#include "runtime/app/jobs/grid_derivatives.h"
#include "runtime/engine/records/geometry.h"
#include "runtime/engine/store/layout.h"
#include "runtime/engine/system/units.h"
#include "runtime/scattering/derive/how_to_derive.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <iterator>

namespace facet::cli {
using namespace facet::runtime;
namespace {

using Values = std::vector<std::complex<double>>;

/// The image, or curve, or volume of |F|^2.
std::vector<Observation::Image> imageOf(const Kernel &kernel, const Grid &grid) {
  const auto outputs = outputsOf(*kernel);
  if (outputs.size() != 1 || *outputs[0].name != 0)
    throw Error(std::string("kernel ") + kernel->name,
                "has outputs with names, and observed is one intensity, |F|^2",
                "give a kernel whose finish returns one number");
  const nexus::File file = tiledFile(grid, "", "").file;
  return {{file.groups[1].name, file.groups[1].signals[0].shape, file.groups[0].numbers}};
}

Extents boxOf(const Grid &grid, double records) {
  CutRules rules;
  if (isImage(grid))
    rules.unit[0] = grid.imageColumns;
  const double q = sharedUnit(static_cast<double>(grid.size()), records);
  return halved(grid.extents(), rules, std::max<std::int64_t>(1, std::llround(q)), 1);
}

/// The mesh as its file or shape has it: derivatives are by its vertices.
Mesh unturned(const Experiment &e, const Mesh &turned) {
  if (!e.particles[0].orientation.fixed())
    return turned;
  Particle particle = e.particles[0];
  particle.orientation = {};
  return makeMesh(particle);
}

} // namespace

GridDerivatives::GridDerivatives(const JobOptions &how, Inputs of, int threads, double memory)
    : Derivatives(how, imageOf(of.kernel, of.grid),
                  of.experiment.fUnit.empty() ? "" : toPower(of.experiment.fUnit, 2), threads,
                  memory),
      of_(std::move(of)),
      units_(of_.grid.extents(),
             boxOf(of_.grid, of_.mesh ? static_cast<double>(of_.mesh->size()) : 0)),
      from_(kernelSource(of_.experiment)) {
  if (!of_.mesh)
    throw tooLarge(of_.experiment.particles[0].mesh);
  addMesh(0, unturned(of_.experiment, *of_.mesh));
  numbers_ = 9 * of_.mesh->size() + 1;
  largestUnit_ = static_cast<double>(units_.at(0).size());
  for (std::int64_t k = 0; k < units_.count(); ++k)
    work_.push_back(static_cast<double>(units_.at(k).size() * of_.mesh->size()));
  from_.options.calls = static_cast<double>(units_.count());
  from_.options.speed = assumedSpeed;
  options_ = from_.options;
  options_.target = of_.experiment.target;
  const ObservedPixels inFile = observed().read(0, 0, of_.grid.size());
  const PictureLayout layout = layoutOf(of_.grid);
  pixels_ = inFile;
  for (std::int64_t k = 0; k < of_.grid.size() && layout.view == View::Image; ++k) {
    const auto at = static_cast<std::size_t>(layout.index(k / layout.columns, k % layout.columns));
    pixels_.intensity[at] = inFile.intensity[static_cast<std::size_t>(k)];
    pixels_.weights[at] = inFile.weights[static_cast<std::size_t>(k)];
  }
}

Gradient GridDerivatives::ofFew() const {
  return {from_.file, unitGrid(of_.grid, {{}, {1, 1, 1}}), thinned(*blocksOf(of_.mesh), 16),
          options_};
}

void GridDerivatives::take(const Decision &decision) {
  options_ = from_.options;
  if (!isDeviceTarget(decision.target))
    options_.target = decision.target;
  else if (cardOf(options_.algorithm.value_or(decision.algorithm)).scheduled &&
           cardOf(decision.algorithm).scheduled) {
    // Sums on the device were faster than transforms by all threads of the CPU, or were requested.
    options_.target = decision.target;
    options_.algorithm = FACET_DIRECT;
  }
  onDevice_ = isDeviceTarget(options_.target);
}

/// dL / d(conj F) at the q of a box.
Values GridDerivatives::cotangent(const TiledResult &result, const Box &box, Misfit &misfit) const {
  Values f(static_cast<std::size_t>(box.size()));
  of_.units->read(result, 0, box, f.data(), 0);
  ObservedPixels here;
  std::vector<double> intensity, slope;
  const Extents n = of_.grid.extents();
  for (std::int64_t x = box.begin[0]; x < box.end[0]; ++x)
    for (std::int64_t y = box.begin[1]; y < box.end[1]; ++y)
      for (std::int64_t z = box.begin[2]; z < box.end[2]; ++z) {
        const auto at = static_cast<std::size_t>((x * n[1] + y) * n[2] + z);
        here.intensity.push_back(pixels_.intensity[at]);
        here.weights.push_back(pixels_.weights[at]);
      }
  std::ranges::transform(f, std::back_inserter(intensity),
                         [](const std::complex<double> &z) { return std::norm(z); });
  here.compare(intensity, slope, misfit);
  std::ranges::transform(slope, f, f.begin(), [](double by, const std::complex<double> &z) {
    return by == 0 ? 0 : by * z; // F may be NaN at q = 0, which does not count
  });
  return f;
}

Derivatives::Sum GridDerivatives::sum(const Attempt &attempt, const std::atomic<bool> *leave) {
  GradientOptions options = options_;
  options.leave = leave;
  // While this Gradient lives, its libraries stay loaded: a device compiles their sums only once.
  const auto kept = onDevice_ ? std::make_shared<const Gradient>(ofFew()) : nullptr;
  return [this, &attempt, options, kept](std::int64_t k, Misfit &misfit) {
    const Box box = units_.at(k);
    const Values by = cotangent(attempt.result, box, misfit);
    std::vector<double> numbers(static_cast<std::size_t>(numbers_));
    if (std::ranges::all_of(by, [](const std::complex<double> &g) { return g == 0.0; }))
      return numbers;
    Gradient gradient(from_.file, unitGrid(of_.grid, box), *of_.mesh, options);
    auto to = numbers.begin();
    for (const auto &triangle : gradient.corners(by, of_.params))
      for (const Vec3 &corner : triangle)
        to = std::ranges::copy(corner, to).out;
    *to = gradient.last().error;
    return numbers;
  };
}

Derivatives::MisfitGradient
GridDerivatives::make(const std::function<std::vector<double>(std::int64_t unit)> &each) {
  MisfitGradient made;
  made.device = onDevice_ ? options_.target : "";
  Corners &corners = made.corners.emplace_back(static_cast<std::size_t>(of_.mesh->size()));
  for (std::int64_t k = 0; k < units_.count(); ++k) {
    const std::vector<double> numbers = each(k);
    auto from = numbers.begin();
    for (auto &triangle : corners)
      for (Vec3 &corner : triangle)
        for (double &number : corner)
          number += *from++;
    made.error = std::max(made.error, *from);
  }
  const Orientations &turned = of_.experiment.particles[0].orientation;
  if (!turned.fixed()) // L depends on R v: dL/dv = R^T dL/d(R v)
    return made;
  const auto r = eulerZyz(turned.euler[0]);
  for (auto &triangle : corners)
    for (Vec3 &corner : triangle) {
      const Vec3 by = corner;
      for (std::size_t k = 0; k < 3; ++k)
        corner[k] = r[k] * by[0] + r[3 + k] * by[1] + r[6 + k] * by[2];
    }
  return made;
}

} // namespace facet::cli
