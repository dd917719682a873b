// expand.cpp - one source to the scalars of a variant.
//
// specialise: the kernel's grid becomes the variant's. If the kind changes, extents known for the
// old kind mean nothing and are dropped. Without complex q every axis becomes real; conj, re and im
// of what is now real are left to fold.
//
// expand: vectors to components, means over a triangle to scalars.
//   1. Values are taken in order; a vector is held as three scalar ids, a scalar as one.
//   2. q becomes q.x, q.y, q.z; a vector column its components; arithmetic goes component by
//      component.
//   3. dot(a, b) = (a.x b.x + a.y b.y) + a.z b.z, in this order: on a product grid the x and y
//      parts of dot(q, r) are then one value along z.
//   4. norm2 sums re^2 + im^2 (re alone if the component is real); norm is its root.
//   5. mean_cis, mean_cism1, mean_edge, mean_slopes and sinc_slope become their formulas
//   (means.cpp).
//   6. Direct sums: what a condition compares of the record asks for double (widen): the term may
//      jump there. Those of formulas do not jump.
#include "means.h"
#include <fmt/format.h>

namespace facet::passes {

using namespace ir;

namespace {

class Expander {
public:
  /// `precise`: conditions of the record are decided in double.
  Expander(const Kernel &kernel, const Region &region, Region &result, Class klass, bool precise)
      : region(region), b(kernel, result), klass(klass), precise(precise) {}

  void run(Region &result) {
    for (const Value &value : region.values) {
      b.loc = value.loc;
      done.push_back(expand(value));
    }
    for (const Output &output : region.outputs)
      result.outputs.push_back({output.name, done[output.value][0]});
  }

private:
  const Region &region;
  Formulas b;
  Class klass;
  bool precise;
  std::vector<Triple> done;

  static constexpr Triple scalar(Id id) { return {id, -1, -1}; }
  Id sum3(Id x, Id y, Id z) { return b.add(b.add(x, y), z); }
  const Triple &part(const Value &value, std::size_t k) const { return done[value.args[k]]; }
  /// Its operands, which are scalars.
  Triple scalars(const Value &value) const {
    Triple all{-1, -1, -1};
    for (std::size_t k = 0; k < value.operands().size(); ++k)
      all[k] = part(value, k)[0];
    return all;
  }

  /// The same op on each component; a scalar operand stands for all three.
  Triple eachComponent(const Value &value) {
    Triple out{};
    for (std::size_t k = 0; k < 3; ++k) {
      Triple args{-1, -1, -1};
      for (int a = 0; a < info(value.op).arity; ++a)
        args[a] = part(value, a)[isVector(region[value.args[a]]) ? k : 0];
      out[k] = b.op(value.op, args[0], args[1], args[2]);
    }
    return out;
  }

  Triple cross(const Value &value) {
    const Triple u = part(value, 0), v = part(value, 1);
    Triple out{};
    for (std::size_t k = 0; k < 3; ++k) {
      const std::size_t next = (k + 1) % 3, last = (k + 2) % 3;
      const Id first = b.mul(u[next], v[last]);
      out[k] = b.sub(first, b.mul(u[last], v[next]));
    }
    return out;
  }

  Id norm2(const Value &value) {
    const Triple v = part(value, 0);
    const Id x = b.squaredModulus(v[0]);
    if (!isVector(region[value.args[0]]))
      return x;
    const Id y = b.squaredModulus(v[1]);
    return sum3(x, y, b.squaredModulus(v[2]));
  }

  Triple vectorLeaf(const Value &value) {
    if (value.op == Op::Axis)
      return {b.axis(0), b.axis(1), b.axis(2)};
    const Id column = b.copy(value);
    Triple out{};
    for (int k = 0; k < 3; ++k)
      out[k] = b.op(Op::Component, column, -1, -1, k);
    return out;
  }

  Id compared(const Value &value) {
    Triple args = scalars(value);
    const Value &left = b[args[0]], &right = b[args[1]];
    const int domains = left.domain | right.domain;
    // The sign of what is packed is that of the double it was rounded from.
    const bool ofSign = domains == T && (isNumber(left, 0) || isNumber(right, 0));
    const bool asks = precise && (domains & T) != 0 && !ofSign;
    for (std::size_t k = 0; k < 2 && asks; ++k)
      if (!isNumber(b[args[k]]))
        args[k] = b.op(Op::Widen, args[k]);
    return b.op(value.op, args[0], args[1]);
  }

  Triple expand(const Value &value) {
    switch (value.op) {
    case Op::Vec:
      return scalars(value);
    case Op::Component:
      return scalar(part(value, 0)[value.component]);
    case Op::Dot: {
      const Triple u = part(value, 0), v = part(value, 1);
      const Id x = b.mul(u[0], v[0]), y = b.mul(u[1], v[1]);
      return scalar(sum3(x, y, b.mul(u[2], v[2])));
    }
    case Op::Cross:
      return cross(value);
    case Op::Less:
    case Op::LessEqual:
    case Op::Equal:
      return scalar(compared(value));
    case Op::Norm2:
      return scalar(norm2(value));
    case Op::Norm:
      return scalar(b.op(Op::Sqrt, norm2(value)));
    case Op::MeanCis:
    case Op::MeanCism1:
      return scalar(meanOf(b, klass, scalars(value), value.op == Op::MeanCism1));
    case Op::MeanEdge:
    case Op::MeanEdgeM1:
      return scalar(
          meanOfEdge(b, klass, part(value, 0)[0], part(value, 1)[0], value.op == Op::MeanEdgeM1));
    case Op::MeanSlopes:
      return meanSlopesOf(b, klass, scalars(value));
    case Op::SincSlope:
      return scalar(sincSlopeOf(b, klass, part(value, 0)[0]));
    default:
      if (isVector(value))
        return isLeaf(value.op) ? vectorLeaf(value) : eachComponent(value);
      Value copy = value;
      for (Id &arg : copy.operands())
        arg = done[arg][0];
      return scalar(b.copy(std::move(copy)));
    }
  }
};

} // namespace

void specialise(Kernel &kernel, const Variant &variant) {
  if (const Field *field = axisField(kernel); field != nullptr && variant.grid == GridKind::Points)
    throw Error{fmt::format("column '{}' has the axis {}, and a list of points has none: this "
                            "kernel is for product grids",
                            field->name, "xyz"[field->axis]),
                {}};
  if (const Field *field = pointField(kernel);
      field != nullptr && variant.grid == GridKind::Product)
    throw Error{fmt::format("column '{}' is one of points: this kernel is for lists of points",
                            field->name),
                {}};
  if (kernel.grid != variant.grid)
    for (AxisType &axis : kernel.axes)
      axis.fixed = 0;
  kernel.grid = variant.grid;
  if (!variant.complexQ)
    for (AxisType &axis : kernel.axes)
      axis.type = Type::Real;
  annotate(kernel);
}

void expand(Kernel &kernel, const Variant &variant) {
  for (Region *region : sourceRegions(kernel)) {
    Region result;
    const bool precise = variant.algorithm == Algorithm::Direct && variant.klass != Class::F64 &&
                         region == &kernel.term;
    Expander(kernel, *region, result, variant.klass, precise).run(result);
    prune(result);
    *region = std::move(result);
  }
}

} // namespace facet::passes
