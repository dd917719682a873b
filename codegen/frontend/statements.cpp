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

void Lowering::refuse(const clang::Stmt &statement, const clang::Stmt *next) {
  const auto refused = [&](Diag diag, Words written = {}) {
    source.report(diag, statement.getBeginLoc(), std::move(written));
  };
  switch (statement.getStmtClass()) {
  case clang::Stmt::ForStmtClass:
  case clang::Stmt::CXXForRangeStmtClass:
    return refused(Diag::Loop, {"for"});
  case clang::Stmt::WhileStmtClass:
    return refused(Diag::Loop, {"while"});
  case clang::Stmt::DoStmtClass:
    return refused(Diag::Loop, {"do"});
  case clang::Stmt::IfStmtClass:
    return refuseIf(statement, next);
  case clang::Stmt::SwitchStmtClass:
    return refused(Diag::Switch);
  case clang::Stmt::GotoStmtClass:
  case clang::Stmt::IndirectGotoStmtClass:
    return refused(Diag::Goto, {"goto"});
  case clang::Stmt::LabelStmtClass:
    return refused(Diag::Goto, {"label"});
  case clang::Stmt::CXXTryStmtClass:
    return refused(Diag::Exceptions, {"try"});
  case clang::Stmt::GCCAsmStmtClass:
    return refused(Diag::Unsupported, {"'asm'"});
  default:
    source.report(Diag::Statement, statement.getSourceRange());
  }
}

namespace {
/// The value of `return x;` or `{ return x; }`, null for anything else.
const clang::Expr *returnedBy(const clang::Stmt *statement) {
  if (const auto *block = llvm::dyn_cast_or_null<clang::CompoundStmt>(statement))
    statement = block->size() == 1 ? block->body_front() : nullptr;
  const auto *returned = llvm::dyn_cast_or_null<clang::ReturnStmt>(statement);
  return returned ? returned->getRetValue() : nullptr;
}
} // namespace

void Lowering::refuseIf(const clang::Stmt &statement, const clang::Stmt *next) {
  const auto &branch = llvm::cast<clang::IfStmt>(statement);
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

namespace {

/// Drops values that nothing yielded needs, and their origins: locals that are not used, leaves
/// named in passing.
void prune(ir::Region &region, std::vector<const clang::Expr *> &origins) {
  std::vector<ir::Id> to(region.values.size(), -1);
  for (const ir::Output &output : region.outputs)
    to[output.value] = 0;
  for (std::size_t k = region.values.size(); k-- > 0;)
    if (to[k] == 0)
      for (const ir::Id argument : region.values[k].args)
        if (argument >= 0)
          to[argument] = 0;
  origins.resize(region.values.size());
  ir::Id kept = 0;
  for (std::size_t k = 0; k < region.values.size(); ++k) {
    if (to[k] < 0)
      continue;
    for (ir::Id &argument : region.values[k].args)
      if (argument >= 0)
        argument = to[argument];
    to[k] = kept;
    origins[kept] = origins[k];
    if (ir::Id at = kept++; at != static_cast<ir::Id>(k))
      region.values[at] = std::move(region.values[k]);
  }
  for (ir::Output &output : region.outputs)
    output.value = to[output.value];
  region.values.resize(kept);
  origins.resize(kept);
}

bool uses(const ir::Region &region, ir::Op op, const std::string &name) {
  return std::ranges::any_of(
      region.values, [&](const ir::Value &value) { return value.op == op && value.name == name; });
}

/// Lowers one function of the kernel, its parameters in the order of its signature.
void lowerRegion(Source &source, ir::Region &region, const clang::FunctionDecl *function,
                 std::vector<Bound::What> takes, std::vector<const clang::Expr *> &origins,
                 std::vector<const clang::VarDecl *> &unused) {
  if (!function || function->isInvalidDecl())
    return;
  Lowering lowering(source, region);
  Names names;
  for (unsigned k = 0; k < function->getNumParams() && k < takes.size(); ++k) {
    Bound bound{takes[k]};
    if (bound.what == Bound::Value) { // the sum
      bound.id = ir::Builder(source.kernel, region).sum();
      lowering.origins.resize(region.values.size());
    }
    names[function->getParamDecl(k)] = bound;
  }
  const Bound result = lowering.function(*function, std::move(names));
  if (result.what == Bound::Value)
    region.outputs = {{"", result.id}};
  origins = std::move(lowering.origins);
  prune(region, origins);
  unused.insert(unused.end(), lowering.unused.begin(), lowering.unused.end());
}

/// Warns of a record and of parameters that nothing reads.
void warnOfUnused(const Source &source) {
  const ir::Kernel &kernel = source.kernel;
  if (std::ranges::none_of(kernel.term.values,
                           [](const ir::Value &value) { return value.op == ir::Op::Field; }))
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

void lowerFunctions(Source &source) {
  ir::Kernel &kernel = source.kernel;
  kernel.fields = source.columns;
  if (!source.record || source.q.isNull())
    return; // types are not known: more errors would only follow from that
  std::vector<const clang::Expr *> term, finish, origin;
  std::vector<const clang::VarDecl *> unused;
  lowerRegion(source, kernel.term, source.term, {Bound::Q, Bound::Record, Bound::Params}, term,
              unused);
  lowerRegion(source, kernel.finish, source.finish, {Bound::Q, Bound::Value, Bound::Params}, finish,
              unused);
  lowerRegion(source, kernel.origin, source.origin, {Bound::Record, Bound::Params}, origin, unused);
  if (source.reporter.failed() || kernel.term.empty() || kernel.finish.empty())
    return;
  warnOfTraps(source, {kernel.term, term}, {kernel.finish, finish});
  warnOfUnused(source);
  for (const clang::VarDecl *variable : unused)
    source.report(Diag::UnusedLocal, *variable);
  // What the kernel does not use is never stored.
  std::erase_if(kernel.fields, [&](const ir::Field &field) {
    return !uses(kernel.term, ir::Op::Field, field.name) &&
           !uses(kernel.origin, ir::Op::Field, field.name);
  });
}

} // namespace facet::frontend
