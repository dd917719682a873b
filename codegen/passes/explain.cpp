// explain.cpp - a kernel's forms for people: what depends on what, both forms as formulas, costs.
#include "intervals.h"
#include "shapes.h"
#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <utility>

namespace facet::passes {

using namespace ir;

namespace {

constexpr std::size_t width = 180; // of a line
constexpr std::size_t room = 80;   // of the expressions in a list

std::string list(const std::vector<std::string> &items) {
  std::string out;
  for (std::size_t k = 0; k < items.size(); ++k) {
    if (!out.empty() && out.size() + items[k].size() > room)
      return out + fmt::format(", and {} more", items.size() - k);
    out += (out.empty() ? "" : ", ") + items[k];
  }
  return out.empty() ? "nothing" : out;
}

std::string plural(int count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

/// Sums of products of a kernel's term as text.
class SumText {
public:
  explicit SumText(Kernel &kernel) : term(kernel.term), b(kernel, kernel.term) {}

  std::string operator()(const Sum &sum) { return infix(term, valueOf(b, sum)); }
  /// "factor * name", or the name alone.
  std::string times(const Sum &factor, const std::string &name) {
    return isOne(factor) ? name : infixFactor(term, valueOf(b, factor)) + " * " + name;
  }
  /// (x, y, z), or the vector whose components these are.
  std::string point(const std::array<Sum, 3> &r) {
    std::array<std::string, 3> text;
    for (std::size_t k = 0; k < 3; ++k)
      text[k] = (*this)(r[k]);
    const std::string name = text[0].substr(0, text[0].size() - 1);
    if (text[0] == name + "x" && text[1] == name + "y" && text[2] == name + "z" &&
        text[0].find(' ') == std::string::npos)
      return name.substr(0, name.size() - 1);
    return fmt::format("({}, {}, {})", text[0], text[1], text[2]);
  }

private:
  const Region &term;
  Formulas b;
};

/// "sum + more"; more alone if there is none yet.
void addText(std::string &sum, const std::string &more) {
  sum += (sum.empty() ? "" : " + ") + more;
}

class Explainer {
public:
  Explainer(Kernel kernel, const std::string &file, const std::string &text)
      : source(std::move(kernel)), file(file), text(text) {
    foldConstants(source);
  }

  std::string run() {
    line("kernel {}{}", source.name, source.doc.empty() ? "" : ": " + source.doc);
    for (const Output &output : source.term.outputs)
      formula("  {} = {}", output.name.empty() ? "term" : "term." + output.name,
              infix(source.term, output.value));
    for (const Output &output : source.finish.outputs)
      formula("  {:<4} = {}", output.name.empty() ? "F" : "F." + output.name,
              infix(source.finish, output.value));
    complexFile = std::ranges::count(source.axes, Type::Cplx, &AxisType::type) > 0;
    domains();
    inReal = formsOf(source, false);
    if (complexFile)
      inComplex = formsOf(source, true);
    separable();
    nufft();
    costs();
    return out;
  }

private:
  Kernel source;
  const std::string &file, &text;
  std::string out;
  bool complexFile = false;
  Forms inReal, inComplex;

  template <class... Args> void line(fmt::format_string<Args...> format, Args &&...args) {
    out += fmt::format(format, std::forward<Args>(args)...) + "\n";
  }
  /// A line, cut if it is too long.
  template <class... Args> void formula(fmt::format_string<Args...> format, Args &&...args) {
    out += cut(fmt::format(format, std::forward<Args>(args)...), width) + "\n";
  }

  void domains() {
    std::vector<std::string> ofT, ofQ, both;
    for (Id id = 0; id < std::ssize(source.term.values); ++id) {
      const Value &value = source.term[id];
      if (value.domain == None || isNumber(value))
        continue;
      std::vector<std::string> &names = recordOnly(value) ? ofT : ofRecord(value) ? both : ofQ;
      std::string name = infix(source.term, id, room);
      if (std::ranges::find(names, name) == names.end())
        names.push_back(std::move(name));
    }
    for (const Output &output : source.term.outputs) // the term
      std::erase(both, infix(source.term, output.value, room));
    const std::uint8_t axes = source.grid == GridKind::Points ? Q : X | Y | Z;
    line("");
    line("depends on");
    line("  the record alone  [t]        {}", list(ofT));
    line("  q alone           {:<10} {}", ir::spelling(axes), list(ofQ));
    line("  q and the record  {:<10} {}", ir::spelling(static_cast<std::uint8_t>(axes | T)),
         list(both));
    if (hasMeans(source))
      line("  means over a triangle are sums over nodes of a quadrature rule in both forms below: "
           "a record is a node");
  }

  /// Says that a form is not possible and why: the line as it is written, with a caret.
  void forbidden(std::string_view name, const Form &form, std::string_view withQ) {
    line("{}: not possible{}", name, withQ);
    line("  {}:{}:{}: {}", file, form.loc.line, form.loc.column, form.reason);
    if (const std::string quote = quoted(text, form.loc, "  "); !quote.empty())
      line("{}", quote);
  }

  /// Whether the widest q that has the form is complex; none: no q has, and the reason is printed.
  std::optional<bool> widest(std::string_view name, const Form Forms::*which) {
    line("");
    const Form &real = inReal.*which, &complex = inComplex.*which;
    if (complexFile && !complex.possible)
      forbidden(name, complex, real.possible ? " with complex q" : "");
    if (!complexFile && !real.possible)
      forbidden(name, real, "");
    return complex.possible || real.possible ? std::optional(complex.possible) : std::nullopt;
  }

  /// q.z or z: as a table's factor.
  void separable() {
    const auto complexQ = widest("separable", &Forms::separable);
    if (!complexQ)
      return;
    Kernel kernel = prepared(source, Algorithm::Separable, *complexQ, inReal.means);
    const std::vector<TableForm> forms = tableForms(kernel);
    SumText shown(kernel);
    int tables = 0, block = 0, blocks = 0;
    for (const TableForm &form : forms) {
      tables += form.tables();
      blocks += static_cast<int>(form.blocks.size());
    }
    line("separable (product grids): {} of x, y and the record; {} a record and q-point{}",
         plural(tables, "table"), plural(inReal.separable.fma, "multiply-add"),
         *complexQ ? fmt::format(" with real q, {} with complex q", inComplex.separable.fma) : "");
    std::vector<std::string> definitions, sums; // after the weights W
    Totals all;
    tables = 0;
    for (std::size_t k = 0; k < forms.size(); ++k) {
      std::string total;
      for (const TableForm::Block &b : forms[k].blocks)
        addText(total,
                ofBlock(b, blocks > 1 ? std::to_string(++block) : "", tables, definitions, shown));
      sums.push_back(sum(source.term.outputs[k].name,
                         shown.times({forms[k].outer}, "sum over t of " + total), forms[k].totals,
                         all, shown));
    }
    lines(definitions);
    lines(sums);
    totals(all, shown);
  }

  /// W * B of a block; says what W is and adds what the tables are to the definitions.
  std::string ofBlock(const TableForm::Block &block, const std::string &number, int &table,
                      std::vector<std::string> &definitions, SumText &shown) {
    std::string w;
    const auto named = [&](const std::string &name, const Sum &of) { // what has a name keeps it
      const std::string is = " = " + shown(of);
      const auto known = std::ranges::find_if(
          definitions, [&](const std::string &definition) { return definition.ends_with(is); });
      if (known != definitions.end())
        return known->substr(2, known->find(' ', 2) - 2);
      definitions.push_back(fmt::format("  {:<4}{}", name, is));
      return name;
    };
    for (const Pairing &pair : block.terms)
      addText(w, shown.times(pair.left, named(fmt::format("A{}", ++table), pair.right)));
    if (block.terms.size() > 1)
      formula("  W{:<3} = {}", number, std::exchange(w, "W" + number));
    if (!isOne(block.column))
      w += " * " + named("B" + number, block.column);
    return w;
  }

  void lines(const std::vector<std::string> &definitions) {
    for (const std::string &definition : definitions)
      formula("{}", definition);
  }

  using Totals = std::vector<Pairing>;

  /// The line of a component's sum; its totals join all others.
  std::string sum(const std::string &component, std::string text, const Totals &own, Totals &all,
                  SumText &shown) {
    for (const Pairing &pair : own) {
      addText(text, shown.times(pair.left, fmt::format("total{}", all.size())));
      all.push_back(pair);
    }
    return fmt::format("  {:<4} = {}", component.empty() ? "sum" : "sum." + component,
                       text.empty() ? "0" : text);
  }

  void totals(const Totals &totals, SumText &shown) {
    for (std::size_t k = 0; k < totals.size(); ++k)
      formula("  total{} = sum over t of {}", k, shown(totals[k].right));
  }

  void nufft() {
    const auto complexQ = widest("nufft", &Forms::nufft);
    if (!complexQ)
      return;
    Kernel kernel = prepared(source, Algorithm::Nufft, *complexQ, inReal.means);
    const WaveForm found = waveForm(kernel);
    SumText shown(kernel);
    if (found.isLowRank())
      line("lowrank (any grid): {} of b over the records, no waves",
           plural(found.transforms(), "sum"));
    else
      line("nufft (any grid): {} T = sum over t of b e^{{i q.r}}, of {}",
           plural(found.transforms(), "transform"),
           plural(static_cast<int>(found.waves.size()), "set") + " of points r");
    std::vector<std::string> definitions;
    const std::vector<std::string> scalars = scalarNames(kernel, source);
    for (std::size_t s = 0; s < scalars.size(); ++s)
      definitions.push_back(
          fmt::format("  {:<4} = {}, in which b is interpolated: as many T as nodes",
                      kernel.scalars.outputs[s].name, scalars[s]));
    std::vector<std::string> text(source.term.outputs.size());
    int transform = 0;
    for (std::size_t w = 0; w < found.waves.size(); ++w) {
      if (!found.isLowRank())
        definitions.push_back(fmt::format("  r{:<3} = {}",
                                          found.waves.size() > 1 ? std::to_string(w) : "",
                                          shown.point(found.waves[w].point)));
      for (const CommonFactor &strength : found.waves[w].strengths) {
        for (std::size_t k = 0; k < text.size(); ++k)
          if (!strength.lefts[k].empty())
            addText(text[k], shown.times(strength.lefts[k], fmt::format("T{}", transform)));
        definitions.push_back(
            fmt::format("  b{:<3} = {}", transform++, withoutP(shown(strength.right), kernel)));
      }
    }
    Totals all;
    for (std::size_t k = 0; k < text.size(); ++k)
      formula("{}", sum(source.term.outputs[k].name, text[k], found.totals[k], all, shown));
    addMixed(kernel, definitions);
    lines(definitions);
    totals(all, shown);
  }

  /// Which records are not for the transforms, if some may not be.
  static void addMixed(Kernel kernel, std::vector<std::string> &definitions) {
    if (kernel.mixed.empty())
      return;
    Formulas b(kernel, kernel.term);
    Intervals intervals(b, rangesOf(kernel));
    std::string text;
    for (const Id id : conditionsOf(b, kernel.term, intervals))
      text += (text.empty() ? "" : ", or ") + withoutP(infix(kernel.term, id), kernel);
    definitions.push_back(fmt::format(
        "  rest = records of which {} changes within the grid: summed directly, and added", text));
  }

  /// "u0" for "p.u0": what stands for a scalar of q is no parameter of the kernel.
  static std::string withoutP(std::string text, const Kernel &kernel) {
    for (const Output &u : kernel.scalars.outputs)
      for (std::size_t at = 0; (at = text.find("p." + u.name, at)) != std::string::npos;)
        text.erase(at, 2);
    return text;
  }

  void costs() {
    Variant variant;
    variant.grid = source.grid;
    const Counts direct = count(passes::run(source, variant));
    const std::string_view records = inReal.means ? "nodes" : "nt";
    line("");
    line("costs, of nt records and nq q-points (real q, single precision)");
    line("  direct     nt nq * {} operations, those of sines and cosines included",
         direct.inner.instructions);
    line("  separable  {}",
         inReal.separable.possible
             ? fmt::format("{0} nq * {1} operations, and {0} (nx ny + nz) * tables in double",
                           records, inReal.separable.fma)
             : "not possible");
    const Form &nufft = inReal.nufft;
    line("  {:<9}  {}", nufft.lowRank ? "lowrank" : "nufft",
         nufft.possible ? fmt::format("{} * O({} + nq{}){}{}",
                                      plural(nufft.terms, nufft.lowRank ? "sum" : "transform"),
                                      records, nufft.lowRank ? "" : " log nq",
                                      inReal.nufft.scalars > 0 ? ", for each node" : "",
                                      complexFile ? "; complex q.z repeats them 8 to 12 times" : "")
                        : "not possible");
  }
};

} // namespace

std::string explain(const Kernel &source, const std::string &file, const std::string &text) {
  return Explainer(source, file, text).run();
}

} // namespace facet::passes
