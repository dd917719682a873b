// forms.cpp - kernel and parameters, energy, axes, pictures, line cuts; particles: mesh or shape,
// orientation, size; detectors: a calibration of pyFAI or the same numbers.
#include "runtime/experiment/detector/detector.h"
#include "runtime/experiment/schema/keys.h"
#include <cmath>
#include <filesystem>
#include <fmt/format.h>

namespace facet::runtime::schema {

namespace {

constexpr const char *shapeHelp = "shape = { type = \"torus\", major = 20 }";
constexpr const char *orientationHelp = "orientation = { euler = [0, 30, 0] }, { average = "
                                        "\"in-plane\" }, or \"none\"";

/// What `action` throws, with the line of the file.
template <class Place> void atLine(const Place &place, const auto &action) {
  try {
    action();
  } catch (const Error &e) {
    place.fail(e.what());
  }
}

/// A number, or [re, im].
std::optional<std::complex<double>> component(const toml::node &node) {
  if (node.is_number())
    return *node.value<double>();
  const toml::array *parts = node.as_array();
  if (parts != nullptr && parts->size() == 2 && parts->get(0)->is_number() &&
      parts->get(1)->is_number())
    return std::complex<double>(*parts->get(0)->value<double>(), *parts->get(1)->value<double>());
  return {};
}

/// A number, [re, im], [x, y, z], or a text as --param takes it.
ParameterValue readParameter(const Entry &at) {
  if (const auto text = at.node.value_exact<std::string>())
    return parseParameter(*text, fmt::format("parameter '{}'", at.key));
  if (at.node.is_number())
    return *at.node.value<double>();
  std::vector<std::complex<double>> numbers;
  const toml::array *list = at.node.as_array();
  for (std::size_t i = 0; list != nullptr && i < list->size(); ++i)
    if (const auto number = component(*list->get(i)))
      numbers.push_back(*number);
  if (numbers.empty() || numbers.size() != list->size())
    at.fail(fmt::format("parameter '{}' is to be a number, or a list of numbers", at.key),
            "a complex number is [re, im], a vector [x, y, z], a complex vector [[re, im], ...]");
  return numbers;
}

std::string writeParameter(const ParameterValue &value) {
  if (!value.sweep.empty())
    return text(value.sweep);
  std::string all;
  for (const std::complex<double> z : value.numbers)
    all += (all.empty() ? "" : ", ") +
           (z.imag() == 0 ? text(z.real()) : text(std::array{z.real(), z.imag()}));
  return value.numbers.size() == 1 ? all : "[" + all + "]";
}

std::string axisOfTable(const Entry &at) {
  const Source from = at.sub();
  for (const char *needed : {"from", "to", "n"})
    if (from.find(needed) == nullptr)
      at.fail(fmt::format("axis {} has no '{}'", at.key, needed),
              fmt::format("{} = {{ from = -2, to = 2, n = 500 }}", at.key));
  AxisNumbers axis;
  Reader(from, axis, axisKeys);
  if (axis.n < 1)
    from.fail(*from.find("n"), fmt::format("axis {} has no values: n = {}", at.key, axis.n),
              "n is 1 or more");
  const std::string all = fmt::format("{}{}:{}:{}", axis.scale == "log" ? "log " : "",
                                      text(axis.from), text(axis.to), axis.n);
  return axis.im == 0 ? all : fmt::format("{}{:+}i", all, axis.im);
}

std::string axisOfList(const Entry &at) {
  std::vector<double> values;
  read(at, values);
  if (values.empty())
    at.fail(fmt::format("axis {} has no values", at.key), "give at least one");
  return fmt::format("{}", fmt::join(values, ","));
}

} // namespace

void readKernel(const Entry &at, std::string &to) {
  read(at, to);
  if (const std::string own = at.path(); std::filesystem::is_regular_file(own))
    to = own;
}

void readParameters(const Entry &at, NamedParameters &to) {
  const Source from = at.sub();
  for (const auto &[key, value] : from.toml) {
    const std::string name(key.str());
    to.emplace_back(name, readParameter({from, name, value}));
  }
}

std::string writeParameters(const NamedParameters &from) {
  std::vector<std::string> all;
  for (const auto &[name, value] : from)
    all.push_back(fmt::format("{} = {}", text(name), writeParameter(value)));
  return inlineTable(all);
}

void readEnergy(const Entry &at, double &wavelength) {
  constexpr double hc = 1239.841984332; // eV nm, CODATA 2018
  double energy = 0;
  read(at, energy);
  if (const Above0 above0{"energy"}; !above0.holds(energy))
    above0.refuse(at, energy);
  if (wavelength > 0)
    at.fail("a beam has a wavelength or an energy, not both",
            fmt::format("{} eV are {:.6g} nm", energy, hc / energy));
  wavelength = hc / energy;
}

void readAxis(const Entry &at, std::string &to) {
  if (at.node.is_table() || at.node.is_number() || at.node.is_array()) {
    to = at.node.is_table() ? axisOfTable(at) : axisOfList(at);
    return;
  }
  to = at.node.value_exact<std::string>().value_or("");
  if (to.empty())
    at.fail(fmt::format("axis {} is to be a number, a list, a text or a table", at.key),
            fmt::format("{} = {{ from = -2, to = 2, n = 500 }}", at.key));
  atLine(at, [&] { parseAxis(to); });
}

void readPictureFile(const Entry &at, Experiment &to) { read(at, to.picture); }

void readPlace(const Entry &at, LineCut &to) {
  if (!to.across.empty())
    at.in.fail(at.in.toml, fmt::format("a cut is at one {} or {}, not both", to.across, at.key));
  to.across = at.key;
  read(at, to.at);
}

void readUnit(const Entry &at, Particle &to) {
  if (!at.node.is_string())
    return read(at, to.unit);
  atLine(at, [&] { to.unit = parseUnit(*at.node.value<std::string>()); });
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
  std::vector<std::string> all{"type = " + text(from.shape)};
  for (const auto &[name, values] : from.shapeNumbers)
    all.push_back(
        fmt::format("{} = {}", text(name), values.size() == 1 ? text(values[0]) : text(values)));
  return inlineTable(all);
}

void readColumns(const Entry &at, std::map<std::string, double> &to) {
  const Source from = at.sub("columns = { contrast = 1.0 }");
  for (const auto &[key, value] : from.toml) {
    const std::string name(key.str());
    read({from, name, value}, to[name]);
  }
}

std::string writeColumns(const std::map<std::string, double> &from) {
  std::vector<std::string> all;
  for (const auto &[name, value] : from)
    all.push_back(fmt::format("{} = {}", text(name), text(value)));
  return inlineTable(all);
}

void checkParticle(const Source &from, Particle &to) {
  if (to.mesh.empty() == to.shape.empty())
    from.fail(to.mesh.empty() ? "a particle needs a mesh or a shape"
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
      from.fail(what, help);
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
    from.fail("sizes have no width", "size = { type = \"gaussian\", width = 0.1 }");
  atLine(from, [&] { to = withDefaults(to); });
}

// Read first: other keys replace what it says.
void readPoniKey(const Entry &at, Detector &to) { to = readPoni(at.path()); }

void readPixels(const Entry &at, Detector &to) {
  const std::vector<double> pixels = readNumbers(at, 2);
  for (const double n : pixels)
    if (!(n >= 0 && n < 1e9 && n == std::floor(n)))
      at.fail(fmt::format("{} is no number of pixels", n),
              "pixels = [1043, 981], rows and columns");
  to.rows = static_cast<std::int64_t>(pixels[0]);
  to.columns = static_cast<std::int64_t>(pixels[1]);
}

std::string writePixels(const Detector &from) {
  return fmt::format("[{}, {}]", from.rows, from.columns);
}

void readPixelSize(const Entry &at, Detector &to) {
  std::vector<double> both;
  if (at.node.is_number())
    both.assign(2, *at.node.value<double>());
  else
    both = readNumbers(at, 2);
  to.pixel1 = both[0], to.pixel2 = both[1];
}

std::string writePixelSize(const Detector &from) {
  return text(std::array{from.pixel1, from.pixel2});
}

void readBeamCentre(const Entry &at, Detector &to) {
  const std::vector<double> pixel = readNumbers(at, 2);
  to.poni1 = pixel[0] * to.pixel1;
  to.poni2 = pixel[1] * to.pixel2;
}

void checkDetector(const Source &from, Detector &to) {
  const auto need = [&](bool there, const char *what, const char *help) {
    if (!there)
      from.fail(fmt::format("the detector has no {}", what), help);
  };
  need(to.rows > 0 && to.columns > 0, "pixels", "pixels = [1043, 981], rows and columns");
  need(to.pixel1 > 0, "pixel_size", "pixel_size = 172e-6, m");
  need(to.distance > 0, "distance", "distance = 2.0, m from the sample");
  const toml::node *centre = from.find("beam_centre"), *poni = from.find("poni");
  const bool foot = from.has({"poni1", "poni2"});
  if (centre != nullptr && (foot || poni != nullptr))
    from.fail(*centre, "the place of the detector is given twice",
              "beam_centre, or poni1 and poni2, or a .poni file");
  if (centre != nullptr && to.rotation != std::array<double, 3>{})
    from.fail(*centre, "beam_centre is of a detector that is not turned",
              "give poni1 and poni2, m, with rotation");
  need(centre != nullptr || foot || poni != nullptr, "place",
       "beam_centre = [row, column], in pixels");
  atLine(from, [&] { check(to); });
}

} // namespace facet::runtime::schema
