// infix.cpp - values as people write them, for messages and for explain.
//
//   1. Binary operations by precedence, with the parentheses that are needed; others as calls.
//   2. What is too long for a line ends in " ...".
//   3. A refusal names a place: the expression of the source at that place is quoted, since the
//      passes have taken it apart.
#include "forms.h"
#include "rewrite.h"
#include <fmt/format.h>
#include <utility>

namespace facet::passes {

using namespace ir;

namespace {

enum Strength : std::uint8_t { Comparing, Adding, Multiplying, Signing, Calling };

struct InfixText {
  std::string text;
  Strength strength = Calling;
};

/// " + " of an operation that is written between two operands; empty for others.
std::string_view mark(Op op) {
  std::string_view form = info(op).language;
  if (!form.starts_with("{0} ") || !form.ends_with(" {1}") || op == Op::Complex)
    return {};
  return form.substr(3, form.size() - 6);
}

Strength strengthOf(std::string_view mark) {
  return mark == " + " || mark == " - "   ? Adding
         : mark == " * " || mark == " / " ? Multiplying
                                          : Comparing;
}

/// Writes no more than `room` characters of a value, and each value once, however often it is an
/// operand: what chained locals say in full grows exponentially.
class Writer {
public:
  Writer(const Region &region, std::size_t room) : region(region), room(room) {}

  const InfixText &write(Id id) {
    return remembered(done, id, [&] {
      InfixText out = written(region[id]);
      out.text = cut(std::move(out.text), room);
      return out;
    });
  }

private:
  const Region &region;
  std::size_t room;
  std::map<Id, InfixText> done;

  InfixText written(const Value &value) {
    if (isLeaf(value.op))
      return {leafText(value), isNumber(value) && value.number < 0 ? Signing : Calling};
    switch (value.op) {
    case Op::Neg:
      return {"-" + within(value.args[0], Signing), Signing};
    case Op::Not:
      return {"!" + within(value.args[0], Signing), Signing};
    case Op::Component:
      return {fmt::format("{}.{}", within(value.args[0], Calling), "xyz"[value.component])};
    case Op::Complex: // of a column with an axis, t.NAME.re and t.NAME.im
      if (const Value &re = region[value.args[0]], &im = region[value.args[1]];
          re.op == Op::Field && re.name.ends_with(".re") && im.op == Op::Field &&
          im.name == re.name.substr(0, re.name.size() - 2) + "im")
        return {"t." + re.name.substr(0, re.name.size() - 3)};
      return called(value);
    default:
      return mark(value.op).empty() ? called(value) : joined(value, mark(value.op));
    }
  }

  /// What a kernel file calls: mean_cis, of mean_edge.
  static std::string_view nameOf(Op op) {
    const std::string_view form = info(op).language, name = form.substr(0, form.find('('));
    return op == Op::Vec                                 ? "vec3"
           : name.empty() || name.find('{') != name.npos ? info(op).spelling
                                                         : name;
  }

  InfixText called(const Value &value) {
    std::string text{nameOf(value.op)};
    text += value.op == Op::Vec ? '{' : '(';
    for (const Id &id : value.operands())
      text += (&id == value.args.data() ? "" : ", ") + within(id, Comparing);
    return {text + (value.op == Op::Vec ? '}' : ')')};
  }

  std::string within(Id id, Strength least) {
    const InfixText &out = write(id);
    return out.strength < least ? "(" + out.text + ")" : out.text;
  }

  InfixText joined(const Value &value, std::string_view mark) {
    // The right side of - and / binds tighter: a - (b + c).
    const Strength strength = strengthOf(mark);
    const bool strict = value.op == Op::Sub || value.op == Op::Div || strength == Comparing;
    const auto right = static_cast<Strength>(strength + (strict ? 1 : 0));
    const std::string left = within(value.args[0], strength);
    return {left + std::string{mark} + within(value.args[1], right), strength};
  }
};

} // namespace

std::string cut(std::string text, std::size_t room) {
  if (text.size() > room)
    text.replace(room - 4, std::string::npos, " ...");
  return text;
}

std::string infix(const Region &region, Id id, std::size_t room) {
  return Writer(region, room).write(id).text;
}

std::string infixFactor(const Region &region, Id id) {
  const InfixText out = Writer(region, expressionRoom).write(id);
  return out.strength < Multiplying ? "(" + out.text + ")" : out.text;
}

void refuse(const Region &region, Id id, const std::string &why) {
  throw Refusal{{infix(region, id) + why, region[id].loc}, region[id].op, why};
}

namespace {

/// The last value of the source's term at this place that is no leaf, or the last one of this op;
/// -1: none.
Id placed(const Kernel &source, Loc loc, Op op) {
  Id found = -1;
  const Region &term = source.term;
  for (Id id = 0; id < std::ssize(term.values); ++id) {
    const auto &[line, column] = term[id].loc;
    if (line != 0 && line == loc.line && column == loc.column && !isLeaf(term[id].op) &&
        (found < 0 || term[found].op != op))
      found = id;
  }
  return found;
}

} // namespace

std::vector<std::string> scalarNames(const Kernel &kernel, const Kernel &source) {
  std::vector<std::string> names;
  for (const Output &output : kernel.scalars.outputs) {
    const Value &value = kernel.scalars[output.value];
    const Id found = isLeaf(value.op) ? -1 : placed(source, value.loc, value.op);
    const bool whole = found >= 0 && (source.term[found].domain & T) == 0;
    names.push_back(whole ? infix(source.term, found) : infix(kernel.scalars, output.value));
  }
  return names;
}

std::string reasonText(const Refusal &refusal, const Kernel &source) {
  const Id found = placed(source, refusal.loc, refusal.op);
  return found < 0 ? refusal.message : infix(source.term, found) + refusal.why;
}

} // namespace facet::passes
