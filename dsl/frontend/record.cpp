// record.cpp - the columns of a record and the run-time parameters.
#include "kernel.h"
#include <algorithm>
#include <clang/AST/ASTContext.h>

namespace facet::frontend {

namespace {

std::string name(const clang::NamedDecl &decl) { return decl.getNameAsString(); }

/// Warns of `real c = 1;`: nothing reads that value.
void checkDefault(const Source &source, const clang::FieldDecl &field, Diag diag) {
  const clang::Expr *value = field.getInClassInitializer();
  if (value)
    source.reporter.report(diag, {value->getBeginLoc(), {value->getSourceRange()}, {name(field)}});
}

void readColumn(Source &source, const clang::FieldDecl &field) {
  const auto same = [&](const ir::Field &column) { return column.name == name(field); };
  const Kind kind = kindOf(source, field.getType());
  const bool plain = !field.getType()->isReferenceType();
  if (!plain || (kind != Kind::Real && kind != Kind::Vec3)) {
    source.reporter.report(
        Diag::RecordMember,
        {field.getLocation(), {}, {name(field), written(source, field.getType())}});
  } else if (std::ranges::any_of(source.columns, same)) {
    const auto *parent = llvm::cast<clang::CXXRecordDecl>(field.getParent());
    source.reporter.report(
        Diag::RecordShadow,
        {field.getLocation(),
         {},
         {name(field), name(*parent->bases_begin()->getType()->getAsCXXRecordDecl())}});
  } else if (checkType(source, field)) {
    checkDefault(source, field, Diag::RecordDefault);
    source.columns.push_back({name(field), kind == Kind::Vec3 ? ir::Type::Vec3 : ir::Type::Real});
  }
}

/// Columns of the bases first. False where a base is neither Triangle nor built on it.
bool readColumns(Source &source, const clang::CXXRecordDecl &record) {
  if (isVocabulary(record)) {
    source.kernel.triangle = true;
    for (const clang::FieldDecl *field : record.fields())
      source.columns.push_back({name(*field), kindOf(source, field->getType()) == Kind::Vec3
                                                  ? ir::Type::Vec3
                                                  : ir::Type::Real});
    return true;
  }
  for (const clang::CXXBaseSpecifier &base : record.bases()) {
    const clang::CXXRecordDecl *parent = base.getType()->getAsCXXRecordDecl();
    const bool triangle =
        parent && (isVocabulary(*parent) ? parent->getName() == "Triangle" : parent->getNumBases());
    if (!triangle || record.getNumBases() > 1 || base.isVirtual()) {
      source.reporter.report(Diag::RecordBase, {base.getBeginLoc(),
                                                {base.getSourceRange()},
                                                {name(record), written(source, base.getType())}});
      return false;
    }
    if (!readColumns(source, *parent->getDefinition()))
      return false;
  }
  for (const clang::FieldDecl *field : record.fields())
    readColumn(source, *field);
  return true;
}

} // namespace

void readRecord(Source &source) {
  if (!source.record)
    return;
  source.kernel.triangle = false;
  const int before = source.reporter.ownErrors();
  readColumns(source, *source.record);
  if (source.columns.empty() && source.reporter.ownErrors() == before)
    source.reporter.report(Diag::RecordEmpty,
                           {source.record->getLocation(), {}, {name(*source.record)}});
}

void readParams(Source &source) {
  if (!source.params || !source.params->hasDefinition())
    return;
  for (const clang::FieldDecl *field : source.params->getDefinition()->fields()) {
    if (kindOf(source, field->getType()) != Kind::Real || field->getType()->isReferenceType()) {
      source.reporter.report(
          Diag::ParamsMember,
          {field->getLocation(), {}, {name(*field), written(source, field->getType())}});
    } else if (checkType(source, *field)) {
      checkDefault(source, *field, Diag::ParamsDefault);
      source.kernel.params.push_back(name(*field));
    }
  }
}

} // namespace facet::frontend
