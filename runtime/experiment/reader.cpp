// reader.cpp - an experiment file to an Experiment.
#include "runtime/experiment/axis_text.h"
#include "runtime/experiment/schema/parts.h"
#include "runtime/experiment/schema/stack_of.h"
#include "runtime/experiment/toml_table.h"
#include <facet/runtime/experiment.h>
#include <filesystem>
#include <fmt/format.h>

namespace facet::runtime {
namespace fs = std::filesystem;
namespace {

using namespace schema;

/// From here on the experiment is more than one particle on a grid.
Scene &sceneOf(Experiment &e) { return e.scene ? *e.scene : e.scene.emplace(); }

void readGridTable(const TomlTable &t, const std::string &file, Experiment &to) {
  t.read("points", to.points);
  to.points = beside(file, to.points);
  const char *const names[] = {"qx", "qy", "qz"};
  bool axes = false;
  for (std::size_t k = 0; k < 3; ++k)
    if (const toml::node *axis = t.find(names[k])) {
      to.axes[k] = axisText(t, *axis, names[k]);
      axes = true;
    }
  Scene scene;
  const std::pair<const char *, std::string *> others[] = {
      {"alpha_f", &scene.alphaF}, {"phi_f", &scene.phiF}, {"q", &scene.curve}};
  for (const auto &[name, text] : others)
    if (const toml::node *axis = t.find(name))
      *text = axisText(t, *axis, name);
  const bool angles = !scene.alphaF.empty() || !scene.phiF.empty(), curve = !scene.curve.empty();
  const int kinds =
      (axes ? 1 : 0) + (to.points.empty() ? 0 : 1) + (angles ? 1 : 0) + (curve ? 1 : 0);
  if (kinds != 1)
    t.fail(t.toml(),
           kinds == 0          ? "the grid is empty"
           : !angles && !curve ? "a grid has axes or points, not both"
                               : "a grid is of q, of points, of angles or of |q|: one of them",
           "give some of qx, qy, qz, or points = \"FILE\", or alpha_f and phi_f, or q");
  if (angles && (scene.alphaF.empty() || scene.phiF.empty()))
    t.fail(t.toml(), "a grid of angles has alpha_f and phi_f, degrees");
  if (!angles && !curve)
    return;
  sceneOf(to).alphaF = scene.alphaF;
  to.scene->phiF = scene.phiF;
  to.scene->curve = scene.curve;
}

void readOutput(const TomlTable &t, const std::string &file, Experiment &to) {
  t.read("file", to.output);
  t.read("unit", to.fUnit);
  if (t.find("curves") != nullptr)
    readCuts(t, file, sceneOf(to));
  if (const toml::node *amplitude = t.find("amplitude")) {
    if (!amplitude->is_boolean())
      t.fail(*amplitude, "'amplitude' is to be true or false");
    if (amplitude->value_or(false))
      sceneOf(to).amplitude = true;
  }
  const toml::node *picture = t.find("picture");
  if (picture == nullptr)
    return;
  if (picture->is_string()) {
    t.read("picture", to.picture);
    return;
  }
  const auto table = t.sub("picture", "picture");
  table->read("file", to.picture);
  table->read("scale", to.scale);
  table->read("decades", to.decades);
  table->read("quantity", to.quantity);
  if (table->find("axes") != nullptr)
    readChoice(*table, "axes", {"pixels", "angles", "q"}, sceneOf(to).pictureAxes);
  if (to.scale != "log" && to.scale != "linear")
    table->fail(*table->find("scale"), fmt::format("unknown scale '{}'", to.scale),
                "\"log\" or \"linear\"");
}

toml::table parseFile(const std::string &path) {
  try {
    return toml::parse_file(path);
  } catch (const toml::parse_error &e) {
    if (e.source().begin.line == 0 || !fs::exists(path))
      throw Error(path, "the experiment file cannot be read");
    throw Error(fmt::format("{}:{}", path, e.source().begin.line),
                fmt::format("not TOML: {}", e.description()));
  }
}

void readParticles(const TomlTable &top, const std::string &path, Experiment &e) {
  std::vector<Particle> particles;
  eachTable(top, "particle", "particle", path, [&](const TomlTable &t) {
    particles.push_back(readParticle(t, path));
    if (isScene(t) || !particles.back().orientation.single() ||
        particles.back().orientation.average != "none" || particles.size() > 1)
      sceneOf(e);
  });
  if (particles.empty())
    throw Error(path, "no particle", "[particle] with mesh = \"FILE\" or shape = { type = ... }");
  const Particle &first = particles[0];
  e.mesh = first.mesh;
  e.unit = first.unit;
  e.shape = first.shape;
  e.shapeNumbers = first.shapeNumbers;
  e.columns = first.columns;
  if (!first.orientation.euler.empty())
    e.euler = first.orientation.euler[0];
  if (top.find("objects") != nullptr || top.find("object") != nullptr)
    sceneOf(e);
  if (e.scene)
    e.scene->particles = particles;
}

/// Particles and what is around them, or the grid.
void readScene(const TomlTable &top, const std::string &path, Experiment &e) {
  if (const auto beam = top.sub("beam", "beam"))
    readBeam(*beam, sceneOf(e));
  if (const auto sample = top.sub("sample", "sample"))
    readSample(*sample, path, sceneOf(e));
  const auto detector = top.sub("detector", "detector"), grid = top.sub("grid", "grid");
  if (detector) {
    readDetector(*detector, path, sceneOf(e));
    std::string poni;
    detector->read("poni", poni);
    e.files.push_back(beside(path, poni));
  }
  if (top.find("interference") != nullptr)
    sceneOf(e);
  if (grid)
    readGridTable(*grid, path, e);
  if (const auto output = top.sub("output", "output"))
    readOutput(*output, path, e);
  readParticles(top, path, e);
  if (grid.has_value() == detector.has_value())
    throw Error(path, grid ? "a detector says which q: there is a grid too" : "no grid",
                grid ? "leave out [grid] or [detector]"
                     : "[grid] with qy = { from = -2, to = 2, n = 500 } and so on");
  if (e.scene) {
    readObjects(top, path, *e.scene);
    e.files.push_back(e.scene->objectsFile);
    checkScene(e, path);
  }
}

/// A number, or [re, im].
std::optional<std::complex<double>> readComponent(const toml::node &node) {
  if (node.is_number())
    return *node.value<double>();
  const toml::array *parts = node.as_array();
  if (parts != nullptr && parts->size() == 2 && parts->get(0)->is_number() &&
      parts->get(1)->is_number())
    return std::complex<double>(*parts->get(0)->value<double>(), *parts->get(1)->value<double>());
  return {};
}

/// A number, [re, im], [x, y, z], or a text as --param takes it.
ParameterValue readParameter(const TomlTable &top, const std::string &name,
                             const toml::node &node) {
  if (const auto text = node.value_exact<std::string>())
    return parseParameter(*text, fmt::format("parameter '{}'", name));
  if (node.is_number())
    return *node.value<double>();
  std::vector<std::complex<double>> numbers;
  if (const toml::array *list = node.as_array())
    for (const toml::node &entry : *list)
      if (const auto component = readComponent(entry))
        numbers.push_back(*component);
  if (numbers.empty() || numbers.size() != node.as_array()->size())
    top.fail(node, fmt::format("parameter '{}' is to be a number, or a list of numbers", name),
             "a complex number is [re, im], a vector [x, y, z], a complex vector [[re, im], ...]");
  return numbers;
}

Experiment readTables(const toml::table &root, const std::string &path) {
  const TomlTable top(root, "", path);
  Experiment e;
  e.title = fs::path(path).stem();
  e.output = fs::path(path).stem().string() + ".h5";
  top.read("title", e.title);
  top.read("kernel", e.kernel);
  if (e.kernel.empty())
    throw Error(path, "no kernel", "kernel = \"born\", or a kernel file");
  if (const std::string own = beside(path, e.kernel); fs::is_regular_file(own))
    e.kernel = own;
  if (const toml::node *node = top.find("parameters")) {
    if (!node->is_table())
      top.fail(*node, "'parameters' is to be a table", "[parameters] on a line by itself");
    for (const auto &[key, value] : *node->as_table())
      e.parameters.emplace_back(std::string(key.str()),
                                readParameter(top, std::string(key.str()), value));
  }
  readScene(top, path, e);
  if (const auto accuracy = top.sub("accuracy", "accuracy")) {
    accuracy->read("relative", e.accuracy);
    if (!(e.accuracy > 0))
      accuracy->fail(*accuracy->find("relative"), "the accuracy is to be above 0");
  }
  if (const auto run = top.sub("run", "run")) {
    run->read("algorithm", e.algorithm);
    run->read("memory", e.memory);
    run->read("class", e.klass);
    run->read("target", e.target);
    run->readWhole("threads", e.threads);
    run->readWhole("seed", e.seed);
  }
  return e;
}

} // namespace

Experiment readExperiment(const std::string &path) {
  Experiment e = readTables(parseFile(path), path);
  e.files.push_back(path);
  return e;
}

Experiment readBeamAndSample(const std::string &path) {
  const toml::table root = parseFile(path);
  const TomlTable top(root, "", path);
  Experiment e;
  e.title = fs::path(path).stem();
  top.read("title", e.title);
  Scene &scene = e.scene.emplace();
  if (const auto beam = top.sub("beam", "beam"))
    readBeam(*beam, scene);
  if (const auto sample = top.sub("sample", "sample"))
    readSample(*sample, path, scene);
  if (!(scene.wavelength > 0))
    throw Error(path, "a sample needs a beam: its wavelength", "[beam] wavelength = 0.124, nm");
  if (scene.layers.size() < 2)
    throw Error(path, "no sample that reflects: it has less than two layers",
                "[sample] layers = [{ name = \"vacuum\" }, { name = \"Si\", delta = 4.9e-6, beta = "
                "7.4e-8 }]");
  check(stackOf(scene), path + ": sample");
  return e;
}

Experiment readExperimentText(const std::string &text, const std::string &name) {
  try {
    return readTables(toml::parse(text), name);
  } catch (const toml::parse_error &e) {
    throw Error(name, fmt::format("its experiment is not TOML: {}", e.description()));
  }
}

} // namespace facet::runtime
