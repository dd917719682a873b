// differentiate.cpp - derivatives along a direction, and the kernels made of them.
//
//   1. Values of a region are taken in order. A leaf that changes has a slope, what it changes by.
//      The slope of any other value follows from those of its operands by the column `slope` of
//      ops.def. What does not change has none, and costs nothing.
//   2. A direction is real: columns and parameters are real numbers, the parts of a complex number
//      too. So conj, re, im and abs have slopes like all others. Wirtinger's derivatives of a
//      function of z are (d - i d') / 2 and (d + i d') / 2 of its slopes d along 1 and d' along i.
//   3. min, max, abs and select: the slope of the branch taken, of equal numbers that of the one
//      which is yielded. The modulus of 0 and the norm of a vector 0 have the slope 0, one of all
//      that are between their slopes around it.
//   4. Equal values are made one value by cse.
#include "differentiate.h"
#include "rewrite.h"
#include <algorithm>
#include <fmt/format.h>
#include <numbers>

namespace facet::passes {

using namespace ir;

namespace {

/// A value; what rules write operators and functions of.
struct Expr {
  Formulas *b;
  Id id;
};
/// A value's slope; of a negative id, zero.
struct Slope {
  Formulas *b = nullptr;
  Id id = -1;
  /// Component k of a vector.
  Slope operator[](int k) const {
    return id < 0 ? *this : Slope{b, b->op(Op::Component, id, -1, -1, k)};
  }
};
/// The imaginary unit.
constexpr struct Imaginary {
} i;

Expr number(const Expr &like, double value) { return {like.b, like.b->number(value)}; }
Expr make(Op op, const Expr &x) { return {x.b, x.b->op(op, x.id)}; }
Expr make(Op op, const Expr &x, const Expr &y) { return {x.b, x.b->op(op, x.id, y.id)}; }
Expr operator+(const Expr &x, const Expr &y) { return make(Op::Add, x, y); }
Expr operator*(const Expr &x, const Expr &y) { return make(Op::Mul, x, y); }
Expr operator*(double x, const Expr &y) { return number(y, x) * y; }
Expr operator*(Imaginary, const Expr &x) { return Expr{x.b, x.b->unit()} * x; }
Expr operator<(const Expr &x, const Expr &y) { return make(Op::Less, x, y); }
Expr conj(const Expr &x) { return make(Op::Conj, x); }
Expr exp(const Expr &x) { return make(Op::Exp, x); }
Expr sin(const Expr &x) { return make(Op::Sin, x); }
Expr cos(const Expr &x) { return make(Op::Cos, x); }
Expr cis(const Expr &x) { return make(Op::Cis, x); }
Expr sincSlope(const Expr &x) { return make(Op::SincSlope, x); }
/// e^{-x^2} 2 / sqrt(pi).
Expr gauss(const Expr &x) { return 2 * std::numbers::inv_sqrtpi * exp(make(Op::Neg, x * x)); }
Expr meanSlopes(const Expr &x, const Expr &y, const Expr &z) {
  return {x.b, x.b->op(Op::MeanSlopes, x.id, y.id, z.id)};
}
/// x, or 1 where it is 0: nothing is to be divided by.
Expr orOne(const Expr &x) {
  const Expr none = make(Op::Equal, x, number(x, 0)), one = number(x, 1);
  return {x.b, x.b->select(none.id, one.id, x.id)};
}

// Maps that are linear over the reals: of nothing, nothing.

template <class Form> Slope linear(const Slope &x, Form form) {
  return x.id < 0 ? x : Slope{x.b, form(Expr{x.b, x.id}).id};
}
Slope operator-(const Slope &x) {
  return linear(x, [](const Expr &y) { return make(Op::Neg, y); });
}
Slope sum(Op op, const Slope &x, const Slope &y) {
  if (x.id < 0 || y.id < 0)
    return y.id < 0 ? x : op == Op::Sub ? -y : y;
  return {x.b, x.b->op(op, x.id, y.id)};
}
Slope operator+(const Slope &x, const Slope &y) { return sum(Op::Add, x, y); }
Slope operator-(const Slope &x, const Slope &y) { return sum(Op::Sub, x, y); }
Slope operator*(const Expr &x, const Slope &y) {
  return linear(y, [&](const Expr &z) { return x * z; });
}
Slope operator*(const Slope &x, const Expr &y) {
  return linear(x, [&](const Expr &z) { return z * y; });
}
Slope operator*(double x, const Slope &y) {
  return linear(y, [&](const Expr &z) { return x * z; });
}
Slope operator*(Imaginary, const Slope &x) {
  return linear(x, [&](const Expr &y) { return i * y; });
}
Slope operator/(const Slope &x, const Expr &y) {
  return linear(x, [&](const Expr &z) { return make(Op::Div, z, y); });
}
Slope conj(const Slope &x) {
  return linear(x, [](const Expr &y) { return conj(y); });
}
Slope re(const Slope &x) {
  return linear(x, [](const Expr &y) { return make(Op::Re, y); });
}
Slope im(const Slope &x) {
  return linear(x, [](const Expr &y) { return make(Op::Im, y); });
}
Slope dot(const Expr &x, const Slope &y) {
  return linear(y, [&](const Expr &z) { return make(Op::Dot, x, z); });
}
Slope dot(const Slope &x, const Expr &y) { return dot(y, x); }
Slope cross(const Expr &x, const Slope &y) {
  return linear(y, [&](const Expr &z) { return make(Op::Cross, x, z); });
}
Slope cross(const Slope &x, const Expr &y) {
  return linear(x, [&](const Expr &z) { return make(Op::Cross, z, y); });
}
/// The product of two numbers, the dot product of two vectors.
Slope inner(const Expr &x, const Slope &y) { return isVector((*x.b)[x.id]) ? dot(x, y) : x * y; }

/// A number 0 in the place of none.
Id whole(Formulas &b, const Slope &x) { return x.id < 0 ? b.number(0) : x.id; }

Slope vec(const Slope &x, const Slope &y, const Slope &z) {
  if (x.id < 0 && y.id < 0 && z.id < 0)
    return x;
  Formulas &b = *(x.id >= 0 ? x.b : y.id >= 0 ? y.b : z.b);
  const Id first = whole(b, x), second = whole(b, y);
  return {&b, b.op(Op::Vec, first, second, whole(b, z))};
}

Slope choose(const Expr &condition, const Slope &x, const Slope &y) {
  if (x.id < 0 && y.id < 0)
    return x;
  Formulas &b = *condition.b;
  const auto like = [&](const Slope &slope, const Slope &other) {
    const Id zero = b.number(0);
    return slope.id >= 0           ? slope.id
           : isVector(b[other.id]) ? b.op(Op::Vec, zero, zero, zero)
                                   : zero;
  };
  const Id yes = like(x, y);
  return {&b, b.select(condition.id, yes, like(y, x))};
}

/// -i times the slope of the mean of e^{iu} over an edge with phases x and y at its ends, as a
/// triangle that is drawn out to the edge. One of its corners is there twice: a place counts the
/// more, the nearer it is to that corner.
Slope edgeSlope(const Expr &x, const Expr &y, const Slope &dx, const Slope &dy) {
  const auto toward = [&](const Expr &corner) {
    return 0.5 * Expr{x.b, x.b->op(Op::MeanCis, x.id, corner.id, y.id)};
  };
  return (dx.id < 0 ? dx : toward(x) * dx) + (dy.id < 0 ? dy : toward(y) * dy);
}

/// The slope of |x|, which is `size`.
Slope modulus(const Expr &x, const Expr &size, const Slope &dx) {
  if (isComplex((*x.b)[x.id]))
    return re(conj(x) * dx) / orOne(size);
  return choose(x < number(x, 0), -dx, dx);
}

/// The slope of x^n, n a number.
Slope power(const Expr &x, const Expr &n, const Slope &dx) {
  const double order = (*n.b)[n.id].number;
  if (order == 0)
    return {};
  return order * make(Op::Pow, x, number(x, order - 1)) * dx;
}

/// One value's slope by those of its operands.
class Rules {
public:
  explicit Rules(Formulas &builder) : out(builder) {}

  Slope of(const Value &value, Id id, const std::vector<Slope> &slopes) {
    std::array<Expr, 3> x{{{&out, -1}, {&out, -1}, {&out, -1}}};
    std::array<Slope, 3> dx{};
    for (int n = 0; n < info(value.op).arity; ++n) {
      x[n].id = value.args[n];
      dx[n] = slopes[static_cast<std::size_t>(value.args[n])];
    }
    return rule(value, {&out, id}, x, dx);
  }

private:
  Formulas &out;
  struct NoRule {};
  static constexpr NoRule none{};

  static Slope taken(const Value &, Slope slope) { return slope; }
  static Slope taken(const Value &value, NoRule) {
    throw Error{
        fmt::format("{} has no derivative here: derivatives are of kernels before any pass, "
                    "and of first order",
                    info(value.op).spelling),
        value.loc};
  }

  Slope rule(const Value &value, const Expr &v, const std::array<Expr, 3> &x,
             const std::array<Slope, 3> &dx) {
    [[maybe_unused]] const auto &[a, b, c] = x;
    [[maybe_unused]] const auto &[da, db, dc] = dx;
    [[maybe_unused]] const int k = value.component;
    switch (value.op) {
#define FACET_OP(Enum, spelling, arity, rule, traits, flops, instructions, result, slope, ...)     \
  case Op::Enum:                                                                                   \
    return taken(value, slope);
#include "codegen/ir/ops.def"
    }
    return {};
  }
};

/// The only value of no name is called "s".
std::string called(const std::string &component) { return component.empty() ? "s" : component; }

/// What a value of a number or a vector that is no value yet stands for.
Id orZero(Formulas &b, Id id, Type like) {
  if (id >= 0)
    return id;
  const Id zero = b.number(0);
  return like == Type::Cplx ? b.op(Op::Complex, zero, zero) : zero;
}

/// What changes: the record and the parameters, or q.
enum class Along : std::uint8_t { Columns, Q };
constexpr const char *qChange = "d_q"; // the parameter that q changes by

/// Whether the term or finish chooses between values by q.
bool choosesByQ(const Kernel &kernel) {
  for (const Region *region : {&kernel.term, &kernel.finish})
    for (const Value &value : region->values) {
      const Value &by = value.op == Op::Select ? (*region)[value.args[0]] : value;
      const bool choice = value.op == Op::Select || value.op == Op::Min || value.op == Op::Max;
      if (choice && (by.domain & ~T) != 0)
        return true;
    }
  return false;
}

/// What names the tangent gives must be new.
template <class Item> void refuseTaken(const std::string &kind, const std::vector<Item> &all) {
  for (const Item &each : all)
    if (const std::string change = tangentName(each.name);
        std::ranges::count(all, change, &Item::name) > 0)
      throw Error{
          fmt::format("there are {0} '{1}' and '{2}', and in derivatives '{2}' is what '{1}' "
                      "changes by: name one of them otherwise",
                      kind, each.name, change),
          {}};
}

/// Makes a tangent of a kernel: sums of its term and of the term's slope, of which those are kept
/// that finish's slope reads.
class Tangent {
public:
  /// `some`: components of q, each by itself.
  Tangent(const Kernel &kernel, Along direction, const std::string &some = {})
      : source(kernel), along(direction), axes(some), components(componentsOf(kernel.term)),
        made(kernel) {}

  Kernel run() {
    const bool ofQ = along == Along::Q;
    made.name = ofQ ? "dq_" + source.name : tangentName(source.name);
    made.doc = fmt::format("What F of {} changes by{}", source.name,
                           !ofQ           ? ""
                           : axes.empty() ? fmt::format(" as q changes by {}", qChange)
                                          : fmt::format(" with q.{}", fmt::join(axes, ", q.")));
    declare();
    finish();
    term();
    if (ofQ)
      leaveOrigin();
    else
      differentiate(made.origin);
    if (!ofQ) {
      refuseTaken("columns", source.fields);
      refuseTaken("parameters", source.params);
    }
    refuseTaken("sums", components);
    annotate(made);
    for (Region *region : sourceRegions(made))
      prune(*region);
    cse(made, {});
    return std::move(made);
  }

private:
  const Kernel &source;
  Along along;
  std::string axes;
  std::size_t axis = 0; // of them, along which it goes
  std::vector<Component> components;
  Kernel made;
  std::vector<int>
      places; // of the sums of components, then of their slopes: which they are; -1: not read

  /// The sum of a component is counted from 0, also of the only one; those of slopes come after
  /// all.
  void finish() {
    for (Value &value : made.finish.values)
      if (value.op == Op::Sum)
        value.component = std::max(value.component, 0);
    differentiateAll(made.finish);
    prune(made.finish);
    places.assign((1 + directions()) * components.size(), -1);
    for (const Value &value : made.finish.values)
      if (value.op == Op::Sum)
        places[static_cast<std::size_t>(value.component)] = 0;
    if (std::ranges::count(places, 0) == 0) // a term there must be
      places[components.size()] = 0;
    int next = 0;
    for (int &place : places)
      place = place < 0 ? -1 : next++;
    for (Value &value : made.finish.values)
      if (value.op == Op::Sum)
        value.component = next == 1 ? -1 : places[static_cast<std::size_t>(value.component)];
  }

  void term() {
    std::vector<Output> all = made.term.outputs;
    differentiateAll(made.term);
    for (std::size_t k = 0; k < made.term.outputs.size(); ++k) {
      const Output &output = made.term.outputs[k];
      const std::string name = all[k % components.size()].name;
      all.push_back({axes.size() > 1
                         ? fmt::format("d{}_{}", axes[k / components.size()], called(name))
                         : tangentName(called(name)),
                     output.value});
    }
    std::vector<Output> &kept = made.term.outputs;
    kept.clear();
    for (std::size_t k = 0; k < all.size(); ++k)
      if (places[k] >= 0)
        kept.push_back({called(all[k].name), all[k].value});
    if (kept.size() == 1)
      kept.front().name.clear();
  }

  /// Columns and parameters that say what others change by.
  void declare() {
    if (along == Along::Q) {
      for (const Field *field : {axisField(source), pointField(source)})
        if (field != nullptr)
          throw Error{fmt::format("column '{}' of kernel '{}' has values for each q of a grid: "
                                  "what it changes by with q is "
                                  "not known",
                                  field->name, source.name),
                      {}};
      if (axes.empty())
        made.params.push_back({qChange, Type::Vec3, {0, 0, 0}});
      else if (axes.size() > 1 &&
               (source.finish.outputs.size() > 1 || !source.finish.outputs[0].name.empty()))
        throw Error{
            fmt::format("F of kernel '{}' has names: its derivatives are had by one axis at a time",
                        source.name),
            {}};
      return;
    }
    for (const Field &field : source.fields) {
      Field change{tangentName(field.name), field.type};
      change.axis = field.axis;
      change.power = field.power;
      if (field.type == Type::Vec3) // a place does not move with the particle: it changes
        change.role = field.role == Role::Fixed ? Role::Fixed : Role::Direction;
      made.fields.push_back(std::move(change));
    }
    for (const Param &param : source.params)
      made.params.push_back({tangentName(param.name), param.type,
                             std::vector<double>(slots(param).size()), param.matrix});
  }

  std::size_t directions() const { return std::max<std::size_t>(axes.size(), 1); }

  /// The outputs of a region become their slopes along each direction, one after the other.
  void differentiateAll(Region &region) {
    const std::vector<Output> all = region.outputs;
    std::vector<Output> slopes;
    for (axis = 0; axis < directions(); ++axis) {
      region.outputs = all;
      differentiate(region);
      for (Output &output : region.outputs) {
        if (axes.size() > 1 && &region == &made.finish)
          output.name = axes[axis];
        slopes.push_back(std::move(output));
      }
    }
    region.outputs = std::move(slopes);
    axis = 0;
  }

  /// The outputs of a region become their slopes; of real ones, reals.
  void differentiate(Region &region) {
    Formulas b(made, region);
    const std::vector<Id> slopes =
        slopesOf(made, region, [&](const Value &leaf) { return ofLeaf(b, leaf); });
    for (std::size_t k = 0; k < slopes.size(); ++k) {
      Id &value = region.outputs[k].value;
      value = orZero(b, slopes[k], region[value].type);
    }
  }

  Id ofLeaf(Formulas &b, const Value &leaf) const {
    switch (leaf.op) {
    case Op::Field:
      return along == Along::Columns ? b.field(tangentName(leaf.name)) : -1;
    case Op::Param:
      return along == Along::Columns ? b.param(tangentName(leaf.name)) : -1;
    case Op::Axis:
      return along == Along::Q && leaf.part != Part::Im ? changeOfQ(b, leaf.component) : -1;
    case Op::Sum:
      return b.sum(Part::Whole,
                   static_cast<int>((1 + axis) * components.size()) + std::max(leaf.component, 0));
    default:
      return -1;
    }
  }

  /// A component of the direction, which is real; -1: all of it.
  Id changeOfQ(Formulas &b, int component) const {
    if (!axes.empty() && component >= 0 && "xyz"[component] != axes[axis])
      return -1;
    const auto at = [&](int k) {
      return axes.empty() ? b.param(fmt::format("{}.{}", qChange, "xyz"[k]))
                          : b.number("xyz"[k] == axes[axis] ? 1 : 0);
    };
    if (component >= 0)
      return at(component);
    const Id x = at(0), y = at(1);
    return b.op(Op::Vec, x, y, at(2));
  }

  /// origin is F at q = 0 and says nothing of its neighbours. The slope there is that of the
  /// formulas, 0 / 0 where they divide by q.q. Where formulas choose by q it might be a guard's, a
  /// number of no meaning: then 0 / 0 is made.
  void leaveOrigin() {
    if (source.origin.empty())
      return;
    made.origin = {};
    if (!choosesByQ(source))
      return;
    Formulas b(made, made.finish);
    const Id size = b.op(Op::Norm2, b.axis(-1)), one = b.div(size, size);
    for (Output &output : made.finish.outputs)
      output.value = b.mul(one, output.value);
  }
};

/// What the outputs of a region are made of: the others, derivatives along another axis, may have
/// none.
std::vector<bool> readBy(const Region &region) {
  std::vector<bool> read(region.values.size());
  for (const Output &output : region.outputs)
    read[static_cast<std::size_t>(output.value)] = true;
  for (Id id = static_cast<Id>(read.size()); id-- > 0;)
    if (read[static_cast<std::size_t>(id)])
      for (const Id operand : region[id].operands())
        read[static_cast<std::size_t>(operand)] = true;
  return read;
}

} // namespace

std::string tangentName(const std::string &name) { return "d_" + name; }

std::vector<Id> slopesOf(const Kernel &kernel, Region &region, const LeafSlope &leaf) {
  const std::vector<bool> read = readBy(region);
  Formulas b(kernel, region);
  Rules rules(b);
  std::vector<Slope> slopes;
  const auto changes = [&](Id id) { return slopes[static_cast<std::size_t>(id)].id >= 0; };
  for (Id id = 0, count = static_cast<Id>(region.values.size()); id < count; ++id) {
    const Value value = region[id]; // the region grows
    b.loc = value.loc;
    if (!read[static_cast<std::size_t>(id)])
      slopes.emplace_back();
    else if (isLeaf(value.op))
      slopes.push_back({&b, leaf(value)});
    else
      slopes.push_back(std::ranges::any_of(value.operands(), changes) ? rules.of(value, id, slopes)
                                                                      : Slope{});
  }
  std::vector<Id> made;
  for (const Output &output : region.outputs)
    made.push_back(slopes[static_cast<std::size_t>(output.value)].id);
  return made;
}

Kernel tangentOf(const Kernel &kernel) {
  Kernel made = Tangent(kernel, Along::Columns).run();
  verify(made);
  return made;
}

Kernel qTangentOf(const Kernel &kernel) { return qSlopesOf(kernel, {}); }

Kernel qSlopesOf(const Kernel &kernel, const std::string &axes) {
  Kernel made = Tangent(kernel, Along::Q, axes).run();
  verify(made);
  return made;
}

} // namespace facet::passes
