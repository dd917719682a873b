// roles.cpp - roles of a record's vectors, from the phases that the term takes waves of.
//
// A phase is taken apart as a sum of c dot(q, column). What stands there with coefficients of one
// sign that add up to 1 is the point of the wave. Waves may be multiplied (cis(q.r) sin(q.h)): of
// several candidates those are points that turn the term by a phase when they are moved.
#include "roles.h"
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace facet::ir {
namespace {

struct Named {
  Role role;
  std::string_view name;
  Posed posed;
};
constexpr Named builtIn[] = {
#define FACET_TRIANGLE(name, is_vector, power, moves, doc)                                         \
  {Role::Unset, #name, {is_vector != 0, moves != 0, true, power}},
#include "dsl/facet/triangle.def"
};
constexpr Named roles[] = {
#define FACET_ROLE(Enum, name, turns, power, moves, doc)                                           \
  {Role::Enum, #name, {turns != 0, moves != 0, true, power}},
#include "dsl/facet/roles.def"
};

const Named *findBuiltIn(const Kernel &kernel, std::string_view name) {
  const auto *found = std::ranges::find(builtIn, name, &Named::name);
  return kernel.triangle && found != std::end(builtIn) ? found : nullptr;
}

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

/// One phase: the coefficient of each vector that q is multiplied with, and numbers that components
/// of q are.
struct Phase {
  std::map<std::string, double, std::less<>> points;
  std::vector<std::string> numbers;
};

class Phases {
public:
  explicit Phases(const Region &term) : values_(term.values) {
    for (const Value &value : values_)
      if (value.op == Op::Cis || value.op == Op::Cism1 || value.op == Op::MeanCis ||
          value.op == Op::MeanCism1 || value.op == Op::Exp)
        for (const Id argument : value.operands()) {
          all.emplace_back();
          turns_ = value.op != Op::Exp; // e^u turns only if u has a factor i
          scalar(argument, 1);
          if (!turns_)
            all.pop_back();
        }
    // Phases of one column come first: its role decides those of columns beside it elsewhere.
    std::ranges::stable_sort(
        all, [](const Phase &a, const Phase &b) { return a.points.size() < b.points.size(); });
  }
  std::vector<Phase> all;

private:
  const std::vector<Value> &values_;
  bool turns_ = false;

  const Value &at(Id id) const { return values_[id]; }
  bool ofRecord(Id id) const { return (at(id).domain & T) != 0; }
  bool ofQ(Id id) const { return (at(id).domain & ~T) != 0; }
  void add(const std::string &column, double factor) { all.back().points[column] += factor; }

  /// What `factor` becomes times the value `by`, or over it.
  double times(double factor, Id by, bool over = false) {
    turns_ = turns_ || at(by).op == Op::Unit;
    if (at(by).op != Op::Number)
      return at(by).op == Op::Unit ? factor : unknown;
    return over ? factor / at(by).number : factor * at(by).number;
  }

  void scalar(Id id, double factor) {
    if (!ofRecord(id) || !ofQ(id))
      return;
    const Value &v = at(id);
    switch (v.op) {
    case Op::Add:
    case Op::Sub:
      scalar(v.args[0], factor);
      scalar(v.args[1], v.op == Op::Sub ? -factor : factor);
      return;
    case Op::Neg:
      return scalar(v.args[0], -factor);
    case Op::Re:
    case Op::Conj:
    case Op::Component:
      return scalar(v.args[0], factor);
    case Op::Select:
      scalar(v.args[1], factor);
      return scalar(v.args[2], factor);
    case Op::Div:
      return scalar(v.args[0], times(factor, v.args[1], true));
    case Op::Mul:
      return product(v.args[0], v.args[1], factor);
    case Op::Dot:
      if (!ofRecord(v.args[0]))
        return vector(v.args[1], factor);
      return vector(v.args[0], ofRecord(v.args[1]) ? unknown : factor);
    default:
      return;
    }
  }

  /// q.x * t.place.x, a number times a phase, or what is no linear phase.
  void product(Id a, Id b, double factor) {
    if (!ofRecord(a))
      std::swap(a, b);
    if (ofRecord(b)) { // both: each may hold a phase that the other stretches
      scalar(a, unknown);
      scalar(b, unknown);
    } else if (ofQ(a)) {
      scalar(a, times(factor, b));
    } else if (isAxis(b)) {
      coordinate(a, factor);
    }
  }
  bool isAxis(Id id) const {
    const Value &v = at(id);
    return (v.op == Op::Axis && v.component >= 0) ||
           (v.op == Op::Component && at(v.args[0]).op == Op::Axis);
  }
  void coordinate(Id id, double factor) {
    const Value &v = at(id);
    if (v.op == Op::Field && v.component >= 0)
      add(v.name, factor / 3);
    else if (v.op == Op::Field)
      all.back().numbers.push_back(v.name);
    else if (v.op == Op::Component && at(v.args[0]).op == Op::Field)
      add(at(v.args[0]).name, factor / 3); // its x, y and z are three of them
    else if (v.op == Op::Add || v.op == Op::Sub)
      coordinate(v.args[0], factor), coordinate(v.args[1], v.op == Op::Sub ? -factor : factor);
    else if (v.op == Op::Neg)
      coordinate(v.args[0], -factor);
    else if (v.op == Op::Mul)
      for (const int k : {0, 1})
        if (ofRecord(v.args[k]))
          coordinate(v.args[k], times(factor, v.args[1 - k]));
  }

  void vector(Id id, double factor) {
    if (!ofRecord(id))
      return;
    const Value &v = at(id);
    switch (v.op) {
    case Op::Field:
      return add(v.name, factor);
    case Op::Add:
    case Op::Sub:
      vector(v.args[0], factor);
      return vector(v.args[1], v.op == Op::Sub ? -factor : factor);
    case Op::Neg:
    case Op::Conj:
      return vector(v.args[0], v.op == Op::Neg ? -factor : factor);
    case Op::Select:
      vector(v.args[1], factor);
      return vector(v.args[2], factor);
    case Op::Div:
      return vector(v.args[0], times(factor, v.args[1], true));
    case Op::Mul:
      for (const int k : {0, 1})
        if (at(v.args[k]).type >= Type::Vec3)
          vector(v.args[k], times(factor, v.args[1 - k]));
      return;
    case Op::Vec:
      for (const Id part : v.args)
        coordinate(part, factor);
      return;
    default:
      return;
    }
  }
};

Field *find(Kernel &kernel, std::string_view name) {
  const auto found = std::ranges::find(kernel.fields, name, &Field::name);
  return found == kernel.fields.end() ? nullptr : &*found;
}

/// Roles of the vectors of one phase that have none yet.
void fromPhase(Kernel &kernel, const Phase &phase, std::map<std::string, Role> &found) {
  double known = 0, sum = 0, size = 0;
  std::vector<std::string> open;
  for (const auto &[name, factor] : phase.points) {
    const Field &field = *find(kernel, name);
    const auto before = found.find(name);
    if (before != found.end()) {
      known += before->second == Role::Position ? factor : 0;
    } else if (field.role != Role::Unset || findBuiltIn(kernel, name) != nullptr) {
      known += posed(kernel, field).moves ? factor : 0;
    } else {
      open.push_back(name);
      sum += factor;
      size += std::abs(factor);
    }
  }
  constexpr double same = 1e-9;
  const bool point = std::abs(std::abs(sum) - 1) < same && std::abs(size - 1) < same;
  const bool offset = known != 0 && std::isfinite(sum);
  const Role role = offset ? Role::Offset : point ? Role::Position : Role::Unclear;
  for (const std::string &name : open)
    found[name] = role;
}

/// The candidates that turn the term by a phase when they move are points, the others offsets.
/// A single candidate is a point even if moving it changes the term in other ways too.
void choose(Kernel &kernel, const std::vector<std::string> &candidates) {
  constexpr std::size_t most = 6;
  const std::size_t n = candidates.size();
  const auto give = [&](std::size_t points, Role others) {
    for (std::size_t k = 0; k < n; ++k)
      find(kernel, candidates[k])->role = (points >> k & 1) != 0 ? Role::Position : others;
  };
  give(~std::size_t{0}, Role::Offset);
  if (n < 2 || movedBy(kernel) != Moved::Otherwise)
    return;
  std::vector<std::size_t> holding;
  int largest = 0;
  for (std::size_t points = 1; n <= most && points + 1 < (std::size_t{1} << n); ++points) {
    const int size = __builtin_popcountll(points);
    give(points, Role::Offset);
    if (size < largest || movedBy(kernel) == Moved::Otherwise)
      continue;
    if (size > largest)
      holding.clear();
    largest = size;
    holding.push_back(points);
  }
  if (holding.size() == 1)
    give(holding[0], Role::Offset);
  else
    give(0, Role::Unclear);
}

} // namespace

Posed posed(const Kernel &kernel, const Field &field) {
  if (const Named *column = findBuiltIn(kernel, field.name))
    return column->posed;
  for (const Named &named : roles)
    if (named.role == field.role && field.type == Type::Vec3)
      return named.posed;
  const bool vector = field.type == Type::Vec3;
  return {vector, false, !vector && field.role != Role::Unclear, field.power};
}

std::string_view spelling(Role role) {
  for (const Named &named : roles)
    if (named.role == role)
      return named.name;
  return "";
}

Role roleByName(std::string_view name) {
  for (const Named &named : roles)
    if (named.name == name)
      return named.role;
  return Role::Unset;
}

void assignRoles(Kernel &kernel) {
  if (!kernel.pack.empty() || kernel.term.empty())
    return;
  const Phases phases(kernel.term);
  std::map<std::string, Role> found;
  for (const Phase &phase : phases.all) {
    fromPhase(kernel, phase, found);
    for (const std::string &number : phase.numbers)
      find(kernel, number)->role = Role::Unclear;
  }
  std::vector<std::string> candidates;
  for (Field &field : kernel.fields) {
    if (field.type != Type::Vec3 || field.role != Role::Unset || findBuiltIn(kernel, field.name))
      continue;
    const auto role = found.find(field.name);
    field.role = role == found.end() ? Role::Direction : role->second;
    if (field.role == Role::Position)
      candidates.push_back(field.name);
  }
  if (!candidates.empty())
    choose(kernel, candidates);
}

} // namespace facet::ir
