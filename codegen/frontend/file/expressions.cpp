// expressions.cpp - an allow-list of statements, expressions and attributes, for what no kernel
// calls: it is compiled with the rest, and a constant, a default or a function found by a header
// runs all the same.
#include "file.h"
#include <algorithm>
#include <clang/AST/RecursiveASTVisitor.h>

namespace facet::frontend {

namespace {

class Expressions : public clang::RecursiveASTVisitor<Expressions> {
public:
  explicit Expressions(const Source &file) : file(file) {}
  bool shouldVisitTemplateInstantiations() const { return true; }
  bool TraverseStaticAssertDecl(clang::StaticAssertDecl *) { return true; } // never runs

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
      file.reporter.report(Diag::StaticLocal,
                           {variable->getLocation(), {}, {variable->getNameAsString()}});
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
    file.reporter.report(diag, {range.getBegin(), {}, {"'" + firstLine(file, range) + "'"}});
  }

  static bool isKnown(clang::Stmt::StmtClass kind) {
    static constexpr clang::Stmt::StmtClass known[] = {
#define FACET_EXPRESSION(name) clang::Stmt::name##Class,
#include "expressions.def"
    };
    return std::ranges::find(known, kind) != std::end(known);
  }
};

} // namespace

void checkExpressions(const Source &file) {
  for (clang::Decl *decl : file.context.getTranslationUnitDecl()->decls())
    if (isWritten(*decl))
      Expressions(file).TraverseDecl(decl);
}

} // namespace facet::frontend
