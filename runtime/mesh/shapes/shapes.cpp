// shapes.cpp - torus, box, cylinder and grating: patches of quads.
#include "runtime/mesh/shapes/shapes.h"
#include "runtime/mesh/geometry.h"
#include <facet/runtime/error.h>
#include <fmt/format.h>
#include <numbers>

namespace facet::runtime {

namespace {
int count(const Arguments &a, const std::string &name, int k = 0) {
  return static_cast<int>(a.at(name)[k]);
}

/// cos and sin of a whole number of parts of a turn, the same at part 0 and part n to the last bit,
/// so that seams close.
Vec3 onCircle(double u, int n) {
  int part = static_cast<int>(std::lround(u * n)) % n;
  double angle = 2 * std::numbers::pi * part / n;
  return {std::cos(angle), std::sin(angle), 0};
}
} // namespace

void checkCount(double triangles) {
  constexpr double most = 5e7;
  if (triangles > most)
    throw Error("shape", fmt::format("{:.3g} triangles", triangles),
                "50,000,000 are the most: take fewer parts, or less of refine");
}

void addPatch(Mesh &mesh, const Surface &surface, int nu, int nv) {
  checkCount(static_cast<double>(mesh.triangles.size()) + 2.0 * nu * nv);
  auto at = [&](int i, int j) {
    return surface(static_cast<double>(i) / nu, static_cast<double>(j) / nv);
  };
  for (int i = 0; i < nu; ++i)
    for (int j = 0; j < nv; ++j) {
      Vec3 a = at(i, j), b = at(i + 1, j), c = at(i + 1, j + 1), d = at(i, j + 1);
      mesh.triangles.push_back({a, b, c});
      mesh.triangles.push_back({a, c, d});
    }
}

void addCube(Mesh &mesh, const Vec3 &n, const std::function<Vec3(const Vec3 &)> &map) {
  for (int axis = 0; axis < 3; ++axis)
    for (int side = 0; side < 2; ++side) {
      // (u, v, axis) is right-handed on the upper side; the lower one swaps u and v.
      int u = (axis + 1) % 3, v = (axis + 2) % 3;
      if (side == 0)
        std::swap(u, v);
      addPatch(
          mesh,
          [&](double s, double t) {
            Vec3 p{};
            p[axis] = side - 0.5;
            p[u] = s - 0.5;
            p[v] = t - 0.5;
            return map(p);
          },
          static_cast<int>(n[u]), static_cast<int>(n[v]));
    }
}

Mesh makeTorus(const Arguments &a) {
  double major = a.at("major")[0], minor = a.at("minor")[0];
  int around = count(a, "around"), tube = count(a, "tube");
  Mesh mesh;
  addPatch(
      mesh,
      [&](double u, double v) {
        Vec3 ring = onCircle(u, around), cut = onCircle(v, tube);
        double r = major + minor * cut[0];
        return Vec3{r * ring[0], r * ring[1], minor * cut[1]};
      },
      around, tube);
  return mesh;
}

Mesh makeBox(const Arguments &a) {
  const Vec3 &size = a.at("size");
  Mesh mesh;
  addCube(mesh, a.at("n"),
          [&](const Vec3 &p) { return Vec3{size[0] * p[0], size[1] * p[1], size[2] * p[2]}; });
  return mesh;
}

Mesh makeCylinder(const Arguments &a) {
  double radius = a.at("radius")[0], height = a.at("height")[0];
  int around = count(a, "around"), along = count(a, "along"), rings = count(a, "rings");
  Mesh mesh;
  auto at = [&](double turn, double r, double z) {
    Vec3 c = onCircle(turn, around);
    return Vec3{r * c[0], r * c[1], z};
  };
  addPatch(
      mesh, [&](double u, double v) { return at(u, radius, (v - 0.5) * height); }, around, along);
  for (int side : {-1, 1}) {
    double z = 0.5 * side * height;
    double inner = radius / rings;
    for (int i = 0; i < around; ++i) { // the middle of the lid: a fan
      double u = static_cast<double>(i) / around, next = static_cast<double>(i + 1) / around;
      Vec3 p = at(u, inner, z), q = at(next, inner, z);
      if (rings == 1) {
        p = at(u, radius, z);
        q = at(next, radius, z);
      }
      mesh.triangles.push_back(side > 0 ? Triangle{Vec3{0, 0, z}, p, q}
                                        : Triangle{Vec3{0, 0, z}, q, p});
    }
    if (rings == 1)
      continue;
    auto ring = [&](double u, double v) {
      int k = 1 + static_cast<int>(std::lround(v * (rings - 1)));
      return at(u, k == rings ? radius : k * inner, z);
    };
    if (side > 0)
      addPatch(mesh, [&](double v, double u) { return ring(u, v); }, rings - 1, around);
    else
      addPatch(mesh, ring, around, rings - 1);
  }
  return mesh;
}

Mesh makeGrating(const Arguments &a) {
  int lines = count(a, "lines");
  double bottom = a.at("width")[0], top = a.at("top")[0];
  const Vec3 &n = a.at("n");
  checkCount(4.0 * lines * (n[0] * n[1] + n[1] * n[2] + n[2] * n[0]));
  Mesh mesh;
  for (int line = 0; line < lines; ++line) {
    double y0 = (line - 0.5 * (lines - 1)) * a.at("pitch")[0];
    addCube(mesh, n, [&](const Vec3 &p) {
      double width = bottom + (top - bottom) * (p[2] + 0.5);
      return Vec3{p[0] * a.at("length")[0], y0 + p[1] * width, p[2] * a.at("height")[0]};
    });
  }
  return mesh;
}

} // namespace facet::runtime
