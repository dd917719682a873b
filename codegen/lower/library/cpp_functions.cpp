// cpp_functions.cpp - the pack and finish functions of a variant, as C++ over plain double.
#include "cpp_emit.h"
#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace facet::lower {
namespace {

int indexOf(const std::vector<std::string> &names, const std::string &name, ir::Loc loc) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end())
    throw ir::Error{fmt::format("no column or parameter is called '{}'", name), loc};
  return static_cast<int>(found - names.begin());
}

std::string column(const ir::Value &value) {
  return value.component < 0 ? value.name
                             : fmt::format("{}.{}", value.name, "xyz"[value.component]);
}

bool uses(const ir::Region &region, const std::function<bool(const ir::Value &)> &test) {
  return std::any_of(region.values.begin(), region.values.end(), test);
}

} // namespace

std::string_view cppPrelude() {
  return R"(static inline double round_(double a) { return __builtin_nearbyint(a); }
static inline double negate_if_odd_(double a, double b) {
  return b == 2 * __builtin_nearbyint(b / 2) ? a : -a;
}
static inline double sinpi_(double a) { // reduced exactly before pi is rounded in
  const double k = __builtin_nearbyint(a);
  return negate_if_odd_(__builtin_sin((a - k) * 3.14159265358979323846), k);
}
static inline double cospi_(double a) {
  const double k = __builtin_nearbyint(a);
  return negate_if_odd_(__builtin_cos((a - k) * 3.14159265358979323846), k);
}
)";
}

std::string cppPack(const ir::Kernel &kernel, const std::string &name, bool narrowIsFloat) {
  const auto columns = columnNames(kernel);
  std::vector<bool> read(columns.size());
  const auto leaf = [&](const ir::Value &value) {
    if (value.op == ir::Op::Param)
      return fmt::format("params[{}]", indexOf(kernel.params, value.name, value.loc));
    if (value.op != ir::Op::Field)
      throw ir::Error{"pack reads columns and parameters only", value.loc};
    const int k = indexOf(columns, column(value), value.loc);
    read[k] = true;
    return fmt::format("c{}[t]", k);
  };
  const CppBody body = cppBody(kernel.pack, CppForm::Double, "    ", leaf);
  const std::string_view narrow = narrowIsFloat ? "float" : "double";
  int narrowFields = 0;
  int wideFields = 0;
  for (const ir::Output &output : kernel.pack.outputs)
    ++(kernel.pack.values[output.value].type == ir::Type::Wide ? wideFields : narrowFields);

  std::string text = fmt::format("static void {}(const double *const *columns, int64_t n, "
                                 "const double *params, void *narrow, double *wide) {{\n",
                                 name);
  for (std::size_t k = 0; k < columns.size(); ++k)
    if (read[k])
      text += fmt::format("  const double *c{} = columns[{}]; // {}\n", k, k, columns[k]);
  if (narrowFields)
    text += fmt::format("  {0} *w = ({0} *)narrow;\n", narrow);
  text += "  for (int64_t t = 0; t < n; ++t) {\n" + body.statements;
  int nextNarrow = 0;
  int nextWide = 0;
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

std::string cppFinish(const ir::Kernel &kernel, const std::string &name) {
  const auto leaf = [&](const ir::Value &value) {
    const bool imaginary = value.part == ir::Part::Im;
    if (value.op == ir::Op::Param)
      return fmt::format("p{}", indexOf(kernel.params, value.name, value.loc));
    if (value.op == ir::Op::Total)
      return fmt::format("totals[{}]", 2 * value.component + (imaginary ? 1 : 0));
    if (value.op == ir::Op::Sum)
      return fmt::format("sum_{}[k]", imaginary ? "im" : "re");
    if (value.op != ir::Op::Axis || value.component < 0)
      throw ir::Error{"finish reads q, the sum and parameters only", value.loc};
    return fmt::format("{0}{1}[k * s{0}{1}]", "xyz"[value.component], imaginary ? "i" : "r");
  };
  const CppBody body = cppBody(kernel.finish, CppForm::Double, "    ", leaf);
  std::string re = "0.0";
  std::string im = "0.0";
  for (std::size_t k = 0; k < body.outputs.size(); ++k)
    (kernel.finish.outputs[k].name == "im" ? im : re) = body.outputs[k];

  // One body; strides known when compiling let the compiler vectorise the loop.
  std::string text = fmt::format(
      "static inline __attribute__((always_inline)) void {}_loop(const double *const *q_re, "
      "const double *const *q_im, int64_t sxr, int64_t syr, int64_t szr, int64_t sxi, int64_t syi, "
      "int64_t szi, "
      "int64_t n, const double *params, "
      "const double *totals, const double *sum_re, const double *sum_im, double *__restrict f_re, "
      "double *__restrict f_im) {{\n",
      name);
  std::array<bool, 3> imaginaryAxis{}; // those whose imaginary part is read
  for (int axis = 0; axis < 3; ++axis)
    for (const ir::Part part : {ir::Part::Re, ir::Part::Im}) {
      const bool imaginary = part == ir::Part::Im;
      if (uses(kernel.finish, [&](const ir::Value &value) {
            return value.op == ir::Op::Axis && value.component == axis &&
                   (value.part == ir::Part::Im) == imaginary;
          })) {
        imaginaryAxis[axis] |= imaginary;
        text += fmt::format("  const double *{0}{1} = q_{2}[{3}];\n", "xyz"[axis],
                            imaginary ? "i" : "r", imaginary ? "im" : "re", axis);
      }
    }
  for (std::size_t k = 0; k < kernel.params.size(); ++k)
    if (uses(kernel.finish, [&](const ir::Value &value) {
          return value.op == ir::Op::Param && value.name == kernel.params[k];
        }))
      text += fmt::format("  const double p{} = params[{}]; // {}\n", k, k, kernel.params[k]);
  text += "  for (int64_t k = 0; k < n; ++k) {\n" + body.statements;
  text += fmt::format("    f_re[k] = {};\n    f_im[k] = {};\n  }}\n}}\n", re, im);
  // Strides of the imaginary parts that are read must fit too: a component given without imaginary
  // part is real, a zero of stride 0.
  std::string row = "s[0] == 0 && s[1] == 0 && s[2] == 1";
  std::string list = "s[0] == 1 && s[1] == 1 && s[2] == 1";
  std::string rowStrides = "0, 0, 1";
  std::string listStrides = "1, 1, 1";
  for (int axis = 0; axis < 3; ++axis) {
    rowStrides += fmt::format(", {}", axis == 2 && imaginaryAxis[axis] ? 1 : 0);
    listStrides += fmt::format(", {}", imaginaryAxis[axis] ? 1 : 0);
    if (imaginaryAxis[axis])
      list += fmt::format(" && s[{}] == 1", axis + 3);
  }
  if (imaginaryAxis[2])
    row += " && s[5] == 1";
  return text +
         fmt::format(
             R"(static void {0}(const double *const *q_re, const double *const *q_im, const int64_t *stride,
    int64_t n, const double *params, const double *totals, const double *sum_re, const double *sum_im,
    double *f_re, double *f_im) {{
  static const double zero = 0;
  const double *im[3] = {{&zero, &zero, &zero}};
  int64_t s[6] = {{stride[0], stride[1], stride[2], 0, 0, 0}};
  for (int a = 0; a < 3; ++a)
    if (q_im && q_im[a]) {{
      im[a] = q_im[a];
      s[a + 3] = s[a];
    }}
  if ({1})
    {0}_loop(q_re, im, {2}, n, params, totals, sum_re, sum_im, f_re, f_im);
  else if ({3})
    {0}_loop(q_re, im, {4}, n, params, totals, sum_re, sum_im, f_re, f_im);
  else
    {0}_loop(q_re, im, s[0], s[1], s[2], s[3], s[4], s[5], n, params, totals, sum_re, sum_im, f_re, f_im);
}}
)",
             name, row, rowStrides, list, listStrides);
}

} // namespace facet::lower
