// reader.h - the file around a place, and what Clang's diagnostics are about.
#pragma once
#include <clang/AST/DeclarationName.h>
#include <clang/AST/Type.h>
#include <clang/Basic/Diagnostic.h>
#include <clang/Basic/IdentifierTable.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>
#include <optional>
#include <string>

namespace facet::frontend {

/// Reads the file around a place.
struct Reader {
  const clang::SourceManager &files;
  const clang::LangOptions &language;

  std::string text(clang::CharSourceRange range) const {
    return clang::Lexer::getSourceText(range, files, language).str();
  }
  std::string token(clang::SourceLocation at) const {
    llvm::SmallString<32> buffer;
    return clang::Lexer::getSpelling(at, buffer, files, language).str();
  }
  std::optional<clang::Token> next(clang::SourceLocation at) const {
    return clang::Lexer::findNextToken(at, files, language);
  }
};

inline clang::QualType typeArgument(const clang::Diagnostic &info, unsigned k) {
  if (k >= info.getNumArgs() || info.getArgKind(k) != clang::DiagnosticsEngine::ak_qualtype)
    return {};
  // NOLINTNEXTLINE(performance-no-int-to-ptr): how Clang keeps types in diagnostics
  return clang::QualType::getFromOpaquePtr(reinterpret_cast<void *>(info.getRawArg(k)));
}

inline std::string nameArgument(const clang::Diagnostic &info, unsigned k) {
  if (k >= info.getNumArgs())
    return {};
  switch (info.getArgKind(k)) {
  case clang::DiagnosticsEngine::ak_identifierinfo:
    return info.getArgIdentifier(k)->getName().str();
  case clang::DiagnosticsEngine::ak_declarationname:
    return clang::DeclarationName::getFromOpaqueInteger(info.getRawArg(k)).getAsString();
  case clang::DiagnosticsEngine::ak_std_string:
    return info.getArgStdStr(k);
  default:
    return {};
  }
}

} // namespace facet::frontend
