// functions.cpp - the elementary functions that sums compute, as machine code of every target here.
// They are compared with long double over their whole range: at random, at the edges of what their
// formulas distinguish, and beside their zeros. The errors are those that docs/accuracy.md states.
#include "codegen/passes/passes.h"
#include "sum_call.h"
#include "tests/support/ir.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <limits>
#include <numbers>
#include <random>

namespace facet::test {
namespace {

using Extended = long double;
constexpr double infinity = std::numeric_limits<double>::infinity();

struct Arguments {
  double x = 0, y = 0;
};

/// Where to measure: sizes from 2^low to 2^high, of both signs or positive; more places beside it.
struct Range {
  double low, high;
  bool negative;
  std::vector<double> near;
};

struct Function {
  const char *name;
  std::string op; // of %1 = q.x and %2 = q.y, times a column that is 1
  Extended (*want)(Extended x, Extended y);
  Extended (*scale)(Extended value, Extended x); // what the error is relative to
  double f32, f64;                               // the error allowed, in units of 2^-23 and 2^-52
  Range single, whole;                           // for f32, f64
  bool two = false;
};

Extended relative(Extended value, Extended) { return std::abs(value); }
/// For sinc: as of the sine, whose argument is rounded.
Extended absolute(Extended, Extended) { return 1; }

Extended sincOf(Extended x, Extended) { return x == 0 ? 1 : std::sin(x) / x; }
template <int Numerator, int Denominator> Extended power(Extended x, Extended) {
  return std::pow(x, static_cast<Extended>(static_cast<double>(Numerator) / Denominator));
}

const std::vector<double> nearOne = {1, std::numbers::sqrt2, std::numbers::sqrt2 / 2, 2, 0.5};
std::vector<double> multiplesOfPi() {
  std::vector<double> at;
  for (int k = 1; k < 40; ++k)
    at.push_back(k * std::numbers::pi);
  return at;
}

const Function functions[] = {
    {"log",
     "log %1",
     [](Extended x, Extended) { return std::log(x); },
     relative,
     3,
     4,
     {-126, 127.9, false, nearOne},
     {-1022, 1023.9, false, nearOne}},
    {"erf",
     "erf %1",
     [](Extended x, Extended) { return std::erf(x); },
     relative,
     3,
     4,
     {-120, 127, true, {1, 4}},
     {-1000, 1023, true, {1, 4}}},
    {"erfc",
     "erfc %1",
     [](Extended x, Extended) { return std::erfc(x); },
     relative,
     8,
     10,
     {-120, 3.19, true, {0.5, 4, 9}},
     {-1000, 4.72, true, {0.5, 4, 26}}},
    {"pow_third",
     "pow %1, 0.3333333333333333",
     power<1, 3>,
     relative,
     4,
     4,
     {-126, 127.9, false, nearOne},
     {-1022, 1023.9, false, nearOne}},
    {"pow_minus",
     "pow %1, -2.3",
     power<-23, 10>,
     relative,
     6,
     8,
     {-54, 54, false, nearOne},
     {-440, 440, false, nearOne}},
    {"pow_large",
     "pow %1, 20.25",
     power<81, 4>,
     relative,
     40,
     60,
     {-6, 6, false, nearOne},
     {-50, 50, false, nearOne}},
    {"sinc",
     "sinc %1",
     sincOf,
     absolute,
     3,
     3,
     {-149, 12, true, multiplesOfPi()},
     {-1000, 20, true, multiplesOfPi()}},
    {"atan2",
     "atan2 %1, %2",
     [](Extended y, Extended x) { return std::atan2(y, x); },
     relative,
     4,
     4,
     {-60, 60, true, {1, 0.5}},
     {-500, 500, true, {1, 0.5}},
     true},
};

/// The op after all passes, for points.
lower::SumKernel functionSum(const std::string &op, passes::Class klass,
                             const std::string &target) {
  lower::SumKernel sum;
  sum.variant = {ir::GridKind::Points, false, klass};
  const ir::Kernel source =
      ir::read(kernelIr("record { a: real } grid points { x: real, y: real, z: real }",
                        "%1 = mul q.x, t.a  %2 = mul q.y, t.a  %3 = " + op + " yield %3"),
               op);
  sum.kernel = passes::run(source, sum.variant);
  sum.target = target;
  sum.symbol = "sum";
  return sum;
}

/// The values of an op at arguments, by machine code.
std::vector<double> valuesOf(const lower::SumKernel &sum, const std::vector<Arguments> &at) {
  const auto lanes = static_cast<std::size_t>(lower::pad(sum)[0]);
  const std::size_t n = (at.size() + lanes - 1) / lanes * lanes;
  Grid q;
  for (std::size_t k = 0; k < n; ++k) {
    const Arguments &argument = at[std::min(k, at.size() - 1)];
    q.re[0].push_back(argument.x);
    q.re[1].push_back(argument.y);
    q.re[2].push_back(0);
  }
  ir::Point one;
  one.record["a"] = {1};
  std::vector<double> re(n), im(n);
  const SumCall call(sum);
  call(packRecords(sum, {one}), q, {}, re, im);
  re.resize(at.size());
  return re;
}

/// Arguments that are numbers of the class.
std::vector<Arguments> drawn(const Function &function, bool single) {
  const Range &range = single ? function.single : function.whole;
  std::mt19937_64 engine(17);
  std::uniform_real_distribution<double> power(range.low, range.high), part(-1, 1);
  std::vector<Arguments> all;
  const auto take = [&](double x, double y) {
    if (single)
      x = static_cast<float>(x), y = static_cast<float>(y);
    all.push_back({x, y});
  };
  const auto sized = [&] {
    const double size = std::exp2(power(engine));
    return range.negative && part(engine) < 0 ? -size : size;
  };
  for (int k = 0; k < 4000; ++k) {
    const double x = sized();
    take(x, sized());
    take(x, x * (1 + part(engine) * 0.01)); // beside the diagonal
  }
  for (const double place : range.near)
    for (int k = 0; k < 300; ++k) {
      const double x = place * (1 + part(engine) * std::exp2(-k / 5.0)), y = part(engine);
      take(x, y);
      if (range.negative)
        take(-x, y);
    }
  for (int k = 0; k < 1000; ++k) // of a middle size
    take(range.negative ? 5 * part(engine) : std::exp2(3 * part(engine)), 5 * part(engine));
  return all;
}

class Functions : public testing::TestWithParam<std::tuple<int, passes::Class>> {};

TEST_P(Functions, KeepTheirStatedErrorOnEveryTarget) {
  const auto &[index, klass] = GetParam();
  const Function &function = functions[index];
  const bool single = klass != passes::Class::F64;
  const std::vector<Arguments> at = drawn(function, single);
  const Extended unit = single ? 0x1p-23L : 0x1p-52L;
  for (const std::string &target : targetsHere()) {
    const std::vector<double> values = valuesOf(functionSum(function.op, klass, target), at);
    Extended worst = 0;
    Arguments where;
    for (std::size_t k = 0; k < at.size(); ++k) {
      const Extended want = function.want(at[k].x, at[k].y);
      if (std::abs(want) < (single ? 0x1p-126L : 0x1p-1022L))
        continue; // below the normal numbers: see Edges
      const Extended off = std::abs(values[k] - want) / (function.scale(want, at[k].x) * unit);
      const Extended error = std::isnan(off) ? infinity : off;
      if (error > worst)
        worst = error, where = at[k];
    }
    RecordProperty(target, fmt::format("{:.2f}", static_cast<double>(worst)));
    EXPECT_LE(worst, single ? function.f32 : function.f64)
        << target << " at " << fmt::format("{:.17g}, {:.17g}", where.x, where.y);
  }
}

INSTANTIATE_TEST_SUITE_P(Lower, Functions,
                         testing::Combine(testing::Range(0, static_cast<int>(std::size(functions))),
                                          testing::Values(passes::Class::F32,
                                                          passes::Class::F32Careful,
                                                          passes::Class::F64)),
                         [](const auto &info) {
                           std::string klass(passes::spelling(std::get<1>(info.param)));
                           std::ranges::replace(klass, '-', '_');
                           return fmt::format("{}_{}", functions[std::get<0>(info.param)].name,
                                              klass);
                         });

struct EdgeCase {
  std::string op;
  Arguments at;
  double want, allowed = 0; // relative; 0: the very value
};

/// What is used of a class: its smallest number, one below the normal ones, four eps.
struct Limits {
  explicit Limits(bool single)
      : tiny(single ? 0x1p-149 : 0x1p-1074), denormal(single ? 0x1p-130 : 0x1p-1040),
        eps(single ? 4 * 0x1p-23 : 4 * 0x1p-52) {}
  double tiny, denormal, eps, nan = std::nan("");
};

std::vector<EdgeCase> edgesOfExponentials(const Limits &of) {
  const auto &[tiny, denormal, eps, nan] = of;
  return {{"log %1", {0}, -infinity},
          {"log %1", {-0.0}, -infinity},
          {"log %1", {1}, 0},
          {"log %1", {-1}, nan},
          {"log %1", {-infinity}, nan},
          {"log %1", {infinity}, infinity},
          {"log %1", {nan}, nan},
          {"log %1", {tiny}, std::log(tiny), eps},
          {"log %1", {3 * denormal}, std::log(3 * denormal), eps},
          {"erf %1", {0}, 0},
          {"erf %1", {infinity}, 1},
          {"erf %1", {-infinity}, -1},
          {"erf %1", {-30}, -1},
          {"erf %1", {nan}, nan},
          {"erfc %1", {0}, 1, eps},
          {"erfc %1", {infinity}, 0},
          {"erfc %1", {-infinity}, 2},
          {"erfc %1", {1e30}, 0},
          {"erfc %1", {-1e30}, 2},
          {"erfc %1", {nan}, nan},
          {"pow %1, 0.3", {0}, 0},
          {"pow %1, -0.3", {0}, infinity},
          {"pow %1, 0.3", {infinity}, infinity},
          {"pow %1, -0.3", {infinity}, 0},
          {"pow %1, 0.3", {-2}, nan},
          {"pow %1, 0.3", {nan}, nan},
          {"pow %1, 0.3", {1}, 1, eps},
          {"pow %1, 0.3", {3 * denormal}, std::pow(3 * denormal, 0.3), eps}};
}

std::vector<EdgeCase> edgesOfAngles(const Limits &of) {
  const auto &[tiny, denormal, eps, nan] = of;
  constexpr double pi = std::numbers::pi;
  return {{"sinc %1", {0}, 1, eps},
          {"sinc %1", {-0.0}, 1, eps},
          {"sinc %1", {tiny}, 1, eps},
          {"sinc %1", {1e30}, 0},
          {"sinc %1", {infinity}, 0},
          {"sinc %1", {nan}, nan},
          {"atan2 %1, %2", {0, 0}, 0},
          {"atan2 %1, %2", {0, 1}, 0},
          {"atan2 %1, %2", {0, -1}, pi, eps},
          {"atan2 %1, %2", {-0.0, -1}, -pi, eps},
          {"atan2 %1, %2", {1, 0}, pi / 2, eps},
          {"atan2 %1, %2", {-1, 0}, -pi / 2, eps},
          {"atan2 %1, %2", {1, -0.0}, pi / 2, eps},
          {"atan2 %1, %2", {tiny, -1}, pi, eps},
          {"atan2 %1, %2", {-tiny, -1}, -pi, eps},
          {"atan2 %1, %2", {tiny, tiny}, pi / 4, eps},
          {"atan2 %1, %2", {infinity, 1}, pi / 2, eps},
          {"atan2 %1, %2", {-1, -infinity}, -pi, eps},
          {"atan2 %1, %2", {nan, 1}, nan},
          {"atan2 %1, %2", {1, nan}, nan}};
}

TEST(Lower, FunctionsAreWhatIsStatedAtTheEdges) {
  for (const passes::Class klass : {passes::Class::F32, passes::Class::F64})
    for (const std::string &target : targetsHere()) {
      const Limits limits(klass != passes::Class::F64);
      std::map<std::string, std::vector<EdgeCase>> byOp;
      for (const auto &some : {edgesOfExponentials(limits), edgesOfAngles(limits)})
        for (const EdgeCase &edge : some)
          byOp[edge.op].push_back(edge);
      for (const auto &[op, cases] : byOp) {
        std::vector<Arguments> at;
        for (const EdgeCase &edge : cases)
          at.push_back(edge.at);
        const std::vector<double> values = valuesOf(functionSum(op, klass, target), at);
        for (std::size_t k = 0; k < cases.size(); ++k) {
          const double want = cases[k].want;
          const bool same = std::isnan(want)
                                ? std::isnan(values[k])
                                : values[k] == want || std::abs(values[k] - want) <=
                                                           cases[k].allowed * std::abs(want);
          EXPECT_TRUE(same) << op << " at " << at[k].x << ", " << at[k].y << " on " << target << " "
                            << passes::spelling(klass) << " is " << values[k] << ", not " << want;
        }
      }
    }
}

} // namespace
} // namespace facet::test
