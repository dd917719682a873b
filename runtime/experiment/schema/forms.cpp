// forms.cpp - kernel and parameters, energy, axes, pictures, and where a line cut is.
#include "runtime/experiment/schema/keys.h"
#include <filesystem>

namespace facet::runtime::schema {
namespace {

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
  std::string all;
  for (const auto &[name, value] : from)
    all += fmt::format("{}{} = {}", all.empty() ? "" : ", ", text(name), writeParameter(value));
  return all.empty() ? "" : "{ " + all + " }";
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
  try {
    parseAxis(to);
  } catch (const Error &e) {
    at.fail(e.what());
  }
}

void readPictureFile(const Entry &at, Experiment &to) { read(at, to.picture); }

void readPlace(const Entry &at, LineCut &to) {
  if (!to.across.empty())
    at.in.fail(at.in.toml, fmt::format("a cut is at one {} or {}, not both", to.across, at.key));
  to.across = at.key;
  read(at, to.at);
}

} // namespace facet::runtime::schema
