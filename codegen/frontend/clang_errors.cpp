// clang_errors.cpp - keeps Clang's errors that facet has better words for, and passes the rest on.
#include "codegen/frontend/clang_errors.h"
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
#include <optional>

namespace facet::frontend {

using clang::FixItHint;
using clang::SourceLocation;
using clang::SourceRange;
namespace tok = clang::tok;

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
  std::optional<clang::Token> next(SourceLocation after) const {
    return clang::Lexer::findNextToken(after, files, language);
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
};

namespace {

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
  return llvm::StringSwitch<llvm::StringRef>(name)
#define FACET_CALL(name, arguments, op, use) .Case(name, use)
#include "codegen/frontend/vocabulary.def"
      .Default({});
}

/// facet's name for `written`, empty if there is none.
llvm::StringRef facetName(llvm::StringRef written, bool std) {
  struct Entry {
    llvm::StringLiteral written, name;
    bool std;
  };
  constexpr Entry table[] = {
#define FACET_NAME(written, name, std) {written, name, std},
#include "codegen/frontend/names.def"
  };
  for (const Entry &entry : table)
    if (entry.written == written && (std || !entry.std))
      return entry.name;
  // A word of the vocabulary stands for itself; looked up last, since std::norm is not norm.
  return std && !useOf(written).empty() ? written : llvm::StringRef();
}

/// `a * a` of a name or a parenthesis; empty if the text is more, or the power is not 2 or 3.
std::string product(llvm::StringRef base, llvm::StringRef power) {
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

} // namespace

bool Replacer::keep(Diag diag, Finding finding) {
  kept.emplace_back(diag, std::move(finding));
  return true;
}

/// std::NAME
bool Replacer::ofStd(const Message &m) {
  const auto colons = m.next(m.at);
  const auto member =
      colons && colons->is(tok::coloncolon) ? m.next(colons->getLocation()) : std::nullopt;
  if (!member || !member->is(tok::raw_identifier))
    return false;
  const std::string written = member->getRawIdentifier().str();
  const llvm::StringRef better = facetName(written, true);
  const SourceRange range(m.at, member->getLocation());
  if (written == "pow")
    return keep(Diag::Power, {m.at, {range}});
  if (better.empty())
    return keep(Diag::StdUnknown, {m.at, {range}, {written}});
  SourceRange whole = range;
  if (written == "complex") // std::complex<double>
    for (auto token = m.next(member->getLocation());
         token && token->isOneOf(tok::less, tok::raw_identifier);
         token = m.next(token->getLocation()))
      if (const auto end = m.next(token->getLocation()); end && end->is(tok::greater))
        whole.setEnd(end->getLocation());
  return keep(
      Diag::StdName,
      {m.at, {range}, {written, better.str()}, {FixItHint::CreateReplacement(whole, better)}});
}

/// pow(base, power)
bool Replacer::power(const Message &m) {
  Finding finding{m.at};
  int depth = 0;
  SourceLocation comma, open;
  for (auto token = m.next(m.at); token && token->isNot(tok::eof);
       token = m.next(token->getLocation())) {
    const SourceLocation here = token->getLocation();
    if (token->is(tok::l_paren) && depth++ == 0)
      open = here;
    if (token->is(tok::comma) && depth == 1)
      comma = here;
    if (depth == 0 || token->is(tok::semi))
      break;
    if (token->isNot(tok::r_paren) || --depth > 0)
      continue;
    const auto inside = [&](SourceLocation from, SourceLocation to) {
      return m.text(clang::CharSourceRange::getCharRange(from.getLocWithOffset(1), to));
    };
    if (comma.isValid())
      if (const std::string better = product(llvm::StringRef(inside(open, comma)).trim(),
                                             llvm::StringRef(inside(comma, here)).trim());
          !better.empty())
        finding.fixes = {FixItHint::CreateReplacement(SourceRange(m.at, here), better)};
    break;
  }
  return keep(Diag::Power, std::move(finding));
}

bool Replacer::undeclared(const Message &m) {
  const std::string name = m.name(0);
  if (name == "std")
    return ofStd(m);
  if (name == "pow" || name == "powf")
    return power(m);
  if (const llvm::StringRef better = facetName(name, false); !better.empty())
    return keep(Diag::Rename, {m.at,
                               {},
                               {name, better.str()},
                               {FixItHint::CreateReplacement(SourceRange(m.at), better)}});
  clang::IdentifierTable names(m.language);
  if (m.info.getID() == clang::diag::err_undeclared_var_use_suggest &&
      !names.get(llvm::StringRef(m.name(1)).trim('\'')).isKeyword(m.language))
    return false; // Clang names the right one, unless it is a word of C++: log, long
  const auto next = m.next(m.at);
  return next && next->is(tok::l_paren) && keep(Diag::UnknownFunction, {m.at, {}, {name}});
}

bool Replacer::operands(const Message &m) {
  const std::string op = m.token();
  const clang::QualType left = m.type(0), right = m.type(1);
  if (left.isNull() || right.isNull() || m.ranges.size() < 2)
    return false;
  if (op == "^" || op == "^=") {
    Finding finding{m.at, m.ranges};
    const std::string better = op == "^" ? product(m.text(0), m.text(1)) : "";
    if (!better.empty())
      finding.fixes = {FixItHint::CreateReplacement(
          SourceRange(m.ranges[0].getBegin(), m.ranges[1].getEnd()), better)};
    return keep(Diag::Caret, std::move(finding));
  }
  const bool complex = isComplex(left) || isComplex(right);
  if (complex && isOneOf(op, {"<", ">", "<=", ">=", "==", "!=", "<=>"}))
    return keep(Diag::ComplexOrder, {m.at, m.ranges, {op}});
  if (complex && isOneOf(op, {"&&", "||"}))
    return keep(Diag::ComplexCondition,
                {m.at, m.ranges, {m.spelled(isComplex(left) ? left : right)}});
  if (isOneOf(op, {"%", "&", "|", "<<", ">>", "%=", "&=", "|="}))
    return keep(Diag::IntegerOperator, {m.at, m.ranges, {op}});
  if (complex && isOneOf(op, {"+=", "-=", "*=", "/="}))
    return keep(Diag::Assignment, {m.at, m.ranges, {op, m.text(0), m.text(0) + "2"}});
  return vectors(m);
}

bool Replacer::vectors(const Message &m) {
  const bool left = isVector(m.type(0)), right = isVector(m.type(1));
  if (!left && !right)
    return false;
  const std::string op = m.token();
  if (op == "*" && left && right) {
    const std::string better = "dot(" + m.text(0) + ", " + m.text(1) + ")";
    const SourceRange whole(m.ranges[0].getBegin(), m.ranges[1].getEnd());
    return keep(Diag::VectorProduct,
                {m.at, m.ranges, {better}, {FixItHint::CreateReplacement(whole, better)}});
  }
  const auto kind = [](bool vector) { return vector ? "a vector" : "a number"; };
  return keep(Diag::VectorOperator, {m.at, m.ranges, {op, kind(left), kind(right)}});
}

bool Replacer::subscript(const Message &m) {
  if (!isVector(m.type(0)) || m.ranges.size() < 2)
    return false;
  const std::string base = m.text(0), index = m.text(1);
  const std::string better = llvm::StringSwitch<std::string>(index)
                                 .Case("0", base + ".x")
                                 .Case("1", base + ".y")
                                 .Case("2", base + ".z")
                                 .Default(base + ".x, " + base + ".y or " + base + ".z");
  return keep(Diag::Subscript, {m.at, m.ranges, {base + "[" + index + "]", better}});
}

bool Replacer::called(const Message &m) {
  const llvm::StringRef type = structOf(m.type(0));
  const std::string name = type.empty() ? m.name(0) : type.str();
  const llvm::StringRef use = llvm::StringSwitch<llvm::StringRef>(name)
                                  .Case("vec3", "vec3(a, b, c), of three reals")
                                  .Case("cvec3", "cvec3(a, b, c), of three numbers")
                                  .Case("cplx", "a + i * b")
                                  .Default(useOf(name));
  return !use.empty() && keep(Diag::Call, {m.at, m.ranges, {name, use.str()}});
}

bool Replacer::member(const Message &m) {
  if (m.info.getNumArgs() < 2 || m.info.getArgKind(1) != clang::DiagnosticsEngine::ak_declcontext)
    return false;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): how Clang keeps declarations in diagnostics
  const auto *scope = reinterpret_cast<const clang::DeclContext *>(m.info.getRawArg(1));
  const auto *record = llvm::dyn_cast<clang::CXXRecordDecl>(scope);
  const std::string name = m.name(0);
  if (!record || name.empty())
    return false;
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
  return keep(Diag::Column, {m.at, m.ranges, {of, name, better}});
}

bool Replacer::untyped(const Message &m) {
  if (syntax)
    return true; // the text is broken before
  const auto next = m.next(m.at);
  const std::string type = next && next->is(tok::l_paren) ? "cplx" : "real";
  return keep(Diag::MissingType,
              {m.at, {}, {m.token(), type}, {FixItHint::CreateInsertion(m.at, type + " ")}});
}

bool Replacer::replace(const Message &m) {
  switch (m.info.getID()) {
  case clang::diag::err_undeclared_var_use:
  case clang::diag::err_undeclared_var_use_suggest:
  case clang::diag::err_undeclared_use:
  case clang::diag::err_undeclared_use_suggest:
    return undeclared(m);
  case clang::diag::err_expected_namespace_name:
    return m.token() == "facet" && keep(Diag::IncludeLanguage, {m.at});
  case clang::diag::err_typecheck_invalid_operands:
    return operands(m);
  case clang::diag::err_ovl_no_oper:
    return subscript(m);
  case clang::diag::err_ovl_no_viable_function_in_call:
  case clang::diag::err_ovl_no_viable_function_in_init:
    return called(m);
  case clang::diag::err_no_member:
    return member(m);
  case clang::diag::err_missing_type_specifier:
    return untyped(m);
  case clang::diag::err_ovl_no_viable_oper: { // z += 1
    const std::string op = m.token();
    return !m.ranges.empty() && op.size() == 2 && op.back() == '=' &&
           keep(Diag::Assignment, {m.at, {m.ranges[0]}, {op, m.text(0), m.text(0) + "2"}});
  }
  case clang::diag::err_typecheck_bool_condition:
    return isComplex(m.type(0)) &&
           keep(Diag::ComplexCondition, {m.at, m.ranges, {m.spelled(m.type(0))}});
  default:
    return false;
  }
}

/// Whether it only follows from std::NAME, earlier in the line, or from the language missing.
bool Replacer::follows(const Message &m) const {
  return std::ranges::any_of(kept, [&](const std::pair<Diag, Finding> &entry) {
    const bool std = entry.first == Diag::StdName || entry.first == Diag::StdUnknown;
    return entry.first == Diag::IncludeLanguage ||
           (std && m.name(0) != "std" &&
            m.files.getSpellingLineNumber(entry.second.at) == m.files.getSpellingLineNumber(m.at));
  });
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
    if (inside || follows(message) || replace(message)) {
      skipNotes = true;
      return;
    }
    syntax |= clang::DiagnosticIDs::getCategoryNameFromID(
                  clang::DiagnosticIDs::getCategoryNumberForDiag(info.getID())) == "Parse Issue";
  }
  DiagnosticConsumer::HandleDiagnostic(level, info);
  printer.HandleDiagnostic(level, info);
}

void Replacer::flush(Reporter &reporter) {
  reporter.broken = broken;
  std::ranges::stable_sort(kept, {}, [](const std::pair<Diag, Finding> &entry) {
    return entry.second.at.getRawEncoding();
  });
  for (const auto &[diag, finding] : kept)
    reporter.report(diag, finding);
  kept.clear();
}

} // namespace facet::frontend
