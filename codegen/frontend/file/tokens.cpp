// tokens.cpp - directives and reserved names, judged before the file is read: with neither, what is
// parsed here is what every compiler sees. A branch of #ifdef __OPTIMIZE__ would not be.
#include "file.h"
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>
#include <cstring>
#include <llvm/ADT/StringExtras.h>

namespace facet::frontend {

namespace {

class Tokens {
public:
  Tokens(const clang::SourceManager &files, const clang::LangOptions &language, Reporter &reporter)
      : files(files), language(language), reporter(reporter),
        lexer(files.getMainFileID(), files.getBufferOrFake(files.getMainFileID()), files,
              language) {}

  void check() {
    for (next(); token.isNot(clang::tok::eof);) {
      if (token.is(clang::tok::hash) && token.isAtStartOfLine()) {
        directive();
        continue;
      }
      if (token.is(clang::tok::raw_identifier) && isReserved(spelling()))
        reporter.report(Diag::ReservedName, {token.getLocation(), {}, {spelling()}});
      else if (token.is(clang::tok::numeric_constant))
        number();
      next();
    }
  }

private:
  const clang::SourceManager &files;
  const clang::LangOptions &language;
  Reporter &reporter;
  clang::Lexer lexer;
  clang::Token token;

  void next() { lexer.LexFromRawLexer(token); }
  std::string spelling() const { return clang::Lexer::getSpelling(token, files, language); }

  /// [lex.name]: left to compilers, whose attributes, builtins and macros are named so.
  static bool isReserved(llvm::StringRef name) {
    return name.starts_with("__") || (name.size() > 1 && name[0] == '_' && llvm::isUpper(name[1]));
  }

  /// 1j, 2.5i: an extension of compilers.
  void number() {
    const std::string written = spelling();
    if (!std::strchr("ijIJ", written.back()))
      return;
    const std::string real = written.substr(0, written.size() - 1);
    const std::string better = real == "1" ? "i" : real + " * i";
    reporter.report(Diag::Imaginary,
                    {token.getLocation(),
                     {},
                     {written, better},
                     {clang::FixItHint::CreateReplacement(token.getLocation(), better)}});
  }

  /// From the # to the first token of the next line.
  void directive() {
    const clang::SourceLocation hash = token.getLocation();
    clang::SourceRange argument;
    std::string word, text;
    for (next(); token.isNot(clang::tok::eof) && !token.isAtStartOfLine(); next()) {
      if (word.empty()) {
        word = spelling();
        argument.setBegin(token.getEndLoc());
      } else {
        if (text.empty())
          argument.setBegin(token.getLocation());
        text += spelling();
      }
      argument.setEnd(token.getEndLoc());
    }
    if (word.empty() || (word == "include" && text == "<facet/dsl.h>") ||
        (word == "pragma" && text == "once"))
      return;
    Finding finding{word == "include" ? argument.getBegin() : hash, {}, {text}};
    if (word != "include")
      finding.written = {word};
    else if (text.starts_with("<"))
      finding.fixes = {clang::FixItHint::CreateRemoval(
          clang::CharSourceRange::getCharRange(hash, argument.getEnd()))};
    reporter.report(word != "include"       ? Diag::Directive
                    : text.starts_with("<") ? Diag::StandardHeader
                                            : Diag::Include,
                    finding);
  }
};

} // namespace

bool checkTokens(const clang::SourceManager &files, const clang::LangOptions &language,
                 Reporter &reporter) {
  Tokens(files, language, reporter).check();
  return !reporter.failed();
}

} // namespace facet::frontend
