// expressions.cpp - expressions to values: members, operators, conversions. What the IR cannot say
// is refused, never lowered to something near.
#include "lower.h"
#include <algorithm>
#include <clang/AST/ASTContext.h>
#include <clang/Basic/SourceManager.h>

namespace facet::frontend {

using clang::FixItHint;

void Lowering::report(Diag diag, const clang::Expr &expression, std::vector<std::string> written,
                      std::vector<FixItHint> fixes) {
  source.reporter.report(diag, {expression.getExprLoc(),
                                {expression.getSourceRange()},
                                std::move(written),
                                std::move(fixes)});
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
    report(Diag::Unsupported, expression, {error.message});
    return {};
  }
}

Bound Lowering::member(const clang::MemberExpr &expression) {
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

Bound Lowering::cast(const clang::CastExpr &expression) {
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
    report(Diag::NumberCondition, *inner, {sourceText(source, inner->getSourceRange())});
    return {};
  default:
    return refuse(expression);
  }
}

Bound Lowering::assignment(const clang::Expr &expression, const clang::Expr &target,
                           std::string op) {
  const clang::Expr *bare = target.IgnoreParenImpCasts();
  const auto *variable = llvm::dyn_cast<clang::DeclRefExpr>(bare);
  const std::string spelled = variable ? variable->getDecl()->getNameAsString() : "";
  report(Diag::Assignment, expression,
         {std::move(op), sourceText(source, bare->getSourceRange()),
          spelled.empty() ? "another" : spelled + "2"});
  return {};
}

Bound Lowering::unary(const clang::UnaryOperator &expression) {
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
    report(Diag::Pointer, expression, {sourceText(source, expression.getSourceRange()), "pointer"});
    return {};
  default:
    return refuse(expression);
  }
}

Bound Lowering::binary(const clang::BinaryOperator &expression) {
  const clang::Expr *left = expression.getLHS(), *right = expression.getRHS();
  if (expression.isAssignmentOp())
    return assignment(expression, *left, expression.getOpcodeStr().str());
  if (expression.getType()->isIntegerType() && !expression.getType()->isBooleanType())
    return integer(expression);
  const auto both = [&](ir::Op op) {
    const Bound a = lower(left), b = lower(right);
    return add(expression, op, a, b);
  };
  const auto swapped = [&](ir::Op op) {
    const Bound a = lower(left), b = lower(right);
    return add(expression, op, b, a);
  };
  switch (expression.getOpcode()) {
  case clang::BO_Add:
    return both(ir::Op::Add);
  case clang::BO_Sub:
    return both(ir::Op::Sub);
  case clang::BO_Mul:
    return both(ir::Op::Mul);
  case clang::BO_Div:
    return both(ir::Op::Div);
  case clang::BO_LT:
    return both(ir::Op::Less);
  case clang::BO_LE:
    return both(ir::Op::LessEqual);
  case clang::BO_GT:
    return swapped(ir::Op::Less);
  case clang::BO_GE:
    return swapped(ir::Op::LessEqual);
  case clang::BO_EQ:
    return both(ir::Op::Equal);
  case clang::BO_NE:
    return add(expression, ir::Op::Not, both(ir::Op::Equal));
  case clang::BO_LAnd:
    return both(ir::Op::And);
  case clang::BO_LOr:
    return both(ir::Op::Or);
  default:
    return refuse(expression);
  }
}

Bound Lowering::construct(const clang::CXXConstructExpr &expression) {
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

Bound Lowering::choose(const clang::ConditionalOperator &expression) {
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
  if (brokenWithin(source, expression.getSourceRange()))
    return {};
  const auto refused = [&](Diag diag, std::vector<std::string> written = {}) {
    source.reporter.report(
        diag, {expression.getBeginLoc(), {expression.getSourceRange()}, std::move(written)});
    return Bound{};
  };
  switch (expression.getStmtClass()) {
  case clang::Stmt::DeclRefExprClass: // of a lambda that was refused
    return expression.getType()->isRecordType()
               ? Bound{}
               : refused(Diag::Unsupported,
                         {quoted(sourceText(source, expression.getSourceRange()))});
  case clang::Stmt::CXXThisExprClass: // of a function or a default, which is refused for it
    return {};
  case clang::Stmt::LambdaExprClass:
    return source.reporter.report(Diag::Lambda, {expression.getBeginLoc()}), Bound{};
  case clang::Stmt::CXXNewExprClass:
    return refused(Diag::Allocation, {"new"});
  case clang::Stmt::CXXDeleteExprClass:
    return refused(Diag::Allocation, {"delete"});
  case clang::Stmt::CXXThrowExprClass:
    return refused(Diag::Exceptions, {"throw"});
  case clang::Stmt::StringLiteralClass:
  case clang::Stmt::CharacterLiteralClass:
    return refused(Diag::String, {sourceText(source, expression.getSourceRange())});
  case clang::Stmt::ArraySubscriptExprClass:
    return refused(Diag::Array, {sourceText(source, expression.getSourceRange())});
  default:
    return refused(Diag::Unsupported, {quoted(sourceText(source, expression.getSourceRange()))});
  }
}

Bound Lowering::lower(const clang::Expr *expression) {
  expression = expression->IgnoreParens();
  if (expression->containsErrors())
    return {}; // Clang has said what is wrong
  if (const auto *wrapped = llvm::dyn_cast<clang::FullExpr>(expression))
    return lower(wrapped->getSubExpr());
  if (const auto *temporary = llvm::dyn_cast<clang::MaterializeTemporaryExpr>(expression))
    return lower(temporary->getSubExpr());
  if (const auto *temporary = llvm::dyn_cast<clang::CXXBindTemporaryExpr>(expression))
    return lower(temporary->getSubExpr());
  if (const auto *substituted = llvm::dyn_cast<clang::SubstNonTypeTemplateParmExpr>(expression))
    return lower(substituted->getReplacement());
  if (const auto *argument = llvm::dyn_cast<clang::CXXDefaultArgExpr>(expression))
    return lower(argument->getExpr());
  if (const auto *list = llvm::dyn_cast<clang::InitListExpr>(expression))
    return list->getNumInits() == 1 && !list->getType()->isRecordType() ? lower(list->getInit(0))
                                                                        : refuse(*list);
  if (const auto *number = llvm::dyn_cast<clang::FloatingLiteral>(expression))
    return literal(*number, number->getValueAsApproximateDouble());
  if (llvm::isa<clang::ImplicitValueInitExpr, clang::CXXScalarValueInitExpr>(expression) &&
      kindOf(source, expression->getType()) == Kind::Real)
    return literal(*expression, 0);
  if (llvm::isa<clang::IntegerLiteral>(expression))
    return integer(*expression);
  if (const auto *boolean = llvm::dyn_cast<clang::CXXBoolLiteralExpr>(expression)) {
    const Bound zero = literal(*expression, 0);
    return add(*expression, boolean->getValue() ? ir::Op::LessEqual : ir::Op::Less, zero, zero);
  }
  if (const auto *reference = llvm::dyn_cast<clang::DeclRefExpr>(expression))
    return name(*reference);
  if (const auto *access = llvm::dyn_cast<clang::MemberExpr>(expression))
    return member(*access);
  if (const auto *conversion = llvm::dyn_cast<clang::CastExpr>(expression))
    return cast(*conversion);
  if (const auto *operation = llvm::dyn_cast<clang::UnaryOperator>(expression))
    return unary(*operation);
  if (const auto *operation = llvm::dyn_cast<clang::BinaryOperator>(expression))
    return binary(*operation);
  if (const auto *choice = llvm::dyn_cast<clang::ConditionalOperator>(expression))
    return choose(*choice);
  if (const auto *made = llvm::dyn_cast<clang::CXXConstructExpr>(expression))
    return construct(*made);
  if (const auto *operation = llvm::dyn_cast<clang::CXXOperatorCallExpr>(expression))
    return operatorCall(*operation);
  if (const auto *called = llvm::dyn_cast<clang::CallExpr>(expression))
    return call(*called);
  return refuse(*expression);
}

} // namespace facet::frontend
