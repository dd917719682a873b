// problem.cpp - the images and bodies of an experiment, and the names of what is computed;
// decisions of scenes as JSON, and at other scales.
#include "runtime/scattering/scene/problem.h"
#include "runtime/engine/kernel/inside.h"
#include "runtime/engine/sum/cut.h"
#include "runtime/engine/system/fields.h"
#include "runtime/engine/system/units.h"
#include "runtime/scattering/scene/crossing.h"
#include <algorithm>
#include <array>
#include <cmath>
#include <facet/runtime/error.h>
#include <fmt/format.h>
#include <limits>
#include <numbers>
#include <numeric>

namespace facet::runtime {
namespace {

/// The most poses, and records all together, of a block of poses: a block is the least that a stop
/// can keep.
constexpr std::int64_t mostPoses = 32, mostRecords = std::int64_t{1} << 21;

/// The largest |q'| of an image.
Reach reachOf(const Pixels &pixels) {
  Reach reach;
  for (std::int64_t r = 0; r < pixels.rows(); ++r)
    for (std::int64_t c = 0; c < pixels.columns(); ++c) {
      const PixelView look = pixels.at(r, c);
      if (look.behind)
        continue;
      const double across = std::hypot(look.lateral[0], look.lateral[1]);
      // In a layer Re kz is no larger than in the ambient.
      reach.across = std::max(reach.across, across);
      reach.all = std::max(reach.all, std::hypot(across, look.q[2]));
    }
  return reach;
}

void describe(const Experiment &e, bool sample, bool mixed, SceneLayout &layout) {
  const Particle &first = e.particles[0];
  const bool material = first.delta.has_value(), counted = first.density.has_value();
  layout.quantity = material ? "dsigma/dOmega" : "|F|^2";
  layout.unit = material ? "nm^2" : e.fUnit.empty() ? "" : toPower(e.fUnit, 2);
  if (counted && !sample) {
    layout.quantity = "dSigma/dOmega";
    layout.unit = "1/cm";
  } else if (counted && e.detector) {
    layout.quantity = e.flux > 0 ? e.time > 0 ? "counts" : "counts in a second"
                                 : "counts for one photon of the beam";
    layout.unit = "1";
  } else if (counted) {
    layout.quantity = "counts for one photon of the beam";
    layout.unit = "1/sr";
  }
  if (e.resolution.isInfinite()) // I is an integral over q
    layout.unit = layout.unit.empty() ? "" : layout.unit + "/nm";
  layout.amplitudeName = sample ? "Phi" : "F";
  layout.amplitudeUnit = e.fUnit;
  if (mixed) { // no common factor: the contrasts are in the amplitude
    layout.amplitudeName = "A";
    layout.amplitudeUnit = "nm";
  }
}

void setResolution(const Experiment &e, bool sample, SceneLayout &layout) {
  layout.beams = beamsOf(e.resolution);
  if (!layout.beams.empty()) {
    layout.recorded = std::move(layout.images);
    layout.images = viewsBy(layout.beams, layout.recorded);
  }
  if (e.resolution.pointSpread == std::array<double, 2>{})
    return;
  for (const SceneView &view : layout.seen())
    layout.spreads.push_back(std::make_shared<PointSpread>(view.pixels, e.resolution.pointSpread,
                                                           e.particles[0].density && sample));
}

/// The size of those that scatter most: the root of <s^8> / <s^6>.
double brightSize(const SizeSpread &spread) {
  double sixth = 0, eighth = 0;
  for (const Size &size : sizesOf(spread, 0)) {
    sixth += size.weight * std::pow(size.scale, 6);
    eighth += size.weight * std::pow(size.scale, 8);
  }
  return std::sqrt(eighth / sixth);
}

/// S becomes part of the weights of spheres; of the decoupling approximation, of |<F>|^2 alone.
void weigh(const Arrangement &of, Spheres &spheres) {
  const auto structure = structureFactor(of);
  const auto valuesAt = [&](const std::vector<double> &lengths) {
    std::vector<double> values;
    for (const double q : lengths)
      values.push_back(structure->at({q, 0, 0}));
    return values;
  };
  spheres.structure = valuesAt(spheres.q);
  const bool local = of.approximation == "local-monodisperse";
  const std::vector<double> all = spheres.smearing == nullptr ? spheres.structure
                                  : local                     ? std::vector<double>()
                                                              : valuesAt(spheres.at());
  if (of.approximation == "decoupling") {
    for (const double s : all)
      spheres.excess.push_back(s - 1);
    return;
  }
  for (Band &band : spheres.bands)
    for (Sphere &sphere : band.spheres) {
      const double s = local ? structure->at({sphere.k, 0, 0}) : all[sphere.at];
      for (double *weight : {&sphere.weight, &sphere.half, &sphere.unsure, &sphere.beyond})
        *weight *= s;
    }
}

void checkSlit(const Resolution &resolution, const Symmetries &answers) {
  if (resolution.isInfinite() && answers.power != 3)
    throw Error("resolution",
                "an infinite slit needs I that falls as q^-4, and F of this kernel is no volume's",
                "slit_length = 2, nm^-1, or another kernel");
}

/// The spheres on which F of a particle is needed for a curve; `particle` becomes what F takes
/// there. Sizes become sizes of q if F_s(q) = s^d F(s q), else they stay with the particle.
std::shared_ptr<const Spheres> spheresOf(const Experiment &e, const SceneMesh &mesh,
                                         const Symmetries &answers, bool partners,
                                         Particle &particle, Reach &reach) {
  const Axis q = parseAxis(e.curve);
  if (q.isComplex())
    throw Error("grid", "q of a curve is a length: real and not below 0");
  std::vector<double> at = q.re;
  CurveOptions options;
  options.realDensity = answers.mirrored;
  options.directions = e.directions;
  options.group = mesh.group;
  options.radius = mesh.summary.farthest;
  options.power = answers.power.value_or(0);
  std::shared_ptr<const CurveResolution> smearing;
  if (e.resolution.smears()) {
    checkSlit(e.resolution, answers);
    const double largest = particle.size ? brightSize(*particle.size) : 1,
                 radius =
                     largest * options.radius + (e.arrangement ? correlation(*e.arrangement) : 0);
    smearing = std::make_shared<CurveResolution>(q.re, e.resolution, radius, e.accuracy);
    at = smearing->at();
  }
  reach.all = reach.across = *std::ranges::max_element(at);
  particle.orientation = {};
  std::optional<int> power;
  if (particle.size && answers.power) {
    power = answers.power;
    options.sizes = sizesOf(*particle.size, reach.all * options.radius);
    particle.size.reset();
  } else if (particle.size) {
    if (e.arrangement && e.arrangement->approximation == "local-monodisperse")
      throw Error("arrangement",
                  "each size has a mesh of its own, as F of the kernel has lengths of "
                  "its own: there is no S of each size",
                  "approximation = \"decoupling\"");
    options.radius *= largestSize(*particle.size);
  }
  const double loss = e.particles[0].size ? lossOf(*e.particles[0].size) : 0;
  auto spheres =
      std::make_shared<Spheres>(q.re, smearing, bandsOf(at, options), power, loss, partners);
  if (e.arrangement)
    weigh(*e.arrangement, *spheres);
  return spheres;
}

/// Those of a pose of the body, with all of its parts.
std::int64_t recordsOf(const Bodies &bodies, std::size_t first) {
  std::int64_t records = 0;
  for (std::size_t b = first; b < bodies.endOf(first); ++b)
    records += bodies.bodies[b].records;
  return records;
}

/// Half the extent, nm, of what waves interfere from: a particle in its largest size.
double halfOfParticles(const Experiment &e, const std::vector<SceneMesh> &meshes) {
  double half = 0;
  for (std::size_t p = 0; p < meshes.size(); ++p) {
    const double largest = e.particles[p].size ? largestSize(*e.particles[p].size) : 1;
    half = std::max(half, meshes[p].summary.farthest * largest);
  }
  return half;
}

/// The same for objects: all together if their amplitudes are summed, else the largest one.
double halfOfObjects(const Experiment &e, const std::vector<SceneMesh> &meshes) {
  const bool together = e.interference != "incoherent";
  std::array<double, 3> low, high, away{};
  low.fill(HUGE_VAL), high.fill(-HUGE_VAL);
  for (const Object &object : e.objects)
    for (std::size_t k = 0; k < 3; ++k) {
      low[k] = std::min(low[k], object.position[k]);
      high[k] = std::max(high[k], object.position[k]);
    }
  double half = 0;
  for (const Object &object : e.objects) {
    for (std::size_t k = 0; k < 3 && together; ++k)
      away[k] = object.position[k] - (low[k] + high[k]) / 2;
    const MeshSummary &mesh = meshes[object.particle].summary;
    half = std::max(half, std::hypot(away[0], away[1], away[2]) +
                              object.scale * (together ? mesh.farthestFromOrigin : mesh.farthest));
  }
  return half;
}

/// The waves at the middle of all particles. Throws Error if that is at several heights.
FresnelWaves fresnelWaves(const std::vector<Body> &bodies, const Stack &stack,
                          const std::vector<SceneView> &images) {
  constexpr double apart = 1e-9; // nm
  FresnelWaves waves{bodies[0].layer, bodies[0].poses[0].levels[0].height};
  for (const Body &body : bodies)
    for (const Pose &pose : body.poses)
      for (const Pose::Level &level : pose.levels)
        if (body.layer != waves.layer || std::abs(level.height - waves.height) > apart)
          throw Error("fresnel",
                      "particles have their middles at several heights, or in several layers",
                      "leave it out, or the sizes, tilts and objects that make them so");
  for (const SceneView &view : images) {
    const Wave in =
        layerWave(stack, waves.layer, view.pixels->k(), view.pixels->alphaI()).at(waves.height);
    waves.in.push_back({in.transmitted, in.reflected});
  }
  return waves;
}

std::vector<SpecularBeam> specularBeams(const Experiment &e, const Stack &stack,
                                        const std::vector<SceneView> &images) {
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  std::vector<SpecularBeam> beams;
  for (const SceneView &view : images) {
    if (view.slice > 0)
      continue;
    const Pixels &pixels = *view.pixels;
    const double r = std::norm(waves(stack, pixels.k(), pixels.alphaI())[0].reflected);
    const Geometry *geometry = pixels.geometry();
    const auto at = geometry != nullptr ? geometry->find(pixels.alphaI(), 0) : std::nullopt;
    beams.push_back({view.alphaI, r, at ? (*at)[0] : none, at ? (*at)[1] : none,
                     e.flux > 0 ? r * e.photons() : none});
  }
  return beams;
}

/// What is written of waves in layers.
void addWaves(const Experiment &e, const Bodies &bodies, const Stack &stack, SceneLayout &layout) {
  layout.terms = e.terms;
  if (e.fresnel)
    layout.fresnel = fresnelWaves(bodies.bodies, stack, layout.images);
  if (e.specular)
    layout.specular = specularBeams(e, stack, layout.seen());
}

double halfOf(const Experiment &e, const std::vector<SceneMesh> &meshes) {
  return e.objects.empty() ? halfOfParticles(e, meshes) : halfOfObjects(e, meshes);
}

} // namespace

SceneProblem::SceneProblem(const Experiment &e, const std::vector<SceneMesh> &meshes,
                           const Symmetries &answers, bool partners)
    : experiment(e), stack{e.layers} {
  Experiment posed = e;
  for (const Particle &particle : e.particles)
    if (particle.size)
      lossOfSizes = std::max(lossOfSizes, lossOf(*particle.size));
  if (!e.curve.empty())
    layout.curve = spheresOf(e, meshes[0], answers, partners, posed.particles[0], reach);
  else if (e.arrangement)
    layout.structure = structureFactor(*e.arrangement);
  const double k = e.wavelength > 0 ? 2 * std::numbers::pi / e.wavelength : 0;
  const double half = e.detector && e.detector->form != "points" ? halfOf(e, meshes) : 0;
  layout.images = isCurve() ? viewsOf(layout.curve) : viewsOf(e, stack, k, half);
  setResolution(e, !stack.layers.empty(), layout);
  for (const SceneView &view : layout.images)
    way.push_back(way.empty() ? 0 : way.back() + (view.slice > 0 || view.beam > 0 ? 0 : 1));
  const auto averaged = [](const Particle &p) { return p.orientation.average != "none" || p.size; };
  if (!isCurve() && std::ranges::any_of(posed.particles, averaged))
    for (const SceneView &view : layout.images) {
      const Reach here = reachOf(*view.pixels);
      reach = {std::max(reach.across, here.across), std::max(reach.all, here.all)};
    }
  bodies = bodiesOf(posed, meshes, stack, reach);
  if (const auto &size = e.particles[0].size;
      size && e.particles[0].density && isCurve() && layout.curve->power)
    bodies.bodies[0].factor /= meanCube(sizesOf(*size, reach.all * meshes[0].summary.farthest));
  const auto differs = [&](const Body &b) { return b.contrast != bodies.bodies[0].contrast; };
  mixed = std::ranges::any_of(bodies.bodies, differs);
  std::int64_t largest = 1; // records
  for (std::size_t b = 0; b < bodies.bodies.size(); b = bodies.endOf(b)) {
    largest = std::max(largest, recordsOf(bodies, b));
    for (std::size_t p = 0; p < bodies.bodies[b].poses.size(); ++p)
      poses.emplace_back(b, p);
  }
  // Blocks are about alike: threads that share them have as much to do.
  const std::int64_t n = std::max<std::int64_t>(std::ssize(poses), 1),
                     most = std::clamp<std::int64_t>(mostRecords / largest, 1, mostPoses);
  posesOfBlock = quotientUp(n, quotientUp(n, most));
  describe(e, !stack.layers.empty(), mixed, layout);
  layout.averaged = bodies.averaged && !isCurve(); // a curve's errors are those of its directions
  layout.amplitude = isCurve() ? decoupled() : e.amplitude;
  addWaves(e, bodies, stack, layout);
}

bool SceneDecision::onDevice() const {
  const auto byDevice = [](const BodyDecision &part) { return isDeviceTarget(part.how.target); };
  return std::ranges::any_of(
      ways, [&](const Incidence &way) { return std::ranges::any_of(way.parts, byDevice); });
}

double SceneProblem::rowOf(std::size_t image) const {
  return static_cast<double>(pixels(image).columns()) * (pixels(image).grazing() ? 4 : 1);
}

ImageRows SceneProblem::tile(std::size_t image, const Body &body,
                             const std::vector<std::int64_t> &rows, int threads) const {
  return {pixels(image), stack, body.layer, body.poses[0].levels[0].height, rows, threads};
}

std::int64_t SceneProblem::blocksOfPoses() const {
  return (static_cast<std::int64_t>(poses.size()) + posesOfBlock - 1) / posesOfBlock;
}

std::vector<std::int64_t> SceneUnit::rows() const {
  std::vector<std::int64_t> all(static_cast<std::size_t>(end - begin));
  std::iota(all.begin(), all.end(), begin);
  return all;
}

std::vector<SceneUnit> unitsOf(const SceneProblem &problem, const SceneDecision &decision) {
  std::vector<SceneUnit> units;
  for (std::size_t i = 0; i < problem.way.size(); ++i) {
    const std::int64_t step = decision.ways[problem.way[i]].rows, n = problem.pixels(i).rows();
    const std::int64_t blocks = problem.blocksOfPoses(), own = decision.ways[problem.way[i]].blocks;
    const std::int64_t together = own > 0 ? own : blocks;
    for (std::int64_t row = 0; row < n; row += step)
      for (std::int64_t block = 0; block < blocks; block += together)
        units.push_back(
            {i, row, std::min(row + step, n), block, std::min(block + together, blocks)});
  }
  return units;
}

std::pair<std::size_t, std::size_t> posesOf(const SceneProblem &problem, const SceneUnit &unit) {
  const auto all = static_cast<std::int64_t>(problem.poses.size());
  return {static_cast<std::size_t>(unit.first * problem.posesOfBlock),
          static_cast<std::size_t>(std::min(unit.last * problem.posesOfBlock, all))};
}

double workOf(const SceneProblem &problem, const SceneUnit &unit) {
  const auto [begin, end] = posesOf(problem, unit);
  double records = 0;
  for (std::size_t i = begin; i < end; ++i)
    records += static_cast<double>(recordsOf(problem.bodies, problem.poses[i].first));
  return records * sizeOf(problem, unit);
}

double workOf(const SceneProblem &problem, const std::vector<SceneUnit> &units) {
  double all = 0;
  for (const SceneUnit &unit : units)
    all += workOf(problem, unit);
  return all;
}

double sizeOf(const SceneProblem &problem, const SceneUnit &unit) {
  const Pixels &pixels = problem.pixels(unit.image);
  double seen = 0;
  for (std::int64_t row = unit.begin; row < unit.end; ++row)
    for (const std::int64_t column :
         {std::int64_t{0}, pixels.columns() / 2, pixels.columns() - 1}) {
      const PixelView look = pixels.at(row, column);
      seen += look.behind && !look.masked ? 0 : 1.0 / 3; // a mask may have just these three
    }
  return seen * problem.rowOf(unit.image);
}

namespace {

/// Throws Error if the records of the kernel cannot be posed as the body is.
void checkPoses(const SceneProblem &problem, const Body &body, const Kernel &kernel) {
  checkOneF(kernel);
  const auto sized = [](const Pose &pose) { return pose.scale != 1; };
  const auto turns = [](const Pose &pose) { return pose.rotation != noRotation; };
  if (!problem.stack.layers.empty())
    checkPlaces(*kernel, "put in a layer");
  else if (problem.bodies.averaged)
    checkPlaces(*kernel, "averaged over sizes or orientations");
  else if (std::any_of(body.poses.begin(), body.poses.end(), sized))
    checkPlaces(*kernel, "sized");
  else if (std::any_of(body.poses.begin(), body.poses.end(), turns))
    checkTurns(*kernel);
  if (body.isPart())
    checkCut(body, kernel, kernel.parameters(problem.experiment.parameters));
}

} // namespace

std::vector<Kernel> kernelsOf(const SceneProblem &problem,
                              const std::function<Kernel(const Grid &)> &libraryFor,
                              std::vector<std::vector<std::size_t>> &numbers) {
  constexpr double enough = 1 << 14; // q: short axes may run as points
  std::vector<Kernel> kernels;
  numbers.assign(problem.ways(), {});
  for (std::size_t i = 0; i < problem.way.size(); ++i) {
    std::vector<std::size_t> &own = numbers[problem.way[i]];
    if (!own.empty())
      continue;
    const auto some =
        std::max(static_cast<std::int64_t>(enough / problem.rowOf(i)), std::int64_t{1});
    for (const Body &body : problem.bodies.bodies) {
      // Takes rows from the last ones down, until some look before the sample.
      std::optional<ImageRows> tile;
      for (std::int64_t end = problem.pixels(i).rows();
           end > 0 && (!tile || tile->grid().size() == 0); end -= some)
        tile = problem.tile(i, body,
                            SceneUnit{i, std::max<std::int64_t>(0, end - some), end}.rows(), 1);
      if (tile->grid().size() == 0) { // an image behind the sample: nothing is computed
        own.push_back(0);
        continue;
      }
      const Kernel kernel = libraryFor(tile->grid());
      checkPoses(problem, body, kernel);
      const auto known =
          std::ranges::find_if(kernels, [&](const Kernel &k) { return &*k == &*kernel; });
      own.push_back(static_cast<std::size_t>(known - kernels.begin()));
      if (known == kernels.end())
        kernels.push_back(kernel);
    }
  }
  return kernels;
}

// Terms are areas, and F is a volume: near q = 0 their ratio grows as the scale falls, and so does
// the error of the sum relative to F.
Decision atScale(Decision d, double share) {
  if (share == 1)
    return d;
  for (double &c : d.frame.centre)
    c *= share;
  d.frame.radius *= share;
  for (Decision::Limit &limit : d.repair)
    limit.amplification *= share;
  for (Shell &shell : d.shells)
    shell.tolerance *= share;
  return d;
}

template <Either<SceneDecision::BodyDecision> T, class Use>
void eachField(T &part, const Use &use) {
  use("kernel", part.kernel);
  use("bytes", part.bytes);
  use("decision", part.how);
}

template <Either<SceneDecision::Incidence> T, class Use> void eachField(T &way, const Use &use) {
  use("rows", way.rows);
  use("pose_blocks", way.blocks);
  use("seconds", way.seconds);
  use("parts", way.parts);
}

std::string toJson(const SceneDecision &decision) { return Json(decision.ways).dump(); }

SceneDecision sceneDecisionFromJson(const std::string &text, const std::string &where) {
  SceneDecision decision;
  const auto isPossible = [](const SceneDecision::Incidence &way) {
    return way.rows >= 1 && way.blocks >= 0;
  };
  try {
    parseJson(text).get_to(decision.ways);
    if (!decision.ways.empty() && std::ranges::all_of(decision.ways, isPossible))
      return decision;
  } catch (const NoDecision &) {
    NoDecision::refuse(where);
  } catch (const NoSuchNumber &) { // said below
  } catch (const Json::exception &) {
  }
  throw Error(where, "holds no plan of an experiment that this facet can read",
              "begin anew with --overwrite");
}

PlanOptions planOptionsOf(const Experiment &e, const Kernel &kernel) {
  PlanOptions options;
  if (e.algorithm != "auto" && !e.algorithm.empty())
    options.algorithm = algorithmByName(e.algorithm);
  options.accuracy = e.accuracy;
  options.target = e.target;
  options.threads = e.threads;
  options.seed = e.seed;
  if (!e.klass.empty())
    options.klass = classByName(e.klass);
  if (!e.memory.empty())
    options.memory = parseBytes(e.memory);
  options.params = kernel.parameters(e.parameters);
  return options;
}

} // namespace facet::runtime
