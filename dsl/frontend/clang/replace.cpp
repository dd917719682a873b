// replace.cpp - keeps Clang's errors that facet has better words for, and passes the rest on.
#include "replace.h"
namespace facet::frontend {
void Replacer::BeginSourceFile(const clang::LangOptions &options, const clang::Preprocessor *pp) {
  language = &options;
  printer.BeginSourceFile(options, pp);
}
void Replacer::HandleDiagnostic(clang::DiagnosticsEngine::Level level,
                                const clang::Diagnostic &info) {
  DiagnosticConsumer::HandleDiagnostic(level, info);
  if (level >= clang::DiagnosticsEngine::Error)
    broken.push_back(info.getLocation());
  printer.HandleDiagnostic(level, info);
}
void Replacer::flush(Reporter &reporter) { reporter.broken = broken; }
} // namespace facet::frontend
