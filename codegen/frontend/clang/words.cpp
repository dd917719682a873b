// words.cpp - Clang's errors about vectors, calls, members and types left out, in facet's words.
#include "reader.h"
#include "replace.h"
#include <algorithm>
#include <clang/AST/DeclCXX.h>
#include <clang/Basic/DiagnosticSema.h>
#include <clang/Basic/IdentifierTable.h>
#include <llvm/ADT/StringSwitch.h>

namespace facet::frontend {

using clang::FixItHint;

namespace {

/// Whether a type is a vector of the language; q counts as one.
bool isVector(clang::QualType type) {
  const clang::RecordDecl *record = type.getNonReferenceType()->getAsRecordDecl();
  return record && llvm::StringSwitch<bool>(record->getName())
                       .Cases("vec3", "cvec3", "wavevector", true)
                       .Default(false);
}

/// How a function of the vocabulary, or a type, is called; empty for others.
llvm::StringRef useOf(llvm::StringRef name) {
  return llvm::StringSwitch<llvm::StringRef>(name)
#define FACET_CALL(name, arguments, op, use) .Case(name, use)
#include "codegen/frontend/lower/vocabulary.def"
      .Case("vec3", "vec3(a, b, c), of three reals")
      .Case("cvec3", "cvec3(a, b, c), of three numbers")
      .Case("cplx", "a + i * b")
      .Default({});
}

/// The column of a triangle that was meant, empty where none is near.
std::string nearColumn(llvm::StringRef name) {
  static constexpr llvm::StringLiteral columns[] = {
#define FACET_TRIANGLE(name, is_vector, power, moves, doc) #name,
#include "dsl/facet/triangle.def"
  };
  const auto far = [&](llvm::StringRef column) { return name.edit_distance(column, true, 3); };
  const auto *best = std::ranges::min_element(columns, {}, far);
  return far(*best) <= 2 && name.size() > 2 ? best->str() : std::string();
}

std::vector<clang::SourceRange> rangesOf(const clang::Diagnostic &info) {
  std::vector<clang::SourceRange> ranges;
  for (unsigned k = 0; k < info.getNumRanges(); ++k)
    ranges.push_back(info.getRange(k).getAsRange());
  return ranges;
}

} // namespace

/// "log; did you mean 'long'?"
bool Replacer::suggestsKeyword(const clang::Diagnostic &info) const {
  const std::string better = nameArgument(info, 1);
  clang::IdentifierTable names(*language);
  return names.get(llvm::StringRef(better).trim('\'')).isKeyword(*language);
}

bool Replacer::vectors(const clang::Diagnostic &info) {
  const Reader read{info.getSourceManager(), *language};
  const clang::QualType left = typeArgument(info, 0), right = typeArgument(info, 1);
  const auto ranges = rangesOf(info);
  if (left.isNull() || right.isNull() || ranges.size() < 2 || (!isVector(left) && !isVector(right)))
    return false;
  const std::string op = read.token(info.getLocation());
  const auto text = [&](unsigned k) {
    return read.text(clang::CharSourceRange::getTokenRange(ranges[k]));
  };
  if (op == "*" && isVector(left) && isVector(right)) {
    const std::string better = "dot(" + text(0) + ", " + text(1) + ")";
    const clang::SourceRange whole(ranges[0].getBegin(), ranges[1].getEnd());
    kept.emplace_back(Diag::VectorProduct, Finding{info.getLocation(),
                                                   ranges,
                                                   {better},
                                                   {FixItHint::CreateReplacement(whole, better)}});
    return true;
  }
  const auto called = [](clang::QualType type) { return isVector(type) ? "a vector" : "a number"; };
  kept.emplace_back(Diag::VectorOperator,
                    Finding{info.getLocation(), ranges, {op, called(left), called(right)}});
  return true;
}

bool Replacer::subscript(const clang::Diagnostic &info) {
  const Reader read{info.getSourceManager(), *language};
  const auto ranges = rangesOf(info);
  const clang::QualType type = typeArgument(info, 0);
  if (type.isNull() || !isVector(type) || ranges.size() < 2)
    return false;
  const auto text = [&](clang::SourceRange range) {
    return read.text(clang::CharSourceRange::getTokenRange(range));
  };
  const std::string base = text(ranges[0]), index = text(ranges[1]);
  const llvm::StringRef component = llvm::StringSwitch<llvm::StringRef>(index)
                                        .Case("0", ".x")
                                        .Case("1", ".y")
                                        .Case("2", ".z")
                                        .Default("");
  Finding finding{info.getLocation(), ranges, {base + "[" + index + "]", base + component.str()}};
  if (component.empty())
    finding.written[1] = base + ".x, " + base + ".y or " + base + ".z";
  kept.emplace_back(Diag::Subscript, std::move(finding));
  return true;
}

bool Replacer::called(const clang::Diagnostic &info) {
  const clang::QualType type = typeArgument(info, 0);
  std::string name = nameArgument(info, 0);
  if (!type.isNull() && type->getAsRecordDecl())
    name = type->getAsRecordDecl()->getName().str();
  const llvm::StringRef use = useOf(name);
  if (use.empty())
    return false;
  kept.emplace_back(Diag::Call, Finding{info.getLocation(), rangesOf(info), {name, use.str()}});
  return true;
}

bool Replacer::member(const clang::Diagnostic &info) {
  if (info.getNumArgs() < 2 || info.getArgKind(1) != clang::DiagnosticsEngine::ak_declcontext)
    return false;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): how Clang keeps declarations in diagnostics
  const auto *scope = reinterpret_cast<const clang::DeclContext *>(info.getRawArg(1));
  const auto *record = llvm::dyn_cast<clang::CXXRecordDecl>(scope);
  const std::string name = nameArgument(info, 0);
  if (!record || name.empty())
    return false;
  const std::string of = record->getName().str();
  const bool inTriangle = of == "Triangle";
  std::string better = inTriangle ? nearColumn(name) : std::string();
  if (!better.empty())
    better = "write '" + better + "'";
  else if (inTriangle)
    better = "take a record that has it, struct Mine : Triangle { real " + name +
             "; }, as const Mine &t";
  else if (llvm::StringSwitch<bool>(of).Cases("vec3", "cvec3", "wavevector", true).Default(false))
    better = "a vector has x, y and z";
  else if (of == "cplx")
    better = "write re(z) and im(z)";
  else
    better = "add 'real " + name + ";' to it";
  kept.emplace_back(Diag::Column, Finding{info.getLocation(), rangesOf(info), {of, name, better}});
  return true;
}

bool Replacer::untyped(const clang::Diagnostic &info) {
  if (syntax)
    return true; // the text is broken before
  const Reader read{info.getSourceManager(), *language};
  const auto next = read.next(info.getLocation());
  const std::string type = next && next->is(clang::tok::l_paren) ? "cplx" : "real";
  kept.emplace_back(Diag::MissingType,
                    Finding{info.getLocation(),
                            {},
                            {read.token(info.getLocation()), type},
                            {FixItHint::CreateInsertion(info.getLocation(), type + " ")}});
  return true;
}

} // namespace facet::frontend
