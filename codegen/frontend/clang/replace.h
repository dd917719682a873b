// replace.h - Clang's errors about what is common in kernels, said in facet's words.
#pragma once
#include "codegen/frontend/diagnostics.h"
#include <clang/AST/Type.h>
#include <clang/Basic/LangOptions.h>
#include <clang/Basic/SourceManager.h>

namespace facet::frontend {

/// Passes Clang's diagnostics on to a printer, except those facet has better words for: they are
/// kept, and given by flush() once Clang is done with the file.
class Replacer : public clang::DiagnosticConsumer {
public:
  explicit Replacer(clang::DiagnosticConsumer &printer) : printer(printer) {}
  void BeginSourceFile(const clang::LangOptions &options, const clang::Preprocessor *pp) override;
  void EndSourceFile() override { printer.EndSourceFile(); }
  void HandleDiagnostic(clang::DiagnosticsEngine::Level level,
                        const clang::Diagnostic &info) override;
  /// Reports what was kept, in the order of the file.
  void flush(Reporter &reporter);
  /// Whether the text is no C++: what was read of it would be judged for what it is not.
  bool badSyntax() const { return syntax; }
  /// Reports an error within the built-in headers, where no other error accounts for it.
  void flushHeaders(Reporter &reporter, clang::SourceLocation at);

private:
  clang::DiagnosticConsumer &printer;
  const clang::LangOptions *language = nullptr;
  std::vector<std::pair<Diag, Finding>> kept;
  std::vector<clang::SourceLocation> broken;
  bool skipNotes = false, syntax = false;
  std::string inHeaders; // the first error within the built-in headers

  std::string spelled(clang::QualType type) const;
  bool follows(const clang::Diagnostic &info) const;
  bool replace(const clang::Diagnostic &info);
  bool operands(const clang::Diagnostic &info);
  bool undeclared(const clang::Diagnostic &info, llvm::StringRef name);
  // words.cpp
  bool suggestsKeyword(const clang::Diagnostic &info) const;
  bool vectors(const clang::Diagnostic &info);
  bool subscript(const clang::Diagnostic &info);
  bool called(const clang::Diagnostic &info);
  bool member(const clang::Diagnostic &info);
  bool untyped(const clang::Diagnostic &info);
};

} // namespace facet::frontend
