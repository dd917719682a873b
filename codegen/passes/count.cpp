// count.cpp - what a kernel costs by domain: a triangle-q-point, tables, packing, finish.
//
//   1. A value's place is its domain. A row (x or y) with z and t, or a point with t, is the inner
//      loop. Without z it is a table of rows, without x and y one of columns, without t once a
//      tile.
//   2. FLOPs by the table of ops, a multiply-add being two. Adding the term to its sums counts one
//      for each part that is not 0. Functions of the record alone, which pack computes, count one.
//   3. Instructions: a product that only one sum uses is contracted into it (fma), at most one a
//      sum, the sums over records among them. A sign that a sum takes up costs nothing.
#include "rewrite.h"
#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace facet::passes {

using namespace ir;

namespace {

void add(Work &work, Op op) {
  work.flops += info(op).flops;
  work.instructions += info(op).instructions;
}

Work workOf(const Region &region) {
  Work work;
  for (const Value &value : region.values)
    add(work, value.op);
  return work;
}

class Counter {
public:
  explicit Counter(const Region &term) : term(term), uses(useCounts(term)) {}

  void run(Counts &counts) const {
    for (const Value &value : term.values)
      count(counts, value);
    for (const Output &output : term.outputs)
      if (!isNumber(term[output.value], 0)) {
        ++counts.inner.flops;
        ++counts.inner.instructions;
        addToSum(counts, output.value);
      }
    counts.inner.instructions -= counts.fused; // so far: products that sums take up
    for (const Value &value : term.values)
      counts.fused += value.op == Op::Fma && isInner(value);
    tables(counts);
  }

private:
  const Region &term;
  std::vector<int> uses;

  bool once(Id id) const { return uses[id] == 1; }
  /// A product that vanishes into the sum that uses it.
  bool absorbs(Id id, Place place = Place::Inner) const {
    const Value &value = term[id];
    return value.op == Op::Mul && placeOf(value.domain) == place && once(id);
  }
  int absorbed(const Value &sum, Place place) const {
    const bool isSum = sum.op == Op::Add || sum.op == Op::Sub;
    return isSum && (absorbs(sum.args[0], place) || absorbs(sum.args[1], place)) ? 1 : 0;
  }

  void count(Counts &counts, const Value &value) const {
    const Place place = placeOf(value.domain);
    switch (place) {
    case Place::Inner:
      add(counts.inner, value.op);
      counts.divisions += value.op == Op::Div || value.op == Op::Sqrt;
      counts.fused += absorbed(value, place);
      counts.special += value.op == Op::HardwareSin || value.op == Op::HardwareCos ||
                        value.op == Op::HardwareExp2;
      if (value.op == Op::Round && isUsedBy(Op::Scale2, value))
        ++counts.powers;
      else if (value.op == Op::Round && !isUsedBy(Op::Mul, value)) // erfc squares what it rounds
        ++counts.sincos;
      return;
    case Place::RowTable:
      counts.rows.instructions -= absorbed(value, place);
      return add(counts.rows, value.op);
    case Place::ZTable:
      counts.columns.instructions -= absorbed(value, place);
      return add(counts.columns, value.op);
    default: // a record's: as often as what uses it, a conversion at most
      return add(counts.axes, value.op);
    }
  }

  /// Whether the op takes a rounded value as its second operand: scale2 an exponent.
  bool isUsedBy(Op op, const Value &round) const {
    const Id id = static_cast<Id>(&round - term.values.data());
    return std::ranges::any_of(
        term.values, [&](const Value &value) { return value.op == op && value.args[1] == id; });
  }

  /// sum + (a b - c d + ..) is lowered as (sum + a b) - c d + .., so one more product is contracted
  /// there, and sum + -a as sum - a.
  void addToSum(Counts &counts, Id first) const {
    for (;;) {
      const Value &value = term[first];
      if ((value.op == Op::Add || value.op == Op::Sub) && once(first) && absorbs(value.args[1]))
        first = value.args[0];
      else if (value.op == Op::Neg && once(first)) {
        --counts.inner.instructions;
        first = value.args[0];
      } else
        break;
    }
    counts.fused += absorbs(first) ? 1 : 0;
  }

  /// What the inner loop reads of the others.
  void tables(Counts &counts) const {
    const Placement placement(term);
    counts.rowValues = static_cast<int>(placement.kept({Place::RowTable}).size());
    counts.columnValues = static_cast<int>(placement.kept({Place::ZTable}).size());
    std::set<std::string> fields;
    const auto read = [&](Id id) {
      if (term[id].op == Op::Packed)
        fields.insert(term[id].name);
    };
    for (const Value &value : term.values)
      if (const Place by = placeOf(value.domain); by == Place::Inner || by == Place::ZTable)
        std::ranges::for_each(value.operands(), read);
    for (const Output &output : term.outputs)
      read(output.value);
    counts.recordValues = static_cast<int>(fields.size());
  }
};

} // namespace

Counts count(const Kernel &kernel) {
  Counts counts;
  Counter(kernel.term).run(counts);
  counts.pack = workOf(kernel.pack);
  counts.totals = workOf(kernel.totals);
  counts.totals.flops += static_cast<int>(kernel.totals.outputs.size());
  counts.finish = workOf(kernel.finish);
  for (const Output &output : kernel.pack.outputs)
    ++(kernel.pack[output.value].type == Type::Wide ? counts.wideFields : counts.narrowFields);
  return counts;
}

std::string flopsText(const Counts &counts) {
  return fmt::format("{} nt + {}", counts.inner.flops, counts.finish.flops);
}

std::string print(const Counts &counts) {
  const auto some = [](int n, std::string_view one, std::string_view many) {
    return n == 0 ? std::string() : fmt::format(", {} {}", n, n == 1 ? one : many);
  };
  std::string text =
      fmt::format("FLOPs a q-point: {}\n"
                  "inner loop  {} FLOPs in {} instructions a triangle-q-point: {} fused "
                  "multiply-adds{}{}{}{}\n",
                  flopsText(counts), counts.inner.flops, counts.inner.instructions, counts.fused,
                  some(counts.sincos, "sine with its cosine", "sines with their cosines"),
                  some(counts.powers, "power of two", "powers of two"),
                  some(counts.divisions, "division", "divisions"),
                  some(counts.special, "function of the hardware", "functions of the hardware"));
  const auto table = [&](std::string_view name, const Work &work, std::string_view of, int values) {
    if (work.flops > 0 || values > 0)
      text += fmt::format("{:<11} {} FLOPs a {} and record, {} number{} kept\n", name, work.flops,
                          of, values, values == 1 ? "" : "s");
  };
  table("rows", counts.rows, "row (x, y)", counts.rowValues);
  table("columns", counts.columns, "z", counts.columnValues);
  text += fmt::format(
      "record      {} packed numbers a record, {} of them in double; {} FLOPs to pack "
      "it{}\n",
      counts.narrowFields + counts.wideFields, counts.wideFields, counts.pack.flops,
      counts.totals.flops > 0 ? fmt::format(", {} for its totals", counts.totals.flops) : "");
  return text + fmt::format("finish      {} FLOPs a q-point", counts.finish.flops);
}

} // namespace facet::passes
