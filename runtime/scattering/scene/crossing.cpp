// crossing.cpp - which layers a particle reaches in each pose, and the mesh of a part.
#include "runtime/scattering/scene/crossing.h"
#include "runtime/engine/records/geometry.h"
#include "runtime/scattering/mesh/cut.h"
#include <algorithm>
#include <cmath>
#include <facet/runtime/error.h>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <tuple>

namespace facet::runtime {
namespace {

constexpr double unbounded = std::numeric_limits<double>::infinity();
constexpr double slackOfReach = 1e-12; // of the radius: less is rounding

/// "crosses the interface between layer 'film' and layer 'Si' by 2.5 nm": the first that it does.
std::string crossingText(const Stack &stack, const CrossingPose &of, double middle) {
  for (std::size_t l = 1; l < stack.layers.size(); ++l) {
    const double plane = stack.origin(l) - middle;
    if (plane > of.low && plane < of.high)
      return fmt::format("crosses the interface between {} and {} by {:.4g} nm", stack.title(l - 1),
                         stack.title(l), std::min(plane - of.low, of.high - plane));
  }
  return "reaches into several layers";
}

/// Throws Error unless the mesh can be cut. `why`: what of it has to be.
void checkMesh(const Body &whole, const std::string &why) {
  const SceneMesh &mesh = whole.mesh;
  const std::string help = "or place it within one layer";
  if (!mesh.summary.corners)
    throw Error(whole.name, why + ", and only triangles with corners can be cut",
                "take a mesh with corners: STL, OBJ, PLY or HDF5, " + help);
  std::string open;
  if (mesh.mesh == nullptr)
    open = mesh.summary.closed() ? "" : "its surface is open";
  else if (const MeshReport found = inspect(*mesh.mesh); !found.closed)
    open = fmt::format("{} edges are open", found.openEdges);
  if (!open.empty())
    throw Error(whole.name, fmt::format("{}, and its mesh is not closed ({})", why, open),
                "close the mesh (facet mesh inspect says more), " + help);
}

/// The layer as a pose has it. `middle`: of the pose, nm above the first interface.
Slab slabOf(const Stack &stack, std::size_t layer, double middle, const CrossingPose &of) {
  Slab slab{of.pose.rotation, of.pose.scale, -unbounded, unbounded, of.low, of.high, 0};
  if (!stack.isSubstrate(layer))
    slab.floor = stack.origin(layer + 1) - middle;
  if (!stack.isTop(layer))
    slab.top = stack.origin(layer) - middle;
  slab.from = std::clamp(0.0, slab.floor, slab.top);
  return slab;
}

/// The height of a part's place in its layer.
double heightOf(const Stack &stack, std::size_t layer, double middle, const Slab &slab) {
  if (slab.from == slab.top)
    return 0;
  return slab.from == slab.floor ? stack.lowest(layer) : middle - stack.origin(layer);
}

/// Poses that share their parts, by numbers that are alike to rounding: how z is turned, size,
/// height. `radius`: of the mesh, nm.
auto keyOf(const Pose &pose, double middle, double radius) {
  const auto whole = [](double x) { return std::llround(std::ldexp(x, 40)); };
  const Matrix3 &r = pose.rotation;
  return std::tuple(whole(r[6]), whole(r[7]), whole(r[8]), pose.scale, whole(middle / radius));
}

/// The part in one layer, of all poses; no slab of it may hold anything. `shared`: the number of
/// the slab of each pose, which is made of the first pose with that number.
Body partIn(const Body &whole, std::size_t layer, const std::vector<CrossingPose> &poses,
            const std::vector<std::size_t> &shared, const Stack &stack) {
  Body part = whole;
  part.layer = layer;
  part.title = fmt::format("{} in {}", whole.name, stack.title(layer));
  part.poses.clear();
  const double origin = stack.origin(whole.layer);
  for (std::size_t i = 0; i < poses.size(); ++i) {
    const double middle = poses[i].pose.levels[0].height + origin;
    if (shared[i] == part.slabs.size())
      part.slabs.push_back(slabOf(stack, layer, middle, poses[i]));
    Pose &pose = part.poses.emplace_back(poses[i].pose);
    pose.slab = shared[i];
    pose.levels[0].height = heightOf(stack, layer, middle, part.slabs[shared[i]]);
  }
  std::stable_sort(part.poses.begin(), part.poses.end(), [](const Pose &a, const Pose &b) {
    return std::tie(a.scale, a.slab) < std::tie(b.scale, b.slab);
  });
  part.largest = part.poses.back().scale;
  const auto size = [&](const Slab &s) { return std::pair(s.scale, s.thickness()); };
  part.thickest =
      static_cast<std::size_t>(std::ranges::max_element(part.slabs, {}, size) - part.slabs.begin());
  return part;
}

bool holdsAny(const Body &part) {
  return std::ranges::any_of(part.slabs, [&](const Slab &s) {
    return s.thickness() > slackOfReach * s.scale * part.mesh.summary.farthest;
  });
}

/// What lies between two planes of triangles in a pose, closed, about its place.
Mesh within(Mesh some, const Slab &slab, double rounding) {
  constexpr std::array<double, 2> middle{0, 0};
  for (const Slab::Cut &one : slab.cuts()) {
    MeshParts parts = cutTriangles(some, one.height, rounding, middle);
    some = std::move(one.above ? parts.above : parts.below);
  }
  return posed(std::move(some), {0, 0, slab.from}, 1, noRotation);
}

/// Blocks of triangles are cut each by themselves, whenever they are read; how many are left of
/// each is counted once.
class CutBlocks {
public:
  CutBlocks(std::shared_ptr<const MeshBlocks> whole, std::int64_t block, const Slab &slab,
            double rounding)
      : whole_(std::move(whole)), block_(block), slab_(slab), rounding_(rounding) {
    for (std::int64_t b = 0; b * block_ < whole_->size(); ++b)
      begins_.push_back(begins_.back() + cut(b).size());
  }
  std::int64_t size() const { return begins_.back(); }
  Mesh read(std::int64_t first, std::int64_t count) const {
    Mesh some;
    auto b = std::ranges::upper_bound(begins_, first) - begins_.begin() - 1;
    for (; begins_[static_cast<std::size_t>(b)] < first + count; ++b) {
      const std::int64_t begin = begins_[static_cast<std::size_t>(b)];
      const auto here = std::make_shared<const Mesh>(cut(b));
      const std::int64_t from = std::max(first - begin, std::int64_t{0});
      append(
          runtime::blocksOf(here)->read(from, std::min(here->size(), first + count - begin) - from),
          some);
    }
    return some;
  }

private:
  Mesh cut(std::int64_t b) const {
    const std::int64_t first = b * block_;
    return within(whole_->read(first, std::min(block_, whole_->size() - first)), slab_, rounding_);
  }
  std::shared_ptr<const MeshBlocks> whole_;
  std::int64_t block_;
  Slab slab_;
  double rounding_;
  std::vector<std::int64_t> begins_{0}; // of each block's records, and their end
};

} // namespace

std::vector<Body> partsOf(const Body &whole, const std::vector<CrossingPose> &poses,
                          const Stack &stack,
                          const std::function<std::complex<double>(std::size_t)> &contrastIn) {
  std::vector<Body> parts;
  if (poses.empty())
    return parts;
  const double origin = stack.origin(whole.layer);
  checkMesh(whole, crossingText(stack, poses[0], poses[0].pose.levels[0].height + origin));
  std::vector<std::size_t> shared;
  std::map<decltype(keyOf(poses[0].pose, 0, 1)), std::size_t> known;
  for (const CrossingPose &p : poses)
    shared.push_back(known
                         .try_emplace(keyOf(p.pose, p.pose.levels[0].height + origin,
                                            whole.mesh.summary.farthest),
                                      known.size())
                         .first->second);
  for (std::size_t l = 0; l < stack.layers.size(); ++l) {
    Body part = partIn(whole, l, poses, shared, stack);
    if (!holdsAny(part))
      continue;
    part.contrast = contrastIn(l);
    part.records = typicalMesh(part)->size();
    if (part.records > 0)
      parts.push_back(std::move(part));
  }
  return parts;
}

std::shared_ptr<const MeshBlocks> blocksOf(const Body &part, const Slab &slab) {
  const SceneMesh &mesh = part.mesh;
  if (!slab.holds())
    return std::make_shared<const MeshBlocks>(0, [](std::int64_t, std::int64_t) { return Mesh(); });
  const auto whole = poseBlocks(mesh.blocks, part.middle, slab.scale, slab.tilt);
  const double rounding =
      roundingOfCut(slab.scale * std::max(mesh.summary.farthest, mesh.summary.farthestFromOrigin));
  if (!mesh.streamed())
    return runtime::blocksOf(
        std::make_shared<const Mesh>(within(whole->read(0, whole->size()), slab, rounding)));
  const auto cut =
      std::make_shared<const CutBlocks>(whole, std::min(mesh.block, rowsAtOnce), slab, rounding);
  return std::make_shared<const MeshBlocks>(
      cut->size(),
      [cut](std::int64_t first, std::int64_t count) { return cut->read(first, count); });
}

std::shared_ptr<const MeshBlocks> meshOf(const Body &body, const Pose &pose) {
  return body.isPart() ? blocksOf(body, body.slabs[pose.slab])
                       : poseBlocks(body.mesh.blocks, body.middle, pose.scale, noRotation);
}

Matrix3 turnOf(const Body &body, const Pose &pose) {
  if (!body.isPart())
    return pose.rotation;
  const Matrix3 &tilt = body.slabs[pose.slab].tilt;
  if (tilt == pose.rotation)
    return noRotation;
  const Matrix3 turn = times(pose.rotation, transposed(tilt));
  return {turn[0], turn[1], 0, turn[3], turn[4], 0, 0, 0, 1};
}

std::shared_ptr<const MeshBlocks> poseMesh(const Body &body, const Pose &pose) {
  return body.isPart() ? poseBlocks(meshOf(body, pose), {}, 1, turnOf(body, pose))
                       : poseBlocks(body.mesh.blocks, body.middle, pose.scale, pose.rotation);
}

std::shared_ptr<const MeshBlocks> typicalMesh(const Body &body) {
  return body.isPart() ? blocksOf(body, body.slabs[body.thickest])
                       : poseBlocks(body.mesh.blocks, body.middle, body.largest, noRotation);
}

} // namespace facet::runtime
