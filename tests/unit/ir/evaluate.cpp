// evaluate.cpp - the evaluator against values worked out by hand or by another formula.
#include "codegen/ir/evaluate.h"
#include "codegen/ir/arithmetic.h"
#include "tests/support/ir.h"
#include <cmath>
#include <gtest/gtest.h>
#include <numbers>

namespace facet::ir {
namespace {

constexpr double pi = std::numbers::pi;

/// The last value of `lines`, which may use p.a, p.b, p.c, q and t.v, at q = (1, 2, 3 + 0.5i),
/// t.v = (-1, 4, 2).
Vector value(const std::string &lines, double a = 0, double b = 0, double c = 0) {
  const Kernel kernel =
      read(test::kernelIr("record { v: vec3 } grid product { x: real, y: real, z: cplx } "
                          "params { a, b, c }",
                          lines + " yield %r"),
           "test");
  Point point;
  point.q = {1.0, 2.0, Complex{3, 0.5}};
  point.record["v"] = {-1.0, 4.0, 2.0};
  point.params = {{"a", a}, {"b", b}, {"c", c}};
  return evaluate(kernel, kernel.term, point).front();
}
double real(const std::string &lines, double a = 0, double b = 0, double c = 0) {
  return value(lines, a, b, c)[0].real();
}

TEST(Evaluate, PairingsOfVectors) {
  EXPECT_EQ(value("%r = dot q, t.v")[0], (Complex{13, 1}));
  EXPECT_EQ(value("%1 = conj q\n%r = dot %1, q")[0], (Complex{14.25, 0}));
  EXPECT_EQ(value("%r = dot q, q")[0], (Complex{13.75, 3}));
  EXPECT_EQ(real("%r = norm2 q"), 14.25);
  EXPECT_EQ(real("%r = norm t.v"), std::sqrt(21.0));
  EXPECT_EQ(value("%1 = cross q, t.v\n%r = component.x %1")[0], (Complex{4 - 12, -2}));
}

TEST(Evaluate, RealsStayReal) {
  EXPECT_TRUE(std::isnan(real("%r = sqrt p.a", -1)));
  EXPECT_EQ(value("%1 = complex p.a, p.b\n%r = csqrt %1", -4)[0], (Complex{0, 2}));
  EXPECT_EQ(value("%r = csqrt p.a", -4)[0], (Complex{0, 2}));
  EXPECT_EQ(real("%r = fma p.a, p.b, p.c", 1 + 0x1p-30, 1 - 0x1p-30, -1), -0x1p-60);
  EXPECT_EQ(real("%1 = less p.a, p.b\n%r = select %1, p.a, p.c", 1, 2, 7), 1);
  EXPECT_EQ(real("%1 = less p.a, p.b\n%r = select %1, p.a, p.c", 2, 1, 7), 7);
}

TEST(Evaluate, HalfTurnsAreExactAtTheirPoles) {
  for (const double n : {0.0, 1.0, -3.0, 1e6, 4503599627370497.0}) {
    EXPECT_EQ(real("%r = sinpi p.a", n), 0) << n;
    EXPECT_EQ(std::abs(real("%r = cospi p.a", n)), 1) << n;
  }
  EXPECT_EQ(real("%r = cospi p.a", 7), -1);
  EXPECT_EQ(real("%r = sinpi p.a", -1.5), 1);
  EXPECT_DOUBLE_EQ(real("%r = sinpi p.a", 1 - 1e-12), std::sin(pi * (1 - (1 - 1e-12))));
  EXPECT_DOUBLE_EQ(real("%r = sinpi p.a", 0.3), std::sin(pi * 0.3));
}

TEST(Evaluate, FunctionsOfTheHardwareAreExact) {
  EXPECT_EQ(real("%r = hardware_sin p.a", 0.7), std::sin(0.7));
  EXPECT_EQ(real("%r = hardware_cos p.a", -3), std::cos(3));
  EXPECT_EQ(real("%r = hardware_exp2 p.a", -5.5), std::exp2(-5.5));
}

TEST(Evaluate, SmallArgumentsKeepTheirDigits) {
  EXPECT_DOUBLE_EQ(real("%r = expm1 p.a", 1e-10), 1e-10 + 0.5e-20);
  EXPECT_DOUBLE_EQ(real("%r = exp2m1 p.a", 1e-10), std::expm1(1e-10 * std::numbers::ln2));
  const Complex small = value("%r = cism1 p.a", 1e-9)[0];
  EXPECT_DOUBLE_EQ(small.real(), -0.5e-18);
  EXPECT_DOUBLE_EQ(small.imag(), 1e-9);
  const Complex mean = value("%r = mean_cism1 p.a, p.b, p.c", 1e-9, 2e-9, 3e-9)[0];
  EXPECT_DOUBLE_EQ(mean.imag(), 2e-9);
  // The mean of u^2 over the triangle is (sum of squares + square of sum) / 12.
  EXPECT_DOUBLE_EQ(mean.real(), -0.5 * (14 + 36) / 12 * 1e-18);
}

TEST(Evaluate, MeansOverATriangle) {
  // Corners 0, 0, u: 2 (1 + iu - e^{iu}) / u^2; equal corners: e^{iu}.
  for (const double u : {0.3, 2.1, 9.0, -40.0}) {
    const Complex closed = 2.0 * (Complex{1, u} - std::polar(1.0, u)) / (u * u);
    EXPECT_LT(std::abs(value("%r = mean_cis p.a, p.b, p.c", 0, 0, u)[0] - closed), 2e-15) << u;
    EXPECT_LT(std::abs(value("%r = mean_cis p.a, p.b, p.c", u, 0, 0)[0] - closed), 2e-15) << u;
    EXPECT_LT(std::abs(value("%r = mean_cis p.a, p.b, p.c", u, u, u)[0] - std::polar(1.0, u)),
              1e-15)
        << u;
  }
}

TEST(Evaluate, MeansOverAnEdge) {
  for (const double u : {0.3, 2.1, 9.0, -40.0}) {
    const Complex closed = (std::polar(1.0, u) - 1.0) / Complex{0, u};
    EXPECT_LT(std::abs(value("%r = mean_edge p.a, p.b", 0, u)[0] - closed), 2e-15) << u;
    EXPECT_LT(std::abs(value("%r = mean_edge p.a, p.b", u, 0)[0] - closed), 2e-15) << u;
    EXPECT_LT(std::abs(value("%r = mean_edge_m1 p.a, p.b", 0, u)[0] - (closed - 1.0)), 2e-15) << u;
    EXPECT_LT(std::abs(value("%r = mean_edge p.a, p.b", u, u)[0] - std::polar(1.0, u)), 1e-15) << u;
  }
  const Complex small = value("%r = mean_edge_m1 p.a, p.b", 1e-9, 2e-9)[0];
  EXPECT_DOUBLE_EQ(small.imag(), 1.5e-9);
  EXPECT_DOUBLE_EQ(small.real(), -0.5 * (1 + 2 + 4) / 3 * 1e-18);
}

TEST(Evaluate, MeansAgreeWithQuadrature) {
  // The midpoint rule on n^2 similar triangles, extrapolated once: order h^4.
  const auto midpoint = [](double a, double b, double c, int n) {
    Complex sum = 0;
    const auto at = [&](double i, double j) {
      return std::polar(1.0, a + (b - a) * i / n + (c - a) * j / n);
    };
    for (int i = 0; i < n; ++i)
      for (int j = 0; i + j < n; ++j) {
        sum += at(i + 1 / 3.0, j + 1 / 3.0);
        if (i + j + 1 < n)
          sum += at(i + 2 / 3.0, j + 2 / 3.0);
      }
    return sum / static_cast<double>(n * n);
  };
  const Complex coarse = midpoint(1, -2, 5, 200), fine = midpoint(1, -2, 5, 400);
  const Complex mean = value("%r = mean_cis p.a, p.b, p.c", 1, -2, 5)[0];
  EXPECT_LT(std::abs(mean - (4.0 * fine - coarse) / 3.0), 1e-9);
}

TEST(Evaluate, RoundingAndItsUsers) {
  EXPECT_EQ(real("%r = round p.a", 2.5), 2);
  EXPECT_EQ(real("%r = round p.a", -1.5), -2);
  EXPECT_EQ(real("%r = negate_if_odd p.a, p.b", 5, -3), -5);
  EXPECT_EQ(real("%r = negate_if_odd p.a, p.b", 5, -4), 5);
  EXPECT_EQ(real("%r = scale2 p.a, p.b", 3, -2), 0.75);
  EXPECT_TRUE(std::isnan(real("%r = scale2 p.a, p.b", 3, std::nan(""))));
}

TEST(Evaluate, BitsOfNumbers) {
  for (const auto &[a, e] :
       {std::pair{1.0, 0}, {0.7, -1}, {0.72, 0}, {1.4, 0}, {1.5, 1}, {6.0, 3}}) {
    EXPECT_EQ(real("%r = exponent2 p.a", a), e) << a;
    EXPECT_EQ(real("%r = mantissa2 p.a", a), std::ldexp(a, -e)) << a;
  }
  constexpr double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(real("%r = edge p.a, p.b, -1", 7, 2), 7);
  EXPECT_EQ(real("%r = edge p.a, p.b, -1", 7, 0), -infinity);
  EXPECT_EQ(real("%r = edge p.a, p.b, 0", 7, 0), 0);
  EXPECT_EQ(real("%r = edge p.a, p.b, 1", 7, infinity), 0);
  EXPECT_EQ(real("%r = edge p.a, p.b, 0", 7, infinity), infinity);
  EXPECT_TRUE(std::isnan(real("%r = edge p.a, p.b, 0", 7, -1)));
  EXPECT_EQ(real("%r = negate_if_negative p.a, p.b", 7, -0.0), -7);
  EXPECT_EQ(real("%r = negate_if_negative p.a, p.b", 7, 0), 7);
  EXPECT_EQ(real("%r = or_nan p.a, p.b", 7, 0), 7);
  EXPECT_TRUE(std::isnan(real("%r = or_nan p.a, p.b", 7, std::nan(""))));
}

TEST(Evaluate, SincIsOneAtZero) {
  EXPECT_EQ(real("%r = sinc p.a", 0), 1);
  EXPECT_EQ(real("%r = sincpi p.a", 0), 1);
  EXPECT_NEAR(real("%r = sincpi p.a", 3), 0, 1e-16);
  EXPECT_DOUBLE_EQ(real("%r = sinc p.a", 0.3), std::sin(0.3) / 0.3);
  const Complex u(1e-3, 1e-4);
  for (const double size : {0.5, 1.0, 2.0}) // on both sides of where the series ends
    EXPECT_LT(std::abs(Arithmetic<double>::sinc(size * u) - std::sin(size * u) / (size * u)),
              1e-15);
}

TEST(RandomPoint, ColumnsOfATriangleBelongTogether) {
  Kernel kernel;
  const Point p = randomPoint(kernel, 7);
  const auto &normal = p.record.find("normal")->second;
  const auto &u = p.record.find("edge1")->second, &v = p.record.find("edge2")->second;
  const double area = p.record.find("area")->second[0].real();
  const Complex cross = u[0] * v[1] - u[1] * v[0];
  EXPECT_NEAR(normal[2].real() * 2 * area, cross.real(), 1e-14);
  EXPECT_NEAR(std::norm(normal[0]) + std::norm(normal[1]) + std::norm(normal[2]), 1, 1e-14);
  EXPECT_EQ(p.q[2].imag(), 0); // the axes are real
  EXPECT_EQ(randomPoint(kernel, 7).q, p.q);
  EXPECT_NE(randomPoint(kernel, 8).q, p.q);
}

} // namespace
} // namespace facet::ir
