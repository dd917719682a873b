// messages.cpp - diagnostics as values, for editors, and the fixes that have one obvious remedy as
// Clang's replacements.
#include "codegen/frontend/diagnostics.h"
#include "codegen/frontend/frontend.h"
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>
#include <clang/Tooling/Core/Replacement.h>

namespace facet::frontend {
namespace {

/// Fixes that are one of several: dot or cross, real or cplx.
bool isOneOfSeveral(llvm::StringRef id) {
  return id == "facet-vector-product" || id == "facet-missing-type" || id == "facet-return-type";
}

void setPlace(const clang::SourceManager &files, unsigned offset, int &line, int &column) {
  const clang::FileID main = files.getMainFileID();
  line = static_cast<int>(files.getLineNumber(main, offset));
  column = static_cast<int>(files.getColumnNumber(main, offset));
}

Change changeOf(const clang::FixItHint &hint, const clang::SourceManager &files,
                const clang::LangOptions &language) {
  const clang::tooling::Replacement bytes(files, hint.RemoveRange, hint.CodeToInsert, language);
  Change change{.offset = bytes.getOffset(),
                .length = bytes.getLength(),
                .text = bytes.getReplacementText().str()};
  setPlace(files, bytes.getOffset(), change.line, change.column);
  setPlace(files, bytes.getOffset() + bytes.getLength(), change.endLine, change.endColumn);
  return change;
}

} // namespace

void Collector::HandleDiagnostic(clang::DiagnosticsEngine::Level level,
                                 const clang::Diagnostic &info) {
  DiagnosticConsumer::HandleDiagnostic(level, info);
  llvm::SmallString<128> said;
  info.FormatDiagnostic(said);
  if (level <= clang::DiagnosticsEngine::Note) {
    if (level == clang::DiagnosticsEngine::Note && info.getLocation().isInvalid() &&
        !messages.empty())
      messages.back().why = said.str().str();
    return;
  }
  const bool error = level >= clang::DiagnosticsEngine::Error;
  Remark message{.severity = error ? "error" : "warning", .text = said.str().str()};
  if (const auto from = said.rfind(" [facet-");
      from != llvm::StringRef::npos && said.back() == ']') {
    message.id = said.substr(from + 2, said.size() - from - 3).str();
    message.text = said.substr(0, from).str();
  }
  if (info.getLocation().isValid())
    place(message, info, error);
  messages.push_back(std::move(message));
}

void Collector::place(Remark &message, const clang::Diagnostic &info, bool error) const {
  const clang::SourceManager &files = info.getSourceManager();
  const clang::SourceLocation at = files.getExpansionLoc(info.getLocation());
  clang::SourceLocation end = clang::Lexer::getLocForEndOfToken(at, 0, files, *language);
  for (const clang::CharSourceRange &range : info.getRanges())
    if (range.getBegin() == info.getLocation())
      end = range.isTokenRange()
                ? clang::Lexer::getLocForEndOfToken(range.getEnd(), 0, files, *language)
                : range.getEnd();
  setPlace(files, files.getFileOffset(at), message.line, message.column);
  const bool ends = end.isValid() && end.isFileID();
  setPlace(files, files.getFileOffset(ends ? end : at), message.endLine, message.endColumn);
  for (const clang::FixItHint &hint : info.getFixItHints())
    message.fix.push_back(changeOf(hint, files, *language));
  message.obvious = error && !message.fix.empty() && !isOneOfSeveral(message.id);
}

std::string mend(const std::string &text, const std::vector<Remark> &messages,
                 std::vector<std::size_t> &taken) {
  clang::tooling::Replacements all;
  for (std::size_t k = 0; k < messages.size(); ++k) {
    if (!messages[k].obvious)
      continue;
    clang::tooling::Replacements with = all;
    bool fits = true;
    for (const Change &change : messages[k].fix)
      if (llvm::Error overlaps = with.add({"kernel", static_cast<unsigned>(change.offset),
                                           static_cast<unsigned>(change.length), change.text})) {
        llvm::consumeError(std::move(overlaps));
        fits = false;
      }
    if (fits) {
      all = with;
      taken.push_back(k);
    }
  }
  llvm::Expected<std::string> mended = clang::tooling::applyAllReplacements(text, all);
  if (mended)
    return *mended;
  llvm::consumeError(mended.takeError());
  taken.clear();
  return text;
}

} // namespace facet::frontend
