// matching.cpp - places of instructions: which values of the IR the inner loop computes.
//
//   Assembly names no values, so they are told by their numbers. The IR is evaluated at random
//   inputs, the loop is carried out on the same ones, and an instruction computes the value that
//   has its number, up to the sign, at all of them.
//   1. The loop reads broadcasts of row tables, which lie in the order in which they are made.
//      Columns of the record are told by their distance from its beginning. Separable sums read
//      whole vectors of column tables. Registers that are never written hold values of an axis.
//   2. Where more than one order is possible all are tried. The one counts with which most sums
//      become what the IR yields. If none does, nothing is exact.
//   3. What is left, as loads and halves of a rounding, has the place of the nearest value that it
//      feeds; if nothing was told, that of the term.
#include "assembly.h"
#include "codegen/ir/evaluate.h"
#include "lanes.h"
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <set>

namespace facet::explore {
namespace {

using ir::Id;
using ir::Place;

using Numbers = std::array<double, trials>;

constexpr int mostOrders = 1000; // tried

/// The values of the IR's term at random inputs, for each row of the tile.
class TermValues {
public:
  TermValues(const lower::SumKernel &sum, int rows) : term(sum.kernel.term) {
    std::mt19937_64 random(1);
    for (int row = 0; row < rows; ++row) {
      auto &own = values.emplace_back(term.values.size());
      for (std::size_t trial = 0; trial < trials; ++trial)
        evaluate(own, trial, row, random);
    }
  }
  const Numbers &at(int row, Id id) const {
    return values[static_cast<std::size_t>(row)][static_cast<std::size_t>(id)];
  }
  int rows() const { return static_cast<int>(values.size()); }
  /// The number of a packed column.
  const Numbers &column(const std::string &name) { return leaves[name]; }

private:
  const ir::Region &term;
  std::vector<std::vector<Numbers>> values;
  std::map<std::string, Numbers> leaves;

  /// The same leaf has the same number in all rows, but for x and y.
  const Numbers &leaf(const ir::Value &value, int row, std::mt19937_64 &random) {
    std::string name = value.op == ir::Op::Packed ? value.name : ir::leafText(value);
    if (ir::hasRow(value.domain))
      name += ' ' + std::to_string(row);
    auto &made = leaves[name];
    if (made == Numbers{})
      for (double &one : made)
        one = static_cast<float>(std::uniform_real_distribution(0.3, 2.9)(random));
    return made;
  }

  void evaluate(std::vector<Numbers> &own, std::size_t trial, int row, std::mt19937_64 &random) {
    for (std::size_t id = 0; id < own.size(); ++id) {
      const ir::Value &value = term.values[id];
      std::array<double, 3> in{};
      for (std::size_t k = 0; k < value.operands().size(); ++k)
        in[k] = own[static_cast<std::size_t>(value.args[k])][trial];
      if (value.op == ir::Op::Number)
        own[id][trial] = value.number;
      else if (ir::isLeaf(value.op))
        own[id][trial] = leaf(value, row, random)[trial];
      else
        own[id][trial] = result(value.op, in);
    }
  }

  /// Tests give 0 or 1, and choices take them.
  static double result(ir::Op op, const std::array<double, 3> &in) {
    switch (op) {
    case ir::Op::Select:
      return in[0] != 0 ? in[1] : in[2];
    case ir::Op::And:
      return in[0] * in[1];
    case ir::Op::Or:
      return std::max(in[0], in[1]);
    case ir::Op::Not:
      return 1 - in[0];
    case ir::Op::Widen:
    case ir::Op::Narrow:
      return in[0];
    default:
      return ir::evaluate(op, in[0], in[1], in[2])
          .value_or(std::numeric_limits<double>::quiet_NaN());
    }
  }
};

/// Whether two numbers are the same to rounding, up to the sign, at all trials.
bool isSame(const Numbers &a, const Numbers &b, double tolerance) {
  for (std::size_t k = 0; k < trials; ++k)
    if (!(std::abs(std::abs(a[k]) - std::abs(b[k])) <= tolerance * std::abs(a[k])) || a[k] == 0)
      return false;
  return true;
}

Numbers numbersOf(const Lane &lane, bool isDouble) {
  Numbers made{};
  for (std::size_t k = 0; k < trials; ++k)
    made[k] = lane.value(k, isDouble);
  return made;
}

/// A number that an order or an assignment may take, from 0 up.
using Choice = std::vector<int>;

/// Orders of so many things: as they are, backwards, and all others of up to four.
std::vector<Choice> ordersOf(int count) {
  Choice order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  std::vector<Choice> all{order};
  if (count > 4)
    all.emplace_back(order.rbegin(), order.rend());
  else
    while (std::ranges::next_permutation(order).found)
      all.push_back(order);
  return all;
}

/// What the loop reads and does not make, by how it is told.
struct Sources {
  std::vector<Memory> rows[2];              // row tables: floats, doubles
  std::vector<std::vector<Memory>> columns; // of separable sums: a table each
  std::map<Memory, bool> record;            // columns of the record; whether they are doubles
  std::vector<Operand> axes;                // registers and slots that are not written
  std::vector<Operand> sums;                // those that are: they begin as 0
};

class Matcher {
public:
  Matcher(const Assembly &assembly, std::vector<Instruction> &loop, const lower::SumKernel &sum)
      : loop(loop), sum(sum), term(sum.kernel.term), placement(term),
        isDouble(sum.variant.klass == passes::Class::F64),
        separable(sum.variant.algorithm == passes::Algorithm::Separable),
        values(sum, sum.variant.grid == ir::GridKind::Points ? 1 : sum.knobs.tileY) {
    readConstants(assembly);
    prepare(assembly);
    for (const Instruction &one : loop)
      code.push_back(operationOf(one.text));
    findSources();
  }

  void run() {
    listChoices();
    if (tell())
      for (std::size_t k = 0; k < code.size(); ++k)
        setPlace(static_cast<int>(k));
    spread();
  }

private:
  std::vector<Instruction> &loop;
  const lower::SumKernel &sum;
  const ir::Region &term;
  ir::Placement placement;
  bool isDouble, separable;
  TermValues values;
  Lanes before; // the loop
  std::vector<Operation> code;
  Sources sources;
  std::vector<std::vector<Choice>>
      choices;                // row tables of floats, of doubles, column tables, record, axes
  std::vector<Id> axisValues; // that a register may hold
  std::vector<Lane> made;     // by each instruction, in the order that fits best
  std::vector<std::vector<int>> read; // the instructions that made what each reads

  std::vector<Id> keptOf(Place place, bool wide) const {
    std::vector<Id> ids = placement.kept({place});
    std::erase_if(ids, [&](Id id) { return !isDouble && ir::isWide(term[id].type) != wide; });
    return isDouble && !wide ? std::vector<Id>{} : ids;
  }

  /// Labels of the file with the number behind each.
  void readConstants(const Assembly &assembly) {
    const auto number = [&](std::size_t line) -> std::pair<std::uint64_t, int> {
      if (line >= assembly.lines.size())
        return {0, 0};
      const std::string &text = assembly.lines[line];
      const bool wide = text.starts_with(".quad ");
      if (!wide && !text.starts_with(".long "))
        return {0, 0};
      return {std::strtoull(text.c_str() + 6, nullptr, 0), wide ? 8 : 4};
    };
    for (std::size_t k = 0; k < assembly.lines.size(); ++k) {
      const std::string &line = assembly.lines[k];
      if (!line.starts_with(".L") || line.find(':') == std::string::npos)
        continue;
      auto [bits, bytes] = number(k + 1);
      if (bytes == 4)
        bits |= number(k + 2).first << 32;
      if (bytes > 0) {
        Lane &lane = before.memory[{.label = line.substr(0, line.find(':'))}];
        lane.known = true;
        lane.bits.fill(bits);
      }
    }
  }

  /// What is in registers before the loop: its constants, and what is not known.
  void prepare(const Assembly &assembly) {
    std::vector<int> ignored;
    for (std::size_t k = 0; k < assembly.begin; ++k)
      if (const std::string &line = assembly.lines[k];
          !line.empty() && line[0] != '.' && line[0] != '#' && line.find(':') == std::string::npos)
        if (const Operation one = operationOf(line); one.isVector())
          before.run(one, -1, ignored);
  }

  /// A register or a slot as a key.
  static std::string keyOf(const Operand &operand) {
    if (operand.kind == Operand::Vector)
      return "v" + std::to_string(operand.number);
    return operand.kind == Operand::InMemory && operand.memory.isSlot()
               ? "s" + std::to_string(operand.memory.displacement)
               : "";
  }

  void findSources() {
    std::set<std::string> written;
    std::map<std::string, Operand> first; // read before they are written
    std::set<Memory> rows[2];
    std::map<std::pair<std::string, std::string>, std::set<Memory>> vectors;
    for (const Operation &one : code) {
      if (!one.isVector())
        continue;
      for (const Operand &operand : one.operands) {
        const bool isTarget = &operand == &one.operands.back();
        const bool reads = !isTarget || one.isMultiplyAdd() || (one.mask >= 0 && !one.zero);
        const std::string key = keyOf(operand);
        if (!key.empty() && reads && !written.contains(key))
          first.emplace(key, operand);
        if (operand.kind != Operand::InMemory || !key.empty() || !operand.memory.label.empty())
          continue;
        const bool stack = operand.memory.base == "rsp" || operand.memory.base == "rbp";
        if (one.broadcast && (stack || separable))
          rows[one.isDouble].insert(operand.memory);
        else if (one.broadcast || one.name == "mov")
          sources.record[operand.memory] = one.isDouble;
        else
          vectors[{operand.memory.base, operand.memory.index}].insert(operand.memory);
      }
      if (const std::string key = keyOf(one.operands.back()); !key.empty())
        written.insert(key);
    }
    for (const int wide : {0, 1})
      sources.rows[wide].assign(rows[wide].begin(), rows[wide].end());
    for (const auto &[base, all] : vectors)
      sources.columns.emplace_back(all.begin(), all.end());
    for (const auto &[key, operand] : first)
      sortFirst(operand, written.contains(key));
  }

  /// What the loop finds: a sum, a constant, or a value of an axis.
  void sortFirst(const Operand &operand, bool written) {
    if (written)
      return sources.sums.push_back(operand);
    const auto known = [&](const auto &map, const auto &key) {
      const auto found = map.find(key);
      return found != map.end() && found->second.known;
    };
    if (operand.kind == Operand::Vector ? !known(before.vectors, operand.number)
                                        : !known(before.memory, operand.memory))
      sources.axes.push_back(operand);
  }

  void listChoices() {
    for (const bool wide : {false, true})
      choices.push_back(ordersOf(static_cast<int>(keptOf(Place::RowTable, wide).size())));
    choices.push_back(ordersOf(static_cast<int>(sources.columns.size())));
    Choice shifts(8);
    std::iota(shifts.begin(), shifts.end(), 0);
    choices.emplace_back();
    for (const int shift : sources.record.empty() ? Choice{0} : shifts)
      choices.back().push_back({shift});
    for (Id id = 0; id < std::ssize(term.values); ++id) {
      const Place place = placement[id];
      const bool axis = place == Place::ZAxis || place == Place::Axes || place == Place::RowAxis;
      if (axis && (ir::isLeaf(term[id].op) || place != Place::RowAxis) && isReadLater(id))
        axisValues.push_back(id);
    }
    Choice options(axisValues.size());
    std::iota(options.begin(), options.end(), 0);
    for (std::size_t k = 0; k < sources.axes.size(); ++k) {
      choices.emplace_back();
      for (const int option : options)
        choices.back().push_back({option});
    }
  }

  /// Whether the loop reads it as it is: a value of the record and all q, or of z, has it.
  bool isReadLater(Id id) const {
    for (Id user = 0; user < std::ssize(term.values); ++user)
      if (const Place place = placement[user]; place == Place::Inner || place == Place::ZTable)
        if (std::ranges::count(term[user].operands(), id) > 0)
          return true;
    return false;
  }

  /// Puts the numbers of a table's value into the places from which the loop reads it.
  void fillRows(Lanes &lanes, const Choice &order, bool wide) const {
    const std::vector<Memory> &places = sources.rows[wide || isDouble];
    const std::vector<Id> ids = keptOf(Place::RowTable, wide);
    const int rows = values.rows();
    if (places.size() != ids.size() * static_cast<std::size_t>(rows))
      return;
    for (std::size_t k = 0; k < places.size(); ++k) {
      const int table = static_cast<int>(k) / rows, row = static_cast<int>(k) % rows;
      const Id id = ids[static_cast<std::size_t>(order[static_cast<std::size_t>(table)])];
      lanes.memory[places[k]] = laneOf(values.at(row, id), wide || isDouble);
    }
  }

  void fillColumns(Lanes &lanes, const Choice &order) const {
    std::vector<Id> ids = placement.kept({Place::ZTable});
    for (std::size_t k = 0; k < sources.columns.size(); ++k)
      if (static_cast<std::size_t>(order[k]) < ids.size())
        for (const Memory &place : sources.columns[k])
          lanes.memory[place] =
              laneOf(values.at(0, ids[static_cast<std::size_t>(order[k])]), isDouble);
  }

  void fillRecord(Lanes &lanes, int shift) {
    const std::vector<std::string> narrow = lower::packedColumns(sum.kernel, false),
                                   wide = lower::packedColumns(sum.kernel, true);
    for (const auto &[place, isWide] : sources.record) {
      const std::vector<std::string> &names = isWide && !isDouble ? wide : narrow;
      const std::int64_t column = place.displacement / (isWide ? 8 : 4) + shift;
      if (column >= 0 && column < std::ssize(names))
        lanes.memory[place] =
            laneOf(values.column(names[static_cast<std::size_t>(column)]), isWide);
    }
  }

  /// The lanes before the loop, by an order of each choice.
  Lanes begin(const std::vector<std::size_t> &at) {
    Lanes lanes = before;
    const auto chosen = [&](std::size_t k) -> const Choice & { return choices[k][at[k]]; };
    fillRows(lanes, chosen(0), false);
    fillRows(lanes, chosen(1), true);
    fillColumns(lanes, chosen(2));
    fillRecord(lanes, chosen(3)[0]);
    const auto set = [&](const Operand &operand, const Lane &lane) {
      (operand.kind == Operand::Vector ? lanes.vectors[operand.number]
                                       : lanes.memory[operand.memory]) = lane;
    };
    for (std::size_t k = 0; k < sources.axes.size(); ++k) {
      const Id id = axisValues[static_cast<std::size_t>(chosen(4 + k)[0])];
      set(sources.axes[k], laneOf(values.at(0, id), isDouble || ir::isWide(term[id].type)));
    }
    Lane zero;
    zero.known = true;
    for (const Operand &operand : sources.sums)
      set(operand, zero);
    return lanes;
  }

  /// How many sums are, after a round, what the IR yields.
  int scoreOf(Lanes &lanes) const {
    int score = 0;
    for (const Operand &operand : sources.sums) {
      const Lane &lane = operand.kind == Operand::Vector ? lanes.vectors[operand.number]
                                                         : lanes.memory[operand.memory];
      score += lane.known && yields(numbersOf(lane, isDouble));
    }
    return score;
  }

  bool yields(const Numbers &numbers) const {
    for (const ir::Output &output : term.outputs)
      for (int row = 0; row < values.rows(); ++row)
        if (isSame(values.at(row, output.value), numbers, tolerance()))
          return true;
    return false;
  }

  double tolerance() const { return isDouble ? 1e-9 : 2e-4; }

  /// Carries the loop out in each order, and keeps what the best one makes. False: no sum fits.
  bool tell() {
    if (choices.size() > 4 && axisValues.empty())
      return false;
    std::vector<std::size_t> at(choices.size());
    int best = 0;
    for (int tried = 0; tried < mostOrders; ++tried) {
      Lanes lanes = begin(at);
      std::vector<Lane> results;
      std::vector<std::vector<int>> reads(code.size());
      for (std::size_t k = 0; k < code.size(); ++k)
        results.push_back(code[k].isVector() ? lanes.run(code[k], static_cast<int>(k), reads[k])
                                             : Lane{});
      const int score = scoreOf(lanes);
      if (score > best || tried == 0)
        read = std::move(reads);
      if (score > best) {
        best = score;
        made = std::move(results);
      }
      if (best == std::ssize(sources.sums) || !next(at))
        break;
    }
    return best > 0;
  }

  /// The next of all orders; false: there is none.
  bool next(std::vector<std::size_t> &at) const {
    for (std::size_t k = 0; k < at.size(); ++k) {
      if (++at[k] < choices[k].size())
        return true;
      at[k] = 0;
    }
    return false;
  }

  /// A value of the IR with these numbers; -1: none. One that is computed goes before a leaf.
  Id valueWith(const Numbers &numbers) const {
    for (Id id = 0; id < std::ssize(term.values); ++id) {
      if (ir::isLeaf(term[id].op) || ir::isBool(term[id].type))
        continue;
      const int rows = ir::hasRow(term[id].domain) ? values.rows() : 1;
      for (int row = 0; row < rows; ++row)
        if (isSame(values.at(row, id), numbers, tolerance()))
          return id;
    }
    return -1;
  }

  void setPlace(int number) {
    const auto k = static_cast<std::size_t>(number);
    if (!made[k].known)
      return;
    const bool narrowed = code[k].name == "cvtpd2ps";
    Id id = valueWith(numbersOf(made[k], (isDouble || code[k].isDouble) && !narrowed));
    if (id < 0 && !isDouble) // copies do not say what they copy
      id = valueWith(numbersOf(made[k], true));
    if (id < 0)
      return;
    loop[k].loc = term[id].loc;
    const std::string_view kind = loop[k].kind;
    loop[k].exact = kind != "load" && kind != "store" && kind != "spill" && kind != "move";
  }

  /// Gives what has no place that of the first that reads it and has one.
  void spread() {
    for (std::size_t k = read.size(); k-- > 0;)
      for (const int from : read[k])
        if (ir::Loc &loc = loop[static_cast<std::size_t>(from)].loc; loc.line == 0)
          loc = loop[k].loc;
    const ir::Loc whole = term.outputs.empty() ? ir::Loc{} : term[term.outputs[0].value].loc;
    for (std::size_t k = 0; k < code.size(); ++k)
      if (loop[k].loc.line == 0 && code[k].isVector())
        loop[k].loc = whole;
  }
};

} // namespace

void findPlaces(const Assembly &assembly, std::vector<Instruction> &loop,
                const lower::SumKernel &sum) {
  if (lower::targetOf(sum.target).architecture == "x86_64")
    Matcher(assembly, loop, sum).run();
}

} // namespace facet::explore
