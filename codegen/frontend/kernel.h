// kernel.h - what a kernel struct says before its functions are read (grid, record, parameters),
// and the steps that make an ir::Kernel of it. Also what a kernel file may hold beside what its
// kernels use: all of it is compiled into the kernel library, and some would run when that is
// opened.
#pragma once
#include "codegen/frontend/diagnostics.h"
#include "codegen/ir/ir.h"
#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/Expr.h>
#include <clang/AST/TypeLoc.h>
#include <optional>

namespace facet::frontend {

using Words = std::vector<std::string>;
using Fixes = std::vector<clang::FixItHint>;

/// The struct of numbers that a function returns; of a number or a vector itself one member without
/// a name.
struct ReturnMembers {
  const clang::CXXRecordDecl *decl = nullptr; // null: no struct
  std::vector<ir::Field> members = {};        // none: not known, or refused
};

/// A kernel struct as it is read. Members stay null if the file lacks them or has them wrong; that
/// has been reported then.
struct Source {
  clang::ASTContext &context;
  Reporter &reporter;
  const clang::CXXRecordDecl *decl = nullptr;
  ir::Kernel kernel = {};
  std::vector<ir::Field> columns = {}; // every column of the record, used or not
  clang::QualType q = {};              // the type of one q, canonical
  const clang::CXXRecordDecl *record = nullptr, *params = nullptr;
  ReturnMembers sum = {};     // by term: numbers and vectors
  ReturnMembers outputs = {}; // by finish: numbers
  const clang::FunctionDecl *term = nullptr, *finish = nullptr, *origin = nullptr;

  /// Reports what was written at a place, and what to write instead.
  void report(Diag diag, clang::SourceLocation at, Words written = {}, Fixes fixes = {}) const {
    reporter.report({diag, at, {}, std::move(written), std::move(fixes)});
  }
  /// At the beginning of a range, all of it underlined.
  void report(Diag diag, clang::SourceRange range, Words written = {}, Fixes fixes = {}) const {
    reporter.report({diag, range.getBegin(), {range}, std::move(written), std::move(fixes)});
  }
  /// At an expression's operator, the whole underlined.
  void report(Diag diag, const clang::Expr &at, Words written = {}, Fixes fixes = {}) const {
    reporter.report(
        {diag, at.getExprLoc(), {at.getSourceRange()}, std::move(written), std::move(fixes)});
  }
  /// At the name of a declaration, which is the first word.
  void report(Diag diag, const clang::NamedDecl &decl, Words more = {}, Fixes fixes = {}) const {
    more.insert(more.begin(), decl.getNameAsString());
    report(diag, decl.getLocation(), std::move(more), std::move(fixes));
  }
};

/// Types as a kernel sees them; None: not of the language.
enum class Kind {
  None,
  Bool,
  Integer,
  Real,
  Cplx,
  Vec3,
  CVec3,
  Mat3,
  Q,
  Record,
  Params,
  Sum,
  Outputs
};
Kind kindOf(const Source &source, clang::QualType type);
/// The struct that term or finish returns, if the type is one of these; else null.
inline const ReturnMembers *structOf(const Source &source, clang::QualType type) {
  const Kind kind = kindOf(source, type);
  return kind == Kind::Sum ? &source.sum : kind == Kind::Outputs ? &source.outputs : nullptr;
}
/// Whether a struct is marked FACET_KERNEL.
bool isMarked(const clang::Decl &decl);
/// Whether a declaration stands in namespace facet itself, so that its name is vocabulary.
bool isVocabulary(const clang::Decl &decl);
/// "facet::cplx" written as a kernel writes it.
std::string written(const Source &source, clang::QualType type);
/// The text of a range of the file, as written.
std::string sourceText(const Source &source, clang::SourceRange range);
/// Whether Clang itself found errors within: more would only repeat them.
bool brokenWithin(const Source &source, clang::SourceRange range);

/// Refuses float, double, pointers, references, arrays and foreign types in a declaration. False if
/// it reported.
bool checkType(const Source &source, const clang::DeclaratorDecl &decl);
/// Refuses float, double and long double written for real.
bool checkReal(const Source &source, clang::TypeLoc type);

void lowerFunctions(Source &source); // statements.cpp: bodies to regions
/// The first sentence or paragraph of the comment above, on one line, without its markers
/// (tokens.cpp).
std::string comment(const Source &source);
/// The numbers of a parameter's default, as many as its type has slots; none if it is no
/// constant, or if an error was reported (expressions.cpp).
std::vector<double> defaultOf(Source &source, const clang::Expr &value, ir::Type type);

/// The expression that each value of a region came from; null for none.
using Origins = std::vector<const clang::Expr *>;
/// A region as lowered.
struct RegionOrigins {
  const ir::Region &region;
  const Origins &origins;
};
void warnOfTraps(Source &source, const RegionOrigins &term,
                 const RegionOrigins &finish); // traps.cpp

/// One struct, all steps; nothing if an error was reported.
std::optional<ir::Kernel> readKernel(clang::ASTContext &context, Reporter &reporter,
                                     const clang::CXXRecordDecl &decl);

// The rules of the whole file (tokens.cpp, file_rules.cpp).
// -----------------------------------------------------------------------------

/// A word or sign that no accepted file has; without a place: there is none.
struct Foreign {
  clang::SourceLocation at;
  std::string written;
};

/// Lets #include <facet/dsl.h> and #pragma once through, and refuses every other directive. It also
/// refuses names that are reserved for compilers, characters that a reader would not see, and what
/// is so long or deep that reading it could exhaust the stack. So what is compiled is what is
/// judged below, whatever the options of the compiler. If it reported, nothing of the file is to be
/// read. What it returns is to be refused where nothing else is.
Foreign checkTokens(const clang::SourceManager &files, const clang::LangOptions &language,
                    Reporter &reporter);

/// Lets kernels, records, constants, functions and names for them through, and nothing else. The
/// kernel structs, in the order of the file.
std::vector<const clang::CXXRecordDecl *> checkDeclarations(const Source &file);

/// Refuses arithmetic of integers that gives another number than the same arithmetic of reals, in
/// constants and default arguments as in functions.
void checkNumbers(const Source &file);

/// Refuses what is outside the language in constants, defaults and functions that no kernel calls.
/// For files without errors: what kernels use has been judged, with better words, by then.
void checkExpressions(const Source &file);

} // namespace facet::frontend
