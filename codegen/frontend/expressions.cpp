// expressions.cpp - expressions to values: members, operators, conversions.
#include "codegen/frontend/lowering.h"
#include <algorithm>
#include <clang/Basic/SourceManager.h>

namespace facet::frontend {

Bound Lowering::lower(const clang::Expr *expression) {
  expression = expression->IgnoreParens();
  return expression->containsErrors() ? Bound{} : Visit(expression); // Clang has said what is wrong
}

void Lowering::at(const clang::Expr &expression) {
  const auto place = source.context.getSourceManager().getPresumedLoc(expression.getExprLoc());
  if (place.isValid())
    build.loc = {static_cast<int>(place.getLine()), static_cast<int>(place.getColumn())};
}

Bound Lowering::keep(const clang::Expr &expression, ir::Id id) {
  origins.resize(region.values.size(), &expression);
  return {Bound::Value, id};
}

Bound Lowering::value(const Bound &bound) {
  return bound.what == Bound::Q ? Bound{Bound::Value, build.axis(-1)} : bound;
}

Bound Lowering::add(const clang::Expr &expression, ir::Op op, Bound a, Bound b, Bound c,
                    int component) {
  const int arity = ir::info(op).arity;
  std::array<Bound, 3> operands{value(a), value(b), value(c)};
  for (int k = 0; k < arity; ++k)
    if (operands[static_cast<std::size_t>(k)].what != Bound::Value)
      return {};
  at(expression);
  try {
    return keep(expression,
                build.op(op, operands[0].id, operands[1].id, operands[2].id, component));
  } catch (const ir::Error &error) { // the IR has no such op
    return report(Diag::Unsupported, expression, {error.message});
  }
}

Bound Lowering::VisitInitListExpr(const clang::InitListExpr *e) {
  const bool one = e->getNumInits() == 1 && !e->getType()->isRecordType();
  return one ? lower(e->getInit(0)) : refuse(*e);
}

Bound Lowering::VisitMemberExpr(const clang::MemberExpr *e) {
  const clang::MemberExpr &expression = *e;
  const std::string spelled = expression.getMemberDecl()->getNameAsString();
  const auto *field = llvm::dyn_cast<clang::FieldDecl>(expression.getMemberDecl());
  if (!field) {
    const auto *variable = llvm::dyn_cast<clang::VarDecl>(expression.getMemberDecl());
    return variable ? constant(expression, *variable) : refuse(expression);
  }
  const Bound base = lower(expression.getBase());
  at(expression);
  const int component = spelled == "x" ? 0 : spelled == "y" ? 1 : 2;
  switch (base.what) {
  case Bound::Q:
    return keep(expression, build.axis(component));
  case Bound::Record:
    try {
      return keep(expression, build.field(spelled));
    } catch (const ir::Error &) {
      return {}; // the column was refused
    }
  case Bound::Params:
    return parameter(expression, spelled);
  case Bound::Value: // z.re, v.x
    if (kindOf(source, expression.getBase()->getType()) == Kind::Cplx)
      return add(expression, spelled == "re" ? ir::Op::Re : ir::Op::Im, base);
    return add(expression, ir::Op::Component, base, {}, {}, component);
  case Bound::Nothing:
    break;
  }
  return {};
}

/// A parameter made of its slots.
Bound Lowering::parameter(const clang::Expr &expression, const std::string &name) {
  const auto named = [&](const ir::Param &param) { return param.name == name; };
  const auto found = std::ranges::find_if(source.kernel.params, named);
  if (found == source.kernel.params.end())
    return {}; // it was refused
  std::vector<Bound> parts;
  for (const std::string &slot : ir::slots(*found))
    parts.push_back(keep(expression, build.param(slot)));
  if (found->type == ir::Type::Cplx || found->type == ir::Type::CVec3) {
    for (std::size_t k = 0; 2 * k < parts.size(); ++k)
      parts[k] = add(expression, ir::Op::Complex, parts[2 * k], parts[2 * k + 1]);
    parts.resize(parts.size() / 2);
  }
  return parts.size() == 3 ? add(expression, ir::Op::Vec, parts[0], parts[1], parts[2]) : parts[0];
}

Bound Lowering::VisitCastExpr(const clang::CastExpr *e) {
  const clang::CastExpr &expression = *e;
  const clang::Expr *inner = expression.getSubExpr();
  const bool functional = llvm::isa<clang::CXXFunctionalCastExpr>(expression);
  if (llvm::isa<clang::CStyleCastExpr, clang::CXXNamedCastExpr>(expression) ||
      (functional && expression.getType()->isIntegerType()))
    return {}; // refused already
  if (const auto *explicitly = llvm::dyn_cast<clang::ExplicitCastExpr>(&expression);
      explicitly && !checkReal(source, explicitly->getTypeInfoAsWritten()->getTypeLoc()))
    return {};
  switch (expression.getCastKind()) {
  case clang::CK_LValueToRValue:
  case clang::CK_NoOp:
  case clang::CK_DerivedToBase:
  case clang::CK_UncheckedDerivedToBase:
  case clang::CK_UserDefinedConversion: // q to a vector
  case clang::CK_ConstructorConversion:
  case clang::CK_FloatingCast: // from float or long double: literals and declarations are refused
    return lower(inner);
  case clang::CK_IntegralToFloating:
  case clang::CK_IntegralCast:
    return integer(*inner);
  case clang::CK_FloatingToIntegral: // refused already
    return {};
  case clang::CK_FloatingToBoolean:
  case clang::CK_IntegralToBoolean:
    return report(Diag::NumberCondition, *inner, {text(*inner)});
  default:
    return refuse(expression);
  }
}

Bound Lowering::assignment(const clang::Expr &expression, const clang::Expr &target,
                           std::string op) {
  const clang::Expr *bare = target.IgnoreParenImpCasts();
  const auto *variable = llvm::dyn_cast<clang::DeclRefExpr>(bare);
  const std::string spelled = variable ? variable->getDecl()->getNameAsString() : "";
  return report(Diag::Assignment, expression,
                {std::move(op), text(*bare), spelled.empty() ? "another" : spelled + "2"});
}

Bound Lowering::VisitUnaryOperator(const clang::UnaryOperator *e) {
  const clang::UnaryOperator &expression = *e;
  const clang::Expr &inner = *expression.getSubExpr();
  if (expression.isIncrementDecrementOp())
    return assignment(expression, inner,
                      clang::UnaryOperator::getOpcodeStr(expression.getOpcode()).str());
  if (expression.getType()->isIntegerType() && !expression.getType()->isBooleanType())
    return integer(expression);
  switch (expression.getOpcode()) {
  case clang::UO_Plus:
    return value(lower(&inner));
  case clang::UO_Minus:
    return add(expression, ir::Op::Neg, lower(&inner));
  case clang::UO_LNot:
    return add(expression, ir::Op::Not, lower(&inner));
  case clang::UO_AddrOf:
  case clang::UO_Deref:
    if (llvm::isa<clang::CXXNewExpr>(inner.IgnoreParenImpCasts()))
      return refuse(*inner.IgnoreParenImpCasts());
    return report(Diag::Pointer, expression, {text(expression), "pointer"});
  default:
    return refuse(expression);
  }
}

Bound Lowering::combine(const clang::Expr &expression, clang::BinaryOperatorKind op, Bound a,
                        Bound b) {
  static constexpr std::pair<clang::BinaryOperatorKind, ir::Op> table[] = {
      {clang::BO_Add, ir::Op::Add},  {clang::BO_Sub, ir::Op::Sub},
      {clang::BO_Mul, ir::Op::Mul},  {clang::BO_Div, ir::Op::Div},
      {clang::BO_LT, ir::Op::Less},  {clang::BO_LE, ir::Op::LessEqual},
      {clang::BO_EQ, ir::Op::Equal}, {clang::BO_LAnd, ir::Op::And},
      {clang::BO_LOr, ir::Op::Or}};
  if (op == clang::BO_GT || op == clang::BO_GE)
    return combine(expression, op == clang::BO_GT ? clang::BO_LT : clang::BO_LE, b, a);
  if (op == clang::BO_NE)
    return add(expression, ir::Op::Not, add(expression, ir::Op::Equal, a, b));
  const auto *entry =
      std::ranges::find(table, op, &std::pair<clang::BinaryOperatorKind, ir::Op>::first);
  return entry == std::end(table) ? refuse(expression) : add(expression, entry->second, a, b);
}

Bound Lowering::VisitBinaryOperator(const clang::BinaryOperator *e) {
  if (e->isAssignmentOp())
    return assignment(*e, *e->getLHS(), e->getOpcodeStr().str());
  if (e->getType()->isIntegerType() && !e->getType()->isBooleanType())
    return integer(*e);
  if (e->isCommaOp() || e->isPtrMemOp())
    return refuse(*e);
  const Bound a = lower(e->getLHS()), b = lower(e->getRHS());
  return combine(*e, e->getOpcode(), a, b);
}

Bound Lowering::VisitCXXConstructExpr(const clang::CXXConstructExpr *e) {
  const clang::CXXConstructExpr &expression = *e;
  const unsigned n = expression.getNumArgs();
  const Kind kind = kindOf(source, expression.getType());
  if (n == 1) // copies; a real as a complex number, a real vector as a complex one
    return kind == Kind::None ? refuse(expression) : lower(expression.getArg(0));
  const bool complex = kind == Kind::Cplx, vector = kind == Kind::Vec3 || kind == Kind::CVec3;
  if (n == 0 && (complex || vector)) {
    const Bound zero = literal(expression, 0);
    return complex ? zero : add(expression, ir::Op::Vec, zero, zero, zero);
  }
  if (!(complex && n == 2) && !(vector && n == 3))
    return refuse(expression);
  std::array<Bound, 3> parts;
  for (unsigned k = 0; k < n; ++k)
    parts.at(k) = lower(expression.getArg(k));
  return add(expression, complex ? ir::Op::Complex : ir::Op::Vec, parts[0], parts[1], parts[2]);
}

Bound Lowering::VisitConditionalOperator(const clang::ConditionalOperator *e) {
  const clang::ConditionalOperator &expression = *e;
  const Bound condition = lower(expression.getCond()), yes = lower(expression.getTrueExpr()),
              no = lower(expression.getFalseExpr());
  if (expression.getType()->isBooleanType()) { // (c and yes) or (not c and no)
    const Bound otherwise = add(expression, ir::Op::Not, condition);
    return add(expression, ir::Op::Or, add(expression, ir::Op::And, condition, yes),
               add(expression, ir::Op::And, otherwise, no));
  }
  if (yes.what == Bound::Record || no.what == Bound::Record || yes.what == Bound::Params)
    return refuse(expression);
  return add(expression, ir::Op::Select, condition, yes, no);
}

Bound Lowering::refuse(const clang::Expr &expression) {
  const auto refused = [&](Diag diag, Words written) {
    source.report(diag, expression.getSourceRange(), std::move(written));
    return Bound{};
  };
  if (brokenWithin(source, expression.getSourceRange()))
    return {};
  switch (expression.getStmtClass()) {
  case clang::Stmt::CXXThisExprClass: // of a function or a default, which is refused for it
    return {};
  case clang::Stmt::LambdaExprClass:
    source.report(Diag::Lambda, expression.getBeginLoc());
    return {};
  case clang::Stmt::CXXNewExprClass:
    return refused(Diag::Allocation, {"new"});
  case clang::Stmt::CXXDeleteExprClass:
    return refused(Diag::Allocation, {"delete"});
  case clang::Stmt::CXXThrowExprClass:
    return refused(Diag::Exceptions, {"throw"});
  case clang::Stmt::StringLiteralClass:
  case clang::Stmt::CharacterLiteralClass:
    return refused(Diag::String, {text(expression)});
  case clang::Stmt::ArraySubscriptExprClass:
    return refused(Diag::Array, {text(expression)});
  case clang::Stmt::DeclRefExprClass:
    if (expression.getType()->isRecordType())
      return {}; // a lambda that was refused
    [[fallthrough]];
  default:
    return refused(Diag::Unsupported, {"'" + text(expression) + "'"});
  }
}

} // namespace facet::frontend
