// explain.cpp - a kernel's forms for people: what depends on what, both forms as formulas, costs.
#include "shapes.h"
#include <algorithm>
#include <fmt/format.h>

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

/// A sum of products as text.
struct Shown {
  const Region &term;
  Products &products;
  std::string operator()(const Sum &sum) const {
    const Id id = products.value(sum);
    return infix(term, id);
  }
  /// "factor * name", or the name alone.
  std::string times(const Sum &factor, const std::string &name) const {
    if (isOne(factor))
      return name;
    const Id id = products.value(factor);
    return infixFactor(term, id) + " * " + name;
  }
  /// (x, y, z), or the vector whose components these are.
  std::string point(const std::array<Sum, 3> &r) const {
    std::array<std::string, 3> text;
    for (std::size_t k = 0; k < 3; ++k)
      text[k] = (*this)(r[k]);
    const std::string name = text[0].substr(0, text[0].size() - 1);
    if (text[0] == name + "x" && text[1] == name + "y" && text[2] == name + "z" &&
        text[0].find(' ') == std::string::npos)
      return name.substr(0, name.size() - 1);
    return fmt::format("({}, {}, {})", text[0], text[1], text[2]);
  }
};

class Explainer {
public:
  Explainer(Kernel kernel, const std::string &file, const std::string &text)
      : source(std::move(kernel)), file(file), text(text) {
    foldConstants(source);
  }

  std::string run() {
    const Id root = source.term.outputs.front().value;
    line("kernel {}{}", source.name, source.doc.empty() ? "" : ": " + source.doc);
    out += formula("  term = {}", infix(source.term, root));
    out += formula("  F    = {}", infix(source.finish, source.finish.outputs.front().value));
    complexFile = std::ranges::any_of(source.axes,
                                      [](const AxisType &axis) { return axis.type == Type::Cplx; });
    domains();
    for (const bool complexQ : {false, true})
      if (!complexQ || complexFile)
        (complexQ ? inComplex : inReal) = formsOf(source, complexQ);
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
  template <class... Args>
  static std::string formula(fmt::format_string<Args...> format, Args &&...args) {
    return cut(fmt::format(format, std::forward<Args>(args)...), width) + "\n";
  }

  void domains() {
    std::vector<std::string> ofT, ofQ, both;
    for (std::size_t k = 0; k < source.term.values.size(); ++k) {
      const Value &value = source.term.values[k];
      if (value.domain == None || isNumber(value))
        continue;
      std::vector<std::string> &names = value.domain == T ? ofT : ofRecord(value) ? both : ofQ;
      std::string name = infix(source.term, static_cast<Id>(k), room);
      if (std::ranges::find(names, name) == names.end())
        names.push_back(std::move(name));
    }
    std::erase(both, infix(source.term, source.term.outputs.front().value, room)); // the term
    const std::uint8_t axes = source.grid == GridKind::Points ? Q : X | Y | Z;
    line("");
    line("depends on");
    line("  the record alone  [t]        {}", list(ofT));
    line("  q alone           {:<10} {}", ir::spelling(axes), list(ofQ));
    line("  q and the record  {:<10} {}", ir::spelling(static_cast<std::uint8_t>(axes | T)),
         list(both));
    if (inReal.means || hasMeans(source))
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

  /// The form of the widest q that has one; false if there is none, and the reason is printed.
  bool choose(std::string_view name, const Form Forms::*which, bool &complexQ) {
    line("");
    const Form &real = inReal.*which, &complex = inComplex.*which;
    complexQ = complexFile && complex.possible;
    if (complexFile && !complex.possible)
      forbidden(name, complex, real.possible ? " with complex q" : "");
    if (!complexFile && !real.possible)
      forbidden(name, real, "");
    return complexQ || real.possible;
  }

  /// q.z or z: as a table's factor.
  void separable() {
    bool complexQ = false;
    if (!choose("separable", &Forms::separable, complexQ))
      return;
    const Form &form = (complexQ ? inComplex : inReal).separable;
    Kernel kernel = prepared(source, Algorithm::Separable, complexQ, inReal.means);
    const TableForm found = tableForm(kernel);
    Products products(kernel, Rule::Separable);
    const Shown shown{kernel.term, products};
    line("separable (product grids): {} of x, y and the record; {} a record and q-point{}",
         plural(form.terms, "table"), plural(inReal.separable.fma, "multiply-add"),
         complexFile && complexQ
             ? fmt::format(" with real q, {} with complex q", inComplex.separable.fma)
             : "");
    int table = 0, block = 0;
    std::string definitions, total;
    for (const TableForm::Block &b : found.blocks) {
      const std::string number = found.blocks.size() > 1 ? std::to_string(++block) : "";
      std::string w;
      for (const Pairing &pair : b.terms) {
        const std::string a = fmt::format("A{}", ++table);
        w += (w.empty() ? "" : " + ") + shown.times(pair.left, a);
        definitions += formula("  {:<4} = {}", a, shown(pair.right));
      }
      if (b.terms.size() > 1)
        out += formula("  W{:<3} = {}", number, w);
      total += (total.empty() ? "" : " + ") + (b.terms.size() > 1 ? "W" + number : w);
      if (!isOne(b.column)) {
        total += fmt::format(" * B{}", number);
        definitions += formula("  B{:<3} = {}", number, shown(b.column));
      }
    }
    out += definitions;
    out += formula("  sum  = {}{}", shown.times({found.outer}, "sum over t of " + total),
                   totalsText(found.totals, shown));
    totals(found.totals, shown);
  }

  static std::string totalsText(const std::vector<Pairing> &totals, const Shown &shown) {
    std::string text;
    for (std::size_t k = 0; k < totals.size(); ++k)
      text += " + " + shown.times(totals[k].left, fmt::format("total{}", k));
    return text;
  }

  void totals(const std::vector<Pairing> &totals, const Shown &shown) {
    for (std::size_t k = 0; k < totals.size(); ++k)
      out += formula("  total{} = sum over t of {}", k, shown(totals[k].right));
  }

  void nufft() {
    bool complexQ = false;
    if (!choose("nufft", &Forms::nufft, complexQ))
      return;
    const Form &form = (complexQ ? inComplex : inReal).nufft;
    Kernel kernel = prepared(source, Algorithm::Nufft, complexQ, inReal.means);
    const WaveForm found = waveForm(kernel);
    Products products(kernel, Rule::Nufft);
    const Shown shown{kernel.term, products};
    line("nufft (any grid): {} T = sum over t of b e^{{i q.r}}, of {}",
         plural(form.terms, "transform"), plural(form.waves, "set") + " of points r");
    std::string definitions, sum;
    int transform = 0;
    for (std::size_t w = 0; w < found.waves.size(); ++w) {
      definitions += formula("  r{:<3} = {}", found.waves.size() > 1 ? std::to_string(w) : "",
                             shown.point(found.waves[w].point));
      for (const Pairing &pair : found.waves[w].strengths) {
        sum += (sum.empty() ? "" : " + ") + shown.times(pair.left, fmt::format("T{}", transform));
        definitions += formula("  b{:<3} = {}", transform, shown(pair.right));
        ++transform;
      }
    }
    out += formula("  sum  = {}{}", sum, totalsText(found.totals, shown));
    out += definitions;
    totals(found.totals, shown);
  }

  void costs() {
    Variant variant;
    variant.grid = source.grid;
    const Counts direct = count(passes::run(source, variant));
    line("");
    line("costs, of nt records and nq q-points (real q, single precision)");
    line("  direct     nt nq * {} operations, those of sines and cosines included",
         direct.inner.instructions);
    const std::string_view records = inReal.means ? "nodes" : "nt";
    if (inReal.separable.possible)
      line("  separable  {} nq * {} operations, and {} (nx ny + nz) * tables in double", records,
           inReal.separable.fma, records);
    else
      line("  separable  not possible");
    if (inReal.nufft.possible)
      line("  nufft      {} * O({} + nq log nq){}", plural(inReal.nufft.terms, "transform"),
           records, complexFile ? "; complex q.z repeats them 8 to 12 times" : "");
    else
      line("  nufft      not possible");
  }
};

} // namespace

std::string explain(const Kernel &source, const std::string &file, const std::string &text) {
  return Explainer(source, file, text).run();
}

} // namespace facet::passes
