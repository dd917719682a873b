// parameters.cpp - values of parameters by name and type, and sums that are kept if only finish
// reads what has changed.
#include "fixture.h"
#include "runtime/engine/kernel/inside.h"
#include <atomic>
#include <utility>

namespace facet::test {
namespace {

using Complex = std::complex<double>;

std::vector<Complex> parsed(const std::string &text) {
  return parseParameter(text, "--param a=" + text).numbers;
}

TEST(Parameters, AreReadAsText) {
  EXPECT_EQ(parsed("0.3"), (std::vector<Complex>{0.3}));
  EXPECT_EQ(parsed("+3e-2"), (std::vector<Complex>{0.03}));
  EXPECT_EQ(parsed("0,-0.5,1"), (std::vector<Complex>{0, -0.5, 1}));
  EXPECT_EQ(parsed("1.5+0.1i"), (std::vector<Complex>{{1.5, 0.1}}));
  EXPECT_EQ(parsed("1e-2-1e+3i"), (std::vector<Complex>{{0.01, -1000}}));
  EXPECT_EQ(parsed("-i,2i,1-i"), (std::vector<Complex>{{0, -1}, {0, 2}, {1, -1}}));
  EXPECT_EQ(parseParameter("0.1:0.5:5", "").sweep, "0.1:0.5:5");
}

TEST(Parameters, ThatAreNoNumbersAreRefused) {
  for (const char *text : {"", "two", "1,", "1,,2", "1+2", "1i+2", "1+2j", "inf", "nan", "1e999",
                           "0x10", "1 ", "ii", "1++2i"})
    EXPECT_HAS(refusal([&] { parsed(text); }), "is not a finite number");
}

/// The fixture's kernel with parameters of every type beside its own.
facet_kernel_description described(const std::vector<facet_parameter> &parameters) {
  static const Kernel library = fixture();
  facet_kernel_description kernel = *library;
  kernel.parameters = parameters.data();
  kernel.parameter_count = static_cast<int>(parameters.size());
  kernel.param_count = 0;
  for (const facet_parameter &p : parameters)
    kernel.param_count += numberCount(p);
  return kernel;
}

constexpr double half[] = {0.5}, field[] = {0, 0, 1};

TEST(Parameters, HaveTypesAndDefaults) {
  const std::vector<facet_parameter> all = {{"kappa", 1, 0, 1, half},
                                            {"n", 1, 1, 1, nullptr},
                                            {"m", 3, 0, 1, field},
                                            {"e", 3, 1, 0, nullptr}};
  const facet_kernel_description description = described(all);
  const Kernel kernel(&description);
  const std::vector<Complex> e{0, {1, 2}, 3};
  EXPECT_EQ(kernel.parameters({{"n", Complex(1.5, 0.1)}, {"e", e}}),
            (std::vector<double>{0.5, 1.5, 0.1, 0, 0, 1, 0, 0, 1, 2, 3, 0}));
  EXPECT_EQ(kernel.parameters({{"n", std::vector<Complex>{1.5, 0.1}}, // as [1.5, 0.1] of TOML
                               {"e", e},
                               {"m", std::vector<Complex>{1, 2, 3}},
                               {"kappa", 7.0}}),
            (std::vector<double>{7, 1.5, 0.1, 1, 2, 3, 0, 0, 1, 2, 3, 0}));
  EXPECT_EQ(likelyParameters(description),
            (std::vector<double>{0.5, 1, 1, 0, 0, 1, 1, 1, 1, 1, 1, 1}));
  const auto refused = [&](const NamedParameters &named) {
    return refusal([&] { kernel.parameters(named); });
  };
  EXPECT_HAS(refused({{"n", 1.0}}), "parameter 'e' has no value");
  EXPECT_HAS(refused({{"n", 1.0}}), "--param e=0,1+2i,0, or [parameters] e = [0, [1, 2], 0]");
  EXPECT_HAS(refused({{"kappa", Complex(1, 2)}}), "parameter 'kappa' is a real: 1+2i is none");
  EXPECT_HAS(refused({{"n", std::vector<Complex>{1, 2, 3}}}), "'n' is a cplx: 1,2,3 is none");
  EXPECT_HAS(refused({{"n", 1.0}, {"m", 2.0}}), "parameter 'm' is a vec3: 2 is none");
  EXPECT_HAS(refused({{"n", 1.0}, {"m", e}}), "parameter 'm' is a vec3: 0,1+2i,3 is none");
  EXPECT_HAS(refused({{"n", 1.0}, {"e", 2.0}}), "parameter 'e' is a cvec3: 2 is none");
  EXPECT_HAS(refused({{"kapa", 1.0}}), "did you mean 'kappa'?");
  EXPECT_HAS(refused({{"kappa", parseParameter("0:1:3", "")}}),
             "parameter 'kappa' is swept, 0:1:3");
}

// A second parameter, a factor in finish, around the fixture's functions; sums are counted.
std::atomic<int> summed{0};
const facet_variant &original(std::size_t k) {
  static const Kernel library = fixture();
  return library->variants[k];
}
template <std::size_t K> int countedSum(const facet_sum_args *args) {
  ++summed;
  return original(K).sum(args);
}
template <std::size_t K>
void scaledFinish(const double *const *re, const double *const *im, const std::int64_t *stride,
                  std::int64_t n, const double *params, const double *totals,
                  const double *const *sums, double *const *f) {
  original(K).finish(re, im, stride, n, params, totals, sums, f);
  for (std::int64_t k = 0; k < n; ++k) {
    f[0][k] *= params[1];
    f[1][k] *= params[1];
  }
}
constexpr std::size_t variantsOfTheFixture = 12;
template <std::size_t... K> std::vector<facet_variant> counted(std::index_sequence<K...>) {
  std::vector<facet_variant> variants{original(K)...};
  ((variants[K].sum = countedSum<K>, variants[K].finish = scaledFinish<K>), ...);
  return variants;
}

TEST(Parameters, OfFinishAloneKeepTheSums) {
  const std::vector<facet_parameter> two = {{"kappa", 1, 0, 1, nullptr}, {"scale", 1, 0, 0, half}};
  facet_kernel_description description = described(two);
  ASSERT_EQ(static_cast<std::size_t>(description.variant_count), variantsOfTheFixture);
  const std::vector<facet_variant> variants =
      counted(std::make_index_sequence<variantsOfTheFixture>());
  description.variants = variants.data();
  const Grid grid = productGrid("0.1", "-2:2:13", "0.05:2:17");
  const Kernel kernel(&description);
  Plan plan(kernel, grid, torus(), in(FACET_F64));
  const auto sums = [&](const std::vector<double> &params, double factor) {
    Plan fresh(kernel, grid, torus(), in(FACET_F64));
    auto expected = fresh.execute({params[0], 1});
    for (auto &f : expected)
      f *= factor;
    summed = 0;
    EXPECT_LT(difference(plan.execute(params), expected), 1e-15) << params[0] << " " << params[1];
    EXPECT_EQ(plan.last().keptSums, summed == 0);
    return summed.load();
  };
  const int all = sums({1, 2}, 2);
  EXPECT_GT(all, 0);
  EXPECT_EQ(sums({1, 3}, 3), 0);
  EXPECT_EQ(sums({1, -0.25}, -0.25), 0);
  EXPECT_EQ(sums({2, -0.25}, -0.25), all);
  EXPECT_EQ(sums({2, -0.25}, -0.25), all); // the same once more: summed again, as for timings
  EXPECT_EQ(sums({3, 5}, 5), all);
  EXPECT_EQ(sums({3, 6}, 6), 0);
  plan.setRotation({1, 0, 0, 0, 1, 0, 0, 0, 1});
  EXPECT_EQ(sums({3, 7}, 7), all);
}

} // namespace
} // namespace facet::test
