// cuda.cpp - the text of a sum on tensor cores: the term, multiplied out, parted into factors of
// rows and of columns, which stand within kernel_text.h.
#include "codegen/lower/cpp/emit.h"
#include "kernel_text.h"
#include "tensor.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>

namespace facet::lower::tensor {
namespace {

using ir::Op;

/// A product by its row factor and its column factor.
using Split = std::map<std::pair<Product, Product>, double>;

Split added(Split a, const Split &b, double sign) {
  for (const auto &[factors, c] : b)
    a[factors] += sign * c;
  return a;
}

Product joined(const Product &a, const Product &b) {
  Product all;
  std::merge(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(all));
  return all;
}

Split multiplied(const Split &a, const Split &b) {
  Split all;
  for (const auto &[f, c] : a)
    for (const auto &[g, d] : b)
      all[{joined(f.first, g.first), joined(f.second, g.second)}] += c * d;
  return all;
}

/// A value multiplied out.
Split expansion(const ir::Region &term, ir::Id id) {
  const ir::Value &value = term.values[static_cast<std::size_t>(id)];
  if (value.op == Op::Number)
    return {{{}, value.number}};
  if (!ir::hasRow(value.domain) || !ir::hasZ(value.domain))
    return ir::hasRow(value.domain) ? Split{{{{id}, {}}, 1}} : Split{{{{}, {id}}, 1}};
  const auto arg = [&](std::size_t k) { return expansion(term, value.args[k]); };
  switch (value.op) {
  case Op::Add:
    return added(arg(0), arg(1), 1);
  case Op::Sub:
    return added(arg(0), arg(1), -1);
  case Op::Neg:
    return added({}, arg(0), -1);
  case Op::Mul:
    return multiplied(arg(0), arg(1));
  case Op::Fma:
    return added(multiplied(arg(0), arg(1)), arg(2), 1);
  case Op::Re:
  case Op::Widen: // all is double here
  case Op::Narrow:
    return arg(0);
  default:
    throw ir::Error{fmt::format("'{}' of x or y and z: tensor cores multiply and add only; take "
                                "tensor=0 for this kernel",
                                ir::info(value.op).spelling),
                    value.loc};
  }
}

} // namespace

Products products(const ir::Region &term) {
  Products made;
  for (std::size_t part = 0; part < std::min<std::size_t>(2, term.outputs.size()); ++part)
    for (const auto &[factors, c] : expansion(term, term.outputs[part].value)) {
      if (c == 0)
        continue;
      const auto at = std::find(made.rows.begin(), made.rows.end(), factors.first);
      const auto j = static_cast<std::size_t>(at - made.rows.begin());
      if (at == made.rows.end()) {
        made.rows.push_back(factors.first);
        made.columns.emplace_back();
      }
      made.columns[j][part][factors.second] += c;
    }
  return made;
}

namespace {

constexpr int sharedBytes = 163 * 1024; // of a block, sm_80; later ones have more

void replaceAll(std::string &text, const std::string &from, const std::string &to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
}

/// The region that yields `roots` alone.
ir::Region regionOf(const ir::Region &term, const std::set<ir::Id> &roots) {
  std::vector<bool> wanted(term.values.size());
  for (const ir::Id root : roots)
    wanted[static_cast<std::size_t>(root)] = true;
  for (std::size_t k = term.values.size(); k-- > 0;)
    if (wanted[k])
      for (const ir::Id arg : term.values[k].args)
        if (arg >= 0)
          wanted[static_cast<std::size_t>(arg)] = true;
  ir::Region region;
  std::vector<ir::Id> place(term.values.size(), -1);
  for (std::size_t k = 0; k < wanted.size(); ++k)
    if (wanted[k]) {
      ir::Value value = term.values[k];
      for (ir::Id &arg : value.args)
        arg = arg < 0 ? -1 : place[static_cast<std::size_t>(arg)];
      place[k] = static_cast<ir::Id>(region.values.size());
      region.values.push_back(value);
    }
  for (const ir::Id root : roots)
    region.outputs.push_back({"", place[static_cast<std::size_t>(root)]});
  return region;
}

class Text {
public:
  Text(const ir::Kernel &kernel, std::string symbol)
      : kernel(kernel), symbol(std::move(symbol)), split(products(kernel.term)),
        narrow(packedColumns(kernel, false)), wide(packedColumns(kernel, true)) {
    if (kernel.grid != ir::GridKind::Product)
      throw ir::Error{"tensor cores sum over product grids: --grid=product"};
    // An even number, so that a few records fill the 8 k of a fragment: one more factor may be 0.
    factors = (static_cast<int>(split.rows.size()) + 1) / 2 * 2;
    records = factors <= 2 ? 8 : 4;
    bytes = 2 * factors * records * (rowTile + 2 * zTile + 8) * 8;
    if (bytes > sharedBytes)
      throw ir::Error{fmt::format("the term has {} factors of x and y: their tables take {} bytes "
                                  "of shared memory, a block has {}; take tensor=0 for this "
                                  "kernel",
                                  split.rows.size(), bytes, sharedBytes)};
  }

  CudaSum operator()() {
    const Part rows = rowPart(), columns = columnPart();
    Part both = rows;
    both.narrow |= columns.narrow, both.wide |= columns.wide;
    both.axes.insert(columns.axes.begin(), columns.axes.end());
    both.params.insert(columns.params.begin(), columns.params.end());
    CudaSum sum{kernelText, {}, bytes};
    std::string parameters = "\n    ", atAxes;
    declare(both, sum.arguments, parameters, atAxes);
    const std::pair<const char *, std::string> words[] = {
        {"name", kernel.name},
        {"symbol", symbol},
        {"work",
         fmt::format("so that the {} products of a row factor and a column factor are {} real",
                     2 * split.rows.size(), 2 * factors)},
        {"rows", std::to_string(rowTile)},
        {"z", std::to_string(zTile)},
        {"threads", std::to_string(threads)},
        {"bytes", std::to_string(bytes)},
        {"factors", std::to_string(factors)},
        {"records", std::to_string(records)},
        {"row_factors", rows.body},
        {"row_parameters", rows.parameters()},
        {"row_arguments", rows.arguments(narrow.size(), wide.size())},
        {"column_factors", columns.body},
        {"column_parameters", columns.parameters()},
        {"column_arguments", columns.arguments(narrow.size(), wide.size())},
        {"axes", atAxes},
        {"parameters", parameters}};
    for (const auto &[word, with] : words)
      replaceAll(sum.text, fmt::format("${}$", word), with);
    return sum;
  }

private:
  /// One of the two functions of factors, and what it reads.
  struct Part {
    std::string body;
    bool narrow = false, wide = false;
    std::set<std::string> axes, params;

    std::string parameters() const {
      std::string text;
      if (narrow)
        text += ",\n    const double *narrow";
      if (wide)
        text += ",\n    const double *wide";
      for (const auto &names : {axes, params})
        for (const std::string &name : names)
          text += ", double " + name;
      return text;
    }
    std::string arguments(std::size_t narrowFields, std::size_t wideFields) const {
      std::string text;
      if (narrow)
        text += fmt::format(", narrow + (long long)record * {}", narrowFields);
      if (wide)
        text += fmt::format(", wide + (long long)record * {}", wideFields);
      for (const auto &names : {axes, params})
        for (const std::string &name : names)
          text += ", " + name;
      return text;
    }
  };

  const ir::Kernel &kernel;
  std::string symbol;
  Products split;
  int factors = 0, records = 0, bytes = 0;
  std::vector<std::string> narrow, wide; // packed columns in order

  /// The kernel's arguments, their declaration, and the axes at the thread's row and z.
  static void declare(const Part &read, std::vector<Argument> &order, std::string &parameters,
                      std::string &atAxes) {
    const auto add = [&](Argument argument, const std::string &declaration) {
      order.push_back(argument);
      parameters += declaration + ",\n    ";
    };
    if (read.narrow)
      add({ArgumentKind::Narrow}, "const double *__restrict__ narrow");
    if (read.wide)
      add({ArgumentKind::Wide}, "const double *__restrict__ wide");
    for (const std::string &axis : read.axes) {
      add({axis.ends_with("_im") ? ArgumentKind::AxisIm : ArgumentKind::AxisRe, axis[2] - 'x'},
          "const double *__restrict__ axis_" + axis);
      const char *at = axis[2] == 'x' ? "row / ny" : axis[2] == 'y' ? "row % ny" : "z";
      atAxes += fmt::format("  const double {0} = axis_{0}[{1}];\n", axis, at);
    }
    for (const std::string &param : read.params)
      add({ArgumentKind::Param, std::stoi(param.substr(1))}, "double " + param);
    for (const ArgumentKind kind : {ArgumentKind::Count, ArgumentKind::OutRe, ArgumentKind::OutIm})
      order.push_back({kind});
    parameters +=
        "int records, int nx, int ny, int nz, double *__restrict__ re, double *__restrict__ im";
  }

  std::string leaf(const ir::Value &value, Part &part) const {
    switch (value.op) {
    case Op::Packed: {
      const auto at = std::find(narrow.begin(), narrow.end(), value.name);
      if (at != narrow.end()) {
        part.narrow = true;
        return fmt::format("narrow[{}]", at - narrow.begin());
      }
      part.wide = true;
      return fmt::format("wide[{}]",
                         std::find(wide.begin(), wide.end(), value.name) - wide.begin());
    }
    case Op::Axis: {
      const std::string name =
          fmt::format("q_{}{}", "xyz"[value.component], value.part == ir::Part::Im ? "_im" : "");
      part.axes.insert(name);
      return name;
    }
    case Op::Param:
      return *part.params.insert(fmt::format("p{}", paramIndex(kernel, value))).first;
    default:
      throw ir::Error{
          fmt::format("'{}' is left in the term after all passes", ir::info(value.op).spelling),
          value.loc};
    }
  }

  /// Statements for `roots`, and their names.
  std::map<ir::Id, std::string> compute(const std::set<ir::Id> &roots, Part &part) const {
    CppBody body = cppBody(regionOf(kernel.term, roots), CppForm::Double, "  ",
                           [&](const ir::Value &value) { return leaf(value, part); });
    // CUDA knows the functions by their plain names.
    replaceAll(body.statements, "__builtin_ldexp(", "scale2_(");
    replaceAll(body.statements, "__builtin_", "");
    part.body += body.statements;
    std::map<ir::Id, std::string> names;
    std::size_t k = 0;
    for (const ir::Id root : roots)
      names[root] = body.outputs[k++];
    return names;
  }

  static std::string text(const Product &product, const std::map<ir::Id, std::string> &names) {
    std::string text;
    for (const ir::Id id : product)
      text += (text.empty() ? "" : " * ") + names.at(id);
    return text.empty() ? "1.0" : text;
  }

  Part rowPart() const {
    Part part;
    std::set<ir::Id> roots;
    for (const Product &product : split.rows)
      roots.insert(product.begin(), product.end());
    const auto names = compute(roots, part);
    for (int j = 0; j < factors; ++j)
      part.body += fmt::format("  table[{} * row_pitch] = {};\n", j,
                               j < static_cast<int>(split.rows.size())
                                   ? text(split.rows[static_cast<std::size_t>(j)], names)
                                   : "0.0");
    return part;
  }

  Part columnPart() const {
    Part part;
    std::set<ir::Id> roots;
    for (const auto &parts : split.columns)
      for (const Polynomial &polynomial : parts)
        for (const auto &[product, c] : polynomial)
          roots.insert(product.begin(), product.end());
    const auto names = compute(roots, part);
    for (std::size_t j = 0; j < static_cast<std::size_t>(factors); ++j)
      for (std::size_t k = 0; k < 2; ++k) {
        std::string sum;
        if (j < split.columns.size())
          for (const auto &[product, c] : split.columns[j][k]) {
            const std::string factor = std::fabs(c) == 1 ? "" : cppNumber(std::fabs(c)) + " * ";
            sum += sum.empty() ? (c < 0 ? "-" : "") : (c < 0 ? " - " : " + ");
            sum += factor + text(product, names);
          }
        part.body += sum.empty() ? fmt::format("  table[{} * column_pitch + {}] = 0.0;\n", j, k)
                                 : fmt::format("  table[{} * column_pitch + {}] = is_record ? {} : "
                                               "0.0;\n",
                                               j, k, sum);
      }
    return part;
  }
};

} // namespace

CudaSum cuda(const ir::Kernel &kernel, const std::string &symbol) { return Text(kernel, symbol)(); }

} // namespace facet::lower::tensor
