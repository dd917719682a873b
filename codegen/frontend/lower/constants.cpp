// constants.cpp - literals, integers, constants and names to values.
#include "codegen/ir/evaluate.h"
#include "lower.h"
#include <algorithm>
#include <clang/AST/ASTContext.h>
#include <cmath>
#include <llvm/Support/FormatVariadic.h>

namespace facet::frontend {

Bound Lowering::literal(const clang::Expr &expression, double number) {
  if (!std::isfinite(number)) {
    report(Diag::NotFinite, expression, {sourceText(source, expression.getSourceRange())});
    return {};
  }
  at(expression);
  return keep(expression, build.number(number));
}

/// Integers are constants within int, and only added and multiplied: ../file/numbers.cpp.
Bound Lowering::integer(const clang::Expr &expression) {
  const clang::Expr *bare = expression.IgnoreParenImpCasts();
  if (bare->getType()->isBooleanType()) {
    std::string text = sourceText(source, bare->getSourceRange());
    if (!llvm::isa<clang::DeclRefExpr, clang::CallExpr>(bare))
      text = llvm::formatv("({0})", text);
    report(Diag::ConditionNumber, *bare, {std::move(text)});
    return {};
  }
  if (const auto *operation = llvm::dyn_cast<clang::BinaryOperator>(bare)) {
    if (operation->isAssignmentOp())
      return binary(*operation);
    if (!operation->isAdditiveOp() && operation->getOpcode() != clang::BO_Mul)
      return {}; // refused already
    const Bound left = integer(*operation->getLHS()), right = integer(*operation->getRHS());
    if (!operation->isEvaluatable(source.context))
      return add(*operation,
                 operation->getOpcode() == clang::BO_Mul   ? ir::Op::Mul
                 : operation->getOpcode() == clang::BO_Add ? ir::Op::Add
                                                           : ir::Op::Sub,
                 left, right);
  } else if (const auto *operation = llvm::dyn_cast<clang::UnaryOperator>(bare)) {
    if (operation->isIncrementDecrementOp())
      return unary(*operation);
    if (operation->getOpcode() == clang::UO_Not)
      return {};
    const Bound inner = integer(*operation->getSubExpr());
    if (!operation->isEvaluatable(source.context))
      return operation->getOpcode() == clang::UO_Minus ? add(*operation, ir::Op::Neg, inner)
                                                       : inner;
  } else if (const auto *choice = llvm::dyn_cast<clang::ConditionalOperator>(bare)) {
    return choose(*choice);
  } else if (llvm::isa<clang::CallExpr, clang::ExplicitCastExpr>(bare)) {
    return lower(bare);
  } else if (!llvm::isa<clang::IntegerLiteral, clang::DeclRefExpr,
                        clang::SubstNonTypeTemplateParmExpr>(bare)) {
    return refuse(*bare);
  }
  clang::Expr::EvalResult result;
  if (!expression.EvaluateAsInt(result, source.context)) {
    if (const auto *reference = llvm::dyn_cast<clang::DeclRefExpr>(bare))
      return name(*reference);
    return refuse(*bare);
  }
  return literal(*bare, static_cast<double>(result.Val.getInt().getExtValue()));
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
    if (kind != Kind::Bool)
      return literal(expression, number);
    const Bound zero = literal(expression, 0); // the IR has no bool literals: 0 <= 0, or 0 < 0
    return add(expression, number != 0 ? ir::Op::LessEqual : ir::Op::Less, zero, zero);
  }
  const Bound result = constantValue(expression, *value);
  if (result.what == Bound::Nothing)
    report(Diag::Unsupported, expression, {"the constant " + quoted(spelled)});
  return result;
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

Bound Lowering::name(const clang::DeclRefExpr &expression) {
  const auto *variable = llvm::dyn_cast<clang::VarDecl>(expression.getDecl());
  if (!variable) {
    report(Diag::Unsupported, expression,
           {quoted(expression.getDecl()->getNameAsString()) + " here"});
    return {};
  }
  if (const auto known = names->find(variable); known != names->end())
    return known->second;
  if (variable->isLocalVarDeclOrParm() && !variable->isConstexpr())
    return {}; // its declaration was refused
  return constant(expression, *variable);
}

} // namespace facet::frontend
