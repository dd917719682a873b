// kernel.cpp - reads a kernel struct: its members, its grid, its name and comment.
#include "codegen/frontend/kernel.h"
#include "codegen/ir/roles.h"
#include <algorithm>
#include <clang/AST/Attr.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>
#include <llvm/ADT/StringExtras.h>

namespace facet::frontend {

bool isMarked(const clang::Decl &decl) {
  return std::ranges::any_of(decl.specific_attrs<clang::AnnotateAttr>(), [](const auto *attribute) {
    return attribute->getAnnotation() == "facet_kernel";
  });
}

bool isVocabulary(const clang::Decl &decl) {
  const auto *space =
      llvm::dyn_cast<clang::NamespaceDecl>(decl.getDeclContext()->getEnclosingNamespaceContext());
  return space && space->getName() == "facet" &&
         space->getParent()->getRedeclContext()->isTranslationUnit() &&
         decl.getASTContext().getSourceManager().isInSystemHeader(decl.getLocation());
}

Kind kindOf(const Source &source, clang::QualType type) {
  if (type.isNull())
    return Kind::None;
  type = type.getNonReferenceType().getCanonicalType().getUnqualifiedType();
  if (type == source.context.DoubleTy)
    return Kind::Real;
  if (type->isBooleanType())
    return Kind::Bool;
  if (type->isIntegralOrUnscopedEnumerationType())
    return Kind::Integer;
  if (!source.q.isNull() && type == source.q)
    return Kind::Q;
  const clang::CXXRecordDecl *record = type->getAsCXXRecordDecl();
  if (!record)
    return Kind::None;
  record = record->getCanonicalDecl();
  if (source.record && record == source.record->getCanonicalDecl())
    return Kind::Record;
  if (source.params && record == source.params->getCanonicalDecl())
    return Kind::Params;
  if (source.record && record->hasDefinition() && source.record->hasDefinition() &&
      source.record->isDerivedFrom(record))
    return Kind::Record; // a helper that takes the Triangle of an extended record
  if (!isVocabulary(*record) || !record->getIdentifier())
    return Kind::None;
  return llvm::StringSwitch<Kind>(record->getName())
      .Case("cplx", Kind::Cplx)
      .Case("vec3", Kind::Vec3)
      .Case("cvec3", Kind::CVec3)
      .Default(Kind::None);
}

std::string written(const Source &source, clang::QualType type) {
  clang::PrintingPolicy policy(source.context.getLangOpts());
  policy.SuppressScope = true;
  policy.SuppressTagKeyword = true;
  return type.getNonReferenceType().getUnqualifiedType().getAsString(policy);
}

std::string sourceText(const Source &source, clang::SourceRange range) {
  return clang::Lexer::getSourceText(clang::CharSourceRange::getTokenRange(range),
                                     source.context.getSourceManager(),
                                     source.context.getLangOpts())
      .str();
}

namespace {
void takeFunction(const Source &source, const clang::FunctionDecl *&slot,
                  const clang::FunctionDecl &function) {
  if (slot)
    source.report(Diag::FunctionTwice, function);
  slot = function.getDefinition() ? function.getDefinition() : &function; // it may stand below
  if (function.getAccess() != clang::AS_public)
    source.report(Diag::Private, function);
}
} // namespace

void readMembers(Source &source) {
  const clang::CXXRecordDecl &decl = *source.decl;
  if (decl.getNumBases() > 0)
    source.report(Diag::KernelBase, decl.bases_begin()->getSourceRange(), {decl.getName().str()});
  const auto slotOf = [&](llvm::StringRef name) {
    return llvm::StringSwitch<const clang::FunctionDecl **>(name)
        .Case("term", &source.term)
        .Case("finish", &source.finish)
        .Case("origin", &source.origin)
        .Default(nullptr);
  };
  for (const clang::Decl *member : decl.decls()) {
    const auto *named = llvm::dyn_cast<clang::NamedDecl>(member);
    if (!named || member->isImplicit() || !named->getIdentifier())
      continue;
    const clang::FunctionDecl **slot = slotOf(named->getName());
    if (const auto *method = llvm::dyn_cast<clang::CXXMethodDecl>(member); method && slot)
      takeFunction(source, *slot, *method);
    else if (llvm::isa<clang::FunctionTemplateDecl>(member) && slot)
      source.report(Diag::FunctionTemplate, *named);
    else if (named->getName() != "Params")
      continue;
    else if (const auto *nested = llvm::dyn_cast<clang::CXXRecordDecl>(member);
             nested && nested->isThisDeclarationADefinition())
      source.params = nested;
    else if (const auto *alias = llvm::dyn_cast<clang::TypedefNameDecl>(member))
      source.params = alias->getUnderlyingType()->getAsCXXRecordDecl();
  }
}

namespace {
/// The type of one component of the grid: real, cplx or fixed<N, real or cplx>.
void readComponent(Source &source, clang::SourceLocation at, unsigned k, clang::QualType type) {
  static constexpr llvm::StringLiteral names[] = {"x", "y", "z"};
  ir::AxisType &axis = source.kernel.axes.at(k);
  clang::QualType number = type;
  if (const auto *fixed = llvm::dyn_cast_or_null<clang::ClassTemplateSpecializationDecl>(
          type->getAsCXXRecordDecl());
      fixed && isVocabulary(*fixed) && fixed->getName() == "fixed") {
    const auto &arguments = fixed->getTemplateArgs();
    axis.fixed = arguments[0].getAsIntegral().getExtValue();
    number = arguments[1].getAsType();
    if (axis.fixed < 1)
      source.report(Diag::GridExtent, at, {names[k].str(), std::to_string(axis.fixed)});
  }
  const Kind kind = kindOf(source, number);
  axis.type = kind == Kind::Cplx ? ir::Type::Cplx : ir::Type::Real;
  if (kind != Kind::Real && kind != Kind::Cplx)
    source.report(Diag::GridComponent, at, {names[k].str(), written(source, type)});
}

/// The declaration of that name and kind in a struct; null if there is none.
template <class Declared>
const Declared *find(const Source &source, const clang::CXXRecordDecl &in, llvm::StringRef name) {
  for (const clang::NamedDecl *found : in.lookup(&source.context.Idents.get(name)))
    if (const auto *declared = llvm::dyn_cast<Declared>(found))
      return declared;
  return nullptr;
}
} // namespace

void readGrid(Source &source) {
  const auto *alias = find<clang::TypedefNameDecl>(source, *source.decl, "Grid");
  if (!alias) {
    if (!brokenWithin(source, source.decl->getSourceRange()))
      source.report(Diag::GridMissing, *source.decl);
    return;
  }
  const clang::TypeLoc loc = alias->getTypeSourceInfo()->getTypeLoc();
  const clang::QualType type = alias->getUnderlyingType();
  const auto *grid =
      llvm::dyn_cast_or_null<clang::ClassTemplateSpecializationDecl>(type->getAsCXXRecordDecl());
  const bool known = grid && isVocabulary(*grid);
  const bool product = known && grid->getName() == "product";
  if (!product && !(known && grid->getName() == "points")) {
    if (!type->containsErrors() && !brokenWithin(source, alias->getSourceRange()))
      source.report(Diag::GridKind, loc.getSourceRange(),
                    {sourceText(source, loc.getSourceRange())});
    return;
  }
  source.kernel.grid = product ? ir::GridKind::Product : ir::GridKind::Points;
  const auto arguments = loc.getAsAdjusted<clang::TemplateSpecializationTypeLoc>();
  for (unsigned k = 0; k < 3; ++k) {
    const bool spelled = arguments && k < arguments.getNumArgs();
    readComponent(source, spelled ? arguments.getArgLoc(k).getLocation() : loc.getBeginLoc(), k,
                  grid->getTemplateArgs()[k].getAsType());
  }
  if (const auto *q = find<clang::TypedefNameDecl>(source, *grid, "q"))
    source.q = q->getUnderlyingType().getCanonicalType().getUnqualifiedType();
}

namespace {
/// The first sentence or paragraph of the comment above, on one line, without its markers.
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
} // namespace

std::optional<ir::Kernel> readKernel(clang::ASTContext &context, Reporter &reporter,
                                     const clang::CXXRecordDecl &decl) {
  Source source{.context = context, .reporter = reporter, .decl = &decl};
  source.kernel.name = decl.getName().str();
  if (decl.getDescribedClassTemplate()) {
    source.report(Diag::KernelTemplate, decl);
    return {};
  }
  source.kernel.doc = comment(source);
  const int before = reporter.ownErrors();
  readMembers(source);
  readGrid(source);
  readSignatures(source);
  readRecord(source);
  readParams(source);
  lowerFunctions(source);
  if (reporter.failed() || reporter.ownErrors() > before)
    return {};
  if (source.kernel.term.empty() || source.kernel.finish.empty() ||
      (source.origin && source.kernel.origin.empty())) { // reports any failure missed above
    source.report(Diag::Unsupported, decl);
    return {};
  }
  ir::assignRoles(source.kernel);
  return std::move(source.kernel);
}

} // namespace facet::frontend
