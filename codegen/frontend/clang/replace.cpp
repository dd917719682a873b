// replace.cpp - keeps Clang's errors that facet has better words for, and passes the rest on.
#include "replace.h"
#include "reader.h"
#include <algorithm>
#include <clang/AST/Decl.h>
#include <clang/AST/PrettyPrinter.h>
#include <clang/AST/Type.h>
#include <clang/Basic/DiagnosticSema.h>
#include <clang/Lex/Lexer.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/ADT/StringSwitch.h>
#include <llvm/Support/FormatVariadic.h>

namespace facet::frontend {

using clang::FixItHint;
using clang::SourceLocation;

namespace {

/// facet's name for `written`, empty where there is none.
llvm::StringRef facetName(llvm::StringRef written, bool std) {
  if (std) {
    constexpr llvm::StringLiteral same[] = {
#define FACET_CALL(name, arguments, op, use) name,
#include "codegen/frontend/lower/vocabulary.def"
    };
    // Looked up last: std::norm is not norm.
    struct Entry {
      llvm::StringLiteral written, name;
      bool std;
    };
    constexpr Entry table[] = {
#define FACET_NAME(written, name, std) {written, name, std},
#include "names.def"
    };
    for (const Entry &entry : table)
      if (entry.written == written)
        return entry.name;
    return std::ranges::find(same, written) == std::end(same) ? llvm::StringRef() : written;
  }
  return llvm::StringSwitch<llvm::StringRef>(written)
// NOLINTNEXTLINE(bugprone-macro-parentheses): strings and a bool
#define FACET_NAME(written, name, std) .Case(written, std ? llvm::StringRef() : name)
#include "names.def"
      .Default({});
}

/// `a * a` of a name or a parenthesis; empty where the text is more, or the power is not 2 or 3.
std::string product(llvm::StringRef base, llvm::StringRef power) {
  const int n = llvm::StringSwitch<int>(power)
                    .Cases("2", "2.0", "2.", 2)
                    .Cases("3", "3.0", "3.", 3)
                    .Default(0);
  if (n == 0 || base.empty())
    return {};
  const bool simple =
      std::ranges::all_of(base, [](char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; });
  std::string one = base.str(), all;
  if (!simple && !(base.front() == '(' && base.back() == ')'))
    one = llvm::formatv("({0})", base).str();
  for (int k = 0; k < n; ++k)
    all.append(k ? " * " : "").append(one);
  return all;
}

bool isComplex(clang::QualType type) {
  const clang::RecordDecl *record = type->getAsRecordDecl();
  return record && (record->getName() == "cplx" || record->getName() == "cvec3");
}

} // namespace

void Replacer::BeginSourceFile(const clang::LangOptions &options, const clang::Preprocessor *pp) {
  language = &options;
  printer.BeginSourceFile(options, pp);
}

std::string Replacer::spelled(clang::QualType type) const {
  clang::PrintingPolicy policy(*language);
  policy.SuppressScope = true;
  return type.getUnqualifiedType().getAsString(policy);
}

bool Replacer::undeclared(const clang::Diagnostic &info, llvm::StringRef name) {
  const Reader read{info.getSourceManager(), *language};
  const SourceLocation at = info.getLocation();
  if (name == "std") { // std :: name
    const auto colons = read.next(at);
    const auto member = colons && colons->is(clang::tok::coloncolon)
                            ? read.next(colons->getLocation())
                            : std::nullopt;
    if (!member || !member->is(clang::tok::raw_identifier))
      return false;
    const std::string written = member->getRawIdentifier().str();
    const llvm::StringRef better = facetName(written, true);
    const clang::SourceRange range(at, member->getLocation());
    if (written == "pow") {
      kept.emplace_back(Diag::Power, Finding{at, {range}});
    } else if (better.empty()) {
      kept.emplace_back(Diag::StdUnknown, Finding{at, {range}, {written}});
    } else {
      clang::SourceRange whole = range;
      if (written == "complex") // std::complex<double>
        for (auto token = read.next(member->getLocation());
             token && (token->isOneOf(clang::tok::less, clang::tok::raw_identifier));
             token = read.next(token->getLocation()))
          if (const auto end = read.next(token->getLocation()); end && end->is(clang::tok::greater))
            whole.setEnd(end->getLocation());
      kept.emplace_back(Diag::StdName, Finding{at,
                                               {range},
                                               {written, better.str()},
                                               {FixItHint::CreateReplacement(whole, better)}});
    }
    return true;
  }
  if (name == "pow" || name == "powf") {
    Finding finding{at};
    std::vector<clang::Token> tokens; // ( base , power )
    int depth = 0;
    SourceLocation comma, open;
    for (auto token = read.next(at); token && token->isNot(clang::tok::eof);
         token = read.next(token->getLocation())) {
      if (token->is(clang::tok::l_paren) && depth++ == 0)
        open = token->getLocation();
      if (token->is(clang::tok::comma) && depth == 1)
        comma = token->getLocation();
      if (depth == 0 || token->is(clang::tok::semi))
        break;
      if (token->is(clang::tok::r_paren) && --depth == 0) {
        if (comma.isValid()) {
          const auto inside = [&](SourceLocation from, SourceLocation to) {
            return read.text(clang::CharSourceRange::getCharRange(from.getLocWithOffset(1), to));
          };
          const std::string base = inside(open, comma), power = inside(comma, token->getLocation());
          const std::string better =
              product(llvm::StringRef(base).trim(), llvm::StringRef(power).trim());
          if (!better.empty())
            finding.fixes = {
                FixItHint::CreateReplacement(clang::SourceRange(at, token->getLocation()), better)};
        }
        break;
      }
    }
    kept.emplace_back(Diag::Power, std::move(finding));
    return true;
  }
  const llvm::StringRef better = facetName(name, false);
  if (!better.empty()) {
    kept.emplace_back(Diag::Rename,
                      Finding{at,
                              {},
                              {name.str(), better.str()},
                              {FixItHint::CreateReplacement(clang::SourceRange(at), better)}});
    return true;
  }
  if (info.getID() == clang::diag::err_undeclared_var_use_suggest && !suggestsKeyword(info))
    return false; // Clang names the right one
  if (const auto next = read.next(at); next && next->is(clang::tok::l_paren)) {
    kept.emplace_back(Diag::UnknownFunction, Finding{at, {}, {name.str()}});
    return true;
  }
  return false;
}

bool Replacer::operands(const clang::Diagnostic &info) {
  const Reader read{info.getSourceManager(), *language};
  const SourceLocation at = info.getLocation();
  const std::string op = read.token(at);
  std::vector<clang::SourceRange> ranges;
  ranges.reserve(info.getNumRanges());
  for (unsigned k = 0; k < info.getNumRanges(); ++k)
    ranges.push_back(info.getRange(k).getAsRange());
  const clang::QualType left = typeArgument(info, 0), right = typeArgument(info, 1);
  if (left.isNull() || right.isNull() || ranges.size() < 2)
    return false;
  if (op == "^" || op == "^=") {
    Finding finding{at, ranges};
    const auto text = [&](unsigned k) {
      return read.text(clang::CharSourceRange::getTokenRange(ranges[k]));
    };
    const std::string better = op == "^" ? product(text(0), text(1)) : "";
    if (!better.empty())
      finding.fixes = {FixItHint::CreateReplacement(
          clang::SourceRange(ranges[0].getBegin(), ranges[1].getEnd()), better)};
    kept.emplace_back(Diag::Caret, std::move(finding));
    return true;
  }
  const bool complex = isComplex(left) || isComplex(right);
  if (complex && llvm::StringSwitch<bool>(op)
                     .Cases("<", ">", "<=", ">=", "==", "!=", "<=>", true)
                     .Default(false)) {
    kept.emplace_back(Diag::ComplexOrder, Finding{at, ranges, {op}});
    return true;
  }
  if (complex && (op == "&&" || op == "||")) {
    kept.emplace_back(Diag::ComplexCondition,
                      Finding{at, ranges, {spelled(isComplex(left) ? left : right)}});
    return true;
  }
  if (llvm::StringSwitch<bool>(op)
          .Cases("%", "&", "|", "<<", ">>", "%=", "&=", "|=", true)
          .Default(false)) {
    kept.emplace_back(Diag::IntegerOperator, Finding{at, ranges, {op}});
    return true;
  }
  if (complex && (op == "+=" || op == "-=" || op == "*=" || op == "/=")) {
    const std::string target = read.text(clang::CharSourceRange::getTokenRange(ranges[0]));
    kept.emplace_back(Diag::Assignment, Finding{at, ranges, {op, target, target + "2"}});
    return true;
  }
  return false;
}

bool Replacer::replace(const clang::Diagnostic &info) {
  switch (info.getID()) {
  case clang::diag::err_undeclared_var_use:
  case clang::diag::err_undeclared_var_use_suggest:
  case clang::diag::err_undeclared_use:
  case clang::diag::err_undeclared_use_suggest:
    return undeclared(info, nameArgument(info, 0));
  case clang::diag::err_expected_namespace_name: {
    const Reader read{info.getSourceManager(), *language};
    if (read.token(info.getLocation()) != "facet")
      return false;
    kept.emplace_back(Diag::IncludeLanguage, Finding{info.getLocation()});
    return true;
  }
  case clang::diag::err_typecheck_invalid_operands:
    return operands(info) || vectors(info);
  case clang::diag::err_ovl_no_oper:
    return subscript(info);
  case clang::diag::err_ovl_no_viable_function_in_call:
  case clang::diag::err_ovl_no_viable_function_in_init:
    return called(info);
  case clang::diag::err_no_member:
    return member(info);
  case clang::diag::err_missing_type_specifier:
    return untyped(info);
  case clang::diag::err_ovl_no_viable_oper: { // z += 1
    const Reader read{info.getSourceManager(), *language};
    const std::string op = read.token(info.getLocation());
    if (info.getNumRanges() < 1 || op.size() != 2 || op.back() != '=')
      return false;
    const clang::SourceRange range = info.getRange(0).getAsRange();
    const std::string target = read.text(clang::CharSourceRange::getTokenRange(range));
    kept.emplace_back(Diag::Assignment,
                      Finding{info.getLocation(), {range}, {op, target, target + "2"}});
    return true;
  }
  case clang::diag::err_typecheck_bool_condition: {
    const clang::QualType type = typeArgument(info, 0);
    if (type.isNull() || !isComplex(type))
      return false;
    Finding finding{info.getLocation(), {}, {spelled(type)}};
    for (unsigned k = 0; k < info.getNumRanges(); ++k)
      finding.ranges.push_back(info.getRange(k).getAsRange());
    kept.emplace_back(Diag::ComplexCondition, std::move(finding));
    return true;
  }
  default:
    return false;
  }
}

/// Whether it only follows from std::NAME, earlier in the line, or from the language missing.
bool Replacer::follows(const clang::Diagnostic &info) const {
  const clang::SourceManager &files = info.getSourceManager();
  return std::ranges::any_of(kept, [&](const std::pair<Diag, Finding> &entry) {
    const bool std = entry.first == Diag::StdName || entry.first == Diag::StdUnknown;
    return entry.first == Diag::IncludeLanguage ||
           (std &&
            files.getSpellingLineNumber(entry.second.at) ==
                files.getSpellingLineNumber(info.getLocation()) &&
            nameArgument(info, 0) != "std");
  });
}

void Replacer::HandleDiagnostic(clang::DiagnosticsEngine::Level level,
                                const clang::Diagnostic &info) {
  const bool note = level == clang::DiagnosticsEngine::Note;
  const bool error = level >= clang::DiagnosticsEngine::Error;
  const bool ours = info.getID() >= clang::diag::DIAG_UPPER_LIMIT;
  if (note && skipNotes)
    return;
  skipNotes = false;
  if (error && !ours && info.getLocation().isValid()) {
    broken.push_back(info.getLocation());
    // An error within the built-in headers comes from types given to them: facet names those.
    const bool inside = info.getSourceManager().isInSystemHeader(info.getLocation());
    if (inside || follows(info) || replace(info)) {
      if (inside && inHeaders.empty()) {
        llvm::SmallString<128> text;
        info.FormatDiagnostic(text);
        inHeaders = text.str().str();
      }
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

void Replacer::flushHeaders(Reporter &reporter, SourceLocation at) {
  if (!inHeaders.empty() && getNumErrors() == 0)
    reporter.report(Diag::HeaderTypes, {at, {}, {inHeaders}});
}

} // namespace facet::frontend
