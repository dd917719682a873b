// numbers.cpp - arithmetic of integers, wherever it stands. C++ drops fractions and wraps, real
// numbers do neither: what could differ is refused, so that a formula means what it says.
#include "codegen/frontend/file_rules.h"
#include <clang/AST/RecursiveASTVisitor.h>

namespace facet::frontend {

using clang::FixItHint;

namespace {

/// What an integer expression can be; int is the only integer type, so that int64 holds all sums
/// and products of two.
struct Range {
  std::int64_t least, most;
};

class Numbers : public clang::RecursiveASTVisitor<Numbers> {
public:
  explicit Numbers(const Source &file) : file(file) {}
  bool shouldVisitTemplateInstantiations() const { return true; }
  bool TraverseSubstNonTypeTemplateParmExpr(clang::SubstNonTypeTemplateParmExpr *) {
    return true; // the argument is judged where it is written
  }
  bool TraverseLinkageSpecDecl(clang::LinkageSpecDecl *) { return true; } // refused as a whole

  bool VisitBinaryOperator(clang::BinaryOperator *operation) {
    if (!isInteger(operation->getType()) || operation->isAssignmentOp() || operation->isCommaOp())
      return true;
    if (operation->getOpcode() == clang::BO_Div)
      division(*operation);
    else if (!operation->isAdditiveOp() && operation->getOpcode() != clang::BO_Mul)
      file.report(Diag::IntegerOperator, *operation, {operation->getOpcodeStr().str()});
    else
      fits(*operation);
    return true;
  }

  bool VisitUnaryOperator(clang::UnaryOperator *operation) {
    if (operation->getOpcode() == clang::UO_Not)
      file.report(Diag::IntegerOperator, *operation, {"~"});
    else if (operation->getOpcode() == clang::UO_Minus && isInteger(operation->getType()))
      fits(*operation);
    return true;
  }

  bool VisitIntegerLiteral(clang::IntegerLiteral *literal) {
    if (literal->getType() != file.context.IntTy)
      file.report(Diag::IntegerLiteral, *literal, {text(*literal)});
    return true;
  }

  bool VisitFloatingLiteral(clang::FloatingLiteral *number) {
    if (number->getType().getCanonicalType() == file.context.DoubleTy)
      return true;
    const std::string written = text(*number);
    const auto last = number->getBeginLoc().getLocWithOffset(static_cast<int>(written.size()) - 1);
    file.report(Diag::FloatLiteral, *number, {written, written.substr(written.size() - 1)},
                {FixItHint::CreateRemoval(
                    clang::CharSourceRange::getCharRange(last, last.getLocWithOffset(1)))});
    return true;
  }

  bool VisitImplicitCastExpr(clang::ImplicitCastExpr *cast) {
    if (cast->getCastKind() == clang::CK_FloatingToIntegral && !cast->isPartOfExplicitCast() &&
        file.reporter.broken.empty()) // if a type is left out, Clang takes int
      file.report(Diag::Narrowing, *cast->getSubExpr(), {text(*cast->getSubExpr())});
    return true;
  }

  /// real(x) and cplx(x) are how a number is written as another kind; (real)x and int(x) are not.
  bool VisitExplicitCastExpr(clang::ExplicitCastExpr *cast) {
    if (llvm::isa<clang::CXXFunctionalCastExpr>(cast) && !cast->getType()->isIntegerType())
      return true;
    const std::string inner = text(*cast->getSubExpr()->IgnoreImplicit());
    const clang::SourceRange range = cast->getSourceRange();
    file.report(Diag::Cast, range, {}, {FixItHint::CreateReplacement(range, inner)});
    return true;
  }

  bool VisitValueDecl(clang::ValueDecl *decl) {
    const auto *function = llvm::dyn_cast<clang::FunctionDecl>(decl);
    const clang::QualType type = function ? function->getReturnType() : decl->getType();
    if (llvm::isa<clang::VarDecl, clang::FunctionDecl, clang::NonTypeTemplateParmDecl>(decl) &&
        type->isIntegerType() && !isSmall(type))
      file.report(Diag::IntegerType, *decl, {written(file, type)});
    return true;
  }

private:
  const Source &file;

  bool isSmall(clang::QualType type) const {
    return type->isBooleanType() ||
           type.getCanonicalType().getUnqualifiedType() == file.context.IntTy;
  }
  static bool isInteger(clang::QualType type) {
    return type->isIntegerType() && !type->isBooleanType();
  }
  std::string text(const clang::Expr &expression) const {
    return sourceText(file, expression.getSourceRange());
  }

  /// An operand as a real number: 1.0, real(n), real(n + 1).
  std::string real(const clang::Expr &operand) const {
    const std::string written = text(operand);
    if (llvm::isa<clang::IntegerLiteral>(operand.IgnoreParenImpCasts()))
      return written + ".0";
    return written.front() == '(' ? "real" + written : "real(" + written + ")";
  }

  void division(const clang::BinaryOperator &operation) {
    const std::string right = " / " + text(*operation.getRHS()), left = real(*operation.getLHS());
    file.report(Diag::IntegerDivision, operation, {text(*operation.getLHS()) + right, left + right},
                {FixItHint::CreateReplacement(operation.getLHS()->getSourceRange(), left)});
  }

  /// Refuses sums and products beyond int.
  void fits(const clang::Expr &expression) {
    if (expression.isValueDependent() || expression.containsErrors())
      return;
    const auto range = arithmetic(expression);
    if (!range || inside(*range))
      return;
    const auto *operation = llvm::dyn_cast<clang::BinaryOperator>(&expression);
    const clang::Expr &first = operation
                                   ? *operation->getLHS()
                                   : *llvm::cast<clang::UnaryOperator>(expression).getSubExpr();
    file.report(Diag::IntegerOverflow, expression, {text(expression), real(first)},
                {FixItHint::CreateReplacement(first.getSourceRange(), real(first))});
  }

  static bool inside(const Range &range) {
    return range.least >= INT32_MIN && range.most <= INT32_MAX;
  }

  /// The values that an integer expression can have, if they are within int.
  std::optional<Range> rangeOf(const clang::Expr &expression) const {
    const clang::Expr &bare = *expression.IgnoreParenImpCasts();
    clang::Expr::EvalResult value;
    std::optional<Range> range;
    if (const auto *choice = llvm::dyn_cast<clang::ConditionalOperator>(&bare)) {
      const auto yes = rangeOf(*choice->getTrueExpr()), no = rangeOf(*choice->getFalseExpr());
      if (yes && no)
        range = {std::min(yes->least, no->least), std::max(yes->most, no->most)};
    } else if (llvm::isa<clang::BinaryOperator, clang::UnaryOperator>(bare)) {
      range = arithmetic(bare);
    } else if (!bare.isValueDependent() && bare.EvaluateAsInt(value, file.context) &&
               value.Val.getInt().isRepresentableByInt64()) {
      const std::int64_t number = value.Val.getInt().getExtValue();
      range = {number, number};
    }
    return range && inside(*range) ? range : std::nullopt;
  }

  std::optional<Range> arithmetic(const clang::Expr &expression) const {
    if (const auto *operation = llvm::dyn_cast<clang::UnaryOperator>(&expression)) {
      const auto inner = rangeOf(*operation->getSubExpr());
      const bool minus = operation->getOpcode() == clang::UO_Minus;
      return inner && minus ? Range{-inner->most, -inner->least} : inner;
    }
    const auto &operation = llvm::cast<clang::BinaryOperator>(expression);
    const auto a = rangeOf(*operation.getLHS()), b = rangeOf(*operation.getRHS());
    if (!a || !b)
      return {};
    switch (operation.getOpcode()) {
    case clang::BO_Add:
      return Range{a->least + b->least, a->most + b->most};
    case clang::BO_Sub:
      return Range{a->least - b->most, a->most - b->least};
    case clang::BO_Mul: {
      const auto ends = {a->least * b->least, a->least * b->most, a->most * b->least,
                         a->most * b->most};
      return Range{std::min(ends), std::max(ends)};
    }
    default:
      return {};
    }
  }
};

} // namespace

void checkNumbers(const Source &file) {
  for (clang::Decl *decl : file.context.getTranslationUnitDecl()->decls())
    if (isWritten(*decl))
      Numbers(file).TraverseDecl(decl);
}

} // namespace facet::frontend
