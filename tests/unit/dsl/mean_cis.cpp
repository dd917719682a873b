// mean_cis.cpp - the mean of e^{iu} over a triangle keeps its digits wherever phases meet.
#include "closed_forms.h"
#include <gtest/gtest.h>
#include <random>

namespace {

using facet::cplx;
using facet::real;
using facet::test::LongComplex;
using Phases = std::array<cplx, 3>;

/// Error of mean_cis or mean_cism1 over the largest e^{-im}, and what rounding of the phases
/// allows.
struct Judged {
  double error, allowed;
};

Judged judge(const Phases &p, bool minus1) {
  const LongComplex a = facet::test::wide(p[0]), b = facet::test::wide(p[1]),
                    c = facet::test::wide(p[2]);
  const LongComplex exact =
      minus1 ? facet::test::meanMinus1Of(a, b, c) : facet::test::meanOf(a, b, c);
  const bool isReal = p[0].im == 0 && p[1].im == 0 && p[2].im == 0;
  cplx found;
  if (isReal)
    found = minus1 ? facet::mean_cism1(p[0].re, p[1].re, p[2].re)
                   : facet::mean_cis(p[0].re, p[1].re, p[2].re);
  else
    found = minus1 ? facet::mean_cism1(p[0], p[1], p[2]) : facet::mean_cis(p[0], p[1], p[2]);
  double largest = 0, growth = 1;
  for (const cplx phase : p) {
    largest = std::max(largest, static_cast<double>(facet::abs(phase)));
    growth = std::max(growth, std::exp(-static_cast<double>(phase.im)));
  }
  // e^{iu} - 1 is of the size of u: near 0 the error must be relative to that.
  const double size = growth * (minus1 ? std::min(1.0, largest) : 1.0);
  const double difference = static_cast<double>(std::abs(facet::test::wide(found) - exact));
  return {difference == 0 ? 0 : difference / size, 4e-15 + 4e-16 * largest};
}

void expectRight(const Phases &p) {
  for (const bool minus1 : {false, true}) {
    const Judged j = judge(p, minus1);
    EXPECT_LE(j.error, j.allowed) << (minus1 ? "mean_cism1" : "mean_cis") << " of (" << p[0].re
                                  << "," << p[0].im << ") (" << p[1].re << "," << p[1].im << ") ("
                                  << p[2].re << "," << p[2].im << ")";
  }
}

/// Phases at `base` that differ by `spread`, one pair by only `gap` times that.
template <class Draw> void expectRightAround(const Draw &draw) {
  for (const double base : {0.0, 1.0, 50.0, 1000.0})
    for (const double spread : {0.0, 1e-12, 1e-6, 1e-3, 0.1, 0.7, 0.999, 1.001, 3.0, 30.0, 300.0})
      for (const double gap : {0.0, 1e-9, 1e-3, 0.5})
        for (int turn = 0; turn < 3; ++turn) {
          const cplx a = base * draw(), b = a + spread * draw(), c = b + spread * gap * draw();
          Phases p{a, b, c};
          std::rotate(p.begin(), p.begin() + turn, p.end());
          expectRight(p);
        }
}

TEST(MeanCis, RealPhasesOfAnySpreadAndAnyPairAlike) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  expectRightAround([&] { return cplx(uniform(random)); });
}

TEST(MeanCis, ComplexPhasesOfAnySpreadAndAnyPairAlike) {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> uniform(-1, 1);
  expectRightAround([&] { return cplx(uniform(random), 0.02 * uniform(random)); });
}

TEST(MeanCis, PurelyImaginaryDifferencesAndPeriodsApart) {
  expectRight({cplx(0, 0), cplx(0, 3), cplx(0, -2)});
  expectRight({cplx(0, 0), cplx(1, 1), cplx(1, -1)}); // differences whose squares sum to nothing
  expectRight({cplx(0), cplx(2 * facet::pi), cplx(4 * facet::pi)});
  expectRight({cplx(-5), cplx(0), cplx(5)});
}

TEST(MeanCis, SeriesIsWholeUpToItsThreshold) {
  // Complex differences of modulus 1 in all directions: nothing falls slower.
  double largest = 0;
  for (int k = 0; k < 24; ++k) {
    const double turn = 2 * 3.14159265358979 * k / 24;
    const cplx b(std::cos(turn), std::sin(turn));
    for (const cplx c : {cplx(0), cplx(1), b, 0.5 * b}) {
      const Phases p{cplx(0), cplx(1), c};
      if (facet::abs(p[1] - p[2]) <= 1)
        largest = std::max(largest, judge(p, false).error);
    }
  }
  EXPECT_LE(largest, 1e-15);
}

/// As `judge`, over the edge from a to b.
void expectRightEdge(cplx a, cplx b) {
  for (const bool minus1 : {false, true}) {
    const LongComplex exact =
        facet::test::meanOfEdge(facet::test::wide(a), facet::test::wide(b), minus1);
    cplx found = minus1 ? facet::mean_cism1(a, b) : facet::mean_cis(a, b);
    if (a.im == 0 && b.im == 0)
      found = minus1 ? facet::mean_cism1(a.re, b.re) : facet::mean_cis(a.re, b.re);
    const double largest = static_cast<double>(facet::max(facet::abs(a), facet::abs(b)));
    const double growth = std::exp(std::max({0.0, -double(a.im), -double(b.im)}));
    const double size = growth * (minus1 ? std::min(1.0, largest) : 1.0);
    const double error = static_cast<double>(std::abs(facet::test::wide(found) - exact));
    EXPECT_LE(error, (4e-15 + 4e-16 * largest) * size)
        << (minus1 ? "mean_cism1" : "mean_cis") << " of (" << a.re << "," << a.im << ") (" << b.re
        << "," << b.im << ")";
  }
}

TEST(MeanCis, OfAnEdgeOfAnyPhases) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (const double damping : {0.0, 0.02, 1.0})
    for (const double base : {0.0, 1e-9, 1.0, 50.0})
      for (const double spread :
           {0.0, 1e-12, 1e-6, 1e-3, 0.1, 0.7, 1.999, 2.001, 3.0, 30.0, 300.0}) {
        if (damping == 1 && base + spread > 50)
          continue;
        const auto draw = [&] { return cplx(uniform(random), damping * uniform(random)); };
        const cplx a = base * draw(), b = a + spread * draw();
        expectRightEdge(a, b);
        expectRightEdge(b, a);
      }
  expectRightEdge(cplx(0), cplx(2 * facet::pi));
  expectRightEdge(cplx(0, 0), cplx(0, 3));
}

TEST(MeanCis, OfAnEdgeKeepsDigitsNearZero) {
  const cplx even = facet::mean_cism1(-1e-9, 1e-9); // the mean of -u^2 / 2
  EXPECT_EQ(even.im, 0);
  EXPECT_NEAR(even.re, -1e-18 / 6, 1e-33);
  EXPECT_EQ(facet::mean_cis(0.25, 0.25).re, facet::cis(0.25).re);
  EXPECT_EQ(facet::mean_cism1(0.0, 0.0).re, 0);
}

TEST(MeanCis, OfAnEdgeOfStrongDampingIsFinite) {
  const cplx damped = facet::mean_cis(cplx(0, 0), cplx(0, 3000)); // 1 / 3000: its middle underflows
  EXPECT_NEAR(damped.re, 1.0 / 3000, 1e-18);
  EXPECT_EQ(facet::mean_cis(cplx(0, 3000), cplx(0, 0)).re, damped.re);
}

TEST(MeanCis, OneCornerAloneIsCis) {
  const cplx z(3, 0.25);
  EXPECT_LE(facet::abs(facet::mean_cis(z, z, z) - facet::cis(z)), 1e-15);
  EXPECT_EQ(facet::mean_cism1(0.0, 0.0, 0.0).re, 0);
  EXPECT_EQ(facet::mean_cism1(0.0, 0.0, 0.0).im, 0);
}

} // namespace
