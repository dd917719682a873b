// bodies.cpp - the particles of a scene as meshes with poses, and their meshes in these.
#include "runtime/experiment/scene/bodies.h"
#include "runtime/experiment/average/orientation.h"
#include "runtime/experiment/average/sizes.h"
#include "runtime/experiment/physics/dwba.h"
#include "runtime/experiment/schema/schema.h"
#include <algorithm>
#include <cmath>
#include <facet/runtime/error.h>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <numbers>
#include <utility>

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

/// Every place of the mesh about its middle, block by block.
template <class Use> void eachPlaceOf(const Body &body, const Use &use) {
  constexpr std::int64_t step = 1 << 15;
  const auto centred = poseBlocks(body.mesh.blocks, body.middle, 1, identity);
  for (std::int64_t first = 0; first < centred->size(); first += step)
    eachPlace(centred->read(first, std::min(step, centred->size() - first)), use);
}

struct Span {
  double low = std::numeric_limits<double>::infinity(), high = -low;
};
/// The lowest and highest places in each rotation: all in one pass over the mesh.
std::vector<Span> spansOf(const Body &body, const std::vector<Matrix> &rotations) {
  std::vector<Span> spans(rotations.size());
  eachPlaceOf(body, [&](const Vec3 &place) {
    for (std::size_t i = 0; i < spans.size(); ++i) {
      const double z = turned(rotations[i], place, 2);
      spans[i].low = std::min(spans[i].low, z);
      spans[i].high = std::max(spans[i].high, z);
    }
  });
  for (Span &span : spans)
    if (span.low > span.high) // records that are no triangles
      span = {0, 0};
  return spans;
}

/// The largest distance from the axis z.
double radiusAcross(const Body &body, const Matrix &rotation) {
  double square = 0;
  eachPlaceOf(body, [&](const Vec3 &place) {
    square = std::max(square, std::pow(turned(rotation, place, 0), 2) +
                                  std::pow(turned(rotation, place, 1), 2));
  });
  return std::sqrt(square);
}

std::vector<Orientation> orientationsOf(const Particle &p, const Body &body, double scale,
                                        const Reach &reach) {
  const Orientations &o = p.orientation;
  if (o.average == "none")
    return o.euler.empty() ? std::vector<Orientation>{{identity, 1, 1}}
                           : orientationList(o.euler, o.weights);
  const Matrix base = o.euler.empty() ? identity : eulerZyz(o.euler[0]);
  std::vector<Orientation> set;
  if (o.average == "in-plane") {
    set = orientationsAboutZ(
        o.points > 0 ? o.points : anglesFor(reach.across * scale * radiusAcross(body, base)).turn);
  } else {
    AngleCounts counts = anglesFor(reach.all * scale * body.mesh.summary.farthest);
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
  return runtime::sizesOf(*p.size);
}

/// Where a layer's heights are counted from: its bottom, or the top of one without.
double floorOf(const Stack &stack, std::size_t layer) {
  if (stack.layers.empty() || stack.isSubstrate(layer))
    return 0;
  return stack.lowest(layer);
}

/// Standing in its layer, turned and sized in all its ways.
void pose(const Particle &p, const Stack &stack, const Reach &reach, Body &body) {
  const std::vector<Size> sizes = sizesOf(p);
  const std::vector<Orientation> orientations =
      orientationsOf(p, body, std::max(1.0, sizes.back().scale), reach);
  constexpr double most = 1e7;
  if (const double all =
          static_cast<double>(orientations.size()) * static_cast<double>(sizes.size());
      all > most)
    throw Error(body.name, fmt::format("{:.3g} orientations and sizes are out of reach", all),
                "give fewer points of size or orientation");
  std::vector<Matrix> rotations;
  rotations.reserve(orientations.size());
  for (const Orientation &o : orientations)
    rotations.push_back(o.rotation);
  std::vector<Span> spans;
  if (!stack.layers.empty())
    spans = spansOf(body, rotations);
  for (std::size_t i = 0; i < orientations.size(); ++i) {
    const Orientation &o = orientations[i];
    for (const Size &size : sizes) {
      Pose &to = body.poses.emplace_back();
      to.rotation = o.rotation;
      to.scale = size.scale;
      to.weight = o.weight * size.weight;
      to.half = o.half * size.weight;
      double height = size.scale * turned(o.rotation, body.middle, 2);
      if (!stack.layers.empty()) {
        height = floorOf(stack, body.layer) + p.z.value_or(0) - size.scale * spans[i].low;
        checkInside(stack, body.layer, height + size.scale * spans[i].low,
                    height + size.scale * spans[i].high, body.name);
      }
      to.levels.push_back({height,
                           {{size.scale * turned(o.rotation, body.middle, 0),
                             size.scale * turned(o.rotation, body.middle, 1)}}});
    }
  }
}

/// The objects of one particle: those that are turned and sized alike share a pose.
void place(const Experiment &e, std::size_t particle, const Stack &stack, Body &body) {
  std::map<std::pair<std::array<double, 3>, double>, std::size_t> poses;
  std::vector<Matrix> rotations;
  for (const Object &o : e.objects) {
    if (o.particle != particle || !poses.try_emplace({o.euler, o.scale}, body.poses.size()).second)
      continue;
    Pose &to = body.poses.emplace_back();
    rotations.push_back(to.rotation = eulerZyz(o.euler));
    to.scale = o.scale;
  }
  std::vector<Span> spans;
  if (!stack.layers.empty())
    spans = spansOf(body, rotations);
  for (std::size_t i = 0; i < e.objects.size(); ++i) {
    const Object &o = e.objects[i];
    if (o.particle != particle)
      continue;
    const std::size_t number = poses.at({o.euler, o.scale});
    Pose &to = body.poses[number];
    Vec3 at{};
    for (std::size_t k = 0; k < 3; ++k)
      at[k] = o.position[k] + o.scale * turned(to.rotation, body.middle, k);
    if (!stack.layers.empty()) {
      at[2] += floorOf(stack, body.layer);
      checkInside(stack, body.layer, at[2] + o.scale * spans[number].low,
                  at[2] + o.scale * spans[number].high, fmt::format("object {}", i + 1));
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

Bodies bodiesOf(const Experiment &e, const std::vector<SceneMesh> &meshes, const Stack &stack,
                const Reach &reach) {
  Bodies all;
  all.coherent = !e.objects.empty() && e.interference != "incoherent";
  const double k = e.wavelength > 0 ? 2 * std::numbers::pi / e.wavelength : 0;
  for (std::size_t i = 0; i < e.particles.size(); ++i) {
    const Particle &p = e.particles[i];
    Body body;
    body.mesh = meshes[i];
    body.middle = body.mesh.summary.middle();
    body.name = p.name.empty() ? body.mesh.name : p.name;
    const double volume =
        p.density && stack.layers.empty() ? std::abs(body.mesh.summary.volume) : 0;
    body.layer = stack.layers.empty() ? 0 : layerOf(stack, p);
    if (!stack.layers.empty() && stack.isSubstrate(body.layer) && !p.z && e.objects.empty())
      throw Error(body.name, "z is not given, and the substrate has no bottom to stand on",
                  "z = -20: the lowest point, nm from the substrate's top");
    if (p.density && stack.layers.empty() && volume == 0)
      throw Error(body.name, volumeNeeded, "leave density out: I is then of one particle");
    if (p.delta)
      body.contrast = contrast(stack.layers.empty() ? Medium{} : stack.layers[body.layer], k,
                               *p.delta, p.beta.value_or(0));
    if (e.objects.empty())
      pose(p, stack, reach, body);
    else
      place(e, i, stack, body);
    if (body.poses.empty())
      continue;
    // One size after the other: what is made for a size serves all its rotations.
    std::stable_sort(body.poses.begin(), body.poses.end(),
                     [](const Pose &a, const Pose &b) { return a.scale < b.scale; });
    body.largest = body.poses.back().scale;
    body.radius = body.largest * body.mesh.summary.farthest;
    if (p.density)
      body.factor = *p.density;
    if (volume > 0) // 1/cm of nm^2 / nm^3
      body.factor *= 1e7 / (volume * meanCube(sizesOf(p)));
    all.averaged = all.averaged || (e.objects.empty() && body.poses.size() > 1);
    all.bodies.push_back(std::move(body));
  }
  return all;
}

std::shared_ptr<const MeshBlocks> poseBlocks(std::shared_ptr<const MeshBlocks> mesh,
                                             const Vec3 &middle, double scale,
                                             const Matrix &rotation) {
  const std::int64_t size = mesh->size();
  return std::make_shared<const MeshBlocks>(size, [mesh = std::move(mesh), middle, scale, rotation](
                                                      std::int64_t first, std::int64_t count) {
    return posed(mesh->read(first, count), middle, scale, rotation);
  });
}

MeshSummary scaled(const MeshSummary &mesh, double scale) {
  MeshSummary s = mesh;
  const Vec3 middle = mesh.middle();
  for (std::size_t k = 0; k < 3; ++k) {
    s.low[k] = scale * (mesh.low[k] - middle[k]);
    s.high[k] = scale * (mesh.high[k] - middle[k]);
    s.areaNormal[k] = scale * scale * mesh.areaNormal[k];
  }
  s.farthest = s.farthestFromOrigin = scale * mesh.farthest;
  s.area = scale * scale * mesh.area;
  s.volume = scale * scale * scale * mesh.volume;
  s.longestEdge = scale * mesh.longestEdge;
  return s;
}

} // namespace facet::runtime
