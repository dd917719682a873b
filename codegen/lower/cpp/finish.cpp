// finish.cpp - loops over q as C++ over plain double: finish, from sums, and combine, from
// transforms.
#include "emit.h"
#include <array>
#include <fmt/format.h>
#include <set>

namespace facet::lower {
namespace {

/// What tells the two functions apart: where sums come from, and where F goes.
struct Door {
  std::string_view parameters, restricted, arguments; // as declared, in the loop, passed on
  std::string (*sum)(const ir::Value &value, std::set<std::string> &before);
  std::string_view store; // {0} = re, {1} = im
};

constexpr Door finishDoor = {
    "const double *sum_re, const double *sum_im, double *f_re, double *f_im",
    "const double *sum_re, const double *sum_im, double *__restrict f_re, double *__restrict f_im",
    "sum_re, sum_im, f_re, f_im",
    [](const ir::Value &value, std::set<std::string> &) {
      if (value.component >= 0)
        throw ir::Error{"finish has one sum; there are several with transforms only", value.loc};
      return fmt::format("sum_{}[k]", value.part == ir::Part::Im ? "im" : "re");
    },
    "    f_re[k] = {};\n    f_im[k] = {};\n"};

constexpr Door combineDoor = {
    "const double *const *sums, double *f", "const double *const *sums, double *__restrict f",
    "sums, f",
    [](const ir::Value &value, std::set<std::string> &before) {
      if (value.component < 0)
        throw ir::Error{"the sum of a kernel in transform form has a number: sum0, sum1, ...",
                        value.loc};
      before.insert(fmt::format("  const double *T{0} = sums[{0}];\n", value.component));
      return fmt::format("T{}[2 * k + {}]", value.component, value.part == ir::Part::Im ? 1 : 0);
    },
    "    f[2 * k] = {};\n    f[2 * k + 1] = {};\n"};

/// The loop: strides are arguments, so that those known when compiling let it become vectors.
/// `imaginary`: receives the axes whose imaginary part is read.
std::string loop(const ir::Kernel &kernel, const std::string &name, const Door &door,
                 std::array<bool, 3> &imaginary) {
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
      return door.sum(value, before);
    if (value.op != ir::Op::Axis || value.component < 0)
      throw ir::Error{"finish reads q, sums and parameters only", value.loc};
    imaginary[value.component] |= im;
    const std::string at = fmt::format("{}{}", "xyz"[value.component], im ? "i" : "r");
    before.insert(
        fmt::format("  const double *{} = {}[{}];\n", at, im ? "q_im" : "q_re", value.component));
    return fmt::format("{0}[k * s{0}]", at);
  };
  const CppBody body = cppBody(kernel.finish, CppForm::Double, "    ", leaf);
  std::string re = "0.0";
  std::string im = "0.0";
  for (std::size_t k = 0; k < body.outputs.size(); ++k)
    (kernel.finish.outputs[k].name == "im" ? im : re) = body.outputs[k];
  std::string text = fmt::format(
      "static inline __attribute__((always_inline)) void {}_loop(const double *const *q_re, "
      "const double *const *q_im, int64_t sxr, int64_t syr, int64_t szr, int64_t sxi, int64_t "
      "syi, int64_t szi, int64_t n, const double *params, const double *totals, {}) {{\n",
      name, door.restricted);
  for (const std::string &line : before)
    text += line;
  return text + "  for (int64_t k = 0; k < n; ++k) {\n" + body.statements +
         fmt::format(fmt::runtime(door.store), re, im) + "  }\n}\n";
}

/// Rows (strides 0 0 1) and lists (1 1 1) have loops of their own. Strides of the imaginary parts
/// that are read must fit too: a component given without one is real, a zero of stride 0.
std::string overQ(const ir::Kernel &kernel, const std::string &name, const Door &door) {
  std::array<bool, 3> imaginary{};
  const std::string text = loop(kernel, name, door, imaginary);
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
    int64_t n, const double *params, const double *totals, {5}) {{
  static const double zero = 0;
  const double *im[3] = {{&zero, &zero, &zero}};
  int64_t s[6] = {{stride[0], stride[1], stride[2], 0, 0, 0}};
  for (int a = 0; a < 3; ++a)
    if (q_im && q_im[a]) {{
      im[a] = q_im[a];
      s[a + 3] = s[a];
    }}
  if ({1})
    {0}_loop(q_re, im, {2}, n, params, totals, {6});
  else if ({3})
    {0}_loop(q_re, im, {4}, n, params, totals, {6});
  else
    {0}_loop(q_re, im, s[0], s[1], s[2], s[3], s[4], s[5], n, params, totals, {6});
}}
)",
             name, row, rowStrides, list, listStrides, door.parameters, door.arguments);
}

} // namespace

std::string cppFinish(const ir::Kernel &kernel, const std::string &name) {
  return overQ(kernel, name, finishDoor);
}

std::string cppCombine(const ir::Kernel &kernel, const std::string &name) {
  return overQ(kernel, name, combineDoor);
}

} // namespace facet::lower
