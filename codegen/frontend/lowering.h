// lowering.h - lowers a function's body to values of a region, inlining the functions it calls.
#pragma once
#include "codegen/frontend/kernel.h"
#include "codegen/ir/builder.h"
#include <array>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/StmtVisitor.h>
#include <map>
#include <optional>
#include <vector>

namespace facet::frontend {

/// What an expression or a name stands for. It is a value of the region, a matrix given by its
/// three rows, one of the three things a kernel is given, or a struct of sums. It is empty where an
/// error was reported.
struct Bound {
  enum What { Nothing, Value, Matrix, Q, Record, Params, Struct } what = Nothing;
  ir::Id id = -1;
  std::array<ir::Id, 3> rows{-1, -1, -1};
  std::vector<Bound> members{}; // of a struct, values in the order of its members
};

/// The names of one function being inlined.
using Names = std::map<const clang::VarDecl *, Bound>;
using Locals = std::vector<const clang::VarDecl *>;

class Lowering : public clang::ConstStmtVisitor<Lowering, Bound> {
public:
  /// `unused`: locals that nothing reads are added to it.
  Lowering(Source &source, ir::Region &region, Locals &unused)
      : source(source), region(region), unused(unused), build(source.kernel, region) {}
  /// The function's value, its parameters bound.
  Bound function(const clang::FunctionDecl &function, Names names);
  /// The value of an expression that stands outside of functions: no name is bound.
  Bound alone(const clang::Expr &expression);
  /// The expression each value came from, by id; null for none.
  Origins origins;
  /// The finished sum over the records, as a parameter of this type.
  Bound sum(clang::QualType type);
  /// Yields what a function returns, each of its numbers.
  void yield(const Bound &bound, const ReturnMembers &as);

  // Called by Clang's visitor: expressions of a kind to values. What the IR cannot say is refused,
  // never lowered to something near.
  Bound VisitFullExpr(const clang::FullExpr *e) { return lower(e->getSubExpr()); }
  Bound VisitMaterializeTemporaryExpr(const clang::MaterializeTemporaryExpr *e) {
    return lower(e->getSubExpr());
  }
  Bound VisitCXXBindTemporaryExpr(const clang::CXXBindTemporaryExpr *e) {
    return lower(e->getSubExpr());
  }
  Bound VisitSubstNonTypeTemplateParmExpr(const clang::SubstNonTypeTemplateParmExpr *e) {
    return lower(e->getReplacement());
  }
  Bound VisitCXXDefaultArgExpr(const clang::CXXDefaultArgExpr *e) { return lower(e->getExpr()); }
  Bound VisitInitListExpr(const clang::InitListExpr *e);
  Bound VisitFloatingLiteral(const clang::FloatingLiteral *e) {
    return literal(*e, e->getValueAsApproximateDouble());
  }
  Bound VisitImplicitValueInitExpr(const clang::ImplicitValueInitExpr *e) { return zero(*e); }
  Bound VisitCXXScalarValueInitExpr(const clang::CXXScalarValueInitExpr *e) { return zero(*e); }
  Bound VisitIntegerLiteral(const clang::IntegerLiteral *e) { return integer(*e); }
  Bound VisitCXXBoolLiteralExpr(const clang::CXXBoolLiteralExpr *e) {
    return boolean(*e, e->getValue());
  }
  Bound VisitDeclRefExpr(const clang::DeclRefExpr *e);
  Bound VisitMemberExpr(const clang::MemberExpr *e);
  Bound VisitCastExpr(const clang::CastExpr *e);
  Bound VisitUnaryOperator(const clang::UnaryOperator *e);
  Bound VisitBinaryOperator(const clang::BinaryOperator *e);
  Bound VisitConditionalOperator(const clang::ConditionalOperator *e);
  Bound VisitCXXConstructExpr(const clang::CXXConstructExpr *e);
  Bound VisitCXXOperatorCallExpr(const clang::CXXOperatorCallExpr *e);
  Bound VisitCallExpr(const clang::CallExpr *e);
  Bound VisitExpr(const clang::Expr *e) { return refuse(*e); }

private:
  Source &source;
  ir::Region &region;
  Locals &unused;
  ir::Builder build;
  std::vector<const clang::FunctionDecl *> calls; // being inlined, outermost first
  static constexpr int mostCalls = 10'000;
  int inlinedCalls = 0;
  Names *names = nullptr;

  // statements.cpp
  struct Statements {
    bool returned = false;
    Bound result;
    const clang::Expr *last = nullptr; // an expression that could be what is returned
  };
  void statement(const clang::Stmt &statement, const clang::Stmt *next, Statements &read);
  void declare(const clang::DeclStmt &statement);
  void local(const clang::VarDecl &variable);
  void refuse(const clang::Stmt &statement, const clang::Stmt *next);
  void refuseIf(const clang::IfStmt &branch, const clang::Stmt *next);
  Bound refuse(const clang::Expr &expression);

  // expressions.cpp
  Bound literal(const clang::Expr &expression, double value);
  Bound zero(const clang::Expr &expression);
  Bound boolean(const clang::Expr &expression, bool value);
  Bound integer(const clang::Expr &expression);
  Bound constant(const clang::Expr &expression, const clang::VarDecl &variable);
  Bound constantValue(const clang::Expr &expression, const clang::APValue &value);
  Bound lower(const clang::Expr *expression);
  Bound column(const clang::MemberExpr &expression, const std::string &name);
  Bound parameter(const clang::Expr &expression, const std::string &name);
  Bound combine(const clang::Expr &expression, clang::BinaryOperatorKind op, const Bound &a,
                const Bound &b);
  Bound assignment(const clang::Expr &expression, const clang::Expr &target, std::string op);
  Bound inlined(const clang::CallExpr &expression, const clang::FunctionDecl &callee);
  Bound vocabulary(const clang::CallExpr &expression, const clang::FunctionDecl &callee);
  Bound power(const clang::CallExpr &expression, const Bound &base, const Bound &exponent);
  std::optional<double> numberOf(ir::Id id) const;
  Bound unknown(const clang::CallExpr &expression, const std::string &name);
  Bound chosen(const clang::Expr &expression, const Bound &condition, const Bound &yes,
               const Bound &no);
  Bound parts(const clang::Expr &expression, ir::Op op, ir::Id vector);
  Bound mean(const clang::CallExpr &expression, ir::Op op);

  // matrices.cpp
  Bound matrix(const std::array<Bound, 3> &rows);
  static Bound row(const Bound &matrix, int k) {
    return {Bound::Value, matrix.rows[static_cast<std::size_t>(k)]};
  }
  template <class Make> Bound eachRow(const Bound &matrix, Make make);
  Bound combineMatrices(const clang::Expr &expression, clang::BinaryOperatorKind op, const Bound &a,
                        const Bound &b);
  Bound negated(const clang::Expr &expression, const Bound &a);
  std::optional<Bound> matrixFunction(const clang::CallExpr &expression, const std::string &name);

  // Values. `q` as a vector if one is wanted; Nothing stays Nothing.
  Bound value(const Bound &bound);
  Bound add(const clang::Expr &expression, ir::Op op, const Bound &a, const Bound &b = {},
            const Bound &c = {}, int component = -1);
  Bound keep(const clang::Expr &expression, ir::Id id);
  void at(const clang::Expr &expression);
  ir::Type type(const Bound &bound) const { return region.values[bound.id].type; }
  /// Reports what an expression is; Nothing.
  Bound report(Diag diag, const clang::Expr &expression, Words written = {}) {
    source.report(diag, expression, std::move(written));
    return {};
  }
  /// The expression as it is written.
  std::string text(const clang::Expr &expression) const {
    return sourceText(source, expression.getSourceRange());
  }
};

} // namespace facet::frontend
