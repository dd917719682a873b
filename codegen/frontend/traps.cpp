// traps.cpp - warnings about physics: pairings of q and conj(q), digits lost near 0, a missing
// origin, phases that grow. Looked for in the values, or by evaluating them, so that no formula is
// missed for the way in which it is written; reported at the expressions they came from.
#include "codegen/frontend/kernel.h"
#include "codegen/ir/evaluate.h"
#include <algorithm>
#include <cmath>

namespace facet::frontend {

using clang::FixItHint;
using ir::Id;
using ir::Op;

namespace {

using ir::Complex;
using ir::Vector;

// Relative: more than rounding and than what is left at small q.
constexpr double far = 0.05;

/// The corners of a side of a tetrahedron of no symmetry, outwards.
std::array<Vector, 3> sideOf(int k) {
  static const Vector corners[4] = {
      {0.3, -0.4, 0.1}, {2.1, 0.2, -0.3}, {0.5, 1.7, 0.4}, {0.6, 0.3, 1.9}};
  static constexpr int sides[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}};
  return {corners[sides[k][0]], corners[sides[k][1]], corners[sides[k][2]]};
}

/// F at q, of each output, for a closed mesh of four triangles with the same columns, or for four
/// records.
std::vector<Complex> formFactor(const ir::Kernel &kernel, const Vector &q) {
  ir::Point point = ir::randomPoint(kernel, 1);
  point.q = q;
  std::vector<Complex> sums;
  for (int k = 0; k < 4; ++k) {
    if (kernel.triangle)
      ir::setTriangle(point, sideOf(k));
    else
      point.record = ir::randomPoint(kernel, static_cast<std::uint64_t>(k) + 2).record;
    const std::vector<Complex> term = ir::evaluateTerm(kernel, point);
    sums.resize(term.size());
    for (std::size_t c = 0; c < term.size(); ++c)
      sums[c] += term[c];
  }
  point.setSums(sums);
  return ir::evaluateFinish(kernel, point);
}

/// The columns that say where a record is, each with those that move with it.
std::vector<std::vector<std::string>> places(const ir::Kernel &kernel) {
  if (kernel.triangle)
    return {{"centroid", "vertex0", "vertex1", "vertex2"}};
  std::vector<std::vector<std::string>> each;
  for (const ir::Field &field : kernel.fields)
    if (field.type == ir::Type::Vec3)
      each.push_back({field.name});
  return each;
}

/// Whether the kernel has a value at q = 0, as one with a condition may.
bool finiteAtZero(const ir::Kernel &kernel) {
  return std::ranges::all_of(formFactor(kernel, {0, 0, 0}),
                             [](const Complex &f) { return std::isfinite(std::abs(f)); });
}

/// Whether output o of F(q) has a limit at q = 0 along each direction, and not the same along all.
bool turnsWithDirection(const ir::Kernel &kernel, std::size_t o) {
  static constexpr double directions[3][3] = {
      {0.36, 0.48, 0.8}, {0.8, -0.36, 0.48}, {-0.6, 0.64, 0.48}};
  std::vector<Complex> limits;
  double largest = 0;
  for (const auto &d : directions) {
    const auto at = [&](double q) { return formFactor(kernel, {q * d[0], q * d[1], q * d[2]})[o]; };
    const Complex near = at(1e-4), nearer = at(1e-5);
    if (!std::isfinite(std::abs(nearer)) || std::abs(nearer - near) > far * std::abs(near))
      return false; // no limit along this direction: an origin is missing
    limits.push_back(nearer);
    largest = std::max(largest, std::abs(nearer));
  }
  return std::abs(limits[0] - limits[1]) > far * largest ||
         std::abs(limits[0] - limits[2]) > far * largest;
}

bool turnsWithDirection(const ir::Kernel &kernel) {
  for (std::size_t o = 0; o < ir::componentsOf(kernel.finish).size(); ++o)
    if (turnsWithDirection(kernel, o))
      return true;
  return false;
}

/// Whether e^{unit * phase} is a wave that grows with the depth of its record if q.z has a
/// positive imaginary part; phase is a value of the region.
bool growsWithDepth(const ir::Kernel &kernel, const ir::Region &region, ir::Id phase,
                    Complex unit) {
  ir::Region alone = region;
  alone.outputs = {{"", phase}};
  for (const std::vector<std::string> &columns : places(kernel)) {
    const auto moved = [&](double damping) { // how the exponent changes as the record moves along z
      ir::Point point = ir::randomPoint(kernel, 1);
      for (Complex &component : point.q)
        component = component.real();
      point.q[2] = {point.q[2].real(), damping};
      const Complex before = ir::evaluate(kernel, alone, point)[0][0];
      for (const std::string &column : columns)
        if (const auto place = point.record.find(column); place != point.record.end())
          place->second[2] += 1;
      return unit * (ir::evaluate(kernel, alone, point)[0][0] - before);
    };
    const Complex clear = moved(0), damped = moved(0.5);
    const double least = 1e-9 * std::abs(clear);
    if (std::abs(clear.real()) <= least && std::abs(clear.imag()) > 1e-9 && damped.real() > 1e-9)
      return true; // a wave of real q that grows if im(q.z) > 0
  }
  return false;
}

/// One region of a kernel, and where its values came from.
struct View : RegionOrigins {
  const ir::Value &at(Id id) const { return region[id]; }
  const clang::Expr &from(Id id) const { return *origins[id]; }

  bool isQ(Id id) const { return at(id).op == Op::Axis && at(id).component < 0; }
  bool isConjQ(Id id) const { return at(id).op == Op::Conj && isQ(at(id).args[0]); }
  bool is(Id id, double number) const { return at(id).op == Op::Number && at(id).number == number; }

  /// Visits each value that `id` is made of once, users first; `visit` says whether to go on.
  template <class Visit> void below(Id id, Visit visit) const {
    std::vector<bool> wanted(id + 1);
    wanted.back() = true;
    for (Id k = id; k >= 0; --k)
      if (wanted[k] && visit(k))
        for (const Id argument : at(k).operands())
          wanted[argument] = true;
  }

  /// |q|^2 or q.q among the factors of `id`, the first found; one within a sum does not count.
  Id squareOfQ(Id id) const {
    Id found = -1;
    below(id, [&](Id k) {
      const ir::Value &value = at(k);
      const bool norm = (value.op == Op::Norm2 || value.op == Op::Norm) && isQ(value.args[0]);
      if (found < 0 && (norm || isDotQQ(k) || isHermitian(k)))
        found = k;
      return found < 0 && (value.op == Op::Mul || value.op == Op::Div || value.op == Op::Neg ||
                           value.op == Op::Sqrt || value.op == Op::Csqrt || value.op == Op::Abs ||
                           value.op == Op::Conj);
    });
    return found;
  }
  bool isDotQQ(Id k) const {
    return at(k).op == Op::Dot && isQ(at(k).args[0]) && isQ(at(k).args[1]);
  }
  bool isHermitian(Id k) const { // dot(q, conj(q)) is norm2(q)
    const auto [a, b, none] = at(k).args;
    return at(k).op == Op::Dot && ((isQ(a) && isConjQ(b)) || (isConjQ(a) && isQ(b)));
  }
};

bool isWave(Op op) {
  return op == Op::Cis || op == Op::Cism1 || op == Op::MeanCis || op == Op::MeanCism1 ||
         op == Op::MeanEdge || op == Op::MeanEdgeM1;
}

/// dot(q, r) of a record's vector, or dot(conj(q), r), among the factors outside phases.
void weights(const View &view, Id root, bool &plain, bool &conjugate) {
  view.below(root, [&](Id k) {
    const ir::Value &value = view.at(k);
    if (isWave(value.op) || value.op == Op::Exp || value.op == Op::Sin || value.op == Op::Cos ||
        value.op == Op::Sinc)
      return false;
    if (value.op == Op::Dot)
      for (const int a : {0, 1})
        if (view.at(value.args[1 - a]).domain & ir::T) {
          plain |= view.isQ(value.args[a]);
          conjugate |= view.isConjQ(value.args[a]);
        }
    return true;
  });
}

/// cis(x) - 1, -1 + cis(x).
void checkCisMinus1(Source &source, const View &view, Id k) {
  const ir::Value &value = view.at(k);
  Id cis = -1;
  if (value.op == Op::Sub && view.is(value.args[1], 1))
    cis = value.args[0];
  for (const int a : {0, 1})
    if (value.op == Op::Add && view.is(value.args[a], -1))
      cis = value.args[1 - a];
  const Op op = cis < 0 ? Op::Add : view.at(cis).op;
  const bool mean = op == Op::MeanCis || op == Op::MeanEdge;
  if (op != Op::Cis && !mean)
    return;
  const std::string from = mean ? "mean_cis" : "cis", to = mean ? "mean_cism1" : "cism1";
  std::vector<FixItHint> fixes;
  const auto *call = llvm::dyn_cast<clang::CallExpr>(view.from(cis).IgnoreParenImpCasts());
  if (call && call->getNumArgs() > 0) {
    const clang::SourceRange arguments(call->getArg(0)->getBeginLoc(), call->getEndLoc());
    fixes = {FixItHint::CreateReplacement(view.from(k).getSourceRange(),
                                          to + "(" + sourceText(source, arguments))};
  }
  source.report(Diag::CisMinus1, view.from(k), {from, to}, std::move(fixes));
}

/// mean_cis(a, a, b): a triangle drawn out to an edge, whose mean weighs the edge linearly.
void checkMeanTwice(Source &source, const View &view, Id k) {
  const auto [a, b, c] = view.at(k).args;
  const Op op = view.at(k).op;
  if ((op == Op::MeanCis || op == Op::MeanCism1) && (a == b || b == c || a == c))
    source.report(Diag::MeanTwice, view.from(k));
}

/// cis(-dot(q, r)), cis(dot(conj(q), r)) and exp(-i * dot(q, r)) grow if q.z has an imaginary
/// part.
void checkPhase(Source &source, const View &view, Id k) {
  const Op op = view.at(k).op;
  const Id phase = view.at(k).args[0];
  if ((isWave(op) || op == Op::Exp) &&
      growsWithDepth(source.kernel, view.region, phase, isWave(op) ? Complex(0, 1) : 1))
    source.report(Diag::GrowingPhase, view.from(phase));
}

} // namespace

void warnOfTraps(Source &source, const RegionOrigins &term, const RegionOrigins &finish) {
  const bool complex = std::ranges::any_of(
      source.kernel.axes, [](const ir::AxisType &axis) { return axis.type == ir::Type::Cplx; });

  bool plain = false, conjugate = false, told = source.origin != nullptr;
  for (const ir::Output &output : term.region.outputs)
    weights({term}, output.value, plain, conjugate);
  for (const View &view : {View{term}, View{finish}})
    for (Id k = 0; k < std::ssize(view.region.values); ++k) {
      checkCisMinus1(source, view, k);
      checkMeanTwice(source, view, k);
      if (source.kernel.axes[2].type == ir::Type::Cplx)
        checkPhase(source, view, k);
      if (view.at(k).op != Op::Div)
        continue;
      const Id square = view.squareOfQ(view.at(k).args[1]);
      if (square < 0)
        continue;
      const clang::Expr &written = view.from(square);
      if (complex && plain && !conjugate && !view.isDotQQ(square))
        source.report(Diag::PairNorm2, written);
      if (complex && conjugate && !plain && view.isDotQQ(square))
        source.report(Diag::PairDot, written, {},
                      {FixItHint::CreateReplacement(written.getSourceRange(), "norm2(q)")});
      if (!std::exchange(told, true) && !finiteAtZero(source.kernel) &&
          !turnsWithDirection(source.kernel))
        source.report(Diag::NoOrigin, *source.decl,
                      {sourceText(source, written.getSourceRange()), source.record->getName().str(),
                       source.outputs.decl ? source.outputs.decl->getName().str() : "real"});
    }
}

} // namespace facet::frontend
