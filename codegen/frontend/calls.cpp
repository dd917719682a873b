// calls.cpp - calls: the vocabulary by name, the kernel's own functions inlined, all else refused.
#include "codegen/frontend/lowering.h"
#include <algorithm>
#include <clang/Basic/SourceManager.h>

namespace facet::frontend {

Bound Lowering::unknown(const clang::CallExpr &expression, const std::string &name) {
  source.reporter.report(
      Diag::UnknownFunction,
      {expression.getBeginLoc(), {expression.getCallee()->getSourceRange()}, {name}});
  return {};
}

Bound Lowering::VisitCallExpr(const clang::CallExpr *e) {
  const clang::CallExpr &expression = *e;
  if (const auto *method = llvm::dyn_cast<clang::CXXMemberCallExpr>(e))
    if (llvm::isa_and_nonnull<clang::CXXConversionDecl>(method->getMethodDecl()) &&
        kindOf(source, method->getImplicitObjectArgument()->getType()) == Kind::Q)
      return lower(method->getImplicitObjectArgument()); // q as a vector
  const clang::FunctionDecl *callee = expression.getDirectCallee();
  if (!callee)
    return report(Diag::Unsupported, expression, {text(*expression.getCallee()) + "(...)"});
  const auto *method = llvm::dyn_cast<clang::CXXMethodDecl>(callee);
  const bool own =
      method && method->getParent()->getCanonicalDecl() == source.decl->getCanonicalDecl();
  if (own && method->isStatic())
    return inlined(expression, *callee);
  if (isVocabulary(*callee) && !method)
    return vocabulary(expression, *callee);
  const std::string spelled = callee->getNameAsString();
  if (callee->getBuiltinID() != 0 || isVocabulary(*callee) ||
      source.context.getSourceManager().isInSystemHeader(callee->getLocation()))
    return unknown(expression, spelled);
  if (!method || method->isStatic())
    source.reporter.report(Diag::OutsideFunction, {expression.getBeginLoc(),
                                                   {expression.getCallee()->getSourceRange()},
                                                   {spelled, source.decl->getName().str()}});
  else if (!own)
    report(Diag::Unsupported, expression, {"the member function '" + spelled + "'"});
  return {};
}

Bound Lowering::inlined(const clang::CallExpr &expression, const clang::FunctionDecl &callee) {
  const clang::FunctionDecl *definition = callee.getDefinition();
  const std::string spelled = callee.getNameAsString();
  if (llvm::is_contained(calls, definition ? definition : &callee))
    return report(Diag::Recursion, expression, {spelled});
  const clang::FunctionDecl &function = definition ? *definition : callee;
  Names bound;
  bool known = true;
  for (unsigned k = 0; k < function.getNumParams(); ++k) {
    const clang::ParmVarDecl *parameter = function.getParamDecl(k);
    if (!checkType(source, *parameter)) {
      known = false;
      continue;
    }
    Bound argument = lower(expression.getArg(k));
    const Kind kind = kindOf(source, parameter->getType());
    if (kind == Kind::Vec3 || kind == Kind::CVec3)
      argument = value(argument);
    bound[parameter] = argument;
  }
  const Kind result = kindOf(source, function.getReturnType());
  known &= checkReal(source, function.getFunctionTypeLoc().getReturnLoc());
  if (result == Kind::None || result == Kind::Integer || result == Kind::Record ||
      result == Kind::Params || function.getReturnType()->isReferenceType()) {
    const clang::SourceRange range = function.getReturnTypeSourceRange();
    if (!brokenWithin(source, function.getSourceRange()))
      source.reporter.report(
          Diag::LocalType, {range.getBegin().isValid() ? range.getBegin() : function.getLocation(),
                            {range},
                            {spelled, sourceText(source, range)}});
    known = false;
  }
  return known ? this->function(function, std::move(bound)) : Bound{};
}

Bound Lowering::VisitCXXOperatorCallExpr(const clang::CXXOperatorCallExpr *e) {
  const clang::CXXOperatorCallExpr &expression = *e;
  const clang::OverloadedOperatorKind op = expression.getOperator();
  if (expression.isAssignmentOp())
    return assignment(expression, *expression.getArg(0), clang::getOperatorSpelling(op));
  const clang::FunctionDecl *callee = expression.getDirectCallee();
  if (const auto *method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(callee);
      method && method->getParent()->isLambda())
    return refuse(*expression.getArg(0)->IgnoreParenImpCasts());
  if (!callee || !isVocabulary(*callee))
    return report(
        Diag::OutsideFunction, expression,
        {std::string("operator") + clang::getOperatorSpelling(op), source.decl->getName().str()});
  const Bound a = lower(expression.getArg(0));
  if (expression.getNumArgs() == 1) {
    if (op == clang::OO_Minus)
      return add(expression, ir::Op::Neg, a);
    return op == clang::OO_Plus ? value(a) : refuse(expression);
  }
  const Bound b = lower(expression.getArg(1));
  const bool known = op == clang::OO_Plus || op == clang::OO_Minus || op == clang::OO_Star ||
                     op == clang::OO_Slash;
  return known ? combine(expression, clang::BinaryOperator::getOverloadedOpcode(op), a, b)
               : refuse(expression);
}

/// re or im of a vector, component by component.
Bound Lowering::parts(const clang::Expr &expression, ir::Op op, ir::Id vector) {
  std::array<Bound, 3> out;
  for (int k = 0; k < 3; ++k)
    out.at(static_cast<std::size_t>(k)) =
        add(expression, op, add(expression, ir::Op::Component, {Bound::Value, vector}, {}, {}, k));
  return add(expression, ir::Op::Vec, out[0], out[1], out[2]);
}

/// mean_cis(q, t): of the phases of the corners of t.
Bound Lowering::mean(const clang::CallExpr &expression, ir::Op op) {
  const Bound q = value(lower(expression.getArg(0))), t = lower(expression.getArg(1));
  if (q.what != Bound::Value || t.what != Bound::Record)
    return {};
  std::array<Bound, 3> phases;
  for (std::size_t k = 0; k < 3; ++k) {
    at(expression);
    const Bound corner = keep(expression, build.field("vertex" + std::to_string(k)));
    phases.at(k) = add(expression, ir::Op::Dot, q, corner);
  }
  return add(expression, op, phases[0], phases[1], phases[2]);
}

namespace {
struct Word {
  llvm::StringLiteral name;
  unsigned arguments;
  ir::Op op;
};
constexpr Word words[] = {
#define FACET_CALL(name, arguments, op, use) {name, arguments, ir::Op::op},
#include "codegen/frontend/vocabulary.def"
};
} // namespace

Bound Lowering::vocabulary(const clang::CallExpr &expression, const clang::FunctionDecl &callee) {
  const std::string spelled = callee.getNameAsString();
  const auto *word =
      std::ranges::find_if(words, [&](const Word &one) { return one.name == spelled; });
  if (word == std::end(words))
    return unknown(expression, spelled);
  const ir::Op op = word->op;
  if ((op == ir::Op::MeanCis || op == ir::Op::MeanCism1) && expression.getNumArgs() == 2)
    return mean(expression, op);
  if (expression.getNumArgs() != word->arguments)
    return refuse(expression);
  std::array<Bound, 3> in;
  for (unsigned k = 0; k < word->arguments; ++k) {
    in.at(k) = value(lower(expression.getArg(k)));
    if (in.at(k).what != Bound::Value)
      return {};
  }
  const ir::Type a = type(in[0]);
  const bool real = a == ir::Type::Real || a == ir::Type::Vec3;
  const bool vector = a == ir::Type::Vec3 || a == ir::Type::CVec3;
  switch (op) {
  case ir::Op::Conj:
  case ir::Op::Re:
    if (real)
      return in[0];
    return op == ir::Op::Re && vector ? parts(expression, op, in[0].id)
                                      : add(expression, op, in[0]);
  case ir::Op::Im:
    if (real && !vector)
      return literal(expression, 0);
    return vector ? parts(expression, op, in[0].id) : add(expression, op, in[0]);
  case ir::Op::Sqrt: // of a real taken as complex: negative numbers have a root
    return add(expression,
               kindOf(source, callee.getParamDecl(0)->getType()) == Kind::Cplx ? ir::Op::Csqrt : op,
               in[0]);
  default:
    return add(expression, op, in[0], in[1], in[2]);
  }
}

} // namespace facet::frontend
