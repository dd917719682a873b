// file_rules.cpp - allow-lists of what stands in a kernel file: declarations, and arithmetic of
// integers wherever it stands. What no kernel calls has lists of statements, expressions and
// attributes too. It is compiled with the rest: a constant, a default or a function found by a
// header runs all the same.
#include "codegen/frontend/kernel.h"
#include <algorithm>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Basic/SourceManager.h>

namespace facet::frontend {

using clang::Decl;
using clang::FixItHint;

namespace {

/// Whether a declaration is written in the kernel file.
bool isWritten(const Decl &decl) {
  const clang::SourceManager &files = decl.getASTContext().getSourceManager();
  return files.isWrittenInMainFile(files.getExpansionLoc(decl.getLocation()));
}

/// What is written there, as a message can quote it.
std::string firstLine(const Source &file, clang::SourceRange range) {
  const std::string text = sourceText(file, range);
  const std::string line = text.substr(0, text.find_first_of("\r\n"));
  return line.size() <= 48 ? line : line.substr(0, 48) + "...";
}

class Declarations {
public:
  explicit Declarations(const Source &file) : file(file) {}

  void within(const clang::DeclContext &scope) {
    for (const Decl *decl : scope.decls())
      if (!decl->isImplicit() && isWritten(*decl))
        check(*decl);
  }
  std::vector<const clang::CXXRecordDecl *> kernels;

private:
  const Source &file;

  bool take(const clang::CXXRecordDecl &decl) {
    const bool kernel = isMarked(decl);
    if (kernel && decl.isThisDeclarationADefinition())
      kernels.push_back(&decl);
    return kernel;
  }
  void refuse(const Decl &decl) {
    if (!decl.isInvalidDecl())
      file.report(Diag::Declaration, decl.getBeginLoc(), {firstLine(file, decl.getSourceRange())});
  }

  void check(const Decl &decl) {
    switch (decl.getKind()) {
    case Decl::AccessSpec:
    case Decl::Empty:
    case Decl::NamespaceAlias:
    case Decl::StaticAssert:
    case Decl::TypeAlias:
    case Decl::Typedef:
    case Decl::Using:
    case Decl::UsingDirective:
    case Decl::UsingShadow:
      return;
    case Decl::Namespace: // facet's own is closed
      return isWritten(*llvm::cast<clang::NamespaceDecl>(decl).getFirstDecl())
                 ? within(llvm::cast<clang::NamespaceDecl>(decl))
                 : refuse(decl);
    case Decl::CXXRecord:
      return record(llvm::cast<clang::CXXRecordDecl>(decl));
    case Decl::ClassTemplate: // kernel.cpp says what is wrong with one that is marked
      return take(*llvm::cast<clang::ClassTemplateDecl>(decl).getTemplatedDecl()) ? void()
                                                                                  : refuse(decl);
    case Decl::Field:
      return state(llvm::cast<clang::FieldDecl>(decl), true);
    case Decl::Var:
      return variable(llvm::cast<clang::VarDecl>(decl));
    case Decl::FunctionTemplate:
      return function(*llvm::cast<clang::FunctionTemplateDecl>(decl).getTemplatedDecl());
    case Decl::Function:
    case Decl::CXXMethod:
    case Decl::CXXConstructor:
    case Decl::CXXDestructor:
    case Decl::CXXConversion:
      return function(llvm::cast<clang::FunctionDecl>(decl));
    default: // asm, extern "C", enum, friend, class templates, ...
      return refuse(decl);
    }
  }

  /// One without a name would be called by the place of its file in what is generated.
  void record(const clang::CXXRecordDecl &decl) {
    if (decl.isUnion() || !decl.getIdentifier())
      return refuse(decl);
    take(decl);
    within(decl);
  }

  /// A variable of a struct: that of a kernel is state; a column of a record is one's own.
  void state(const clang::ValueDecl &decl, bool column) {
    if (isMarked(*llvm::cast<Decl>(decl.getDeclContext())))
      file.report(Diag::KernelState, decl, {written(file, decl.getType())});
    else if (!column)
      refuse(decl);
  }

  void variable(const clang::VarDecl &variable) {
    if (variable.isInvalidDecl() || (variable.isConstexpr() && !variable.getTSCSpec()))
      return;
    if (variable.getTSCSpec() || variable.isOutOfLine())
      refuse(variable);
    else if (variable.getDeclContext()->isRecord())
      state(variable, false);
    else
      file.report(Diag::GlobalState, variable);
  }

  void function(const clang::FunctionDecl &function) {
    const auto *method = llvm::dyn_cast<clang::CXXMethodDecl>(&function);
    const bool home = function.getDeclContext()->isTranslationUnit() ||
                      isWritten(*llvm::cast<Decl>(function.getDeclContext()));
    if (method && !method->isStatic() && home) {
      if (!method->isOutOfLine())
        notStatic(*method);
    } else if (!home || !function.getIdentifier() || function.isMain()) {
      refuse(function); // operators are found by other headers; so are specialisations
    } else if (!function.getDefinition() && !function.isInvalidDecl()) {
      file.report(Diag::FunctionBody, function);
    }
  }

  void notStatic(const clang::CXXMethodDecl &method) {
    const auto insertion = FixItHint::CreateInsertion(method.getOuterLocStart(), "static ");
    if (isMarked(*method.getParent()))
      file.report(Diag::MemberFunction, method, {}, {insertion});
    else
      file.report(Diag::RecordFunction, method.getLocation(),
                  {method.getParent()->getNameAsString(), method.getNameAsString()});
  }
};

/// What an integer expression can be: int is the only integer type, so that int64 holds all sums
/// and products of two.
struct Range {
  std::int64_t least, most;
};

/// C++ drops fractions and wraps, real numbers do neither: what could differ is refused, so that a
/// formula means what it says.
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
      fits(*operation, {operation->getLHS(), operation->getRHS()});
    return true;
  }

  bool VisitUnaryOperator(clang::UnaryOperator *operation) {
    if (operation->getOpcode() == clang::UO_Not)
      file.report(Diag::IntegerOperator, *operation, {"~"});
    else if (operation->getOpcode() == clang::UO_Minus && isInteger(operation->getType()))
      fits(*operation, {operation->getSubExpr()});
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

  /// Refuses sums and products beyond int of what is within.
  void fits(const clang::Expr &expression, std::initializer_list<const clang::Expr *> operands) {
    const auto known = [&](const clang::Expr *operand) { return rangeOf(*operand).has_value(); };
    if (expression.isValueDependent() || expression.containsErrors() ||
        !std::ranges::all_of(operands, known) || rangeOf(expression))
      return;
    const clang::Expr &first = **operands.begin();
    file.report(Diag::IntegerOverflow, expression, {text(expression), real(first)},
                {FixItHint::CreateReplacement(first.getSourceRange(), real(first))});
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
    } else if (const auto *operation = llvm::dyn_cast<clang::BinaryOperator>(&bare)) {
      range = arithmetic(*operation);
    } else if (const auto *operation = llvm::dyn_cast<clang::UnaryOperator>(&bare)) {
      range = rangeOf(*operation->getSubExpr());
      if (range && operation->getOpcode() == clang::UO_Minus)
        range = {-range->most, -range->least};
    } else if (!bare.isValueDependent() && bare.EvaluateAsInt(value, file.context) &&
               value.Val.getInt().isRepresentableByInt64()) {
      const std::int64_t number = value.Val.getInt().getExtValue();
      range = {number, number};
    }
    return range && range->least >= INT32_MIN && range->most <= INT32_MAX ? range : std::nullopt;
  }

  std::optional<Range> arithmetic(const clang::BinaryOperator &operation) const {
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

class Expressions : public clang::RecursiveASTVisitor<Expressions> {
public:
  explicit Expressions(const Source &file) : file(file) {}
  bool shouldVisitTemplateInstantiations() const { return true; }
  /// Its text is said to nobody but the author. Its condition is judged: functions written in there
  /// are compiled like others.
  bool TraverseStaticAssertDecl(clang::StaticAssertDecl *decl) {
    return TraverseStmt(decl->getAssertExpr());
  }

  bool VisitDecl(clang::Decl *decl) {
    for (const clang::Attr *attribute : decl->attrs())
      if (!attribute->isImplicit() && !attribute->isInherited() &&
          !(llvm::isa<clang::AnnotateAttr>(attribute) && isMarked(*decl)))
        refuse(Diag::Attribute, attribute->getRange());
    return true;
  }
  bool VisitAttributedTypeLoc(clang::AttributedTypeLoc type) {
    refuse(Diag::Attribute, type.getAttr()->getRange());
    return true;
  }

  bool VisitVarDecl(clang::VarDecl *variable) {
    if (variable->getTSCSpec() || (variable->isStaticLocal() && !variable->isConstexpr()))
      file.report(Diag::StaticLocal, *variable);
    return true;
  }

  /// What is refused is not looked into: one message is enough.
  bool dataTraverseStmtPre(clang::Stmt *statement) {
    const auto *unary = llvm::dyn_cast<clang::UnaryOperator>(statement);
    const auto *binary = llvm::dyn_cast<clang::BinaryOperator>(statement);
    const bool changes =
        (unary && unary->isIncrementDecrementOp()) || (binary && binary->isAssignmentOp());
    const bool address =
        unary && (unary->getOpcode() == clang::UO_AddrOf || unary->getOpcode() == clang::UO_Deref);
    const bool known = isKnown(statement->getStmtClass()) && !changes && !address;
    if (!known)
      refuse(Diag::Unsupported, statement->getSourceRange());
    return known;
  }

  bool VisitDeclStmt(clang::DeclStmt *statement) {
    for (const clang::Decl *decl : statement->decls())
      if (!llvm::isa<clang::VarDecl, clang::TypedefNameDecl, clang::UsingDecl,
                     clang::UsingDirectiveDecl, clang::StaticAssertDecl>(decl))
        refuse(Diag::Unsupported, decl->getSourceRange());
    return true;
  }

  bool VisitCallExpr(clang::CallExpr *call) {
    const clang::Decl *callee = call->getCalleeDecl();
    if (callee && !isVocabulary(*callee) && !isWritten(*callee))
      refuse(Diag::Unsupported, call->getSourceRange());
    return true;
  }

private:
  const Source &file;

  void refuse(Diag diag, clang::SourceRange range) {
    file.report(diag, range.getBegin(), {"'" + firstLine(file, range) + "'"});
  }

  /// The statements and expressions of the language.
  static bool isKnown(clang::Stmt::StmtClass kind) {
    using clang::Stmt;
    static constexpr Stmt::StmtClass known[] = {
        Stmt::CompoundStmtClass, Stmt::DeclStmtClass, Stmt::NullStmtClass, Stmt::ReturnStmtClass,
        // Numbers, names, operators.
        Stmt::IntegerLiteralClass, Stmt::FloatingLiteralClass, Stmt::CXXBoolLiteralExprClass,
        Stmt::DeclRefExprClass, Stmt::MemberExprClass, Stmt::ParenExprClass,
        Stmt::UnaryOperatorClass, Stmt::BinaryOperatorClass, Stmt::ConditionalOperatorClass,
        Stmt::CallExprClass, Stmt::CXXMemberCallExprClass, Stmt::CXXOperatorCallExprClass,
        // Conversions and what is built.
        Stmt::ImplicitCastExprClass, Stmt::CXXFunctionalCastExprClass, Stmt::CXXConstructExprClass,
        Stmt::CXXTemporaryObjectExprClass, Stmt::CXXScalarValueInitExprClass,
        Stmt::ImplicitValueInitExprClass, Stmt::InitListExprClass,
        // What stands around an expression, or for one.
        Stmt::ConstantExprClass, Stmt::CXXBindTemporaryExprClass, Stmt::CXXDefaultArgExprClass,
        Stmt::CXXDefaultInitExprClass, Stmt::ExprWithCleanupsClass,
        Stmt::MaterializeTemporaryExprClass, Stmt::SubstNonTypeTemplateParmExprClass,
        // Expressions that only templates have.
        Stmt::CXXDependentScopeMemberExprClass, Stmt::CXXUnresolvedConstructExprClass,
        Stmt::DependentScopeDeclRefExprClass, Stmt::ParenListExprClass,
        Stmt::UnresolvedLookupExprClass};
    return llvm::is_contained(known, kind);
  }
};

template <class Visitor> void visitWritten(Visitor visitor, const Source &file) {
  for (Decl *decl : file.context.getTranslationUnitDecl()->decls())
    if (isWritten(*decl))
      visitor.TraverseDecl(decl);
}

} // namespace

std::vector<const clang::CXXRecordDecl *> checkDeclarations(const Source &file) {
  Declarations declarations(file);
  declarations.within(*file.context.getTranslationUnitDecl());
  return declarations.kernels;
}

void checkNumbers(const Source &file) { visitWritten(Numbers(file), file); }

void checkExpressions(const Source &file) { visitWritten(Expressions(file), file); }

} // namespace facet::frontend
