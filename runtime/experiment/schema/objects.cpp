// objects.cpp - [[object]] tables, or a file with one object a line; and line cuts.
#include "runtime/experiment/schema/parts.h"
#include "runtime/files/suggest.h"
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

/// A text with an object a line, in columns of this order or of a line of names.
class ObjectTable {
public:
  ObjectTable(const std::string &path, Scene &to) : path_(path), to_(to) {
    std::ifstream in(path);
    if (!in)
      throw Error(path, "the table of objects cannot be read",
                  "a text: particle x y z [a b c [scale]]");
    std::string line;
    while (std::getline(in, line)) {
      ++number_;
      if (const std::vector<std::string> words = wordsOf(line); !words.empty())
        read(words);
    }
    if (to.objects.empty())
      throw Error(path, "there are no objects in the table", "a line each: particle x y z");
  }

private:
  static constexpr std::size_t place = 1, angles = 4, scale = 7;
  static const std::vector<std::string> &known() {
    static const std::vector<std::string> names{"particle", "x", "y", "z", "a", "b", "c", "scale"};
    return names;
  }
  static bool isKnown(const std::string &word) {
    return std::find(known().begin(), known().end(), word) != known().end();
  }

  [[noreturn]] void fail(const std::string &what, const std::string &help) const {
    throw Error(fmt::format("{}:{}", path_, number_), what, help);
  }

  /// Words before a comment. A comment that begins with two names of columns is the line of names,
  /// as numpy.savetxt writes it.
  std::vector<std::string> wordsOf(const std::string &line) const {
    const std::size_t hash = line.find('#');
    const auto split = [](const std::string &text) {
      std::istringstream in(text);
      std::vector<std::string> words;
      for (std::string word; in >> word;)
        words.push_back(word);
      return words;
    };
    std::vector<std::string> words = split(line.substr(0, hash));
    if (!words.empty() || hash == std::string::npos || order_)
      return words;
    words = split(line.substr(hash + 1));
    const bool names = words.size() > 2 && std::all_of(words.begin(), words.end(), isKnown);
    return names ? words : std::vector<std::string>{};
  }

  void read(const std::vector<std::string> &words) {
    if (!order_ && words.size() > 1 && isKnown(words[1]))
      return setOrder(words);
    if (!order_)
      order_ = known();
    if (named_ ? words.size() != order_->size()
               : words.size() != 4 && words.size() != 7 && words.size() != 8)
      fail(named_ ? fmt::format("{} words for {} columns", words.size(), order_->size())
                  : fmt::format("{} numbers, not 3, 6 or 7", words.size() - 1),
           "particle x y z in nm, then Euler angles z y z in degrees, then the scale");
    add(words);
  }

  void setOrder(const std::vector<std::string> &words) {
    for (const std::string &word : words)
      if (!isKnown(word))
        fail(fmt::format("unknown column '{}'", word), suggestion(word, known()));
      else if (std::count(words.begin(), words.end(), word) > 1)
        fail(fmt::format("two columns are called '{}'", word), "");
    for (std::size_t k = place; k < angles; ++k)
      if (std::find(words.begin(), words.end(), known()[k]) == words.end())
        fail(fmt::format("no column '{}'", known()[k]),
             "x, y and z are needed; particle, a, b, c and scale may be there");
    // In the order that holds without names, rows may end early as they may without.
    named_ = !std::equal(words.begin(), words.end(), known().begin());
    order_ = named_ ? words : known();
  }

  double numberOf(const std::string &word) const {
    double value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size() || !std::isfinite(value))
      fail(fmt::format("'{}' is not a number", word), "particle x y z [a b c [scale]]");
    return value;
  }

  void add(const std::vector<std::string> &words) {
    Object o;
    for (std::size_t i = 0; i < words.size(); ++i) {
      const auto k = static_cast<std::size_t>(
          std::find(known().begin(), known().end(), (*order_)[i]) - known().begin());
      if (k == 0) {
        const auto particle = find(to_, words[i]);
        if (!particle)
          fail(fmt::format("unknown particle '{}'", words[i]), knownParticles(to_, words[i]));
        o.particle = *particle;
        continue;
      }
      const double value = numberOf(words[i]);
      (k == scale ? o.scale : k < angles ? o.position[k - place] : o.euler[k - angles]) = value;
    }
    if (!(o.scale > 0))
      fail("the scale is to be above 0", "1 where the mesh has its size");
    to_.objects.push_back(o);
  }

  const std::string &path_;
  Scene &to_;
  int number_ = 0;
  std::optional<std::vector<std::string>> order_; // names of the columns, once a line has told
  bool named_ = false;
};

} // namespace

void readObjects(const TomlTable &top, const std::string &file, Scene &to) {
  std::string table;
  top.read("objects", table);
  if (!table.empty() && top.find("object") != nullptr)
    top.fail(*top.find("objects"), "objects are in a file or in [[object]] tables, not both");
  if (!table.empty())
    ObjectTable(to.objectsFile = beside(file, table), to);
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
