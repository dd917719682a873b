// experiment.cpp - an experiment's mesh and grid, and the experiment as text again.
#include "runtime/experiment/toml_table.h"
#include <cmath>
#include <facet/runtime/experiment.h>
#include <fmt/format.h>
#include <numbers>
#include <sstream>

namespace facet::runtime {
namespace {

std::string quoted(const std::string &text) {
  std::ostringstream out;
  out << toml::value<std::string>(text);
  return out.str();
}

template <class Pairs> std::string numbers(const Pairs &pairs) {
  std::string text;
  for (const auto &[name, value] : pairs)
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", quoted(name), shortest(value));
  return text;
}

std::string shapeArguments(const std::map<std::string, std::vector<double>> &arguments) {
  std::string text;
  for (const auto &[name, values] : arguments)
    text += values.size() == 1 ? fmt::format(", {} = {}", quoted(name), shortest(values[0]))
                               : fmt::format(", {} = [{}]", quoted(name), fmt::join(values, ", "));
  return text;
}

} // namespace

std::string toToml(const Experiment &e) {
  std::string t = fmt::format("title = {}\nkernel = {}\n", quoted(e.title), quoted(e.kernel));
  if (!e.parameters.empty())
    t += fmt::format("parameters = {{ {} }}\n", numbers(e.parameters));
  t += "\n[particle]\n";
  if (e.shape.empty())
    t += fmt::format("mesh = {}\nunit = {}\n", quoted(e.mesh), shortest(e.unit));
  else
    t +=
        fmt::format("shape = {{ type = {}{} }}\n", quoted(e.shape), shapeArguments(e.shapeNumbers));
  if (!e.columns.empty())
    t += fmt::format("columns = {{ {} }}\n", numbers(e.columns));
  if (e.euler)
    t += fmt::format("orientation = {{ euler = [{}, {}, {}] }}\n", (*e.euler)[0], (*e.euler)[1],
                     (*e.euler)[2]);
  t += "\n[grid]\n";
  if (!e.points.empty())
    t += fmt::format("points = {}\n", quoted(e.points));
  else
    for (std::size_t k = 0; k < 3; ++k)
      t += fmt::format("q{} = {}\n", "xyz"[k], quoted(e.axes[k]));
  t += fmt::format("\n[accuracy]\nrelative = {}\n\n[run]\n", shortest(e.accuracy));
  t += fmt::format("algorithm = {}\n", quoted(e.algorithm));
  if (!e.memory.empty())
    t += fmt::format("memory = {}\n", quoted(e.memory));
  if (!e.klass.empty())
    t += fmt::format("class = {}\n", quoted(e.klass));
  if (!e.target.empty())
    t += fmt::format("target = {}\n", quoted(e.target));
  t += fmt::format("threads = {}\nseed = {}\n", e.threads, e.seed);
  t += fmt::format("\n[output]\nfile = {}\nunit = {}\npicture = {{ file = {}, scale = {}, decades "
                   "= {}, quantity = {} }}\n",
                   quoted(e.output), quoted(e.fUnit), quoted(e.picture), quoted(e.scale),
                   shortest(e.decades), quoted(e.quantity));
  return t;
}

void setShape(Experiment &experiment, const std::string &text) {
  std::istringstream words(text);
  std::getline(words, experiment.shape, ',');
  experiment.shapeNumbers.clear();
  for (std::string word; std::getline(words, word, ',');) {
    const std::size_t equals = word.find('=');
    try {
      std::size_t used = 0;
      const std::string number = equals == std::string::npos ? "" : word.substr(equals + 1);
      std::vector<double> &values = experiment.shapeNumbers[word.substr(0, equals)];
      std::istringstream parts(number); // "20" or "20x30x10"
      for (std::string part; std::getline(parts, part, 'x');) {
        values.push_back(std::stod(part, &used));
        if (used != part.size())
          throw std::invalid_argument(number);
      }
      if (values.empty())
        throw std::invalid_argument(number);
    } catch (const std::logic_error &) {
      throw Error("--shape " + text, "'" + word + "' is not NAME=NUMBER",
                  "e.g. --shape torus,major=20,minor=8");
    }
  }
}

Mesh makeMesh(const Experiment &e, std::int64_t *dropped) {
  if (dropped != nullptr)
    *dropped = 0;
  Mesh mesh =
      e.shape.empty() ? readMesh(e.mesh, e.unit, dropped) : makeMesh(e.shape, e.shapeNumbers);
  const auto n = static_cast<std::size_t>(mesh.size());
  for (const auto &[name, value] : e.columns)
    mesh.columns[name] = std::vector<double>(n, value);
  return e.euler ? rotated(mesh, eulerZyz(*e.euler)) : mesh;
}

Grid makeGrid(const Experiment &e) {
  Grid grid;
  if (!e.points.empty())
    return readGrid(e.points);
  for (std::size_t k = 0; k < 3; ++k)
    grid.axes[k] = parseAxis(e.axes[k]);
  check(grid);
  return grid;
}

std::array<double, 9> eulerZyz(const std::array<double, 3> &degrees) {
  double s[3], c[3];
  for (std::size_t k = 0; k < 3; ++k) {
    s[k] = std::sin(degrees[k] * std::numbers::pi / 180);
    c[k] = std::cos(degrees[k] * std::numbers::pi / 180);
  }
  // Rz(a) Ry(b) Rz(g), the product written out.
  return {c[0] * c[1] * c[2] - s[0] * s[2],
          -c[0] * c[1] * s[2] - s[0] * c[2],
          c[0] * s[1],
          s[0] * c[1] * c[2] + c[0] * s[2],
          -s[0] * c[1] * s[2] + c[0] * c[2],
          s[0] * s[1],
          -s[1] * c[2],
          s[1] * s[2],
          c[1]};
}

} // namespace facet::runtime
