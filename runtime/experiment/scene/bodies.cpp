// bodies.cpp - the particles of a scene as meshes with poses.
#include "runtime/experiment/scene/bodies.h"
#include "runtime/experiment/average/orientation.h"
#include "runtime/experiment/average/sizes.h"
#include "runtime/experiment/physics/dwba.h"
#include "runtime/experiment/schema/stack_of.h"
#include <algorithm>
#include <cmath>
#include <facet/runtime/error.h>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <numbers>

namespace facet::runtime {
namespace {

using Matrix = std::array<double, 9>;
constexpr Matrix identity{1, 0, 0, 0, 1, 0, 0, 0, 1};

Matrix times(const Matrix &a, const Matrix &b) {
  Matrix c{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      for (std::size_t k = 0; k < 3; ++k)
        c[3 * i + j] += a[3 * i + k] * b[3 * k + j];
  return c;
}

double turned(const Matrix &m, const Vec3 &v, std::size_t row) {
  return m[3 * row] * v[0] + m[3 * row + 1] * v[1] + m[3 * row + 2] * v[2];
}

template <class Use> void eachCorner(const Mesh &mesh, const Use &use) {
  for (const auto &triangle : mesh.triangles)
    for (const Vec3 &corner : triangle)
      use(corner);
  if (mesh.triangles.empty())
    for (const Vec3 &centroid : mesh.facets.centroid)
      use(centroid);
}

Mesh moved(Mesh mesh, const Vec3 &by) {
  for (auto &triangle : mesh.triangles)
    for (Vec3 &corner : triangle)
      for (std::size_t k = 0; k < 3; ++k)
        corner[k] += by[k];
  for (Vec3 &centroid : mesh.facets.centroid)
    for (std::size_t k = 0; k < 3; ++k)
      centroid[k] += by[k];
  return mesh;
}

struct Span {
  double low = 0, high = 0;
};
Span spanOf(const Mesh &mesh, const Matrix &rotation) {
  Span span{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
  eachCorner(mesh, [&](const Vec3 &corner) {
    const double z = turned(rotation, corner, 2);
    span.low = std::min(span.low, z);
    span.high = std::max(span.high, z);
  });
  return span.low <= span.high ? span : Span{};
}

double radiusOf(const Mesh &mesh, const Matrix &rotation, bool across) {
  double square = 0;
  eachCorner(mesh, [&](const Vec3 &corner) {
    double r = 0;
    for (std::size_t k = 0; k < (across ? 2U : 3U); ++k)
      r += std::pow(turned(rotation, corner, k), 2);
    square = std::max(square, r);
  });
  return std::sqrt(square);
}

std::vector<Orientation> orientationsOf(const Particle &p, const Mesh &mesh, double scale,
                                        const Reach &reach) {
  const Orientations &o = p.orientation;
  if (o.average == "none")
    return o.euler.empty() ? std::vector<Orientation>{{identity, 1, 1}}
                           : orientationList(o.euler, o.weights);
  const Matrix base = o.euler.empty() ? identity : eulerZyz(o.euler[0]);
  std::vector<Orientation> set;
  if (o.average == "in-plane") {
    const double radius = scale * radiusOf(mesh, base, true);
    set = orientationsAboutZ(o.points > 0 ? o.points : anglesFor(reach.across * radius).turn);
  } else {
    AngleCounts counts = anglesFor(reach.all * scale * radiusOf(mesh, base, false));
    if (o.points > 0)
      counts = {o.points, std::max(2, o.points / 2)};
    set = o.average == "full" ? allOrientations(counts)
                              : tiltedOrientations(gaussianTilt(o.sigma), counts);
  }
  for (Orientation &one : set)
    one.rotation = times(one.rotation, base);
  return set;
}

std::vector<Size> sizesOf(const Particle &p) {
  if (!p.size)
    return {{1, 1}};
  return runtime::sizesOf({p.size->type, p.size->width, p.size->points, p.size->nsigmas});
}

/// Where a layer's heights are counted from: its bottom, or the top of one without.
double floorOf(const Stack &stack, std::size_t layer) {
  if (stack.layers.empty() || stack.isSubstrate(layer))
    return 0;
  return stack.lowest(layer);
}

/// Standing in its layer, turned and sized in all its ways.
void pose(const Particle &p, const Vec3 &centre, const Stack &stack, const Reach &reach, Body &body,
          const std::string &where) {
  const std::vector<Size> sizes = sizesOf(p);
  for (const Orientation &o :
       orientationsOf(p, body.mesh, std::max(1.0, sizes.back().scale), reach)) {
    const Span span = spanOf(body.mesh, o.rotation);
    for (const Size &size : sizes) {
      Pose &to = body.poses.emplace_back();
      to.rotation = o.rotation;
      to.scale = size.scale;
      to.weight = o.weight * size.weight;
      to.half = o.half * size.weight;
      double height = size.scale * turned(o.rotation, centre, 2);
      if (!stack.layers.empty()) {
        height = floorOf(stack, body.layer) + p.z.value_or(0) - size.scale * span.low;
        checkInside(stack, body.layer, height + size.scale * span.low,
                    height + size.scale * span.high, where);
      }
      to.levels.push_back({height,
                           {{size.scale * turned(o.rotation, centre, 0),
                             size.scale * turned(o.rotation, centre, 1)}}});
    }
  }
}

/// The objects of one particle: those that are turned and sized alike share a pose.
void place(const Scene &scene, std::size_t particle, const Vec3 &centre, const Stack &stack,
           Body &body) {
  std::map<std::pair<std::array<double, 3>, double>, std::size_t> poses;
  std::map<std::array<double, 3>, Span> spans;
  for (std::size_t i = 0; i < scene.objects.size(); ++i) {
    const Object &o = scene.objects[i];
    if (o.particle != particle)
      continue;
    const auto [found, fresh] = poses.try_emplace({o.euler, o.scale}, body.poses.size());
    if (fresh) {
      Pose &to = body.poses.emplace_back();
      to.rotation = eulerZyz(o.euler);
      to.scale = o.scale;
    }
    Pose &to = body.poses[found->second];
    Vec3 at{};
    for (std::size_t k = 0; k < 3; ++k)
      at[k] = o.position[k] + o.scale * turned(to.rotation, centre, k);
    if (!stack.layers.empty()) {
      at[2] += floorOf(stack, body.layer);
      const auto span = spans.try_emplace(o.euler, Span{});
      if (span.second)
        span.first->second = spanOf(body.mesh, to.rotation);
      checkInside(stack, body.layer, at[2] + o.scale * span.first->second.low,
                  at[2] + o.scale * span.first->second.high, fmt::format("object {}", i + 1));
    }
    const auto level = std::find_if(to.levels.begin(), to.levels.end(),
                                    [&](const Pose::Level &l) { return l.height == at[2]; });
    if (level == to.levels.end())
      to.levels.push_back({at[2], {{at[0], at[1]}}});
    else
      level->at.push_back({at[0], at[1]});
  }
}

} // namespace

Mesh meshOf(const Particle &p, std::int64_t *dropped) {
  Mesh mesh =
      p.shape.empty() ? readMesh(p.mesh, p.unit, dropped) : makeMesh(p.shape, p.shapeNumbers);
  for (const auto &[name, value] : p.columns)
    mesh.columns[name] = std::vector<double>(static_cast<std::size_t>(mesh.size()), value);
  return mesh;
}

Mesh scaled(Mesh mesh, double factor) {
  if (factor == 1)
    return mesh;
  for (auto &triangle : mesh.triangles)
    for (Vec3 &corner : triangle)
      for (double &v : corner)
        v *= factor;
  for (Vec3 &centroid : mesh.facets.centroid)
    for (double &v : centroid)
      v *= factor;
  for (double &area : mesh.facets.area)
    area *= factor * factor;
  return mesh;
}

Bodies bodiesOf(const Experiment &e, const Stack &stack, const Reach &reach) {
  const Scene &scene = *e.scene;
  Bodies all;
  all.coherent = !scene.objects.empty() && scene.coherent;
  const double k = scene.wavelength > 0 ? 2 * std::numbers::pi / scene.wavelength : 0;
  for (std::size_t i = 0; i < scene.particles.size(); ++i) {
    const Particle &p = scene.particles[i];
    Body body;
    body.mesh = meshOf(p, &body.dropped);
    const std::string name = p.name.empty() ? body.mesh.name : p.name;
    const double volume =
        p.density && stack.layers.empty() ? std::abs(inspect(body.mesh).volume) : 0;
    const Vec3 middle = centre(body.mesh);
    body.mesh = moved(std::move(body.mesh), {-middle[0], -middle[1], -middle[2]});
    body.layer = stack.layers.empty() ? 0 : layerOf(stack, p);
    if (!stack.layers.empty() && stack.isSubstrate(body.layer) && !p.z && scene.objects.empty())
      throw Error(name, "z is not given, and the substrate has no bottom to stand on",
                  "z = -20: the lowest point, nm from the substrate's top");
    if (p.delta)
      body.contrast =
          contrast(stack.layers.empty() ? Medium{} : stack.layers[body.layer], k, *p.delta, p.beta);
    if (scene.objects.empty())
      pose(p, middle, stack, reach, body, name);
    else
      place(scene, i, middle, stack, body);
    if (body.poses.empty())
      continue;
    double largest = 0;
    for (const Pose &one : body.poses)
      largest = std::max(largest, one.scale);
    body.radius = largest * radiusOf(body.mesh, identity, false);
    if (p.density)
      body.factor = *p.density;
    if (volume > 0) // 1/cm of nm^2 / nm^3
      body.factor *= 1e7 / (volume * meanCube(sizesOf(p)));
    all.radius = std::max(all.radius, body.radius);
    all.averaged = all.averaged || (scene.objects.empty() && body.poses.size() > 1);
    all.bodies.push_back(std::move(body));
  }
  return all;
}

double largestRadius(const Experiment &e) {
  double radius = 0;
  for (const Particle &p : e.scene->particles) {
    const Mesh mesh = meshOf(p);
    const Vec3 middle = centre(mesh);
    radius = std::max(radius,
                      radiusOf(moved(mesh, {-middle[0], -middle[1], -middle[2]}), identity, false));
  }
  return radius;
}

} // namespace facet::runtime
