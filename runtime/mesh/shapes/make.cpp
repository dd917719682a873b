// make.cpp - a shape by its name, with checked arguments.
#include "runtime/files/text.h"
#include "runtime/mesh/shapes/shapes.h"
#include <algorithm>
#include <cmath>
#include <facet/runtime/error.h>

namespace facet::runtime {

namespace {
enum class Kind { Length, Count, Lengths, Counts };
struct Argument {
  std::string name;
  Kind kind;
  double standard;
  std::string doc;
};
struct Shape {
  std::string name, doc;
  Mesh (*make)(const Arguments &);
  std::vector<Argument> arguments;
};

const std::vector<Shape> &shapes() {
  static const std::vector<Shape> all = [] {
    std::vector<Shape> list;
#define FACET_SHAPE(name, function, doc) list.push_back({name, doc, function, {}});
#define FACET_SHAPE_ARGUMENT(name, kind, standard, doc)                                            \
  list.back().arguments.push_back({name, Kind::kind, standard, doc});
#include "runtime/mesh/shapes/shapes.def"
    for (Shape &shape : list)
      shape.arguments.push_back({"refine", Kind::Count, 1, "cuts each triangle into refine^2"});
    return list;
  }();
  return all;
}

template <class List> std::vector<std::string> namesOf(const List &list) {
  std::vector<std::string> names;
  names.reserve(list.size());
  for (const auto &entry : list)
    names.push_back(entry.name);
  return names;
}

Vec3 checked(const std::string &shape, const Argument &argument,
             const std::vector<double> &values) {
  std::string where = shape + "." + argument.name;
  bool three = argument.kind == Kind::Lengths || argument.kind == Kind::Counts;
  bool whole = argument.kind == Kind::Count || argument.kind == Kind::Counts;
  if (values.size() != 1 && !(three && values.size() == 3))
    throw Error(where, "takes " + std::string(three ? "one value or three" : "one value") +
                           ", not " + std::to_string(values.size()));
  for (double value : values) {
    if (!std::isfinite(value) || value <= 0)
      throw Error(where, "must be greater than 0");
    if (whole && (value != std::floor(value) || value > 1e6))
      throw Error(where, "must be a whole number up to 1000000");
  }
  return {values[0], values.size() == 3 ? values[1] : values[0],
          values.size() == 3 ? values[2] : values[0]};
}

/// Sizes that contradict each other.
void checkTogether(const std::string &shape, const Arguments &a) {
  auto value = [&](const char *name) { return a.at(name)[0]; };
  if (shape == "torus" && value("minor") >= value("major"))
    throw Error("torus.minor", "must be smaller than major, or the ring runs through itself");
  if (shape == "torus" && (value("around") < 3 || value("tube") < 3))
    throw Error(value("tube") < 3 ? "torus.tube" : "torus.around", "must be 3 or more");
  if (shape == "cylinder" && value("around") < 3)
    throw Error("cylinder.around", "must be 3 or more");
  if (shape == "grating" && std::max(value("width"), value("top")) > value("pitch"))
    throw Error("grating.pitch", "the lines overlap",
                "make the pitch at least as large as the width");
}
} // namespace

Mesh makeMesh(const std::string &name, const std::map<std::string, std::vector<double>> &numbers) {
  auto shape = std::find_if(shapes().begin(), shapes().end(),
                            [&](const Shape &s) { return s.name == name; });
  if (shape == shapes().end())
    throw Error("shape", "there is no '" + name + "'",
                suggestion(name, namesOf(shapes()), "shapes are"));
  Arguments arguments;
  for (const Argument &argument : shape->arguments)
    arguments[argument.name] = {argument.standard, argument.standard, argument.standard};
  for (const auto &[key, values] : numbers) {
    auto argument = std::find_if(shape->arguments.begin(), shape->arguments.end(),
                                 [&, &key = key](const Argument &a) { return a.name == key; });
    if (argument == shape->arguments.end())
      throw Error(name, "there is no argument '" + key + "'",
                  suggestion(key, namesOf(shape->arguments), "arguments are"));
    arguments[key] = checked(name, *argument, values);
  }
  checkTogether(name, arguments);
  Mesh mesh = refined(shape->make(arguments), static_cast<int>(arguments.at("refine")[0]));
  mesh.name = name;
  return mesh;
}

std::string shapesHelp() {
  std::string text;
  for (const Shape &shape : shapes()) {
    text += "  " + shape.name + ": " + shape.doc + "\n";
    for (const Argument &a : shape.arguments) {
      std::string standard = std::to_string(a.standard);
      standard.resize(standard.find('.'));
      std::string entry = a.name + "=" + standard;
      entry.resize(std::max<std::size_t>(entry.size() + 1, 12), ' ');
      text += "      " + entry + a.doc + "\n";
    }
  }
  return text;
}

} // namespace facet::runtime
