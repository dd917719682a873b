// problems.cpp - a torus off the origin, turned; grids of growing |q|, damping, and a detector.
#include "problems.h"
#include <cmath>

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
  mesh.columns["contrast"].assign(mesh.triangles.size(), 0.8); // what the kernel layered asks for
  mesh.name = "torus";
  return mesh;
}

Mesh raised(Mesh mesh, double by) {
  for (auto &triangle : mesh.triangles)
    for (Vec3 &corner : triangle)
      corner[2] += by;
  return mesh;
}

/// Product axes with |q| <= q, z complex where `im` (largest Im q.z) is not 0.
Grid product(double q, double im) {
  Grid grid;
  grid.axes = {linspace(-0.1 * q, 0.2 * q, 2), linspace(-0.6 * q, 0.7 * q, 14),
               linspace(0.05 * q, 0.68 * q, 12)};
  for (int i = 0; im != 0 && i < 12; ++i)
    grid.axes[2].im.push_back(im * i / 11);
  return grid;
}

/// Irregular axes with |q| from 1e-8 to q: F is large where `finish` amplifies most.
Grid wide(double q) {
  Grid grid;
  for (std::size_t k = 0; k < 3; ++k)
    for (int i = 0, n = k == 0 ? 1 : 13; i < n; ++i)
      grid.axes[k].re.push_back(1e-8 * std::pow(q / 1.5e-8, i / 12.0));
  return grid;
}

/// q of a flat detector on the Ewald sphere, as in examples/curved_detector: no product of axes.
Grid detector(double q) {
  const double k = 2 * M_PI / 0.124, across = q / k; // directions up to q / k radians off the beam
  Grid grid;
  grid.kind = Grid::Kind::Points;
  grid.imageRows = grid.imageColumns = 18;
  for (int i = 0; i < 18; ++i)
    for (int j = 0; j < 18; ++j) {
      const double up = across * (i - 8.5) / 13, left = across * (j - 8.5) / 13;
      const double length = std::sqrt(1 + up * up + left * left);
      grid.axes[0].re.push_back(k * (1 / length - 1));
      grid.axes[1].re.push_back(k * left / length);
      grid.axes[2].re.push_back(k * up / length);
    }
  return grid;
}

} // namespace

std::vector<Problem> problems(bool full) {
  const std::vector<double> extents =
      full ? std::vector<double>{10, 100, 1000} : std::vector<double>{10, 1000};
  std::vector<Problem> all;
  for (const double extent : extents) {
    const Mesh mesh = meshOf(extent);
    const MeshReport report = inspect(mesh);
    const double height = report.high[2] - report.low[2];
    const Mesh standing = raised(mesh, -report.low[2]); // waves are damped from the ground up
    for (const double q :
         full ? std::vector<double>{1e-8, 1e-6, 1e-4, 1e-2, 1, 10} : std::vector<double>{1e-8, 0.3})
      all.push_back({"real", extent, q, 0, mesh, product(q, 0)});
    for (const double exponent :
         full ? std::vector<double>{0.01, 1, 10, 60, -60} : std::vector<double>{60})
      all.push_back({"damped", extent, 20 / extent, exponent, standing,
                     product(20 / extent, exponent / height)});
    all.push_back({"wide", extent, 5, 0, mesh, wide(5)});
    for (const double q : full ? std::vector<double>{0.01, 0.1, 1, 5} : std::vector<double>{0.2})
      all.push_back({"detector", extent, q, 0, mesh, detector(q)});
  }
  return all;
}

} // namespace facet::test
