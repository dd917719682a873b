// diagnostics.h - the messages of diagnostics.def, emitted through Clang, so that carets, ranges
// and fix-its look native; and Clang's errors about what is common in kernels, said in facet's
// words.
#pragma once
#include "codegen/frontend/frontend.h"
#include <clang/Basic/Diagnostic.h>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace facet::frontend {

enum class Diag : unsigned {
#define FACET_DIAGNOSTIC(Enum, id, severity, text, note) Enum,
#include "diagnostics.def"
};

/// What was found: where, what to underline, what was written, what to write instead.
struct Finding {
  Diag diag;
  clang::SourceLocation at;
  std::vector<clang::SourceRange> ranges = {};
  std::vector<std::string> written = {};
  std::vector<clang::FixItHint> fixes = {};
};

/// The same message at the same place is given once, however often a function is inlined.
class Reporter {
public:
  explicit Reporter(clang::DiagnosticsEngine &engine) : engine(engine) {}
  void report(const Finding &finding);
  /// Errors reported so far, those of Clang included.
  bool failed() const { return errors > 0 || engine.hasErrorOccurred(); }
  int ownErrors() const { return errors; }
  /// Where Clang itself found errors; what stands there is not judged a second time.
  std::vector<clang::SourceLocation> broken;

private:
  clang::DiagnosticsEngine &engine;
  std::set<std::tuple<Diag, unsigned, std::vector<std::string>>> seen;
  int errors = 0;
};

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
      reporter.report({Diag::HeaderTypes, at, {}, {inHeaders}});
  }

private:
  clang::DiagnosticConsumer &printer;
  const clang::LangOptions *language = nullptr;
  std::vector<Finding> kept;
  std::vector<clang::SourceLocation> broken;
  bool skipNotes = false, syntax = false;
  std::string inHeaders; // the first error within the built-in headers
};

/// Keeps diagnostics as values (messages.cpp). A note without a place is why the one before is
/// said.
class Collector : public clang::DiagnosticConsumer {
public:
  explicit Collector(std::vector<Remark> &messages) : messages(messages) {}
  void BeginSourceFile(const clang::LangOptions &options, const clang::Preprocessor *) override {
    language = &options;
  }
  void HandleDiagnostic(clang::DiagnosticsEngine::Level level,
                        const clang::Diagnostic &info) override;

private:
  std::vector<Remark> &messages;
  const clang::LangOptions *language = nullptr;

  void place(Remark &message, const clang::Diagnostic &info, bool error) const;
};

} // namespace facet::frontend
