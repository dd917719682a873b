// signature.cpp - what term, finish and origin take and return; types as they are written.
#include "codegen/frontend/kernel.h"
#include <algorithm>
#include <clang/AST/DeclTemplate.h>
#include <clang/Basic/SourceManager.h>

namespace facet::frontend {

using clang::FixItHint;

bool brokenWithin(const Source &source, clang::SourceRange range) {
  const clang::SourceManager &files = source.context.getSourceManager();
  return std::ranges::any_of(source.reporter.broken, [&](clang::SourceLocation at) {
    return !files.isBeforeInTranslationUnit(at, range.getBegin()) &&
           !files.isBeforeInTranslationUnit(range.getEnd(), at);
  });
}

bool checkReal(const Source &source, clang::TypeLoc type) {
  const auto builtin = type.getUnqualifiedLoc().getAs<clang::BuiltinTypeLoc>();
  if (!builtin || !builtin.getType()->isFloatingType())
    return true;
  source.report(Diag::UseReal, builtin.getBeginLoc(), {written(source, builtin.getType())},
                {FixItHint::CreateReplacement(builtin.getSourceRange(), "real")});
  return false;
}

bool checkType(const Source &source, const clang::DeclaratorDecl &decl) {
  if (!decl.getTypeSourceInfo() || decl.isInvalidDecl())
    return false;
  const clang::TypeLoc loc = decl.getTypeSourceInfo()->getTypeLoc();
  const clang::QualType type = decl.getType();
  const auto refuse = [&](Diag diag, Words more) {
    source.report(diag, decl, std::move(more));
    return false;
  };
  if (type->isPointerType())
    return refuse(Diag::Pointer, {"pointer"});
  if (type->isArrayType())
    return refuse(Diag::Array, {});
  const Kind kind = kindOf(source, type);
  const bool record = kind == Kind::Record || kind == Kind::Params;
  if (type->isReferenceType() && !(record && type.getNonReferenceType().isConstQualified()))
    return refuse(Diag::Pointer, {"reference"});
  if (!checkReal(source, loc))
    return false;
  if (kind == Kind::None || kind == Kind::Integer)
    return type->isDependentType() || refuse(Diag::LocalType, {written(source, type)});
  return true;
}

namespace {

bool isConstOrValue(clang::QualType type) {
  return !type->isReferenceType() || type.getNonReferenceType().isConstQualified();
}

/// What one function takes and returns.
class Signature {
public:
  Signature(Source &source, const clang::FunctionDecl &function)
      : source(source), function(function) {}

  enum Takes { Q, Sum, Record };
  /// `words`: the same for people. A last parameter of type Params may follow.
  void check(const std::vector<Takes> &takes, const char *words) {
    const unsigned n = function.getNumParams(), least = static_cast<unsigned>(takes.size());
    if (n != least && n != least + 1)
      return source.report(Diag::ParameterCount, function, {std::to_string(n), words});
    for (unsigned k = 0; k < n; ++k)
      if (const std::string right = k < least ? better(takes[k], type(k)) : betterParams(type(k));
          !right.empty())
        wrong(k, right);
    returns();
  }

private:
  Source &source;
  const clang::FunctionDecl &function;

  clang::QualType type(unsigned k) const { return function.getParamDecl(k)->getType(); }

  /// What should be written in the place of a type; "" if it is right.
  std::string better(Takes what, clang::QualType type) {
    if (what == Q)
      return source.q.isNull() || type.getCanonicalType().getUnqualifiedType() == source.q
                 ? ""
                 : "Grid::q";
    if (what == Sum)
      return kindOf(source, type) == Kind::Cplx && !type->isReferenceType() ? "" : "cplx";
    const clang::CXXRecordDecl *decl = type.getNonReferenceType()->getAsCXXRecordDecl();
    const Kind kind = kindOf(source, type);
    const bool known = decl && decl->hasDefinition() &&
                       (kind == Kind::None || kind == Kind::Record) &&
                       (!isVocabulary(*decl) || decl->getName() == "Triangle");
    if (!known || !isConstOrValue(type) || (source.record && kind != Kind::Record)) {
      const clang::CXXRecordDecl *wanted = source.record ? source.record : known ? decl : nullptr;
      return "const " + (wanted ? wanted->getName().str() : "Triangle") + " &";
    }
    if (!source.record) // the first that names it
      source.record = decl->getDefinition();
    return "";
  }
  std::string betterParams(clang::QualType type) {
    return kindOf(source, type) == Kind::Params && isConstOrValue(type) ? "" : "const Params &";
  }

  void wrong(unsigned k, const std::string &right) {
    const clang::ParmVarDecl &parameter = *function.getParamDecl(k);
    const clang::SourceRange range(parameter.getBeginLoc(),
                                   parameter.getTypeSourceInfo()->getTypeLoc().getEndLoc());
    const std::string gap = right.back() == '&' || parameter.getName().empty() ? "" : " ";
    const clang::SourceRange upToName(range.getBegin(), parameter.getLocation());
    source.report(Diag::ParameterType, range,
                  {function.getName().str(), sourceText(source, range), right},
                  {FixItHint::CreateReplacement(parameter.getName().empty() ? range : upToName,
                                                right + gap + parameter.getName().str())});
  }

  void returns() {
    const clang::QualType type = function.getReturnType();
    const Kind kind = kindOf(source, type);
    if (brokenWithin(source, function.getLocation()) || // its type is left out
        !checkReal(source, function.getFunctionTypeLoc().getReturnLoc()) ||
        ((kind == Kind::Real || kind == Kind::Cplx) && !type->isReferenceType()))
      return;
    const clang::SourceRange range = function.getReturnTypeSourceRange();
    source.report(Diag::ReturnType, range, {function.getName().str(), written(source, type)},
                  {FixItHint::CreateReplacement(range, "cplx")});
  }
};

/// Reads a function that every kernel has; if it is missing, that is reported, unless something
/// else explains it.
void readFunction(Source &source, const clang::FunctionDecl *function, const char *name,
                  const std::vector<Signature::Takes> &takes, const char *words) {
  const auto made = [&](const clang::Decl *member) { // refused already
    const auto *made = llvm::dyn_cast<clang::FunctionTemplateDecl>(member);
    return made && made->getNameAsString() == name;
  };
  if (!function && !brokenWithin(source, source.decl->getSourceRange()) &&
      std::ranges::none_of(source.decl->decls(), made))
    source.report(Diag::FunctionMissing, *source.decl, {name, words});
  if (function && !function->isInvalidDecl())
    Signature(source, *function).check(takes, words);
}

} // namespace

void readSignatures(Source &source) {
  readFunction(source, source.term, "term", {Signature::Q, Signature::Record},
               "Grid::q q, const Triangle &t");
  readFunction(source, source.finish, "finish", {Signature::Q, Signature::Sum},
               "Grid::q q, cplx sum");
  const clang::FunctionDecl *origin = source.origin;
  if (!origin || origin->isInvalidDecl())
    return;
  if (origin->getNumParams() > 0 && kindOf(source, origin->getParamDecl(0)->getType()) == Kind::Q)
    source.report(Diag::OriginQ, origin->getParamDecl(0)->getSourceRange());
  else
    Signature(source, *origin).check({Signature::Record}, "const Triangle &t");
}

} // namespace facet::frontend
