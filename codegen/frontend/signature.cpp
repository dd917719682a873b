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

  bool count(unsigned least, const char *takes) {
    const unsigned n = function.getNumParams();
    if (n == least || n == least + 1)
      return true;
    source.report(Diag::ParameterCount, function, {std::to_string(n), takes});
    return false;
  }

  void q(unsigned k) {
    if (!source.q.isNull() && type(k).getCanonicalType().getUnqualifiedType() != source.q)
      wrong(k, "Grid::q");
  }

  void sum(unsigned k) {
    if (kindOf(source, type(k)) != Kind::Cplx || type(k)->isReferenceType())
      wrong(k, "cplx");
  }

  void record(unsigned k) {
    const clang::CXXRecordDecl *decl = type(k).getNonReferenceType()->getAsCXXRecordDecl();
    const Kind kind = kindOf(source, type(k));
    const bool known = decl && decl->hasDefinition() &&
                       (kind == Kind::None || kind == Kind::Record) &&
                       (!isVocabulary(*decl) || decl->getName() == "Triangle");
    if (!known || !isConstOrValue(type(k)) || (source.record && kind != Kind::Record)) {
      const clang::CXXRecordDecl *wanted = source.record ? source.record : known ? decl : nullptr;
      wrong(k, "const " + (wanted ? wanted->getName().str() : "Triangle") + " &");
    } else if (!source.record) {
      source.record = decl->getDefinition();
    }
  }

  void params(unsigned k) {
    if (k < function.getNumParams() &&
        (kindOf(source, type(k)) != Kind::Params || !isConstOrValue(type(k))))
      wrong(k, "const Params &");
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

private:
  Source &source;
  const clang::FunctionDecl &function;

  clang::QualType type(unsigned k) const { return function.getParamDecl(k)->getType(); }

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
};

/// Whether a function is there to be read; if it is missing, that is reported, unless something
/// else explains it.
bool isThere(const Source &source, const clang::FunctionDecl *function, const char *name,
             const char *takes) {
  const auto made = [&](const clang::Decl *member) { // refused already
    const auto *made = llvm::dyn_cast<clang::FunctionTemplateDecl>(member);
    return made && made->getNameAsString() == name;
  };
  if (!function && !brokenWithin(source, source.decl->getSourceRange()) &&
      std::ranges::none_of(source.decl->decls(), made))
    source.report(Diag::FunctionMissing, *source.decl, {name, takes});
  return function && !function->isInvalidDecl();
}

} // namespace

void readSignatures(Source &source) {
  const char *const ofTerm = "Grid::q q, const Triangle &t", *const ofFinish =
                                                                 "Grid::q q, cplx sum";
  if (isThere(source, source.term, "term", ofTerm))
    if (Signature term(source, *source.term); term.count(2, ofTerm)) {
      term.q(0);
      term.record(1);
      term.params(2);
      term.returns();
    }
  if (isThere(source, source.finish, "finish", ofFinish))
    if (Signature finish(source, *source.finish); finish.count(2, ofFinish)) {
      finish.q(0);
      finish.sum(1);
      finish.params(2);
      finish.returns();
    }
  if (!source.origin || source.origin->isInvalidDecl())
    return;
  Signature origin(source, *source.origin);
  const auto *first = source.origin->getNumParams() > 0 ? source.origin->getParamDecl(0) : nullptr;
  if (first && kindOf(source, first->getType()) == Kind::Q) {
    source.report(Diag::OriginQ, first->getSourceRange());
  } else if (origin.count(1, "const Triangle &t")) {
    origin.record(0);
    origin.params(1);
    origin.returns();
  }
}

} // namespace facet::frontend
