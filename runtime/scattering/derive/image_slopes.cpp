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

bool ImageSlopes::Change::moves() const { return bends() || planes != PlaneMoves{}; }

bool ImageSlopes::Change::any() const {
  return moves() || !direction.parameters.empty() || tile != nullptr || spheres != nullptr ||
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
  evaluator.eachPose(unit, [&](const PartsInUnit &parts) { addPose(parts, kept); });
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

double ImageSlopes::factorOfMean() const { return problem_.bodies.bodies[0].factor; }

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

void ImageSlopes::addPose(const PartsInUnit &parts, BodyAdjoints *kept) {
  leave(parts, own_);
  leave(parts, waves_);
  if (problem_.isCurve())
    spheres_ = spheresOf(problem_, parts[0].unit, parts[0].of.tile());
  for (std::size_t l = 0; l < parts[0].pose.levels.size(); ++l) {
    setTotal(parts, l);
    addValues(parts[0], l);
  }
  for (const PoseInUnit &part : parts) {
    const Mesh mesh = part.body.mesh.blocks->read(0, part.body.mesh.blocks->size());
    const PosedMesh inPose(mesh, part.body, part.pose);
    waves_[part.of.number()].set(problem_, options_.waves, part);
    addPart({part, mesh, inPose}, parts, adjointOf(part.of, kept != nullptr ? *kept : own_));
  }
}

void ImageSlopes::addPart(const MeshInUnit &here, const PartsInUnit &parts, BodyAdjoint &by) {
  byQ_ = {};
  byGrowth_.clear();
  for (std::size_t d = 0; d < options_.directions.size(); ++d) {
    const Change change = changeOf(here, d);
    const auto &objects = change.direction.objects;
    const auto moves = [&](std::size_t object) { return objects.contains(object); };
    bool first = true;
    for (std::size_t l = 0; l < here.pose.levels.size(); ++l) {
      const Pose::Level &level = here.pose.levels[l];
      if (!change.any() && std::ranges::none_of(level.objects, moves))
        continue;
      if (first)
        setF(here, change, by);
      first = false;
      setTotal(parts, l);
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
  if (!direction.waves.empty()) {
    const std::size_t wave = direction.waves.begin()->first;
    const auto &rows = waves_.at(here.of.number()).each;
    if (problem_.isCurve())
      change.spheres = &options_.waves[wave].spheres[here.unit.image];
    else if (rows[wave])
      change.tile = &*rows[wave];
  }
  if (here.body.isPart())
    setPlanes(here, change);
  return change;
}

/// A part that rises leaves its planes behind; interfaces move them. Copies are alike (one alone,
/// if objects move: GradientKeys).
void ImageSlopes::setPlanes(const MeshInUnit &here, Change &change) const {
  const double rise = movesOf(here, here.pose.levels[0], change)[0][2];
  for (const Slab::Cut &cut : here.body.slabs[here.pose.slab].cuts())
    change.planes[cut.plane] = (change.tile != nullptr ? change.tile->planes[cut.plane] : 0) - rise;
}

/// The amplitude of copies at one height, with contrasts.
void ImageSlopes::setTotal(const PartsInUnit &parts, std::size_t level) {
  total_.assign(parts[0].of.tile().size(), 0);
  for (const PoseInUnit &part : parts)
    part.of.tile().add(part.f, levelOf(problem_, part.pose.levels[level]), part.body.contrast,
                       coherent(), total_);
}

void ImageSlopes::addValues(const PoseInUnit &first, std::size_t level) {
  const double weight = first.pose.weight,
               copies = static_cast<double>(first.pose.levels[level].at.size());
  for (std::size_t i = 0; i < total_.size() && !coherent(); ++i)
    intensity_[i] += weight * first.body.factor * copies * std::norm(total_[i]);
  for (std::size_t i = 0; i < all_.size(); ++i)
    all_[i] += (coherent() ? 1 : weight) * total_[i];
}

/// dF / d(log s) as the mesh of the pose grows about its middle.
const ImageSlopes::Values &ImageSlopes::byGrowth(const MeshInUnit &here, BodyAdjoint &by) {
  if (byGrowth_.empty())
    byGrowth_ = by.byGrowth(options_.kernel, here.inPose, here.of.params());
  return byGrowth_;
}

/// What F changes by with its mesh. A shape that is alike after a turn changes F by next to
/// nothing, relative to which no sum would be accurate. So it grows as well, by twice as much as
/// any corner moves, and what F changes by with that is taken off again. A body that is not cut
/// grows as its pose does.
void ImageSlopes::setBent(const MeshInUnit &here, const Change &change, BodyAdjoint &by) {
  const double scale = here.pose.scale, farthest = here.body.mesh.summary.farthest;
  double turn = 0, most = 0;
  for (const double number : change.pose.rotation)
    turn += number * number;
  for (const auto &triangle : change.body.corners)
    for (const Vec3 &corner : triangle)
      most = std::max(most, length(corner));
  const bool cut = here.body.isPart();
  double growth = cut ? 0 : -change.pose.scale / scale;
  if (cut || turn > 0 || most > 0) {
    growth += 2 * (std::sqrt(turn) + most / farthest);
    std::vector<double> params = here.of.params();
    params.resize(2 * params.size());
    ofF_ = by.along(options_.kernel,
                    here.inPose.changing(change.pose, change.body.corners, change.planes, growth),
                    params);
  }
  if (growth == 0)
    return;
  const Values &byGrowing = byGrowth(here, by);
  for (std::size_t i = 0; i < ofF_.size(); ++i)
    ofF_[i] -= growth * byGrowing[i];
}

/// What F changes by.
void ImageSlopes::setF(const MeshInUnit &here, const Change &change, BodyAdjoint &by) {
  const std::vector<double> &params = here.of.params();
  ofF_.assign(here.f.size(), 0);
  if (here.pose.weight == 0 || here.inPose.mesh().size() == 0)
    return;
  if (change.moves())
    setBent(here, change, by);
  if (const auto &parameters = change.direction.parameters; !parameters.empty()) {
    std::vector<double> along = params;
    along.resize(2 * params.size());
    for (const auto &[parameter, number] : parameters)
      along[params.size() + slotOf(*here.of.kernel(), parameter.first) + parameter.second] = number;
    ofF_ = by.along(options_.kernel, here.inPose.changing({}, {}, {}, 0), along);
  }
  if (change.tile != nullptr) {
    if (byQ_[2].empty())
      byQ_ = by.slopesByQ(options_.kernel, here.of.kernel(), here.inPose.mesh(),
                          here.pose.scale * here.body.mesh.summary.farthest, params,
                          waves_.at(here.of.number()).each);
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
  ofAlone_.assign(tile.size(), 0);
  tile.addChange(here.f, ofF_, level, movesOf(here, level, change), change.tile, here.body.contrast,
                 coherent(), ofAlone_);
  if (change.body.contrast != 0.0)
    tile.add(here.f, level, change.body.contrast, coherent(), ofAlone_);
  Values &ofAll = ofAll_[change.number];
  const double weight = coherent() ? 1 : here.pose.weight,
               byWeight = here.first() && !coherent() ? change.pose.weight : 0,
               byFactor = here.first() ? logFactor(here, change) : 0;
  for (std::size_t i = 0; i < ofAll.size(); ++i)
    ofAll[i] += weight * ofAlone_[i] + byWeight * total_[i];
  if (coherent())
    return;
  if (problem_.decoupled() && here.first())
    common_[change.number] = byFactor;
  const double scale = here.body.factor * static_cast<double>(level.at.size());
  std::size_t at = 0; // in F
  for (std::size_t i = 0; i < total_.size(); ++i) {
    const double square = std::norm(total_[i]);
    double by = weight * byFactor + byWeight;
    if (change.spheres != nullptr && tile.visible(i))
      by += weight * (*change.spheres)[spheres_[at++]].logWeight;
    slopes_[change.number][i] +=
        scale * (weight * 2 * (std::conj(total_[i]) * ofAlone_[i]).real() + by * square);
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
