// diagnostics.cpp - the message, then why, as a note without a place.
#include "diagnostics.h"

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
#include "diagnostics.def"
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
  {
    const unsigned id = engine.getDiagnosticIDs()->getCustomDiagID(entry.level, entry.text);
    const clang::DiagnosticBuilder builder = engine.Report(finding.at, id);
    for (const std::string &written : finding.written)
      builder << written;
    for (const clang::SourceRange &range : finding.ranges)
      builder << range;
    for (const clang::FixItHint &fix : finding.fixes)
      builder << fix;
  }
  if (!*entry.note)
    return;
  const clang::DiagnosticBuilder note = engine.Report(
      engine.getDiagnosticIDs()->getCustomDiagID(clang::DiagnosticIDs::Note, entry.note));
  for (const std::string &written : finding.written)
    note << written;
}

} // namespace facet::frontend
