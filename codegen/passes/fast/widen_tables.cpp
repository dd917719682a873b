// widen_tables.cpp - separable, f32: tables are formed in double and rounded where they are read.
//
//   1. What the inner loop computes, and what has no t, stays in single precision.
//   2. A table (of t and some axes) is made of doubles, from the record's columns and the axes
//      as far as `narrow` where the inner loop reads it. (The pass math then takes sines and
//      exponentials of phases reduced in double in single precision.)
//   3. What the inner loop reads of the record alone is rounded when it is packed.
//   So phases carry no error of single precision: the error of a term does not grow with |q.r|.
#include "codegen/passes/support/rewrite.h"
#include "fast.h"
#include <map>

namespace facet::passes {

using namespace ir;

namespace {

class Tables {
public:
  Tables(const Region &old, Builder &builder) : old(old), b(builder) {}

  /// The value as the inner loop reads it.
  Id narrow(Id id) {
    if (const auto found = narrowed.find(id); found != narrowed.end())
      return found->second;
    const Value &value = at(old, id);
    b.loc = value.loc;
    Id made = -1;
    if (value.type != Type::Bool && ofRecord(value) && !recordOnly(value) && !isInner(value))
      made = b.op(Op::Narrow, wide(id));
    else
      made = same(value, false);
    return narrowed[id] = made;
  }

private:
  const Region &old;
  Builder &b;
  std::map<Id, Id> narrowed, widened;

  Id wide(Id id) {
    if (const auto found = widened.find(id); found != widened.end())
      return found->second;
    const Value &value = at(old, id);
    b.loc = value.loc;
    Id made = -1;
    if (isNumber(value))
      made = narrow(id);
    else if (value.type != Type::Bool && (recordOnly(value) || isLeaf(value.op)))
      made = b.op(Op::Widen, narrow(id));
    else
      made = same(value, true);
    return widened[id] = made;
  }

  Id same(Value value, bool inDouble) {
    for (int k = 0; k < info(value.op).arity; ++k) {
      Id &arg = value.args[static_cast<std::size_t>(k)];
      arg = inDouble ? wide(arg) : narrow(arg);
    }
    return b.copy(std::move(value));
  }
};

} // namespace

void widenTables(Kernel &kernel, const Variant &variant) {
  if (variant.klass == Class::F64)
    return;
  Region result;
  Builder builder(kernel, result);
  Tables tables(kernel.term, builder);
  for (const Output &output : kernel.term.outputs)
    result.outputs.push_back({output.name, tables.narrow(output.value)});
  kernel.term = std::move(result);
}

} // namespace facet::passes
