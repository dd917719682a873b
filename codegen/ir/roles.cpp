// roles.cpp - roles of a record's vectors, from the phases that the term takes waves of.
//
// A phase is taken apart as a sum of c dot(q, column). What stands there with coefficients of one
// sign that add up to 1 is the point of the wave. Waves may be multiplied (cis(q.r) sin(q.h)): of
// several candidates those are points that turn the term by a phase when they are moved.
//
// Evaluation finds whether moving the particle multiplies the sum by a phase. Analytic functions
// that are equal at random points are equal everywhere. A term that compares positions
// (`t.centroid.x * q.x < 0.25 ? ...`) may differ at points that no trial took: Moved::Otherwise.
// The error of f32 phases grows with max|q.c|. If the sum only gains a phase, the runtime may
// centre the particle, which keeps phases small, and put the shift back exactly.
#include "roles.h"
#include "arithmetic.h"
#include "evaluate.h"
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <set>

namespace facet::ir {
namespace {

struct RoleName {
  Role role;
  std::string_view name;
  PoseRole posed;
};
constexpr RoleName builtIn[] = {
#define FACET_TRIANGLE(name, is_vector, power, moves, doc)                                         \
  {Role::Unset, #name, {is_vector != 0, moves != 0, true, power}},
#include "dsl/facet/triangle.def"
};
constexpr RoleName roles[] = {
#define FACET_ROLE(Enum, name, turns, power, moves, doc)                                           \
  {Role::Enum, #name, {turns != 0, moves != 0, true, power}},
#include "dsl/facet/roles.def"
};

const RoleName *findBuiltIn(const Kernel &kernel, std::string_view name) {
  const auto *found = std::ranges::find(builtIn, name, &RoleName::name);
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
  explicit Phases(const Region &term) : term_(term) {
    for (const Value &value : term.values)
      if (value.op == Op::Cis || value.op == Op::Cism1 || value.op == Op::MeanCis ||
          value.op == Op::MeanCism1 || value.op == Op::MeanEdge || value.op == Op::MeanEdgeM1 ||
          value.op == Op::Exp)
        for (const Id argument : value.operands()) {
          all.emplace_back();
          turns_ = value.op != Op::Exp; // e^u turns only if u has a factor i
          take(argument, 1, false);
          if (!turns_)
            all.pop_back();
        }
    // Phases of one column come first: its role decides those of columns beside it elsewhere.
    std::ranges::stable_sort(
        all, [](const Phase &a, const Phase &b) { return a.points.size() < b.points.size(); });
  }
  std::vector<Phase> all;

private:
  const Region &term_;
  bool turns_ = false;

  bool ofRecord(Id id) const { return (term_[id].domain & T) != 0; }
  bool ofQ(Id id) const { return (term_[id].domain & ~T) != 0; }
  bool isAxis(Id id) const {
    const Value &v = term_[id];
    return (v.op == Op::Axis && v.component >= 0) ||
           (v.op == Op::Component && term_[v.args[0]].op == Op::Axis);
  }

  /// What `factor` becomes times the value `by`, or over it.
  double times(double factor, Id by, bool over = false) {
    turns_ = turns_ || term_[by].op == Op::Unit;
    if (term_[by].op != Op::Number)
      return term_[by].op == Op::Unit ? factor : unknown;
    return over ? factor / term_[by].number : factor * term_[by].number;
  }

  void add(const Value &field, double factor) {
    if (isVector(field.type))
      all.back().points[field.name] += factor;
    else
      all.back().numbers.push_back(field.name);
  }

  /// Adds `factor` times a value that depends on q and t, or of t alone, which q, or a component of
  /// it, multiplies (`column`).
  void take(Id id, double factor, bool column) {
    if (!ofRecord(id) || (!column && !ofQ(id)))
      return;
    const Value &v = term_[id];
    switch (v.op) {
    case Op::Field:
      return add(v, factor);
    case Op::Add:
    case Op::Sub:
      take(v.args[0], factor, column);
      return take(v.args[1], v.op == Op::Sub ? -factor : factor, column);
    case Op::Neg:
      return take(v.args[0], -factor, column);
    case Op::Re:
    case Op::Conj:
      return take(v.args[0], factor, column);
    case Op::Component: // its x, y and z are three of a column
      return take(v.args[0], column ? factor / 3 : factor, column);
    case Op::Vec:
      for (const Id part : v.args)
        take(part, factor, column);
      return;
    case Op::Select:
      take(v.args[1], factor, column);
      return take(v.args[2], factor, column);
    case Op::Div:
      return take(v.args[0], times(factor, v.args[1], true), column);
    case Op::Mul:
      for (const int k : {0, 1})
        product(v.args[k], v.args[1 - k], factor, column);
      return;
    case Op::Dot: {
      const int k = ofRecord(v.args[0]) ? 0 : 1;
      if (!column)
        take(v.args[k], ofRecord(v.args[1 - k]) ? unknown : factor, true);
      return;
    }
    default: // no linear phase
      return;
    }
  }

  void product(Id a, Id by, double factor, bool column) {
    if (column ? !isVector(term_[by].type) : ofQ(a))
      take(a, times(factor, by), column);
    else if (!column && isAxis(by))
      take(a, factor, true);
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

/// Whether another column than this one moves with the particle.
bool othersMove(const Kernel &kernel, const std::string &name) {
  return std::ranges::any_of(kernel.fields, [&](const Field &field) {
    return field.name != name && posed(kernel, field).moves;
  });
}

/// The candidates that turn the term by a phase when they move are points, the others offsets.
/// A single candidate is a point even if moving it changes the term in other ways too. But if other
/// columns are places, it is what the trial says, or nobody knows.
void choose(Kernel &kernel, const std::vector<std::string> &candidates) {
  constexpr std::size_t most = 6;
  const std::size_t n = candidates.size();
  const auto give = [&](std::size_t points, Role others) {
    for (std::size_t k = 0; k < n; ++k)
      find(kernel, candidates[k])->role = (points >> k & 1) != 0 ? Role::Position : others;
  };
  give(~std::size_t{0}, Role::Offset);
  if ((n < 2 && !othersMove(kernel, candidates[0])) || movedBy(kernel) != MoveRule::Otherwise)
    return;
  if (n == 1) {
    give(0, Role::Offset);
    if (movedBy(kernel) == MoveRule::Otherwise)
      give(0, Role::Unclear);
    return;
  }
  std::size_t best = 0; // the most that hold together, unless as many others do too
  bool only = false;
  for (std::size_t points = 1; n <= most && points + 1 < (std::size_t{1} << n); ++points) {
    give(points, Role::Offset);
    const int more = std::popcount(points) - std::popcount(best);
    if (more < 0 || movedBy(kernel) == MoveRule::Otherwise)
      continue;
    only = more > 0;
    best = points;
  }
  give(only ? best : 0, only ? Role::Offset : Role::Unclear);
}

// Trials ------------------------------------------------------------------------------

/// The four sides of a tetrahedron as records, and where they are moved to.
struct Trial {
  std::array<Point, 4> points; // one q and one set of parameters; own columns differ
  Vector shift;

  Trial(const Kernel &kernel, std::uint64_t seed) {
    static constexpr int side[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> within(-3, 3);
    std::array<Vector, 4> corners;
    for (Vector &corner : corners)
      corner = {within(random), within(random), within(random)};
    shift = {within(random), within(random), within(random)};
    for (int k = 0; k < 4; ++k) {
      points[k] = randomPoint(kernel, 4 * seed + k);
      points[k].q = points[0].q;
      points[k].params = points[0].params;
      if (kernel.triangle)
        setTriangle(points[k], {corners[side[k][0]], corners[side[k][1]], corners[side[k][2]]});
    }
  }

  /// Whether the sums over the first `sides`, moved, are the sums times the phase q.shift. If every
  /// term is 0 this holds but proves nothing: `told` then stays as it was.
  bool holds(const Kernel &kernel, int sides, bool &told) const {
    constexpr double tolerance = 1e-9; // of sum |term|: far above rounding, below real differences
    const Complex factor = std::exp(Complex(0, 1) * Arithmetic<double>::dot(points[0].q, shift));
    const std::size_t components = componentsOf(kernel.term).size();
    std::vector<Complex> here(components), moved(components);
    std::vector<double> scale(components);
    for (int k = 0; k < sides; ++k) {
      Point point = points[k];
      const std::vector<Complex> first = evaluateTerm(kernel, point);
      for (const Field &field : kernel.fields)
        for (std::size_t i = 0; i < 3 && posed(kernel, field).moves; ++i)
          point.record[field.name][i] += shift[i];
      const std::vector<Complex> second = evaluateTerm(kernel, point);
      for (std::size_t c = 0; c < components; ++c) {
        here[c] += first[c];
        moved[c] += second[c];
        scale[c] += std::abs(first[c]) * std::abs(factor) + std::abs(second[c]);
      }
    }
    bool all = true;
    for (std::size_t c = 0; c < components; ++c) {
      told = told || scale[c] > 0;
      const double difference = std::abs(moved[c] - factor * here[c]);
      all = all && std::isfinite(difference) && difference <= tolerance * scale[c];
    }
    return all;
  }
};

/// Whether each component of the term is multiplied by one number when lengths of the record grow
/// by a factor and q shrinks by it. Each column grows by the power of its role. Parameters, and
/// numbers that are not said to scale, may be lengths too: they grow by `power`.
bool scales(const Kernel &kernel, int power) {
  constexpr double factor = 1.7, tolerance = 1e-9;
  constexpr std::uint64_t trials = 6;
  std::vector<Complex> ratios(componentsOf(kernel.term).size());
  for (std::uint64_t seed = 1; seed <= trials; ++seed) {
    Point point = Trial(kernel, seed).points[0];
    const std::vector<Complex> before = evaluateTerm(kernel, point);
    for (Complex &q : point.q)
      q /= factor;
    for (const Field &field : kernel.fields) {
      const PoseRole how = posed(kernel, field);
      const bool open =
          field.type != Type::Vec3 && how.power == 0 && !findBuiltIn(kernel, field.name);
      for (Complex &value : point.record[field.name])
        value *= std::pow(factor, open ? power : how.power);
    }
    for (auto &[name, value] : point.params)
      value *= std::pow(factor, power);
    const std::vector<Complex> after = evaluateTerm(kernel, point);
    for (std::size_t c = 0; c < ratios.size(); ++c) {
      if (before[c] == 0.0 && after[c] == 0.0)
        continue;
      const Complex ratio = after[c] / before[c];
      if (ratios[c] == 0.0)
        ratios[c] = ratio;
      if (!(std::abs(ratio - ratios[c]) <= tolerance * std::abs(ratios[c])))
        return false;
    }
  }
  return true;
}

/// Vectors in no phase: tried as places, as offsets and as directions, on records that are moved
/// and scaled. One that has the same role in all that holds has it; of others the formula does not
/// say.
void settle(Kernel &kernel, const std::vector<std::string> &open) {
  constexpr std::array roles{Role::Direction, Role::Offset, Role::Position};
  constexpr std::size_t most = 3;
  std::map<std::string, std::set<Role>> holding;
  std::size_t combinations = open.size() <= most ? 1 : 0;
  for (std::size_t k = 0; k < open.size(); ++k)
    combinations *= roles.size();
  for (std::size_t number = 0; number < combinations; ++number) {
    std::size_t rest = number;
    for (const std::string &name : open) {
      find(kernel, name)->role = roles[rest % roles.size()];
      rest /= roles.size();
    }
    constexpr std::array powers{0, 1, 2};
    if (std::ranges::none_of(powers, [&](int power) { return scales(kernel, power); }) ||
        movedBy(kernel) == MoveRule::Otherwise)
      continue;
    for (const std::string &name : open)
      holding[name].insert(find(kernel, name)->role);
  }
  for (const std::string &name : open)
    find(kernel, name)->role = holding[name].size() == 1 ? *holding[name].begin() : Role::Unclear;
}

/// Whether a comparison, a minimum, a maximum or a modulus depends on where the record is.
bool comparesPositions(const Kernel &kernel) {
  const auto isPosition = [&](const Value &value) {
    return value.op == Op::Field && std::ranges::any_of(kernel.fields, [&](const Field &field) {
             return field.name == value.name && posed(kernel, field).moves;
           });
  };
  std::vector<bool> ofPosition;
  for (const Value &value : kernel.term.values) {
    bool operands = false;
    for (const Id id : value.operands())
      operands = operands || ofPosition[id];
    using enum Op;
    const bool breaks = value.op == Less || value.op == LessEqual || value.op == Equal ||
                        value.op == Min || value.op == Max || value.op == Abs;
    if (operands && breaks)
      return true;
    ofPosition.push_back(operands || isPosition(value));
  }
  return false;
}

} // namespace

PoseRole posed(const Kernel &kernel, const Field &field) {
  if (const RoleName *column = findBuiltIn(kernel, field.name))
    return column->posed;
  for (const RoleName &named : roles)
    if (named.role == field.role && field.type == Type::Vec3)
      return named.posed;
  const bool vector = field.type == Type::Vec3;
  return {vector, false, !vector && field.role != Role::Unclear, field.power};
}

std::string_view spelling(Role role) {
  const auto *found = std::ranges::find(roles, role, &RoleName::role);
  return found == std::end(roles) ? "" : found->name;
}

Role roleByName(std::string_view name) {
  const auto *found = std::ranges::find(roles, name, &RoleName::name);
  return found == std::end(roles) ? Role::Unset : found->role;
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
  std::vector<std::string> candidates, open;
  for (Field &field : kernel.fields) {
    if (field.type != Type::Vec3 || field.role != Role::Unset || findBuiltIn(kernel, field.name))
      continue;
    const auto role = found.find(field.name);
    field.role = role == found.end() ? Role::Unclear : role->second;
    if (role == found.end())
      open.push_back(field.name);
    if (field.role == Role::Position)
      candidates.push_back(field.name);
  }
  if (!candidates.empty())
    choose(kernel, candidates);
  if (!open.empty())
    settle(kernel, open);
}

std::vector<std::string> unsettled(const Kernel &kernel) {
  std::vector<std::string> names;
  for (const Field &field : kernel.fields)
    if (field.role == Role::Unclear && field.type == Type::Vec3)
      names.push_back(field.name);
  return names;
}

MoveRule movedBy(const Kernel &kernel) {
  if (comparesPositions(kernel))
    return MoveRule::Otherwise;
  constexpr int trials = 6, most = 64; // trials that prove something; trials in all
  bool always = true, closed = kernel.triangle;
  int telling = 0;
  for (int seed = 1; seed <= most && telling < trials && (always || closed); ++seed) {
    const Trial trial(kernel, static_cast<std::uint64_t>(seed));
    Kernel either = kernel; // a side that no trial takes must gain the phase too
    either.term.values = decided(either.term.values, seed);
    bool plain = false, told = false;
    always = always && trial.holds(kernel, 1, plain) && trial.holds(either, 1, told);
    closed = closed && trial.holds(kernel, 4, plain) && trial.holds(either, 4, told);
    telling += plain && told ? 1 : 0;
  }
  if (telling == 0) // the sum is 0 wherever the particle is, as far as is known
    return MoveRule::Otherwise;
  return always ? MoveRule::ByPhase : closed ? MoveRule::ByPhaseIfClosed : MoveRule::Otherwise;
}

} // namespace facet::ir
