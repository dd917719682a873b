// traps.cpp - warnings about physics: pairings of q and conj(q), digits lost near 0, a missing
// origin, phases that grow. Looked for in the values, told at the expressions they came from.
#include "kernel.h"
#include <algorithm>
#include <clang/AST/ASTContext.h>
#include <clang/AST/ExprCXX.h>

namespace facet::frontend {

using clang::FixItHint;
using ir::Id;
using ir::Op;
using Origins = std::vector<const clang::Expr *>;

namespace {

/// One region, looked at from what it yields: values that are not used do not count.
class View {
public:
  View(const ir::Region &region, const Origins &origins) : region(region), origins(origins) {
    std::vector<bool> used(region.values.size());
    for (const ir::Output &output : region.outputs)
      used[static_cast<std::size_t>(output.value)] = true;
    for (auto k = static_cast<Id>(region.values.size()); k-- > 0;) {
      if (!used[static_cast<std::size_t>(k)])
        continue;
      order.push_back(k);
      for (const Id argument : at(k).args)
        if (argument >= 0)
          used[static_cast<std::size_t>(argument)] = true;
    }
    std::ranges::reverse(order);
  }

  const ir::Value &at(Id id) const { return region.values[static_cast<std::size_t>(id)]; }
  const clang::Expr &from(Id id) const { return *origins[static_cast<std::size_t>(id)]; }
  /// Every value used, in order.
  const std::vector<Id> &values() const { return order; }

  bool isQ(Id id) const { return at(id).op == Op::Axis && at(id).component < 0; }
  bool isConjQ(Id id) const { return at(id).op == Op::Conj && isQ(at(id).args[0]); }
  bool is(Id id, double number) const { return at(id).op == Op::Number && at(id).number == number; }

  /// Visits each value that `id` is made of once, users first; `visit` says whether to go on below.
  template <class Visit> void below(Id id, Visit visit) const {
    std::vector<bool> wanted(static_cast<std::size_t>(id) + 1);
    wanted.back() = true;
    for (Id k = id; k >= 0; --k)
      if (wanted[static_cast<std::size_t>(k)] && visit(k))
        for (const Id argument : at(k).args)
          if (argument >= 0)
            wanted[static_cast<std::size_t>(argument)] = true;
  }

  /// |q|^2 or q.q among the factors of `id`: the first found. A sum with it is another matter.
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
    const ir::Value &value = at(k);
    return value.op == Op::Dot && ((isQ(value.args[0]) && isConjQ(value.args[1])) ||
                                   (isConjQ(value.args[0]) && isQ(value.args[1])));
  }

private:
  const ir::Region &region;
  const Origins &origins;
  std::vector<Id> order;
};

bool isPhaseFunction(Op op) {
  return op == Op::Cis || op == Op::Cism1 || op == Op::Exp || op == Op::Sin || op == Op::Cos ||
         op == Op::MeanCis || op == Op::MeanCism1;
}

/// dot(q, r) of a record's vector, or dot(conj(q), r), among the factors outside phases.
void weights(const View &view, Id root, bool &plain, bool &conjugate) {
  view.below(root, [&](Id k) {
    const ir::Value &value = view.at(k);
    if (isPhaseFunction(value.op))
      return false;
    if (value.op == Op::Dot)
      for (int a = 0; a < 2; ++a)
        if (view.at(value.args.at(static_cast<std::size_t>(1 - a))).domain & ir::T) {
          plain |= view.isQ(value.args.at(static_cast<std::size_t>(a)));
          conjugate |= view.isConjQ(value.args.at(static_cast<std::size_t>(a)));
        }
    return true;
  });
}

void report(Source &source, Diag diag, const clang::Expr &expression,
            std::vector<std::string> written = {}, std::vector<FixItHint> fixes = {}) {
  source.reporter.report(diag, {expression.getExprLoc(),
                                {expression.getSourceRange()},
                                std::move(written),
                                std::move(fixes)});
}

/// cis(x) - 1, -1 + cis(x).
void checkCisMinus1(Source &source, const View &view, Id k) {
  const ir::Value &value = view.at(k);
  Id cis = -1;
  if (value.op == Op::Sub && view.is(value.args[1], 1))
    cis = value.args[0];
  for (std::size_t a = 0; value.op == Op::Add && a < 2; ++a)
    if (view.is(value.args.at(a), -1))
      cis = value.args.at(1 - a);
  if (cis < 0 || (view.at(cis).op != Op::Cis && view.at(cis).op != Op::MeanCis))
    return;
  const bool mean = view.at(cis).op == Op::MeanCis;
  const std::string from = mean ? "mean_cis" : "cis", to = mean ? "mean_cism1" : "cism1";
  std::vector<FixItHint> fixes;
  const auto *call = llvm::dyn_cast<clang::CallExpr>(view.from(cis).IgnoreParenImpCasts());
  if (call && call->getNumArgs() > 0) {
    const clang::SourceRange arguments(call->getArg(0)->getBeginLoc(), call->getEndLoc());
    fixes = {FixItHint::CreateReplacement(
        view.from(k).getSourceRange(),
        std::string(to).append("(").append(sourceText(source, arguments)))};
  }
  report(source, Diag::CisMinus1, view.from(k), {from, to}, std::move(fixes));
}

/// cis(-dot(q, r)), cis(dot(conj(q), r)) and exp(-i * dot(q, r)) grow where q.z has an imaginary
/// part.
void checkPhase(Source &source, const ir::Region &region, const View &view, Id k) {
  const Op op = view.at(k).op;
  const bool wave = op == Op::Cis || op == Op::Cism1 || op == Op::MeanCis || op == Op::MeanCism1;
  const Id phase = view.at(k).args[0];
  if ((wave || op == Op::Exp) &&
      growsWithDepth(source.kernel, region, phase, wave ? std::complex<double>(0, 1) : 1))
    report(source, Diag::GrowingPhase, view.from(phase));
}

} // namespace

void warnOfTraps(Source &source, const Lowered &term, const Lowered &finish) {
  const View sum(term.region, term.origins), end(finish.region, finish.origins);
  const bool complex = std::ranges::any_of(
      source.kernel.axes, [](const ir::AxisType &axis) { return axis.type == ir::Type::Cplx; });

  bool plain = false, conjugate = false, told = source.origin;
  weights(sum, term.region.outputs[0].value, plain, conjugate);
  for (const View *view : {&sum, &end}) {
    const ir::Region &region = view == &sum ? term.region : finish.region;
    for (const Id k : view->values()) {
      checkCisMinus1(source, *view, k);
      if (source.kernel.axes[2].type == ir::Type::Cplx)
        checkPhase(source, region, *view, k);
      if (view->at(k).op != Op::Div)
        continue;
      const Id square = view->squareOfQ(view->at(k).args[1]);
      if (square < 0)
        continue;
      const clang::Expr &written = view->from(square);
      if (complex && plain && !conjugate && !view->isDotQQ(square))
        report(source, Diag::PairNorm2, written);
      if (complex && conjugate && !plain && view->isDotQQ(square))
        report(source, Diag::PairDot, written, {},
               {FixItHint::CreateReplacement(written.getSourceRange(), "norm2(q)")});
      if (!std::exchange(told, true) && !turnsWithDirection(source.kernel))
        source.reporter.report(Diag::NoOrigin, {source.decl->getLocation(),
                                                {},
                                                {source.decl->getName().str(),
                                                 sourceText(source, written.getSourceRange()),
                                                 source.record->getName().str()}});
    }
  }
}

} // namespace facet::frontend
