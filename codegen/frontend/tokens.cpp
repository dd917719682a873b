// tokens.cpp - what a kernel file is written with, judged before it is read: characters, lengths,
// directives, names. Clang reads a file of bounded size and depth then, and what it reads is what
// every compiler sees: a branch of #ifdef __OPTIMIZE__ would not be.
#include "codegen/frontend/kernel.h"
#include <clang/Basic/IdentifierTable.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>
#include <cstring>
#include <llvm/ADT/StringExtras.h>
#include <llvm/Support/ConvertUTF.h>

namespace facet::frontend {

using clang::FixItHint;
namespace tok = clang::tok;

namespace {

// Most words and signs in a statement, brackets one in another, characters in a name or number.
// They are far beyond what people write, and the recursions of Clang and of facet have room for
// them.
constexpr unsigned mostTokens = 1000, mostBrackets = 100, mostCharacters = 100;

/// Whether nothing is shown for a code point: the letters without width, selectors of variants,
/// tags and fillers of Unicode's Default_Ignorable_Code_Point (DerivedCoreProperties.txt).
bool isInvisible(llvm::UTF32 c) {
  struct Range {
    llvm::UTF32 first, last;
  };
  static constexpr Range ranges[] = {
      {0xad, 0xad},     {0x34f, 0x34f},     {0x115f, 0x1160},   {0x17b4, 0x17b5},
      {0x180b, 0x180f}, {0x200b, 0x200d},   {0x2060, 0x2065},   {0x206a, 0x206f},
      {0x3164, 0x3164}, {0xfe00, 0xfe0f},   {0xfeff, 0xfeff},   {0xffa0, 0xffa0},
      {0xfff0, 0xfffb}, {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff}};
  return llvm::any_of(ranges, [c](Range range) { return range.first <= c && c <= range.last; });
}

/// Why a code point does not belong in a file that people read; "" if it does.
std::string wrongCharacter(llvm::UTF32 c) {
  const bool control = (c < 0x20 && c != '\t' && c != '\n' && c != '\r') || (c >= 0x7f && c < 0xa0);
  // Unicode Standard Annex 9 (bidirectional text): what is shown in another order than it stands.
  const bool order = c == 0x061c || c == 0x200e || c == 0x200f || (c >= 0x202a && c <= 0x202e) ||
                     (c >= 0x2066 && c <= 0x2069);
  const bool line = c == 0x2028 || c == 0x2029;
  std::string digits = llvm::utohexstr(c);
  const std::string name = "U+" + digits.insert(0, digits.size() < 4 ? 4 - digits.size() : 0, '0');
  return control          ? "the control character " + name
         : order          ? "the direction mark " + name
         : line           ? "the line separator " + name
         : isInvisible(c) ? "the invisible character " + name
                          : "";
}

/// Whether a word of C++ can stand in a file that is accepted. The others are refused with better
/// words by what reads them; this is what no gap there lets through.
bool isOfLanguage(tok::TokenKind kind) {
  static constexpr tok::TokenKind known[] = {
      // What is declared.
      tok::kw_namespace, tok::kw_using, tok::kw_typedef, tok::kw_struct, tok::kw_class,
      tok::kw_public, tok::kw_private, tok::kw_protected, tok::kw_template, tok::kw_typename,
      tok::kw_static, tok::kw_inline, tok::kw_const, tok::kw_constexpr, tok::kw_consteval,
      tok::kw_static_assert, tok::kw_return,
      // Types and values; of integers and float file_rules.cpp says more.
      tok::kw_auto, tok::kw_bool, tok::kw_int, tok::kw_long, tok::kw_double, tok::kw_true,
      tok::kw_false, tok::identifier, tok::raw_identifier, tok::numeric_constant,
      tok::string_literal,
      // Signs. Not [ or ], with which arrays, attributes and lambdas are written, nor # and its
      // like.
      tok::l_paren, tok::r_paren, tok::l_brace, tok::r_brace, tok::comma, tok::semi, tok::period,
      tok::coloncolon, tok::colon, tok::question, tok::plus, tok::minus, tok::star, tok::slash,
      tok::less, tok::greater, tok::lessequal, tok::greaterequal, tok::equalequal,
      tok::exclaimequal, tok::equal, tok::exclaim, tok::ampamp, tok::pipepipe, tok::amp,
      tok::greatergreater};
  return llvm::is_contained(known, kind);
}

/// What Clang would look for a standard header for, and say so in words of its own.
bool needsHeader(tok::TokenKind kind) {
  static constexpr tok::TokenKind known[] = {tok::spaceship, tok::kw_typeid, tok::kw_co_await,
                                             tok::kw_co_yield, tok::kw_co_return};
  return llvm::is_contained(known, kind);
}

class Tokens {
public:
  Tokens(const clang::SourceManager &files, const clang::LangOptions &language, Reporter &reporter)
      : files(files), language(language), reporter(reporter), words(language),
        lexer(files.getMainFileID(), files.getBufferOrFake(files.getMainFileID()), files,
              language) {}

  /// The first token that no accepted file has; none: no place.
  Foreign check() {
    if (!characters())
      return {};
    for (next(); token.isNot(tok::eof);) {
      if (token.is(tok::hash) && token.isAtStartOfLine()) {
        directive();
        continue;
      }
      length();
      if (token.is(tok::raw_identifier))
        name();
      else if (token.is(tok::numeric_constant))
        number();
      if (needsHeader(kind()))
        reporter.report({Diag::Unsupported, token.getLocation(), {}, {"'" + spelling() + "'"}});
      if (foreign.at.isInvalid() && !isOfLanguage(kind()))
        foreign = {token.getLocation(), spelling()};
      next();
    }
    return foreign;
  }

private:
  const clang::SourceManager &files;
  const clang::LangOptions &language;
  Reporter &reporter;
  clang::IdentifierTable words;
  clang::Lexer lexer;
  clang::Token token;
  Foreign foreign;
  unsigned inStatement = 0, brackets = 0, parentheses = 0;
  bool ended = false; // the statement, unless an else follows

  void next() { lexer.LexFromRawLexer(token); }
  std::string spelling() const { return clang::Lexer::getSpelling(token, files, language); }
  tok::TokenKind kind() {
    return token.is(tok::raw_identifier) ? words.get(spelling()).getTokenID() : token.getKind();
  }

  /// Everywhere, comments too: a terminal shows what is written, in its order. False if it
  /// reported.
  bool characters() {
    const llvm::StringRef text = files.getBufferData(files.getMainFileID());
    const auto *at = text.bytes_begin(), *const end = text.bytes_end();
    if (text.starts_with("\xef\xbb\xbf")) // the mark that editors put before UTF-8
      at += 3;
    while (at < end) {
      const auto *const from = at;
      llvm::UTF32 point = 0;
      const bool legal =
          llvm::convertUTF8Sequence(&at, end, &point, llvm::strictConversion) == llvm::conversionOK;
      const std::string wrong =
          legal ? wrongCharacter(point)
                : "the byte 0x" + llvm::utohexstr(*from) + ", which is not UTF-8,";
      if (wrong.empty())
        continue;
      const auto place = files.getLocForStartOfFile(files.getMainFileID())
                             .getLocWithOffset(static_cast<int>(from - text.bytes_begin()));
      reporter.report({Diag::Character, place, {}, {wrong}});
      return false;
    }
    return true;
  }

  void tooLong(unsigned most, const char *of) {
    reporter.report({Diag::Long, token.getLocation(), {}, {std::to_string(most), of}});
  }

  void length() {
    const bool word = token.is(tok::raw_identifier);
    if (ended && !(word && spelling() == "else"))
      inStatement = 0;
    ended = token.is(tok::semi) && parentheses == 0;
    if (token.isOneOf(tok::l_brace, tok::r_brace))
      ended = true;
    if (++inStatement == mostTokens + 1)
      tooLong(mostTokens, "words and signs in a statement");
    if ((word || token.is(tok::numeric_constant)) && token.getLength() > mostCharacters)
      tooLong(mostCharacters, "characters in a name or number");
    if (token.isOneOf(tok::l_paren, tok::l_brace, tok::l_square) && ++brackets == mostBrackets + 1)
      tooLong(mostBrackets, "brackets one in another");
    if (token.isOneOf(tok::r_paren, tok::r_brace, tok::r_square) && brackets > 0)
      --brackets;
    if (token.is(tok::l_paren))
      ++parentheses;
    if (token.is(tok::r_paren) && parentheses > 0)
      --parentheses;
  }

  /// [lex.name]: left to compilers, whose attributes, builtins and macros are named so.
  static bool isReserved(llvm::StringRef name) {
    return name.starts_with("__") || (name.size() > 1 && name[0] == '_' && llvm::isUpper(name[1]));
  }
  void name() {
    const std::string written = spelling();
    if (isReserved(written))
      reporter.report({Diag::ReservedName, token.getLocation(), {}, {written}});
    else if (!llvm::all_of(written, [](char c) { return llvm::isAlnum(c) || c == '_'; }))
      reporter.report({Diag::Name, token.getLocation(), {}, {written}});
  }

  /// 1j, 2.5i: an extension of compilers.
  void number() {
    const std::string written = spelling();
    if (!std::strchr("ijIJ", written.back()))
      return;
    const std::string real = written.substr(0, written.size() - 1);
    const std::string better = real == "1" ? "i" : real + " * i";
    const auto fix = FixItHint::CreateReplacement(token.getLocation(), better);
    reporter.report({Diag::Imaginary, token.getLocation(), {}, {written, better}, {fix}});
  }

  /// From the # to the first token of the next line.
  void directive() {
    const clang::SourceLocation hash = token.getLocation();
    clang::SourceRange argument;
    std::string word, text;
    for (next(); token.isNot(tok::eof) && !token.isAtStartOfLine(); next()) {
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
    Finding finding{Diag::Directive, hash, {}, {word}};
    if (word == "include")
      finding = {Diag::Include, argument.getBegin(), {}, {text}};
    if (word == "include" && text.starts_with("<")) {
      finding.diag = Diag::StandardHeader;
      finding.fixes = {
          FixItHint::CreateRemoval(clang::CharSourceRange::getCharRange(hash, argument.getEnd()))};
    }
    reporter.report(finding);
  }
};

} // namespace

Foreign checkTokens(const clang::SourceManager &files, const clang::LangOptions &language,
                    Reporter &reporter) {
  return Tokens(files, language, reporter).check();
}

std::string comment(const Source &source) {
  const clang::RawComment *raw = source.context.getRawCommentForDeclNoCache(source.decl);
  if (!raw)
    return {};
  const std::string text =
      raw->getFormattedText(source.context.getSourceManager(), source.context.getDiagnostics());
  std::string first;
  for (llvm::StringRef rest = llvm::StringRef(text).trim(), line; !rest.empty();) {
    std::tie(line, rest) = rest.split('\n');
    line = line.trim();
    if (line.empty())
      break;
    first.append(first.empty() ? "" : " ").append(line.str());
    if (line.ends_with(".") || line.ends_with(":"))
      break;
  }
  return first;
}

} // namespace facet::frontend
