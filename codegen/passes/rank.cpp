// rank.cpp - a sum of products f_i(left) g_j(right) C_ij with as few products as there can be.
//
//   1. Left functions that depend linearly on earlier ones, at 64 random points and with
//      coefficients that are small fractions, are replaced by these; then the right ones. A sum
//      q.x^2 b + q.y^2 b has one right function, x^2 + x z a right factor of its own each.
//   2. What is left are independent functions on both sides: the least number of products is the
//      rank of C. With rows independent: sum f_i (sum_j C_ij g_j); with columns independent the
//      same the other way; else rows that depend on others join them on the left.
//   Dependence: Gram-Schmidt, residue below 1e-10 of the column. A dependence that is missed costs
//   a product, one that is wrongly seen would be wrong by 1e-10 at the points tried.
#include "shapes.h"
#include <algorithm>
#include <cmath>
#include <optional>

namespace facet::passes {

using namespace ir;

namespace {

constexpr int points = 64;
using Sampled = std::vector<Complex>;

double norm(const Sampled &column) {
  double sum = 0;
  for (const Complex &c : column)
    sum += std::norm(c);
  return std::sqrt(sum);
}
Complex inner(const Sampled &a, const Sampled &b) {
  Complex sum{};
  for (std::size_t k = 0; k < a.size(); ++k)
    sum += std::conj(a[k]) * b[k];
  return sum;
}
void subtract(Sampled &a, Complex by, const Sampled &b) {
  for (std::size_t k = 0; k < a.size(); ++k)
    a[k] -= by * b[k];
}

/// Makes x the fraction n/d, d up to 60, that is `within` of it; false if there is none.
bool toFraction(double &x, double within) {
  for (int d = 1; d <= 60; ++d)
    if (const double n = std::round(x * d);
        std::abs(x * d - n) < within * std::max(1.0, std::abs(x)))
      return x = n / d, true;
  return false;
}
bool toFraction(Complex &x, double within) {
  double re = x.real(), im = x.imag();
  const bool real = toFraction(re, within), imaginary = toFraction(im, within);
  x = {re, im};
  return real && imaginary;
}

/// x of along = sum over m of x_m r[m], r being triangular; none if x is to be fractions and is
/// not. `along` is used up.
std::optional<Sampled> solved(Sampled &along, const std::vector<Sampled> &r, bool fractions) {
  Sampled x(r.size());
  for (std::size_t m = r.size(); m-- > 0;) {
    x[m] = along[m] / r[m][m];
    for (std::size_t k = 0; k < m; ++k)
      along[k] -= x[m] * r[m][k];
  }
  bool exact = true; // numbers alone are combined to rounding, and cleared of it
  for (Complex &value : x)
    exact = toFraction(value, fractions ? 1e-9 : 1e-13) && exact;
  return exact || !fractions ? std::optional(x) : std::nullopt;
}

/// Columns as combinations of the first ones that are independent.
struct Basis {
  std::vector<std::size_t> members;                 // columns, in order
  std::vector<std::vector<Complex>> coefficients{}; // of each column, over the members

  Basis(const std::vector<Sampled> &columns, bool fractions) {
    std::vector<Sampled> q;              // orthonormal
    std::vector<std::vector<Complex>> r; // r[m][k]: member m = sum over k of r[m][k] q[k]
    for (std::size_t c = 0; c < columns.size(); ++c) {
      Sampled rest = columns[c];
      const double size = norm(rest);
      const bool judged = !fractions || rest.size() >= columns.size() + 4;
      std::vector<Complex> along(q.size());
      for (int twice = 0; twice < 2; ++twice)
        for (std::size_t k = 0; k < q.size(); ++k) {
          const Complex more = inner(q[k], rest);
          along[k] += more;
          subtract(rest, more, q[k]);
        }
      if (judged && norm(rest) <= 1e-10 * size) {
        if (const auto x = solved(along, r, fractions)) {
          coefficients.push_back(*x);
          continue;
        }
        // It depends on the others, but not in a way that can be written exactly: a function of its
        // own. No later one is compared with it.
      }
      const double left = norm(rest);
      for (Complex &value : rest)
        value = left > 0 ? value / left : 0;
      along.emplace_back(left > 0 ? left : 1);
      q.push_back(rest);
      r.push_back(along);
      members.push_back(c);
      std::vector<Complex> itself(q.size());
      itself.back() = 1;
      coefficients.push_back(itself);
    }
    for (auto &row : coefficients)
      row.resize(members.size());
  }
};

using Matrix = std::vector<std::vector<Complex>>; // [row][column]

/// Rows (or the columns of the transpose) replaced by combinations of independent ones.
Matrix folded(const Matrix &c, const Basis &basis) {
  Matrix out(basis.members.size(), std::vector<Complex>(c.empty() ? 0 : c[0].size()));
  for (std::size_t i = 0; i < c.size(); ++i)
    for (std::size_t m = 0; m < out.size(); ++m)
      for (std::size_t j = 0; j < c[i].size(); ++j)
        out[m][j] += basis.coefficients[i][m] * c[i][j];
  return out;
}

Matrix transposed(const Matrix &c, std::size_t columns) {
  Matrix out(columns, std::vector<Complex>(c.size()));
  for (std::size_t i = 0; i < c.size(); ++i)
    for (std::size_t j = 0; j < columns; ++j)
      out[j][i] = c[i][j];
  return out;
}

std::size_t indexOf(std::vector<Product> &functions, const Product &function) {
  const auto found =
      std::ranges::find_if(functions, [&](const Product &p) { return sameFactors(p, function); });
  if (found != functions.end())
    return static_cast<std::size_t>(found - functions.begin());
  functions.push_back(function);
  return functions.size() - 1;
}

std::vector<Product> chosen(const std::vector<Product> &functions, const Basis &basis) {
  std::vector<Product> out;
  out.reserve(basis.members.size());
  for (const std::size_t k : basis.members)
    out.push_back(functions[k]);
  return out;
}

/// The columns at the points where all of them are finite; none: they cannot be judged.
std::vector<Sampled> finite(const std::vector<Sampled> &columns) {
  std::vector<Sampled> out(columns.size());
  for (std::size_t p = 0; p < points; ++p)
    if (std::ranges::all_of(columns, [&](const Sampled &column) {
          return std::isfinite(column[p].real()) && std::isfinite(column[p].imag());
        }))
      for (std::size_t k = 0; k < columns.size(); ++k)
        out[k].push_back(columns[k][p]);
  return out;
}

Sum combination(const std::vector<Product> &functions, const std::vector<Complex> &by) {
  Sum sum;
  for (std::size_t k = 0; k < functions.size(); ++k)
    if (by[k] != Complex{}) {
      sum.push_back(functions[k]);
      sum.back().number = by[k];
    }
  return sum;
}

} // namespace

const std::vector<Complex> &Samples::value(Id id) {
  if (static_cast<std::size_t>(id) >= values.size()) { // the term has grown
    Region all;
    all.values = kernel.term.values;
    values.assign(all.values.size(), {});
    for (std::size_t k = 0; k < all.values.size(); ++k)
      all.outputs.push_back({"", static_cast<Id>(k)});
    for (int p = 0; p < points; ++p) {
      all.values = decided(kernel.term.values, p);
      const auto results =
          evaluate(kernel, all, randomPoint(kernel, static_cast<std::uint64_t>(p) + 7001));
      for (std::size_t k = 0; k < results.size(); ++k)
        values[k].push_back(results[k][0]);
    }
  }
  return values[id];
}

std::vector<Complex> Samples::of(const Product &product) {
  Sampled out(points, product.number), exponent(points);
  for (const Id factor : product.factors) {
    const Sampled &f = value(factor);
    for (std::size_t p = 0; p < points; ++p)
      out[p] *= f[p];
  }
  if (product.exponent.empty())
    return out;
  exponent = of(product.exponent);
  for (std::size_t p = 0; p < points; ++p)
    out[p] *= std::exp(exponent[p]);
  return out;
}

std::vector<Complex> Samples::of(const Sum &sum) {
  Sampled out(points);
  for (const Product &product : sum) {
    const Sampled f = of(product);
    for (std::size_t p = 0; p < points; ++p)
      out[p] += f[p];
  }
  return out;
}

bool sameValues(const std::vector<Complex> &a, const std::vector<Complex> &b) {
  Sampled difference = a;
  subtract(difference, 1, b);
  return norm(difference) <= 1e-12 * std::max(norm(a), norm(b));
}

std::vector<Pairing> leastRank(Samples &samples, const Sum &sum,
                               const std::function<bool(Id)> &isLeft, bool numbersLeft) {
  std::vector<Product> lefts, rights;
  Matrix c;
  for (const Product &product : sum) {
    Product left{.loc = product.loc}, right{.exponent = product.exponent, .loc = product.loc};
    for (const Id factor : product.factors)
      (isLeft(factor) ? left : right).factors.push_back(factor);
    const std::size_t i = indexOf(lefts, left), j = indexOf(rights, right);
    c.resize(lefts.size());
    for (auto &row : c)
      row.resize(rights.size());
    c[i][j] += product.number;
  }
  const auto sampled = [&](const std::vector<Product> &functions) {
    std::vector<Sampled> columns;
    columns.reserve(functions.size());
    for (const Product &function : functions)
      columns.push_back(samples.of(function));
    return finite(columns);
  };
  const Basis left(sampled(lefts), true), right(sampled(rights), true);
  lefts = chosen(lefts, left);
  c = folded(c, left);
  c = transposed(folded(transposed(c, rights.size()), right), lefts.size());
  rights = chosen(rights, right);

  const Basis rows(c, false);
  const std::size_t rank = rows.members.size();
  std::vector<Pairing> out;
  if (rank < lefts.size() && rank == rights.size()) {
    const Matrix turned = transposed(c, rights.size());
    for (std::size_t j = 0; j < rank; ++j)
      out.push_back({combination(lefts, turned[j]), {rights[j]}});
    return out;
  }
  for (std::size_t m = 0; m < rank; ++m) {
    std::vector<Complex> by(lefts.size());
    for (std::size_t i = 0; i < lefts.size(); ++i)
      by[i] = rows.coefficients[i][m];
    Pairing pair{combination(lefts, by), combination(rights, c[rows.members[m]])};
    if (numbersLeft) {
      const Complex first = pair.right.front().number;
      for (Product &product : pair.right)
        product.number /= first;
      for (Product &product : pair.left)
        product.number *= first;
    }
    out.push_back(std::move(pair));
  }
  return out;
}

} // namespace facet::passes
