// kernel.cpp - reads a kernel struct: its name and comment, its members, its grid, what term,
// finish and origin take and return, the columns of its record and its parameters.
#include "codegen/frontend/kernel.h"
#include "codegen/ir/roles.h"
#include <algorithm>
#include <clang/AST/Attr.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>

namespace facet::frontend {

using clang::FixItHint;

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
  if (source.sum.decl && record == source.sum.decl->getCanonicalDecl())
    return Kind::Sum;
  if (source.outputs.decl && record == source.outputs.decl->getCanonicalDecl())
    return Kind::Outputs;
  if (source.record && record->hasDefinition() && source.record->hasDefinition() &&
      source.record->isDerivedFrom(record))
    return Kind::Record; // a helper that takes the Triangle of an extended record
  if (!isVocabulary(*record) || !record->getIdentifier())
    return Kind::None;
  return llvm::StringSwitch<Kind>(record->getName())
      .Case("cplx", Kind::Cplx)
      .Case("vec3", Kind::Vec3)
      .Case("cvec3", Kind::CVec3)
      .Case("mat3", Kind::Mat3)
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
  const bool record = kind == Kind::Record || kind == Kind::Params || structOf(source, type);
  if (type->isReferenceType() && !(record && type.getNonReferenceType().isConstQualified()))
    return refuse(Diag::Pointer, {"reference"});
  if (!checkReal(source, loc))
    return false;
  if (kind == Kind::None || kind == Kind::Integer)
    return type->isDependentType() || refuse(Diag::LocalType, {written(source, type)});
  return true;
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

// The grid -------------------------------------------------------------------------------

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
template <class Declaration>
const Declaration *find(const Source &source, const clang::CXXRecordDecl &in,
                        llvm::StringRef name) {
  for (const clang::NamedDecl *found : in.lookup(&source.context.Idents.get(name)))
    if (const auto *declared = llvm::dyn_cast<Declaration>(found))
      return declared;
  return nullptr;
}
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

// What functions take and return ----------------------------------------------------------

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
      return betterSum(type);
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
  /// What the term returns; cplx for a real one too.
  std::string betterSum(clang::QualType type) {
    const clang::QualType returned = source.term ? source.term->getReturnType() : clang::QualType{};
    const Kind kind = kindOf(source, type), wanted = kindOf(source, returned);
    const bool cplx = kind == Kind::Cplx && (wanted == Kind::Real || source.sum.members.empty());
    const bool byValue = !type->isReferenceType() || (kind == Kind::Sum && isConstOrValue(type));
    if (byValue && (cplx || (kind == wanted && (kind == Kind::Sum || !source.sum.members.empty()))))
      return "";
    return source.sum.members.empty() ? "cplx" : written(source, returned);
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

  /// Whether origin gives other outputs than finish; that is reported.
  bool differsFromFinish(clang::QualType type) {
    if (!source.finish || source.outputs.members.empty())
      return false;
    const clang::CXXRecordDecl *own = type->getAsCXXRecordDecl(), *decl = source.outputs.decl;
    const clang::QualType wanted = source.finish->getReturnType();
    const bool right =
        decl ? own && own->getCanonicalDecl() == decl->getCanonicalDecl()
             : kindOf(source, type) != Kind::Cplx || kindOf(source, wanted) != Kind::Real;
    if (!right)
      source.report(Diag::OriginOutputs, function, {written(source, type), written(source, wanted)},
                    {FixItHint::CreateReplacement(function.getReturnTypeSourceRange(),
                                                  written(source, wanted))});
    return decl || !right;
  }

  void returns() {
    const clang::QualType type = function.getReturnType();
    const Kind kind = kindOf(source, type);
    const bool term = &function == source.term, finish = &function == source.finish;
    if (&function == source.origin && differsFromFinish(type))
      return;
    if (brokenWithin(source, function.getLocation()) || // its type is left out
        !checkReal(source, function.getFunctionTypeLoc().getReturnLoc()) ||
        ((kind == Kind::Real || kind == Kind::Cplx ||
          (term && (kind == Kind::Vec3 || kind == Kind::CVec3 || kind == Kind::Sum)) ||
          (finish && source.outputs.decl)) &&
         !type->isReferenceType()))
      return;
    const clang::SourceRange range = function.getReturnTypeSourceRange();
    source.report(Diag::ReturnType, range,
                  {function.getName().str(), written(source, type),
                   term     ? "'real', 'cplx', 'vec3', 'cvec3' or a struct of these"
                   : finish ? "'real', 'cplx' or a struct of these"
                            : "'real' or 'cplx'"},
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

std::string name(const clang::NamedDecl &decl) { return decl.getNameAsString(); }
std::optional<ir::Type> numberType(const Source &source, clang::QualType type);

/// The members of the struct that a function returns.
void readReturned(const Source &source, const std::string &function,
                  const clang::CXXRecordDecl &record, ReturnMembers &to) {
  const bool outputs = &to == &source.outputs;
  to.decl = &record;
  if (record.getNumBases() > 0)
    source.report(Diag::SumBase, record, {function});
  for (const clang::FieldDecl *field : record.fields()) {
    const std::optional<ir::Type> type = numberType(source, field->getType());
    if (!type || (outputs && ir::isVector(*type)))
      source.report(Diag::SumMember, *field,
                    {written(source, field->getType()), function,
                     outputs ? "'real' or 'cplx'" : "'real', 'cplx', 'vec3' or 'cvec3'"});
    else if (field->hasInClassInitializer())
      source.report(Diag::SumDefault, *field, {function});
    else if (name(*field) == "re" || name(*field) == "im")
      source.report(Diag::SumPart, *field, {function});
    else if (outputs && !ir::isOutputName(name(*field)))
      source.report(Diag::OutputName, *field);
    else
      checkType(source, *field);
    to.members.push_back({name(*field), type.value_or(ir::Type::Real)});
  }
  if (to.members.empty() || to.members.size() > ir::mostOutputs)
    source.report(Diag::SumMembers, record, {std::to_string(to.members.size()), function});
}

/// What a function returns.
void readReturn(const Source &source, const clang::FunctionDecl *function, ReturnMembers &to) {
  if (!function || function->isInvalidDecl())
    return;
  const clang::QualType type = function->getReturnType();
  if (const std::optional<ir::Type> one = numberType(source, type))
    to.members = {{"", *one}};
  else if (const clang::CXXRecordDecl *record = type->getAsCXXRecordDecl();
           record && record->hasDefinition() && !isVocabulary(*record) &&
           record->getCanonicalDecl() != source.decl->getCanonicalDecl() &&
           !llvm::isa<clang::ClassTemplateSpecializationDecl>(record))
    readReturned(source, function->getNameAsString(), *record->getDefinition(), to);
}

void readSignatures(Source &source) {
  readReturn(source, source.term, source.sum);
  readReturn(source, source.finish, source.outputs);
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

// The record and the parameters -----------------------------------------------------------

/// The type of a column or a parameter; nothing: none has that type.
std::optional<ir::Type> numberType(const Source &source, clang::QualType type) {
  static constexpr std::pair<Kind, ir::Type> types[] = {{Kind::Real, ir::Type::Real},
                                                        {Kind::Cplx, ir::Type::Cplx},
                                                        {Kind::Vec3, ir::Type::Vec3},
                                                        {Kind::CVec3, ir::Type::CVec3}};
  const Kind kind = kindOf(source, type);
  const auto *found = std::ranges::find(types, kind, &std::pair<Kind, ir::Type>::first);
  if (found == std::end(types) || type->isReferenceType())
    return {};
  return found->second;
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

/// The axis of `per<AXIS, T>`, as it is written; null for another type.
const clang::TemplateSpecializationType *perOf(clang::QualType type) {
  const auto *made = type->getAs<clang::TemplateSpecializationType>();
  const clang::TemplateDecl *decl =
      made && made->isTypeAlias() ? made->getTemplateName().getAsTemplateDecl() : nullptr;
  return decl && isVocabulary(*decl) && decl->getName() == "per" ? made : nullptr;
}

/// A column with an axis: a number, or the two numbers NAME.re and NAME.im.
void readPer(Source &source, const clang::FieldDecl &field,
             const clang::TemplateSpecializationType &per) {
  const clang::QualType axis = per.template_arguments()[0].getAsType();
  const clang::CXXRecordDecl *named = axis->getAsCXXRecordDecl();
  const auto k = named && isVocabulary(*named) && named->getName().size() == 1
                     ? llvm::StringRef("XYZ").find(named->getName())
                     : llvm::StringRef::npos;
  const std::optional<ir::Type> type = numberType(source, field.getType());
  if (k == llvm::StringRef::npos)
    return source.report(Diag::PerAxis, field, {written(source, axis)});
  if (type != ir::Type::Real && type != ir::Type::Cplx)
    return source.report(Diag::PerType, field,
                         {written(source, field.getType()), named->getName().str()});
  if (source.kernel.grid == ir::GridKind::Points)
    return source.report(Diag::PerPoints, field, {named->getName().lower()});
  if (const clang::Expr *value = field.getInClassInitializer())
    source.report(Diag::RecordDefault, value->getSourceRange(), {name(field)});
  const bool complex = type == ir::Type::Cplx;
  for (const char *part : {".re", ".im"})
    if (complex || part[1] == 'r')
      source.columns.push_back({.name = name(field) + (complex ? part : ""),
                                .type = ir::Type::Real,
                                .axis = static_cast<int>(k)});
}

void readColumn(Source &source, const clang::FieldDecl &field) {
  const auto same = [&](const ir::Field &column) {
    return column.name.substr(0, column.name.find('.')) == name(field);
  };
  const auto *per = perOf(field.getType());
  const std::optional<ir::Type> type = numberType(source, field.getType());
  if (!per && type != ir::Type::Real && type != ir::Type::Vec3) {
    source.report(Diag::RecordMember, field, {written(source, field.getType())});
  } else if (std::ranges::any_of(source.columns, same)) {
    const auto *parent = llvm::cast<clang::CXXRecordDecl>(field.getParent());
    source.report(Diag::RecordShadow, field,
                  {name(*parent->bases_begin()->getType()->getAsCXXRecordDecl())});
  } else if (per) {
    readPer(source, field, *per);
  } else if (checkType(source, field)) {
    if (const clang::Expr *value = field.getInClassInitializer()) // nothing reads `real c = 1;`
      source.report(Diag::RecordDefault, value->getSourceRange(), {name(field)});
    ir::Field column{name(field), *type};
    readRole(field.getType(), column);
    source.columns.push_back(std::move(column));
  }
}

/// Columns of the bases first. False if a base is neither Triangle nor built on it.
bool readColumns(Source &source, const clang::CXXRecordDecl &record) {
  if (isVocabulary(record)) {
    source.kernel.triangle = true;
    for (const clang::FieldDecl *field : record.fields())
      source.columns.push_back({name(*field), *numberType(source, field->getType())});
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

void readRecord(Source &source) {
  if (!source.record)
    return;
  source.kernel.triangle = false;
  const int before = source.reporter.ownErrors();
  readColumns(source, *source.record);
  if (source.columns.empty() && source.reporter.ownErrors() == before)
    source.report(Diag::RecordEmpty, *source.record);
}

void readParams(Source &source) {
  if (!source.params || !source.params->hasDefinition())
    return;
  const bool refused = source.reporter.failed(); // then a default may use what was refused
  for (const clang::FieldDecl *field : source.params->getDefinition()->fields()) {
    const bool matrix = kindOf(source, field->getType()) == Kind::Mat3;
    const std::optional<ir::Type> type =
        matrix ? ir::Type::Vec3 : numberType(source, field->getType());
    if (!type) {
      source.report(Diag::ParamsMember, *field, {written(source, field->getType())});
      continue;
    }
    if (!checkType(source, *field))
      continue;
    ir::Param param{name(*field), *type, {}, matrix};
    const int before = source.reporter.ownErrors();
    if (const clang::Expr *value = field->getInClassInitializer()) {
      param.value = defaultOf(source, *value, *type);
      if (param.value.empty() && !refused && source.reporter.ownErrors() == before)
        source.report(Diag::ParamsDefault, value->getSourceRange(), {name(*field)});
    }
    source.kernel.params.push_back(std::move(param));
  }
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
