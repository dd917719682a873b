// particle.cpp - [[particle]]: mesh or shape, where it is, what it is made of, how it is averaged.
#include "runtime/experiment/average/sizes.h"
#include "runtime/experiment/schema/parts.h"
#include <cmath>
#include <fmt/format.h>

namespace facet::runtime::schema {
namespace {

// Any table of plain keys: the shape's own arguments are checked by the shape.
void readShape(const TomlTable &particle, const toml::table &table, Particle &to) {
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

/// nm for one unit: a number, or a name as --unit takes it.
void readUnit(const TomlTable &t, double &to) {
  const toml::node *unit = t.find("unit");
  if (unit == nullptr || !unit->is_string())
    return t.read("unit", to);
  try {
    to = parseUnit(*unit->value<std::string>());
  } catch (const Error &e) {
    t.fail(*unit, e.what());
  }
}

void readGeometry(const TomlTable &t, const std::string &file, Particle &to) {
  t.read("mesh", to.mesh);
  to.mesh = beside(file, to.mesh);
  readUnit(t, to.unit);
  if (const toml::node *shape = t.find("shape")) {
    if (!shape->is_table())
      t.fail(*shape, "'shape' is to be a table", "shape = { type = \"torus\", major = 20 }");
    readShape(t, *shape->as_table(), to);
  }
  if (to.mesh.empty() == to.shape.empty())
    t.fail(t.toml(), to.mesh.empty() ? "a particle needs a mesh or a shape"
                                     : "a particle has either a mesh or a shape, not both");
  if (!to.shape.empty() && t.find("unit") != nullptr)
    t.fail(*t.find("unit"), "a shape is in nm: unit is of a mesh", "leave out unit");
  const toml::node *columns = t.find("columns");
  if (columns == nullptr)
    return;
  if (!columns->is_table())
    t.fail(*columns, "'columns' is to be a table", "columns = { contrast = 1.0 }");
  for (const auto &[key, value] : *columns->as_table()) {
    if (!value.is_number())
      t.fail(value, fmt::format("'{}' is to be a number", std::string(key.str())));
    to.columns[std::string(key.str())] = *value.value<double>();
  }
}

constexpr const char *orientationHelp = "orientation = { euler = [0, 30, 0] }, { average = "
                                        "\"in-plane\" }, or \"none\"";

void readEuler(const TomlTable &t, const toml::node &node, Orientations &to) {
  const toml::array *array = node.as_array();
  const bool listed = array != nullptr && !array->empty() && array->get(0)->is_array();
  const auto add = [&](const toml::node &angles) {
    const auto euler = readList(t, angles, "euler");
    if (euler.size() != 3)
      t.fail(angles, "an orientation is three angles in degrees, or \"none\"", orientationHelp);
    to.euler.push_back({euler[0], euler[1], euler[2]});
  };
  if (listed)
    for (const toml::node &angles : *array)
      add(angles);
  else
    add(node);
}

void readOrientation(const TomlTable &particle, Orientations &to) {
  const toml::node *node = particle.find("orientation");
  if (node == nullptr)
    return;
  const std::vector<std::string> averages{"none", "in-plane", "full", "tilt"};
  if (node->is_string())
    return readChoice(particle, "orientation", {"none", "in-plane", "full"}, to.average);
  const auto t = particle.sub("orientation", "orientation");
  readChoice(*t, "average", averages, to.average);
  if (const toml::node *euler = t->find("euler"))
    readEuler(*t, *euler, to);
  if (const toml::node *weights = t->find("weights"))
    to.weights = readList(*t, *weights, "weights");
  t->read("sigma", to.sigma);
  t->readWhole("points", to.points);
  if (to.average == "none" && to.euler.empty())
    t->fail(*node, "an orientation is three angles in degrees, or \"none\"", orientationHelp);
  if (to.average != "none" && to.euler.size() > 1)
    t->fail(*node, "an average goes with one rotation before it, not with a list", orientationHelp);
  if (!to.weights.empty() && to.weights.size() != to.euler.size())
    t->fail(*node,
            fmt::format("{} weights for {} orientations", to.weights.size(), to.euler.size()));
  if ((to.average == "tilt") != (to.sigma > 0))
    t->fail(*node, "a tilt needs its sigma in degrees, above 0, and nothing else has one",
            "orientation = { average = \"tilt\", sigma = 5 }");
}

void readSize(const TomlTable &particle, Particle &to) {
  const auto t = particle.sub("size", "size");
  if (!t)
    return;
  SizeSpread &size = to.size.emplace();
  readChoice(*t, "type", sizeTypes(), size.type);
  t->read("width", size.width);
  t->readWhole("points", size.points);
  t->read("nsigmas", size.nsigmas);
  if (t->find("width") == nullptr)
    t->fail(t->toml(), "sizes have no width", "size = { type = \"gaussian\", width = 0.1 }");
  try {
    const SizeOptions full = withDefaults({size.type, size.width, size.points, size.nsigmas});
    size.points = full.points;
    size.nsigmas = full.nsigmas;
  } catch (const Error &e) {
    t->fail(t->toml(), e.what());
  }
}

void readIndex(const TomlTable &t, const char *key, std::optional<double> &to) {
  if (t.find(key) == nullptr)
    return;
  t.read(key, to.emplace());
  if (!(*to >= 0) || !(*to < 1))
    t.fail(*t.find(key), fmt::format("{} = {} is out of range: 0 <= {} < 1", key, *to, key),
           "n = 1 - delta + i beta with both >= 0, whatever the sign convention of the table they "
           "are from");
}

} // namespace

bool isScene(const TomlTable &particle) {
  for (const char *key : {"layer", "z", "delta", "beta", "density", "size"})
    if (particle.find(key) != nullptr)
      return true;
  return false;
}

Particle readParticle(const TomlTable &t, const std::string &file) {
  Particle to;
  t.read("name", to.name);
  readGeometry(t, file, to);
  t.read("layer", to.layer);
  if (t.find("z") != nullptr)
    t.read("z", to.z.emplace());
  readIndex(t, "delta", to.delta);
  std::optional<double> beta;
  readIndex(t, "beta", beta);
  to.beta = beta.value_or(0);
  if (beta && !to.delta)
    t.fail(*t.find("beta"), "beta without delta", "give both: n = 1 - delta + i beta");
  if (t.find("density") != nullptr) {
    t.read("density", to.density.emplace());
    if (!(*to.density > 0) || !std::isfinite(*to.density))
      t.fail(*t.find("density"), "the density is to be above 0",
             "particles a nm^2 on a sample, the volume fraction in transmission");
  }
  readOrientation(t, to.orientation);
  readSize(t, to);
  return to;
}

} // namespace facet::runtime::schema
