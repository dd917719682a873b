// signature.cpp - what term, finish and origin take and return; types as they are written.
#include "kernel.h"
#include <algorithm>
#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/TypeLoc.h>
#include <clang/Basic/SourceManager.h>

namespace facet::frontend {

using clang::FixItHint;

bool brokenWithin(const Source &source, clang::SourceRange range) {
  const clang::SourceManager &files = source.context.getSourceManager();
  for (const clang::SourceLocation at : source.reporter.broken)
    if (!files.isBeforeInTranslationUnit(at, range.getBegin()) &&
        !files.isBeforeInTranslationUnit(range.getEnd(), at))
      return true;
  return false;
}

bool checkReal(const Source &source, clang::TypeLoc type) {
  const auto builtin = type.getUnqualifiedLoc().getAs<clang::BuiltinTypeLoc>();
  if (!builtin || !builtin.getType()->isFloatingType())
    return true;
  source.reporter.report(Diag::UseReal,
                         {builtin.getBeginLoc(),
                          {},
                          {written(source, builtin.getType())},
                          {FixItHint::CreateReplacement(builtin.getSourceRange(), "real")}});
  return false;
}

bool checkType(const Source &source, const clang::DeclaratorDecl &decl) {
  if (!decl.getTypeSourceInfo() || decl.isInvalidDecl())
    return false;
  const clang::TypeLoc loc = decl.getTypeSourceInfo()->getTypeLoc();
  const clang::QualType type = decl.getType();
  const std::string name = decl.getNameAsString();
  const auto report = [&](Diag diag, clang::SourceLocation at, std::vector<std::string> written) {
    source.reporter.report(diag, {at, {}, std::move(written)});
    return false;
  };
  if (type->isPointerType())
    return report(Diag::Pointer, decl.getLocation(), {name, "pointer"});
  if (type->isArrayType())
    return report(Diag::Array, decl.getLocation(), {name});
  const Kind kind = kindOf(source, type);
  const bool record = kind == Kind::Record || kind == Kind::Params;
  if (type->isReferenceType() && !(record && type.getNonReferenceType().isConstQualified()))
    return report(Diag::Pointer, decl.getLocation(), {name, "reference"});
  if (!checkReal(source, loc))
    return false;
  if (kind == Kind::None || kind == Kind::Integer)
    return type->isDependentType() ||
           report(Diag::LocalType, decl.getLocation(), {name, written(source, type)});
  return true;
}

namespace {

class Signature {
public:
  Signature(Source &source, const clang::FunctionDecl &function)
      : source(source), function(function) {}

  bool count(unsigned least, const char *takes) {
    const unsigned n = function.getNumParams();
    if (n == least || n == least + 1)
      return true;
    report(Diag::ParameterCount, function.getLocation(), {name(), std::to_string(n), takes});
    return false;
  }

  void q(unsigned k) {
    const clang::ParmVarDecl &parameter = *function.getParamDecl(k);
    const clang::QualType type = parameter.getType();
    if (!source.q.isNull() && type.getCanonicalType().getUnqualifiedType() != source.q)
      wrong(parameter, "Grid::q");
  }

  void sum(unsigned k) {
    const clang::ParmVarDecl &parameter = *function.getParamDecl(k);
    if (kindOf(source, parameter.getType()) != Kind::Cplx || parameter.getType()->isReferenceType())
      wrong(parameter, "cplx");
  }

  void record(unsigned k) {
    const clang::ParmVarDecl &parameter = *function.getParamDecl(k);
    const clang::QualType type = parameter.getType(), plain = type.getNonReferenceType();
    const clang::CXXRecordDecl *decl = plain->getAsCXXRecordDecl();
    const bool reference = type->isReferenceType();
    const Kind kind = kindOf(source, type);
    const bool known = decl && decl->hasDefinition() &&
                       (kind == Kind::None || kind == Kind::Record) &&
                       (!isVocabulary(*decl) || decl->getName() == "Triangle");
    if (!known || (reference && !plain.isConstQualified()) ||
        (source.record && kind != Kind::Record)) {
      const clang::CXXRecordDecl *wanted = source.record ? source.record : known ? decl : nullptr;
      std::string right = "const ";
      right += wanted ? wanted->getName().str() : "Triangle";
      wrong(parameter, right += " &");
    } else if (!source.record) {
      source.record = decl->getDefinition();
    }
  }

  void params(unsigned k) {
    if (function.getNumParams() <= k)
      return;
    const clang::ParmVarDecl &parameter = *function.getParamDecl(k);
    const clang::QualType type = parameter.getType();
    if (kindOf(source, type) != Kind::Params ||
        (type->isReferenceType() && !type.getNonReferenceType().isConstQualified()))
      wrong(parameter, "const Params &");
  }

  void returns() {
    const clang::QualType type = function.getReturnType();
    const Kind kind = kindOf(source, type);
    if (brokenWithin(source, function.getLocation()) || // its type is left out
        !checkReal(source, function.getFunctionTypeLoc().getReturnLoc()) ||
        ((kind == Kind::Real || kind == Kind::Cplx) && !type->isReferenceType()))
      return;
    const clang::SourceRange range = function.getReturnTypeSourceRange();
    report(Diag::ReturnType, range.getBegin(), {name(), written(source, type)},
           {FixItHint::CreateReplacement(range, "cplx")}, {range});
  }

private:
  Source &source;
  const clang::FunctionDecl &function;

  std::string name() const { return function.getName().str(); }

  void report(Diag diag, clang::SourceLocation at, std::vector<std::string> written,
              std::vector<FixItHint> fixes = {}, std::vector<clang::SourceRange> ranges = {}) {
    source.reporter.report(diag, {at, std::move(ranges), std::move(written), std::move(fixes)});
  }

  void wrong(const clang::ParmVarDecl &parameter, const std::string &right) {
    const clang::SourceRange range(parameter.getBeginLoc(),
                                   parameter.getTypeSourceInfo()->getTypeLoc().getEndLoc());
    const std::string gap = right.back() == '&' || parameter.getName().empty() ? "" : " ";
    const clang::SourceRange upToName(range.getBegin(), parameter.getLocation());
    report(Diag::ParameterType, range.getBegin(), {name(), sourceText(source, range), right},
           {FixItHint::CreateReplacement(parameter.getName().empty() ? range : upToName,
                                         right + gap + parameter.getName().str())},
           {range});
  }
};

} // namespace

void readSignatures(Source &source) {
  const auto missing = [&](const char *name, const char *takes) {
    const auto named = [&](const clang::Decl *member) {
      const auto *made = llvm::dyn_cast<clang::FunctionTemplateDecl>(member);
      return made && made->getNameAsString() == name; // refused already
    };
    if (!brokenWithin(source, source.decl->getSourceRange()) &&
        std::ranges::none_of(source.decl->decls(), named))
      source.reporter.report(
          Diag::FunctionMissing,
          {source.decl->getLocation(), {}, {source.decl->getName().str(), name, takes}});
  };
  if (!source.term) {
    missing("term", "Grid::q q, const Triangle &t");
  } else if (Signature term(source, *source.term);
             !source.term->isInvalidDecl() && term.count(2, "Grid::q q, const Triangle &t")) {
    term.q(0);
    term.record(1);
    term.params(2);
    term.returns();
  }
  if (!source.finish) {
    missing("finish", "Grid::q q, cplx sum");
  } else if (Signature finish(source, *source.finish);
             !source.finish->isInvalidDecl() && finish.count(2, "Grid::q q, cplx sum")) {
    finish.q(0);
    finish.sum(1);
    finish.params(2);
    finish.returns();
  }
  if (!source.origin || source.origin->isInvalidDecl())
    return;
  Signature origin(source, *source.origin);
  if (source.origin->getNumParams() > 0 &&
      kindOf(source, source.origin->getParamDecl(0)->getType()) == Kind::Q) {
    source.reporter.report(Diag::OriginQ, {source.origin->getParamDecl(0)->getBeginLoc(),
                                           {source.origin->getParamDecl(0)->getSourceRange()}});
  } else if (origin.count(1, "const Triangle &t")) {
    origin.record(0);
    origin.params(1);
    origin.returns();
  }
}

} // namespace facet::frontend
