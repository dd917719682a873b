// matrices.cpp - values of mat3: three rows, which are vectors; the IR has no matrices. Their
// products become products with rows, as <facet/cplx.h> writes them.
#include "codegen/frontend/lowering.h"
#include <algorithm>

namespace facet::frontend {

Bound Lowering::matrix(const std::array<Bound, 3> &rows) {
  Bound made{Bound::Matrix};
  for (std::size_t k = 0; k < 3; ++k) {
    const Bound row = value(rows[k]);
    if (row.what != Bound::Value)
      return {};
    made.rows[k] = row.id;
  }
  return made;
}

/// `make` of each row and its number.
template <class Make> Bound Lowering::eachRow(const Bound &matrix, Make make) {
  std::array<Bound, 3> rows;
  for (int k = 0; k < 3; ++k)
    rows[static_cast<std::size_t>(k)] = make(row(matrix, k), k);
  return this->matrix(rows);
}

/// Sums and differences; products with numbers, vectors and matrices; the quotient by a number.
Bound Lowering::combineMatrices(const clang::Expr &expression, clang::BinaryOperatorKind op,
                                const Bound &a, const Bound &b) {
  const bool left = a.what == Bound::Matrix, right = b.what == Bound::Matrix;
  if (op == clang::BO_Add || op == clang::BO_Sub)
    return eachRow(a,
                   [&](const Bound &of, int k) { return combine(expression, op, of, row(b, k)); });
  if (!left)
    return eachRow(b, [&](const Bound &of, int) { return combine(expression, op, of, a); });
  if (!right && value(b).what != Bound::Value)
    return {};
  if (!right && !ir::isVector(type(value(b))))
    return eachRow(a, [&](const Bound &of, int) { return combine(expression, op, of, b); });
  if (!right)
    return add(expression, ir::Op::Vec, add(expression, ir::Op::Dot, row(a, 0), b),
               add(expression, ir::Op::Dot, row(a, 1), b),
               add(expression, ir::Op::Dot, row(a, 2), b));
  return eachRow(a, [&](const Bound &of, int) {
    Bound sum;
    for (int k = 0; k < 3; ++k) {
      const Bound product = add(expression, ir::Op::Mul, row(b, k),
                                add(expression, ir::Op::Component, of, {}, {}, k));
      sum = k == 0 ? product : add(expression, ir::Op::Add, sum, product);
    }
    return sum;
  });
}

Bound Lowering::negated(const clang::Expr &expression, const Bound &a) {
  if (a.what != Bound::Matrix)
    return add(expression, ir::Op::Neg, a);
  return eachRow(a, [&](const Bound &of, int) { return add(expression, ir::Op::Neg, of); });
}

Bound Lowering::chosen(const clang::Expr &expression, const Bound &condition, const Bound &yes,
                       const Bound &no) {
  if (yes.what == Bound::Struct && no.what == Bound::Struct) {
    Bound made{Bound::Struct};
    for (std::size_t k = 0; k < std::min(yes.members.size(), no.members.size()); ++k)
      made.members.push_back(chosen(expression, condition, yes.members[k], no.members[k]));
    return made;
  }
  if (yes.what != Bound::Matrix || no.what != Bound::Matrix)
    return add(expression, ir::Op::Select, condition, yes, no);
  return eachRow(yes, [&](const Bound &of, int k) {
    return add(expression, ir::Op::Select, condition, of, row(no, k));
  });
}

/// transpose(m): its columns; outer(a, b): the rows a.x b, a.y b, a.z b.
std::optional<Bound> Lowering::matrixFunction(const clang::CallExpr &expression,
                                              const std::string &name) {
  const auto component = [&](const Bound &of, int k) {
    return add(expression, ir::Op::Component, of, {}, {}, k);
  };
  if (name == "transpose" && expression.getNumArgs() == 1) {
    const Bound m = lower(expression.getArg(0));
    if (m.what != Bound::Matrix)
      return Bound{};
    return eachRow(m, [&](const Bound &, int k) {
      return add(expression, ir::Op::Vec, component(row(m, 0), k), component(row(m, 1), k),
                 component(row(m, 2), k));
    });
  }
  if (name != "outer" || expression.getNumArgs() != 2)
    return {};
  const Bound a = value(lower(expression.getArg(0))), b = value(lower(expression.getArg(1)));
  if (a.what != Bound::Value || b.what != Bound::Value)
    return Bound{};
  std::array<Bound, 3> rows;
  for (int k = 0; k < 3; ++k)
    rows[static_cast<std::size_t>(k)] = add(expression, ir::Op::Mul, b, component(a, k));
  return matrix(rows);
}

} // namespace facet::frontend
