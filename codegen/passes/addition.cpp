// addition.cpp - waves of a row and a z become products: sines are taken once a row and once a z.
//
//   1. In a product grid a phase p that is a sum of a part a of the row (x, y) and the record, and
//      a part b of z and the record, is split; what is of the record alone goes to b. Sums, signs
//      and factors of the record alone are followed.
//   2. cis(p) = cis(a) cis(b); cism1(p) = cis(a) cism1(b) + cism1(a), exact near 0 like its parts;
//      e^p = e^a e^b for complex p; sine and cosine of real p by the theorems of addition.
//      In the register tile a value of row and record is a table, made once a band of rows, and a
//      value of z and record is made once for all rows of the tile: a wave costs the inner loop one
//      complex product.
//   3. A weight of the wave that splits as well, u + v, joins the row's factor:
//      (u + v) cis(a) cis(b) = (u cis(a) + v cis(a)) cis(b); u cis(a) is then a table.
//   4. Other sums of row and z end as one addition of a table and a value of z.
//   Real exponentials stay: one factor may overflow if the sum would not. The result depends on
//   q alone, never on where a tile begins, as that of a recurrence along an axis would; axes need
//   no uniform step.
#include "rewrite.h"
#include <map>
#include <optional>

namespace facet::passes {

using namespace ir;

namespace {

/// A sum of a value of the row, one of z, and one of neither; absent ones are 0.
struct Parts {
  Id row = -1, z = -1, rest = -1;
};

class Adder {
public:
  explicit Adder(Builder &builder) : b(builder) {}

  Id run(const Value &value) {
    const Id x = value.args[0], y = value.args[1];
    switch (value.op) {
    case Op::Cis:
      if (const auto p = wave(x)) {
        const Id row = whole(b.op(Op::Cis, p->row));
        const Id made = mul(row, whole(b.op(Op::Cis, p->z)));
        waves[made] = {row, b[made].args[1], -1};
        return made;
      }
      break;
    case Op::Cism1:
      if (const auto p = wave(x)) {
        const Id row = whole(b.op(Op::Cis, p->row)), z = whole(b.op(Op::Cism1, p->z));
        return mulAdd(b, row, z, whole(b.op(Op::Cism1, p->row)));
      }
      break;
    case Op::Exp:
      if (const auto p = isComplex(b[x]) ? wave(x) : std::nullopt) {
        const Id row = whole(b.op(Op::Exp, p->row));
        return mul(row, whole(b.op(Op::Exp, p->z)));
      }
      break;
    case Op::Sin:
    case Op::Cos:
      if (const auto p = isComplex(b[x]) ? std::nullopt : wave(x))
        return value.op == Op::Sin ? sine(*p) : cosine(*p);
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
        return p ? b.op(Op::Add, p->row, p->z) : made;
      }
      break;
    default:
      break;
    }
    return b.copy(value);
  }

private:
  Builder &b;
  std::map<Id, std::optional<Parts>> known;
  std::map<Id, Parts> waves; // products cis(a) cis(b): their factors

  Id mul(Id x, Id y) { return b.op(Op::Mul, x, y); }

  Id whole(Id id) { return passes::whole(b, id); }

  Id sine(const Parts &p) {
    const Id s = mul(b.op(Op::Sin, p.row), b.op(Op::Cos, p.z));
    return b.op(Op::Add, s, mul(b.op(Op::Cos, p.row), b.op(Op::Sin, p.z)));
  }
  Id cosine(const Parts &p) {
    const Id c = mul(b.op(Op::Cos, p.row), b.op(Op::Cos, p.z));
    return b.op(Op::Sub, c, mul(b.op(Op::Sin, p.row), b.op(Op::Sin, p.z)));
  }

  /// A weight times a wave. A weight of z alone joins the factor of z, any other that of the row.
  Id weighted(const Parts &w, const Parts &wave) {
    if (w.row < 0 && w.z >= 0 && w.rest < 0)
      return mul(wave.row, whole(mul(w.z, wave.z)));
    Id row = w.row;
    if (w.rest >= 0)
      row = row < 0 ? w.rest : b.op(Op::Add, row, w.rest);
    const Id table = whole(mul(row, wave.row));
    return mul(w.z < 0 ? table : mulAdd(b, wave.row, whole(w.z), table), wave.z);
  }

  /// A value of row, z and record as a row part and a z part with the rest; none if it has no such.
  std::optional<Parts> wave(Id id) {
    if (!isInner(b[id]))
      return std::nullopt;
    auto p = parts(id);
    if (!p || p->row < 0 || p->z < 0)
      return std::nullopt;
    if (p->rest >= 0)
      p->z = b.op(Op::Add, p->z, p->rest);
    return p;
  }

  std::optional<Parts> parts(Id id) {
    return remembered(known, id, [&] { return find(id); });
  }

  std::optional<Parts> find(Id id) {
    const Value value = b[id]; // a copy: appending moves the values
    const bool row = hasRow(value.domain), z = hasZ(value.domain);
    if (!row && !z)
      return Parts{-1, -1, id};
    if (!row || !z)
      return row ? Parts{id, -1, -1} : Parts{-1, id, -1};
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
        return each(parts(y), [&](Id part) { return mul(x, part); });
      return isFactor(y) ? each(parts(x), [&](Id part) { return mul(part, y); }) : std::nullopt;
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
    const auto add = [&](Id u, Id v) {
      if (v < 0)
        return u;
      return u >= 0 ? b.op(op, u, v) : op == Op::Sub ? b.op(Op::Neg, v) : v;
    };
    Parts out;
    out.row = add(x->row, y->row);
    out.z = add(x->z, y->z);
    out.rest = add(x->rest, y->rest);
    return out;
  }

  static std::optional<Parts> each(std::optional<Parts> p, auto &&map) {
    if (p)
      for (Id Parts::*part : {&Parts::row, &Parts::z, &Parts::rest})
        if (p.value().*part >= 0)
          p.value().*part = map(p.value().*part);
    return p;
  }
};

} // namespace

void addition(Kernel &kernel, const Variant &variant) {
  if (!variant.addition || kernel.grid != GridKind::Product)
    return;
  rebuildBy(kernel, kernel.term, [](Builder &b) {
    return [adder = Adder(b)](const Value &value) mutable { return adder.run(value); };
  });
  prune(kernel.term);
}

} // namespace facet::passes
