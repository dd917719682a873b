// statements.cpp - function bodies: locals and one return; every other statement is refused by
// name.
#include "codegen/frontend/lowering.h"
#include <algorithm>
#include <clang/AST/StmtCXX.h>

namespace facet::frontend {

using clang::FixItHint;

Bound Lowering::function(const clang::FunctionDecl &declared, Names parameters) {
  const clang::FunctionDecl *function = nullptr;
  const clang::Stmt *body = declared.getBody(function);
  if (!body) {
    if (!brokenWithin(source, declared.getSourceRange()))
      source.report(Diag::FunctionBody, declared);
    return {};
  }
  if (llvm::isa<clang::CXXTryStmt>(body)) {
    refuse(*body, nullptr);
    return {};
  }
  calls.push_back(function);
  Names *outer = std::exchange(names, &parameters);
  const int before = source.reporter.ownErrors();
  Statements read;
  const auto statements = llvm::cast<clang::CompoundStmt>(body)->body();
  for (auto it = statements.begin(); it != statements.end(); ++it)
    statement(**it, std::next(it) == statements.end() ? nullptr : *std::next(it), read);
  if (!read.returned && source.reporter.ownErrors() == before &&
      !brokenWithin(source, body->getSourceRange())) {
    if (read.last)
      source.report(Diag::ReturnMissing, read.last->getBeginLoc(), {declared.getNameAsString()},
                    {FixItHint::CreateInsertion(read.last->getBeginLoc(), "return ")});
    else
      source.report(Diag::ReturnMissing, llvm::cast<clang::CompoundStmt>(body)->getRBracLoc(),
                    {declared.getNameAsString()});
  }
  names = outer;
  calls.pop_back();
  return read.returned ? read.result : Bound{};
}

void Lowering::statement(const clang::Stmt &statement, const clang::Stmt *next, Statements &read) {
  read.last = nullptr;
  if (const auto *declaration = llvm::dyn_cast<clang::DeclStmt>(&statement)) {
    declare(*declaration);
  } else if (const auto *given = llvm::dyn_cast<clang::ReturnStmt>(&statement)) {
    if (read.returned)
      source.report(Diag::ReturnTwice, given->getReturnLoc());
    read.returned = true;
    if (const clang::Expr *what = given->getRetValue())
      read.result = lower(what);
  } else if (const auto *expression = llvm::dyn_cast<clang::Expr>(&statement)) {
    const int errors = source.reporter.ownErrors();
    if (lower(expression).what == Bound::Nothing || errors != source.reporter.ownErrors())
      return;
    read.last = expression;
    if (next)
      source.report(Diag::Statement, expression->getSourceRange());
  } else if (!llvm::isa<clang::NullStmt>(statement)) {
    refuse(statement, next);
  }
}

void Lowering::declare(const clang::DeclStmt &statement) {
  for (const clang::Decl *decl : statement.decls()) {
    if (const auto *variable = llvm::dyn_cast<clang::VarDecl>(decl))
      local(*variable);
    else if (!llvm::isa<clang::TypedefNameDecl, clang::UsingDecl, clang::UsingDirectiveDecl,
                        clang::StaticAssertDecl>(decl))
      source.report(Diag::Statement, decl->getSourceRange());
  }
}

void Lowering::local(const clang::VarDecl &variable) {
  if (variable.isInvalidDecl())
    return;
  if (variable.isConstexpr() && kindOf(source, variable.getType()) == Kind::Integer)
    return; // read where it is used
  if (variable.isStaticLocal() && !variable.isConstexpr()) {
    source.report(Diag::StaticLocal, variable);
    return;
  }
  const clang::Expr *value = variable.getInit();
  const bool lambda = value && llvm::isa<clang::LambdaExpr>(value->IgnoreUnlessSpelledInSource());
  if (!lambda && !checkType(source, variable) &&
      kindOf(source, variable.getType()) != Kind::Real) // double: go on as if it were real
    return;
  const auto *made =
      value ? llvm::dyn_cast<clang::CXXConstructExpr>(value->IgnoreImplicit()) : nullptr;
  const bool nothing = made && made->getNumArgs() == 0 && !made->isListInitialization() &&
                       made->getParenOrBraceRange().isInvalid();
  if (!value || nothing) {
    source.report(Diag::Uninitialised, variable, {written(source, variable.getType())});
    return;
  }
  if (!variable.isReferenced())
    unused.push_back(&variable);
  (*names)[&variable] = lower(value);
}

Bound Lowering::sum(clang::QualType type) {
  const auto &members = source.sum.members;
  std::size_t numbers = 0;
  for (const ir::Field &member : members)
    numbers += ir::isVector(member.type) ? 3 : 1;
  int next = 0;
  const auto number = [&](ir::Type of) { // that is complex, if the term may be so by its type
    const ir::Id id = build.sum(ir::Part::Whole, numbers > 1 ? next++ : -1);
    return ir::isComplex(of) ? id : build.op(ir::Op::Re, id);
  };
  std::vector<Bound> all;
  for (const ir::Field &member : members) {
    const ir::Type of = kindOf(source, type) == Kind::Cplx ? ir::Type::Cplx : member.type;
    ir::Id id = number(of);
    if (ir::isVector(of)) {
      const ir::Id y = number(of);
      id = build.op(ir::Op::Vec, id, y, number(of));
    }
    all.push_back({Bound::Value, id});
  }
  if (kindOf(source, type) == Kind::Sum)
    return {.what = Bound::Struct, .members = std::move(all)};
  return all.empty() ? Bound{Bound::Value, build.sum()} : all.front();
}

void Lowering::yield(const Bound &bound, const ReturnMembers &as) {
  const bool isStruct = bound.what == Bound::Struct;
  if (!isStruct && bound.what != Bound::Value)
    return;
  const std::vector<Bound> members = isStruct ? bound.members : std::vector{bound};
  std::vector<ir::Output> outputs;
  for (std::size_t k = 0; k < members.size(); ++k) {
    if (members[k].what != Bound::Value || (isStruct && k >= as.members.size())) // reported
      return;
    const std::string name = isStruct ? as.members[k].name : "";
    const bool made = &as == &source.outputs && k < as.members.size() &&
                      ir::isComplex(as.members[k].type) &&
                      !ir::isComplex(type(members[k])); // what an output is, its type says
    if (!ir::isVector(type(members[k])))
      outputs.push_back(
          {name, made ? build.op(ir::Op::Complex, members[k].id, build.number(0)) : members[k].id});
    else
      for (int c = 0; c < 3; ++c)
        outputs.push_back({name + (name.empty() ? "" : ".") + "xyz"[c],
                           build.op(ir::Op::Component, members[k].id, -1, -1, c)});
  }
  if (outputs.size() == 1 && &as == &source.sum)
    outputs[0].name.clear();
  region.outputs = std::move(outputs);
}

namespace {

/// What is said of a statement or an expression that is not in the language. No word: its text.
struct RefusalRule {
  clang::Stmt::StmtClass is;
  Diag diag;
  const char *word;
};
const RefusalRule *refusedAs(const clang::Stmt &statement) {
  using clang::Stmt;
  static constexpr RefusalRule table[] = {{Stmt::ForStmtClass, Diag::Loop, "for"},
                                          {Stmt::CXXForRangeStmtClass, Diag::Loop, "for"},
                                          {Stmt::WhileStmtClass, Diag::Loop, "while"},
                                          {Stmt::DoStmtClass, Diag::Loop, "do"},
                                          {Stmt::SwitchStmtClass, Diag::Switch, "switch"},
                                          {Stmt::GotoStmtClass, Diag::Goto, "goto"},
                                          {Stmt::IndirectGotoStmtClass, Diag::Goto, "goto"},
                                          {Stmt::LabelStmtClass, Diag::Goto, "label"},
                                          {Stmt::CXXTryStmtClass, Diag::Exceptions, "try"},
                                          {Stmt::GCCAsmStmtClass, Diag::Unsupported, "'asm'"},
                                          {Stmt::CXXNewExprClass, Diag::Allocation, "new"},
                                          {Stmt::CXXDeleteExprClass, Diag::Allocation, "delete"},
                                          {Stmt::CXXThrowExprClass, Diag::Exceptions, "throw"},
                                          {Stmt::StringLiteralClass, Diag::String, ""},
                                          {Stmt::CharacterLiteralClass, Diag::String, ""},
                                          {Stmt::ArraySubscriptExprClass, Diag::Array, ""}};
  const auto *found = std::ranges::find(table, statement.getStmtClass(), &RefusalRule::is);
  return found == std::end(table) ? nullptr : found;
}

/// The value of `return x;` or `{ return x; }`, null for anything else.
const clang::Expr *returnedBy(const clang::Stmt *statement) {
  if (const auto *block = llvm::dyn_cast_or_null<clang::CompoundStmt>(statement))
    statement = block->size() == 1 ? block->body_front() : nullptr;
  const auto *returned = llvm::dyn_cast_or_null<clang::ReturnStmt>(statement);
  return returned ? returned->getRetValue() : nullptr;
}

bool reads(const ir::Region &region, const ir::Field &field) {
  return std::ranges::any_of(region.values, [&](const ir::Value &value) {
    return value.op == ir::Op::Field && value.name == field.name;
  });
}

/// Lowers one function of the kernel, its parameters in the order of its signature.
Origins lowerRegion(Source &source, ir::Region &region, const clang::FunctionDecl *function,
                    std::initializer_list<Bound::What> takes, Locals &unused,
                    const ReturnMembers &returned) {
  if (!function || function->isInvalidDecl())
    return {};
  Lowering lowering(source, region, unused);
  Names names;
  unsigned k = 0;
  for (const Bound::What what : takes)
    if (k < function->getNumParams()) // Params may be left out
      if (const clang::ParmVarDecl *parameter = function->getParamDecl(k++))
        names[parameter] = what == Bound::Value ? lowering.sum(parameter->getType()) : Bound{what};
  const Bound result = lowering.function(*function, std::move(names));
  lowering.yield(result, returned);
  lowering.origins.resize(region.values.size());
  Origins origins; // without locals that are not used, and leaves named in passing
  for (const ir::Id id : ir::prune(region))
    origins.push_back(lowering.origins[id]);
  return origins;
}

/// Warns of a record and of parameters that nothing reads.
void warnOfUnused(const Source &source) {
  const ir::Kernel &kernel = source.kernel;
  if (std::ranges::none_of(kernel.fields,
                           [&](const ir::Field &field) { return reads(kernel.term, field); }))
    source.report(Diag::UnusedRecord, source.term->getLocation());
  if (!source.params || !source.params->hasDefinition())
    return;
  for (const clang::FieldDecl *field : source.params->getDefinition()->fields()) {
    const std::string name = field->getNameAsString();
    const auto read = [&](const ir::Param &param) {
      return param.name == name &&
             (ir::reads(kernel.term, param) || ir::reads(kernel.finish, param) ||
              ir::reads(kernel.origin, param));
    };
    if (std::ranges::none_of(kernel.params, read))
      source.report(Diag::UnusedParam, *field);
  }
}
} // namespace

void Lowering::refuse(const clang::Stmt &statement, const clang::Stmt *next) {
  if (const auto *branch = llvm::dyn_cast<clang::IfStmt>(&statement))
    refuseIf(*branch, next);
  else if (const RefusalRule *as = refusedAs(statement))
    source.report(as->diag, statement.getBeginLoc(), {as->word});
  else
    source.report(Diag::Statement, statement.getSourceRange());
}

Bound Lowering::refuse(const clang::Expr &expression) {
  const clang::SourceRange range = expression.getSourceRange();
  const bool lambda =
      llvm::isa<clang::DeclRefExpr>(expression) && expression.getType()->isRecordType();
  // Refused already: what has an error, a lambda by its name, this with its function or default.
  if (brokenWithin(source, range) || lambda || llvm::isa<clang::CXXThisExpr>(expression))
    return {};
  if (llvm::isa<clang::LambdaExpr>(expression))
    source.report(Diag::Lambda, range.getBegin());
  else if (const RefusalRule *as = refusedAs(expression))
    source.report(as->diag, range, {*as->word ? as->word : text(expression)});
  else
    source.report(Diag::Unsupported, range, {"'" + text(expression) + "'"});
  return {};
}

void Lowering::refuseIf(const clang::IfStmt &branch, const clang::Stmt *next) {
  const clang::Expr *then = returnedBy(branch.getThen());
  const clang::Stmt *rest = branch.getElse() ? branch.getElse() : next;
  const clang::Expr *otherwise = returnedBy(rest);
  Fixes fixes;
  if (then && otherwise && branch.getCond() && !branch.hasInitStorage() &&
      !branch.hasVarStorage()) {
    // `if (c) return a; return b;` is `return c ? a : b;`
    const std::string choice =
        "return " + text(*branch.getCond()) + " ? " + text(*then) + " : " + text(*otherwise);
    fixes = {FixItHint::CreateReplacement(
        clang::SourceRange(branch.getIfLoc(), otherwise->getEndLoc()), choice)};
  }
  source.report(Diag::If, branch.getIfLoc(), {}, std::move(fixes));
}

void lowerFunctions(Source &source) {
  ir::Kernel &kernel = source.kernel;
  kernel.fields = source.columns;
  if (!source.record || source.q.isNull())
    return; // types are not known: more errors would only follow from that
  Locals unused;
  const Origins term = lowerRegion(source, kernel.term, source.term,
                                   {Bound::Q, Bound::Record, Bound::Params}, unused, source.sum),
                finish =
                    lowerRegion(source, kernel.finish, source.finish,
                                {Bound::Q, Bound::Value, Bound::Params}, unused, source.outputs);
  static const ReturnMembers oneNumber;
  lowerRegion(source, kernel.origin, source.origin, {Bound::Record, Bound::Params}, unused,
              source.outputs.decl ? source.outputs : oneNumber);
  if (source.reporter.failed() || kernel.term.empty() || kernel.finish.empty())
    return;
  warnOfTraps(source, {kernel.term, term}, {kernel.finish, finish});
  warnOfUnused(source);
  for (const clang::VarDecl *variable : unused)
    source.report(Diag::UnusedLocal, *variable);
  // What the kernel does not use is never stored.
  std::erase_if(kernel.fields, [&](const ir::Field &field) {
    return !reads(kernel.term, field) && !reads(kernel.origin, field);
  });
}

} // namespace facet::frontend
