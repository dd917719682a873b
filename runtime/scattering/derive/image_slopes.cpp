// image_slopes.cpp - from directions to F, to amplitudes, to intensities, pose by pose.
#include "runtime/scattering/derive/image_slopes.h"
#include "runtime/engine/kernel/inside.h"
#include "runtime/engine/records/geometry.h"
#include <algorithm>
#include <cmath>

namespace facet::runtime {
namespace {

using Complex = std::complex<double>;

const SceneTangent::BodyEntries nothing;

} // namespace

bool ImageSlopes::Change::bends() const {
  return !body.corners.empty() || pose.scale != 0 ||
         std::ranges::any_of(pose.rotation, [](double by) { return by != 0; });
}

bool ImageSlopes::Change::any() const {
  return bends() || !direction.parameters.empty() || tile != nullptr || spheres != nullptr ||
         pose.weight != 0 || pose.height != 0 || body.logFactor != 0 || body.contrast != 0.0;
}

std::vector<std::vector<double>> ImageSlopes::of(const SceneUnit &unit, UnitEvaluator &evaluator,
                                                 const std::vector<double> &scales,
                                                 BodyAdjoints *kept) {
  const std::size_t n = scales.size(), directions = options_.directions.size();
  all_.assign(sumsAmplitudes() ? n : 0, 0);
  common_.assign(directions, 0);
  intensity_.assign(n, 0);
  ofAll_.assign(directions, Values(all_.size()));
  slopes_.assign(directions, std::vector<double>(n));
  evaluator.eachPose(unit, [&](const PosedBody &of, std::size_t pose, const Values &f) {
    const Body &body = problem_.bodies.bodies[of.number()];
    const Mesh mesh = body.mesh.blocks->read(0, body.mesh.blocks->size());
    addPose({{unit, of, body, pose, body.poses[pose], f}, mesh}, adjointOf(of, kept, own_));
  });
  if (problem_.decoupled())
    addMean(unit);
  for (std::size_t i = 0; i < n; ++i) {
    if (coherent())
      intensity_[i] = std::norm(all_[i]);
    for (std::size_t d = 0; d < directions; ++d) {
      double &slope = slopes_[d][i];
      if (coherent())
        slope = 2 * (std::conj(all_[i]) * ofAll_[d][i]).real();
      if (const auto &images = options_.directions[d].images; !images.empty())
        slope += images.at(unit.image) * intensity_[i];
      slope *= scales[i];
    }
  }
  if (problem_.decoupled()) // S multiplies no more than the mean amplitude
    for (std::size_t i = 0; i < n; ++i)
      intensity_[i] = factorOfMean() * std::norm(all_[i]);
  addScales(unit);
  return std::move(slopes_);
}

double ImageSlopes::factorOfMean() const {
  return problem_.bodies.bodies[0].factor * std::norm(problem_.commonContrast());
}

/// The decoupling approximation adds (S - 1) |mean amplitude|^2.
void ImageSlopes::addMean(const SceneUnit &unit) {
  const std::vector<double> structure = structureOf(problem_, unit, 1);
  for (std::size_t i = 0; i < all_.size(); ++i) {
    const double factor = (structure[i] - 1) * factorOfMean(), square = std::norm(all_[i]);
    intensity_[i] += factor * square;
    for (std::size_t d = 0; d < slopes_.size(); ++d)
      slopes_[d][i] +=
          factor * (2 * (std::conj(all_[i]) * ofAll_[d][i]).real() + common_[d] * square);
  }
}

/// What intensities change by with S of the arrangement.
void ImageSlopes::addScales(const SceneUnit &unit) {
  const auto byScales = scaleSlopes(problem_, unit, options_.waves);
  for (std::size_t d = 0; d < slopes_.size(); ++d)
    for (const auto &[wave, number] : options_.directions[d].waves)
      for (std::size_t i = 0; i < byScales[wave].size(); ++i)
        slopes_[d][i] += number * byScales[wave][i] * intensity_[i];
}

void ImageSlopes::addPose(const MeshInUnit &here, BodyAdjoint &by) {
  waves_.set(problem_, options_.waves, here.unit, here.of);
  byQ_ = {};
  byGrowth_.clear();
  if (problem_.isCurve())
    spheres_ = spheresOf(problem_, here.unit, here.of.tile());
  for (const Pose::Level &level : here.pose.levels)
    addValues(here, levelOf(problem_, level));
  for (std::size_t d = 0; d < options_.directions.size(); ++d) {
    const Change change = changeOf(here, d);
    const auto &objects = change.direction.objects;
    const auto moves = [&](std::size_t object) { return objects.contains(object); };
    bool first = true;
    for (const Pose::Level &level : here.pose.levels) {
      if (!change.any() && std::ranges::none_of(level.objects, moves))
        continue;
      if (first)
        setF(here, change, by);
      first = false;
      addLevel(here, levelOf(problem_, level), change);
    }
  }
}

ImageSlopes::Change ImageSlopes::changeOf(const MeshInUnit &here, std::size_t d) const {
  const SceneTangent &direction = options_.directions[d];
  const auto body = direction.bodies.find(here.of.number());
  Change change{d, direction, body == direction.bodies.end() ? nothing : body->second};
  if (const auto pose = change.body.poses.find(here.number); pose != change.body.poses.end())
    change.pose = pose->second;
  if (direction.waves.empty())
    return change;
  const std::size_t wave = direction.waves.begin()->first;
  if (problem_.isCurve())
    change.spheres = &options_.waves[wave].spheres[here.unit.image];
  else if (waves_.each[wave])
    change.tile = &*waves_.each[wave];
  return change;
}

/// The scale of the intensity of an amplitude, without the pose's weight.
double ImageSlopes::scaleOf(const MeshInUnit &here, const Pose::Level &level) const {
  return here.body.factor * static_cast<double>(level.at.size()) * std::norm(here.body.contrast);
}

void ImageSlopes::addValues(const MeshInUnit &here, const Pose::Level &level) {
  alone_.assign(here.of.tile().size(), 0);
  here.of.tile().add(here.f, level, 1, coherent(), alone_);
  for (std::size_t i = 0; i < alone_.size(); ++i)
    if (coherent())
      all_[i] += here.body.contrast * alone_[i];
    else
      intensity_[i] += here.pose.weight * scaleOf(here, level) * std::norm(alone_[i]);
  for (std::size_t i = 0; i < all_.size() && !coherent(); ++i)
    all_[i] += here.pose.weight * alone_[i];
}

/// dF / d(log s) as the mesh of the pose grows about its middle.
const ImageSlopes::Values &ImageSlopes::byGrowth(const MeshInUnit &here, BodyAdjoint &by) {
  if (byGrowth_.empty())
    byGrowth_ =
        by.byGrowth(options_.kernel, here.mesh, here.body.middle, here.pose, here.of.params());
  return byGrowth_;
}

/// What F changes by with its mesh. A shape that is alike after a turn changes F by next to
/// nothing, relative to which no sum would be accurate. So it grows as well, by twice as much as
/// any corner moves, and what F changes by with that is taken off again.
void ImageSlopes::setBent(const MeshInUnit &here, const Change &change, BodyAdjoint &by) {
  const double scale = here.pose.scale, farthest = here.body.mesh.summary.farthest;
  double turn = 0, most = 0;
  for (const double number : change.pose.rotation)
    turn += number * number;
  for (const auto &triangle : change.body.corners)
    for (const Vec3 &corner : triangle)
      most = std::max(most, length(corner));
  double growth = -change.pose.scale / scale;
  if (turn > 0 || most > 0) {
    const double more = 2 * (std::sqrt(turn) + most / farthest);
    PoseTangent grows = change.pose;
    grows.scale = more * scale;
    growth += more;
    std::vector<double> params = here.of.params();
    params.resize(2 * params.size());
    ofF_ = by.along(
        options_.kernel,
        changingAlong(here.mesh, here.body.middle, here.pose, grows, change.body.corners), params);
  }
  const Values &byGrowing = byGrowth(here, by);
  for (std::size_t i = 0; i < ofF_.size(); ++i)
    ofF_[i] -= growth * byGrowing[i];
}

/// What F changes by.
void ImageSlopes::setF(const MeshInUnit &here, const Change &change, BodyAdjoint &by) {
  const std::vector<double> &params = here.of.params();
  ofF_.assign(here.f.size(), 0);
  if (here.pose.weight == 0)
    return;
  if (change.bends())
    setBent(here, change, by);
  if (const auto &parameters = change.direction.parameters; !parameters.empty()) {
    std::vector<double> along = params;
    along.resize(2 * params.size());
    for (const auto &[parameter, number] : parameters)
      along[params.size() + slotOf(*here.of.kernel(), parameter.first) + parameter.second] = number;
    ofF_ = by.along(options_.kernel, changingAlong(here.mesh, here.body.middle, here.pose, {}, {}),
                    along);
  }
  if (change.tile != nullptr) {
    if (byQ_[2].empty())
      byQ_ = by.slopesByQ(options_.kernel, here.of.kernel(),
                          posed(here.mesh, here.body.middle, here.pose.scale, here.pose.rotation),
                          here.pose.scale * here.body.mesh.summary.farthest, params, waves_.each);
    here.of.tile().addByQ(*change.tile, byQ_, ofF_);
  }
  if (change.spheres != nullptr && grows(options_.waves, here.unit.image)) {
    const Values &byGrowing = byGrowth(here, by);
    const double power = problem_.layout.curve->power.value_or(0);
    for (std::size_t at = 0; at < ofF_.size(); ++at)
      ofF_[at] += (*change.spheres)[spheres_[at]].logRadius * (byGrowing[at] - power * here.f[at]);
  }
}

void ImageSlopes::addLevel(const MeshInUnit &here, const Pose::Level &level, const Change &change) {
  const ImageRows &tile = here.of.tile();
  alone_.assign(tile.size(), 0);
  tile.add(here.f, level, 1, coherent(), alone_);
  ofAlone_.assign(tile.size(), 0);
  tile.addChange(here.f, ofF_, level, movesOf(here, level, change), change.tile, 1, coherent(),
                 ofAlone_);
  const Complex contrast = here.body.contrast, byContrast = change.body.contrast;
  if (coherent()) {
    for (std::size_t i = 0; i < alone_.size(); ++i)
      ofAll_[change.number][i] += contrast * ofAlone_[i] + byContrast * alone_[i];
    return;
  }
  const double weight = here.pose.weight, scale = scaleOf(here, level),
               copies = here.body.factor * static_cast<double>(level.at.size()),
               ofAll = scale * (weight * logFactor(here, change) + change.pose.weight) +
                       copies * weight * 2 * (std::conj(contrast) * byContrast).real();
  if (problem_.decoupled() && contrast != 0.0)
    common_[change.number] = logFactor(here, change) +
                             2 * (std::conj(contrast) * byContrast).real() / std::norm(contrast);
  for (std::size_t i = 0; i < ofAll_[change.number].size(); ++i)
    ofAll_[change.number][i] += weight * ofAlone_[i] + change.pose.weight * alone_[i];
  std::size_t at = 0; // in F
  for (std::size_t i = 0; i < alone_.size(); ++i) {
    double &slope = slopes_[change.number][i];
    slope += scale * weight * 2 * (std::conj(alone_[i]) * ofAlone_[i]).real() +
             ofAll * std::norm(alone_[i]);
    if (change.spheres != nullptr && tile.visible(i))
      slope += scale * weight * (*change.spheres)[spheres_[at++]].logWeight * std::norm(alone_[i]);
  }
}

/// What copies move by: with the pose, with the corners that they stand on, each by itself.
std::vector<Vec3> ImageSlopes::movesOf(const MeshInUnit &here, const Pose::Level &level,
                                       const Change &change) const {
  Vec3 lowest{}, bent{}; // the mean of all places that are lowest, and what it changes by
  if (change.bends() && problem_.experiment.objects.empty() && !problem_.stack.layers.empty()) {
    for (const auto &[t, c, share] : lowestCorners(here.body, here.pose, here.mesh)) {
      lowest = lowest + share * (here.mesh.triangles[t][c] - here.body.middle);
      if (!change.body.corners.empty())
        bent = bent + share * change.body.corners[t][c];
    }
  }
  Vec3 all = moveOf(problem_, here.body, here.pose, change.pose, lowest);
  all[2] -= here.pose.scale * times(here.pose.rotation, bent)[2];
  std::vector<Vec3> moves(level.at.size(), all);
  const auto &objects = change.direction.objects;
  for (std::size_t j = 0; j < level.objects.size() && !objects.empty(); ++j)
    if (const auto object = objects.find(level.objects[j]); object != objects.end())
      moves[j] = moves[j] + object->second;
  return moves;
}

/// A density in transmission is a fraction of the volume, which corners change.
double ImageSlopes::logFactor(const MeshInUnit &here, const Change &change) const {
  double by = change.body.logFactor;
  if (change.body.corners.empty() || !problem_.stack.layers.empty() ||
      !problem_.experiment.particles[here.body.particle].density)
    return by;
  for (std::size_t t = 0; t < change.body.corners.size(); ++t)
    for (std::size_t c = 0; c < 3; ++c) {
      const auto &corners = here.mesh.triangles[t];
      by -= dot(change.body.corners[t][c], cross(corners[(c + 1) % 3], corners[(c + 2) % 3])) / 6 /
            here.body.mesh.summary.volume;
    }
  return by;
}

} // namespace facet::runtime
