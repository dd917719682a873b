// record.cpp - the columns of a record and the run-time parameters.
#include "codegen/frontend/kernel.h"
#include "codegen/ir/roles.h"
#include <algorithm>
#include <clang/AST/DeclTemplate.h>

namespace facet::frontend {

namespace {

std::string name(const clang::NamedDecl &decl) { return decl.getNameAsString(); }

/// Warns of `real c = 1;`: nothing reads that value.
void checkDefault(const Source &source, const clang::FieldDecl &field) {
  if (const clang::Expr *value = field.getInClassInitializer())
    source.report(Diag::RecordDefault, value->getSourceRange(), {name(field)});
}

/// What a column is said to do with the particle, by the name of its type.
void readRole(clang::QualType type, ir::Field &column) {
  const auto *made = type->getAs<clang::TemplateSpecializationType>();
  if (made && made->isTypeAlias()) {
    const clang::TemplateDecl *decl = made->getTemplateName().getAsTemplateDecl();
    const auto arguments = made->template_arguments();
    if (decl && isVocabulary(*decl) && decl->getName() == "scaled" && arguments.size() == 1)
      column.power = static_cast<int>(
          arguments[0].getAsExpr()->EvaluateKnownConstInt(decl->getASTContext()).getExtValue());
    return;
  }
  while (const auto *alias = type->getAs<clang::TypedefType>()) {
    if (isVocabulary(*alias->getDecl()))
      column.role = ir::roleByName(alias->getDecl()->getName());
    if (column.role != ir::Role::Unset)
      return;
    type = alias->getDecl()->getUnderlyingType();
  }
}

void readColumn(Source &source, const clang::FieldDecl &field) {
  const auto same = [&](const ir::Field &column) { return column.name == name(field); };
  const Kind kind = kindOf(source, field.getType());
  const bool plain = !field.getType()->isReferenceType();
  if (!plain || (kind != Kind::Real && kind != Kind::Vec3)) {
    source.report(Diag::RecordMember, field, {written(source, field.getType())});
  } else if (std::ranges::any_of(source.columns, same)) {
    const auto *parent = llvm::cast<clang::CXXRecordDecl>(field.getParent());
    source.report(Diag::RecordShadow, field,
                  {name(*parent->bases_begin()->getType()->getAsCXXRecordDecl())});
  } else if (checkType(source, field)) {
    checkDefault(source, field);
    ir::Field column{name(field), kind == Kind::Vec3 ? ir::Type::Vec3 : ir::Type::Real};
    readRole(field.getType(), column);
    source.columns.push_back(std::move(column));
  }
}

/// Columns of the bases first. False if a base is neither Triangle nor built on it.
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
      source.report(Diag::RecordBase, base.getSourceRange(),
                    {name(record), written(source, base.getType())});
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
    source.report(Diag::RecordEmpty, *source.record);
}

namespace {
/// Nothing: no parameter has that type.
std::optional<ir::Type> parameterType(const Source &source, clang::QualType type) {
  if (type->isReferenceType())
    return {};
  switch (kindOf(source, type)) {
  case Kind::Real:
    return ir::Type::Real;
  case Kind::Cplx:
    return ir::Type::Cplx;
  case Kind::Vec3:
    return ir::Type::Vec3;
  case Kind::CVec3:
    return ir::Type::CVec3;
  default:
    return {};
  }
}
} // namespace

void readParams(Source &source) {
  if (!source.params || !source.params->hasDefinition())
    return;
  const bool refused = source.reporter.failed(); // then a default may use what was refused
  for (const clang::FieldDecl *field : source.params->getDefinition()->fields()) {
    const std::optional<ir::Type> type = parameterType(source, field->getType());
    if (!type) {
      source.report(Diag::ParamsMember, *field, {written(source, field->getType())});
      continue;
    }
    if (!checkType(source, *field))
      continue;
    ir::Param param{name(*field), *type};
    const int before = source.reporter.ownErrors();
    if (const clang::Expr *value = field->getInClassInitializer()) {
      param.value = defaultOf(source, *value, *type);
      if (param.value.empty() && !refused && source.reporter.ownErrors() == before)
        source.report(Diag::ParamsDefault, value->getSourceRange(), {name(*field)});
    }
    source.kernel.params.push_back(std::move(param));
  }
}

} // namespace facet::frontend
