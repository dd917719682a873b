// particle.cpp - [[particle]]: mesh or shape, orientation, size.
#include "runtime/experiment/average/sizes.h"
#include "runtime/experiment/schema/checks.h"
#include "runtime/experiment/schema/forms.h"

namespace facet::runtime::schema {
namespace {

constexpr const char *shapeHelp = "shape = { type = \"torus\", major = 20 }";
constexpr const char *orientationHelp = "orientation = { euler = [0, 30, 0] }, { average = "
                                        "\"in-plane\" }, or \"none\"";

} // namespace

void readUnit(const Entry &at, Particle &to) {
  if (!at.node.is_string())
    return read(at, to.unit);
  try {
    to.unit = parseUnit(*at.node.value<std::string>());
  } catch (const Error &e) {
    at.fail(e.what());
  }
}

std::string writeUnit(const Particle &from) { return from.mesh.empty() ? "" : text(from.unit); }

// Any table of plain keys: the shape's own arguments are checked by the shape.
void readShape(const Entry &at, Particle &to) {
  const Source from = at.sub(shapeHelp);
  for (const auto &[key, value] : from.toml) {
    const Entry one{from, std::string(key.str()), value};
    if (one.key == "type" && value.is_string()) {
      read(one, to.shape);
      continue;
    }
    std::vector<double> &numbers = to.shapeNumbers[one.key];
    if (value.is_number() || value.is_array())
      read(one, numbers);
    if (value.is_number() ? numbers.size() != 1 : numbers.size() != 3)
      one.fail(fmt::format("'{}' of a shape is to be a number or three", one.key));
  }
  if (to.shape.empty())
    at.fail("the shape has no type", shapeHelp);
}

std::string writeShape(const Particle &from) {
  if (from.shape.empty())
    return "";
  std::string all = "{ type = " + text(from.shape);
  for (const auto &[name, values] : from.shapeNumbers)
    all +=
        fmt::format(", {} = {}", text(name), values.size() == 1 ? text(values[0]) : text(values));
  return all + " }";
}

void readColumns(const Entry &at, std::map<std::string, double> &to) {
  const Source from = at.sub("columns = { contrast = 1.0 }");
  for (const auto &[key, value] : from.toml) {
    const std::string name(key.str());
    read({from, name, value}, to[name]);
  }
}

std::string writeColumns(const std::map<std::string, double> &from) {
  std::string all;
  for (const auto &[name, value] : from)
    all += fmt::format("{}{} = {}", all.empty() ? "" : ", ", text(name), text(value));
  return all.empty() ? "" : "{ " + all + " }";
}

void checkParticle(const Source &from, Particle &to) {
  if (to.mesh.empty() == to.shape.empty())
    from.fail(from.toml, to.mesh.empty() ? "a particle needs a mesh or a shape"
                                         : "a particle has either a mesh or a shape, not both");
  if (const toml::node *unit = from.find("unit"); unit != nullptr && !to.shape.empty())
    from.fail(*unit, "a shape is in nm: unit is of a mesh", "leave out unit");
  if (to.beta && !to.delta)
    from.fail(*from.find("beta"), "beta without delta", "give both: n = 1 - delta + i beta");
  if (to.delta)
    to.beta = to.beta.value_or(0);
}

void readAverage(const Entry &at, Orientations &to) {
  read(at, to.average);
  if (const OneOf averages{{"none", "in-plane", "full"}}; !averages.holds(to.average))
    averages.refuse(at, to.average);
}

void readEuler(const Entry &at, Eulers &to) {
  const auto add = [&](const toml::node &node) {
    std::vector<double> angles;
    const Entry one{at.in, at.key, node};
    if (node.is_array())
      read(one, angles);
    if (angles.size() != 3)
      one.fail("an orientation is three angles in degrees, or \"none\"", orientationHelp);
    to.push_back({angles[0], angles[1], angles[2]});
  };
  const toml::array *list = at.node.as_array();
  if (list == nullptr || list->empty() || !list->get(0)->is_array())
    return add(at.node);
  for (const toml::node &angles : *list)
    add(angles);
}

std::string writeEuler(const Eulers &from) {
  if (from.size() == 1)
    return text(from[0]);
  std::string all;
  for (const auto &angles : from)
    all += (all.empty() ? "" : ", ") + text(angles);
  return all.empty() ? "" : "[" + all + "]";
}

void checkOrientations(const Source &from, Orientations &to) {
  const auto refuse = [&](bool wrong, const std::string &what, const char *help) {
    if (wrong)
      from.fail(from.toml, what, help);
  };
  refuse(to.euler.empty() && !from.has({"average"}),
         "an orientation is three angles in degrees, or \"none\"", orientationHelp);
  refuse(to.average != "none" && to.euler.size() > 1,
         "an average goes with one rotation before it, not with a list", orientationHelp);
  refuse(!to.weights.empty() && to.weights.size() != to.euler.size(),
         fmt::format("{} weights for {} orientations", to.weights.size(), to.euler.size()), "");
  refuse((to.average == "tilt") != (to.sigma > 0),
         "a tilt needs its sigma in degrees, above 0, and nothing else has one",
         "orientation = { average = \"tilt\", sigma = 5 }");
}

void checkSize(const Source &from, SizeSpread &to) {
  if (from.find("width") == nullptr)
    from.fail(from.toml, "sizes have no width", "size = { type = \"gaussian\", width = 0.1 }");
  try {
    to = withDefaults(to);
  } catch (const Error &e) {
    from.fail(from.toml, e.what());
  }
}

} // namespace facet::runtime::schema
