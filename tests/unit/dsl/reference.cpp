// reference.cpp - the reference of any kernel: loading, compensation, parameters, bounds.
#include <facet/abi.h>
#include <facet/reference.h>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

namespace {

using facet::cplx;
using facet::real;

struct Atom { // a record that is no triangle
  real weight;
  facet::vec3 place;
};

struct FACET_KERNEL debye {
  using Grid = facet::points<real, facet::fixed<3>, cplx>;
  struct Params {
    real kappa, scale;
  };
  static cplx term(const Grid::q &q, Atom t, const Params &p) {
    return t.weight * exp(-p.kappa * t.weight) * cis(dot(q, t.place));
  }
  static cplx finish(Grid::q q, cplx sum, Params p) { return p.scale * sum / (1 + norm2(q)); }
  static real origin(const Atom &t, const Params &p) { return t.weight * p.scale; }
};

struct FACET_KERNEL plain { // no parameters, no origin; real sums, not linear in the end
  using Grid = facet::product<>;
  static real term(Grid::q, const Atom &t) { return t.weight; }
  static real finish(Grid::q q, cplx sum) { return norm2(sum) + q.x; }
};

struct FACET_KERNEL several { // a complex sum, a real one, and a vector
  using Grid = facet::product<>;
  struct Sums {
    cplx n;
    real w;
    facet::vec3 m;
  };
  static Sums term(Grid::q q, const Atom &t) {
    return {t.weight * facet::cis(q.x * t.place.x), t.weight, t.place};
  }
  static cplx finish(Grid::q, const Sums &s) { return 2 * s.n - 3 * s.w + 5 * s.m.z; }
};

struct FACET_KERNEL named { // outputs by name, one of them real
  using Grid = facet::product<>;
  struct Outputs {
    cplx twice;
    real square;
  };
  static cplx term(Grid::q q, const Atom &t) { return t.weight * facet::cis(q.x * t.place.x); }
  static Outputs finish(Grid::q, cplx s) { return {2 * s, facet::norm2(s)}; }
};

// What generated text looks like.
struct debye_columns {
  static void record(facet::record_of<debye> &t, const double *const *columns, long k) {
    t.weight = columns[0][k];
    t.place.x = columns[1][k];
    t.place.z = columns[2][k];
  }
  static void params(facet::params_of<debye> &p, const double *values) {
    p.kappa = values[0];
    p.scale = values[1];
  }
};
struct plain_columns {
  static void record(facet::record_of<plain> &t, const double *const *columns, long k) {
    t.weight = columns[0][k];
  }
  static void params(facet::params_of<plain> &, const double *) {}
};

constexpr facet_reference_fn asInTheAbi = facet::reference<debye, debye_columns>;
constexpr facet_origin_fn originAsInTheAbi = facet::origin<debye, debye_columns>;

TEST(Reference, LoadsNamedColumnsParametersAndComplexQ) {
  const std::vector<double> weight{1, 2}, x{0.5, -1}, z{2, 3};
  const double *const columns[] = {weight.data(), x.data(), z.data()};
  const double q[] = {0.3, 9, 0, 0, 0.7, 0.1, /* and */ 0, 0, 0, 0, 0, 0};
  const double params[] = {0.25, 10};
  double f[4], sumAbs[2], factor[2];
  asInTheAbi(q, 2, columns, 2, params, f, sumAbs, factor);
  cplx expected = 0; // the imaginary part of q.x is none of this kernel's
  for (std::size_t k = 0; k < 2; ++k)
    expected = expected + weight[k] * std::exp(-0.25 * weight[k]) *
                              facet::cis(0.3 * x[k] + cplx(0.7, 0.1) * z[k]);
  const double divisor = 1 + 0.09 + 0.49 + 0.01;
  EXPECT_NEAR(f[0], 10 * expected.re / divisor, 1e-14);
  EXPECT_NEAR(f[1], 10 * expected.im / divisor, 1e-14);
  EXPECT_NEAR(f[2], 10 * (std::exp(-0.25) + 2 * std::exp(-0.5)), 1e-14);
  EXPECT_NEAR(sumAbs[1], std::exp(-0.25) + 2 * std::exp(-0.5), 1e-15);
  EXPECT_NEAR(factor[0], 10 / divisor, 1e-12);
  originAsInTheAbi(columns, 2, params, f);
  EXPECT_EQ(f[0], 30);
  EXPECT_EQ(f[1], 0);
}

TEST(Reference, SumsAreCompensated) {
  const std::vector<double> weight{1e16, 1, -1e16, 1, 1e-3};
  const auto records = [&](long k) { return Atom{weight[static_cast<std::size_t>(k)], {}}; };
  const auto value = facet::evaluate<plain>({0, 0, 0}, records, 5);
  EXPECT_DOUBLE_EQ(value.f.re, 2.001 * 2.001);
  EXPECT_DOUBLE_EQ(value.sum_abs, 2e16);
}

TEST(Reference, FactorOfASquareIsTwiceTheSum) {
  const auto records = [](long k) { return Atom{real(k + 1), {}}; };
  EXPECT_NEAR(facet::evaluate<plain>({0, 0, 0}, records, 3).factor[0], 12, 1e-10);
}

TEST(Reference, SumsEachComponent) {
  const std::vector<Atom> atoms{{1e16, {0, 0, 0.25}}, {1, {0, 0, -2}}, {-1e16, {0, 0, 1}}};
  const auto records = [&](long k) { return atoms[static_cast<std::size_t>(k)]; };
  const auto value = facet::evaluate<several>({0, 0, 0}, records, 3);
  EXPECT_EQ(value.f.re, 2 * 1 - 3 * 1 + 5 * -0.75); // compensated
  EXPECT_EQ(value.f.im, 0);
  EXPECT_DOUBLE_EQ(value.sum_abs, 2 * (2e16 + 1) + 3.25);
  // The bound is that of the components: 2 sum |n| + 3 sum |w| + 5 sum |m.z|.
  EXPECT_NEAR(value.sum_abs * value.factor[0], 5 * (2e16 + 1) + 5 * 3.25, 1e6);
}

TEST(Reference, HasEachOutputWithItsFactor) {
  const auto records = [](long k) { return Atom{real(k + 1), {}}; };
  const auto value = facet::evaluate<named>({0, 0, 0}, records, 3);
  EXPECT_EQ(value.f.twice.re, 12);
  EXPECT_EQ(value.f.square, 36);
  EXPECT_NEAR(value.factor[0], 2, 1e-12);
  EXPECT_NEAR(value.factor[1], 12, 1e-10); // that of a square
  EXPECT_EQ(facet::outputs_of<named>, 2);
  EXPECT_EQ(facet::outputs_of<plain>, 1);
}

TEST(Reference, NoRecordsIsAnEmptySum) {
  const auto value = facet::evaluate<plain>({2, 0, 0}, [](long) { return Atom{}; }, 0);
  EXPECT_EQ(value.f.re, 2);
  EXPECT_EQ(value.sum_abs, 0);
}

TEST(Reference, KnowsWhetherThereIsAnOrigin) {
  EXPECT_TRUE(facet::has_origin<debye>);
  EXPECT_FALSE(facet::has_origin<plain>);
}

TEST(Reference, NotANumberIsNotHidden) {
  const auto records = [](long) { return Atom{std::numeric_limits<double>::quiet_NaN(), {}}; };
  EXPECT_TRUE(std::isnan(facet::evaluate<plain>({0, 0, 0}, records, 2).f.re));
}

} // namespace
