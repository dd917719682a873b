// vocabulary.cpp - the words of the language mean what docs/language.md says.
#include <complex>
#include <facet/dsl.h>
#include <gtest/gtest.h>
#include <type_traits>

namespace {

using standard = std::complex<double>;
standard of(facet::cplx z) { return {z.re, z.im}; }

template <class A, class B> constexpr bool same = std::is_same_v<A, B>;

void expectNear(facet::cplx a, standard b, double relative = 4e-16) {
  EXPECT_LE(std::abs(of(a) - b), relative * std::abs(b)) << of(a) << " and " << b;
}

const facet::cplx samples[] = {{0.3, -0.2}, {-2, 1e-9}, {-1, -3}, {1e-12, 1e-12}, {5, 0}, {0, -7}};

TEST(Vocabulary, ElementaryFunctionsOfComplexNumbersAgreeWithTheStandardLibrary) {
  for (const facet::cplx z : samples) {
    expectNear(facet::sqrt(z), std::sqrt(of(z)));
    expectNear(facet::exp(z), std::exp(of(z)));
    expectNear(facet::sin(z), std::sin(of(z)));
    expectNear(facet::cos(z), std::cos(of(z)));
    expectNear(1.0 / z, 1.0 / of(z));
    expectNear(facet::cplx(2, 1) / z, standard(2, 1) / of(z), 8e-16);
    expectNear(facet::cis(z), std::exp(standard(0, 1) * of(z)));
    EXPECT_DOUBLE_EQ(facet::abs(z), std::abs(of(z)));
  }
}

TEST(Vocabulary, RootOfANegativeNumberIsOnThePositiveImaginaryAxis) {
  const facet::cplx root = facet::sqrt(facet::cplx(-4));
  EXPECT_EQ(root.re, 0);
  EXPECT_EQ(root.im, 2);
}

TEST(Vocabulary, PositiveImaginaryPartsDamp) {
  EXPECT_LT(facet::abs(facet::cis(facet::cplx(1, 2))), 1);
}

TEST(Vocabulary, Cism1KeepsItsDigitsNearZero) {
  const facet::cplx small = facet::cism1(1e-9);
  EXPECT_DOUBLE_EQ(small.re, -5e-19);
  EXPECT_DOUBLE_EQ(small.im, 1e-9);
  const facet::cplx damped = facet::cism1(facet::cplx(0, 1e-12));
  EXPECT_DOUBLE_EQ(damped.re, std::expm1(-1e-12));
  expectNear(facet::cism1(facet::cplx(2, 0.5)), std::exp(standard(-0.5, 2)) - 1.0);
}

TEST(Vocabulary, SincKeepsItsDigitsNearZero) {
  EXPECT_EQ(facet::sinc(0.0), 1);
  EXPECT_EQ(facet::sinc(1e-300), 1);
  EXPECT_DOUBLE_EQ(facet::sinc(2.0), std::sin(2.0) / 2);
  EXPECT_EQ(facet::sinc(facet::cplx(0)).re, 1);
  for (const facet::cplx z : samples)
    expectNear(facet::sinc(z), std::sin(of(z)) / of(z), 1e-15);
  for (const double size : {0.9e-3, 1.1e-3}) // on both sides of where the series ends
    expectNear(facet::sinc(facet::cplx(0.8, 0.6) * size),
               std::sin(standard(0.8, 0.6) * size) / (standard(0.8, 0.6) * size), 1e-15);
}

TEST(Vocabulary, RealFunctionsAreThoseOfTheStandardLibrary) {
  EXPECT_EQ(facet::log(2.5), std::log(2.5));
  EXPECT_EQ(facet::erf(0.3), std::erf(0.3));
  EXPECT_EQ(facet::erfc(12.0), std::erfc(12.0));
  EXPECT_EQ(facet::pow(2.5, -0.3), std::pow(2.5, -0.3));
  EXPECT_EQ(facet::atan2(-1.0, -2.0), std::atan2(-1.0, -2.0));
}

TEST(Vocabulary, DotConjugatesNothingAndNormIsHermitian) {
  const facet::cvec3 v(facet::i, 2, 0);
  EXPECT_EQ(facet::dot(v, v).re, 3); // i^2 + 4
  EXPECT_EQ(facet::dot(facet::conj(v), v).re, 5);
  EXPECT_EQ(facet::norm2(v), 5);
}

TEST(Vocabulary, MatricesAreOfRows) {
  const facet::mat3 a({1, 2, 3}, {0, 1, 4}, {5, 6, 0}), b({2, 0, 1}, {1, 1, 0}, {0, 3, 1});
  const facet::vec3 v(1, -1, 2), w(3, 0, 1);
  EXPECT_EQ((a * v).x, 5);
  EXPECT_EQ((a * facet::cvec3(v) * facet::i).y.im, 7);
  EXPECT_EQ((a * b).x.y, 11);
  EXPECT_EQ((a * b).z.x, 16);
  EXPECT_EQ(dot(w, a * v), dot(transpose(a) * w, v));
  EXPECT_EQ((outer(v, w) * v).z, 2 * dot(w, v));
  EXPECT_EQ((2 * a - a / 2 + -b).y.z, 6);
}

TEST(Vocabulary, QIsAVectorOfTheNarrowestType) {
  using Real = facet::product<facet::real, facet::fixed<1>, facet::fixed<3>>::q;
  using Mixed = facet::points<facet::real, facet::real, facet::fixed<4, facet::cplx>>::q;
  const facet::vec3 n(1, 2, 3);
  EXPECT_TRUE((same<decltype(dot(Real(), n)), facet::real>));
  EXPECT_TRUE((same<decltype(dot(Mixed(), n)), facet::cplx>));
  EXPECT_TRUE((same<decltype(dot(conj(Mixed()), Mixed())), facet::cplx>));
  EXPECT_TRUE((same<decltype(norm2(Mixed())), facet::real>));
  EXPECT_TRUE((same<decltype(2 * Real()), facet::vec3>));
  EXPECT_TRUE((same<decltype(Mixed() / 2), facet::cvec3>));
  EXPECT_TRUE((same<decltype(Mixed().x), facet::real>));
  EXPECT_TRUE((same<decltype(Mixed().z), facet::cplx>));
}

TEST(Vocabulary, ChoicesJoinRealsAndComplexNumbers) {
  const facet::cplx z(1, 2);
  EXPECT_EQ(facet::select(false, z, 1).re, 1);
  EXPECT_EQ((true ? z : 0).im, 2);
  EXPECT_EQ(facet::select(1 < 2, 3.0, 4), 3);
}

} // namespace
