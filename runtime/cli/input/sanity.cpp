// sanity.cpp - sizes beside steps of q; what is wrong with a mesh; slips of units and of names.
#include "runtime/cli/input/sanity.h"
#include "runtime/files/text.h"
#include "runtime/mesh/geometry.h"
#include <algorithm>
#include <cmath>
#include <facet/runtime/error.h>
#include <fmt/format.h>
#include <numbers>

namespace facet::cli {
using namespace facet::runtime;
namespace {

constexpr std::size_t picture = 16; // values of an axis that is looked at as a whole

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

void warnOfExtent(const std::string &name, double largest) {
  constexpr double most = 1e5, least = 0.1; // nm
  if (largest > most || largest < least)
    warn(fmt::format("{}: is {:.3g} nm large", name, largest),
         "is the unit of its lengths right? facet takes nm where --unit or unit says nothing else");
}

Vec3 stepsOf(const Grid &grid) {
  Vec3 steps{};
  if (grid.kind == Grid::Kind::Product)
    for (std::size_t k = 0; k < 3; ++k)
      steps[k] = stepOf(grid.axes[k].re);
  return steps;
}

/// From the middle pixel to the next row and column; along z, and across it.
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

std::string sizesOf(const std::string &name, const Vec3 &extent, const Vec3 &steps, bool sharp) {
  warnOfExtent(name, *std::max_element(extent.begin(), extent.end()));
  std::string stepText, fringeText;
  for (std::size_t k = 0; k < 3; ++k) {
    if (steps[k] <= 0 || extent[k] <= 0)
      continue;
    const double fringe = 2 * std::numbers::pi / extent[k];
    const char *const comma = stepText.empty() ? "" : ", ";
    stepText += fmt::format("{}{:.3g} ({})", comma, steps[k], "xyz"[k]);
    fringeText += fmt::format("{}{:.3g}", comma, fringe);
    if (sharp && steps[k] > fringe / 2)
      warn(fmt::format("steps of q.{} are {:.3g} nm^-1, fringes of {} are {:.3g} nm^-1 apart: "
                       "what is between the values is lost",
                       "xyz"[k], steps[k], name, fringe),
           fmt::format("take {:.0f} times as many values, or look at the units of both",
                       std::ceil(2 * steps[k] / fringe)));
  }
  const std::string sizes =
      fmt::format("{:.4g} x {:.4g} x {:.4g} nm", extent[0], extent[1], extent[2]);
  return stepText.empty()
             ? sizes
             : fmt::format("{}; steps of q {} of fringes {} nm^-1", sizes, stepText, fringeText);
}

} // namespace

void warn(const std::string &text, const std::string &help) {
  fmt::print(stderr, "facet: warning: {}{}{}\n", text, help.empty() ? "" : "\n  help: ", help);
}

std::string sizesOf(const MeshInput &mesh, const Grid &grid) {
  const MeshSummary &s = mesh.summary;
  return s.surface ? sizesOf(mesh.name, s.high - s.low, stepsOf(grid), true) : "";
}

std::vector<std::string> sizesOf(const SceneProblem &problem) {
  const Vec3 steps = stepsOf(problem.pixels(0));
  std::vector<std::string> lines;
  for (const Body &body : problem.bodies.bodies) {
    const MeshSummary &s = body.mesh.summary;
    if (!s.surface)
      continue;
    // What is turned, sized or averaged has other fringes, or none.
    const Pose &pose = body.poses[0];
    const bool asItIs = body.poses.size() == 1 && pose.rotation == noRotation && pose.scale == 1;
    lines.push_back(body.name + ": " + sizesOf(body.name, s.high - s.low, steps, asItIs));
  }
  return lines;
}

void warnOfDropped(const std::string &mesh, std::int64_t dropped) {
  if (dropped > 0)
    warn(fmt::format("{}: {} without area skipped", mesh, plural(dropped, "triangle")));
}

void warnOfSurface(const std::string &mesh, const MeshReport &found) {
  for (const Remark &remark : remarksOn(found))
    warn(mesh + ": " + remark.text, remark.help);
}

void warnOfMesh(const Kernel &kernel, const MeshInput &input) {
  warnOfDropped(input.name, input.dropped);
  if (kernel->triangle == 0)
    return;
  if (input.mesh)
    return warnOfSurface(input.name, inspect(*input.mesh));
  const MeshSummary &all = input.summary; // knows of no edges
  MeshReport seen;
  seen.corners = false;
  seen.closed = all.closed() || !all.surface;
  seen.volume = all.volume;
  warnOfSurface(input.name, seen);
}

void warnOfBeam(const Experiment &e) {
  constexpr double longest = 10, shortest = 0.01; // nm
  constexpr double leastAngle = 0.01;             // degrees
  constexpr double mostPixel = 0.01;              // m
  if (const double w = e.wavelength; w > 0 && (w > longest || w < shortest))
    warn(fmt::format("the wavelength is {:.4g} nm, an energy of {:.4g} eV of photons", w,
                     1239.841984332 / w),
         "wavelength is in nm, energy in eV (11 keV is energy = 11000)");
  for (const double angle : e.alphaI)
    if (angle < leastAngle)
      warn(fmt::format("alpha_i is {:.3g} degrees", angle), "it is in degrees, not in radians");
  if (!e.detector)
    return;
  const Detector &d = *e.detector;
  if (const double pixel = std::max(d.pixel1, d.pixel2); pixel > mostPixel)
    warn(fmt::format("a pixel of the detector is {:.3g} m large", pixel),
         "pixel_size is in m: 172e-6 is 172 micrometres");
  if (d.distance > 1000 || d.distance < 1e-3)
    warn(fmt::format("the detector is {:.3g} m away", d.distance), "distance is in m");
}

void warnOfSizes(const Experiment &e) {
  for (const Particle &p : e.particles)
    if (const auto remark = p.size ? remarkOn(*p.size) : std::nullopt)
      warn(remark->text, remark->help);
}

void warnOfColumns(const Kernel &kernel, const std::map<std::string, double> &columns) {
  std::vector<std::string> read;
  for (int c = 0; c < kernel->column_count; ++c)
    read.emplace_back(kernel->columns[c]);
  for (const auto &[name, value] : columns) {
    if (std::find(read.begin(), read.end(), name) != read.end())
      continue;
    const std::string near = nearest(name, read);
    warn(fmt::format("column '{}' is given, and kernel {} does not read it", name, kernel->name),
         near.empty() ? fmt::format("it reads {}", fmt::join(read, ", "))
                      : fmt::format("did you mean '{}'?", near));
  }
}

} // namespace facet::cli
