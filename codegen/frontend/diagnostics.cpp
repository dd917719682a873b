// diagnostics.cpp - the message, then why, as a note without a place.
#include "codegen/frontend/diagnostics.h"

namespace facet::frontend {

namespace {
constexpr auto Error = clang::DiagnosticIDs::Error;
constexpr auto Warning = clang::DiagnosticIDs::Warning;

struct Entry {
  clang::DiagnosticIDs::Level level;
  const char *text;
  const char *note;
};
constexpr Entry entries[] = {
#define FACET_DIAGNOSTIC(Enum, id, severity, text, note) {severity, text " [facet-" id "]", note},
#include "codegen/frontend/diagnostics.def"
};
} // namespace

void Reporter::report(Diag diag, const Finding &finding) {
  const auto index = static_cast<unsigned>(diag);
  if (finding.at.isValid() &&
      !seen.insert({index, finding.at.getRawEncoding(), finding.written}).second)
    return;
  const Entry &entry = entries[index];
  if (entry.level == Error)
    ++errors;
  const auto emit = [&](clang::SourceLocation at, clang::DiagnosticIDs::Level level,
                        const char *text) { // emitted when the builder is destroyed
    const unsigned id = engine.getDiagnosticIDs()->getCustomDiagID(level, text);
    clang::DiagnosticBuilder builder = engine.Report(at, id);
    for (const std::string &written : finding.written)
      builder << written;
    return builder;
  };
  {
    const clang::DiagnosticBuilder message = emit(finding.at, entry.level, entry.text);
    for (const clang::SourceRange &range : finding.ranges)
      message << range;
    for (const clang::FixItHint &fix : finding.fixes)
      message << fix;
  }
  if (*entry.note)
    emit({}, clang::DiagnosticIDs::Note, entry.note);
}

} // namespace facet::frontend
