// experiment.cpp - an experiment's mesh and grid, and the experiment as text again.
#include "runtime/experiment/schema/parts.h"
#include <cmath>
#include <facet/runtime/experiment.h>
#include <fmt/format.h>
#include <numbers>
#include <sstream>

namespace facet::runtime {
namespace {

using schema::quoted;

std::string parameterToml(const ParameterValue &value) {
  if (!value.sweep.empty())
    return quoted(value.sweep);
  std::string text;
  for (const std::complex<double> z : value.numbers) {
    text += text.empty() ? "" : ", ";
    text += z.imag() == 0 ? shortest(z.real())
                          : fmt::format("[{}, {}]", shortest(z.real()), shortest(z.imag()));
  }
  return value.numbers.size() == 1 ? text : "[" + text + "]";
}

std::string parametersToml(const NamedParameters &parameters) {
  std::string text;
  for (const auto &[name, value] : parameters)
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", quoted(name), parameterToml(value));
  return text;
}

/// The one particle of an experiment without a scene.
Particle particleOf(const Experiment &e) {
  Particle p;
  p.mesh = e.mesh;
  p.unit = e.unit;
  p.shape = e.shape;
  p.shapeNumbers = e.shapeNumbers;
  p.columns = e.columns;
  if (e.euler)
    p.orientation.euler = {*e.euler};
  return p;
}

std::string gridToml(const Experiment &e) {
  if (e.scene && e.scene->detector)
    return "";
  std::string t = "\n[grid]\n";
  if (!e.points.empty())
    return t + fmt::format("points = {}\n", quoted(e.points));
  if (e.scene && !e.scene->curve.empty())
    return t + fmt::format("q = {}\n", quoted(e.scene->curve));
  if (e.scene && !e.scene->alphaF.empty())
    return t + fmt::format("alpha_f = {}\nphi_f = {}\n", quoted(e.scene->alphaF),
                           quoted(e.scene->phiF));
  for (std::size_t k = 0; k < 3; ++k)
    t += fmt::format("q{} = {}\n", "xyz"[k], quoted(e.axes[k]));
  return t;
}

} // namespace

std::string toToml(const Experiment &e) {
  std::string t = fmt::format("title = {}\nkernel = {}\n", quoted(e.title), quoted(e.kernel));
  if (!e.parameters.empty())
    t += fmt::format("parameters = {{ {} }}\n", parametersToml(e.parameters));
  if (e.scene)
    t += schema::sceneToml(*e.scene);
  else
    t += schema::particleToml(particleOf(e), false);
  t += gridToml(e);
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
                   "= {}, quantity = {}{} }}\n",
                   quoted(e.output), quoted(e.fUnit), quoted(e.picture), quoted(e.scale),
                   shortest(e.decades), quoted(e.quantity),
                   e.scene && !e.scene->pictureAxes.empty()
                       ? fmt::format(", axes = {}", quoted(e.scene->pictureAxes))
                       : "");
  if (e.scene)
    t += schema::cutsToml(*e.scene);
  return t;
}

void setShape(Experiment &experiment, const std::string &text) {
  std::istringstream words(text);
  std::getline(words, experiment.shape, ',');
  experiment.shapeNumbers.clear();
  std::vector<double> *values = nullptr; // of the argument named last
  for (std::string word; std::getline(words, word, ',');) {
    const std::size_t equals = word.find('=');
    try {
      if (equals != std::string::npos)
        values = &experiment.shapeNumbers[word.substr(0, equals)];
      if (values == nullptr || equals == 0)
        throw std::invalid_argument(word);
      // "20", "20x30x10", or what follows a comma of "20,30,10"; npos + 1 is 0
      std::istringstream parts(word.substr(equals + 1));
      std::string part;
      for (std::size_t used = 0; std::getline(parts, part, 'x');) {
        values->push_back(std::stod(part, &used));
        if (used != part.size())
          throw std::invalid_argument(word);
      }
      if (part.empty())
        throw std::invalid_argument(word);
    } catch (const std::logic_error &) {
      throw Error("--shape " + text, "'" + word + "' is not NAME=NUMBER",
                  "e.g. --shape torus,major=20,minor=8, or --shape box,size=20,30,10");
    }
  }
}

Mesh makeMesh(const Experiment &e, std::int64_t *dropped, const ColumnRoles &roles) {
  if (dropped != nullptr)
    *dropped = 0;
  Mesh mesh =
      e.shape.empty() ? readMesh(e.mesh, e.unit, dropped) : makeMesh(e.shape, e.shapeNumbers);
  const auto n = static_cast<std::size_t>(mesh.size());
  for (const auto &[name, value] : e.columns)
    mesh.columns[name] = std::vector<double>(n, value);
  giveRoles(mesh, roles);
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
