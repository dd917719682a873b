// adjoint.cpp - the adjoint of a kernel: derivatives of one real number L by every column of every
// record, as a kernel of its own.
//
// L depends on F through a cotangent G, dL = 2 Re sum over q of conj(G) dF. With S the sum over
// records, F = finish(q, S):
//
//   1. H(q), the cotangent of S: Re H = Re sum over outputs of conj(G) dF/d(Re S), Im H likewise:
//   slopes of finish along 1 and i.
//   2. dL/d(column of t) = 2 Re sum over q of conj(H(q)) d term(q, t) / d(column).
//
// That is the same pair sum with its two sets of indices exchanged. What was summed over is now the
// point of a list, its columns columns of points. Each q is a record. Its columns are q.x, q.y,
// q.z, the cotangent of each output and, if finish is not linear, the sums at q. H is of the record
// alone, so that pack makes it once a q, in double; factors of t alone go to finish. At q = 0 F is
// the sum of origin, so that q is no record: its cotangent is a parameter for each output,
// cotangent0 for the first.
#include "differentiate.h"
#include "rewrite.h"
#include <algorithm>
#include <fmt/format.h>

namespace facet::passes {

using namespace ir;

namespace {

/// A number of a column.
struct Number {
  std::string name; // "normal.x"
  const Field *field;
  int component; // of a vector; -1
};

/// Copies values of a kernel's regions to those of its adjoint, where columns are of points and q
/// is of the record.
class Exchange {
public:
  Exchange(const Region &from, Formulas &to, const Kernel &source)
      : from(from), b(to), source(source) {}

  Id operator()(Id id) {
    return remembered(copied, id, [&] {
      Value value = from[id];
      b.loc = value.loc;
      switch (value.op) {
      case Op::Axis:
        return q(value.component);
      case Op::Field:
        return isVector(value.type) ? vector(value.name) : b.field(value.name);
      case Op::Sum: {
        const std::string name = fmt::format("sum{}", std::max(value.component, 0));
        const Id re = b.field(name + ".re");
        return b.op(Op::Complex, re, b.field(name + ".im"));
      }
      default:
        for (Id &arg : value.operands())
          arg = (*this)(arg);
        return b.copy(std::move(value));
      }
    });
  }

private:
  const Region &from;
  Formulas &b;
  const Kernel &source;
  std::map<Id, Id> copied;

  Id vector(const std::string &name) {
    const Id x = b.field(name + ".x"), y = b.field(name + ".y");
    return b.op(Op::Vec, x, y, b.field(name + ".z"));
  }
  Id q(int component) {
    if (component < 0) {
      const Id x = q(0), y = q(1);
      return b.op(Op::Vec, x, y, q(2));
    }
    const std::string name = fmt::format("q.{}", "xyz"[component]);
    const Id re = b.field(name);
    const bool complex = source.axes[static_cast<std::size_t>(component)].type == Type::Cplx;
    return complex ? b.op(Op::Complex, re, b.field(name + ".im")) : re;
  }
};

/// Re or Im of cotangent times slope, with real factors outside, so that what is complex, the
/// cotangent times a wave, is made once for all columns: Re(h (r w)) = r Re(h w).
class CotangentProduct {
public:
  explicit CotangentProduct(Formulas &to) : b(to) {}

  Id re(Id h, Id slope) {
    return isReal(b[h].type) ? b.op(Op::Re, b.mul(h, slope)) : part(false, h, slope);
  }

private:
  Formulas &b;

  Id part(bool imaginary, Id h, Id x) {
    const Value value = b[x];
    const Id first = value.args[0], second = value.args[1];
    if (isReal(value.type))
      return b.mul(x, plain(imaginary, h));
    switch (value.op) {
    case Op::Unit:
      return imaginary ? plain(false, h) : b.neg(plain(true, h));
    case Op::Neg:
      return b.neg(part(imaginary, h, first));
    case Op::Add:
    case Op::Sub:
      return b.op(value.op, part(imaginary, h, first), part(imaginary, h, second));
    case Op::Mul:
      if (isReal(b[first].type) || b[second].op == Op::Cis)
        return isReal(b[first].type) ? b.mul(first, part(imaginary, h, second))
                                     : part(imaginary, b.mul(h, second), first);
      return isReal(b[second].type) ? b.mul(second, part(imaginary, h, first))
                                    : part(imaginary, b.mul(h, first), second);
    default:
      return plain(imaginary, b.mul(h, x));
    }
  }
  Id plain(bool imaginary, Id x) { return b.op(imaginary ? Op::Im : Op::Re, x); }
};

class Adjoint {
public:
  explicit Adjoint(const Kernel &kernel) : source(kernel), components(componentsOf(kernel.term)) {
    for (const Field &field : source.fields)
      for (int k = 0; k < (field.type == Type::Vec3 ? 3 : 1); ++k)
        numbers.push_back(field.type == Type::Vec3
                              ? Number{fmt::format("{}.{}", field.name, "xyz"[k]), &field, k}
                              : Number{field.name, &field, -1});
  }

  Kernel run() {
    if (const Field *field = axisField(source))
      throw Error{
          fmt::format("column '{}' of kernel '{}' has the axis {}: there is no adjoint of it",
                      field->name, source.name, "xyz"[field->axis]),
          {}};
    if (numbers.size() > mostPointOutputs)
      throw Error{fmt::format("kernel '{}' reads {} numbers of a record; its adjoint has room for "
                              "{} derivatives: read fewer columns",
                              source.name, numbers.size(), mostPointOutputs),
                  {}};
    declare();
    const std::vector<Id> cotangents = cotangentsOfSums();
    term(cotangents);
    finish();
    dropUnread();
    annotate(made);
    prune(made.term);
    prune(made.finish);
    cse(made, {});
    return std::move(made);
  }

private:
  const Kernel &source;
  std::vector<Component> components; // of the source's term
  std::vector<Number> numbers;
  Kernel made;
  std::vector<int> places; // of each number the component that is its derivative; -1: none

  void declare() {
    made.name = "adjoint_" + source.name;
    made.doc = fmt::format("What a number that depends on F of {} changes by with each column",
                           source.name);
    made.triangle = false;
    made.grid = GridKind::Points;
    made.params = source.params;
    for (std::size_t o = 0; o < componentsOf(source.origin).size(); ++o)
      made.params.push_back({fmt::format("cotangent{}", o), Type::Cplx, {0, 0}});
    for (std::size_t k = 0; k < 3; ++k) {
      made.fields.push_back({fmt::format("q.{}", "xyz"[k])});
      if (source.axes[k].type == Type::Cplx)
        made.fields.push_back({fmt::format("q.{}.im", "xyz"[k])});
    }
    for (std::size_t o = 0; o < source.finish.outputs.size(); ++o)
      for (const char *part : {"re", "im"})
        made.fields.push_back({fmt::format("cotangent{}.{}", o, part)});
    for (std::size_t c = 0; c < components.size(); ++c)
      for (const char *part : {"re", "im"})
        made.fields.push_back({fmt::format("sum{}.{}", c, part)});
    for (const Number &number : numbers)
      made.fields.push_back({.name = number.name, .axis = ofPoints});
  }

  /// conj(H) of each component, in the term of the adjoint; -1: F does not depend on it.
  std::vector<Id> cotangentsOfSums() {
    Formulas b(made, made.term);
    std::vector<Id> all;
    for (std::size_t c = 0; c < components.size(); ++c) {
      const Id re = along(b, static_cast<int>(c), false);
      const bool real = isReal(source.term[source.term.outputs[c].value].type);
      const Id im = real ? -1 : along(b, static_cast<int>(c), true);
      if (re < 0 || im < 0)
        all.push_back(re < 0 && im >= 0 ? b.op(Op::Complex, b.number(0), b.neg(im)) : re);
      else
        all.push_back(b.op(Op::Complex, re, b.neg(im)));
    }
    return all;
  }

  /// Re of the sum over outputs of conj(G) times what F changes by as sum c goes along 1, or i.
  Id along(Formulas &b, int c, bool imaginary) {
    Region region = source.finish;
    Formulas own(source, region);
    const std::vector<Id> slopes = slopesOf(source, region, [&](const Value &leaf) {
      if (leaf.op != Op::Sum || std::max(leaf.component, 0) != c)
        return -1;
      const Id zero = own.number(0), one = own.number(1);
      return imaginary ? own.op(Op::Complex, zero, one) : one;
    });
    Exchange exchange(region, b, source);
    Id all = -1;
    for (std::size_t o = 0; o < slopes.size(); ++o) {
      if (slopes[o] < 0)
        continue;
      const Id re = b.field(fmt::format("cotangent{}.re", o));
      const Id im = b.field(fmt::format("cotangent{}.im", o));
      const Id g = b.op(Op::Conj, b.op(Op::Complex, re, im));
      all = b.sumOf(Op::Add, all, b.op(Op::Re, b.mul(g, exchange(slopes[o]))));
    }
    return all;
  }

  /// The derivatives of a region's outputs by one of the numbers, in the region.
  std::vector<Id> slopesBy(Region &region, const Number &number) const {
    Formulas own(source, region);
    return slopesOf(source, region, [&](const Value &leaf) {
      if (leaf.op != Op::Field || leaf.name != number.field->name)
        return -1;
      const Id one = own.number(1), zero = own.number(0);
      if (number.component < 0)
        return one;
      const auto at = [&](int k) { return number.component == k ? one : zero; };
      return own.op(Op::Vec, at(0), at(1), at(2));
    });
  }

  void term(const std::vector<Id> &cotangents) {
    Formulas b(made, made.term);
    for (const Number &number : numbers) {
      Region region = source.term;
      const std::vector<Id> slopes = slopesBy(region, number);
      Exchange exchange(region, b, source);
      Id all = -1;
      for (std::size_t c = 0; c < slopes.size(); ++c)
        if (slopes[c] >= 0 && cotangents[c] >= 0)
          all = b.sumOf(Op::Add, all, CotangentProduct(b).re(cotangents[c], exchange(slopes[c])));
      places.push_back(all < 0 ? -1 : static_cast<int>(made.term.outputs.size()));
      if (all >= 0)
        made.term.outputs.push_back({number.name, b.mul(b.number(2), all)});
    }
    if (made.term.outputs.empty())
      throw Error{fmt::format("F of kernel '{}' depends on no column", source.name), {}};
    if (made.term.outputs.size() == 1)
      made.term.outputs.front().name.clear();
  }

  void finish() {
    Formulas b(made, made.finish);
    for (std::size_t n = 0; n < numbers.size(); ++n) {
      Id all =
          places[n] < 0
              ? -1
              : b.op(Op::Re, b.sum(Part::Whole, made.term.outputs.size() == 1 ? -1 : places[n]));
      if (const Id more = ofOrigin(b, numbers[n]); more >= 0)
        all = b.sumOf(Op::Add, all, more);
      made.finish.outputs.push_back({numbers[n].name, all < 0 ? b.number(0) : all});
    }
  }

  /// What the q = 0 add: 2 Re of conj(cotangent0) times the slope of origin, of all outputs.
  Id ofOrigin(Formulas &b, const Number &number) {
    Region region = source.origin;
    const std::vector<Id> slopes = slopesBy(region, number);
    Exchange exchange(region, b, source);
    Id all = -1;
    for (std::size_t o = 0; o < slopes.size(); ++o) {
      if (slopes[o] < 0)
        continue;
      const Id slope = exchange(slopes[o]);
      const Id re = b.param(fmt::format("cotangent{}.re", o));
      const Id im = b.param(fmt::format("cotangent{}.im", o));
      const Id g = b.op(Op::Conj, b.op(Op::Complex, re, im));
      all = b.sumOf(Op::Add, all, b.mul(b.number(2), b.op(Op::Re, b.mul(g, slope))));
    }
    return all;
  }

  void dropUnread() {
    prune(made.term);
    prune(made.finish);
    std::erase_if(made.fields, [&](const Field &field) {
      const auto is = [&](const Value &value) {
        return value.op == Op::Field && value.name == field.name;
      };
      return field.axis != ofPoints && std::ranges::none_of(made.term.values, is);
    });
  }
};

} // namespace

Kernel adjointOf(const Kernel &kernel, bool complexQ) {
  Kernel source = kernel;
  if (!complexQ)
    specialise(source, {.grid = source.grid});
  Kernel made = Adjoint(source).run();
  verify(made);
  return made;
}

} // namespace facet::passes
