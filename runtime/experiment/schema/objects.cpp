// objects.cpp - [[object]] tables, or a file with one object a line.
#include "runtime/experiment/schema/forms.h"
#include "runtime/files/text.h"
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>

namespace facet::runtime::schema {
namespace {

std::string nameOf(const Particle &p) {
  if (!p.name.empty())
    return p.name;
  return p.shape.empty() ? std::filesystem::path(p.mesh).stem().string() : p.shape;
}

/// A particle by its name or its number from 1.
std::size_t findParticle(const std::vector<Particle> &particles, const std::string &word,
                         const auto &fail) {
  std::vector<std::string> names(particles.size());
  std::ranges::transform(particles, names.begin(), nameOf);
  const auto found = std::ranges::find(names, word);
  if (found != names.end())
    return static_cast<std::size_t>(found - names.begin());
  std::size_t number = 0;
  if (!parseNumber(word, number) || number < 1 || number > names.size())
    fail(fmt::format("unknown particle '{}'", word),
         fmt::format("{}, or a number from 1 to {}", suggestion(word, names), names.size()));
  return number - 1;
}

const std::vector<std::string> known{"particle", "x", "y", "z", "a", "b", "c", "scale"};
bool isKnown(const std::string &word) { return std::ranges::find(known, word) != known.end(); }

/// A text with an object a line, in columns of this order or of a line of names.
class ObjectFile {
public:
  explicit ObjectFile(Experiment &to) : to_(to) {
    std::ifstream in(to.objectsFile);
    if (!in)
      throw Error(to.objectsFile, "the table of objects cannot be read",
                  "a text: particle x y z [a b c [scale]]");
    for (std::string line; std::getline(in, line);) {
      ++number_;
      const std::vector<std::string> words = wordsOf(line);
      if (order_.empty() && words.size() > 1 && isKnown(words[1]))
        setOrder(words);
      else if (!words.empty())
        to.objects.push_back(objectOf(words));
    }
    if (to.objects.empty())
      throw Error(to.objectsFile, "there are no objects in the table",
                  "a line each: particle x y z");
  }

private:
  [[noreturn]] void fail(const std::string &what, const std::string &help = "") const {
    throw Error(fmt::format("{}:{}", to_.objectsFile, number_), what, help);
  }

  /// Words before a comment. A comment that begins with two names of columns is the line of names,
  /// as numpy.savetxt writes it.
  std::vector<std::string> wordsOf(const std::string &line) const {
    const std::size_t hash = line.find('#');
    const auto split = [](const std::string &text) {
      Words words;
      splitWords(text, words, " \t\r");
      return std::vector<std::string>(words.begin(), words.end());
    };
    std::vector<std::string> words = split(line.substr(0, hash));
    if (!words.empty() || hash == std::string::npos || !order_.empty())
      return words;
    words = split(line.substr(hash + 1));
    return words.size() > 2 && std::ranges::all_of(words, isKnown) ? words
                                                                   : std::vector<std::string>{};
  }

  void setOrder(const std::vector<std::string> &words) {
    for (const std::string &word : words)
      if (!isKnown(word))
        fail(fmt::format("unknown column '{}'", word), suggestion(word, known));
      else if (std::ranges::count(words, word) > 1)
        fail(fmt::format("two columns are called '{}'", word));
    for (const char *needed : {"x", "y", "z"})
      if (std::ranges::find(words, needed) == words.end())
        fail(fmt::format("no column '{}'", needed),
             "x, y and z are needed; particle, a, b, c and scale may be there");
    // In the order that holds without names, rows may end early as they may without.
    order_ = std::equal(words.begin(), words.end(), known.begin()) ? known : words;
  }

  Object objectOf(const std::vector<std::string> &words) {
    if (order_.empty())
      order_ = known;
    const bool named = order_ != known;
    if (named ? words.size() != order_.size()
              : words.size() != 4 && words.size() != 7 && words.size() != 8)
      fail(named ? fmt::format("{} words for {} columns", words.size(), order_.size())
                 : fmt::format("{} numbers, not 3, 6 or 7", words.size() - 1),
           "particle x y z in nm, then Euler angles z y z in degrees, then the scale");
    Object o;
    double *const numbers[] = {&o.position[0], &o.position[1], &o.position[2], &o.euler[0],
                               &o.euler[1],    &o.euler[2],    &o.scale};
    for (std::size_t i = 0; i < words.size(); ++i) {
      const auto column = std::ranges::find(known, order_[i]) - known.begin();
      if (column == 0)
        o.particle =
            findParticle(to_.particles, words[i], [&](const auto &...why) { fail(why...); });
      else if (double &number = *numbers[column - 1];
               !parseNumber(words[i], number) || !std::isfinite(number))
        fail(fmt::format("'{}' is not a number", words[i]), "particle x y z [a b c [scale]]");
    }
    if (!(o.scale > 0))
      fail("the scale is to be above 0", "1 where the mesh has its size");
    return o;
  }

  Experiment &to_;
  int number_ = 0;                 // of the line
  std::vector<std::string> order_; // of the columns, once a line has named them
};

} // namespace

void findParticles(const std::vector<Source> &tables, Experiment &to) {
  for (std::size_t i = 0; i < tables.size(); ++i) {
    const toml::node *particle = tables[i].find("particle");
    if (particle == nullptr)
      continue;
    const std::string word = particle->is_integer()
                                 ? std::to_string(*particle->value<std::int64_t>())
                                 : particle->value<std::string>().value_or("");
    to.objects[i].particle = findParticle(
        to.particles, word, [&](const auto &...why) { tables[i].fail(*particle, why...); });
  }
}

void readObjectFile(Experiment &to) { const ObjectFile all(to); }

} // namespace facet::runtime::schema
