// adjoint.cpp - from cotangents of intensities to those of amplitudes, of F, of corners as they are
// posed, of corners of the mesh.
#include "runtime/scattering/derive/adjoint.h"
#include "runtime/engine/kernel/inside.h"
#include "runtime/engine/records/geometry.h"
#include "runtime/scattering/sample/dual.h"
#include <algorithm>
#include <cmath>
#include <span>

namespace facet::runtime {
namespace {

using Complex = std::complex<double>;

void operator+=(Vec3 &to, const Vec3 &v) { to = to + v; }
Vec3 row(const Matrix3 &m, std::size_t k) { return {m[3 * k], m[3 * k + 1], m[3 * k + 2]}; }

/// Where the lowest corner moves down, all of it moves up. Several that are lowest have a share
/// each: what all of them do is right.
void standOn(const Body &body, const Pose &pose, const Mesh &mesh, PoseCotangent &slopes,
             Corners &corners) {
  for (const auto &[t, c, share] : lowestCorners(body, pose, mesh)) {
    slopes.lowest += share * (mesh.triangles[t][c] - body.middle);
    corners[t][c] += -share * pose.scale * slopes.place[2] * row(pose.rotation, 2);
  }
}

/// A density in transmission is a fraction of the volume: Body::factor has the particle's own under
/// it.
void addVolume(const Body &body, const Mesh &mesh, SceneCotangent::BodyEntries &to) {
  const double by = -to.logFactor / body.mesh.summary.volume / 6;
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t)
    for (std::size_t c = 0; c < 3; ++c)
      to.corners[t][c] +=
          by * cross(mesh.triangles[t][(c + 1) % 3], mesh.triangles[t][(c + 2) % 3]);
}

/// 2 Re sum of conj(a) b: what L changes by as what has the cotangent a does by b.
double product(const std::vector<Complex> &a, const std::vector<Complex> &b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    sum += 2 * (std::conj(a[i]) * b[i]).real();
  return sum;
}

} // namespace

bool grows(const std::vector<WaveDirection> &directions, std::size_t band) {
  const auto moves = [](const SphereTangent &change) { return change.logRadius != 0; };
  return std::ranges::any_of(directions, [&](const WaveDirection &direction) {
    return std::ranges::any_of(direction.spheres[band], moves);
  });
}

std::vector<std::size_t> spheresOf(const SceneProblem &problem, const SceneUnit &unit,
                                   const ImageRows &tile) {
  const Pixels &pixels = problem.pixels(unit.image);
  std::vector<std::size_t> spheres;
  for (std::size_t i = 0; i < tile.size(); ++i)
    if (tile.visible(i))
      spheres.push_back(static_cast<std::size_t>(
          (unit.begin + static_cast<std::int64_t>(i) / pixels.columns()) / pixels.rowsOfSphere()));
  return spheres;
}

std::size_t slotOf(const facet_kernel_description &kernel, const std::string &name) {
  std::size_t slot = 0;
  for (const facet_parameter &p :
       std::span(kernel.parameters, static_cast<std::size_t>(kernel.parameter_count))) {
    if (p.name == name)
      break;
    slot += static_cast<std::size_t>(numberCount(p));
  }
  return slot;
}

void SceneAdjoint::finish(const SceneProblem &problem, SceneCotangent &slopes) {
  const bool sample = !problem.stack.layers.empty();
  for (auto &[b, to] : slopes.bodies) {
    const Body &body = problem.bodies.bodies[b];
    if (to.corners.empty())
      continue;
    const Mesh mesh = body.mesh.blocks->read(0, body.mesh.blocks->size());
    if (!sample && problem.experiment.particles[body.particle].density)
      addVolume(body, mesh, to);
    for (std::size_t p = 0; p < body.poses.size(); ++p)
      if (sample && problem.experiment.objects.empty())
        standOn(body, body.poses[p], mesh, to.poses[p], to.corners);
  }
}

std::map<std::size_t, Corners> SceneAdjoint::corners(const SceneProblem &problem,
                                                     const SceneCotangent &slopes) {
  std::map<std::size_t, Corners> all;
  for (const auto &[b, body] : slopes.bodies) {
    Corners &to = all[problem.bodies.bodies[b].particle];
    to.resize(body.corners.size());
    for (std::size_t t = 0; t < to.size(); ++t)
      for (std::size_t c = 0; c < 3; ++c)
        to[t][c] += body.corners[t][c];
  }
  return all;
}

SceneAdjoint::SceneAdjoint(const SceneProblem &problem, const Options &options)
    : problem_(problem), options_(options) {
  for (std::size_t b = 0; b < problem.bodies.bodies.size(); ++b) {
    const Body &body = problem.bodies.bodies[b];
    SceneCotangent::BodyEntries &of = slopes_.bodies[b];
    for (std::size_t p = 0; p < body.poses.size(); ++p)
      of.poses[p] = {};
    if (options_.corners)
      of.corners.resize(static_cast<std::size_t>(body.mesh.blocks->size()));
  }
  for (std::size_t o = 0; o < problem.experiment.objects.size(); ++o)
    slopes_.objects[o] = {};
  for (const auto &parameter : options_.parameters)
    slopes_.parameters[parameter] = 0;
  for (std::size_t w = 0; w < options_.waves.size(); ++w)
    slopes_.waves[w] = 0;
  for (std::size_t i = 0; i < problem.layout.images.size(); ++i)
    slopes_.images[i] = 0;
}

void WaveDirection::setViews(const SceneProblem &problem) {
  const double top = stack.layers.at(0).delta;
  if (!angle && top == 0)
    return;
  Experiment e = problem.experiment;
  if (e.detector) // as it is, whatever "auto" would take
    e.detector->form = problem.pixels(0).product() ? "small-angle" : "points";
  const double from = angle ? e.alphaI[*angle] : 0;
  // Angles step by about 1e-4 rad.
  step = angle ? std::min(1e-4, from * degree / 8) / alphaI : 1e-3;
  for (std::size_t k = 0; k < views.size(); ++k) {
    const double by = FourPoints::steps[k] * step;
    Stack moved = problem.stack;
    moved.layers[0].delta += by * top;
    if (angle)
      e.alphaI[*angle] = from + by * alphaI / degree;
    views[k] = viewsOf(e, moved, problem.layout.seen()[0].pixels->k(), 0);
    if (const auto &beams = problem.layout.beams; !beams.empty())
      views[k] = viewsBy(beams, views[k]);
  }
}

namespace {
/// What lies in a body's layer moves with the interfaces, and its planes with these.
void setRise(const Body &body, const Stack &change, RowsChange &to) {
  const bool film = !change.isTop(body.home) && !change.isSubstrate(body.home);
  const double rise = change.origin(body.home) + (film ? change.lowest(body.home) : 0);
  to.rise = rise - change.origin(body.layer);
  to.planes = {change.origin(body.layer + 1) - rise, -to.rise};
}
} // namespace

void WaveChanges::set(const SceneProblem &problem, const std::vector<WaveDirection> &directions,
                      const PoseInUnit &here) {
  const SceneUnit &unit = here.unit;
  const std::size_t now = problem.isCurve() ? 0 : problem.layout.images[unit.image].angle;
  if (tile == here.of.sharedTile() && angle == now)
    return;
  tile = here.of.sharedTile();
  angle = now;
  each.assign(directions.size(), {});
  for (std::size_t w = 0; w < each.size() && !problem.isCurve(); ++w)
    if (const WaveDirection &direction = directions[w];
        !direction.arrangement && (!direction.angle || angle == *direction.angle)) {
      each[w] = tile->changeOf(problem.pixels(unit.image), problem.stack, here.body.layer,
                               unit.rows(), direction, unit.image);
      setRise(here.body, direction.stack, *each[w]);
    }
}

BodyAdjoint &adjointOf(const PosedBody &of, BodyAdjoints &all) {
  BodyAdjoint &found = all[of.number()];
  if (found.tile != of.sharedTile())
    found = {of.sharedTile(), nullptr, nullptr, nullptr};
  return found;
}

const std::vector<Complex> &BodyAdjoint::along(const KernelSource &from, const Mesh &changing,
                                               const std::vector<double> &params) {
  if (tangent) {
    tangent->setMesh(changing);
  } else {
    std::vector<double> some = params; // in which F changes, whatever the mesh does
    std::fill(some.begin() + std::ssize(some) / 2, some.end(), 1);
    tangent = std::make_unique<Plan>(planAlong(tangentKernel(from.file, tile->grid(), from.options),
                                               from, tile->grid(), changing, some));
  }
  return valuesAlong(*tangent, params);
}

std::array<std::vector<Complex>, 3>
BodyAdjoint::slopesByQ(const KernelSource &from, const Kernel &kernel, const Mesh &mesh,
                       double radius, const std::vector<double> &params,
                       const std::vector<std::optional<RowsChange>> &changes) {
  std::string axes;
  for (const std::size_t axis : {0, 1})
    if (std::ranges::any_of(changes,
                            [&](const auto &change) { return change && change->moves[axis]; }))
      axes += "xy"[axis];
  axes += 'z';
  if (byQ && byQ->axes() == axes)
    byQ->setMesh(mesh);
  else
    byQ = std::make_unique<QSlopes>(kernel, from, axes, tile->grid(), mesh, radius, params);
  return byQ->at(params);
}

std::vector<Complex> BodyAdjoint::byGrowth(const KernelSource &from, const PosedMesh &mesh,
                                           std::vector<double> params) {
  params.resize(2 * params.size());
  return along(from, mesh.changing({}, {}, {}, 1), params);
}

void SceneAdjoint::add(const SceneUnit &unit, UnitEvaluator &evaluator, const double *cotangent,
                       const std::vector<double> &scales, BodyAdjoints *kept) {
  weights_.resize(scales.size());
  for (std::size_t i = 0; i < scales.size(); ++i)
    weights_[i] = std::isnan(scales[i]) ? 0 : scales[i] * cotangent[i];
  byScales_ = scaleSlopes(problem_, unit, options_.waves);
  for (std::vector<double> &some : byScales_)
    for (std::size_t i = 0; i < some.size(); ++i)
      some[i] = std::isnan(scales[i]) ? 0 : some[i] * cotangent[i];
  if (coherent()) {
    std::vector<double> squares(scales.size());
    Partial sums;
    evaluator.run(unit, sums);
    all_.resize(scales.size());
    for (std::size_t i = 0; i < all_.size(); ++i) {
      const Complex amplitude = problem_.commonContrast() * amplitudeOf(sums, i);
      all_[i] = weights_[i] * amplitude;
      squares[i] = std::norm(amplitude);
      slopes_.images[unit.image] += weights_[i] * squares[i];
    }
    addScales(squares, 1);
  } else {
    setMean(unit, evaluator);
  }
  evaluator.eachPose(unit, [&](const PartsInUnit &parts) { addPose(parts, kept); });
}

/// The decoupling approximation adds (S - 1) |mean amplitude|^2.
void SceneAdjoint::setMean(const SceneUnit &unit, UnitEvaluator &evaluator) {
  mean_.assign(weights_.size(), 0);
  excess_.assign(weights_.size(), 0);
  if (!problem_.decoupled())
    return;
  Partial sums;
  evaluator.run(unit, sums);
  const std::vector<double> structure = structureOf(problem_, unit, 1);
  for (std::size_t i = 0; i < mean_.size(); ++i) {
    mean_[i] = problem_.commonContrast() * amplitudeOf(sums, i);
    excess_[i] = structure[i] - 1;
  }
}

void SceneAdjoint::addPose(const PartsInUnit &parts, BodyAdjoints *kept) {
  leave(parts, own_);
  leave(parts, changes_);
  std::vector<Values> ofF;
  for (const PoseInUnit &part : parts) {
    ofF.emplace_back(part.f.size());
    changes_[part.of.number()].set(problem_, options_.waves, part);
  }
  for (std::size_t l = 0; l < parts[0].pose.levels.size(); ++l) {
    setCotangent(parts, l);
    for (std::size_t p = 0; p < parts.size(); ++p)
      pullLevel(parts[p], l, ofF[p]);
  }
  if (parts[0].pose.weight == 0) // of the estimate of the error alone
    return;
  if (!options_.corners && options_.parameters.empty() && options_.waves.empty())
    return;
  for (std::size_t p = 0; p < parts.size(); ++p)
    addPart(parts[p], ofF[p], adjointOf(parts[p].of, kept != nullptr ? *kept : own_));
}

void SceneAdjoint::addPart(const PoseInUnit &here, const Values &ofF, BodyAdjoint &by) {
  const Mesh mesh = here.body.mesh.blocks->read(0, here.body.mesh.blocks->size());
  const PosedMesh inPose(mesh, here.body, here.pose);
  if (inPose.mesh().size() == 0)
    return;
  if (options_.corners)
    addCorners(here, mesh, inPose, ofF, by);
  if (!options_.parameters.empty())
    addParameters(here, inPose.mesh(), ofF, by);
  if (!options_.waves.empty())
    problem_.isCurve() ? addSpheres(here, inPose, ofF, by) : addWaves(here, inPose.mesh(), ofF, by);
}

void SceneAdjoint::addScales(const std::vector<double> &squares, double weight) {
  for (std::size_t w = 0; w < byScales_.size(); ++w)
    for (std::size_t i = 0; i < byScales_[w].size(); ++i)
      slopes_.waves[w] += weight * byScales_[w][i] * squares[i];
}

/// The cotangent of the amplitudes of copies at one height, as they are added up.
void SceneAdjoint::setCotangent(const PartsInUnit &parts, std::size_t level) {
  const PoseInUnit &first = parts[0];
  if (coherent()) {
    cotangent_ = all_;
    return;
  }
  alone_.assign(first.of.tile().size(), 0);
  for (const PoseInUnit &part : parts)
    part.of.tile().add(part.f, levelOf(problem_, part.pose.levels[level]), part.body.contrast,
                       false, alone_);
  const double scale = first.body.factor * static_cast<double>(first.pose.levels[level].at.size());
  cotangent_.resize(alone_.size());
  double all = 0, byMean = 0;
  std::vector<double> squares(alone_.size()); // of what S multiplies
  for (std::size_t i = 0; i < alone_.size(); ++i) {
    const double square = std::norm(alone_[i]), ofMean = (std::conj(mean_[i]) * alone_[i]).real();
    cotangent_[i] = first.pose.weight * scale * weights_[i] * (alone_[i] + excess_[i] * mean_[i]);
    squares[i] = problem_.decoupled() ? ofMean : square;
    all += weights_[i] * (square + excess_[i] * ofMean);
    byMean += weights_[i] * excess_[i] * ofMean;
  }
  addScales(squares, first.pose.weight * scale);
  const double share = first.pose.weight * scale * all;
  toPose(first).weight += scale * (all + byMean);
  to(first).logFactor += share;
  slopes_.images[first.unit.image] += share;
}

void SceneAdjoint::pullLevel(const PoseInUnit &here, std::size_t l, Values &ofF) {
  const Pose::Level &given = here.pose.levels[l], level = levelOf(problem_, given);
  const ImageRows &tile = here.of.tile();
  alone_.assign(tile.size(), 0);
  tile.add(here.f, level, 1, coherent(), alone_);
  for (std::size_t i = 0; i < alone_.size(); ++i)
    to(here).contrast += std::conj(cotangent_[i]) * alone_[i];
  PlaceSlopes places;
  tile.pull(cotangent_, here.f, level, here.body.contrast, coherent(), ofF,
            options_.places ? &places : nullptr);
  if (options_.places && level.height == given.height)
    addPlaces(here, level, places);
  const Values same(here.f.size());
  const auto &changes = changes_.at(here.of.number()).each;
  for (std::size_t w = 0; w < changes.size(); ++w) {
    if (!changes[w])
      continue;
    alone_.assign(tile.size(), 0);
    tile.addChange(here.f, same, level, std::vector<Vec3>(level.at.size()), &*changes[w],
                   here.body.contrast, coherent(), alone_);
    slopes_.waves[w] += product(cotangent_, alone_);
  }
}

void SceneAdjoint::addPlaces(const PoseInUnit &here, const Pose::Level &level,
                             const PlaceSlopes &places) {
  Vec3 &place = toPose(here).place;
  place[2] += places.height;
  for (const Vec3 &slope : places.each)
    place += Vec3{slope[0], slope[1], 0};
  const double share = places.height / static_cast<double>(level.at.size());
  for (std::size_t j = 0; j < level.objects.size(); ++j)
    slopes_.objects[level.objects[j]] += places.each.empty() ? Vec3{0, 0, share} : places.each[j];
}

/// A part that rises leaves its planes behind; interfaces move them.
void SceneAdjoint::addPlanes(const PoseInUnit &here, const PlaneMoves &by) {
  const double both = by[0] + by[1];
  toPose(here).place[2] -= both;
  for (const std::size_t object : here.pose.levels[0].objects)
    slopes_.objects[object][2] -= both; // one alone: GradientKeys
  const auto &changes = changes_.at(here.of.number()).each;
  for (std::size_t w = 0; w < changes.size(); ++w)
    if (changes[w])
      slopes_.waves[w] += by[0] * changes[w]->planes[0] + by[1] * changes[w]->planes[1];
}

void SceneAdjoint::addParameters(const PoseInUnit &here, const Mesh &mesh, const Values &ofF,
                                 BodyAdjoint &by) {
  std::vector<double> along = here.of.params();
  const std::size_t first = along.size();
  along.resize(2 * first);
  const Mesh still = changing(mesh, Corners(mesh.triangles.size()));
  for (const auto &parameter : options_.parameters) {
    double &slot = along[first + slotOf(*here.of.kernel(), parameter.first) + parameter.second];
    slot = 1;
    slopes_.parameters[parameter] += product(ofF, by.along(options_.kernel, still, along));
    slot = 0;
  }
}

/// dF / dq' once for all directions.
void SceneAdjoint::addWaves(const PoseInUnit &here, const Mesh &mesh, const Values &ofF,
                            BodyAdjoint &by) {
  const auto &changes = changes_.at(here.of.number()).each;
  if (std::ranges::none_of(changes, [](const auto &change) { return change.has_value(); }))
    return;
  const auto byQ =
      by.slopesByQ(options_.kernel, here.of.kernel(), mesh,
                   here.pose.scale * here.body.mesh.summary.farthest, here.of.params(), changes);
  for (std::size_t w = 0; w < changes.size(); ++w) {
    if (!changes[w])
      continue;
    Values change(ofF.size());
    here.of.tile().addByQ(*changes[w], byQ, change);
    slopes_.waves[w] += product(ofF, change);
  }
}

/// For a curve: what its spheres change by, by sizes of the particle.
void SceneAdjoint::addSpheres(const PoseInUnit &here, const PosedMesh &mesh, const Values &ofF,
                              BodyAdjoint &by) {
  const Values byGrowth = grows(options_.waves, here.unit.image)
                              ? by.byGrowth(options_.kernel, mesh, here.of.params())
                              : here.f; // for nothing
  const double power = problem_.layout.curve->power.value_or(0);
  const std::vector<std::size_t> spheres = spheresOf(problem_, here.unit, here.of.tile());
  for (std::size_t at = 0; at < spheres.size(); ++at)
    for (std::size_t w = 0; w < slopes_.waves.size(); ++w) {
      const SphereTangent &change = options_.waves[w].spheres[here.unit.image][spheres[at]];
      slopes_.waves[w] +=
          (std::conj(ofF[at]) * (change.logWeight * here.f[at] +
                                 2 * change.logRadius * (byGrowth[at] - power * here.f[at])))
              .real();
    }
}

void SceneAdjoint::addCorners(const PoseInUnit &here, const Mesh &mesh, const PosedMesh &inPose,
                              const Values &ofF, BodyAdjoint &sums) {
  if (sums.sums)
    sums.sums->setMesh(inPose.mesh());
  else
    sums.sums = std::make_unique<Gradient>(options_.kernel.file, here.of.tile().grid(),
                                           inPose.mesh(), options_.kernel.options);
  PlaneMoves planes{};
  const Corners by = inPose.pull(sums.sums->corners(ofF, here.of.params()), planes);
  slopes_.error = std::max(slopes_.error, sums.sums->last().error);
  if (here.body.isPart())
    addPlanes(here, planes);
  const auto &turn = here.pose.rotation;
  Corners &corners = to(here).corners;
  Matrix3 &moment = toPose(here).moment;
  for (std::size_t t = 0; t < by.size(); ++t)
    for (std::size_t c = 0; c < 3; ++c) {
      const Vec3 v = mesh.triangles[t][c] - here.body.middle;
      for (std::size_t k = 0; k < 3; ++k) {
        corners[t][c] += here.pose.scale * by[t][c][k] * row(turn, k);
        for (std::size_t l = 0; l < 3; ++l)
          moment[3 * k + l] += by[t][c][k] * v[l];
      }
    }
}

} // namespace facet::runtime
