// records.cpp - loops over records as C++ over plain double: pack, waves and totals.
#include "emit.h"
#include <fmt/format.h>
#include <map>

namespace facet::lower {
namespace {

/// The body of a loop over t, and what must stand before the loop for it.
struct Records {
  CppBody body;
  std::string before;
};

Records records(const ir::Kernel &kernel, const ir::Region &region) {
  std::map<int, std::string> columns;
  std::map<int, std::string> params;
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

} // namespace

std::string cppPack(const ir::Kernel &kernel, const std::string &name, bool narrowIsFloat) {
  const auto [body, before] = records(kernel, kernel.pack);
  const std::string_view narrow = narrowIsFloat ? "float" : "double";
  int narrowFields = 0;
  int wideFields = 0;
  for (const ir::Output &output : kernel.pack.outputs)
    ++(kernel.pack.values[output.value].type == ir::Type::Wide ? wideFields : narrowFields);

  std::string text = fmt::format("static void {}(const double *const *columns, int64_t n, "
                                 "const double *params, void *narrow, double *wide) {{\n{}",
                                 name, before);
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

std::string cppWaves(const ir::Kernel &kernel, const std::string &name) {
  const auto [body, before] = records(kernel, kernel.waves);
  // The arrays are arguments of a function of their own: only so is the compiler sure that they do
  // not overlap, and makes vectors of the loop.
  std::string arguments;
  std::string given;
  std::string stores;
  const std::vector<ir::Wave> waves = ir::wavesOf(kernel);
  for (std::size_t w = 0; w < waves.size(); ++w) {
    for (std::size_t k = 0; k < 3; ++k) {
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
      stores += fmt::format("    b{0}[2 * t] = {1};\n    b{0}[2 * t + 1] = {2};\n", b.transform,
                            part(b.re), part(b.im));
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

int totalsOf(const ir::Kernel &kernel) {
  int count = 0;
  for (const ir::Output &output : kernel.totals.outputs)
    count += output.name.ends_with("im") ? 0 : 1;
  return count;
}

std::string cppTotals(const ir::Kernel &kernel, const std::string &name) {
  const auto [body, before] = records(kernel, kernel.totals);
  std::string sums;
  std::string adds;
  std::string results;
  int next = -1;
  for (std::size_t k = 0; k < body.outputs.size(); ++k) {
    const bool imaginary = kernel.totals.outputs[k].name.ends_with("im");
    const std::string &value = body.outputs[k];
    next += imaginary ? 0 : 1;
    const bool pair =
        k + 1 < body.outputs.size() && kernel.totals.outputs[k + 1].name.ends_with("im");
    const std::string sum = fmt::format("{}{}", imaginary ? "im" : "re", next);
    sums += fmt::format("  facet::detail::compensated {};\n", sum);
    adds += fmt::format("    {}.add({});\n", sum, value);
    results += fmt::format("  totals[{}] = {}.value();\n", 2 * next + (imaginary ? 1 : 0), sum);
    if (imaginary)
      continue;
    sums += fmt::format("  double size{} = 0;\n", next);
    adds += pair ? fmt::format("    size{0} += __builtin_sqrt({1} * {1} + {2} * {2});\n", next,
                               value, body.outputs[k + 1])
                 : fmt::format("    size{} += __builtin_fabs({});\n", next, value);
    results += fmt::format("  sizes[{0}] = size{0};\n", next);
    if (!pair)
      results += fmt::format("  totals[{}] = 0;\n", 2 * next + 1);
  }
  return fmt::format("static void {}(const double *const *columns, int64_t n, const double "
                     "*params, double *totals, double *sizes) {{\n{}{}"
                     "  for (int64_t t = 0; t < n; ++t) {{\n{}{}  }}\n{}}}\n",
                     name, before, sums, body.statements, adds, results);
}

} // namespace facet::lower
