// remarks.cpp - slips of units and of names; sizes beside steps of q; the rule of the kernel.
#include "runtime/scattering/scene/remarks.h"
#include "runtime/engine/records/geometry.h"
#include "runtime/engine/system/text.h"
#include "runtime/scattering/sample/sizes.h"
#include <algorithm>
#include <cmath>
#include <facet/runtime/error.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <numbers>

namespace facet::runtime {
namespace {

constexpr std::size_t picture = 16; // values of an axis that is looked at as a whole

std::vector<Remark> remarksOnBeam(const Experiment &e) {
  constexpr double longest = 10, shortest = 0.01; // nm
  constexpr double leastAngle = 0.01;             // degrees
  constexpr double mostPixel = 0.01;              // m
  std::vector<Remark> remarks;
  if (const double w = e.wavelength; w > 0 && (w > longest || w < shortest))
    remarks.push_back({fmt::format("the wavelength is {:.4g} nm, an energy of {:.4g} eV of photons",
                                   w, 1239.841984332 / w),
                       "wavelength is in nm, energy in eV (11 keV is energy = 11000)"});
  for (const double angle : e.alphaI)
    if (angle < leastAngle)
      remarks.push_back(
          {fmt::format("alpha_i is {:.3g} degrees", angle), "it is in degrees, not in radians"});
  if (!e.detector)
    return remarks;
  const Detector &d = *e.detector;
  if (const double pixel = std::max(d.pixel1, d.pixel2); pixel > mostPixel)
    remarks.push_back({fmt::format("a pixel of the detector is {:.3g} m large", pixel),
                       "pixel_size is in m: 172e-6 is 172 micrometres"});
  if (d.distance > 1000 || d.distance < 1e-3)
    remarks.push_back(
        {fmt::format("the detector is {:.3g} m away", d.distance), "distance is in m"});
  return remarks;
}

std::optional<Remark> remarkOnDelta(const std::string &name, double delta) {
  constexpr double most = 0.01; // of X-rays it is some 1e-5
  if (delta <= most)
    return std::nullopt;
  return Remark{fmt::format("{}: delta is {:.3g}", name, delta),
                "n = 1 - delta + i beta, with delta near 1e-5 for X-rays: it is no density and no "
                "delta times 1e6"};
}

std::vector<Remark> remarksOnSample(const Experiment &e) {
  constexpr double widest = 1; // of the centre
  std::vector<Remark> remarks;
  const auto add = [&](std::optional<Remark> remark) {
    if (remark)
      remarks.push_back(std::move(*remark));
  };
  for (const Layer &layer : e.layers)
    add(remarkOnDelta(fmt::format("layer '{}'", layer.name), layer.delta));
  for (const Particle &p : e.particles) {
    add(remarkOnDelta("particle", p.delta.value_or(0)));
    if (p.size && p.size->width > widest)
      add(Remark{fmt::format("the width of size is {:.3g}", p.size->width),
                 "it is a fraction of the size, 0.1 for 10%, and neither nm nor percent"});
    if (p.size)
      add(remarkOn(*p.size));
  }
  return remarks;
}

/// The median of the steps: axes may be logarithmic.
double stepOf(const std::vector<double> &values) {
  if (values.size() < picture)
    return 0;
  std::vector<double> steps(values.size() - 1);
  for (std::size_t i = 0; i < steps.size(); ++i)
    steps[i] = std::abs(values[i + 1] - values[i]);
  const auto middle = steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2);
  std::nth_element(steps.begin(), middle, steps.end());
  return *middle;
}

Vec3 stepsOf(const Grid &grid) {
  Vec3 steps{};
  if (grid.kind == Grid::Kind::Product)
    for (std::size_t k = 0; k < 3; ++k)
      steps[k] = stepOf(grid.axes[k].re);
  return steps;
}

/// Steps from the middle pixel to the next row and column: along z, and across it.
Vec3 stepsOf(const Pixels &pixels) {
  const std::int64_t r = pixels.rows() / 2, c = pixels.columns() / 2;
  const auto many = static_cast<std::int64_t>(picture);
  const std::array<double, 3> q = pixels.at(r, c).q;
  Vec3 steps{};
  if (pixels.rows() >= many)
    steps[2] = std::abs(pixels.at(r - 1, c).q[2] - q[2]);
  if (pixels.columns() >= many) {
    const std::array<double, 3> next = pixels.at(r, c - 1).q;
    steps[1] = std::hypot(next[0] - q[0], next[1] - q[1]);
  }
  return steps;
}

std::optional<Remark> remarkOnExtent(const std::string &name, double largest) {
  constexpr double most = 1e5, least = 0.1; // nm
  if (largest <= most && largest >= least)
    return std::nullopt;
  return Remark{
      fmt::format("{}: is {:.3g} nm large", name, largest),
      "is the unit of its lengths right? facet takes nm where --unit or unit says nothing else"};
}

Sizes sizesOf(const std::string &name, const MeshSummary &mesh, const Vec3 &steps, bool sharp) {
  const Vec3 extent = mesh.high - mesh.low;
  Sizes sizes{fmt::format("{:.4g} x {:.4g} x {:.4g} nm", extent[0], extent[1], extent[2]), {}};
  if (auto remark = remarkOnExtent(name, *std::max_element(extent.begin(), extent.end())))
    sizes.remarks.push_back(std::move(*remark));
  std::vector<std::string> stepTexts, fringeTexts;
  for (std::size_t k = 0; k < 3; ++k) {
    if (steps[k] <= 0 || extent[k] <= 0)
      continue;
    const double fringe = 2 * std::numbers::pi / extent[k];
    stepTexts.push_back(fmt::format("{:.3g} ({})", steps[k], "xyz"[k]));
    fringeTexts.push_back(fmt::format("{:.3g}", fringe));
    if (sharp && steps[k] > fringe / 2)
      sizes.remarks.push_back(
          {fmt::format("steps of q.{} are {:.3g} nm^-1, fringes of {} are {:.3g} nm^-1 apart: "
                       "what is between the values is lost",
                       "xyz"[k], steps[k], name, fringe),
           fmt::format("take {:.0f} times as many values, or look at the units of both",
                       std::ceil(2 * steps[k] / fringe))});
  }
  if (!stepTexts.empty())
    sizes.text += fmt::format("; steps of q {} of fringes {} nm^-1", fmt::join(stepTexts, ", "),
                              fmt::join(fringeTexts, ", "));
  sizes.text += "; " + measuresOf(mesh);
  return sizes;
}

} // namespace

std::vector<Remark> remarksOn(const Experiment &e) {
  std::vector<Remark> remarks = remarksOnBeam(e);
  for (Remark &remark : remarksOnSample(e))
    remarks.push_back(std::move(remark));
  return remarks;
}

std::vector<Remark> remarksOn(const Kernel &kernel, const std::map<std::string, double> &columns) {
  std::vector<std::string> read;
  for (int c = 0; c < kernel->column_count; ++c)
    read.emplace_back(kernel->columns[c]);
  std::vector<Remark> remarks;
  for (const auto &[name, value] : columns) {
    if (std::ranges::find(read, name) != read.end())
      continue;
    const std::string near = nearest(name, read);
    remarks.push_back(
        {fmt::format("column '{}' is given, and kernel {} does not read it", name, kernel->name),
         near.empty() ? fmt::format("it reads {}", fmt::join(read, ", "))
                      : fmt::format("did you mean '{}'?", near)});
  }
  return remarks;
}

namespace {

/// On q.z whose imaginary part is below 0.
std::optional<Remark> remarkOnGrowth(const Grid &grid) {
  const std::vector<double> &im = grid.axes[2].im;
  const auto growing = std::ranges::count_if(im, [](double v) { return v < 0; });
  if (growing == 0)
    return std::nullopt;
  return Remark{fmt::format("Im q.z is below 0 in {} of {} values, to {:.3g} nm^-1: waves grow "
                            "with z",
                            growing, im.size(), *std::ranges::min_element(im)),
                "waves are exp(i q.r): absorption is Im q.z above 0"};
}

} // namespace

std::optional<Remark> remarkOnCounts(const SceneLayout &layout, double largest, double photons) {
  largest /= photons;
  if (layout.unit != "1" || !(largest > 1))
    return std::nullopt;
  return Remark{
      fmt::format("a pixel counts {:.3g} for one photon of the beam", largest),
      "no more than one can be: is density particles a nm^2 (1 a um^2 is 1e-6), are delta "
      "and lengths in their units?"};
}

std::string measuresOf(const MeshSummary &mesh) {
  const std::string surface = fmt::format("surface {:.6g} nm^2", mesh.area);
  return mesh.closed() ? fmt::format("{}, volume {:.6g} nm^3", surface, std::abs(mesh.volume))
                       : surface;
}

Sizes sizesOf(const SceneMesh &mesh, const Grid &grid) {
  const MeshSummary &s = mesh.summary;
  Sizes sizes = s.surface ? sizesOf(mesh.name, s, stepsOf(grid), true) : Sizes();
  if (auto remark = remarkOnGrowth(grid))
    sizes.remarks.push_back(std::move(*remark));
  return sizes;
}

namespace {

/// For images: the stated error of a curve holds such sizes.
std::optional<Remark> remarkOnSizes(const SizeSpread &spread, double qRadius) {
  constexpr double little = 0.01;
  const std::vector<Size> sizes = sizesOf(spread, qRadius);
  const double share = shareApart(sizes, qRadius);
  if (sizes.size() < 2 || share < little)
    return std::nullopt;
  return Remark{fmt::format("{} sizes are few where |q| R is {:.0f}: {:.2g} of the intensity there "
                            "is of sizes between which |F| turns from bright to dark",
                            sizes.size(), qRadius, share),
                "take images of smaller |q|, or a smaller width; see I_errors"};
}

} // namespace

std::vector<Sizes> sizesOf(const SceneProblem &problem) {
  std::vector<Sizes> all;
  if (problem.isCurve())
    return all;
  const Vec3 steps = stepsOf(problem.pixels(0));
  for (const Body *particle : problem.bodies.ofParticles()) {
    const Body &body = *particle;
    const MeshSummary &s = body.mesh.summary;
    if (!s.surface)
      continue;
    // A body that is turned, sized or averaged has other fringes, or none.
    const Pose &pose = body.poses[0];
    const bool asItIs = body.poses.size() == 1 && pose.rotation == noRotation && pose.scale == 1;
    Sizes &sizes = all.emplace_back(sizesOf(body.name, s, steps, asItIs));
    sizes.text = body.name + ": " + sizes.text;
    if (const auto &spread = problem.experiment.particles[body.particle].size)
      if (auto remark = remarkOnSizes(*spread, problem.reach.all * s.farthest))
        sizes.remarks.push_back(*remark);
  }
  return all;
}

Grid someOf(const SceneProblem &problem) {
  const Pixels &pixels = problem.pixels(0);
  Grid some;
  some.kind = Grid::Kind::Points;
  const std::int64_t all = pixels.rows() * pixels.columns(), step = all / 997 + 1;
  for (std::int64_t i = 0; i < all; i += step) {
    const PixelView look = pixels.at(i / pixels.columns(), i % pixels.columns());
    for (std::size_t k = 0; k < 3 && !look.behind; ++k)
      some.axes[k].re.push_back(look.q[k]);
  }
  return some;
}

RuleError ruleOf(const Kernel &kernel, const std::vector<SceneMesh> &meshes,
                 const std::vector<double> &params, const Grid &grid, std::uint64_t seed,
                 int threads) {
  constexpr std::size_t most = 4; // meshes that are looked at
  RuleError worst;
  if (grid.size() == 0)
    return worst;
  for (std::size_t i = 0; i < std::min(most, meshes.size()); ++i) {
    const SceneMesh &mesh = meshes[i];
    const RuleError one = ruleError(kernel, mesh.blocks, mesh.block, params, grid, seed, threads);
    if (i == 0 || one.median > worst.median)
      worst = one;
  }
  return worst;
}

} // namespace facet::runtime
