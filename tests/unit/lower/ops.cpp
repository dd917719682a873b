// ops.cpp - every operation that lowering knows, against the IR evaluated in double.
#include "sum_call.h"
#include "tests/support/ir.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <random>

namespace facet::test {
namespace {

struct Case {
  const char *name;
  const char *body; // of `sum t`, from q.x, q.y, q.z, r.a, r.b (real) and r.w (wide), p.k
};

const Case cases[] = {
    {"Add", "%1 = add q.z, r.a"},
    {"Sub", "%1 = sub q.z, r.a"},
    {"Mul", "%1 = mul q.z, r.a"},
    {"Div", "%1 = mul r.b, r.b\n%2 = add %1, 2\n%3 = div q.z, %2"},
    {"Neg", "%1 = mul q.z, r.a\n%2 = neg %1"},
    {"Fma", "%1 = fma q.z, r.a, r.b"},
    {"Min", "%1 = min q.z, r.a"},
    {"Max", "%1 = max q.z, r.a"},
    {"Abs", "%1 = mul q.z, r.a\n%2 = abs %1"},
    {"Sqrt", "%1 = mul q.z, r.a\n%2 = abs %1\n%3 = sqrt %2"},
    {"Select", "%1 = less q.z, r.a\n%2 = select %1, r.b, q.z"},
    {"SelectNot", "%1 = less_equal r.a, q.z\n%2 = not %1\n%3 = select %2, r.b, q.z"},
    {"SelectAnd",
     "%1 = less q.z, r.a\n%2 = less q.y, r.b\n%3 = and %1, %2\n%4 = select %3, r.b, q.z"},
    {"SelectOr", "%1 = less q.z, r.a\n%2 = equal q.y, 0\n%3 = or %1, %2\n%4 = select %3, r.b, q.z"},
    {"Round", "%1 = mul q.z, r.a\n%2 = round %1"},
    {"RoundNegative", "%1 = mul q.z, r.a\n%2 = mul %1, -1000\n%3 = round %2"},
    {"NegateIfOdd", "%1 = mul q.z, r.a\n%2 = round %1\n%3 = negate_if_odd r.b, %2"},
    {"NegateRow", "%1 = mul q.y, r.a\n%2 = round %1\n%3 = negate_if_odd r.b, %2\n%4 = mul %3, q.z"},
    {"Scale2", "%1 = mul q.z, r.a\n%2 = round %1\n%3 = scale2 r.b, %2"},
    {"Scale2Column", "%1 = mul q.z, r.a\n%2 = round %1\n%3 = scale2 r.b, %2\n%4 = mul %3, q.y"},
    {"Exponent2", "%1 = mul q.z, q.z\n%2 = add %1, 0.125\n%3 = exponent2 %2\n%4 = mul %3, r.a"},
    {"Mantissa2", "%1 = mul q.z, q.z\n%2 = add %1, 0.125\n%3 = mantissa2 %2\n%4 = mul %3, r.a"},
    {"Edge", "%1 = mul q.z, q.z\n%2 = add %1, r.b\n%3 = abs %2\n%4 = edge r.a, %3, 0"},
    {"NegateIfNegative", "%1 = mul q.z, r.a\n%2 = negate_if_negative r.b, %1"},
    {"OrNan", "%1 = mul q.z, r.a\n%2 = or_nan %1, r.b"},
    {"WideBits",
     "%1 = widen q.z\n%2 = mul %1, r.w\n%3 = abs %2\n%4 = add %3, 0.125\n%5 = mantissa2 %4\n"
     "%6 = negate_if_negative %5, %2\n%7 = narrow %6"},
    {"Param", "%1 = mul q.z, p.k\n%2 = mul %1, r.a"},
    {"OnlyRecord", "%1 = mul r.a, r.b"},
    {"OnlyRow", "%1 = mul q.y, r.b"},
    {"OnlyAxes", "%1 = mul q.z, q.y"},
    {"WideRound",
     "%1 = widen q.z\n%2 = mul %1, r.w\n%3 = round %2\n%4 = sub %2, %3\n%5 = narrow %4\n"
     "%6 = negate_if_odd %5, %3"},
    {"WideRow",
     "%1 = widen q.y\n%2 = mul %1, r.w\n%3 = widen q.z\n%4 = fma %3, r.w, %2\n%5 = narrow %4"},
    {"Sharing", "%1 = fma q.z, r.a, r.b\n%2 = mul %1, %1\n%3 = sub %2, %1\n%4 = add %3, %2"},
};

/// Values are numbered from 1 in the order of their lines: the last is the real part.
std::string text(const Case &test, ir::GridKind grid) {
  const std::string body = test.body;
  const auto last = 1 + std::count(body.begin(), body.end(), '\n');
  return fmt::format("kernel @ops {{\n  record {{ a: real, b: real, w: real }}\n"
                     "  grid {0} {{ x: real, y: real, z: real }}\n  params {{ k }}\n"
                     "  pack t {{\n    %1 = mul t.a, 1\n    %2 = mul t.b, 1\n    %3 = widen t.w\n"
                     "    yield a = %1, b = %2, w = %3\n  }}\n"
                     "  sum t {{\n{1}\n%{3} = mul %{2}, q.x\n    yield re = %{2}, im = %{3}\n  }}\n"
                     "  finish {{\n    yield re = sum.re, im = sum.im\n  }}\n}}\n",
                     grid == ir::GridKind::Product ? "product" : "points", body, last, last + 1);
}

class Ops : public testing::TestWithParam<Case> {};

void check(const Case &test, const std::string &target, passes::Class klass, ir::GridKind grid) {
  SCOPED_TRACE(fmt::format("{} {} {}", target, static_cast<int>(klass), static_cast<int>(grid)));
  lower::SumKernel sum;
  sum.kernel = ir::read(text(test, grid), test.name);
  sum.variant = {grid, false, klass};
  sum.target = target;
  sum.knobs = {2, 1, 4};
  sum.symbol = "sum";
  const SumCall call(sum);

  std::mt19937 random(7);
  std::uniform_real_distribution<double> in(-3, 3);
  std::vector<ir::Point> points(5);
  for (ir::Point &point : points) {
    for (const char *name : {"a", "b", "w"}) // exact in single precision, halves now and then
      point.record[name] = {std::round(in(random) * 64) / 64};
    point.params["k"] = 0.75;
  }
  const int lanes = lower::pad(sum)[grid == ir::GridKind::Product ? 2 : 0];
  Grid q;
  for (int k = 0; k < 3; ++k) {
    const int n = grid == ir::GridKind::Points ? lanes : k == 2 ? lanes : k == 1 ? 3 : 1;
    for (int i = 0; i < n; ++i)
      q.re[k].push_back(std::round(in(random) * 64) / 64);
  }
  const std::size_t ny = grid == ir::GridKind::Points ? 1 : 3,
                    n = ny * static_cast<std::size_t>(lanes);
  std::vector<double> re(n, 0.5), im(n, -0.5);
  call(packRecords(sum, points), q, {0.75}, re, im);
  for (std::size_t p = 0; p < n; ++p) {
    const std::size_t z = p % static_cast<std::size_t>(lanes),
                      y = p / static_cast<std::size_t>(lanes);
    ir::Complex expected{0.5, -0.5};
    double size = 0.5;
    for (ir::Point point : points) {
      point.q = grid == ir::GridKind::Points ? ir::Vector{q.re[0][z], q.re[1][z], q.re[2][z]}
                                             : ir::Vector{q.re[0][0], q.re[1][y], q.re[2][z]};
      const ir::Complex term = ir::evaluateTerm(sum.kernel, point).front();
      expected += term;
      size += std::abs(term);
    }
    const double tolerance = size * (klass == passes::Class::F64 ? 1e-14 : 2e-6);
    EXPECT_NEAR(re[p], expected.real(), tolerance) << "point " << p;
    EXPECT_NEAR(im[p], expected.imag(), tolerance) << "point " << p;
  }
}

TEST_P(Ops, AgreesWithTheEvaluatorOnEveryTarget) {
  for (const std::string &target : targetsHere())
    check(GetParam(), target, passes::Class::F32Careful, ir::GridKind::Product);
  check(GetParam(), targetsHere().back(), passes::Class::F64, ir::GridKind::Points);
}

INSTANTIATE_TEST_SUITE_P(Lower, Ops, testing::ValuesIn(cases),
                         [](const auto &info) { return std::string(info.param.name); });

TEST(Lower, RefusesWhatNoPassHasReplaced) {
  lower::SumKernel sum;
  sum.kernel =
      ir::read(text({"Sin", "%1 = mul q.z, r.a\n%2 = sin %1"}, ir::GridKind::Product), "sin");
  sum.target = "sse41";
  sum.symbol = "sum";
  EXPECT_REFUSED(lower::emit(sum, lower::Form::Object, "/dev/null"), "cannot lower 'sin'");
}

TEST(Lower, RefusesUnknownTargets) {
  lower::SumKernel sum;
  sum.kernel = ir::read(text(cases[0], ir::GridKind::Product), "add");
  sum.target = "itanium";
  EXPECT_THROW(lower::emit(sum, lower::Form::Object, "/dev/null"), ir::Error);
}

} // namespace
} // namespace facet::test
