// pair_sums.cpp - the rivals of sums without waves, for this CPU: a portfolio's worth, and the
// plasmon-pole sum with the optimisations that are published for it.
#include "rivals.h"
#include <algorithm>
#include <cmath>

namespace facet::rivals {

void worth(const Positions &p, const Points &markets, double *worth) {
  for (std::size_t q = 0; q < markets.x.size(); ++q) {
    const double index = markets.x[q], exchange = markets.y[q], rate = markets.z[q];
    double sum = 0;
    for (std::size_t t = 0; t < p.amount.size(); ++t) {
      const double bond =
          exchange * std::exp(-rate * p.years[t]); // a choice of values, without a branch
      sum += p.amount[t] * (p.foreign[t] > 0 ? bond : index);
    }
    worth[q] = sum;
  }
}

void worthSorted(const Positions &p, const Points &markets, double *worth) {
  const auto stocks = static_cast<std::size_t>(std::find(p.foreign.begin(), p.foreign.end(), 1.0) -
                                               p.foreign.begin());
  for (std::size_t q = 0; q < markets.x.size(); ++q) {
    const double rate = markets.z[q];
    double shares = 0, bonds = 0;
    for (std::size_t t = 0; t < stocks; ++t)
      shares += p.amount[t];
    for (std::size_t t = stocks; t < p.amount.size(); ++t)
      bonds += p.amount[t] * std::exp(-rate * p.years[t]);
    worth[q] = markets.x[q] * shares + markets.y[q] * bonds;
  }
}

namespace {

struct Sums {
  double exchangeRe = 0, exchangeIm = 0, holeRe = 0, holeIm = 0;
};

/// Terms of a block of waves G for one G', band and energy e, by the formulas as they are
/// published. D is by a reciprocal of |d|^2, conditions are on squares. Each branch has a
/// reciprocal of its own; both are computed and one is chosen.
inline Sums published(const double *wr, const double *wi, const double *ir, const double *ii,
                      const double *mr, const double *mi, int n, double e) {
  double exchangeRe = 0, exchangeIm = 0, holeRe = 0, holeIm = 0;
  for (int g = 0; g < n; ++g) {
    const double dr = e - wr[g], di = -wi[g], away = dr * dr + di * di, over = 1 / away;
    const double ratioRe = (wr[g] * dr + wi[g] * di) * over,
                 ratioIm = (wi[g] * dr - wr[g] * di) * over;
    const double ratio = ratioRe * ratioRe + ratioIm * ratioIm;
    const bool far = (away > 0.25) & (ratio < 2.5e5), some = ratio > 1e-12;
    const double w2r = wr[g] * wr[g] - wi[g] * wi[g], w2i = 2 * wr[g] * wi[g];
    const double farRe = e * e - w2r, farIm = -w2i, overFar = 1 / (farRe * farRe + farIm * farIm);
    const double wIr = w2r * ir[g] - w2i * ii[g], wIi = w2r * ii[g] + w2i * ir[g];
    const double holeR = ratioRe * ir[g] - ratioIm * ii[g],
                 holeI = ratioRe * ii[g] + ratioIm * ir[g];
    const double nearRe = 4 * ratioRe + 2, nearIm = 4 * ratioIm,
                 overNear = 1 / (nearRe * nearRe + nearIm * nearIm);
    double re = far ? (wIr * farRe + wIi * farIm) * overFar
                    : (some ? -(holeR * nearRe + holeI * nearIm) * overNear : 0);
    double im = far ? (wIi * farRe - wIr * farIm) * overFar
                    : (some ? -(holeI * nearRe - holeR * nearIm) * overNear : 0);
    const bool large = (e < 0) & (re * re + im * im > 16 * (ir[g] * ir[g] + ii[g] * ii[g]));
    re = large ? 0 : re;
    im = large ? 0 : im;
    const double hr = far ? holeR : 0, hi = far ? holeI : 0;
    exchangeRe += mr[g] * re - mi[g] * im;
    exchangeIm += mr[g] * im + mi[g] * re;
    holeRe += mr[g] * hr - mi[g] * hi;
    holeIm += mr[g] * hi + mi[g] * hr;
  }
  return {exchangeRe, exchangeIm, holeRe, holeIm};
}

/// The same with the algebra of facet's example: two reciprocals, no division in a condition, one
/// product of strengths.
inline Sums simplified(const double *wr, const double *wi, const double *ir, const double *ii,
                       const double *mr, const double *mi, int n, double e) {
  double exchangeRe = 0, exchangeIm = 0, holeRe = 0, holeIm = 0;
  for (int g = 0; g < n; ++g) {
    const double dr = e - wr[g], sr = e + wr[g], wi2 = wi[g] * wi[g];
    const double away = dr * dr + wi2, size = wr[g] * wr[g] + wi2;
    const double over = 1 / away, overSum = 1 / (sr * sr + wi2);
    const double ratioRe = (wr[g] * dr - wi2) * over, ratioIm = wi[g] * e * over;
    const bool far = (away > 0.25) & (away > 4e-6 * size), none = away > 1e12 * size;
    const double kr = (wr[g] * sr + wi2) * overSum, ki = wi[g] * e * overSum;
    const double fr = far    ? ratioRe
                      : none ? 0
                             : -0.5,
                 fi = far ? ratioIm : 0, hr = far ? ratioRe : 0;
    double re = kr * fr - ki * fi, im = kr * fi + ki * fr;
    const bool large = (e < 0) & (re * re + im * im > 16);
    re = large ? 0 : re;
    im = large ? 0 : im;
    const double strengthRe = mr[g] * ir[g] - mi[g] * ii[g],
                 strengthIm = mr[g] * ii[g] + mi[g] * ir[g];
    exchangeRe += strengthRe * re - strengthIm * im;
    exchangeIm += strengthRe * im + strengthIm * re;
    holeRe += strengthRe * hr - strengthIm * fi;
    holeIm += strengthRe * fi + strengthIm * hr;
  }
  return {exchangeRe, exchangeIm, holeRe, holeIm};
}

} // namespace

void poles(const Poles &p, bool simpler, std::vector<std::complex<double>> &exchange,
           std::vector<std::complex<double>> &hole) {
  constexpr std::size_t Block =
      512; // of waves G: w and inner of one G' stay in the first cache for all bands
  const std::size_t bands = p.bands.size(), n = p.n, all = p.energies.size() * p.others * bands;
  exchange.assign(all, 0);
  hole.assign(all, 0);
  for (std::size_t other = 0; other < p.others; ++other)
    for (std::size_t first = 0; first < n; first += Block)
      for (std::size_t band = 0; band < bands; ++band)
        for (std::size_t k = 0; k < p.energies.size(); ++k) {
          const double shift = p.energies[k] - p.bands[band];
          const double e = std::abs(shift) < 1e-12 ? 1e-12 : shift;
          const std::size_t at = other * n + first, of = band * n + first;
          const Sums s = (simpler ? simplified : published)(
              &p.wr[at], &p.wi[at], &p.ir[at], &p.ii[at], &p.mr[of], &p.mi[of],
              static_cast<int>(std::min(Block, n - first)), e);
          const std::size_t to = (k * p.others + other) * bands + band;
          exchange[to] += std::complex(s.exchangeRe, s.exchangeIm);
          hole[to] += std::complex(s.holeRe, s.holeIm);
        }
}

} // namespace facet::rivals
