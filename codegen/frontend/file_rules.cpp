// file_rules.cpp - allow-lists of what stands in a kernel file: tokens, judged before the file is
// read; declarations; and, for what no kernel calls, statements, expressions and attributes: it is
// compiled with the rest, and a constant, a default or a function found by a header runs all the
// same.
#include "codegen/frontend/file_rules.h"
#include <algorithm>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>
#include <cstring>
#include <llvm/ADT/StringExtras.h>

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

/// Without directives and reserved names, what is parsed here is what every compiler sees: a branch
/// of #ifdef __OPTIMIZE__ would not be.
class Tokens {
public:
  Tokens(const clang::SourceManager &files, const clang::LangOptions &language, Reporter &reporter)
      : files(files), language(language), reporter(reporter),
        lexer(files.getMainFileID(), files.getBufferOrFake(files.getMainFileID()), files,
              language) {}

  void check() {
    for (next(); token.isNot(clang::tok::eof);) {
      if (token.is(clang::tok::hash) && token.isAtStartOfLine()) {
        directive();
        continue;
      }
      if (token.is(clang::tok::raw_identifier) && isReserved(spelling()))
        reporter.report(Diag::ReservedName, {token.getLocation(), {}, {spelling()}});
      else if (token.is(clang::tok::numeric_constant))
        number();
      next();
    }
  }

private:
  const clang::SourceManager &files;
  const clang::LangOptions &language;
  Reporter &reporter;
  clang::Lexer lexer;
  clang::Token token;

  void next() { lexer.LexFromRawLexer(token); }
  std::string spelling() const { return clang::Lexer::getSpelling(token, files, language); }

  /// [lex.name]: left to compilers, whose attributes, builtins and macros are named so.
  static bool isReserved(llvm::StringRef name) {
    return name.starts_with("__") || (name.size() > 1 && name[0] == '_' && llvm::isUpper(name[1]));
  }

  /// 1j, 2.5i: an extension of compilers.
  void number() {
    const std::string written = spelling();
    if (!std::strchr("ijIJ", written.back()))
      return;
    const std::string real = written.substr(0, written.size() - 1);
    const std::string better = real == "1" ? "i" : real + " * i";
    const auto fix = clang::FixItHint::CreateReplacement(token.getLocation(), better);
    reporter.report(Diag::Imaginary, {token.getLocation(), {}, {written, better}, {fix}});
  }

  /// From the # to the first token of the next line.
  void directive() {
    const clang::SourceLocation hash = token.getLocation();
    clang::SourceRange argument;
    std::string word, text;
    for (next(); token.isNot(clang::tok::eof) && !token.isAtStartOfLine(); next()) {
      if (word.empty()) {
        word = spelling();
        argument.setBegin(token.getEndLoc());
      } else {
        if (text.empty())
          argument.setBegin(token.getLocation());
        text += spelling();
      }
      argument.setEnd(token.getEndLoc());
    }
    if (word.empty() || (word == "include" && text == "<facet/dsl.h>") ||
        (word == "pragma" && text == "once"))
      return;
    Finding finding{word == "include" ? argument.getBegin() : hash, {}, {text}};
    if (word != "include")
      finding.written = {word};
    else if (text.starts_with("<"))
      finding.fixes = {clang::FixItHint::CreateRemoval(
          clang::CharSourceRange::getCharRange(hash, argument.getEnd()))};
    reporter.report(word != "include"       ? Diag::Directive
                    : text.starts_with("<") ? Diag::StandardHeader
                                            : Diag::Include,
                    finding);
  }
};

class Declarations {
public:
  explicit Declarations(const Source &file) : file(file) {}

  void within(const clang::DeclContext &scope) {
    for (const Decl *decl : scope.decls())
      if (!decl->isImplicit() && isWritten(*decl))
        check(*decl);
  }

private:
  const Source &file;

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
    case Decl::Namespace:
      return space(llvm::cast<clang::NamespaceDecl>(decl));
    case Decl::CXXRecord:
      return within(llvm::cast<clang::CXXRecordDecl>(decl));
    case Decl::ClassTemplate: // kernel.cpp says what is wrong with one that is marked
      return isMarked(*llvm::cast<clang::ClassTemplateDecl>(decl).getTemplatedDecl())
                 ? void()
                 : refuse(decl);
    case Decl::Field:
      if (const auto &field = llvm::cast<clang::FieldDecl>(decl); isMarked(*field.getParent()))
        state(field, *field.getParent());
      return;
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
      file.report(Diag::KernelState, decl, {written(file, decl.getType())});
    else
      refuse(decl);
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
    const auto insertion = clang::FixItHint::CreateInsertion(method.getOuterLocStart(), "static ");
    if (isMarked(*method.getParent()))
      file.report(Diag::MemberFunction, method, {}, {insertion});
    else
      file.report(Diag::RecordFunction, method.getLocation(),
                  {method.getParent()->getNameAsString(), method.getNameAsString()});
  }
};

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

  static bool isKnown(clang::Stmt::StmtClass kind) {
    static constexpr clang::Stmt::StmtClass known[] = {
#define FACET_EXPRESSION(name) clang::Stmt::name##Class,
#include "codegen/frontend/expressions.def"
    };
    return std::ranges::find(known, kind) != std::end(known);
  }
};

} // namespace

bool checkTokens(const clang::SourceManager &files, const clang::LangOptions &language,
                 Reporter &reporter) {
  Tokens(files, language, reporter).check();
  return !reporter.failed();
}

void checkDeclarations(const Source &file) {
  Declarations(file).within(*file.context.getTranslationUnitDecl());
}

void checkExpressions(const Source &file) {
  for (clang::Decl *decl : file.context.getTranslationUnitDecl()->decls())
    if (isWritten(*decl))
      Expressions(file).TraverseDecl(decl);
}

} // namespace facet::frontend
