// problems.cpp - a torus off the origin, turned; grids of growing |q|, damping, and a detector.
#include "accuracy.h"
#include <cmath>
#include <map>

namespace facet::test {
namespace {
using namespace runtime;

Mesh meshOf(double extent) {
  Mesh mesh = makeMesh(
      "torus",
      {{"major", {0.35 * extent}}, {"minor", {0.15 * extent}}, {"around", {24}}, {"tube", {12}}});
  // Two turns, 0.4 about x and 0.7 about z: no axis of symmetry along an axis of the grid.
  const double a = std::cos(0.4), b = std::sin(0.4), c = std::cos(0.7), s = std::sin(0.7);
  mesh = rotated(mesh, {c, -s * a, s * b, s, c * a, -c * b, 0, b, a});
  for (auto &triangle : mesh.triangles)
    for (Vec3 &corner : triangle)
      for (std::size_t k = 0; k < 3; ++k)
        corner[k] += 0.2 * extent * (1.0 + static_cast<double>(k));
  // What kernels ask for: layered and magnetic, rough (nm), magnetic, resonant.
  for (const auto &[name, value] : std::map<std::string, double>{{"contrast", 0.8},
                                                                 {"sigma", 0.3},
                                                                 {"moment.x", 0.3},
                                                                 {"moment.y", -0.2},
                                                                 {"moment.z", 0.8},
                                                                 {"axis.x", 0.48},
                                                                 {"axis.y", 0.6},
                                                                 {"axis.z", 0.64}})
    mesh.columns[name].assign(mesh.triangles.size(), value);
  mesh.name = "torus";
  return mesh;
}

Mesh raised(Mesh mesh, double by) {
  for (auto &triangle : mesh.triangles)
    for (Vec3 &corner : triangle)
      corner[2] += by;
  return mesh;
}

/// Product axes with |q| <= q, z complex if `im` (largest Im q.z) is not 0.
Grid product(double q, double im) {
  Grid grid;
  grid.axes = {linspace(-0.1 * q, 0.2 * q, 2), linspace(-0.6 * q, 0.7 * q, 48),
               linspace(0.05 * q, 0.68 * q, 40)};
  for (int i = 0; im != 0 && i < 40; ++i)
    grid.axes[2].im.push_back(im * i / 39);
  return grid;
}

/// Irregular axes with |q| from 1e-8 to q: F is large at the q that `finish` amplifies most.
Grid wide(double q) {
  Grid grid;
  for (std::size_t k = 0; k < 3; ++k)
    for (int i = 0, n = k == 0 ? 1 : 25; i < n; ++i)
      grid.axes[k].re.push_back(1e-8 * std::pow(q / 1.5e-8, i / 24.0));
  return grid;
}

/// q of a flat detector on the Ewald sphere, as in examples/curved_detector: no product of axes.
Grid detector(double q) {
  const double k = 2 * M_PI / 0.124, across = q / k; // directions up to q / k radians off the beam
  Grid grid;
  grid.kind = Grid::Kind::Points;
  grid.imageRows = grid.imageColumns = 56;
  for (int i = 0; i < 56; ++i)
    for (int j = 0; j < 56; ++j) {
      const double up = across * (i - 27.5) / 39, left = across * (j - 27.5) / 39;
      const double length = std::sqrt(1 + up * up + left * left);
      grid.axes[0].re.push_back(k * (1 / length - 1));
      grid.axes[1].re.push_back(k * left / length);
      grid.axes[2].re.push_back(k * up / length);
    }
  return grid;
}

} // namespace

Mesh recordsOf(const std::string &kernel, const Mesh &mesh) {
  if (kernel != "atoms")
    return mesh;
  Mesh atoms;
  atoms.name = "atoms";
  for (const char *axis : {"x", "y", "z"})
    atoms.columns[std::string("place.") + axis] = column(mesh, std::string("centroid.") + axis);
  // Potassium, whose Gaussians are the narrowest in q, and gold (examples/meshes/form_factors.txt).
  const char *names[] = {"a1", "a2", "a3", "a4", "a5", "c", "b1", "b2", "b3", "b4", "b5", "B"};
  const double elements[2][12] = {
      {8.163991, 7.146945, 1.07014, 0.877316, 1.486434, 0.253614, 0.12816323, 0.00808945,
       2.10327011, 0.39597652, 0.00052821, 0.02},
      {16.77739, 19.317156, 32.979683, 5.595453, 10.576854, -6.279078, 0.00122737, 0.0862157,
       0.01256902, 0.3800882, 0.00000601, 0.006}};
  for (std::size_t c = 0; c < 12; ++c)
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
      atoms.columns[names[c]].push_back(elements[t % 2][c]);
  return atoms;
}

std::vector<double> parametersOf(const std::string &kernel) {
  if (kernel == "magnetic") // u, v
    return {0.6, 0, -0.8, 0, 1, 0};
  if (kernel == "resonant") // along, across, in, out
    return {0.8, 0.1, -0.3, 0.2, 0, 0, 1, 0, 0, 0, 0, 0, 0.6, 0, 0.8, 0};
  return {};
}

std::vector<Problem> problems(bool full) {
  std::vector<Problem> all;
  for (const double extent : {10.0, 100.0, 1000.0}) {
    const Mesh mesh = meshOf(extent);
    const MeshReport report = inspect(mesh);
    const double height = report.high[2] - report.low[2];
    const Mesh standing = raised(mesh, -report.low[2]); // waves are damped from the ground up
    // The few problems of the quick test: those that fail first if something is wrong.
    const bool small = extent == 10, large = extent == 1000;
    const auto add = [&](bool few, const Problem &problem) {
      if (full || few)
        all.push_back(problem);
    };
    for (const double q : {1e-8, 1e-6, 1e-4, 1e-2, 1.0, 10.0})
      add((small && q == 1e-8) || (large && q == 1e-2),
          {"real", extent, q, 0, mesh, product(q, 0)});
    add(small, {"wide", extent, 5, 0, mesh, wide(5)});
    for (const double exponent : {0.01, 1.0, 10.0, 60.0, -60.0})
      add(small && exponent == 60, {"damped", extent, 20 / extent, exponent, standing,
                                    product(20 / extent, exponent / height)});
    for (const double q : {0.01, 0.1, 1.0, 5.0})
      add(large && q == 0.1, {"detector", extent, q, 0, mesh, detector(q)});
  }
  return all;
}

} // namespace facet::test
