// reader.cpp - an experiment file to an Experiment.
#include "runtime/experiment/axis_text.h"
#include "runtime/experiment/toml_table.h"
#include <facet/runtime/experiment.h>
#include <filesystem>
#include <fmt/format.h>
#include <functional>

namespace facet::runtime {
namespace fs = std::filesystem;
namespace {

/// Inputs are named as seen from the experiment file.
std::string beside(const std::string &experimentFile, const std::string &input) {
  if (input.empty() || fs::path(input).is_absolute())
    return input;
  return (fs::path(experimentFile).parent_path() / input).lexically_normal();
}

void readNumbers(const TomlTable &from, const toml::table &table,
                 const std::function<void(const std::string &, double)> &take) {
  for (const auto &[key, value] : table) {
    if (!value.is_number())
      from.fail(value, fmt::format("'{}' is to be a number", std::string(key.str())));
    take(std::string(key.str()), *value.value<double>());
  }
}

std::vector<double> readList(const TomlTable &from, const toml::node &node,
                             const std::string &what) {
  std::vector<double> numbers;
  if (const toml::array *array = node.as_array())
    for (const toml::node &entry : *array) {
      if (!entry.is_number())
        from.fail(entry, fmt::format("'{}' is to be a list of numbers", what));
      numbers.push_back(*entry.value<double>());
    }
  return numbers;
}

// Any table of plain keys: the shape's own arguments are checked by the shape.
void readShape(const TomlTable &particle, const toml::table &table, Experiment &to) {
  for (const auto &[key, value] : table) {
    const std::string word(key.str());
    if (word == "type" && value.is_string()) {
      to.shape = *value.value<std::string>();
    } else if (value.is_number()) {
      to.shapeNumbers[word] = {*value.value<double>()};
    } else if (const auto list = readList(particle, value, word); list.size() == 3) {
      to.shapeNumbers[word] = list;
    } else {
      particle.fail(value, fmt::format("'{}' of a shape is to be a number or three", word));
    }
  }
  if (to.shape.empty())
    particle.fail(table, "the shape has no type", "shape = { type = \"torus\", major = 20 }");
}

void readParticle(const TomlTable &t, const std::string &file, Experiment &to) {
  t.read("mesh", to.mesh);
  to.mesh = beside(file, to.mesh);
  t.read("unit", to.unit);
  if (const toml::node *shape = t.find("shape")) {
    if (!shape->is_table())
      t.fail(*shape, "'shape' is to be a table", "shape = { type = \"torus\", major = 20 }");
    readShape(t, *shape->as_table(), to);
  }
  if (to.mesh.empty() == to.shape.empty())
    t.fail(t.toml(), to.mesh.empty() ? "a particle needs a mesh or a shape"
                                     : "a particle has either a mesh or a shape, not both");
  if (const toml::node *columns = t.find("columns")) {
    if (!columns->is_table())
      t.fail(*columns, "'columns' is to be a table", "columns = { contrast = 1.0 }");
    readNumbers(t, *columns->as_table(),
                [&](const std::string &name, double value) { to.columns[name] = value; });
  }
  const toml::node *orientation = t.find("orientation");
  if (orientation == nullptr || orientation->value<std::string>() == "none")
    return;
  const auto table = t.sub("orientation", "orientation");
  const toml::node *angles = table->find("euler");
  const auto euler = angles == nullptr ? std::vector<double>{} : readList(t, *angles, "euler");
  if (euler.size() != 3)
    t.fail(*orientation, "an orientation is three angles in degrees, or \"none\"",
           "orientation = { euler = [0, 30, 0] }");
  to.euler = {euler[0], euler[1], euler[2]};
}

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
  if (axes == !to.points.empty())
    t.fail(t.toml(), axes ? "a grid has axes or points, not both" : "the grid is empty",
           "give some of qx, qy, qz, or points = \"FILE\"");
}

void readOutput(const TomlTable &t, Experiment &to) {
  t.read("file", to.output);
  t.read("unit", to.fUnit);
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

} // namespace

Experiment readExperiment(const std::string &path) {
  const toml::table root = parseFile(path);
  const TomlTable top(root, "", path);
  Experiment e;
  e.title = fs::path(path).stem();
  top.read("title", e.title);
  top.read("kernel", e.kernel);
  if (e.kernel.empty())
    throw Error(path, "no kernel", "kernel = \"born\", or a kernel file");
  if (const std::string own = beside(path, e.kernel); fs::is_regular_file(own))
    e.kernel = own;
  if (const toml::node *node = top.find("parameters")) {
    if (!node->is_table())
      top.fail(*node, "'parameters' is to be a table", "[parameters] on a line by itself");
    readNumbers(top, *node->as_table(), [&](const std::string &name, double value) {
      e.parameters.emplace_back(name, value);
    });
  }
  const toml::node *particle = top.find("particle");
  if (particle == nullptr)
    throw Error(path, "no particle", "[particle] with mesh = \"FILE\" or shape = { type = ... }");
  if (const toml::array *several = particle->as_array()) {
    if (several->size() != 1 || !several->get(0)->is_table())
      top.fail(*particle, fmt::format("{} particles: this version takes one", several->size()));
    readParticle(TomlTable(*several->get(0)->as_table(), "particle", path), path, e);
  } else {
    readParticle(*top.sub("particle", "particle"), path, e);
  }
  const auto grid = top.sub("grid", "grid");
  if (!grid)
    throw Error(path, "no grid", "[grid] with qy = { from = -2, to = 2, n = 500 } and so on");
  readGridTable(*grid, path, e);
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
  e.output = fs::path(path).stem().string() + ".h5";
  if (const auto output = top.sub("output", "output"))
    readOutput(*output, e);
  return e;
}

} // namespace facet::runtime
