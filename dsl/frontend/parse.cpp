// parse.cpp - a kernel file to its kernels: sets Clang up, finds the structs marked FACET_KERNEL.
#include "frontend.h"
#include "kernel.h"
#include "clang/replace.h"
#include "clang/session.h"
#include <algorithm>
#include <clang/AST/ASTConsumer.h>
#include <clang/AST/Attr.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Frontend/FrontendAction.h>
#include <clang/Frontend/TextDiagnosticPrinter.h>
#include <clang/Lex/PPCallbacks.h>
#include <clang/Lex/Preprocessor.h>
#include <llvm/Support/Process.h>
#include <llvm/Support/raw_ostream.h>

namespace facet::frontend {

namespace {

/// What the parts of one run share.
struct Run {
  Parsed &parsed;
  Replacer &replacer;
  std::unique_ptr<Reporter> reporter;
};

/// The kernel structs, in the order of the file.
class Finder : public clang::RecursiveASTVisitor<Finder> {
public:
  std::vector<const clang::CXXRecordDecl *> found;
  bool VisitCXXRecordDecl(clang::CXXRecordDecl *decl) {
    const auto marked = [](const clang::AnnotateAttr *attribute) {
      return attribute->getAnnotation() == "facet_kernel";
    };
    if (decl->isThisDeclarationADefinition() &&
        std::ranges::any_of(decl->specific_attrs<clang::AnnotateAttr>(), marked))
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

class Consumer : public clang::ASTConsumer {
public:
  explicit Consumer(Run &run) : run(run) {}

  void HandleTranslationUnit(clang::ASTContext &context) override {
    Reporter &reporter = *run.reporter;
    run.replacer.flush(reporter);
    if (run.replacer.badSyntax())
      return;
    Finder finder;
    finder.TraverseDecl(context.getTranslationUnitDecl());
    std::vector<std::string> names;
    for (const clang::CXXRecordDecl *decl : finder.found) {
      const std::string name = decl->getName().str();
      if (std::ranges::find(names, name) != names.end())
        reporter.report(Diag::DuplicateKernel, {decl->getLocation(), {}, {name}});
      names.push_back(name);
      if (auto kernel = readKernel(context, reporter, *decl)) {
        run.parsed.kernels.push_back(std::move(*kernel));
        run.parsed.types.push_back(typeName(context, *decl));
      }
    }
    if (finder.found.empty() && !reporter.failed()) {
      const clang::SourceManager &files = context.getSourceManager();
      const auto main = files.getMainFileID();
      reporter.report(Diag::NoKernel, {files.getLocForStartOfFile(main),
                                       {},
                                       {files.getFileEntryRefForID(main)->getName().str()}});
    }
    run.replacer.flushHeaders(reporter, finder.found.empty() ? clang::SourceLocation()
                                                             : finder.found.front()->getLocation());
    if (reporter.failed())
      run.parsed.kernels.clear(), run.parsed.types.clear();
    readFiles(context.getSourceManager());
  }

private:
  Run &run;

  /// What the result depends on: every file but the built-in ones, the main file first.
  void readFiles(const clang::SourceManager &files) {
    const clang::FileEntry *main = files.getFileEntryForID(files.getMainFileID());
    for (auto it = files.fileinfo_begin(); it != files.fileinfo_end(); ++it) {
      const llvm::StringRef path = it->first.getName();
      const auto buffer = it->second->getBufferDataIfLoaded();
      if (path.starts_with(headerFolder) || !buffer)
        continue;
      FileRead read{path.str(), hashOf({buffer->data(), buffer->size()})};
      if (&it->first.getFileEntry() == main)
        run.parsed.files.insert(run.parsed.files.begin(), std::move(read));
      else
        run.parsed.files.push_back(std::move(read));
    }
    if (run.parsed.files.size() > 1)
      std::ranges::sort(run.parsed.files.begin() + 1, run.parsed.files.end(), {}, &FileRead::path);
  }
};

/// Headers that are not found: no search path would help, so say what does.
class Includes : public clang::PPCallbacks {
public:
  explicit Includes(Reporter &reporter) : reporter(reporter) {}
  bool FileNotFound(llvm::StringRef) override { return true; }
  void InclusionDirective(clang::SourceLocation hash, const clang::Token &, llvm::StringRef name,
                          bool angled, clang::CharSourceRange range,
                          clang::OptionalFileEntryRef file, llvm::StringRef, llvm::StringRef,
                          const clang::Module *, bool, clang::SrcMgr::CharacteristicKind) override {
    if (file)
      return;
    Finding finding{range.getBegin(), {}, {name.str()}};
    if (angled)
      finding.fixes = {clang::FixItHint::CreateRemoval(
          clang::CharSourceRange::getCharRange(hash, range.getEnd()))};
    reporter.report(angled ? Diag::StandardHeader : Diag::HeaderMissing, finding);
  }

private:
  Reporter &reporter;
};

class Action : public clang::ASTFrontendAction {
public:
  explicit Action(Run &run) : run(run) {}

protected:
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance &instance,
                                                        llvm::StringRef) override {
    run.reporter = std::make_unique<Reporter>(instance.getDiagnostics());
    instance.getPreprocessor().addPPCallbacks(std::make_unique<Includes>(*run.reporter));
    return std::make_unique<Consumer>(run);
  }

private:
  Run &run;
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
  auto options = llvm::makeIntrusiveRefCnt<clang::DiagnosticOptions>();
  options->ShowColors = llvm::sys::Process::StandardErrHasColors();
  clang::TextDiagnosticPrinter printer(llvm::errs(), options.get());
  Replacer replacer(printer);
  Run run{parsed, replacer, {}};
  // Exceptions are on so that throw is refused in facet's words; unused values and missing returns
  // are facet's to report.
  const auto instance =
      makeSession({"-fsyntax-only", "-fcxx-exceptions", "-fexceptions", "-fparse-all-comments",
                   "-Wno-unused-value", "-Wno-return-type", "-Wno-unused-comparison", path},
                  replacer);
  if (instance) {
    Action action(run);
    instance->ExecuteAction(action);
  }
  parsed.errors = static_cast<int>(replacer.getNumErrors());
  parsed.warnings = static_cast<int>(replacer.getNumWarnings());
  if (!instance && parsed.errors == 0)
    parsed.errors = 1;
  return parsed;
}

} // namespace facet::frontend
