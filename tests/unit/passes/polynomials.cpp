// polynomials.cpp - the elementary functions that math writes, over their whole range, in double.
#include "codegen/ir/arithmetic.h"
#include "kernels.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace facet;
using namespace facet::passes;

namespace {

using Double = ir::Arithmetic<double>;

/// The op of x = q.x * t.a after math, at 2001 points of [-range, range] and near 0: the largest
/// error, relative to the value if `relative`.
double largestError(const std::string &op, double (*want)(double), Class klass, double range,
                    bool relative) {
  const ir::Kernel kernel =
      run(ir::read(test::kernelIr("record { a: real } grid product { x: real, y: real, z: real }",
                                  "%1 = mul q.x, t.a  %2 = " + op + " %1  yield %2"),
                   op),
          {.klass = klass}, {.only = "math"});
  double worst = 0;
  const auto at = [&](double x) {
    ir::Point point;
    point.q[0] = x;
    point.record["a"] = {1};
    const double value = ir::evaluateTerm(kernel, point).front().real(), right = want(x);
    const double size = relative && right != 0 ? std::abs(right) : 1;
    worst = std::max(worst, std::abs(value - right) / size);
  };
  for (int k = -1000; k <= 1000; ++k)
    at(range * k / 1000);
  for (double x = 0.4; x > 1e-12; x /= 3) {
    at(x);
    at(-x);
  }
  return worst;
}

} // namespace

TEST(Polynomials, OfSineAndCosineAreWithinTheirStatedError) {
  EXPECT_LE(largestError("sinpi", Double::sinpi, Class::F32, 9.3, false), 7.6e-9);
  EXPECT_LE(largestError("cospi", Double::cospi, Class::F32, 9.3, false), 6e-8);
  EXPECT_LE(largestError("sinpi", Double::sinpi, Class::F64, 9.3, false), 4e-16);
  EXPECT_LE(largestError("cospi", Double::cospi, Class::F64, 9.3, false), 4e-16);
}

TEST(Polynomials, OfSineKeepTheRelativeAccuracyOfSmallAngles) {
  EXPECT_LE(largestError("sinpi", Double::sinpi, Class::F32, 0.5, true), 7.6e-9);
  EXPECT_LE(largestError("sinpi", Double::sinpi, Class::F64, 0.5, true), 5e-16);
}

TEST(Polynomials, OfPowersAreRelativelyAccurateNearZeroTooWhereOneIsTakenAway) {
  const auto exp2 = [](double x) { return std::exp2(x); };
  EXPECT_LE(largestError("exp2", exp2, Class::F32, 30, true), 1.2e-8);
  EXPECT_LE(largestError("exp2", exp2, Class::F64, 30, true), 5e-16);
  EXPECT_LE(largestError("exp2m1", Double::exp2m1, Class::F32, 30, true), 3e-8);
  EXPECT_LE(largestError("exp2m1", Double::exp2m1, Class::F64, 30, true), 1e-15);
}
