// kernel.h - what a kernel struct says before its functions are read: grid, record, parameters; and
// the steps that make an ir::Kernel of it.
#pragma once
#include "codegen/ir/ir.h"
#include "diagnostics.h"
#include <clang/AST/DeclCXX.h>
#include <clang/AST/TypeLoc.h>
#include <complex>
#include <optional>

namespace facet::frontend {

/// A kernel struct as it is read. Members stay null where the file lacks them or has them wrong;
/// that has been reported then.
struct Source {
  clang::ASTContext &context;
  Reporter &reporter;
  const clang::CXXRecordDecl *decl = nullptr;
  ir::Kernel kernel = {};
  std::vector<ir::Field> columns = {}; // every column of the record, used or not
  clang::QualType q = {};              // the type of one q, canonical
  const clang::CXXRecordDecl *record = nullptr, *params = nullptr, *triangle = nullptr;
  const clang::FunctionDecl *term = nullptr, *finish = nullptr, *origin = nullptr;
};

/// Types as a kernel sees them; None: not of the language.
enum class Kind { None, Bool, Integer, Real, Cplx, Vec3, CVec3, Q, Record, Params };
Kind kindOf(const Source &source, clang::QualType type);
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

/// Refuses float, double, pointers, references, arrays and foreign types where `type` is written
/// for `name`. False where it reported.
bool checkType(const Source &source, const clang::DeclaratorDecl &decl);
/// Refuses float, double and long double written for real.
bool checkReal(const Source &source, clang::TypeLoc type);

// The steps, in order.
// -----------------------------------------------------------------------------
void readMembers(Source &source);    // kernel.cpp: bases, state, functions
void readGrid(Source &source);       // kernel.cpp
void readSignatures(Source &source); // signature.cpp: term, finish, origin
void readRecord(Source &source);     // record.cpp
void readParams(Source &source);     // record.cpp
void lowerFunctions(Source &source); // lower/: bodies to regions
/// The numbers of a parameter's default, as many as its type has slots; none where it is no
/// constant, or where an error was reported (lower/constants.cpp).
std::vector<double> defaultOf(Source &source, const clang::Expr &value, ir::Type type);

/// A region as lowered, nothing dropped, and the expression each of its values came from.
struct Lowered {
  const ir::Region &region;
  const std::vector<const clang::Expr *> &origins;
};
void warnOfTraps(Source &source, const Lowered &term, const Lowered &finish); // traps.cpp

/// probe.cpp: whether F(q) has a limit at q = 0 along each direction, and not the same along all.
bool turnsWithDirection(const ir::Kernel &kernel);
/// probe.cpp: whether e^{unit * phase} is a wave that grows with the depth of its record where q.z
/// has a positive imaginary part; phase is a value of the region.
bool growsWithDepth(const ir::Kernel &kernel, const ir::Region &region, ir::Id phase,
                    std::complex<double> unit);

/// One struct, all steps; nothing where an error was reported.
std::optional<ir::Kernel> readKernel(clang::ASTContext &context, Reporter &reporter,
                                     const clang::CXXRecordDecl &decl);

} // namespace facet::frontend
