// objects.cpp - [[object]] tables, or a file with one object a line; and line cuts.
#include "runtime/experiment/schema/parts.h"
#include "runtime/kernel/suggest.h"
#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <sstream>

namespace facet::runtime::schema {
namespace {

std::string nameOf(const Particle &p) {
  if (!p.name.empty())
    return p.name;
  return p.shape.empty() ? std::filesystem::path(p.mesh).stem().string() : p.shape;
}

/// A particle by its name or its number from 1; none where there is no such.
std::optional<std::size_t> find(const Scene &scene, const std::string &word) {
  for (std::size_t i = 0; i < scene.particles.size(); ++i)
    if (nameOf(scene.particles[i]) == word)
      return i;
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error == std::errc() && end == word.data() + word.size() && number >= 1 &&
      number <= scene.particles.size())
    return number - 1;
  return {};
}

std::string knownParticles(const Scene &scene, const std::string &word) {
  std::vector<std::string> names(scene.particles.size());
  std::transform(scene.particles.begin(), scene.particles.end(), names.begin(), nameOf);
  return suggestion(word, names) + fmt::format(", or a number from 1 to {}", names.size());
}

void readFile(const std::string &path, Scene &to) {
  std::ifstream in(path);
  if (!in)
    throw Error(path, "the table of objects cannot be read",
                "a text: particle x y z [a b c [scale]]");
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    std::istringstream words(line.substr(0, line.find('#')));
    std::string name;
    if (!(words >> name))
      continue;
    const auto fail = [&](const std::string &what, const std::string &help) {
      throw Error(fmt::format("{}:{}", path, number), what, help);
    };
    std::vector<double> v;
    for (std::string word; words >> word;) {
      double value = 0;
      const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
      if (error != std::errc() || end != word.data() + word.size() || !std::isfinite(value))
        fail(fmt::format("'{}' is not a number", word), "particle x y z [a b c [scale]]");
      v.push_back(value);
    }
    if (v.size() != 3 && v.size() != 6 && v.size() != 7)
      fail(fmt::format("{} numbers, not 3, 6 or 7", v.size()),
           "particle x y z in nm, then Euler angles z y z in degrees, then the scale");
    const auto particle = find(to, name);
    if (!particle)
      fail(fmt::format("unknown particle '{}'", name), knownParticles(to, name));
    v.resize(std::max<std::size_t>(v.size(), 6), 0.0);
    v.resize(7, 1.0);
    Object &o = to.objects.emplace_back();
    o = {*particle, {v[0], v[1], v[2]}, {v[3], v[4], v[5]}, v[6]};
    if (!(o.scale > 0))
      fail("the scale is to be above 0", "1 where the mesh has its size");
  }
  if (to.objects.empty())
    throw Error(path, "there are no objects in the table", "a line each: particle x y z");
}

} // namespace

void readObjects(const TomlTable &top, const std::string &file, Scene &to) {
  std::string table;
  top.read("objects", table);
  if (!table.empty() && top.find("object") != nullptr)
    top.fail(*top.find("objects"), "objects are in a file or in [[object]] tables, not both");
  if (!table.empty())
    readFile(to.objectsFile = beside(file, table), to);
  eachTable(top, "object", "object", file, [&](const TomlTable &t) {
    Object o;
    const toml::node *particle = t.find("particle");
    if (particle != nullptr) {
      const std::string word = particle->is_integer()
                                   ? std::to_string(*particle->value<std::int64_t>())
                                   : particle->value<std::string>().value_or("");
      const auto found = find(to, word);
      if (!found)
        t.fail(*particle, fmt::format("unknown particle '{}'", word), knownParticles(to, word));
      o.particle = *found;
    }
    readNumbers(t, "position", 3, o.position.data());
    readNumbers(t, "euler", 3, o.euler.data());
    t.read("scale", o.scale);
    if (!(o.scale > 0))
      t.fail(*t.find("scale"), "the scale is to be above 0");
    to.objects.push_back(o);
  });
  std::string interference = "coherent";
  readChoice(top, "interference", {"coherent", "incoherent"}, interference);
  if (top.find("interference") != nullptr && to.objects.empty())
    top.fail(*top.find("interference"), "interference is of objects, and there are none",
             "give [[object]] tables or objects = \"FILE\"");
  to.coherent = interference == "coherent";
}

void readCuts(const TomlTable &output, const std::string &file, Scene &to) {
  const std::vector<std::string> coordinates{"qy", "qz", "alpha_f", "phi_f", "row", "column"};
  eachTable(output, "curves", "curve", file, [&](const TomlTable &t) {
    LineCut cut;
    t.read("name", cut.name);
    readChoice(t, "along", coordinates, cut.along);
    t.read("width", cut.width);
    for (const std::string &across : coordinates)
      if (t.find(across) != nullptr) {
        if (!cut.across.empty())
          t.fail(t.toml(), fmt::format("a cut is at one {} or {}, not both", cut.across, across));
        t.read(cut.across = across, cut.at);
      }
    if (cut.along.empty() || cut.across.empty() || cut.along == cut.across)
      t.fail(t.toml(), "a cut goes along one coordinate at a value of another",
             "curves = [{ name = \"yoneda\", along = \"qy\", qz = 0.35, width = 0.02 }]");
    if (!(cut.width >= 0))
      t.fail(*t.find("width"), "the width is to be 0 or more");
    if (cut.name.empty())
      cut.name = fmt::format("{}_{}", cut.along, to.cuts.size() + 1);
    if (cut.name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                   "_-") != std::string::npos)
      t.fail(*t.find("name"), fmt::format("'{}' cannot name a group", cut.name),
             "letters, digits, _ and -");
    for (const LineCut &other : to.cuts)
      if (other.name == cut.name)
        t.fail(t.toml(), fmt::format("two cuts are called '{}'", cut.name));
    to.cuts.push_back(cut);
  });
}

} // namespace facet::runtime::schema
