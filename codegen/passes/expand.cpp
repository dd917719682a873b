// expand.cpp - vectors to components, means over a triangle to scalars.
//
//   1. Values are taken in order; a vector is held as three scalar ids, a scalar as one.
//   2. q becomes q.x, q.y, q.z; a vector column its components; arithmetic goes component by
//      component.
//   3. dot(a, b) = (a.x b.x + a.y b.y) + a.z b.z, in this order: on a product grid the x and y
//      parts of dot(q, r) are then one value along z.
//   4. norm2 sums re^2 + im^2 (re alone if the component is real); norm is its root.
//   5. mean_cis and mean_cism1 become the steps of mean_cis.cpp.
#include "rewrite.h"

namespace facet::passes {

using namespace ir;

namespace {

using Triple = std::array<Id, 3>; // a scalar uses the first

class Expander {
public:
  Expander(const Kernel &kernel, const Region &region, Region &result, const Variant &variant)
      : region(region), builder(kernel, result), variant(variant) {}

  void run(Region &result) {
    for (const Value &value : region.values) {
      builder.loc = value.loc;
      done.push_back(expand(value));
    }
    for (const Output &output : region.outputs)
      result.outputs.push_back({output.name, done[output.value][0]});
  }

private:
  const Region &region;
  Builder builder;
  const Variant &variant;
  std::vector<Triple> done;

  static constexpr Triple scalar(Id id) { return {id, -1, -1}; }
  Id mul(Id a, Id b) { return builder.op(Op::Mul, a, b); }
  Id sub(Id a, Id b) { return builder.op(Op::Sub, a, b); }
  Id sum3(Id a, Id b, Id c) { return builder.op(Op::Add, builder.op(Op::Add, a, b), c); }

  const Value &operand(const Value &value, std::size_t k) const { return region[value.args[k]]; }
  Triple part(const Value &value, std::size_t k) const { return done[value.args[k]]; }
  /// Component k of an operand; a scalar operand stands for all three.
  Id part(const Value &value, std::size_t operandIndex, std::size_t k) const {
    return part(value, operandIndex)[isVector(operand(value, operandIndex)) ? k : 0];
  }

  Triple eachComponent(const Value &value) {
    Triple out{};
    for (std::size_t k = 0; k < 3; ++k) {
      Triple args{-1, -1, -1};
      for (int a = 0; a < info(value.op).arity; ++a)
        args[a] = part(value, a, k);
      out[k] = builder.op(value.op, args[0], args[1], args[2]);
    }
    return out;
  }

  Id squared(Id a) {
    if (!isComplex(builder[a]))
      return mul(a, a);
    const Id re = builder.op(Op::Re, a), im = builder.op(Op::Im, a);
    return builder.op(Op::Add, mul(re, re), mul(im, im));
  }

  Id norm2(const Value &value) {
    const Triple v = part(value, 0);
    if (!isVector(operand(value, 0)))
      return squared(v[0]);
    const Id x = squared(v[0]), y = squared(v[1]);
    return sum3(x, y, squared(v[2]));
  }

  Triple vectorLeaf(const Value &value) {
    if (value.op == Op::Axis)
      return {builder.axis(0), builder.axis(1), builder.axis(2)};
    const Id column = builder.copy(value);
    Triple out{};
    for (int k = 0; k < 3; ++k)
      out[k] = builder.op(Op::Component, column, -1, -1, k);
    return out;
  }

  Triple expand(const Value &value) {
    switch (value.op) {
    case Op::Vec:
      return {part(value, 0)[0], part(value, 1)[0], part(value, 2)[0]};
    case Op::Component:
      return scalar(part(value, 0)[value.component]);
    case Op::Dot: {
      const Triple u = part(value, 0), v = part(value, 1);
      const Id x = mul(u[0], v[0]), y = mul(u[1], v[1]);
      return scalar(sum3(x, y, mul(u[2], v[2])));
    }
    case Op::Cross: {
      const Triple u = part(value, 0), v = part(value, 1);
      Triple out{};
      for (std::size_t k = 0; k < 3; ++k) {
        const std::size_t a = (k + 1) % 3, b = (k + 2) % 3;
        const Id first = mul(u[a], v[b]);
        out[k] = sub(first, mul(u[b], v[a]));
      }
      return out;
    }
    case Op::Norm2:
      return scalar(norm2(value));
    case Op::Norm:
      return scalar(builder.op(Op::Sqrt, norm2(value)));
    case Op::MeanCis:
    case Op::MeanCism1:
      return scalar(expandMeanCis(builder,
                                  {part(value, 0)[0], part(value, 1)[0], part(value, 2)[0]},
                                  value.op == Op::MeanCism1, variant.klass));
    default:
      if (isVector(value))
        return isLeaf(value.op) ? vectorLeaf(value) : eachComponent(value);
      Value copy = value;
      for (Id &arg : copy.operands())
        arg = done[arg][0];
      return scalar(builder.copy(std::move(copy)));
    }
  }
};

} // namespace

void expand(Kernel &kernel, const Variant &variant) {
  for (Region *region : sourceRegions(kernel)) {
    Region result;
    Expander(kernel, *region, result, variant).run(result);
    prune(result);
    *region = std::move(result);
  }
}

} // namespace facet::passes
