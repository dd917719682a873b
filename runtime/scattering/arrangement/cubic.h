// cubic.h - sc, bcc and fcc paracrystals, whose crystals lie in all directions: the mean of S.
//
// H. Matsuoka, H. Tanaka, T. Hashimoto, N. Ise, Phys. Rev. B 36 (1987) 1754; B 41 (1990) 3854, with
// the exponent of sasmodels 1.1.0: S is the product over the primitive vectors a_k of (1 - f^2) /
// (1 - 2 f cos(q.a_k) + f^2), f = e^{-spread^2 (u_1^2 + u_2^2 + u_3^2) / 2}, u_k = q.a_k / a, a the
// edge of the cube. It is the same for -q and as axes change places. So a twelfth of the sphere is
// enough, about the axis (1, 1, 1), from one plane of mirrors to the next.
#pragma once
#include "runtime/scattering/arrangement/kinds.h"
#include <facet/runtime/error.h>
#include <fmt/format.h>

namespace facet::runtime::arrangement {

/// The primitive vectors over the edge of the cube, and the edge over their length.
struct CubicLattice {
  std::array<std::array<double, 3>, 3> vectors;
  double edge;
};
inline const CubicLattice simpleCubic{{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, 1};
inline const CubicLattice bodyCentred{{{{-0.5, 0.5, 0.5}, {0.5, -0.5, 0.5}, {0.5, 0.5, -0.5}}},
                                      2 / std::sqrt(3.0)};
inline const CubicLattice faceCentred{{{{0.5, 0.5, 0}, {0.5, 0, 0.5}, {0, 0.5, 0.5}}},
                                      std::sqrt(2.0)};

/// Cells of the rectangle of cos theta and phi are halved until S is a polynomial of 7th degree on
/// each, as its last terms tell. The mean is off by 1e-6 of S, or less, where the spread is 0.02 of
/// the spacing or more.
template <class Real, const CubicLattice &Of> class Cubic : public StructureFactorOf<Real> {
public:
  Cubic(const Arrangement &, const ArrangementNumbers<Real> &n)
      : spread_(n.at("spread")[0]), edge_(Of.edge * n.at("spacing")[0]),
        least_(1e-6 * std::pow(plainly(spread_) / plainly(n.at("spacing")[0]), 2)) {}
  Real at(const std::array<Real, 3> &q) const override {
    const Real length = lengthOf(q[0], q[1], q[2]);
    if (plainly(length) == 0)
      throw Error("arrangement", "S of a cubic lattice has no value at q = 0", "take q above 0");
    const double periods = plainly(length) * plainly(edge_) / 4, n = 1 + std::floor(periods);
    Real sum = 0;
    for (double i = 0; i < n; ++i)
      for (double j = 0; j < n; ++j)
        sum = sum + over({i / n, (i + 1) / n}, {j / n, (j + 1) / n}, length, 0);
    return sum;
  }

private:
  using Range = std::array<double, 2>; // of what goes from 0 to 1
  static constexpr int nodes = 8;
  /// The nodes, and the last two Legendre polynomials there.
  struct Rule {
    GaussRule gauss = gaussRule(nodes);
    std::array<std::array<double, 2>, nodes> last{};
    Rule() {
      for (std::size_t i = 0; i < nodes; ++i)
        for (int k = 0; k < 2; ++k)
          last[i][static_cast<std::size_t>(k)] =
              std::legendre(static_cast<unsigned>(nodes - 1 - k), gauss.at[i]);
    }
  };
  static const Rule &rule() {
    static const Rule one;
    return one;
  }

  Real over(const Range &x, const Range &y, const Real &length, int depth) const {
    constexpr double accuracy = 0.01; // of the last terms, far above that of the sum
    constexpr int deepest = 60;
    std::array<std::array<Real, nodes>, nodes> s;
    const auto at = [](const Range &range, std::size_t i) {
      return (range[0] + range[1]) / 2 + (range[1] - range[0]) / 2 * rule().gauss.at[i];
    };
    Real sum = 0;
    const double area = (x[1] - x[0]) * (y[1] - y[0]) / 4;
    for (std::size_t i = 0; i < nodes; ++i)
      for (std::size_t j = 0; j < nodes; ++j) {
        s[i][j] = inCrystal(at(x, i), pi / 3 * at(y, j), length);
        sum = sum + area * rule().gauss.weight[i] * rule().gauss.weight[j] * s[i][j];
      }
    const auto [byX, byY] = lastTerms(s);
    if (std::max(byX, byY) * area < std::max(accuracy * std::abs(plainly(sum)), least_) ||
        depth == deepest)
      return sum;
    const Range &cut = byX > byY ? x : y;
    const double middle = (cut[0] + cut[1]) / 2;
    const Range low{cut[0], middle}, high{middle, cut[1]};
    return byX > byY ? over(low, y, length, depth + 1) + over(high, y, length, depth + 1)
                     : over(x, low, length, depth + 1) + over(x, high, length, depth + 1);
  }

  /// The larger of the last two terms along each, summed over the lines across it.
  static Range lastTerms(const std::array<std::array<Real, nodes>, nodes> &s) {
    const auto &w = rule().gauss.weight;
    const auto &last = rule().last;
    Range all{};
    for (std::size_t i = 0; i < nodes; ++i) {
      std::array<double, 4> terms{};
      for (std::size_t j = 0; j < nodes; ++j)
        for (std::size_t k = 0; k < 2; ++k) {
          terms[k] += w[j] * last[j][k] * plainly(s[j][i]);
          terms[2 + k] += w[j] * last[j][k] * plainly(s[i][j]);
        }
      all[0] += nodes * w[i] * std::max(std::abs(terms[0]), std::abs(terms[1]));
      all[1] += nodes * w[i] * std::max(std::abs(terms[2]), std::abs(terms[3]));
    }
    return all;
  }

  /// S of one crystal, along a direction.
  Real inCrystal(double cosine, double phi, const Real &length) const {
    const double sine = std::sqrt(1 - cosine * cosine), across = sine * std::cos(phi),
                 aside = sine * std::sin(phi);
    const std::array<double, 3> u{
        cosine / std::sqrt(3.0) + across / std::sqrt(6.0) + aside / std::sqrt(2.0),
        cosine / std::sqrt(3.0) + across / std::sqrt(6.0) - aside / std::sqrt(2.0),
        cosine / std::sqrt(3.0) - 2 * across / std::sqrt(6.0)};
    std::array<double, 3> parts{};
    double square = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      for (std::size_t j = 0; j < 3; ++j)
        parts[k] += Of.vectors[k][j] * u[j];
      square += parts[k] * parts[k];
    }
    const Real log = -0.5 * square * length * length * spread_ * spread_, less = expm1(log),
               square1 = less * less, f = 1.0 + less, top = -expm1(2.0 * log);
    Real s = 1;
    for (const double part : parts) {
      const Real half = sin(0.5 * part * length * edge_);
      s = s * top / (square1 + 4.0 * f * half * half);
    }
    return s;
  }

  Real spread_, edge_;
  double least_;
};

template <class Real> using SimpleCubic = Cubic<Real, simpleCubic>;
template <class Real> using BodyCentredCubic = Cubic<Real, bodyCentred>;
template <class Real> using FaceCentredCubic = Cubic<Real, faceCentred>;

} // namespace facet::runtime::arrangement
