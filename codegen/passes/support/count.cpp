// count.cpp - real operations by domain: what a triangle-q-point costs, and what is outside the
// loop.
//
//   1. The axes that the yield depends on make the innermost domain: these and t. A value with t
//   and
//      fewer axes belongs to a table; one without t is computed outside the loop over records.
//   2. Flops by the table of ops. Adding the term to its sums counts: one flop a part that is not
//   0.
//   3. Instructions: a product that one sum alone uses is contracted into it (fma), at most one a
//      sum, the sums over records among them.
#include "codegen/passes/passes.h"
#include "rewrite.h"
#include <fmt/format.h>

namespace facet::passes {

using namespace ir;

namespace {

bool isZero(const Region &region, Id id) {
  return isNumber(at(region, id)) && at(region, id).number == 0;
}

/// Products that vanish into the sum that uses them.
int contracted(const Region &term, std::uint8_t inner) {
  const auto uses = useCounts(term);
  const auto absorbs = [&](Id id) {
    const Value &value = at(term, id);
    return value.op == Op::Mul && value.domain == inner && uses[static_cast<std::size_t>(id)] == 1;
  };
  int count = 0;
  for (const Value &value : term.values)
    if ((value.op == Op::Add || value.op == Op::Sub) && value.domain == inner)
      count += absorbs(value.args[0]) || absorbs(value.args[1]) ? 1 : 0;
  for (const Output &output : term.outputs) {
    // sum + (a b - c d + ..) is lowered as (sum + a b) - c d + .., so one more is contracted there.
    Id first = output.value;
    while ((at(term, first).op == Op::Add || at(term, first).op == Op::Sub) &&
           absorbs(at(term, first).args[1]))
      first = at(term, first).args[0];
    count += absorbs(first) ? 1 : 0;
  }
  return count;
}

} // namespace

Counts count(const Kernel &kernel) {
  Counts counts;
  std::uint8_t inner = T;
  for (const Output &output : kernel.term.outputs)
    inner |= at(kernel.term, output.value).domain;
  for (const Value &value : kernel.term.values) {
    const int flops = info(value.op).flops;
    if (value.domain == inner) {
      counts.innerFlops += flops;
      counts.innerOps += value.op == Op::Fma ? 1 : flops;
    } else if (ofRecord(value)) {
      counts.tableFlops += flops;
    }
  }
  for (const Output &output : kernel.term.outputs)
    if (!isZero(kernel.term, output.value)) {
      ++counts.innerFlops;
      ++counts.innerOps;
    }
  counts.innerOps -= contracted(kernel.term, inner);
  for (const Value &value : kernel.finish.values)
    counts.finishFlops += info(value.op).flops;
  for (const Output &output : kernel.pack.outputs)
    ++(at(kernel.pack, output.value).type == Type::Wide ? counts.wideFields : counts.narrowFields);
  return counts;
}

std::string print(const Counts &counts) {
  return fmt::format(
      "{} flops in {} operations a triangle-q-point, {} flops outside the innermost "
      "loop, {} flops a q-point to finish; {} packed numbers a record, {} of them in "
      "double",
      counts.innerFlops, counts.innerOps, counts.tableFlops, counts.finishFlops,
      counts.narrowFields + counts.wideFields, counts.wideFields);
}

} // namespace facet::passes
