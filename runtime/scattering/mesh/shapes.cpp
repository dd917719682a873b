// shapes.cpp - the shapes of shapes.def: a shape by its name with checked arguments; box, cylinder
// and grating as patches of quads; sphere and truncated octahedron.
#include "runtime/engine/records/geometry.h"
#include "runtime/engine/records/patches.h"
#include "runtime/engine/system/text.h"
#include <facet/runtime/error.h>
#include <facet/runtime/shapes.h>
#include <fmt/format.h>
#include <numbers>

namespace facet::runtime {
namespace {

/// Checked arguments of one shape, each three values.
using Arguments = std::map<std::string, Vec3>;

int count(const Arguments &a, const std::string &name) { return static_cast<int>(a.at(name)[0]); }

/// The six patches of the unit cube [-1/2, 1/2]^3, moved by `map`.
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
  return torus(a.at("major")[0], a.at("minor")[0], count(a, "around"), count(a, "tube"));
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
    const double z = 0.5 * side * height, inner = radius / rings;
    for (int i = 0; i < around; ++i) { // the middle of the lid: a fan
      double u = static_cast<double>(i) / around, next = static_cast<double>(i + 1) / around;
      const Vec3 p = at(u, inner, z), q = at(next, inner, z);
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

/// Sides with flat corners between two n-gons, of which the upper may be a point.
Mesh makeFrustum(const Arguments &a) {
  const int sides = count(a, "sides");
  const double radius = a.at("radius")[0], top = a.at("top")[0], half = 0.5 * a.at("height")[0];
  checkCount(4.0 * sides);
  const auto at = [&](int k, double r, double z) {
    const Vec3 c = onCircle(static_cast<double>(k) / sides, sides);
    return Vec3{r * c[0], r * c[1], z};
  };
  Mesh mesh;
  for (int k = 0; k < sides; ++k) {
    const Vec3 p = at(k, radius, -half), q = at(k + 1, radius, -half), r = at(k + 1, top, half),
               s = at(k, top, half);
    mesh.triangles.push_back({Vec3{0, 0, -half}, q, p});
    mesh.triangles.push_back({p, q, r});
    if (top > 0) {
      mesh.triangles.push_back({p, r, s});
      mesh.triangles.push_back({Vec3{0, 0, half}, s, r});
    }
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

/// Adds a convex face of given corners as a fan about its middle, outward from the origin.
void addFace(Mesh &mesh, std::vector<Vec3> corners) {
  Vec3 middle{};
  for (const Vec3 &p : corners)
    middle = middle + 1.0 / static_cast<double>(corners.size()) * p;
  Vec3 normal = 1 / length(middle) * middle; // the faces here lie across their own direction
  Vec3 u = corners[0] - middle, v = cross(normal, u);
  // From corners[0] on: counted from -pi, rounding of the size would decide whether the corner
  // opposite is the first or the last.
  auto angle = [&](const Vec3 &p) {
    const double around = std::atan2(dot(p - middle, v), dot(p - middle, u));
    return around < -0.1 ? around + 2 * std::numbers::pi : around;
  };
  std::ranges::sort(corners, {}, angle);
  for (std::size_t i = 0; i < corners.size(); ++i)
    mesh.triangles.push_back({middle, corners[i], corners[(i + 1) % corners.size()]});
}

Mesh makeSphere(const Arguments &a) {
  // The icosahedron's corners: even permutations of (0, +-1, +-golden ratio).
  constexpr double g = std::numbers::phi;
  std::vector<Vec3> corners;
  for (double s : {-1.0, 1.0})
    for (double t : {-g, g})
      for (int k = 0; k < 3; ++k) {
        Vec3 p{};
        p[(k + 1) % 3] = s;
        p[(k + 2) % 3] = t;
        corners.push_back(p);
      }
  Mesh mesh;
  auto near = [](const Vec3 &p, const Vec3 &q) { return std::abs(length(p - q) - 2) < 0.1; };
  for (std::size_t i = 0; i < corners.size(); ++i)
    for (std::size_t j = i + 1; j < corners.size(); ++j)
      for (std::size_t k = j + 1; k < corners.size(); ++k)
        if (near(corners[i], corners[j]) && near(corners[j], corners[k]) &&
            near(corners[i], corners[k])) {
          Triangle t{corners[i], corners[j], corners[k]};
          if (dot(areaNormal(t), t[0]) < 0)
            std::swap(t[1], t[2]);
          mesh.triangles.push_back(t);
        }
  mesh = cutAll(mesh, count(a, "n"));
  for (Triangle &t : mesh.triangles)
    for (Vec3 &p : t)
      p = a.at("radius")[0] / length(p) * p;
  return mesh;
}

Mesh makeTruncatedOctahedron(const Arguments &a) {
  // Corners: all permutations of (0, +-1, +-2) times size/4; squares across x, y, z, hexagons
  // across the diagonals.
  double unit = a.at("size")[0] / 4;
  std::vector<Vec3> corners;
  std::array<int, 3> order{0, 1, 2};
  do
    for (double s : {-1.0, 1.0})
      for (double t : {-2.0, 2.0}) {
        Vec3 p{};
        p[order[1]] = s * unit;
        p[order[2]] = t * unit;
        corners.push_back(p);
      }
  while (std::next_permutation(order.begin(), order.end()));
  Mesh mesh;
  auto face = [&](const Vec3 &direction, double reach) {
    std::vector<Vec3> on;
    std::ranges::copy_if(corners, std::back_inserter(on),
                         [&](const Vec3 &p) { return dot(p, direction) > (reach - 0.5) * unit; });
    addFace(mesh, on);
  };
  for (int k = 0; k < 3; ++k)
    for (double s : {-1.0, 1.0}) {
      Vec3 d{};
      d[k] = s;
      face(d, 2);
    }
  for (int side = 0; side < 8; ++side)
    face({side & 1 ? 1.0 : -1.0, side & 2 ? 1.0 : -1.0, side & 4 ? 1.0 : -1.0}, 3);
  return cutAll(mesh, count(a, "n"));
}

using Argument = MeshShape::Argument;
using Kind = Argument::Kind;
struct Shape : MeshShape {
  Mesh (*make)(const Arguments &);
};

const std::vector<Shape> &shapes() {
  static const std::vector<Shape> all = [] {
    std::vector<Shape> list;
#define FACET_SHAPE(name, function, doc) list.push_back({{name, doc, {}}, function});
#define FACET_SHAPE_ARGUMENT(name, kind, standard, doc)                                            \
  list.back().arguments.push_back({name, Kind::kind, standard, doc});
#include "runtime/scattering/mesh/shapes.def"
    for (Shape &shape : list)
      shape.arguments.push_back({"refine", Kind::Count, 1, "cuts each triangle into refine^2"});
    return list;
  }();
  return all;
}

template <class List> std::vector<std::string> namesOf(const List &list) {
  std::vector<std::string> names;
  names.reserve(list.size());
  for (const auto &entry : list)
    names.push_back(entry.name);
  return names;
}

Vec3 checked(const std::string &shape, const Argument &argument,
             const std::vector<double> &values) {
  const std::string where = shape + "." + argument.name;
  const bool three = argument.kind == Kind::Lengths || argument.kind == Kind::Counts;
  const bool whole = argument.kind == Kind::Count || argument.kind == Kind::Counts;
  if (values.size() != 1 && !(three && values.size() == 3))
    throw Error(where, fmt::format("takes {}, not {}", three ? "one value or three" : "one value",
                                   values.size()));
  for (double value : values) {
    if (!std::isfinite(value) || value < 0 || (value == 0 && argument.kind != Kind::Size))
      throw Error(where,
                  argument.kind == Kind::Size ? "must be 0 or greater" : "must be greater than 0");
    if (whole && (value != std::floor(value) || value > 1e6))
      throw Error(where, "must be a whole number up to 1000000");
  }
  return {values[0], values.size() == 3 ? values[1] : values[0],
          values.size() == 3 ? values[2] : values[0]};
}

/// Sizes that contradict each other.
void checkTogether(const std::string &shape, const Arguments &a) {
  auto value = [&](const char *name) { return a.at(name)[0]; };
  if (shape == "torus" && value("minor") >= value("major"))
    throw Error("torus.minor", "must be smaller than major, or the ring runs through itself");
  if (shape == "torus" && (value("around") < 3 || value("tube") < 3))
    throw Error(value("tube") < 3 ? "torus.tube" : "torus.around", "must be 3 or more");
  if (shape == "cylinder" && value("around") < 3)
    throw Error("cylinder.around", "must be 3 or more");
  if (shape == "frustum" && value("sides") < 3)
    throw Error("frustum.sides", "must be 3 or more");
  if (shape == "grating" && std::max(value("width"), value("top")) > value("pitch"))
    throw Error("grating.pitch", "the lines overlap",
                "make the pitch at least as large as the width");
}

} // namespace

Mesh makeMesh(const std::string &name, const std::map<std::string, std::vector<double>> &numbers) {
  const auto shape = std::ranges::find(shapes(), name, &Shape::name);
  if (shape == shapes().end())
    throw Error("shape", "there is no '" + name + "'",
                suggestion(name, namesOf(shapes()), "shapes are"));
  Arguments arguments;
  for (const Argument &argument : shape->arguments)
    arguments[argument.name] = {argument.standard, argument.standard, argument.standard};
  for (const auto &[key, values] : numbers) {
    const auto argument = std::ranges::find(shape->arguments, key, &Argument::name);
    if (argument == shape->arguments.end())
      throw Error(name, "there is no argument '" + key + "'",
                  suggestion(key, namesOf(shape->arguments), "arguments are"));
    arguments[key] = checked(name, *argument, values);
  }
  checkTogether(name, arguments);
  Mesh mesh = refined(shape->make(arguments), count(arguments, "refine"));
  mesh.name = name;
  return mesh;
}

std::vector<MeshShape> meshShapes() { return {shapes().begin(), shapes().end()}; }

std::string shapesHelp() {
  std::string text;
  for (const Shape &shape : shapes()) {
    text += "  " + shape.name + ": " + shape.doc + "\n";
    for (const Argument &a : shape.arguments)
      text += fmt::format("      {:<12}{}\n", fmt::format("{}={:.0f} ", a.name, a.standard), a.doc);
  }
  return text;
}

} // namespace facet::runtime
