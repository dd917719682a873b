// schema.cpp - reads an experiment from a file and writes it as text; what a run depends on; the
// document's keys; whether it is a scene, its mesh and its grid.
#include "runtime/scattering/experiment/schema.h"
#include "runtime/engine/system/hash.h"
#include "runtime/engine/system/reader.h"
#include "runtime/engine/system/text.h"
#include "runtime/engine/system/toml.h"
#include "runtime/scattering/experiment/keys.h"
#include "runtime/scattering/sample/layers.h"
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numbers>
#include <sstream>

namespace facet::runtime {
namespace fs = std::filesystem;
namespace {

using namespace schema;

toml::table parseFile(const std::string &path) {
  std::string text;
  if (std::error_code none; fs::is_directory(path, none) || !readFile(path, text))
    throw Error(path, "the experiment file cannot be read");
  try {
    return parseToml(text, path);
  } catch (const toml::parse_error &e) {
    throw Error(fmt::format("{}:{}", path, e.source().begin.line),
                fmt::format("not TOML: {}", e.description()));
  }
}

Experiment readTables(const toml::table &root, const std::string &path, const auto &keys) {
  Experiment e;
  e.title = fs::path(path).stem();
  e.output = fs::path(path).stem().string() + ".h5";
  Reader(Source{root, "", path}, e, keys, experimentKeys);
  return e;
}

std::string tomlOf(Experiment e, const auto &keys) {
  if (!e.objectsFile.empty())
    e.objects.clear(); // they are in the file
  std::string text;
  const UseLine add = [&](const Line &line) {
    if (!line.header.empty())
      text += fmt::format("\n{}\n", line.header);
    text += fmt::format("{} = {}\n", line.key, line.text);
  };
  Writer(add, std::as_const(e), keys, "", true);
  return text;
}

} // namespace

Experiment readExperiment(const std::string &path) {
  Experiment e = readTables(parseFile(path), path, experimentKeys);
  e.files.push_back(path);
  return e;
}

Experiment readBeamAndSample(const std::string &path) {
  Experiment e = readTables(parseFile(path), path, layersKeys);
  if (!(e.wavelength > 0))
    throw Error(path, "a sample needs a beam: its wavelength", "[beam] wavelength = 0.124, nm");
  if (e.layers.size() < 2)
    throw Error(path, "no sample that reflects: it has less than two layers",
                "[sample] layers = [{ name = \"vacuum\" }, { name = \"Si\", delta = 4.9e-6, beta = "
                "7.4e-8 }]");
  check(Stack{e.layers, e.probe == "neutrons"}, path + ": sample");
  return e;
}

Experiment readExperimentText(const std::string &text, const std::string &name) {
  try {
    return readTables(parseToml(text, name), name, experimentKeys);
  } catch (const toml::parse_error &e) {
    throw Error(name, fmt::format("its experiment is not TOML: {}", e.description()));
  }
}

std::string toToml(const Experiment &e) { return tomlOf(e, experimentKeys); }

std::string schema::layersToToml(const Experiment &e) { return tomlOf(e, layersKeys); }

std::map<std::string, std::string> schema::identityOf(const Experiment &e) {
  std::map<std::string, std::string> parts;
  const UseLine add = [&](const Line &line) {
    std::string &part = parts[line.part];
    part += fmt::format("{}{} = {}", part.empty() ? "" : "; ", line.key, line.text);
  };
  Writer(add, e, experimentKeys, "", true);
  parts.erase(""); // how and where it is run
  constexpr std::size_t most = 4000;
  for (auto &[name, part] : parts)
    if (part.size() > most) { // thousands of objects
      Hash hash;
      hash.field(part);
      part = hash.hex();
    }
  return parts;
}

std::vector<KeyRow> schema::allKeys() {
  Rows all("", Experiment(), experimentKeys);
  std::ranges::move(all.inside, std::back_inserter(all.own));
  std::ranges::move(Rows("axis", AxisNumbers(), axisKeys("")).own, std::back_inserter(all.own));
  return all.own;
}

// What it means
// ---------------------------------------------------------------------------
bool Experiment::isScene() const {
  const auto more = [](const Particle &p) {
    return !p.layer.empty() || p.z || p.delta || p.density || p.size || !p.orientation.single();
  };
  return wavelength > 0 || !alphaI.empty() || !layers.empty() || !objects.empty() || detector ||
         !alphaF.empty() || !inPlane.empty() || arrangement || !curve.empty() || amplitude ||
         !cuts.empty() || !pictureAxes.empty() || particles.size() > 1 ||
         std::ranges::any_of(particles, more);
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
