// declarations.cpp - an allow-list of what stands in a kernel file and its structs.
#include "file.h"
#include <clang/AST/DeclTemplate.h>
#include <clang/Basic/SourceManager.h>

namespace facet::frontend {

using clang::Decl;

bool isWritten(const Decl &decl) {
  const clang::SourceManager &files = decl.getASTContext().getSourceManager();
  return files.isWrittenInMainFile(files.getExpansionLoc(decl.getLocation()));
}

std::string firstLine(const Source &file, clang::SourceRange range) {
  const std::string text = sourceText(file, range);
  const std::string line = text.substr(0, text.find_first_of("\r\n"));
  return line.size() <= 48 ? line : line.substr(0, 48) + "...";
}

namespace {

class Declarations {
public:
  explicit Declarations(const Source &file) : file(file), reporter(file.reporter) {}

  void within(const clang::DeclContext &scope) {
    for (const Decl *decl : scope.decls())
      if (!decl->isImplicit() && isWritten(*decl))
        check(*decl);
  }

private:
  const Source &file;
  Reporter &reporter;

  void refuse(const Decl &decl) {
    if (!decl.isInvalidDecl())
      reporter.report(Diag::Declaration,
                      {decl.getBeginLoc(), {}, {firstLine(file, decl.getSourceRange())}});
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
    case Decl::Namespace:
      return space(llvm::cast<clang::NamespaceDecl>(decl));
    case Decl::CXXRecord:
      return within(llvm::cast<clang::CXXRecordDecl>(decl));
    case Decl::ClassTemplate: // kernel.cpp says what is wrong with one that is marked
      return isMarked(*llvm::cast<clang::ClassTemplateDecl>(decl).getTemplatedDecl())
                 ? void()
                 : refuse(decl);
    case Decl::Field:
      return field(llvm::cast<clang::FieldDecl>(decl));
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

  void space(const clang::NamespaceDecl &space) {
    isWritten(*space.getFirstDecl()) ? within(space) : refuse(space); // facet's own is closed
  }

  void state(const clang::ValueDecl &decl, const clang::RecordDecl &record) {
    if (isMarked(record))
      reporter.report(
          Diag::KernelState,
          {decl.getLocation(), {}, {decl.getNameAsString(), written(file, decl.getType())}});
    else
      refuse(decl);
  }

  void field(const clang::FieldDecl &field) {
    if (isMarked(*field.getParent()))
      state(field, *field.getParent());
  }

  void variable(const clang::VarDecl &variable) {
    if (variable.isInvalidDecl() || (variable.isConstexpr() && !variable.getTSCSpec()))
      return;
    const auto *record = llvm::dyn_cast<clang::RecordDecl>(variable.getDeclContext());
    if (record && !variable.isOutOfLine() && !variable.getTSCSpec())
      state(variable, *record);
    else if (variable.getTSCSpec() || variable.isOutOfLine())
      refuse(variable);
    else
      reporter.report(Diag::GlobalState,
                      {variable.getLocation(), {}, {variable.getNameAsString()}});
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
      reporter.report(Diag::FunctionBody,
                      {function.getLocation(), {}, {function.getNameAsString()}});
    }
  }

  void notStatic(const clang::CXXMethodDecl &method) {
    const auto insertion = clang::FixItHint::CreateInsertion(method.getOuterLocStart(), "static ");
    if (isMarked(*method.getParent()))
      reporter.report(Diag::MemberFunction,
                      {method.getLocation(), {}, {method.getNameAsString()}, {insertion}});
    else
      reporter.report(Diag::RecordFunction,
                      {method.getLocation(),
                       {},
                       {method.getParent()->getNameAsString(), method.getNameAsString()}});
  }
};

} // namespace

void checkDeclarations(const Source &file) {
  Declarations(file).within(*file.context.getTranslationUnitDecl());
}

} // namespace facet::frontend
