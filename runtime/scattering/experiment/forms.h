// forms.h - values of an experiment file with a form of their own: how each is read and written;
// what keys say together.
#pragma once
#include "runtime/engine/system/toml.h"
#include "runtime/scattering/arrangement/arrangement.h"
#include "runtime/scattering/detector/detector.h"
#include "runtime/scattering/detector/mask.h"
#include "runtime/scattering/experiment/table.h"
#include "runtime/scattering/sample/directions.h"
#include <cmath>
#include <facet/runtime/experiment.h>
#include <facet/runtime/material.h>
#include <facet/runtime/shapes.h>
#include <filesystem>

namespace facet::runtime::schema {

inline constexpr auto notWritten = [](const auto &) { return std::string(); };
inline constexpr auto writeText = [](const std::string &value) { return text(value); };

/// An input file, seen from the folder of the experiment's file. It is not part of the identity:
/// what is in the file counts, wherever it lies.
inline constexpr Form path{[](const Entry &at, std::string &to) { to = at.path(); }, writeText,
                           false};

/// The wavelength from an energy.
inline constexpr Form energyForm{[](const Entry &at, Experiment &to) {
                                   double energy = 0;
                                   read(at, energy);
                                   if (const Above0 above0{"energy"}; !above0.holds(energy))
                                     above0.refuse(at, energy);
                                   const double wavelength = wavelengthOf(energy, to.probe);
                                   if (to.wavelength > 0)
                                     at.fail(
                                         "a beam has a wavelength or an energy, not both",
                                         fmt::format("{} eV are {:.6g} nm", energy, wavelength));
                                   to.wavelength = wavelength;
                                 },
                                 notWritten};

/// A kernel beside the file, if there is one.
inline constexpr Form kernelForm{[](const Entry &at, std::string &to) {
                                   read(at, to);
                                   std::error_code none; // a name may be longer than a file's
                                   if (const std::string own = at.path();
                                       std::filesystem::is_regular_file(own, none))
                                     to = own;
                                 },
                                 writeText};

/// A number, or [re, im].
inline std::optional<std::complex<double>> component(const toml::node &node) {
  if (node.is_number())
    return numberOf(node);
  const toml::array *parts = node.as_array();
  if (parts != nullptr && parts->size() == 2 && parts->get(0)->is_number() &&
      parts->get(1)->is_number())
    return std::complex<double>(numberOf(*parts->get(0)), numberOf(*parts->get(1)));
  return {};
}

/// A number, [re, im], [x, y, z], or a text as --param takes it.
inline ParameterValue readParameter(const Entry &at) {
  if (const auto text = at.node.value_exact<std::string>())
    return parseParameter(*text, fmt::format("parameter '{}'", at.key));
  if (at.node.is_number())
    return numberOf(at.node);
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

inline std::string writeParameter(const ParameterValue &value) {
  if (!value.sweep.empty())
    return text(value.sweep);
  std::vector<std::string> all;
  for (const std::complex<double> z : value.numbers)
    all.push_back(z.imag() == 0 ? text(z.real()) : text(std::array{z.real(), z.imag()}));
  return all.size() == 1 ? all[0] : fmt::format("[{}]", fmt::join(all, ", "));
}

inline constexpr Form parametersForm{
    [](const Entry &at, NamedParameters &to) {
      for (const Source from = at.sub(); const Entry &one : from.entries())
        to.emplace_back(one.key, readParameter(one));
    },
    [](const NamedParameters &from) { return inlineTable(from, writeParameter); }};

/// An axis as a table.
struct AxisNumbers {
  double from = 0, to = 0, im = 0;
  std::int64_t n = 0;
  std::string scale = "linear";
};
/// `unit`: of the axis.
inline auto axisKeys(const std::string &unit) {
  return [of = unit](auto &key, auto &a) {
    key("from", a.from, any, of.c_str(), "first value");
    key("to", a.to, any, of.c_str(), "last value");
    key("n", a.n, any, "", "number of values");
    key("scale", a.scale, OneOf{{"linear", "log"}}, "", "`\"linear\"` or `\"log\"`");
    key("im", a.im, any, of.c_str(), "constant imaginary part (0)");
  };
}

inline std::string axisOfTable(const Entry &at) {
  const Source from = at.sub();
  for (const char *needed : {"from", "to", "n"})
    if (from.find(needed) == nullptr)
      at.fail(fmt::format("axis {} has no '{}'", at.key, needed),
              fmt::format("{} = {{ from = -2, to = 2, n = 500 }}", at.key));
  AxisNumbers axis;
  Reader(from, axis, axisKeys(at.unit));
  if (axis.n < 1)
    from.fail(*from.find("n"), fmt::format("axis {} has no values: n = {}", at.key, axis.n),
              "n is 1 or more");
  const std::string all = fmt::format("{}{}:{}:{}", axis.scale == "log" ? "log " : "",
                                      text(axis.from), text(axis.to), axis.n);
  return axis.im == 0 ? all : fmt::format("{}{:+}i", all, axis.im);
}

/// The text that parseAxis() takes, of a number, a text, a list of numbers, or a table.
inline constexpr Form axisForm{
    [](const Entry &at, std::string &to) {
      if (at.node.is_table()) {
        to = axisOfTable(at);
      } else if (at.node.is_array() || at.node.is_number()) {
        std::vector<double> values;
        read(at, values);
        if (values.empty())
          at.fail(fmt::format("axis {} has no values", at.key), "give at least one");
        to = fmt::format("{}", fmt::join(values, ","));
      } else {
        to = at.node.value_exact<std::string>().value_or("");
        if (to.empty())
          at.fail(fmt::format("axis {} is to be a number, a list, a text or a table", at.key),
                  fmt::format("{} = {{ from = -2, to = 2, n = 500 }}", at.key));
      }
      atLine(at, [&] {
        to = axisIn(at.unit, to);
        parseAxis(to);
      });
    },
    writeText};

/// A number, or a name as --unit takes it; only meshes have one.
inline constexpr Form unitForm{
    [](const Entry &at, Particle &to) {
      if (at.node.is_string() && !at.isNumber())
        return atLine(at, [&] { to.unit = parseUnit(*at.node.value<std::string>()); });
      double unit = 1;
      read(at, unit);
      if (const Above0 above0{"unit", "nm for one unit of the mesh's file"}; !above0.holds(unit))
        above0.refuse(at, unit);
      to.unit = unit;
    },
    [](const Particle &from) { return from.mesh.empty() || !from.unit ? "" : text(*from.unit); }};

/// Whether an argument of shapes counts something; others are lengths.
inline bool isCount(const std::string &name) {
  using Kind = MeshShape::Argument::Kind;
  for (const MeshShape &shape : meshShapes())
    for (const MeshShape::Argument &one : shape.arguments)
      if (one.name == name)
        return one.kind == Kind::Count || one.kind == Kind::Counts;
  return false;
}

/// Any table of plain keys: the shape's own arguments are checked by the shape.
inline constexpr Form shapeForm{
    [](const Entry &at, Particle &to) {
      constexpr const char *help = "shape = { type = \"torus\", major = 20 }";
      for (const Source from = at.sub(help); const Entry &one : from.entries()) {
        if (one.key == "type" && one.node.is_string()) {
          read(one, to.shape);
          continue;
        }
        std::vector<double> &numbers = to.shapeNumbers[one.key];
        const Entry given{one.in, one.key, one.node, isCount(one.key) ? "" : "nm"};
        if (given.isNumber() || one.node.is_array())
          read(given, numbers);
        if (given.isNumber() ? numbers.size() != 1 : numbers.size() != 3)
          one.fail(fmt::format("'{}' of a shape is to be a number or three", one.key));
      }
      if (to.shape.empty())
        at.fail("the shape has no type", help);
    },
    [](const Particle &from) {
      return inlineTable(
          from.shapeNumbers,
          [](const std::vector<double> &v) { return v.size() == 1 ? text(v[0]) : text(v); },
          from.shape.empty() ? "" : "type = " + text(from.shape));
    }};

inline constexpr Form columnsForm{[](const Entry &at, std::map<std::string, double> &to) {
                                    for (const Source from = at.sub("columns = { contrast = 1.0 }");
                                         const Entry &one : from.entries())
                                      read(one, to[one.key]);
                                  },
                                  [](const std::map<std::string, double> &from) {
                                    return inlineTable(from,
                                                       [](double value) { return text(value); });
                                  }};

inline constexpr const char *orientationHelp =
    "orientation = { euler = [0, 30, 0] }, { average = \"in-plane\" }, or \"none\"";
/// [z, y, z], or a list of such.
inline constexpr Form eulerForm{
    [](const Entry &at, std::vector<std::array<double, 3>> &to) {
      const auto add = [&](const toml::node &node) {
        std::vector<double> angles;
        const Entry one = at.with(node);
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
    },
    [](const std::vector<std::array<double, 3>> &from) {
      std::vector<std::string> all;
      for (const auto &angles : from)
        all.push_back(text(angles));
      return all.size() < 2 ? fmt::format("{}", fmt::join(all, ""))
                            : fmt::format("[{}]", fmt::join(all, ", "));
    }};

/// orientation = "in-plane".
inline constexpr auto readAverage = [](const Entry &at, Orientations &to) {
  read(at, to.average);
  if (const OneOf averages{averageNames(true)}; !averages.holds(to.average))
    averages.refuse(at, to.average);
};
/// picture = "FILE".
inline constexpr auto readPictureFile = [](const Entry &at, Experiment &to) {
  read(at, to.picture);
};

/// The particle of an object, by its name. It is found when all are known (checkExperiment).
inline constexpr Form particleForm{[](const Entry &, Object &) {},
                                   [](const Object &o) { return text(o.particle + 1); }};

/// A calibration, which is read first: other keys replace what it says.
inline constexpr Form poniForm{[](const Entry &at, Detector &to) { to = readPoni(at.path()); },
                               notWritten};

inline constexpr Form pixelsForm{
    [](const Entry &at, Detector &to) {
      const std::vector<double> pixels = readNumbers(at, 2);
      for (const double n : pixels)
        if (!(n >= 0 && n < 1e9 && n == std::floor(n)))
          at.fail(fmt::format("{} is no number of pixels", n),
                  "pixels = [1043, 981], rows and columns");
      to.rows = static_cast<std::int64_t>(pixels[0]);
      to.columns = static_cast<std::int64_t>(pixels[1]);
    },
    [](const Detector &from) { return fmt::format("[{}, {}]", from.rows, from.columns); }};

inline constexpr Form pixelSizeForm{
    [](const Entry &at, Detector &to) {
      const std::vector<double> both =
          at.isNumber() ? std::vector(2, at.number()) : readNumbers(at, 2);
      to.pixel1 = both[0], to.pixel2 = both[1];
    },
    [](const Detector &from) { return text(std::array{from.pixel1, from.pixel2}); }};

/// Half of a slit's length: `inf` for all q, or numbers.
inline constexpr Form slitForm{
    [](const Entry &at, std::vector<double> &to) {
      if (at.node.value_exact<double>() == HUGE_VAL) {
        to = {HUGE_VAL};
        return;
      }
      read(at, to);
      if (!widths.holds(to))
        widths.refuse(at, to);
    },
    [](const std::vector<double> &from) {
      return from.empty() ? "" : from.size() == 1 ? text(from[0]) : text(from);
    }};

/// Sigma of a detector's point spread, row to row and column to column.
inline constexpr Form spreadForm{
    [](const Entry &at, std::array<double, 2> &to) {
      if (at.isNumber())
        to.fill(at.number());
      else
        read(at, to);
      for (const double sigma : to)
        if (sigma < 0)
          at.fail(fmt::format("a point spread of {} pixels is below 0", sigma),
                  "0 where nothing is spread");
    },
    [](const std::array<double, 2> &from) {
      return from == std::array<double, 2>{} ? "" : text(from);
    }};

inline constexpr Form centreForm{[](const Entry &at, Detector &to) {
                                   const std::vector<double> pixel = readNumbers(at, 2);
                                   to.poni1 = pixel[0] * to.pixel1;
                                   to.poni2 = pixel[1] * to.pixel2;
                                 },
                                 notWritten};

/// A file, or the detector's shape and runs of its pixels. It is written as these, wherever it was
/// read from.
inline constexpr Form maskForm{
    [](const Entry &at, Detector &to) {
      PixelMask mask;
      if (at.node.is_string()) {
        atLine(at, [&] { mask = readMask(at.path()); });
      } else {
        std::vector<std::array<std::int64_t, 2>> pairs;
        const toml::array *list = at.node.as_array();
        for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) {
          const std::vector<double> two = readNumbers(at.with(*list->get(i)), 2);
          pairs.push_back({static_cast<std::int64_t>(two[0]), static_cast<std::int64_t>(two[1])});
        }
        if (pairs.empty())
          at.fail("a mask is a file, or a shape and runs of pixels",
                  "mask = \"mask.h5\", or [[rows, columns], [first, number], ..]");
        atLine(at, [&] { mask = maskOf(pairs[0], {pairs.begin() + 1, pairs.end()}); });
      }
      to.mask = std::make_shared<PixelMask>(std::move(mask));
    },
    [](const Detector &from) {
      std::vector<std::string> pairs;
      if (from.mask == nullptr)
        return std::string();
      pairs.push_back(fmt::format("[{}, {}]", from.mask->rows, from.mask->columns));
      for (const auto &[first, count] : runsOf(*from.mask))
        pairs.push_back(fmt::format("[{}, {}]", first, count));
      return fmt::format("[{}]", fmt::join(pairs, ", "));
    }};

/// Where a line cut is: the key names the coordinate.
inline const std::vector<std::string> coordinates{"qy",    "qz",  "q_ip",   "q_oop", "alpha_f",
                                                  "phi_f", "row", "column", "q",     "chi"};
inline const char *unitOf(const std::string &coordinate) {
  return coordinate[0] == 'q'                                ? "nm^-1"
         : coordinate.ends_with("_f") || coordinate == "chi" ? "deg"
                                                             : "";
}
inline auto placeForm(const std::string &name) {
  return Form{[](const Entry &at, LineCut &to) {
                if (!to.across.empty())
                  at.in.fail(fmt::format("a cut is at one {} or {}, not both", to.across, at.key));
                to.across = at.key;
                read(at, to.at);
              },
              [&name](const LineCut &cut) { return cut.across == name ? text(cut.at) : ""; }};
}

/// In the unit of the coordinate that the cut is at, which is read before.
inline constexpr Form widthForm{[](const Entry &at, LineCut &to) {
                                  read(Entry{at.in, at.key, at.node, unitOf(to.across)}, to.width);
                                },
                                [](const LineCut &from) { return text(from.width); }};

/// A word, or unit vectors and their weights.
inline constexpr Form directionsForm{
    [](const Entry &at, CurveDirections &to) {
      if (at.node.is_string()) {
        std::string word;
        read(at, word);
        if (const OneOf words{{"all", "symmetry", "revolution"}}; !words.holds(word))
          words.refuse(at, word);
        to.revolution = word == "revolution";
        to.symmetry = word == "symmetry";
        return;
      }
      const toml::array *both = at.node.as_array();
      const toml::array *vectors =
          both != nullptr && both->size() == 2 ? both->get(0)->as_array() : nullptr;
      if (vectors == nullptr || !both->get(1)->is_array())
        at.fail("directions are a word, or a list of unit vectors and one of their weights",
                directionsHelp);
      for (const toml::node &vector : *vectors)
        read(Entry{at.in, at.key, vector}, to.at.emplace_back());
      read(Entry{at.in, at.key, *both->get(1)}, to.weights);
      atLine(at, [&] { check(to); });
    },
    [](const CurveDirections &from) {
      if (from.at.empty())
        return text(std::string(from.revolution ? "revolution" : from.symmetry ? "symmetry" : ""));
      std::vector<std::string> vectors;
      for (const auto &u : from.at)
        vectors.push_back(text(u));
      return fmt::format("[[{}], {}]", fmt::join(vectors, ", "), text(from.weights));
    }};

inline constexpr const char *densityHelp =
    "particles a nm^2 on a sample, the volume fraction in transmission";
/// A number of an arrangement, or a list of some.
inline auto arrangementForm(const std::string &name) {
  return Form{[](const Entry &at, Arrangement &to) { read(at, to.numbers[at.key]); },
              [name](const Arrangement &from) {
                const auto found = from.numbers.find(name);
                if (found == from.numbers.end())
                  return std::string();
                return found->second.size() == 1 ? text(found->second[0]) : text(found->second);
              }};
}
/// A table is written with its numbers, wherever it was read from.
inline constexpr Form structureFactorForm{[](const Entry &at, Arrangement &to) {
                                            if (at.in.has({"q", "s"}))
                                              at.fail("a table is in a file or in q and s",
                                                      "leave out one of them");
                                            readStructureFactor(at.path(), to);
                                          },
                                          notWritten};

/// theta, phi and density of a text, in columns of this order or of a line of names; phi may be
/// left out. Throws Error.
void readDensity(const std::string &path, Orientations &to);
inline constexpr Form densityForm{[](const Entry &at, Orientations &to) {
                                    if (at.in.has({"theta", "phi", "density"}))
                                      at.fail("a table is in a file or in theta, phi and density",
                                              "leave out one of them");
                                    readDensity(at.path(), to);
                                  },
                                  notWritten};

void checkSample(const Source &from, Experiment &to);
void checkGrid(const Source &from, Experiment &to);
void checkOutput(const Source &from, Experiment &to);
/// That there are the amplitudes and waves that are to be written.
void checkAmplitudes(const Source &from, const Experiment &s);
void checkExperiment(const Source &from, Experiment &to);
/// Gives what is made of a material its delta and beta, once the wavelength is known; layers alone.
void checkMaterials(const Source &from, Experiment &to);
void checkLayers(const Source &from, Experiment &to);
void checkParticle(const Source &from, Particle &to);
void checkOrientations(const Source &from, Orientations &to);
void checkSize(const Source &from, SizeSpread &to);
void checkDetector(const Source &from, Detector &to);
void checkCut(const Source &from, LineCut &to);
void checkArrangement(const Source &from, Arrangement &to);

} // namespace facet::runtime::schema
