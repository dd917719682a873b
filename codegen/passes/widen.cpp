// widen.cpp - the careful class: phases and exponents formed in double. Other classes: nothing.
//
//   1. For each sinpi, cospi, exp2, exp2m1 whose argument mixes record and axes, the argument is
//      built again in double from its leaves, through sums, products, signs and selects:
//      sinpi(a) becomes narrow(sinpi(widened a)), which math then reduces in double.
//      mean_cis asks for its differences of phases in double by `widen`: they are built so too.
//   2. What depends on the record only becomes `widen` of it: pack makes a column of doubles.
//      Values without the record are wide from the axes up: lowering reads axes as doubles there.
//   3. Where an argument holds a mixed value of another kind (a quotient, a function), double would
//      add nothing to its error in single precision: it stays as it is.
//   Error otherwise: single precision loses eps * |a|, 6e-5 of a radian at |a| = 1000.
#include "passes.h"
#include "support/rewrite.h"
#include <map>
#include <optional>

namespace facet::passes {

using namespace ir;

namespace {

class Widener {
public:
  explicit Widener(Builder &builder) : b(builder) {}

  /// The value in double, or nothing where single precision has entered it already.
  std::optional<Id> wide(Id id) {
    if (const auto found = done.find(id); found != done.end())
      return found->second;
    const auto made = make(id);
    done[id] = made;
    return made;
  }

private:
  Builder &b;
  std::map<Id, std::optional<Id>> done;

  std::optional<Id> make(Id id) {
    const Value value = b[id];
    if (value.op == Op::Number || value.type == Type::Wide)
      return id;
    if (recordOnly(value) || isLeaf(value.op))
      return b.op(Op::Widen, id);
    switch (value.op) {
    case Op::Narrow:
      return wide(value.args[0]);
    case Op::Neg:
    case Op::Add:
    case Op::Sub:
    case Op::Mul:
      return again(value, 0);
    case Op::Select:
      return again(value, 1);
    case Op::Div:
    case Op::Sqrt:
    case Op::Abs:
      if (!ofRecord(value))
        return again(value, 0);
      return {};
    default:
      if (!ofRecord(value))
        return b.op(Op::Widen, id);
      return {};
    }
  }

  /// The same op on wide operands, from operand `first` on.
  std::optional<Id> again(const Value &value, std::size_t first) {
    std::array<Id, 3> args = value.args;
    for (std::size_t k = first; k < static_cast<std::size_t>(info(value.op).arity); ++k) {
      const auto arg = wide(args[k]);
      if (!arg)
        return {};
      args[k] = *arg;
    }
    return b.op(value.op, args[0], args[1], args[2]);
  }
};

} // namespace

void widen(Kernel &kernel, const Variant &variant) {
  if (variant.klass != Class::F32Careful)
    return;
  std::optional<Widener> widener;
  rebuild(kernel, kernel.term, [&](Builder &b, const Value &value) {
    const bool reduced = value.op == Op::Sinpi || value.op == Op::Cospi || value.op == Op::Exp2 ||
                         value.op == Op::Exp2m1;
    if ((!reduced && value.op != Op::Widen) || !ofRecord(value) || recordOnly(value))
      return b.copy(value);
    if (!widener)
      widener.emplace(b);
    const auto phase = widener->wide(value.args[0]);
    if (phase && value.op == Op::Widen)
      return *phase;
    return phase ? b.op(Op::Narrow, b.op(value.op, *phase)) : b.copy(value);
  });
  prune(kernel.term);
}

} // namespace facet::passes
