// lower.h - lowers the body of a function to values of a region, inlining the functions it calls.
#pragma once
#include "codegen/frontend/kernel.h"
#include "codegen/ir/builder.h"
#include <clang/AST/Expr.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/Stmt.h>
#include <map>

namespace facet::frontend {

/// The text in quotes, for a message.
inline std::string quoted(const std::string &text) {
  std::string out(1, '\'');
  out += text;
  out += '\'';
  return out;
}

/// What an expression or a name stands for: a value of the region, or one of the three things a
/// kernel is given. Nothing: an error was reported.
struct Bound {
  enum What { Nothing, Value, Q, Record, Params } what = Nothing;
  ir::Id id = -1;
};

/// The names of one function being inlined.
using Names = std::map<const clang::VarDecl *, Bound>;

class Lowering {
public:
  Lowering(Source &source, ir::Region &region)
      : source(source), region(region), build(source.kernel, region) {}
  /// The function's value, its parameters bound.
  Bound function(const clang::FunctionDecl &function, Names names);
  /// The value of an expression that stands outside of functions: no name is bound.
  Bound alone(const clang::Expr &expression);
  /// The expression each value came from, by id; null for none.
  std::vector<const clang::Expr *> origins;
  std::vector<const clang::VarDecl *> unused; // locals nothing reads

private:
  Source &source;
  ir::Region &region;
  ir::Builder build;
  std::vector<const clang::FunctionDecl *> calls; // being inlined, outermost first
  Names *names = nullptr;

  // statements.cpp
  void declare(const clang::DeclStmt &statement);
  void local(const clang::VarDecl &variable);
  void refuse(const clang::Stmt &statement, const clang::Stmt *next);
  void refuseIf(const clang::Stmt &statement, const clang::Stmt *next);

  // constants.cpp
  Bound literal(const clang::Expr &expression, double value);
  Bound integer(const clang::Expr &expression);
  Bound name(const clang::DeclRefExpr &expression);
  Bound constant(const clang::Expr &expression, const clang::VarDecl &variable);
  Bound constantValue(const clang::Expr &expression, const clang::APValue &value);

  // expressions.cpp
  Bound lower(const clang::Expr *expression);
  Bound member(const clang::MemberExpr &expression);
  Bound parameter(const clang::Expr &expression, const std::string &name);
  Bound cast(const clang::CastExpr &expression);
  Bound unary(const clang::UnaryOperator &expression);
  Bound binary(const clang::BinaryOperator &expression);
  Bound construct(const clang::CXXConstructExpr &expression);
  Bound choose(const clang::ConditionalOperator &expression);
  Bound refuse(const clang::Expr &expression);
  Bound assignment(const clang::Expr &expression, const clang::Expr &target, std::string op);

  // calls.cpp
  Bound call(const clang::CallExpr &expression);
  Bound operatorCall(const clang::CXXOperatorCallExpr &expression);
  Bound inlined(const clang::CallExpr &expression, const clang::FunctionDecl &callee);
  Bound vocabulary(const clang::CallExpr &expression, const clang::FunctionDecl &callee);
  Bound parts(const clang::Expr &expression, ir::Op op, ir::Id vector);
  Bound mean(const clang::CallExpr &expression, ir::Op op);

  // Values. `q` as a vector where one is asked for; Nothing stays Nothing.
  Bound value(const Bound &bound);
  Bound add(const clang::Expr &expression, ir::Op op, Bound a, Bound b = {}, Bound c = {},
            int component = -1);
  Bound keep(const clang::Expr &expression, ir::Id id);
  void at(const clang::Expr &expression);
  ir::Type type(const Bound &bound) const { return region.values[bound.id].type; }
  void report(Diag diag, const clang::Expr &expression, std::vector<std::string> written = {},
              std::vector<clang::FixItHint> fixes = {});
};

} // namespace facet::frontend
