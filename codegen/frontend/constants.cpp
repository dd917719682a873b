// constants.cpp - literals, integers, constants and names to values.
#include "codegen/frontend/lowering.h"
#include "codegen/ir/evaluate.h"
#include <algorithm>
#include <cmath>

namespace facet::frontend {

Bound Lowering::literal(const clang::Expr &expression, double number) {
  if (!std::isfinite(number))
    return report(Diag::NotFinite, expression, {text(expression)});
  at(expression);
  return keep(expression, build.number(number));
}

Bound Lowering::zero(const clang::Expr &expression) {
  const bool real = kindOf(source, expression.getType()) == Kind::Real;
  return real ? literal(expression, 0) : refuse(expression);
}

/// The IR has no literals of bool: 0 <= 0, or 0 < 0.
Bound Lowering::boolean(const clang::Expr &expression, bool value) {
  const Bound none = literal(expression, 0);
  return add(expression, value ? ir::Op::LessEqual : ir::Op::Less, none, none);
}

/// Integers are constants within int, and only added and multiplied: numbers.cpp.
Bound Lowering::integer(const clang::Expr &expression) {
  const clang::Expr *bare = expression.IgnoreParenImpCasts();
  if (bare->getType()->isBooleanType()) {
    const bool name = llvm::isa<clang::DeclRefExpr, clang::CallExpr>(bare);
    return report(Diag::ConditionNumber, *bare, {name ? text(*bare) : "(" + text(*bare) + ")"});
  }
  if (const auto *operation = llvm::dyn_cast<clang::BinaryOperator>(bare)) {
    if (operation->isAssignmentOp())
      return VisitBinaryOperator(operation);
    if (!operation->isAdditiveOp() && operation->getOpcode() != clang::BO_Mul)
      return {}; // refused already
    const Bound left = integer(*operation->getLHS()), right = integer(*operation->getRHS());
    if (!operation->isEvaluatable(source.context))
      return combine(*operation, operation->getOpcode(), left, right);
  } else if (const auto *operation = llvm::dyn_cast<clang::UnaryOperator>(bare)) {
    if (operation->isIncrementDecrementOp())
      return VisitUnaryOperator(operation);
    if (operation->getOpcode() == clang::UO_Not)
      return {};
    const Bound inner = integer(*operation->getSubExpr());
    if (!operation->isEvaluatable(source.context))
      return operation->getOpcode() == clang::UO_Minus ? add(*operation, ir::Op::Neg, inner)
                                                       : inner;
  } else if (llvm::isa<clang::ConditionalOperator, clang::CallExpr, clang::ExplicitCastExpr>(
                 bare)) {
    return lower(bare);
  } else if (!llvm::isa<clang::IntegerLiteral, clang::DeclRefExpr,
                        clang::SubstNonTypeTemplateParmExpr>(bare)) {
    return refuse(*bare);
  }
  clang::Expr::EvalResult result;
  if (expression.EvaluateAsInt(result, source.context))
    return literal(*bare, static_cast<double>(result.Val.getInt().getExtValue()));
  const auto *reference = llvm::dyn_cast<clang::DeclRefExpr>(bare);
  return reference ? VisitDeclRefExpr(reference) : refuse(*bare);
}

Bound Lowering::constantValue(const clang::Expr &expression, const clang::APValue &value) {
  if (value.isFloat()) {
    llvm::APFloat number = value.getFloat();
    bool lost = false;
    number.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &lost);
    return literal(expression, number.convertToDouble());
  }
  if (!value.isStruct())
    return {};
  std::array<Bound, 3> parts;
  for (unsigned k = 0; k < value.getStructNumFields() && k < 3; ++k)
    parts.at(k) = constantValue(expression, value.getStructField(k));
  return add(expression, value.getStructNumFields() == 2 ? ir::Op::Complex : ir::Op::Vec, parts[0],
             parts[1], parts[2]);
}

Bound Lowering::constant(const clang::Expr &expression, const clang::VarDecl &variable) {
  const std::string spelled = variable.getNameAsString();
  if (isVocabulary(variable) && spelled == "i") {
    at(expression);
    return keep(expression, build.unit());
  }
  if (!variable.isConstexpr())
    return {}; // refused already
  const Kind kind = kindOf(source, variable.getType());
  if (!isVocabulary(variable) && kind != Kind::Integer && !checkType(source, variable))
    return {};
  const clang::APValue *value = variable.evaluateValue();
  if (!value)
    return {};
  if (value->isInt()) {
    const auto number = static_cast<double>(value->getInt().getExtValue());
    return kind == Kind::Bool ? boolean(expression, number != 0) : literal(expression, number);
  }
  const Bound result = constantValue(expression, *value);
  return result.what != Bound::Nothing
             ? result
             : report(Diag::Unsupported, expression, {"the constant '" + spelled + "'"});
}

Bound Lowering::alone(const clang::Expr &expression) {
  Names none;
  names = &none;
  const Bound bound = value(lower(&expression));
  names = nullptr;
  return bound;
}

std::vector<double> defaultOf(Source &source, const clang::Expr &value, ir::Type type) {
  ir::Region region; // the rules of the language hold here too: 1 / 3 is refused
  const Bound bound = Lowering(source, region).alone(value);
  if (bound.what != Bound::Value)
    return {};
  region.outputs = {{"", bound.id}};
  const ir::Vector number = ir::evaluate(source.kernel, region, {})[0];
  std::vector<double> numbers;
  const bool vector = type == ir::Type::Vec3 || type == ir::Type::CVec3;
  for (std::size_t k = 0; k < (vector ? 3 : 1); ++k) {
    numbers.push_back(number[k].real());
    if (type == ir::Type::Cplx || type == ir::Type::CVec3)
      numbers.push_back(number[k].imag());
  }
  const bool finite = std::ranges::all_of(numbers, [](double x) { return std::isfinite(x); });
  return finite ? numbers : std::vector<double>{};
}

Bound Lowering::VisitDeclRefExpr(const clang::DeclRefExpr *e) {
  const auto *variable = llvm::dyn_cast<clang::VarDecl>(e->getDecl());
  if (!variable)
    return report(Diag::Unsupported, *e, {"'" + e->getDecl()->getNameAsString() + "' here"});
  if (const auto known = names->find(variable); known != names->end())
    return known->second;
  if (variable->isLocalVarDeclOrParm() && !variable->isConstexpr())
    return {}; // its declaration was refused
  return constant(*e, *variable);
}

} // namespace facet::frontend
