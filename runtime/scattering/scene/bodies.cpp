// bodies.cpp - the particles of a scene as meshes with poses, and their meshes in these.
#include "runtime/scattering/scene/bodies.h"
#include "runtime/engine/records/geometry.h"
#include "runtime/scattering/sample/layers.h"
#include "runtime/scattering/sample/orientation.h"
#include "runtime/scattering/sample/sizes.h"
#include "runtime/scattering/scene/crossing.h"
#include <algorithm>
#include <cmath>
#include <facet/runtime/error.h>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <numbers>
#include <tuple>
#include <utility>

namespace facet::runtime {
namespace {

/// Every place of the mesh about its middle, block by block.
template <class Use> void eachPlaceOf(const Body &body, const Use &use) {
  constexpr std::int64_t step = 1 << 15;
  const auto centred = poseBlocks(body.mesh.blocks, body.middle, 1, noRotation);
  for (std::int64_t first = 0; first < centred->size(); first += step)
    eachPlace(centred->read(first, std::min(step, centred->size() - first)), use);
}

struct Span {
  double low = std::numeric_limits<double>::infinity(), high = -low;
};
/// The lowest and highest places in each rotation: all in one pass over the mesh.
std::vector<Span> spansOf(const Body &body, const std::vector<Matrix3> &rotations) {
  std::vector<Span> spans(rotations.size());
  eachPlaceOf(body, [&](const Vec3 &place) {
    for (std::size_t i = 0; i < spans.size(); ++i) {
      const double z = times(rotations[i], place)[2];
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
double radiusAcross(const Body &body, const Matrix3 &rotation) {
  double square = 0;
  eachPlaceOf(body, [&](const Vec3 &place) {
    const Vec3 at = times(rotation, place);
    square = std::max(square, at[0] * at[0] + at[1] * at[1]);
  });
  return std::sqrt(square);
}

std::vector<Orientation> orientationsOf(const Particle &p, Body &body, double scale,
                                        const Reach &reach) {
  const Orientations &o = p.orientation;
  const Average *average = findAverage(o.average);
  if (average == nullptr)
    return o.euler.empty() ? std::vector<Orientation>{{noRotation, 1, 1}}
                           : orientationList(o.euler, o.weights);
  const Matrix3 base = o.euler.empty() ? noRotation : eulerZyz(o.euler[0]);
  AngleCounts counts{o.points, std::max(2, o.points / 2)};
  if (o.points <= 0)
    counts = anglesFor(o, scale * (average->aboutZ && o.director.empty()
                                       ? reach.across * radiusAcross(body, base)
                                       : reach.all * body.mesh.summary.farthest));
  body.angles = counts;
  std::vector<Orientation> set = orientationsOf(*average, counts, o, groupOf(o, body.mesh));
  for (Orientation &one : set)
    one.rotation = times(one.rotation, base);
  return set;
}

std::vector<Size> sizesOf(const Particle &p, const Body &body, const Reach &reach) {
  return p.size ? runtime::sizesOf(*p.size, reach.all * body.mesh.summary.farthest)
                : std::vector<Size>(1);
}

/// Puts a body's poses into a layer.
class Place {
public:
  /// `rotations`: all that there will be.
  Place(const Stack &stack, const Body &body, const std::vector<Matrix3> &rotations)
      : stack_(stack), body_(body) {
    if (stack.layers.empty())
      return;
    spans_ = spansOf(body, rotations);
    if (!stack.isSubstrate(body.layer)) // heights are counted from its top: it has no bottom
      floor_ = stack.lowest(body.layer);
  }
  /// Adds a copy with its mesh's origin at `origin`; in a sample, heights are from the floor of its
  /// layer. `standing`: the copy's lowest point is there. `rotation`: the number of the pose's
  /// rotation.
  Pose::Level &add(Pose &pose, std::size_t rotation, const Vec3 &origin, bool standing) {
    Vec3 at = origin + pose.scale * times(pose.rotation, body_.middle);
    Span span{0, 0};
    if (!stack_.layers.empty()) {
      span = {pose.scale * spans_[rotation].low, pose.scale * spans_[rotation].high};
      at[2] = standing ? floor_ + origin[2] - span.low : at[2] + floor_;
    }
    const bool crosses = !stack_.layers.empty() &&
                         !isInside(stack_, body_.layer, at[2] + span.low, at[2] + span.high);
    Pose::Level &level = crosses ? crossing(pose, rotation, at[2], span) : levelOf(pose, at[2]);
    level.at.push_back({at[0], at[1]});
    return level;
  }
  /// The copies that cross an interface, which are in no pose of the body.
  const std::vector<CrossingPose> &crossing() const { return crossing_; }

private:
  static Pose::Level &levelOf(Pose &pose, double height) {
    const auto level = std::ranges::find(pose.levels, height, &Pose::Level::height);
    return level != pose.levels.end() ? *level : pose.levels.emplace_back(height);
  }
  Pose::Level &crossing(const Pose &pose, std::size_t rotation, double height, const Span &span) {
    const auto [known, fresh] =
        numbers_.try_emplace({rotation, pose.scale, height}, crossing_.size());
    if (fresh) {
      Pose one = pose;
      one.levels = {{height, {}, {}}};
      crossing_.push_back({std::move(one), span.low, span.high});
    }
    return crossing_[known->second].pose.levels[0];
  }

  const Stack &stack_;
  const Body &body_;
  std::vector<Span> spans_;
  double floor_ = 0;
  std::vector<CrossingPose> crossing_;
  std::map<std::tuple<std::size_t, double, double>, std::size_t> numbers_; // of crossing_
};

/// Poses a particle that stands in its layer, turned and sized in all its ways. Returns the poses
/// that cross an interface.
std::vector<CrossingPose> pose(const Particle &p, const Stack &stack, const Reach &reach,
                               Body &body) {
  const std::vector<Size> sizes = sizesOf(p, body, reach);
  const std::vector<Orientation> orientations =
      orientationsOf(p, body, std::max(1.0, sizes.back().scale), reach);
  constexpr double most = 1e7;
  if (const double all =
          static_cast<double>(orientations.size()) * static_cast<double>(sizes.size());
      all > most)
    throw Error(body.name, fmt::format("{:.3g} orientations and sizes are out of reach", all),
                "give fewer points of size or orientation");
  std::vector<Matrix3> rotations;
  for (const Orientation &o : orientations)
    rotations.push_back(o.rotation);
  Place place(stack, body, rotations);
  for (std::size_t i = 0; i < orientations.size(); ++i)
    for (std::size_t s = 0; s < sizes.size(); ++s) {
      const Orientation &o = orientations[i];
      const Size &size = sizes[s];
      Pose &to = body.poses.emplace_back();
      to = {o.rotation, size.scale, {}, o.weight * size.weight, o.half * size.half, 0, i, s};
      place.add(to, i, {0, 0, p.z.value_or(0)}, true);
    }
  return place.crossing();
}

/// The same for the objects of one particle: those that are turned and sized alike share a pose.
std::vector<CrossingPose> pose(const Experiment &e, std::size_t particle, const Stack &stack,
                               Body &body) {
  std::map<std::pair<std::array<double, 3>, double>, std::size_t> poses;
  std::vector<Matrix3> rotations;
  for (const Object &o : e.objects)
    if (o.particle == particle && poses.try_emplace({o.euler, o.scale}, poses.size()).second) {
      Pose &to = body.poses.emplace_back();
      rotations.push_back(to.rotation = eulerZyz(o.euler));
      to.scale = o.scale;
    }
  Place place(stack, body, rotations);
  for (std::size_t i = 0; i < e.objects.size(); ++i)
    if (const Object &o = e.objects[i]; o.particle == particle) {
      const std::size_t number = poses.at({o.euler, o.scale});
      place.add(body.poses[number], number, o.position, false).objects.push_back(i);
    }
  return place.crossing();
}

/// Adds a body that lies in its layer, then the parts of its poses that cross interfaces.
void add(Body body, std::vector<Body> parts, std::vector<Body> &to) {
  std::erase_if(body.poses, [](const Pose &p) { return p.levels.empty(); });
  if (!body.poses.empty()) {
    // Poses come size by size: what is made for a size serves all its rotations.
    std::stable_sort(body.poses.begin(), body.poses.end(),
                     [](const Pose &a, const Pose &b) { return a.scale < b.scale; });
    body.largest = body.poses.back().scale;
    body.records = body.mesh.size();
    body.first = to.size();
    to.push_back(std::move(body));
  }
  const std::size_t first = to.size();
  for (Body &part : parts) {
    part.first = first;
    to.push_back(std::move(part));
  }
}

} // namespace

std::shared_ptr<const MeshBlocks> poseBlocks(std::shared_ptr<const MeshBlocks> mesh,
                                             const Vec3 &middle, double scale,
                                             const Matrix3 &rotation) {
  const std::int64_t size = mesh->size();
  return std::make_shared<const MeshBlocks>(size, [mesh = std::move(mesh), middle, scale, rotation](
                                                      std::int64_t first, std::int64_t count) {
    return posed(mesh->read(first, count), middle, scale, rotation);
  });
}

MeshSummary scaled(const MeshSummary &mesh, double scale) {
  MeshSummary s = mesh;
  const Vec3 middle = mesh.middle();
  s.low = scale * (mesh.low - middle);
  s.high = scale * (mesh.high - middle);
  s.areaNormal = scale * scale * mesh.areaNormal;
  s.farthest = s.farthestFromOrigin = scale * mesh.farthest;
  s.area = scale * scale * mesh.area;
  s.volume = scale * scale * scale * mesh.volume;
  s.longestEdge = scale * mesh.longestEdge;
  if (s.moments)
    s.moments = {scale * (mesh.moments->centroid - middle), scale * mesh.moments->gyration};
  return s;
}

Bodies bodiesOf(const Experiment &e, const std::vector<SceneMesh> &meshes, const Stack &stack,
                const Reach &reach) {
  Bodies all;
  all.coherent = !e.objects.empty() && e.interference != "incoherent";
  const double k = e.wavelength > 0 ? 2 * std::numbers::pi / e.wavelength : 0;
  for (std::size_t i = 0; i < e.particles.size(); ++i) {
    const Particle &p = e.particles[i];
    Body body;
    body.particle = i;
    body.mesh = meshes[i];
    body.middle = body.mesh.summary.middle();
    body.title = body.name = p.name.empty() ? body.mesh.name : p.name;
    const double volume =
        p.density && stack.layers.empty() ? std::abs(body.mesh.summary.volume) : 0;
    body.layer = body.home = stack.layers.empty() ? 0 : findLayer(stack, p.layer, "particle");
    if (!stack.layers.empty() && stack.isSubstrate(body.layer) && !p.z && e.objects.empty())
      throw Error(body.name, "z is not given, and the substrate has no bottom to stand on",
                  "z = -20: the lowest point, nm from the substrate's top");
    if (p.density && stack.layers.empty() && volume == 0)
      throw Error(body.name, volumeNeeded, "leave density out: I is then of one particle");
    const auto contrastIn = [&](std::size_t layer) {
      return p.delta ? contrast(stack.layers.empty() ? Layer{} : stack.layers[layer], k, *p.delta,
                                p.beta.value_or(0))
                     : std::complex<double>(1);
    };
    body.contrast = contrastIn(body.layer);
    if (p.density)
      body.factor = *p.density;
    if (volume > 0) // 1/cm of nm^2 / nm^3
      body.factor *= 1e7 / (volume * meanCube(sizesOf(p, body, reach)));
    const std::vector<CrossingPose> crossing =
        e.objects.empty() ? pose(p, stack, reach, body) : pose(e, i, stack, body);
    all.averaged = all.averaged || (e.objects.empty() && body.poses.size() > 1);
    std::vector<Body> parts = partsOf(body, crossing, stack, contrastIn);
    add(std::move(body), std::move(parts), all.bodies);
  }
  return all;
}

} // namespace facet::runtime
