// rank.cpp - a sum of products f_i(left) g_j(right) C_ij with as few products as there can be; or
// several sums, with as few right sides as they can share.
//
//   1. Left functions that depend linearly on earlier ones, at 64 random points and with
//      coefficients that are small fractions, are replaced by these; then the right ones. A sum
//      q.x^2 b + q.y^2 b has one right function, x^2 + x z a right factor of its own each.
//   2. What is left are independent functions on both sides: the least number of products is the
//      rank of C. With rows independent: sum f_i (sum_j C_ij g_j); with columns independent the
//      same the other way; else rows that depend on others join them on the left.
//   Left functions of several sums are rows of one C: a row of one sum that depends on others, of
//   whatever sums, takes theirs.
//   Dependence: Gram-Schmidt, residue below 1e-10 of the column, and 1e-9 of what is added at each
//   point. A dependence that is missed costs a product, one that is wrongly seen would be wrong by
//   1e-9 at the points tried.
#include "shapes.h"
#include <algorithm>
#include <cmath>
#include <optional>

namespace facet::passes {

using namespace ir;

namespace {

constexpr int points = 64;
using Matrix = std::vector<PointValues>; // [row][column]

double norm(const PointValues &function) {
  double sum = 0;
  for (const Complex &value : function)
    sum += std::norm(value);
  return std::sqrt(sum);
}

Complex inner(const PointValues &a, const PointValues &b) {
  Complex sum{};
  for (std::size_t k = 0; k < a.size(); ++k)
    sum += std::conj(a[k]) * b[k];
  return sum;
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
/// not.
std::optional<std::vector<Complex>>
solved(std::vector<Complex> along, const std::vector<std::vector<Complex>> &r, bool fractions) {
  std::vector<Complex> x(r.size());
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

/// Functions as combinations of the first ones that are independent.
struct Basis {
  std::vector<std::size_t> members;                 // functions, in order
  std::vector<std::vector<Complex>> coefficients{}; // of each function, over the members

  Basis(const Matrix &functions, bool fractions) {
    Matrix q;                            // orthonormal
    std::vector<std::vector<Complex>> r; // r[m][k]: member m = sum over k of r[m][k] q[k]
    for (std::size_t c = 0; c < functions.size(); ++c) {
      PointValues rest = functions[c];
      const bool judged = !fractions || rest.size() >= functions.size() + 4;
      std::vector<Complex> along(q.size());
      for (int twice = 0; twice < 2; ++twice)
        for (std::size_t k = 0; k < q.size(); ++k) {
          const Complex more = inner(q[k], rest);
          along[k] += more;
          rest -= more * q[k];
        }
      double left = norm(rest);
      if (judged && left <= 1e-10 * norm(functions[c])) {
        if (const auto x = solved(along, r, fractions); x && depends(functions, c, *x)) {
          coefficients.push_back(*x);
          continue;
        }
        left = 0; // it is rounding, by which nothing is to be divided
      }
      // A function of its own. If it depends on the others, but not in a way that can be written
      // exactly, no later one is compared with it.
      for (Complex &value : rest)
        value = left > 0 ? value / left : 0;
      along.emplace_back(left > 0 ? left : 1);
      q.push_back(rest);
      r.push_back(along);
      members.push_back(c);
      coefficients.emplace_back(q.size()).back() = 1;
    }
    for (auto &row : coefficients)
      row.resize(members.size());
  }

private:
  /// At each point beside what is added there: values of some points may be next to nothing beside
  /// those of others, whose residue is all that a norm shows.
  bool depends(const Matrix &functions, std::size_t c, const std::vector<Complex> &x) const {
    for (std::size_t p = 0; p < functions[c].size(); ++p) {
      Complex rest = functions[c][p];
      double size = std::abs(rest);
      for (std::size_t m = 0; m < x.size(); ++m) {
        const Complex part = x[m] * functions[members[m]][p];
        rest -= part;
        size += std::abs(part);
      }
      if (!(std::abs(rest) <= 1e-9 * size))
        return false;
    }
    return true;
  }
};

Matrix transposed(const Matrix &c, std::size_t columns) {
  Matrix out(columns, PointValues(c.size()));
  for (std::size_t i = 0; i < c.size(); ++i)
    for (std::size_t j = 0; j < columns; ++j)
      out[j][i] = c[i][j];
  return out;
}

std::size_t indexOf(std::vector<Product> &functions, const Product &function) {
  const auto found =
      std::ranges::find_if(functions, [&](const Product &p) { return sameFactors(p, function); });
  const auto index = static_cast<std::size_t>(found - functions.begin());
  if (found == functions.end())
    functions.push_back(function);
  return index;
}

/// The products of a sum as C_ij, and the functions of its rows.
struct Rows {
  std::vector<Product> lefts;
  Matrix c;
};

/// Those of each sum; functions of columns are `rights` of all.
std::vector<Rows> rowsOf(std::span<const Sum> sums, const std::function<bool(Id)> &isLeft,
                         std::vector<Product> &rights) {
  std::vector<Rows> all(sums.size());
  std::vector<std::vector<std::pair<std::size_t, std::size_t>>> places(sums.size());
  for (std::size_t s = 0; s < sums.size(); ++s)
    for (const Product &product : sums[s]) {
      Product left{.loc = product.loc}, right{.exponent = product.exponent, .loc = product.loc};
      for (const Id factor : product.factors)
        (isLeft(factor) ? left : right).factors.push_back(factor);
      const std::size_t row = indexOf(all[s].lefts, left);
      places[s].emplace_back(row, indexOf(rights, right));
    }
  for (std::size_t s = 0; s < sums.size(); ++s) {
    all[s].c = Matrix(all[s].lefts.size(), PointValues(rights.size()));
    for (std::size_t k = 0; k < sums[s].size(); ++k)
      all[s].c[places[s][k].first][places[s][k].second] += sums[s][k].number;
  }
  return all;
}

/// The functions at the points where all of them are finite; none: they cannot be judged.
Matrix sampled(Samples &samples, const std::vector<Product> &functions) {
  Matrix out;
  std::valarray<bool> finite(true, points);
  for (const Product &function : functions) {
    const PointValues &values = out.emplace_back(samples.of(function));
    for (std::size_t p = 0; p < points; ++p)
      finite[p] = finite[p] && std::isfinite(values[p].real()) && std::isfinite(values[p].imag());
  }
  for (PointValues &values : out)
    values = PointValues(values[finite]);
  return out;
}

/// Step 1: functions that depend on others leave, and their rows of c join those of the others.
void reduce(Samples &samples, std::vector<Product> &functions, Matrix &c) {
  const Basis basis(sampled(samples, functions), true);
  const std::size_t columns = c.empty() ? 0 : c[0].size();
  Matrix folded(basis.members.size(), PointValues(columns));
  for (std::size_t i = 0; i < c.size(); ++i)
    for (std::size_t m = 0; m < folded.size(); ++m)
      folded[m] += basis.coefficients[i][m] * c[i];
  c = std::move(folded);
  std::vector<Product> kept;
  for (const std::size_t k : basis.members)
    kept.push_back(functions[k]);
  functions = std::move(kept);
}

/// sum over k of by[k] functions[k], each in the sum that it is of.
std::vector<Sum> combinations(const std::vector<Product> &functions, const auto &by,
                              const std::vector<std::size_t> &of, std::size_t sums) {
  std::vector<Sum> out(sums);
  for (std::size_t k = 0; k < functions.size(); ++k)
    if (by[k] != Complex{}) {
      Product &made = out[of[k]].emplace_back(functions[k]);
      made.number = by[k];
    }
  return out;
}

/// The number of the right side's first product to the left sides.
void moveNumber(CommonFactor &made) {
  const Complex first = made.right.front().number;
  for (Product &product : made.right)
    product.number /= first;
  for (Sum &left : made.lefts)
    for (Product &product : left)
      product.number *= first;
}

} // namespace

const PointValues &Samples::value(Id id) {
  if (static_cast<std::size_t>(id) >= values.size()) { // the term has grown
    Region all;
    values.assign(kernel.term.values.size(), PointValues(points));
    for (Id k = 0; k < std::ssize(values); ++k)
      all.outputs.push_back({"", k});
    for (int p = 0; p < points; ++p) {
      all.values = decided(kernel.term.values, p);
      const auto results =
          evaluate(kernel, all, randomPoint(kernel, static_cast<std::uint64_t>(p) + 7001));
      for (std::size_t k = 0; k < results.size(); ++k)
        values[k][p] = results[k][0];
    }
  }
  return values[id];
}

PointValues Samples::of(const Product &product) {
  PointValues out(product.number, points);
  for (const Id factor : product.factors)
    out *= value(factor);
  if (product.exponent.empty())
    return out;
  const PointValues exponent = of(product.exponent);
  for (std::size_t p = 0; p < out.size(); ++p) // as `decided` has it at odd points
    out[p] *= p % 2 == 0 ? std::exp(exponent[p])
                         : std::polar(1 + std::sin(exponent[p].real()) / 2, exponent[p].imag());
  return out;
}

PointValues Samples::of(const Sum &sum) {
  PointValues out(points);
  for (const Product &product : sum)
    out += of(product);
  return out;
}

bool sameValues(const PointValues &a, const PointValues &b) {
  const auto same = [](const Complex &x, const Complex &y) {
    return std::abs(x - y) <= 1e-11 * std::max(std::abs(x), std::abs(y));
  };
  return std::equal(std::begin(a), std::end(a), std::begin(b), same);
}

std::vector<CommonFactor> leastRank(Samples &samples, std::span<const Sum> sums,
                                    const std::function<bool(Id)> &isLeft, bool numbersLeft) {
  std::vector<Product> lefts, rights;
  std::vector<std::size_t> of; // the sum that a left function is of
  Matrix c;
  std::vector<Rows> all = rowsOf(sums, isLeft, rights);
  for (std::size_t s = 0; s < all.size(); ++s) {
    reduce(samples, all[s].lefts, all[s].c);
    lefts.insert(lefts.end(), all[s].lefts.begin(), all[s].lefts.end());
    c.insert(c.end(), all[s].c.begin(), all[s].c.end());
    of.resize(lefts.size(), s);
  }
  c = transposed(c, rights.size());
  reduce(samples, rights, c);
  const Matrix byRight = c;
  c = transposed(c, lefts.size());

  const auto leftsBy = [&](const auto &by) { return combinations(lefts, by, of, sums.size()); };
  const Basis rows(c, false);
  const std::size_t rank = rows.members.size();
  std::vector<CommonFactor> out;
  if (rank < lefts.size() && rank == rights.size()) {
    for (std::size_t j = 0; j < rank; ++j)
      out.push_back({leftsBy(byRight[j]), {rights[j]}});
    return out;
  }
  for (std::size_t m = 0; m < rank; ++m) {
    std::vector<Complex> by;
    for (const auto &ofRow : rows.coefficients)
      by.push_back(ofRow[m]);
    const std::vector<std::size_t> one(rights.size());
    CommonFactor made{leftsBy(by), combinations(rights, c[rows.members[m]], one, 1)[0]};
    if (numbersLeft)
      moveNumber(made);
    out.push_back(std::move(made));
  }
  return out;
}

std::vector<Pairing> leastRank(Samples &samples, const Sum &sum,
                               const std::function<bool(Id)> &isLeft, bool numbersLeft) {
  std::vector<Pairing> out;
  for (CommonFactor &shared : leastRank(samples, std::span(&sum, 1), isLeft, numbersLeft))
    out.push_back({std::move(shared.lefts[0]), std::move(shared.right)});
  return out;
}

} // namespace facet::passes
