// arrangement.cpp - the table of kinds, their numbers checked, S made of them; tables of S read.
#include "runtime/scattering/arrangement/arrangement.h"
#include "runtime/engine/system/reader.h"
#include "runtime/engine/system/text.h"
#include "runtime/scattering/arrangement/cubic.h"
#include "runtime/scattering/arrangement/domains.h"
#include <algorithm>
#include <facet/runtime/error.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace facet::runtime {
namespace {

template <class Real>
using Make = std::unique_ptr<const StructureFactorOf<Real>> (*)(const Arrangement &,
                                                                const ArrangementNumbers<Real> &);
template <class Kind, class Real>
std::unique_ptr<const StructureFactorOf<Real>> make(const Arrangement &of,
                                                    const ArrangementNumbers<Real> &numbers) {
  return std::make_unique<const Kind>(of, numbers);
}

enum Place { Plane = 1, Space = 2, Both = 3, Curve = 4 };
struct Kind {
  const char *name, *needed, *others;
  Place where;
  Make<double> plain;
  Make<DualReal> dual;
};
const Kind kinds[] = {
#define FACET_NUMBER(...)
#define FACET_ARRANGEMENT(name, type, where, needed, others)                                       \
  {name,                                                                                           \
   needed,                                                                                         \
   others,                                                                                         \
   where,                                                                                          \
   make<arrangement::type<double>, double>,                                                        \
   make<arrangement::type<DualReal>, DualReal>},
#include "runtime/scattering/arrangement/kinds.def"
#undef FACET_ARRANGEMENT
#undef FACET_NUMBER
};

const Kind &kindOf(const Arrangement &of) {
  return *std::ranges::find(kinds, of.type,
                            [](const Kind &kind) { return std::string(kind.name); });
}

std::vector<std::string> wordsOf(const char *text) {
  Words words;
  splitWords(text, words, " ");
  return {words.begin(), words.end()};
}

[[noreturn]] void fail(const std::string &what, const std::string &help) {
  throw Error("", what, help);
}

/// Throws Error for a number that the kind needs and has not, and for one that it does not know.
void checkNames(const Arrangement &of) {
  const std::vector<std::string> needed = wordsOf(kindOf(of).needed);
  std::vector<std::string> known = needed;
  std::ranges::copy(wordsOf(kindOf(of).others), std::back_inserter(known));
  const std::string has =
      fmt::format("{} has {}", of.type,
                  known.empty() ? "q and s, or a file" : fmt::format("{}", fmt::join(known, ", ")));
  for (const std::string &name : needed)
    if (!of.numbers.contains(name))
      fail(fmt::format("{} without {}", of.type, name), has);
  for (const auto &[name, values] : of.numbers)
    if (std::ranges::find(known, name) == known.end())
      fail(fmt::format("{} has no '{}'", of.type, name), has);
}

void checkNumber(const ArrangementKey &key, const std::vector<double> &values) {
  const std::string name = key.name;
  if (values.size() < key.fewest || values.size() > key.most)
    fail(fmt::format("'{}' is {} numbers", name, values.size()),
         key.most == 1 ? "it is one number" : "it is one number, or two");
  if (name == "gamma" || name == "xi" || (values.size() == 2 && (name == "a" || name == "b")))
    return;
  for (const double value : values) {
    if (name == "spread" ? !(value >= 0) : !(value > 0))
      fail(fmt::format("{} = {} is to be {}", name, value,
                       name == "spread" ? "0 or more" : "above 0"),
           "");
    if (name == "xi_spread" && value > 360)
      fail(fmt::format("xi_spread = {} deg is above 360", value), "360: all turns are alike");
    if (name == "cells" && (value != std::round(value) || value > 1e6))
      fail(fmt::format("cells = {} is no number of cells", value), "1 to 1e6, a whole number");
  }
}

void checkLattice(const Arrangement &of) {
  const auto &a = of.numbers.at("a"), &b = of.numbers.at("b");
  if (a.size() != b.size())
    fail("a and b are two lengths or two vectors", "a = 20, b = 25; or a = [20, 0], b = [10, 17]");
  if (a.size() == 2 && (of.numbers.contains("gamma") || of.numbers.contains("xi")))
    fail("gamma and xi are of lengths a and b, and these are vectors", "leave them out");
  if (of.numbers.contains("cells") == of.numbers.contains("decay"))
    fail("a lattice has cells, or a decay of its order: one of them",
         "cells = [20, 20], or decay = 500, nm");
  if (of.numbers.contains("xi_spread") && of.numbers.contains("cells") &&
      std::ranges::max(of.numbers.at("cells")) > 1000)
    fail("a domain of more than 1000 cells along a side takes too many turns", "decay = 500, nm");
  const double gamma = of.numbers.contains("gamma") ? of.numbers.at("gamma")[0] : 90,
               sine = a.size() == 2 ? (a[0] * b[1] - a[1] * b[0]) /
                                          (std::hypot(a[0], a[1]) * std::hypot(b[0], b[1]))
                                    : std::sin(gamma * std::numbers::pi / 180);
  if (!(std::abs(sine) > 1e-3))
    fail("a and b of the lattice lie on one line", "gamma = 90, or other vectors");
}

/// Sharper peaks would take too many directions.
void checkCrystal(const Arrangement &of) {
  constexpr double least = 0.01;
  const double spread = of.numbers.at("spread")[0], spacing = of.numbers.at("spacing")[0];
  if (spread < least * spacing)
    fail(fmt::format("spread = {} nm is below {} of the spacing", spread, least),
         fmt::format("spread = {}, or more", least * spacing));
}

void checkTable(const Arrangement &of) {
  if (of.type != "table") {
    if (!of.q.empty() || !of.s.empty())
      fail("q and s are of type = \"table\"", "");
    return;
  }
  if (of.q.size() != of.s.size() || of.q.size() < 2)
    fail(fmt::format("a table of {} q and {} s", of.q.size(), of.s.size()),
         "q = [0.0, 0.5, 5.0], s = [0.2, 1.1, 1.0], or file = \"FILE\" with two columns");
  for (std::size_t i = 0; i < of.q.size(); ++i)
    if (!(of.q[i] >= 0) || (i > 0 && !(of.q[i] > of.q[i - 1])) || !(of.s[i] >= 0))
      fail(fmt::format("number {} of the table is q = {}, s = {}", i + 1, of.q[i], of.s[i]),
           "q ascend from 0 or more, and no s is below 0");
}

} // namespace

const std::vector<ArrangementKey> &arrangementKeys() {
  static const std::vector<ArrangementKey> all{
#define FACET_NUMBER(name, unit, fewest, most, doc) {#name, unit, fewest, most, doc},
#define FACET_ARRANGEMENT(...)
#include "runtime/scattering/arrangement/kinds.def"
#undef FACET_ARRANGEMENT
#undef FACET_NUMBER
  };
  return all;
}

std::vector<std::string> arrangementTypes() {
  std::vector<std::string> all;
  for (const Kind &kind : kinds)
    all.emplace_back(kind.name);
  return all;
}

void check(const Arrangement &of) {
  if (of.type.empty())
    fail("an arrangement has no type", "type = \"hard-spheres\", radius = 5, fraction = 0.2");
  checkNames(of);
  for (const ArrangementKey &key : arrangementKeys())
    if (const auto found = of.numbers.find(key.name); found != of.numbers.end())
      checkNumber(key, found->second);
  if (of.type == "lattice")
    checkLattice(of);
  if ((kindOf(of).where & Curve) != 0)
    checkCrystal(of);
  checkTable(of);
  const double most = of.type == "hard-disks" ? 0.9 : 0.7; // they touch at 0.907 and 0.740
  if (const auto found = of.numbers.find("fraction");
      found != of.numbers.end() && found->second[0] > most)
    fail(fmt::format("fraction = {}: {} fill no more than {}", found->second[0], of.type, most),
         "fraction = 0.2");
  if (of.type == "paracrystal" && of.numbers.contains("cells") && of.numbers.at("cells").size() > 1)
    fail("cells of a paracrystal are in one row", "cells = 20");
}

bool liesInPlane(const Arrangement &of) { return (kindOf(of).where & Plane) != 0; }
bool liesInSpace(const Arrangement &of) { return (kindOf(of).where & (Space | Curve)) != 0; }
bool isOfCurves(const Arrangement &of) { return kindOf(of).where == Curve; }

double correlation(const Arrangement &of) {
  constexpr double neighbours = 4; // radii: two shells
  const auto found = of.numbers.find("radius");
  return found == of.numbers.end() ? 0 : neighbours * found->second[0];
}

std::unique_ptr<const StructureFactor> structureFactor(const Arrangement &of) {
  return kindOf(of).plain(of, of.numbers);
}

std::unique_ptr<const StructureFactorOf<DualReal>>
structureFactorAlong(const Arrangement &of, const ArrangementNumbers<double> &by) {
  ArrangementNumbers<DualReal> numbers;
  for (const auto &[name, values] : of.numbers)
    for (std::size_t k = 0; k < values.size(); ++k)
      numbers[name].emplace_back(values[k], by.contains(name) ? by.at(name)[k] : 0);
  return kindOf(of).dual(of, numbers);
}

void readStructureFactor(const std::string &path, Arrangement &to) {
  FileReader in(path, FileReader::Content::Lines);
  if (!in)
    throw Error(path, "the table of a structure factor cannot be read", "a text: q S, a line each");
  int number = 0;
  for (std::string line; readLine(in, line);) {
    const std::string where = fmt::format("{}:{}", path, ++number);
    if (number == 1)
      beginText(path, line);
    line = line.substr(0, line.find('#'));
    Words words;
    splitFields(where, line, words);
    if (words.empty())
      continue;
    double q = 0, s = 0;
    if (words.size() != 2 || !parseNumber(words[0], q) || !parseNumber(words[1], s))
      throw Error(where, fmt::format("'{}' is not two numbers", line), "q in nm^-1, and S");
    to.q.push_back(q);
    to.s.push_back(s);
  }
}

} // namespace facet::runtime
