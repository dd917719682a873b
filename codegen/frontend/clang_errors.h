// clang_errors.h - Clang's errors about what is common in kernels, said in facet's words.
#pragma once
#include "codegen/frontend/diagnostics.h"
#include <clang/Basic/LangOptions.h>

namespace facet::frontend {

struct Message;

/// Passes Clang's diagnostics on to a printer, except those facet has better words for: they are
/// kept, and given by flush() once Clang is done with the file.
class Replacer : public clang::DiagnosticConsumer {
public:
  explicit Replacer(clang::DiagnosticConsumer &printer) : printer(printer) {}
  void BeginSourceFile(const clang::LangOptions &options, const clang::Preprocessor *pp) override {
    language = &options;
    printer.BeginSourceFile(options, pp);
  }
  void EndSourceFile() override { printer.EndSourceFile(); }
  void HandleDiagnostic(clang::DiagnosticsEngine::Level level,
                        const clang::Diagnostic &info) override;
  /// Reports what was kept, in the order of the file.
  void flush(Reporter &reporter);
  /// Whether the text is not C++, so that judging what was read of it would mislead.
  bool badSyntax() const { return syntax; }
  /// Reports an error within the built-in headers, if no other error accounts for it.
  void flushHeaders(Reporter &reporter, clang::SourceLocation at) {
    if (!inHeaders.empty() && getNumErrors() == 0)
      reporter.report(Diag::HeaderTypes, {at, {}, {inHeaders}});
  }

private:
  clang::DiagnosticConsumer &printer;
  const clang::LangOptions *language = nullptr;
  std::vector<std::pair<Diag, Finding>> kept;
  std::vector<clang::SourceLocation> broken;
  bool skipNotes = false, syntax = false;
  std::string inHeaders; // the first error within the built-in headers

  /// Keeps a finding; true, since it replaces what Clang says.
  bool keep(Diag diag, Finding finding);
  bool follows(const Message &message) const;
  // Each says whether it has kept something in the place of the message.
  bool replace(const Message &message);
  bool operands(const Message &message);
  bool vectors(const Message &message);
  bool subscript(const Message &message);
  bool undeclared(const Message &message);
  bool ofStd(const Message &message);
  bool power(const Message &message);
  bool called(const Message &message);
  bool member(const Message &message);
  bool untyped(const Message &message);
};

} // namespace facet::frontend
