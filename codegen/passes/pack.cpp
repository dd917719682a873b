// pack.cpp - values of the record alone become packed columns: what the kernel streams.
//
//   1. A column is wanted for each largest value of the record only, parameters included: one that
//      something mixed, or the yield, uses. (Tests cannot be stored; their operands are.)
//   2. Values that differ by a number share a column, in the form used most often, the first if
//      equal. The others become multiples of it; the number goes to a factor without the record
//      if there is one, so that it costs nothing in the loop.
//   3. Wide values make wide columns. Columns are named w0, w1, .. in the order of use.
#include "rewrite.h"
#include <algorithm>
#include <fmt/format.h>

namespace facet::passes {

using namespace ir;

namespace {

/// A value as number * core.
struct Multiple {
  double number = 1;
  Id core = -1;
  bool wide = false;
};

struct Column {
  std::vector<std::pair<Id, int>> forms; // values to store, with their uses
  Id stored = -1;
};

class Packer {
public:
  explicit Packer(Kernel &kernel) : kernel(kernel), term(kernel.term) {}

  void run() {
    findColumns();
    writePack();
    rewriteTerm();
  }

private:
  Kernel &kernel;
  Region &term;
  std::vector<Column> columns;
  std::map<Id, std::size_t> columnOf; // of values that become columns or multiples of one

  bool packable(Id id) const { return recordOnly(term[id]) && isReal(term[id].type); }

  Multiple multipleOf(Id id) const {
    Multiple m;
    for (m.core = id;;) {
      const Value &value = term[m.core];
      const auto &[first, second, unused] = value.args;
      if (value.op == Op::Neg)
        m.number = -m.number;
      else if (value.op == Op::Widen)
        m.wide = true;
      else if (value.op == Op::Mul && isNumber(term[first]) && term[first].number != 0)
        m.number *= term[first].number;
      else
        return m;
      m.core = value.op == Op::Mul ? second : first;
    }
  }

  void findColumns() {
    std::map<std::pair<Id, bool>, std::size_t> byCore;
    const auto want = [&](Id id) {
      if (!packable(id))
        return;
      const Multiple m = multipleOf(id);
      const auto [place, isNew] = byCore.try_emplace({m.core, m.wide}, columns.size());
      if (isNew)
        columns.emplace_back();
      columnOf[id] = place->second;
      auto &forms = columns[place->second].forms;
      const auto form = std::ranges::find_if(
          forms, [&](const auto &known) { return multipleOf(known.first).number == m.number; });
      if (form == forms.end())
        forms.emplace_back(id, 1);
      else
        ++form->second;
    };
    const std::vector<bool> outside = usedOutsidePack();
    for (Id id = 0; id < std::ssize(term.values); ++id)
      if (outside[id] && !packable(id))
        std::ranges::for_each(term[id].operands(), want);
    for (const Output &output : term.outputs)
      want(output.value);
  }

  /// Which values the term computes itself: not of the record alone, or a test that such a one
  /// needs.
  std::vector<bool> usedOutsidePack() const {
    std::vector<bool> outside(term.values.size());
    for (Id id = static_cast<Id>(term.values.size()); id-- > 0;) {
      outside[id] = outside[id] || !recordOnly(term[id]);
      if (outside[id] && !packable(id))
        for (const Id arg : term[id].operands())
          outside[arg] = true;
    }
    return outside;
  }

  void writePack() {
    kernel.pack = {};
    Builder b(kernel, kernel.pack);
    Copier copy(term, b);
    for (Column &column : columns) {
      column.stored = std::ranges::max_element(column.forms, {}, [](const auto &form) {
                        return form.second;
                      })->first;
      const std::string name = fmt::format("w{}", kernel.pack.outputs.size());
      kernel.pack.outputs.push_back({name, copy(column.stored)});
    }
  }

  void rewriteTerm() {
    Rewriter to(kernel, term);
    // The number by which a value's column is multiplied to give it, and the column.
    const auto ratio = [&](Id id) {
      return multipleOf(id).number / multipleOf(columns[columnOf.at(id)].stored).number;
    };
    const auto packed = [&](Id id) {
      const std::size_t column = columnOf.at(id);
      return to.b.packed(kernel.pack.outputs[column].name, term[columns[column].stored].type);
    };
    to.run([&](const Value &value, Id id) {
      if (columnOf.contains(id))
        return ratio(id) == 1 ? packed(id) : to.b.mul(to.b.number(ratio(id)), packed(id));
      if (value.op == Op::Mul)
        for (const int k : {0, 1})
          if (const Id arg = term[id].args[k]; columnOf.contains(arg) && ratio(arg) != 1)
            if (const Id other = value.args[1 - k]; !ofRecord(to.b[other]))
              return to.b.mul(to.b.mul(to.b.number(ratio(arg)), other), packed(arg));
      return to.b.copy(value);
    });
  }
};

} // namespace

void pack(Kernel &kernel, const Variant &) { Packer(kernel).run(); }

} // namespace facet::passes
