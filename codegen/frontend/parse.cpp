// parse.cpp - a kernel file to its kernels: sets Clang up, finds the structs marked FACET_KERNEL.
#include "codegen/frontend/clang_errors.h"
#include "codegen/frontend/file_rules.h"
#include "codegen/frontend/frontend.h"
#include "codegen/frontend/session.h"
#include <clang/AST/ASTConsumer.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Frontend/FrontendAction.h>
#include <clang/Frontend/TextDiagnosticPrinter.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Process.h>
#include <llvm/Support/raw_ostream.h>
#include <optional>
#include <set>

namespace facet::frontend {

namespace {

/// The kernel structs, in the order of the file.
class Finder : public clang::RecursiveASTVisitor<Finder> {
public:
  std::vector<const clang::CXXRecordDecl *> found;
  bool VisitCXXRecordDecl(clang::CXXRecordDecl *decl) {
    if (decl->isThisDeclarationADefinition() && isMarked(*decl))
      found.push_back(decl);
    return true;
  }
};

/// The struct's name from outside; unnamed namespaces are looked through.
std::string typeName(const clang::ASTContext &context, const clang::CXXRecordDecl &decl) {
  clang::PrintingPolicy policy(context.getPrintingPolicy());
  policy.SuppressUnwrittenScope = true;
  std::string name;
  llvm::raw_string_ostream stream(name);
  decl.printQualifiedName(stream, policy);
  return stream.str();
}

/// Reads the kernels once Clang has read the file.
class Action : public clang::ASTFrontendAction {
public:
  Action(Parsed &parsed, Replacer &replacer) : parsed(parsed), replacer(replacer) {}

protected:
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance &,
                                                        llvm::StringRef) override {
    class Consumer : public clang::ASTConsumer {
    public:
      explicit Consumer(Action &action) : action(action) {}
      void HandleTranslationUnit(clang::ASTContext &context) override { action.read(context); }

    private:
      Action &action;
    };
    return std::make_unique<Consumer>(*this);
  }
  void ExecuteAction() override {
    clang::CompilerInstance &instance = getCompilerInstance();
    reporter.emplace(instance.getDiagnostics());
    if (checkTokens(instance.getSourceManager(), instance.getLangOpts(), *reporter))
      clang::ASTFrontendAction::ExecuteAction();
  }

private:
  Parsed &parsed;
  Replacer &replacer;
  std::optional<Reporter> reporter;

  void read(clang::ASTContext &context) {
    replacer.flush(*reporter);
    if (replacer.badSyntax())
      return;
    const Source file{context, *reporter};
    checkDeclarations(file);
    checkNumbers(file);
    Finder finder;
    finder.TraverseDecl(context.getTranslationUnitDecl());
    std::set<std::string> names;
    for (const clang::CXXRecordDecl *decl : finder.found) {
      if (!names.insert(decl->getName().str()).second)
        file.report(Diag::DuplicateKernel, *decl);
      if (auto kernel = readKernel(context, *reporter, *decl)) {
        parsed.kernels.push_back(std::move(*kernel));
        parsed.types.push_back(typeName(context, *decl));
      }
    }
    if (finder.found.empty() && !reporter->failed()) {
      const clang::SourceManager &files = context.getSourceManager();
      const auto main = files.getMainFileID();
      file.report(Diag::NoKernel, files.getLocForStartOfFile(main),
                  {files.getFileEntryRefForID(main)->getName().str()});
    }
    replacer.flushHeaders(*reporter, finder.found.empty() ? clang::SourceLocation()
                                                          : finder.found.front()->getLocation());
    if (!reporter->failed())
      checkExpressions(file);
    if (reporter->failed())
      parsed.kernels.clear(), parsed.types.clear();
  }
};

} // namespace

std::string hashOf(std::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : bytes)
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return llvm::utohexstr(hash, true, 16);
}

Parsed parse(const std::string &path) {
  Parsed parsed;
  const auto text = llvm::MemoryBuffer::getFile(path);
  if (!text) {
    llvm::errs() << path << ": error: " << text.getError().message() << '\n';
    parsed.errors = 1;
    return parsed;
  }
  const MemoryFile file{path, (*text)->getBuffer().str()};
  parsed.hash = hashOf(file.text);
  auto options = llvm::makeIntrusiveRefCnt<clang::DiagnosticOptions>();
  options->ShowColors = llvm::sys::Process::StandardErrHasColors();
  clang::TextDiagnosticPrinter printer(llvm::errs(), options.get());
  Replacer replacer(printer);
  // Exceptions are on so that throw is refused in facet's words; unused values, missing returns
  // and what integers lose are facet's to report.
  const auto instance =
      makeSession({"-fsyntax-only", "-fcxx-exceptions", "-fexceptions", "-fparse-all-comments",
                   "-Wno-unused-value", "-Wno-return-type", "-Wno-unused-comparison",
                   "-Wno-integer-overflow", "-Wno-literal-conversion"},
                  replacer, file, Disk::Hidden);
  if (instance) {
    Action action(parsed, replacer);
    instance->ExecuteAction(action);
  }
  parsed.errors = static_cast<int>(replacer.getNumErrors());
  parsed.warnings = static_cast<int>(replacer.getNumWarnings());
  if (!instance && parsed.errors == 0)
    parsed.errors = 1;
  return parsed;
}

} // namespace facet::frontend
