// diagnostics.cpp - a message, then why, as a note without a place; and Clang's errors: those that
// facet has better words for are kept, the rest is passed on.
#include "codegen/frontend/diagnostics.h"
#include "codegen/ir/ir.h"
#include <algorithm>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/PrettyPrinter.h>
#include <clang/AST/Type.h>
#include <clang/Basic/DiagnosticSema.h>
#include <clang/Basic/IdentifierTable.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringSwitch.h>
#include <llvm/Support/Regex.h>
#include <optional>

namespace facet::frontend {

namespace {

using clang::FixItHint;
using clang::SourceLocation;
using clang::SourceRange;
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

/// One of Clang's diagnostics, and the file around its place.
struct Message {
  const clang::Diagnostic &info;
  const clang::LangOptions &language;
  const clang::SourceManager &files = info.getSourceManager();
  SourceLocation at = info.getLocation();
  std::vector<SourceRange> ranges = {};

  Message(const clang::Diagnostic &info, const clang::LangOptions &language)
      : info(info), language(language) {
    for (const clang::CharSourceRange &range : info.getRanges())
      ranges.push_back(range.getAsRange());
  }
  std::string text(clang::CharSourceRange range) const {
    return clang::Lexer::getSourceText(range, files, language).str();
  }
  std::string text(std::size_t k) const {
    return text(clang::CharSourceRange::getTokenRange(ranges[k]));
  }
  std::string token() const {
    llvm::SmallString<32> buffer;
    return clang::Lexer::getSpelling(at, buffer, files, language).str();
  }
  /// What is written from there to the end of the statement.
  llvm::StringRef statement() const {
    return llvm::StringRef(files.getCharacterData(at)).take_until([](char c) { return c == ';'; });
  }
  bool isCall() const {
    const auto next = clang::Lexer::findNextToken(at, files, language);
    return next && next->is(clang::tok::l_paren);
  }

  // The arguments of Clang's message.
  clang::QualType type(unsigned k) const {
    if (k >= info.getNumArgs() || info.getArgKind(k) != clang::DiagnosticsEngine::ak_qualtype)
      return {};
    // NOLINTNEXTLINE(performance-no-int-to-ptr): how Clang keeps types in diagnostics
    return clang::QualType::getFromOpaquePtr(reinterpret_cast<void *>(info.getRawArg(k)));
  }
  std::string name(unsigned k) const {
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
  /// "cplx", without namespaces.
  std::string spelled(clang::QualType type) const {
    clang::PrintingPolicy policy(language);
    policy.SuppressScope = true;
    return type.getUnqualifiedType().getAsString(policy);
  }

  /// A finding at the place of the message.
  std::optional<Finding> found(Diag diag, std::vector<std::string> written,
                               std::vector<FixItHint> fixes = {}) const {
    return Finding{diag, at, ranges, std::move(written), std::move(fixes)};
  }
  /// `better` in the place of the range; nothing if there is nothing better.
  static std::vector<FixItHint> fix(SourceRange range, const std::string &better) {
    if (better.empty())
      return {};
    return {FixItHint::CreateReplacement(range, better)};
  }
};

bool isOneOf(llvm::StringRef word, std::initializer_list<llvm::StringRef> words) {
  return llvm::is_contained(words, word);
}
llvm::StringRef structOf(clang::QualType type) {
  const auto *record = type.isNull() ? nullptr : type.getNonReferenceType()->getAsRecordDecl();
  return record ? record->getName() : llvm::StringRef();
}
bool isComplex(clang::QualType type) { return isOneOf(structOf(type), {"cplx", "cvec3"}); }
/// q counts as a vector.
bool isVector(llvm::StringRef name) { return isOneOf(name, {"vec3", "cvec3", "wavevector"}); }
bool isVector(clang::QualType type) { return isVector(structOf(type)); }

/// How a function of the vocabulary is called; empty for others.
llvm::StringRef useOf(llvm::StringRef name) {
  const ir::OpInfo *function = ir::functionNamed(name);
  return function ? function->language : std::string_view();
}

/// facet's name for what people write from habit, empty if there is none.
llvm::StringRef facetName(llvm::StringRef written, bool std) {
  const auto name = llvm::StringSwitch<llvm::StringRef>(written)
                        .Cases("fabs", "fabsf", "cabs", "abs")
                        .Case("fmin", "min")
                        .Case("fmax", "max")
                        .Cases("sinf", "sinl", "sin")
                        .Cases("cosf", "cosl", "cos")
                        .Cases("expf", "cexp", "exp")
                        .Cases("sqrtf", "csqrt", "sqrt")
                        .Cases("logf", "ln", "log")
                        .Case("powf", "pow")
                        .Case("erff", "erf")
                        .Case("erfcf", "erfc")
                        .Case("atan2f", "atan2")
                        .Case("creal", "re")
                        .Case("cimag", "im")
                        .Case("conjf", "conj")
                        .Case("expi", "cis")
                        .Case("length", "norm")
                        .Cases("I", "j", "i")
                        .Cases("M_PI", "PI", "pi")
                        .Default(std && ir::functionNamed(written) ? written : "");
  return std ? llvm::StringSwitch<llvm::StringRef>(written)
                   .Case("complex", "cplx")
                   .Case("real", "re")
                   .Case("imag", "im")
                   .Case("norm", "norm2") // std::norm is |z|^2
                   .Default(name)
             : name;
}

/// `a * a` of a name or a parenthesis; empty if the text is more, or the power is not 2 or 3.
std::string product(llvm::StringRef base, llvm::StringRef power) {
  base = base.trim(), power = power.trim();
  const bool cube = isOneOf(power, {"3", "3.0", "3."});
  if (base.empty() || (!cube && !isOneOf(power, {"2", "2.0", "2."})))
    return {};
  const bool simple =
      llvm::all_of(base, [](char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; });
  const std::string one =
      simple || (base.front() == '(' && base.back() == ')') ? base.str() : "(" + base.str() + ")";
  return one + " * " + one + (cube ? " * " + one : "");
}

/// The column of a triangle that was meant, empty if none is near.
std::string nearColumn(llvm::StringRef name) {
  static constexpr llvm::StringLiteral columns[] = {
#define FACET_TRIANGLE(name, is_vector, power, moves, doc) #name,
#include "dsl/facet/triangle.def"
  };
  const auto far = [&](llvm::StringRef column) { return name.edit_distance(column, true, 3); };
  const auto *best = std::ranges::min_element(columns, {}, far);
  return far(*best) <= 2 && name.size() > 2 ? best->str() : std::string();
}

/// What is said in the place of one of Clang's errors; nothing: Clang's own words.
using Replacement = std::optional<Finding>;

/// std::NAME
Replacement ofStd(const Message &m) {
  static const llvm::Regex named("^std *:: *([A-Za-z_0-9]+)( *<[^<>]*>)?");
  const llvm::StringRef text = m.statement();
  llvm::SmallVector<llvm::StringRef, 3> parts;
  if (!named.match(text, &parts))
    return {};
  const auto upTo = [&](const char *last) {
    return SourceRange(m.at, m.at.getLocWithOffset(static_cast<int>(last - text.begin())));
  };
  const llvm::StringRef written = parts[1], better = facetName(written, true);
  const SourceRange range = upTo(written.begin());
  if (better.empty())
    return Finding{Diag::StdUnknown, m.at, {range}, {written.str()}};
  const bool complex = written == "complex" && !parts[2].empty(); // std::complex<double>
  return Finding{Diag::StdName,
                 m.at,
                 {range},
                 {written.str(), better.str()},
                 m.fix(complex ? upTo(parts[2].end() - 1) : range, better.str())};
}

Replacement undeclared(const Message &m) {
  const std::string name = m.name(0);
  if (name == "std")
    return ofStd(m);
  if (const llvm::StringRef better = facetName(name, false); !better.empty())
    return Finding{Diag::Rename, m.at, {}, {name, better.str()}, m.fix(m.at, better.str())};
  clang::IdentifierTable names(m.language);
  const bool other = isOneOf(name, {"log2", "log10"}); // where Clang would say 'log'
  if (!other && m.info.getID() == clang::diag::err_undeclared_var_use_suggest &&
      !names.get(llvm::StringRef(m.name(1)).trim('\'')).isKeyword(m.language))
    return {}; // Clang names the right one, unless it is a word of C++: log, long
  return m.isCall() ? Replacement({Diag::UnknownFunction, m.at, {}, {name}}) : std::nullopt;
}

Replacement operands(const Message &m) {
  const std::string op = m.token();
  const clang::QualType left = m.type(0), right = m.type(1);
  if (left.isNull() || right.isNull() || m.ranges.size() < 2)
    return {};
  const SourceRange whole(m.ranges[0].getBegin(), m.ranges[1].getEnd());
  if (op == "^" || op == "^=")
    return m.found(Diag::Caret, {}, m.fix(whole, op == "^" ? product(m.text(0), m.text(1)) : ""));
  const bool complex = isComplex(left) || isComplex(right);
  if (complex && isOneOf(op, {"<", ">", "<=", ">=", "==", "!="}))
    return m.found(Diag::ComplexOrder, {op});
  if (complex && isOneOf(op, {"&&", "||"}))
    return m.found(Diag::ComplexCondition, {m.spelled(isComplex(left) ? left : right)});
  if (isOneOf(op, {"%", "&", "|", "<<", ">>", "%=", "&=", "|="}))
    return m.found(Diag::IntegerOperator, {op});
  if (complex && isOneOf(op, {"+=", "-=", "*=", "/="}))
    return m.found(Diag::Assignment, {op, m.text(0), m.text(0) + "2"});
  const bool vectors[] = {isVector(left), isVector(right)};
  if (!vectors[0] && !vectors[1])
    return {};
  if (op == "*" && vectors[0] && vectors[1]) {
    const std::string better = "dot(" + m.text(0) + ", " + m.text(1) + ")";
    return m.found(Diag::VectorProduct, {better}, m.fix(whole, better));
  }
  const auto kind = [](bool vector) { return vector ? "a vector" : "a number"; };
  return m.found(Diag::VectorOperator, {op, kind(vectors[0]), kind(vectors[1])});
}

Replacement subscript(const Message &m) {
  if (!isVector(m.type(0)) || m.ranges.size() < 2)
    return {};
  const std::string base = m.text(0), index = m.text(1);
  const std::string better = llvm::StringSwitch<std::string>(index)
                                 .Case("0", base + ".x")
                                 .Case("1", base + ".y")
                                 .Case("2", base + ".z")
                                 .Default(base + ".x, " + base + ".y or " + base + ".z");
  return m.found(Diag::Subscript, {base + "[" + index + "]", better});
}

Replacement called(const Message &m) {
  const llvm::StringRef type = structOf(m.type(0));
  const std::string name = type.empty() ? m.name(0) : type.str();
  const llvm::StringRef use = llvm::StringSwitch<llvm::StringRef>(name)
                                  .Case("vec3", "vec3(a, b, c), of three reals")
                                  .Case("cvec3", "cvec3(a, b, c), of three numbers")
                                  .Case("mat3", "mat3(a, b, c), of three real rows")
                                  .Case("transpose", "transpose(m), of a mat3")
                                  .Case("outer", "outer(a, b), of two real vectors")
                                  .Case("cplx", "a + i * b")
                                  .Default(useOf(name));
  return use.empty() ? std::nullopt : m.found(Diag::Call, {name, use.str()});
}

Replacement member(const Message &m) {
  if (m.info.getNumArgs() < 2 || m.info.getArgKind(1) != clang::DiagnosticsEngine::ak_declcontext)
    return {};
  // NOLINTNEXTLINE(performance-no-int-to-ptr): how Clang keeps declarations in diagnostics
  const auto *scope = reinterpret_cast<const clang::DeclContext *>(m.info.getRawArg(1));
  const auto *record = llvm::dyn_cast<clang::CXXRecordDecl>(scope);
  const std::string name = m.name(0);
  if (!record || name.empty())
    return {};
  const std::string of = record->getName().str();
  std::string better = "add 'real " + name + ";' to it";
  if (const std::string near = of == "Triangle" ? nearColumn(name) : ""; !near.empty())
    better = "write '" + near + "'";
  else if (of == "Triangle")
    better = "take a record that has it, struct Mine : Triangle { real " + name +
             "; }, as const Mine &t";
  else if (isVector(of))
    better = "a vector has x, y and z";
  else if (of == "cplx")
    better = "write re(z) and im(z)";
  return m.found(Diag::Column, {of, name, better});
}

Replacement untyped(const Message &m) {
  const std::string type = m.isCall() ? "cplx" : "real";
  return Finding{Diag::MissingType,
                 m.at,
                 {},
                 {m.token(), type},
                 {FixItHint::CreateInsertion(m.at, type + " ")}};
}

Replacement instead(const Message &m) {
  switch (m.info.getID()) {
  case clang::diag::err_undeclared_var_use:
  case clang::diag::err_undeclared_var_use_suggest:
  case clang::diag::err_undeclared_use:
  case clang::diag::err_undeclared_use_suggest:
    return undeclared(m);
  case clang::diag::err_expected_namespace_name:
    return m.token() == "facet" ? Replacement({Diag::IncludeLanguage, m.at}) : std::nullopt;
  case clang::diag::err_typecheck_invalid_operands:
    return operands(m);
  case clang::diag::err_ovl_no_oper:
    return subscript(m);
  case clang::diag::err_ovl_no_viable_function_in_call:
  case clang::diag::err_ovl_no_viable_function_in_init:
    return called(m);
  case clang::diag::err_no_member:
    return member(m);
  case clang::diag::err_ambiguous_reference:
    return Finding{Diag::Ambiguous, m.at, {}, {m.token()}};
  case clang::diag::err_ovl_ambiguous_call:
    return useOf(m.token()).empty() ? Replacement()
                                    : Finding{Diag::Ambiguous, m.at, {}, {m.token()}};
  case clang::diag::err_implied_std_initializer_list_not_found:
    return Finding{Diag::Unsupported, m.at, {}, {"a list in braces"}};
  case clang::diag::err_missing_type_specifier:
    return untyped(m);
  case clang::diag::err_ovl_no_viable_oper: { // z += 1
    const std::string op = m.token();
    if (m.ranges.empty() || op.size() != 2 || op.back() != '=')
      return {};
    return Finding{Diag::Assignment, m.at, {m.ranges[0]}, {op, m.text(0), m.text(0) + "2"}};
  }
  case clang::diag::err_typecheck_bool_condition:
    if (isComplex(m.type(0)))
      return m.found(Diag::ComplexCondition, {m.spelled(m.type(0))});
    return {};
  default:
    return {};
  }
}

/// Whether it only follows from std::NAME, earlier in the line, from the language missing, or from
/// text that is broken before.
bool follows(const Message &m, const std::vector<Finding> &kept, bool syntax) {
  const auto line = [&](SourceLocation at) { return m.files.getSpellingLineNumber(at); };
  return (syntax && m.info.getID() == clang::diag::err_missing_type_specifier) ||
         std::ranges::any_of(kept, [&](const Finding &before) {
           const bool std = before.diag == Diag::StdName || before.diag == Diag::StdUnknown;
           return before.diag == Diag::IncludeLanguage ||
                  (std && m.name(0) != "std" && line(before.at) == line(m.at));
         });
}

} // namespace

void Reporter::report(const Finding &finding) {
  if (finding.at.isValid() &&
      !seen.insert({finding.diag, finding.at.getRawEncoding(), finding.written}).second)
    return;
  const Entry &entry = entries[static_cast<unsigned>(finding.diag)];
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

void Replacer::HandleDiagnostic(clang::DiagnosticsEngine::Level level,
                                const clang::Diagnostic &info) {
  if (level == clang::DiagnosticsEngine::Note && skipNotes)
    return;
  skipNotes = false;
  const bool ours = info.getID() >= clang::diag::DIAG_UPPER_LIMIT;
  if (level >= clang::DiagnosticsEngine::Error && !ours && info.getLocation().isValid()) {
    broken.push_back(info.getLocation());
    const Message message(info, *language);
    // An error within the built-in headers comes from types given to them: facet names those.
    const bool inside = message.files.isInSystemHeader(message.at);
    if (inside && inHeaders.empty()) {
      llvm::SmallString<128> text;
      info.FormatDiagnostic(text);
      inHeaders = text.str().str();
    }
    skipNotes = inside || follows(message, kept, syntax);
    if (auto finding = skipNotes ? std::nullopt : instead(message)) {
      kept.push_back(std::move(*finding));
      skipNotes = true;
    }
    if (skipNotes)
      return;
    syntax |= clang::DiagnosticIDs::getCategoryNameFromID(
                  clang::DiagnosticIDs::getCategoryNumberForDiag(info.getID())) == "Parse Issue";
  }
  DiagnosticConsumer::HandleDiagnostic(level, info);
  printer.HandleDiagnostic(level, info);
}

void Replacer::flush(Reporter &reporter) {
  reporter.broken = broken;
  std::ranges::stable_sort(kept, {},
                           [](const Finding &finding) { return finding.at.getRawEncoding(); });
  for (const Finding &finding : kept)
    reporter.report(finding);
  kept.clear();
}

} // namespace facet::frontend
