// inputs.cpp - meshes made or taken over, images, and what each depends on, in words.
#include "runtime/scattering/simulate/inputs.h"
#include "runtime/engine/kernel/cache.h"
#include "runtime/engine/store/identity.h"
#include "runtime/engine/system/hash.h"
#include "runtime/scattering/experiment/schema.h"
#include "runtime/scattering/scene/budget.h"
#include "runtime/scattering/scene/remarks.h"
#include <algorithm>
#include <cmath>
#include <facet/runtime/error.h>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <random>

namespace facet::runtime {
namespace {

namespace fs = std::filesystem;

std::string shapeOf(const Particle &p, double memory) {
  std::string text = fmt::format("{}; {}; {:a}", p.mesh, p.shape, p.unit.value_or(0));
  for (const auto &[name, values] : p.shapeNumbers)
    text += fmt::format("; {} = {:a}", name, fmt::join(values, ", "));
  for (const auto &[name, value] : p.columns)
    text += fmt::format("; column {} = {:a}", name, value);
  if (p.mesh.empty())
    return text;
  std::error_code none;
  const auto bytes = fs::file_size(p.mesh, none);
  if (static_cast<double>(bytes) < memory)
    return text + "; " + hashFile(p.mesh);
  // Not read as a whole: little of it is the mesh, or it is refused.
  return text + fmt::format("; {} of {}", bytes,
                            fs::last_write_time(p.mesh, none).time_since_epoch().count());
}

std::string rowsOf(const Experiment &e) {
  std::map<std::string, std::string> parts = schema::identityOf(e);
  if (!e.points.empty())
    parts["grid"] = hashOf(makeGrid(e));
  return fmt::format("{}\n{}\n{}", parts["beam"], parts["sample"], parts["grid"]) +
         (e.resolution.hasBeams() ? "\n" + parts["resolution"] : "");
}

/// What q a curve takes depends on sizes of the particle, too.
std::string spheresOf(const Spheres &spheres) {
  Hash hash;
  for (const Band &band : spheres.bands) {
    hash.field(fmt::format("{} of {}", band.points(), band.order()));
    for (const Sphere &sphere : band.spheres)
      hash.field(fmt::format("{:a}", sphere.k));
  }
  return hash.hex() + (spheres.partners ? "" : " without partners");
}

/// As a scene takes it: its poses turn it.
Mesh meshOf(const Particle &p, double memory) {
  if (p.shape.empty()) {
    const double bytes =
        bytes::program + bytes::ofRecord * static_cast<double>(meshFileSize(p.mesh).records);
    if (bytes > memory)
      throw Error(p.mesh,
                  fmt::format("takes about {} of memory, {} allowed, and a simulation keeps its "
                              "meshes in memory",
                              showBytes(bytes), showBytes(memory)),
                  "facet run reads meshes a block at a time; or allow more: [run] memory");
  }
  Particle unturned = p;
  unturned.orientation = {};
  return makeMesh(unturned);
}

/// Triangles without a symmetry, within `radius`, with the columns of some records: 64 drawn ones,
/// and those with the least and the most of each column, as one alone may absorb.
Mesh withoutSymmetry(const Mesh &mesh, double radius) {
  std::mt19937_64 random(1);
  std::vector<std::int64_t> places;
  for (const auto &[name, values] : mesh.columns)
    for (const auto extreme : {std::ranges::min_element(values), std::ranges::max_element(values)})
      places.push_back(extreme - values.begin());
  for (int k = 0; k < 64; ++k)
    places.push_back(static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(mesh.size())));
  Mesh some = taken(mesh, places);
  some.roles = mesh.roles;
  for (auto &triangle : some.triangles)
    for (Vec3 &corner : triangle)
      for (double &x : corner)
        x = radius * (static_cast<double>(random() >> 11) * 0x1p-52 - 1);
  return some;
}

} // namespace

SimulationInputs::SimulationInputs(Experiment of, const SimulationInputs *before, double memory,
                                   SceneRun &run, const FitStep *step, bool whole)
    : SceneInputs(std::move(of)),
      code(step != nullptr && before != nullptr ? before->code : codeOf(experiment)),
      fit(step != nullptr) {
  if (!experiment.isScene())
    throw Error("experiment", "has one particle on one grid of q: there is no image to simulate",
                "make a plan of its kernel, mesh and grid; or add what makes an image: a beam, a "
                "detector, an average, [output] amplitude");
  if (experiment.terms || experiment.fresnel || experiment.specular)
    throw Error("output", "terms, fresnel and specular are of a file, and a simulation has none",
                "facet run writes them; or leave them out");
  if (before == nullptr)
    remark(remarksOn(experiment));
  if (fit) {
    takeMesh(before, step->mesh, run);
    trySymmetries(before, run);
  } else {
    takeMeshes(before, memory, run, whole);
    if (!experiment.curve.empty())
      setSymmetries(run.kernel(experiment, likelyGrid(experiment)));
    if (!whole)
      setGroups([&] { return run.kernel(experiment, likelyGrid(experiment)); });
  }
  setProblem(!fit || step->partners);
  checkImages(memory);
  if (before != nullptr && before->rows == rows && before->problem->ways() == problem->ways())
    reach = before->reach;
  else
    setReach();
  if (before == nullptr)
    for (const Sizes &sizes : sizesOf(*problem))
      remark(sizes.remarks);
}

void SimulationInputs::checkImages(double memory) const {
  const SceneLayout &layout = problem->layout;
  const double each =
      bytes::ofNumber * (layout.averaged ? 2 : 1) + (layout.amplitude ? bytes::ofComplex : 0);
  double all = 0;
  for (const SceneView &view : layout.images)
    all += problem->isCurve() ? 0
                              : each * static_cast<double>(view.pixels->rows()) *
                                    static_cast<double>(view.pixels->columns());
  if (all > memory)
    throw Error("image",
                fmt::format("{} images take {} of memory, {} allowed, and a simulation keeps them",
                            layout.images.size(), showBytes(all), showBytes(memory)),
                "facet run keeps them in a file; or take fewer pixels, or fewer points of "
                "[resolution]; or allow more: [run] memory");
}

void SimulationInputs::setProblem(bool partners) {
  SceneInputs::setProblem(partners);
  rows = rowsOf(experiment);
  arrangement = schema::identityOf(experiment)["arrangement"];
  if (problem->isCurve())
    rows += spheresOf(*problem->layout.curve);
}

void SimulationInputs::remark(const std::vector<Remark> &remarks) {
  for (const Remark &each : remarks)
    warnings.push_back(fmt::format("warning: {}\n  help: {}", each.text, each.help));
}

void SimulationInputs::takeMeshes(const SimulationInputs *before, double memory, SceneRun &run,
                                  bool whole) {
  for (const Particle &particle : experiment.particles) {
    const std::size_t i = meshes.size();
    std::string shape = shapeOf(particle, memory);
    if (before != nullptr && before->code == code && i < before->meshes.size() &&
        before->meshes[i].hash == shape) {
      meshes.push_back(before->meshes[i]);
      if (whole || before->experiment.parameters != experiment.parameters)
        meshes[i].group = {};
      continue;
    }
    auto mesh = std::make_shared<Mesh>(meshOf(particle, memory));
    if (!mesh->columns.empty()) {
      const Kernel of = run.kernel(experiment, likelyGrid(experiment));
      giveRoles(*mesh, rolesOf(*of));
      remark(remarksOn(of, particle.columns));
    }
    for (const std::string &note : mesh->notes)
      warnings.push_back(fmt::format("warning: {}: {}", mesh->name, note));
    add(mesh, std::move(shape));
    if (meshes[i].summary.surface && !particle.mesh.empty()) // shapes are closed
      for (const Remark &each : remarksOn(inspect(*mesh)))
        remark({{mesh->name + ": " + each.text, each.help}});
  }
}

void SimulationInputs::add(std::shared_ptr<Mesh> mesh, std::string hash) {
  SceneMesh &to = meshes.emplace_back();
  to.name = mesh->name;
  to.hash = std::move(hash);
  to.summary = summarise(*mesh);
  to.blocks = blocksOf(mesh);
  to.mesh = std::move(mesh);
  ++made;
}

void SimulationInputs::takeMesh(const SimulationInputs *before, const Mesh *given, SceneRun &run) {
  if (given == nullptr) {
    meshes = before->meshes;
    return;
  }
  auto mesh = std::make_shared<Mesh>(*given);
  mesh->triangles.own(); // the array is others', who may change it
  if (!mesh->columns.empty())
    giveRoles(*mesh, rolesOf(*run.kernel(experiment, likelyGrid(experiment))));
  add(std::move(mesh), "given");
}

/// By the kernel with such columns and parameters, whatever the mesh is: it changes in each step.
void SimulationInputs::trySymmetries(const SimulationInputs *before, SceneRun &run) {
  const double radius = meshes[0].summary.farthest;
  Mesh some = withoutSymmetry(*meshes[0].mesh, radius);
  if (before != nullptr && before->experiment.parameters == experiment.parameters &&
      before->tried->columns == some.columns) {
    symmetries = before->symmetries;
    tried = before->tried;
    return;
  }
  const Kernel kernel = run.kernel(experiment, likelyGrid(experiment));
  tried = std::make_shared<const Mesh>(std::move(some));
  symmetries =
      symmetriesOfCurve(kernel, *blocksOf(tried), kernel.parameters(experiment.parameters), radius);
}

void SimulationInputs::setReach() {
  reach.assign(problem->ways(), -1);
  for (std::size_t i = 0; i < problem->way.size(); ++i) {
    const Pixels &pixels = problem->pixels(i);
    double &most = reach[problem->way[i]];
    const std::int64_t columns = pixels.band() != nullptr ? 1 : pixels.columns(); // of one |q|
    for (std::int64_t row = 0; row < pixels.rows(); ++row)
      for (std::int64_t column = 0; column < columns; ++column)
        if (const PixelView look = pixels.at(row, column); !look.behind)
          most = std::max(most, std::hypot(look.lateral[0], look.lateral[1], look.q[2]));
  }
}

std::string SimulationInputs::structure() const {
  const Experiment &e = experiment;
  std::string text = fmt::format("{}; {}; {}; {}; {}; {}; {:a}", code, e.target, e.algorithm,
                                 e.klass, e.memory, e.threads, e.accuracy);
  for (std::size_t i = 0; i < problem->way.size(); ++i) {
    const Pixels &pixels = problem->pixels(i);
    // A fit's |q| go from band to band as its particle grows.
    text += fmt::format("; image {} of {} x {}, {}, {}", problem->way[i], fit ? 0 : pixels.rows(),
                        pixels.columns(), pixels.product(), pixels.grazing());
  }
  for (const double q : reach)
    text += q < 0 ? "; behind" : "; seen";
  for (const Body &body : problem->bodies.bodies) {
    const bool sized = std::ranges::any_of(body.poses, [](const Pose &p) { return p.scale != 1; });
    const bool turned =
        std::ranges::any_of(body.poses, [](const Pose &p) { return p.rotation != noRotation; });
    text += fmt::format("; body {} in {}, {}, {}", body.first, body.layer, sized, turned);
  }
  return text + (problem->bodies.averaged ? "; averaged" : "");
}

} // namespace facet::runtime
