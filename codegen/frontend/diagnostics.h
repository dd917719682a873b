// diagnostics.h - emits the messages of diagnostics.def through Clang, so that carets, ranges and
// fix-its look native.
#pragma once
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
  clang::SourceLocation at;
  std::vector<clang::SourceRange> ranges = {};
  std::vector<std::string> written = {};
  std::vector<clang::FixItHint> fixes = {};
};

/// The same message at the same place is given once, however often a function is inlined.
class Reporter {
public:
  explicit Reporter(clang::DiagnosticsEngine &engine) : engine(engine) {}
  void report(Diag diag, const Finding &finding);
  /// Errors reported so far, those of Clang included.
  bool failed() const { return errors > 0 || engine.hasErrorOccurred(); }
  int ownErrors() const { return errors; }
  /// Where Clang itself found errors; what stands there is not judged a second time.
  std::vector<clang::SourceLocation> broken;

private:
  clang::DiagnosticsEngine &engine;
  std::set<std::tuple<unsigned, unsigned, std::vector<std::string>>> seen;
  int errors = 0;
};

} // namespace facet::frontend
