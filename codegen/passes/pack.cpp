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
#include <map>

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
  std::string name;
};

class Packer {
public:
  explicit Packer(Kernel &kernel) : kernel(kernel), old(kernel.term) {}

  void run() {
    findColumns();
    writePack();
    rewriteTerm();
  }

private:
  Kernel &kernel;
  const Region old;
  std::vector<Column> columns;
  std::map<Id, std::size_t> columnOf; // of values that become columns or multiples of one

  bool packable(Id id) const {
    const Value &value = old[id];
    return recordOnly(value) && (value.type == Type::Real || value.type == Type::Wide);
  }

  Multiple multipleOf(Id id) const {
    Multiple m;
    for (m.core = id;;) {
      const Value &value = old[m.core];
      if (value.op == Op::Neg)
        m.number = -m.number;
      else if (value.op == Op::Widen)
        m.wide = true;
      else if (value.op == Op::Mul && isNumber(old[value.args[0]]) &&
               old[value.args[0]].number != 0)
        m.number *= old[value.args[0]].number;
      else
        return m;
      m.core = value.args[value.op == Op::Mul ? 1 : 0];
    }
  }

  void findColumns() {
    std::map<std::pair<Id, bool>, std::size_t> byCore;
    const auto want = [&](Id id) {
      const Multiple m = multipleOf(id);
      const auto [place, isNew] = byCore.try_emplace({m.core, m.wide}, columns.size());
      if (isNew)
        columns.emplace_back();
      columnOf[id] = place->second;
      auto &forms = columns[place->second].forms;
      const auto form = std::ranges::find_if(forms, [&](const auto &known) {
        return known.first == id || multipleOf(known.first).number == m.number;
      });
      if (form == forms.end())
        forms.emplace_back(id, 1);
      else
        ++form->second;
    };
    for (Id id = 0; id < std::ssize(old.values); ++id)
      for (const Id arg : old[id].operands())
        if (packable(arg) && !packable(id) && (!recordOnly(old[id]) || isUsedOutsidePack(id)))
          want(arg);
    for (const Output &output : old.outputs)
      if (packable(output.value))
        want(output.value);
  }

  /// Whether a test of the record only is needed in the term, not just by values that are packed.
  bool isUsedOutsidePack(Id id) const {
    for (Id user = 0; user < std::ssize(old.values); ++user)
      if (std::ranges::count(old[user].operands(), id) > 0 && !packable(user) &&
          (!recordOnly(old[user]) || isUsedOutsidePack(user)))
        return true;
    return false;
  }

  void writePack() {
    kernel.pack = {};
    Builder b(kernel, kernel.pack);
    Copier copy(old, b);
    for (std::size_t k = 0; k < columns.size(); ++k) {
      Column &column = columns[k];
      column.stored = std::ranges::max_element(column.forms, [](const auto &x, const auto &y) {
                        return x.second < y.second;
                      })->first;
      column.name = fmt::format("w{}", k);
      kernel.pack.outputs.push_back({column.name, copy(column.stored)});
    }
  }

  /// The number by which the column is multiplied to give `id`.
  double ratio(Id id) const {
    const Column &column = columns[columnOf.at(id)];
    return multipleOf(id).number / multipleOf(column.stored).number;
  }

  Id packed(Builder &b, Id id) const {
    const Column &column = columns[columnOf.at(id)];
    return b.packed(column.name, old[column.stored].type);
  }

  void rewriteTerm() {
    rebuildBy(kernel, kernel.term, [&](Builder &b) {
      return [&](const Value &value, Old at) {
        if (columnOf.contains(at.id)) {
          const double factor = ratio(at.id);
          return factor == 1 ? packed(b, at.id) : b.op(Op::Mul, b.number(factor), packed(b, at.id));
        }
        if (value.op == Op::Mul)
          for (const int k : {0, 1})
            if (const Id arg = old[at.id].args[k]; columnOf.contains(arg) && ratio(arg) != 1)
              if (const Id other = value.args[1 - k]; !ofRecord(b[other]))
                return b.op(Op::Mul, b.op(Op::Mul, b.number(ratio(arg)), other), packed(b, arg));
        return b.copy(value);
      };
    });
    prune(kernel.term);
  }
};

} // namespace

void pack(Kernel &kernel, const Variant &) { Packer(kernel).run(); }

} // namespace facet::passes
