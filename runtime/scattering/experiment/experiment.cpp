// experiment.cpp - whether an experiment is a scene; its mesh and grid.
#include "runtime/engine/system/text.h"
#include <algorithm>
#include <cmath>
#include <facet/runtime/error.h>
#include <facet/runtime/experiment.h>
#include <numbers>
#include <sstream>

namespace facet::runtime {

bool Experiment::isScene() const {
  const auto more = [](const Particle &p) {
    return !p.layer.empty() || p.z || p.delta || p.density || p.size || !p.orientation.single();
  };
  return wavelength > 0 || !alphaI.empty() || !layers.empty() || !objects.empty() || detector ||
         !alphaF.empty() || !curve.empty() || amplitude || !cuts.empty() || !pictureAxes.empty() ||
         particles.size() > 1 || std::ranges::any_of(particles, more);
}

void setShape(Particle &particle, const std::string &text) {
  std::istringstream words(text);
  std::getline(words, particle.shape, ',');
  particle.shapeNumbers.clear();
  std::vector<double> *values = nullptr; // of the argument named last
  for (std::string word; std::getline(words, word, ',');) {
    const std::size_t equals = word.find('=');
    try {
      if (equals != std::string::npos)
        values = &particle.shapeNumbers[word.substr(0, equals)];
      if (values == nullptr || equals == 0)
        throw std::invalid_argument(word);
      // "20", "20x30x10", or what follows a comma of "20,30,10"; npos + 1 is 0
      std::istringstream parts(word.substr(equals + 1));
      std::string part;
      while (std::getline(parts, part, 'x'))
        if (!parseNumber(part, values->emplace_back()))
          throw std::invalid_argument(word);
      if (part.empty())
        throw std::invalid_argument(word);
    } catch (const std::logic_error &) {
      throw Error("--shape " + text, "'" + word + "' is not NAME=NUMBER",
                  "e.g. --shape torus,major=20,minor=8, or --shape box,size=20,30,10");
    }
  }
}

Mesh makeMesh(const Particle &p, std::int64_t *dropped, const ColumnRoles &roles) {
  if (dropped != nullptr)
    *dropped = 0;
  Mesh mesh =
      p.shape.empty() ? readMesh(p.mesh, p.unit, dropped) : makeMesh(p.shape, p.shapeNumbers);
  const auto n = static_cast<std::size_t>(mesh.size());
  for (const auto &[name, value] : p.columns)
    mesh.columns[name] = std::vector<double>(n, value);
  giveRoles(mesh, roles);
  return p.orientation.fixed() ? rotated(mesh, eulerZyz(p.orientation.euler[0])) : mesh;
}

Grid makeGrid(const Experiment &e) {
  Grid grid;
  if (!e.points.empty())
    return readGrid(e.points);
  for (std::size_t k = 0; k < 3; ++k)
    grid.axes[k] = parseAxis(e.axes[k].empty() ? "0" : e.axes[k]);
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
