// expressions.cpp - expressions to values: members, operators, conversions; literals, integers and
// constants; calls: the vocabulary by name, the kernel's own functions inlined, all else refused.
#include "codegen/frontend/lowering.h"
#include "codegen/ir/evaluate.h"
#include <algorithm>
#include <clang/Basic/SourceManager.h>
#include <cmath>

namespace facet::frontend {

Bound Lowering::lower(const clang::Expr *expression) {
  expression = expression->IgnoreParens();
  return expression->containsErrors() ? Bound{} : Visit(expression); // Clang has said what is wrong
}

void Lowering::at(const clang::Expr &expression) {
  const auto place = source.context.getSourceManager().getPresumedLoc(expression.getExprLoc());
  if (place.isValid())
    build.loc = {static_cast<int>(place.getLine()), static_cast<int>(place.getColumn())};
}

Bound Lowering::keep(const clang::Expr &expression, ir::Id id) {
  origins.resize(region.values.size(), &expression);
  return {Bound::Value, id};
}

Bound Lowering::value(const Bound &bound) {
  return bound.what == Bound::Q ? Bound{Bound::Value, build.axis(-1)} : bound;
}

Bound Lowering::add(const clang::Expr &expression, ir::Op op, const Bound &a, const Bound &b,
                    const Bound &c, int component) {
  const std::array operands{value(a), value(b), value(c)};
  for (int k = 0; k < ir::info(op).arity; ++k)
    if (operands[k].what != Bound::Value)
      return {};
  at(expression);
  try {
    return keep(expression,
                build.op(op, operands[0].id, operands[1].id, operands[2].id, component));
  } catch (const ir::Error &error) { // the IR has no such op
    return report(Diag::Unsupported, expression, {error.message});
  }
}

Bound Lowering::VisitInitListExpr(const clang::InitListExpr *e) {
  if (structOf(source, e->getType())) {
    Bound made{Bound::Struct};
    for (const clang::Expr *member : e->inits())
      made.members.push_back(value(lower(member)));
    return made;
  }
  const bool one = e->getNumInits() == 1 && !e->getType()->isRecordType();
  return one ? lower(e->getInit(0)) : refuse(*e);
}

Bound Lowering::VisitMemberExpr(const clang::MemberExpr *e) {
  const std::string spelled = e->getMemberDecl()->getNameAsString();
  if (!llvm::isa<clang::FieldDecl>(e->getMemberDecl())) {
    const auto *variable = llvm::dyn_cast<clang::VarDecl>(e->getMemberDecl());
    return variable ? constant(*e, *variable) : refuse(*e);
  }
  const Bound base = lower(e->getBase());
  at(*e);
  const int component = spelled == "x" ? 0 : spelled == "y" ? 1 : 2;
  switch (base.what) {
  case Bound::Q:
    return keep(*e, build.axis(component));
  case Bound::Record:
    return column(*e, spelled);
  case Bound::Params:
    return parameter(*e, spelled);
  case Bound::Value: // z.re, v.x
    if (kindOf(source, e->getBase()->getType()) == Kind::Cplx)
      return add(*e, spelled == "re" ? ir::Op::Re : ir::Op::Im, base);
    return add(*e, ir::Op::Component, base, {}, {}, component);
  case Bound::Matrix:
    return row(base, component);
  case Bound::Struct:
    if (const ReturnMembers *of = structOf(source, e->getBase()->getType()))
      for (std::size_t k = 0; k < std::min(base.members.size(), of->members.size()); ++k)
        if (of->members[k].name == spelled)
          return base.members[k];
    return {};
  case Bound::Nothing:
    break;
  }
  return {};
}

/// A column, of which a complex one is two numbers.
Bound Lowering::column(const clang::MemberExpr &expression, const std::string &name) {
  const bool complex = kindOf(source, expression.getType()) == Kind::Cplx;
  const ir::Field *field = ir::fieldNamed(source.kernel, complex ? name + ".re" : name);
  if (field == nullptr)
    return {}; // it was refused
  if (field->axis >= 0 && &region == &source.kernel.origin)
    return report(Diag::PerOrigin, expression, {name});
  const Bound re = keep(expression, build.field(field->name));
  return complex ? add(expression, ir::Op::Complex, re, keep(expression, build.field(name + ".im")))
                 : re;
}

/// A parameter made of its slots.
Bound Lowering::parameter(const clang::Expr &expression, const std::string &name) {
  const auto named = [&](const ir::Param &param) { return param.name == name; };
  const auto found = std::ranges::find_if(source.kernel.params, named);
  if (found == source.kernel.params.end())
    return {}; // it was refused
  std::vector<Bound> parts;
  for (const std::string &slot : ir::slots(*found))
    parts.push_back(keep(expression, build.param(slot)));
  if (ir::isComplex(found->type)) {
    for (std::size_t k = 0; 2 * k < parts.size(); ++k)
      parts[k] = add(expression, ir::Op::Complex, parts[2 * k], parts[2 * k + 1]);
    parts.resize(parts.size() / 2);
  }
  const auto vector = [&](std::size_t from) {
    return add(expression, ir::Op::Vec, parts[from], parts[from + 1], parts[from + 2]);
  };
  if (found->matrix)
    return matrix({vector(0), vector(3), vector(6)});
  return parts.size() == 3 ? vector(0) : parts[0];
}

Bound Lowering::VisitCastExpr(const clang::CastExpr *e) {
  const clang::Expr *inner = e->getSubExpr();
  const auto *written = llvm::dyn_cast<clang::ExplicitCastExpr>(e);
  if (written && (!llvm::isa<clang::CXXFunctionalCastExpr>(e) || e->getType()->isIntegerType()))
    return {}; // refused already
  if (written && !checkReal(source, written->getTypeInfoAsWritten()->getTypeLoc()))
    return {};
  switch (e->getCastKind()) {
  case clang::CK_LValueToRValue:
  case clang::CK_NoOp:
  case clang::CK_DerivedToBase:
  case clang::CK_UncheckedDerivedToBase:
  case clang::CK_UserDefinedConversion: // q to a vector
  case clang::CK_ConstructorConversion:
  case clang::CK_FloatingCast: // from float or long double: literals and declarations are refused
    return lower(inner);
  case clang::CK_IntegralToFloating:
  case clang::CK_IntegralCast:
    return integer(*inner);
  case clang::CK_FloatingToIntegral: // refused already
    return {};
  case clang::CK_FloatingToBoolean:
  case clang::CK_IntegralToBoolean:
    return report(Diag::NumberCondition, *inner, {text(*inner)});
  default:
    return refuse(*e);
  }
}

Bound Lowering::assignment(const clang::Expr &expression, const clang::Expr &target,
                           std::string op) {
  const clang::Expr *bare = target.IgnoreParenImpCasts();
  const auto *variable = llvm::dyn_cast<clang::DeclRefExpr>(bare);
  const std::string spelled = variable ? variable->getDecl()->getNameAsString() : "";
  return report(Diag::Assignment, expression,
                {std::move(op), text(*bare), spelled.empty() ? "another" : spelled + "2"});
}

Bound Lowering::VisitUnaryOperator(const clang::UnaryOperator *e) {
  const clang::Expr &inner = *e->getSubExpr();
  if (e->isIncrementDecrementOp())
    return assignment(*e, inner, clang::UnaryOperator::getOpcodeStr(e->getOpcode()).str());
  if (e->getType()->isIntegerType() && !e->getType()->isBooleanType())
    return integer(*e);
  switch (e->getOpcode()) {
  case clang::UO_Plus:
    return value(lower(&inner));
  case clang::UO_Minus:
    return add(*e, ir::Op::Neg, lower(&inner));
  case clang::UO_LNot:
    return add(*e, ir::Op::Not, lower(&inner));
  case clang::UO_AddrOf:
  case clang::UO_Deref:
    if (llvm::isa<clang::CXXNewExpr>(inner.IgnoreParenImpCasts()))
      return refuse(*inner.IgnoreParenImpCasts());
    return report(Diag::Pointer, *e, {text(*e), "pointer"});
  default:
    return refuse(*e);
  }
}

Bound Lowering::combine(const clang::Expr &expression, clang::BinaryOperatorKind op, const Bound &a,
                        const Bound &b) {
  static constexpr std::pair<clang::BinaryOperatorKind, ir::Op> table[] = {
      {clang::BO_Add, ir::Op::Add},  {clang::BO_Sub, ir::Op::Sub},
      {clang::BO_Mul, ir::Op::Mul},  {clang::BO_Div, ir::Op::Div},
      {clang::BO_LT, ir::Op::Less},  {clang::BO_LE, ir::Op::LessEqual},
      {clang::BO_EQ, ir::Op::Equal}, {clang::BO_LAnd, ir::Op::And},
      {clang::BO_LOr, ir::Op::Or}};
  if (op == clang::BO_GT || op == clang::BO_GE)
    return combine(expression, op == clang::BO_GT ? clang::BO_LT : clang::BO_LE, b, a);
  if (a.what == Bound::Matrix || b.what == Bound::Matrix)
    return combineMatrices(expression, op, a, b);
  if (op == clang::BO_NE)
    return add(expression, ir::Op::Not, add(expression, ir::Op::Equal, a, b));
  const auto *entry =
      std::ranges::find(table, op, &std::pair<clang::BinaryOperatorKind, ir::Op>::first);
  return entry == std::end(table) ? refuse(expression) : add(expression, entry->second, a, b);
}

Bound Lowering::VisitBinaryOperator(const clang::BinaryOperator *e) {
  if (e->isAssignmentOp())
    return assignment(*e, *e->getLHS(), e->getOpcodeStr().str());
  if (e->getType()->isIntegerType() && !e->getType()->isBooleanType())
    return integer(*e);
  if (e->isCommaOp() || e->isPtrMemOp())
    return refuse(*e);
  const Bound a = lower(e->getLHS()), b = lower(e->getRHS());
  return combine(*e, e->getOpcode(), a, b);
}

Bound Lowering::VisitCXXConstructExpr(const clang::CXXConstructExpr *e) {
  const unsigned n = e->getNumArgs();
  const Kind kind = kindOf(source, e->getType());
  if (n == 1) // copies; a real as a complex number, a real vector as a complex one
    return kind == Kind::None ? refuse(*e) : lower(e->getArg(0));
  const bool complex = kind == Kind::Cplx, isMatrix = kind == Kind::Mat3;
  const bool vector = kind == Kind::Vec3 || kind == Kind::CVec3;
  if (n == 0 && (complex || vector || isMatrix)) {
    const Bound zero = literal(*e, 0);
    const Bound none = complex ? zero : add(*e, ir::Op::Vec, zero, zero, zero);
    return isMatrix ? matrix({none, none, none}) : none;
  }
  if (!(complex && n == 2) && !((vector || isMatrix) && n == 3))
    return refuse(*e);
  std::array<Bound, 3> parts;
  for (unsigned k = 0; k < n; ++k)
    parts[k] = lower(e->getArg(k));
  if (isMatrix)
    return matrix(parts);
  return add(*e, complex ? ir::Op::Complex : ir::Op::Vec, parts[0], parts[1], parts[2]);
}

Bound Lowering::VisitConditionalOperator(const clang::ConditionalOperator *e) {
  const Bound condition = lower(e->getCond()), yes = lower(e->getTrueExpr()),
              no = lower(e->getFalseExpr());
  if (e->getType()->isBooleanType()) { // (c and yes) or (not c and no)
    const Bound otherwise = add(*e, ir::Op::Not, condition);
    return add(*e, ir::Op::Or, add(*e, ir::Op::And, condition, yes),
               add(*e, ir::Op::And, otherwise, no));
  }
  if (yes.what == Bound::Record || no.what == Bound::Record || yes.what == Bound::Params)
    return refuse(*e);
  return chosen(*e, condition, yes, no);
}

// Literals and constants ------------------------------------------------------------------

Bound Lowering::literal(const clang::Expr &expression, double number) {
  if (!std::isfinite(number))
    return report(Diag::NotFinite, expression, {text(expression)});
  at(expression);
  return keep(expression, build.number(number));
}

Bound Lowering::zero(const clang::Expr &expression) {
  const bool real = kindOf(source, expression.getType()) == Kind::Real;
  return real ? literal(expression, 0) : refuse(expression);
}

/// The IR has no literals of bool: 0 <= 0, or 0 < 0.
Bound Lowering::boolean(const clang::Expr &expression, bool value) {
  const Bound none = literal(expression, 0);
  return add(expression, value ? ir::Op::LessEqual : ir::Op::Less, none, none);
}

/// Integers are constants within int, and only added and multiplied: file_rules.cpp.
Bound Lowering::integer(const clang::Expr &expression) {
  const clang::Expr *bare = expression.IgnoreParenImpCasts();
  if (bare->getType()->isBooleanType()) {
    const bool name = llvm::isa<clang::DeclRefExpr, clang::CallExpr>(bare);
    return report(Diag::ConditionNumber, *bare, {name ? text(*bare) : "(" + text(*bare) + ")"});
  }
  if (const auto *operation = llvm::dyn_cast<clang::BinaryOperator>(bare)) {
    if (operation->isAssignmentOp())
      return VisitBinaryOperator(operation);
    if (!operation->isAdditiveOp() && operation->getOpcode() != clang::BO_Mul)
      return {}; // refused already
    const Bound left = integer(*operation->getLHS()), right = integer(*operation->getRHS());
    if (!operation->isEvaluatable(source.context))
      return combine(*operation, operation->getOpcode(), left, right);
  } else if (const auto *operation = llvm::dyn_cast<clang::UnaryOperator>(bare)) {
    if (operation->isIncrementDecrementOp())
      return VisitUnaryOperator(operation);
    if (operation->getOpcode() == clang::UO_Not)
      return {};
    const Bound inner = integer(*operation->getSubExpr());
    if (!operation->isEvaluatable(source.context))
      return operation->getOpcode() == clang::UO_Minus ? add(*operation, ir::Op::Neg, inner)
                                                       : inner;
  } else if (llvm::isa<clang::ConditionalOperator, clang::CallExpr, clang::ExplicitCastExpr>(
                 bare)) {
    return lower(bare);
  } else if (!llvm::isa<clang::IntegerLiteral, clang::DeclRefExpr,
                        clang::SubstNonTypeTemplateParmExpr>(bare)) {
    return refuse(*bare);
  }
  clang::Expr::EvalResult result;
  if (expression.EvaluateAsInt(result, source.context))
    return literal(*bare, static_cast<double>(result.Val.getInt().getExtValue()));
  const auto *reference = llvm::dyn_cast<clang::DeclRefExpr>(bare);
  return reference ? VisitDeclRefExpr(reference) : refuse(*bare);
}

Bound Lowering::constantValue(const clang::Expr &expression, const clang::APValue &value) {
  if (value.isFloat()) {
    llvm::APFloat number = value.getFloat();
    bool lost = false;
    number.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &lost);
    return literal(expression, number.convertToDouble());
  }
  if (!value.isStruct())
    return {};
  std::array<Bound, 3> parts;
  for (unsigned k = 0; k < value.getStructNumFields() && k < 3; ++k)
    parts[k] = constantValue(expression, value.getStructField(k));
  if (value.getStructNumFields() == 3 && value.getStructField(0).isStruct() &&
      value.getStructField(0).getStructNumFields() == 3)
    return matrix(parts);
  return add(expression, value.getStructNumFields() == 2 ? ir::Op::Complex : ir::Op::Vec, parts[0],
             parts[1], parts[2]);
}

Bound Lowering::constant(const clang::Expr &expression, const clang::VarDecl &variable) {
  const std::string spelled = variable.getNameAsString();
  if (isVocabulary(variable) && spelled == "i") {
    at(expression);
    return keep(expression, build.unit());
  }
  if (!variable.isConstexpr())
    return {}; // refused already
  const Kind kind = kindOf(source, variable.getType());
  if (!isVocabulary(variable) && kind != Kind::Integer && !checkType(source, variable))
    return {};
  const clang::APValue *value = variable.evaluateValue();
  if (!value)
    return {};
  if (value->isInt()) {
    const auto number = static_cast<double>(value->getInt().getExtValue());
    return kind == Kind::Bool ? boolean(expression, number != 0) : literal(expression, number);
  }
  const Bound result = constantValue(expression, *value);
  return result.what != Bound::Nothing
             ? result
             : report(Diag::Unsupported, expression, {"the constant '" + spelled + "'"});
}

Bound Lowering::alone(const clang::Expr &expression) {
  Names none;
  names = &none;
  const Bound bound = value(lower(&expression));
  names = nullptr;
  return bound;
}

std::vector<double> defaultOf(Source &source, const clang::Expr &value, ir::Type type) {
  ir::Region region; // the rules of the language hold here too: 1 / 3 is refused
  Locals unused;
  const Bound bound = Lowering(source, region, unused).alone(value);
  if (bound.what == Bound::Matrix)
    for (const ir::Id row : bound.rows)
      region.outputs.push_back({"", row});
  else if (bound.what == Bound::Value)
    region.outputs = {{"", bound.id}};
  std::vector<double> numbers;
  for (const ir::Vector &number : ir::evaluate(source.kernel, region, {}))
    for (std::size_t k = 0; k < (ir::isVector(type) ? 3 : 1); ++k) {
      numbers.push_back(number[k].real());
      if (ir::isComplex(type))
        numbers.push_back(number[k].imag());
    }
  const bool finite = std::ranges::all_of(numbers, [](double x) { return std::isfinite(x); });
  return finite ? numbers : std::vector<double>{};
}

Bound Lowering::VisitDeclRefExpr(const clang::DeclRefExpr *e) {
  const auto *variable = llvm::dyn_cast<clang::VarDecl>(e->getDecl());
  if (!variable)
    return report(Diag::Unsupported, *e, {"'" + e->getDecl()->getNameAsString() + "' here"});
  if (const auto known = names->find(variable); known != names->end())
    return known->second;
  if (variable->isLocalVarDeclOrParm() && !variable->isConstexpr())
    return {}; // its declaration was refused
  return constant(*e, *variable);
}

// Calls -----------------------------------------------------------------------------------

Bound Lowering::unknown(const clang::CallExpr &expression, const std::string &name) {
  source.report(Diag::UnknownFunction, expression.getCallee()->getSourceRange(), {name});
  return {};
}

Bound Lowering::VisitCallExpr(const clang::CallExpr *e) {
  if (const auto *method = llvm::dyn_cast<clang::CXXMemberCallExpr>(e))
    if (llvm::isa_and_nonnull<clang::CXXConversionDecl>(method->getMethodDecl()) &&
        kindOf(source, method->getImplicitObjectArgument()->getType()) == Kind::Q)
      return lower(method->getImplicitObjectArgument()); // q as a vector
  const clang::FunctionDecl *callee = e->getDirectCallee();
  if (!callee)
    return report(Diag::Unsupported, *e, {text(*e->getCallee()) + "(...)"});
  const auto *method = llvm::dyn_cast<clang::CXXMethodDecl>(callee);
  const bool own =
      method && method->getParent()->getCanonicalDecl() == source.decl->getCanonicalDecl();
  if (own && method->isStatic())
    return inlined(*e, *callee);
  if (isVocabulary(*callee) && !method)
    return vocabulary(*e, *callee);
  const std::string spelled = callee->getNameAsString();
  if (callee->getBuiltinID() != 0 || isVocabulary(*callee) ||
      source.context.getSourceManager().isInSystemHeader(callee->getLocation()))
    return unknown(*e, spelled);
  if (!method || method->isStatic())
    source.report(Diag::OutsideFunction, e->getCallee()->getSourceRange(),
                  {spelled, source.decl->getName().str()});
  else if (!own)
    report(Diag::Unsupported, *e, {"the member function '" + spelled + "'"});
  return {};
}

Bound Lowering::inlined(const clang::CallExpr &expression, const clang::FunctionDecl &callee) {
  const clang::FunctionDecl *definition = callee.getDefinition();
  const std::string spelled = callee.getNameAsString();
  if (llvm::is_contained(calls, definition ? definition : &callee))
    return report(Diag::Recursion, expression, {spelled});
  const clang::FunctionDecl &function = definition ? *definition : callee;
  if (++inlinedCalls > mostCalls)
    return inlinedCalls > mostCalls + 1
               ? Bound{}
               : report(Diag::Inlined, expression, {std::to_string(mostCalls)});
  Names bound;
  bool known = true;
  for (unsigned k = 0; k < function.getNumParams(); ++k) {
    const clang::ParmVarDecl *parameter = function.getParamDecl(k);
    if (!checkType(source, *parameter)) {
      known = false;
      continue;
    }
    Bound argument = lower(expression.getArg(k));
    const Kind kind = kindOf(source, parameter->getType());
    if (kind == Kind::Vec3 || kind == Kind::CVec3)
      argument = value(argument);
    bound[parameter] = argument;
  }
  const Kind result = kindOf(source, function.getReturnType());
  known &= checkReal(source, function.getFunctionTypeLoc().getReturnLoc());
  if (result == Kind::None || result == Kind::Integer || result == Kind::Record ||
      result == Kind::Params || function.getReturnType()->isReferenceType()) {
    const clang::SourceRange range = function.getReturnTypeSourceRange();
    if (!brokenWithin(source, function.getSourceRange()))
      source.reporter.report(
          {Diag::LocalType,
           range.getBegin().isValid() ? range.getBegin() : function.getLocation(),
           {range},
           {spelled, sourceText(source, range)}});
    known = false;
  }
  return known ? this->function(function, std::move(bound)) : Bound{};
}

Bound Lowering::VisitCXXOperatorCallExpr(const clang::CXXOperatorCallExpr *e) {
  const clang::OverloadedOperatorKind op = e->getOperator();
  if (e->isAssignmentOp())
    return assignment(*e, *e->getArg(0), clang::getOperatorSpelling(op));
  const clang::FunctionDecl *callee = e->getDirectCallee();
  if (const auto *method = llvm::dyn_cast_or_null<clang::CXXMethodDecl>(callee);
      method && method->getParent()->isLambda())
    return refuse(*e->getArg(0)->IgnoreParenImpCasts());
  if (!callee || !isVocabulary(*callee))
    return report(
        Diag::OutsideFunction, *e,
        {std::string("operator") + clang::getOperatorSpelling(op), source.decl->getName().str()});
  const Bound a = lower(e->getArg(0));
  if (e->getNumArgs() == 1) {
    if (op == clang::OO_Minus)
      return negated(*e, a);
    return op == clang::OO_Plus ? value(a) : refuse(*e);
  }
  const Bound b = lower(e->getArg(1));
  const bool known = op == clang::OO_Plus || op == clang::OO_Minus || op == clang::OO_Star ||
                     op == clang::OO_Slash;
  return known ? combine(*e, clang::BinaryOperator::getOverloadedOpcode(op), a, b) : refuse(*e);
}

/// re or im of a vector, component by component.
Bound Lowering::parts(const clang::Expr &expression, ir::Op op, ir::Id vector) {
  std::array<Bound, 3> out;
  for (int k = 0; k < 3; ++k)
    out[k] =
        add(expression, op, add(expression, ir::Op::Component, {Bound::Value, vector}, {}, {}, k));
  return add(expression, ir::Op::Vec, out[0], out[1], out[2]);
}

/// mean_cis(q, t): of the phases of the corners of t; mean_cis(a, b): over an edge.
Bound Lowering::mean(const clang::CallExpr &expression, ir::Op op) {
  const Bound q = value(lower(expression.getArg(0))), t = lower(expression.getArg(1));
  if (t.what == Bound::Value)
    return add(expression, op == ir::Op::MeanCis ? ir::Op::MeanEdge : ir::Op::MeanEdgeM1, q, t);
  if (q.what != Bound::Value || t.what != Bound::Record)
    return {};
  std::array<Bound, 3> phases;
  for (std::size_t k = 0; k < 3; ++k) {
    at(expression);
    const Bound corner = keep(expression, build.field("vertex" + std::to_string(k)));
    phases[k] = add(expression, ir::Op::Dot, q, corner);
  }
  return add(expression, op, phases[0], phases[1], phases[2]);
}

/// What a value of numbers alone is. Value by value, since one may be used by many.
std::optional<double> Lowering::numberOf(ir::Id id) const {
  std::vector<std::optional<double>> known(static_cast<std::size_t>(id) + 1);
  for (ir::Id k = 0; k <= id; ++k) {
    const ir::Value &value = region.values[k];
    std::array<double, 3> in{};
    bool all = !ir::isLeaf(value.op);
    for (std::size_t j = 0; j < value.operands().size() && all; ++j) {
      all = known[value.args[j]].has_value();
      in[j] = all ? *known[value.args[j]] : 0;
    }
    if (value.op == ir::Op::Number)
      known[k] = value.number;
    else if (all)
      known[k] = ir::evaluate(value.op, in[0], in[1], in[2]);
  }
  return known[id];
}

/// pow(a, c): c is a number when compiling.
Bound Lowering::power(const clang::CallExpr &expression, const Bound &base, const Bound &exponent) {
  const std::optional<double> c = numberOf(exponent.id);
  if (!c || !(std::abs(*c) <= 1000))
    return report(Diag::Power, *expression.getArg(1),
                  {text(*expression.getArg(1)), text(*expression.getArg(0))});
  return add(expression, ir::Op::Pow, base, literal(expression, *c));
}

Bound Lowering::vocabulary(const clang::CallExpr &expression, const clang::FunctionDecl &callee) {
  const std::string spelled = callee.getNameAsString();
  if (const auto made = matrixFunction(expression, spelled))
    return *made;
  const ir::OpInfo *word = ir::functionNamed(spelled);
  if (!word)
    return unknown(expression, spelled);
  const ir::Op op = word->op;
  const auto count = static_cast<int>(expression.getNumArgs());
  if ((op == ir::Op::MeanCis || op == ir::Op::MeanCism1) && count == 2)
    return mean(expression, op);
  if (count != word->arity)
    return refuse(expression);
  std::array<Bound, 3> in;
  for (int k = 0; k < count; ++k) {
    in[k] = value(lower(expression.getArg(k)));
    if (in[k].what != Bound::Value)
      return {};
  }
  const bool real = !ir::isComplex(type(in[0])), vector = ir::isVector(type(in[0]));
  switch (op) {
  case ir::Op::Conj:
  case ir::Op::Re:
    if (real)
      return in[0];
    return op == ir::Op::Re && vector ? parts(expression, op, in[0].id)
                                      : add(expression, op, in[0]);
  case ir::Op::Im:
    if (real && !vector)
      return literal(expression, 0);
    return vector ? parts(expression, op, in[0].id) : add(expression, op, in[0]);
  case ir::Op::Pow:
    return power(expression, in[0], in[1]);
  case ir::Op::Sqrt: // of a real taken as complex: negative numbers have a root
    return add(expression,
               kindOf(source, callee.getParamDecl(0)->getType()) == Kind::Cplx ? ir::Op::Csqrt : op,
               in[0]);
  default:
    return add(expression, op, in[0], in[1], in[2]);
  }
}

} // namespace facet::frontend
