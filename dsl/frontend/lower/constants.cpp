// constants.cpp - literals, integers, constants and names to values.
#include "lower.h"
#include <clang/AST/ASTContext.h>
#include <cmath>
#include <llvm/Support/FormatVariadic.h>

namespace facet::frontend {

using clang::FixItHint;

Bound Lowering::literal(const clang::Expr &expression, double number) {
  if (!std::isfinite(number)) {
    report(Diag::NotFinite, expression, {sourceText(source, expression.getSourceRange())});
    return {};
  }
  at(expression);
  return keep(expression, build.number(number));
}

/// Integers are constants; divisions and bit operations on them are refused.
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
    if (operation->getOpcode() == clang::BO_Div) {
      const std::string left = sourceText(source, operation->getLHS()->getSourceRange());
      const std::string right = sourceText(source, operation->getRHS()->getSourceRange());
      const bool number = llvm::isa<clang::IntegerLiteral>(operation->getLHS()->IgnoreParens());
      std::string real = left;
      if (number)
        real += ".0";
      else
        real.insert(0, left.front() == '(' ? "real" : "real(")
            .append(left.front() == '(' ? "" : ")");
      report(Diag::IntegerDivision, *operation, {left + " / " + right, real + " / " + right},
             {FixItHint::CreateReplacement(operation->getLHS()->getSourceRange(), real)});
      return {};
    }
    if (!operation->isAdditiveOp() && operation->getOpcode() != clang::BO_Mul) {
      report(Diag::IntegerOperator, *operation, {operation->getOpcodeStr().str()});
      return {};
    }
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
    if (operation->getOpcode() == clang::UO_Not) {
      report(Diag::IntegerOperator, *operation, {"~"});
      return {};
    }
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
  if (!variable.isConstexpr()) {
    report(Diag::GlobalState, expression, {spelled});
    return {};
  }
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
