// addition.cpp - waves of a row and a z become products: sines are taken once a row and once a z.
//
//   1. In a product grid a phase p is split if it is a sum of a part a of the row (x, y) and the
//      record, and a part b of z and the record. What is of the record alone goes to b. The pass
//      follows sums, signs and factors of the record alone.
//   2. cis(p) = cis(a) cis(b); cism1(p) = cis(a) cism1(b) + cism1(a), exact near 0 like its parts;
//      e^p = e^a e^b for complex p; sine and cosine of real p by the theorems of addition.
//      In the register tile a value of row and record is a table, made once a band of rows. A value
//      of z and record is made once for all rows of the tile. So a wave costs the inner loop one
//      complex product.
//   3. A weight of the wave that splits as well, u + v, joins the row's factor:
//      (u + v) cis(a) cis(b) = (u cis(a) + v cis(a)) cis(b); u cis(a) is then a table.
//   4. Other sums of row and z end as one addition of a table and a value of z.
//   Real exponentials stay: one factor may overflow if the sum would not. The result depends on
//   q alone, never on where a tile begins, as that of a recurrence along an axis would; axes need
//   no uniform step.
#include "rewrite.h"
#include <optional>

namespace facet::passes {

using namespace ir;

namespace {

/// A sum of a value of the row, one of z, and one of neither; absent ones are 0.
struct Parts {
  Id row = -1, z = -1, rest = -1;
};
constexpr auto allParts = {&Parts::row, &Parts::z, &Parts::rest};

class Adder {
public:
  explicit Adder(Formulas &builder) : b(builder) {}

  Id run(const Value &value) {
    const auto [x, y, unused] = value.args;
    switch (value.op) {
    case Op::Cis:
    case Op::Cism1:
      if (const auto p = wave(x))
        return ofSum(value.op, *p);
      break;
    case Op::Exp: // complex ones
    case Op::Sin: // real ones
    case Op::Cos:
      if (isComplex(b[x]) == (value.op == Op::Exp))
        if (const auto p = wave(x))
          return ofSum(value.op, *p);
      break;
    case Op::Mul:
      for (const auto &[weight, other] : {std::pair{x, y}, std::pair{y, x}})
        if (const auto found = waves.find(other); found != waves.end())
          if (const auto w = parts(weight))
            return weighted(*w, found->second);
      break;
    case Op::Add:
    case Op::Sub:
      if (!isVector(value)) {
        const Id made = b.copy(value);
        const auto p = wave(made);
        return p ? b.add(p->row, p->z) : made;
      }
      break;
    default:
      break;
    }
    return b.copy(value);
  }

private:
  Formulas &b;
  std::map<Id, std::optional<Parts>> known;
  std::map<Id, Parts> waves; // products cis(a) cis(b): their factors

  /// Step 2.
  Id ofSum(Op op, const Parts &p) {
    if (op == Op::Sin || op == Op::Cos) {
      const bool sine = op == Op::Sin;
      const Id first = b.mul(b.op(op, p.row), b.op(Op::Cos, p.z));
      const Id second = b.mul(b.op(sine ? Op::Cos : Op::Sin, p.row), b.op(Op::Sin, p.z));
      return b.op(sine ? Op::Add : Op::Sub, first, second);
    }
    const Id row = b.whole(b.op(op == Op::Cism1 ? Op::Cis : op, p.row));
    const Id z = b.whole(b.op(op, p.z));
    if (op == Op::Cism1)
      return b.mulAdd(row, z, b.whole(b.op(op, p.row)));
    const Id made = b.mul(row, z);
    if (op == Op::Cis)
      waves[made] = {row, z, -1};
    return made;
  }

  /// A weight times a wave. A weight of z alone joins the factor of z, any other that of the row.
  Id weighted(const Parts &w, const Parts &wave) {
    if (w.row < 0 && w.z >= 0 && w.rest < 0)
      return b.mul(wave.row, b.whole(b.mul(w.z, wave.z)));
    const Id table = b.whole(b.mul(b.sumOf(Op::Add, w.row, w.rest), wave.row));
    return b.mul(w.z < 0 ? table : b.mulAdd(wave.row, b.whole(w.z), table), wave.z);
  }

  /// A value of row, z and record as a row part and a z part with the rest; none if it has no such.
  std::optional<Parts> wave(Id id) {
    auto p = isInner(b[id]) ? parts(id) : std::nullopt;
    if (!p || p->row < 0 || p->z < 0)
      return std::nullopt;
    p->z = b.sumOf(Op::Add, p->z, p->rest);
    return p;
  }

  std::optional<Parts> parts(Id id) {
    return remembered(known, id, [&] { return find(id); });
  }

  std::optional<Parts> find(Id id) {
    const Value value = b[id]; // a copy: appending moves the values
    const bool row = hasRow(value.domain), z = hasZ(value.domain);
    if (!row || !z)
      return row ? Parts{.row = id} : z ? Parts{.z = id} : Parts{.rest = id};
    const auto [x, y, unused] = value.args;
    switch (value.op) {
    case Op::Add:
    case Op::Sub:
      return sum(value.op, parts(x), parts(y));
    case Op::Neg:
    case Op::Conj:
    case Op::Re:
    case Op::Im:
      return each(parts(x), [&](Id part) { return b.op(value.op, part); });
    case Op::Mul:
      if (isFactor(x))
        return each(parts(y), [&](Id part) { return b.mul(x, part); });
      return isFactor(y) ? each(parts(x), [&](Id part) { return b.mul(part, y); }) : std::nullopt;
    case Op::Div:
      return isFactor(y) ? each(parts(x), [&](Id part) { return b.op(Op::Div, part, y); })
                         : std::nullopt;
    default:
      return std::nullopt;
    }
  }

  bool isFactor(Id id) const { return (b[id].domain & ~T) == 0; }

  std::optional<Parts> sum(Op op, const std::optional<Parts> &x, const std::optional<Parts> &y) {
    if (!x || !y)
      return std::nullopt;
    Parts out;
    for (Id Parts::*part : allParts)
      out.*part = b.sumOf(op, (*x).*part, (*y).*part);
    return out;
  }

  static std::optional<Parts> each(std::optional<Parts> p, auto &&map) {
    for (Id Parts::*part : allParts)
      if (p && (*p).*part >= 0)
        (*p).*part = map((*p).*part);
    return p;
  }
};

} // namespace

void addition(Kernel &kernel, const Variant &variant) {
  if (!variant.addition || kernel.grid != GridKind::Product)
    return;
  Rewriter to(kernel, kernel.term);
  Adder adder(to.b);
  to.run([&](const Value &value, Id) { return adder.run(value); });
}

} // namespace facet::passes
