// loops.cpp - loops as C++ over plain double: over records, pack, waves and totals; over q, finish,
// from sums, combine, from transforms, and scalars.
#include "codegen/lower/lower.h"
#include "emit.h"
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>
#include <set>

namespace facet::lower {
namespace {

/// The body of a loop over t, and what must stand before the loop for it.
struct Records {
  CppBody body;
  std::string before;
};

Records records(const ir::Kernel &kernel, const ir::Region &region) {
  std::map<int, std::string> columns, params;
  const auto leaf = [&](const ir::Value &value) {
    if (value.op == ir::Op::Param) {
      const int k = paramIndex(kernel, value);
      params[k] = value.name;
      return fmt::format("p{}", k);
    }
    if (value.op != ir::Op::Field)
      throw ir::Error{"only columns and parameters are read once a record", value.loc};
    const int k = columnIndex(kernel, value);
    columns.try_emplace(k, columnNames(kernel)[k]);
    return fmt::format("c{}[t]", k);
  };
  Records made{cppBody(region, CppForm::Double, "    ", leaf), ""};
  for (const auto &[k, name] : columns)
    made.before += fmt::format("  const double *c{0} = columns[{0}]; // {1}\n", k, name);
  for (const auto &[k, name] : params)
    made.before += fmt::format("  const double p{0} = params[{0}]; // {1}\n", k, name);
  return made;
}

/// What differs between functions over q: where sums come from, and where outputs go. Arrays are
/// arguments of the loop: only so is the compiler sure that those of F do not overlap others.
struct Door {
  bool transforms;
  std::string parameters;          // of the function
  std::string declared, given;     // arrays: the loop's arguments, and from the parameters
  std::string_view re, im, other;  // where outputs go; {} = their number
  std::vector<std::string> sums{}; // of real sums: the arrays' names, by the term's outputs
  std::vector<bool> real{};        // of transforms
};

Door finishDoor(const ir::Kernel &kernel) {
  Door door{false,
            "const double *totals, const double *const *sums, double *const *f",
            "const double *totals, ",
            "totals, ",
            "f{}_re[k]",
            "f{}_im[k]",
            ""};
  for (const ir::Output &output : kernel.term.outputs) {
    std::string name = fmt::format("sum{}_{}", door.sums.size(), output.name); // m.x and m_x, too
    std::ranges::replace(name, '.', '_');
    door.declared += fmt::format("const double *{}, ", name);
    door.given += fmt::format("sums[{}], ", door.sums.size());
    door.sums.push_back(std::move(name));
  }
  for (std::size_t o = 0; o < ir::outputsOf(kernel).size(); ++o) {
    const std::string_view comma = o > 0 ? ", " : "";
    door.declared +=
        fmt::format("{0}double *__restrict f{1}_re, double *__restrict f{1}_im", comma, o);
    door.given += fmt::format("{}f[{}], f[{}]", comma, 2 * o, 2 * o + 1);
  }
  return door;
}
Door combineDoor(const ir::Kernel &kernel) {
  Door door{true,
            "const double *totals, const double *const *sums, double *const *f",
            "const double *totals, const double *const *sums",
            "totals, sums",
            "f{}[2 * k]",
            "f{}[2 * k + 1]",
            ""};
  for (std::size_t o = 0; o < ir::outputsOf(kernel).size(); ++o) {
    door.declared += fmt::format(", double *__restrict f{}", o);
    door.given += fmt::format(", f[{}]", o);
  }
  for (const ir::Wave &wave : ir::wavesOf(kernel))
    for (const ir::Wave::Strength &b : wave.strengths)
      door.real.push_back(b.realSum);
  return door;
}
Door scalarsDoor() {
  return {false, "double *const *u", "double *const *u", "u", "", "", "u[{}][k]"};
}

/// A sum that finish reads; `before`: receives what must be declared for it.
std::string sumOf(const ir::Kernel &kernel, const ir::Value &value, const Door &door,
                  std::set<std::string> &before) {
  const bool im = value.part == ir::Part::Im;
  if (!door.transforms) {
    const std::vector<ir::Component> components = ir::componentsOf(kernel.term);
    const auto k = static_cast<std::size_t>(std::max(value.component, 0));
    const int part = k >= components.size() ? -1 : im ? components[k].im : components[k].re;
    if (part < 0)
      throw ir::Error{
          "finish reads a sum that the term does not have: sums have numbers with several "
          "components or with transforms only",
          value.loc};
    return door.sums[part] + "[k]";
  }
  if (value.component < 0)
    throw ir::Error{"the sum of a kernel in transform form has a number: sum0, sum1, ...",
                    value.loc};
  before.insert(fmt::format("  const double *T{0} = sums[{0}];\n", value.component));
  if (door.real[static_cast<std::size_t>(value.component)])
    return fmt::format("T{}[k]", value.component);
  return fmt::format("T{}[2 * k + {}]", value.component, im ? 1 : 0);
}

/// Outputs of a body of the region written where they go.
std::string stores(const ir::Region &region, const CppBody &body, const Door &door) {
  std::string text;
  const auto store = [&](std::string_view to, std::size_t number, const std::string &value) {
    text += fmt::format("    {} = {};\n", fmt::format(fmt::runtime(to), number), value);
  };
  for (std::size_t k = 0; k < body.outputs.size() && !door.other.empty(); ++k)
    store(door.other, k, body.outputs[k]);
  if (!door.other.empty())
    return text;
  std::size_t next = 0;
  for (const auto &[name, re, im] : ir::componentsOf(region)) {
    store(door.re, next, body.outputs[static_cast<std::size_t>(re)]);
    store(door.im, next++, im < 0 ? "0.0" : body.outputs[static_cast<std::size_t>(im)]);
  }
  return text;
}

/// A column of points: they lie as lists behind those of q.
std::string ofPoint(const ir::Kernel &kernel, const ir::Value &value,
                    std::set<std::string> &before) {
  const std::vector<ir::Field> fields = axisFields(kernel);
  const auto found = std::ranges::find(fields, value.name, &ir::Field::name);
  if (found == fields.end() || found->axis != ir::ofPoints)
    throw ir::Error{"a function over q reads no column of the record", value.loc};
  const std::ptrdiff_t c = 3 + (found - fields.begin());
  before.insert(fmt::format("  const double *c{0} = q_re[{0}]; // {1}\n", c, value.name));
  return fmt::format("c{}[k]", c);
}

/// The loop: strides are arguments, so that those known when compiling let it become vectors.
/// `imaginary`: receives the axes whose imaginary part is read.
std::string loop(const ir::Kernel &kernel, const ir::Region &region, const std::string &name,
                 const Door &door, std::array<bool, 3> &imaginary) {
  std::set<std::string> before; // declarations that the body needs
  const auto leaf = [&](const ir::Value &value) {
    const bool im = value.part == ir::Part::Im;
    if (value.op == ir::Op::Param) {
      const int k = paramIndex(kernel, value);
      before.insert(fmt::format("  const double p{0} = params[{0}]; // {1}\n", k, value.name));
      return fmt::format("p{}", k);
    }
    if (value.op == ir::Op::Total) {
      const int k = 2 * value.component + (im ? 1 : 0);
      before.insert(fmt::format("  const double B{0} = totals[{0}];\n", k));
      return fmt::format("B{}", k);
    }
    if (value.op == ir::Op::Sum)
      return sumOf(kernel, value, door, before);
    if (value.op == ir::Op::Rest) { // behind the transforms
      const std::size_t at = door.real.size() + static_cast<std::size_t>(value.component);
      before.insert(fmt::format("  const double *T{0} = sums[{0}];\n", at));
      return fmt::format("T{}[2 * k + {}]", at, im ? 1 : 0);
    }
    if (value.op == ir::Op::Field)
      return ofPoint(kernel, value, before);
    if (value.op != ir::Op::Axis || value.component < 0)
      throw ir::Error{"a function over q reads q, sums and parameters only", value.loc};
    imaginary[value.component] |= im;
    const std::string at = fmt::format("{}{}", "xyz"[value.component], im ? "i" : "r");
    before.insert(
        fmt::format("  const double *{} = {}[{}];\n", at, im ? "q_im" : "q_re", value.component));
    return fmt::format("{0}[k * s{0}]", at);
  };
  const CppBody body = cppBody(region, CppForm::Double, "    ", leaf);
  std::string text = fmt::format(
      "static inline __attribute__((always_inline)) void {}_loop(const double *const *q_re, "
      "const double *const *q_im, int64_t sxr, int64_t syr, int64_t szr, int64_t sxi, int64_t "
      "syi, int64_t szi, int64_t n, const double *params, {}) {{\n",
      name, door.declared);
  for (const std::string &line : before)
    text += line;
  return text + "  for (int64_t k = 0; k < n; ++k) {\n" + body.statements +
         stores(region, body, door) + "  }\n}\n";
}

/// Rows (strides 0 0 1) and lists (1 1 1) have loops of their own. Strides of the imaginary parts
/// that are read must fit too: a component given without one is real, a zero of stride 0.
std::string overQ(const ir::Kernel &kernel, const ir::Region &region, const std::string &name,
                  const Door &door) {
  std::array<bool, 3> imaginary{};
  const std::string text = loop(kernel, region, name, door, imaginary);
  std::string row = "s[0] == 0 && s[1] == 0 && s[2] == 1";
  std::string list = "s[0] == 1 && s[1] == 1 && s[2] == 1";
  std::string rowStrides = "0, 0, 1";
  std::string listStrides = "1, 1, 1";
  for (int axis = 0; axis < 3; ++axis) {
    rowStrides += fmt::format(", {}", axis == 2 && imaginary[axis] ? 1 : 0);
    listStrides += fmt::format(", {}", imaginary[axis] ? 1 : 0);
    if (imaginary[axis])
      list += fmt::format(" && s[{}] == 1", axis + 3);
  }
  if (imaginary[2])
    row += " && s[5] == 1";
  return text +
         fmt::format(
             R"(static void {0}(const double *const *q_re, const double *const *q_im, const int64_t *stride,
    int64_t n, const double *params, {5}) {{
  static const double zero = 0;
  const double *im[3] = {{&zero, &zero, &zero}};
  int64_t s[6] = {{stride[0], stride[1], stride[2], 0, 0, 0}};
  for (int a = 0; a < 3; ++a)
    if (q_im && q_im[a]) {{
      im[a] = q_im[a];
      s[a + 3] = s[a];
    }}
  if ({1})
    {0}_loop(q_re, im, {2}, n, params, {6});
  else if ({3})
    {0}_loop(q_re, im, {4}, n, params, {6});
  else
    {0}_loop(q_re, im, s[0], s[1], s[2], s[3], s[4], s[5], n, params, {6});
}}
)",
             name, row, rowStrides, list, listStrides, door.parameters, door.given);
}

} // namespace

std::string cppPack(const ir::Kernel &kernel, const std::string &name, bool narrowIsFloat) {
  const auto [body, before] = records(kernel, kernel.pack);
  const std::string_view narrow = narrowIsFloat ? "float" : "double";
  const std::size_t narrowFields = packedColumns(kernel, false).size(),
                    wideFields = packedColumns(kernel, true).size();
  std::string text = fmt::format("static void {}(const double *const *columns, int64_t n, "
                                 "const double *params, void *narrow, double *wide) {{\n{}",
                                 name, before);
  if (narrowFields)
    text += fmt::format("  {0} *w = ({0} *)narrow;\n", narrow);
  text += "  for (int64_t t = 0; t < n; ++t) {\n" + body.statements;
  int nextNarrow = 0, nextWide = 0;
  for (std::size_t k = 0; k < body.outputs.size(); ++k) {
    const ir::Output &output = kernel.pack.outputs[k];
    if (kernel.pack.values[output.value].type == ir::Type::Wide)
      text += fmt::format("    wide[t * {} + {}] = {}; // {}\n", wideFields, nextWide++,
                          body.outputs[k], output.name);
    else
      text += fmt::format("    w[t * {} + {}] = ({}){}; // {}\n", narrowFields, nextNarrow++,
                          narrow, body.outputs[k], output.name);
  }
  return text + "  }\n}\n";
}

std::string cppWaves(const ir::Kernel &kernel, const std::string &name,
                     std::optional<std::size_t> only) {
  const auto [body, before] = records(kernel, kernel.waves);
  // The arrays are arguments of a function of their own: only so is the compiler sure that they do
  // not overlap, and makes vectors of the loop.
  std::string arguments, given, stores;
  const std::vector<ir::Wave> waves = ir::wavesOf(kernel);
  for (std::size_t w = only.value_or(0); w < (only ? *only + 1 : waves.size()); ++w) {
    for (std::size_t k = 0; k < 3 && !only; ++k) {
      const std::size_t at = 3 * w + k;
      arguments += fmt::format(", double *__restrict r{}", at);
      given += fmt::format(", points[{}]", at);
      stores += fmt::format("    r{}[t] = {}; // {}{}\n", at, body.outputs[waves[w].point[k]],
                            "xyz"[k], w);
    }
    for (const ir::Wave::Strength &b : waves[w].strengths) {
      const auto part = [&](int output) { return output < 0 ? "0.0" : body.outputs[output]; };
      arguments += fmt::format(", double *__restrict b{}", b.transform);
      given += fmt::format(", strengths[{}]", b.transform);
      stores += b.realSum ? fmt::format("    b{}[t] = {};\n", b.transform, part(b.re))
                          : fmt::format("    b{0}[2 * t] = {1};\n    b{0}[2 * t + 1] = {2};\n",
                                        b.transform, part(b.re), part(b.im));
    }
  }
  return fmt::format("static inline __attribute__((always_inline)) void {0}_loop(const double "
                     "*const *columns, int64_t n, const double *params{1}) {{\n{2}"
                     "  for (int64_t t = 0; t < n; ++t) {{\n{3}{4}  }}\n}}\n"
                     "static void {0}(const double *const *columns, int64_t n, const double "
                     "*params, double *const *points, double *const *strengths) {{\n"
                     "  {0}_loop(columns, n, params{5});\n}}\n",
                     name, arguments, before, body.statements, stores, given);
}

std::string cppMixed(const ir::Kernel &kernel, const std::string &name) {
  const auto [body, before] = records(kernel, kernel.mixed);
  return fmt::format(
      "static void {}(const double *const *columns, int64_t n, const double *params, "
      "double *mixed) {{\n{}  for (int64_t t = 0; t < n; ++t) {{\n{}"
      "    mixed[t] = {};\n  }}\n}}\n",
      name, before, body.statements, body.outputs[0]);
}

std::string cppTotals(const ir::Kernel &kernel, const std::string &name) {
  const auto [body, before] = records(kernel, kernel.totals);
  std::string sums, adds, results;
  int next = 0;
  for (std::size_t k = 0; k < body.outputs.size(); ++next) {
    const std::string &re = body.outputs[k++];
    sums += fmt::format("  facet::detail::compensated re{0};\n  double size{0} = 0;\n", next);
    adds += fmt::format("    re{}.add({});\n", next, re);
    results +=
        fmt::format("  totals[{0}] = re{1}.value();\n  sizes[{1}] = size{1};\n", 2 * next, next);
    if (k < body.outputs.size() && kernel.totals.outputs[k].name.ends_with("im")) {
      const std::string &im = body.outputs[k++];
      sums += fmt::format("  facet::detail::compensated im{};\n", next);
      adds += fmt::format("    size{0} += __builtin_sqrt({1} * {1} + {2} * {2});\n"
                          "    im{0}.add({2});\n",
                          next, re, im);
      results += fmt::format("  totals[{}] = im{}.value();\n", 2 * next + 1, next);
    } else {
      adds += fmt::format("    size{} += __builtin_fabs({});\n", next, re);
      results += fmt::format("  totals[{}] = 0;\n", 2 * next + 1);
    }
  }
  return fmt::format("static void {}(const double *const *columns, int64_t n, const double "
                     "*params, double *totals, double *sizes) {{\n{}{}"
                     "  for (int64_t t = 0; t < n; ++t) {{\n{}{}  }}\n{}}}\n",
                     name, before, sums, body.statements, adds, results);
}

std::string cppFinish(const ir::Kernel &kernel, const std::string &name) {
  return overQ(kernel, kernel.finish, name, finishDoor(kernel));
}

std::string cppCombine(const ir::Kernel &kernel, const std::string &name) {
  return overQ(kernel, kernel.finish, name, combineDoor(kernel));
}

std::string cppScalars(const ir::Kernel &kernel, const std::string &name) {
  return overQ(kernel, kernel.scalars, name, scalarsDoor());
}

} // namespace facet::lower
