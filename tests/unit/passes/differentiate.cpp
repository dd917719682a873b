// differentiate.cpp - derivatives of kernels drawn at random against differences; what differentiate adds to the operations keeps
// its digits wherever phases meet; what has no derivative is refused.
#include "codegen/passes/differentiate.h"
#include "kernels.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <random>

using namespace facet;
using namespace facet::passes;

namespace {

/// F where the point has gone `by` along what its columns d_NAME and parameters d_NAME say.
std::vector<ir::Complex> moved(const ir::Kernel &kernel, ir::Point point, double by) {
  for (auto &[name, value] : point.record)
    if (const auto change = point.record.find("d_" + name); change != point.record.end())
      for (std::size_t k = 0; k < 3; ++k)
        value[k] += by * change->second[k];
  for (auto &[name, value] : point.params)
    if (const auto change = point.params.find("d_" + name); change != point.params.end())
      value += by * change->second;
  return composed(kernel, point);
}

/// What F changes by, from five points: errors of the fourth power of the step, and of rounding over it.
std::vector<ir::Complex> differences(const ir::Kernel &kernel, const ir::Point &point) {
  constexpr double h = 5e-4;
  const auto far = moved(kernel, point, 2 * h), near = moved(kernel, point, h),
             back = moved(kernel, point, -h), last = moved(kernel, point, -2 * h);
  std::vector<ir::Complex> made;
  for (std::size_t o = 0; o < far.size(); ++o)
    made.push_back((8.0 * (near[o] - back[o]) - (far[o] - last[o])) / (12 * h));
  return made;
}

void expectDifferences(const ir::Kernel &kernel, const std::string &what) {
  const ir::Kernel tangent = tangentOf(kernel);
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const ir::Point point = ir::randomPoint(tangent, seed);
    const std::vector<ir::Complex> want = differences(kernel, point),
                                   made = composed(tangent, point);
    ASSERT_EQ(made.size(), want.size()) << what;
    for (std::size_t o = 0; o < want.size(); ++o)
      ASSERT_LE(std::abs(made[o] - want[o]), 1e-5 * (1 + std::abs(want[o])))
          << what << ", point " << seed << "\n"
          << ir::print(kernel) << ir::print(tangent);
  }
}

/// The three means as the last pass leaves them, of phases p.a0, p.a1, p.a2.
ir::Kernel meansKernel(const std::string &yield, bool complex) {
  std::string params, values;
  for (int k = 0; k < 3; ++k) {
    params += fmt::format("{}a{}: {}", k ? ", " : "", k, complex ? "cplx" : "real");
    if (complex)
      values += fmt::format("%{} = complex p.a{}.re, p.a{}.im\n", k + 1, k, k);
  }
  return ir::read(test::kernelIr("record { w: real } grid points { x: real, y: real, z: real } "
                                 "params { " + params + " }", values + yield),
                  "means");
}

} // namespace

// More kernels: FACET_RANDOM_KERNELS=5000; from another seed on: FACET_RANDOM_SEED=1000.
TEST(Tangent, OfKernelsDrawnIsTheirDifference) {
  const int first = number("FACET_RANDOM_SEED", 1), kernels = number("FACET_RANDOM_KERNELS", 300);
  for (int seed = first; seed < first + kernels; ++seed) {
    expectDifferences(randomKernel(static_cast<std::uint64_t>(seed), 4 + seed % 24),
                      fmt::format("seed {}", seed));
    ASSERT_FALSE(testing::Test::HasFatalFailure());
  }
}

TEST(Tangent, OfKernelsOfWavesGoesThroughEveryPass) {
  const int first = number("FACET_RANDOM_SEED", 1), kernels = number("FACET_RANDOM_KERNELS", 60);
  for (int seed = first; seed < first + kernels; ++seed) {
    const ir::Kernel kernel = lowRankKernel(static_cast<std::uint64_t>(seed));
    expectDifferences(kernel, fmt::format("waves, seed {}", seed));
    const Variant variant = allVariants()[static_cast<std::size_t>(seed) % allVariants().size()];
    EXPECT_NO_THROW(run(tangentOf(kernel), variant, {.check = variant.klass == Class::F64}))
        << seed;
  }
}

TEST(Tangent, OfEachOperationIsItsDifference) {
  const std::string head = "record { a: real, b: real, v: vec3 } grid points { x: real, y: cplx, z: real }";
  for (const std::string value :
       {"min t.a, t.b", "max t.a, t.b", "fma t.a, t.b, q.x", "norm t.v", "norm2 t.v", "abs t.a",
        "expm1 t.a", "sqrt t.a", "log t.a", "pow t.a, 2.5", "pow t.a, 0", "erf t.a", "erfc t.a",
        "atan2 t.a, t.b", "sinc t.a", "div t.a, t.b", "sin t.a", "cos t.b", "exp t.a", "cis t.a",
        "csqrt t.a", "cism1 t.b", "mean_cis t.a, t.b, q.x", "mean_cism1 t.a, t.b, q.x"})
    expectDifferences(ir::read(test::kernelIr(head, "%1 = " + value + " yield %1"), "k"), value);
  for (const std::string value :
       {"abs %1", "norm2 %1", "csqrt %1", "sinc %1", "cis %1", "cism1 %1", "sin %1", "cos %1",
        "exp %1", "conj %1", "im %1", "div t.b, %1", "mean_cis %1, t.b, q.y"})
    expectDifferences(ir::read(test::kernelIr(head, "%1 = complex t.a, t.b %2 = " + value + " yield %2"), "k"),
                      "complex " + value);
  for (const std::string value :
       {"cross t.v, q", "mul t.v, t.a", "div t.v, q.y", "conj q", "select %0, t.v, q", "vec t.a, t.b, 1"})
    expectDifferences(
        ir::read(test::kernelIr(head, fmt::format("%9 = less t.a, t.b %1 = {} %2 = dot %1, t.v "
                                                  "%3 = component.y %1 %4 = mul %2, %3 yield %4",
                                                  value == "select %0, t.v, q" ? "select %9, t.v, q" : value)),
                 "k"),
        value);
}

TEST(Tangent, OfWhatFinishMakesOfTheSums) {
  const std::string head = "record { a: real, v: vec3 } grid points { x: real, y: real, z: cplx } params { k: real, n: cplx }";
  for (const std::string finish :
       {"%1 = norm2 sum yield %1", "%1 = abs sum %2 = mul %1, sum yield %2",
        "%1 = conj sum %2 = mul p.k, %1 yield %2", "%1 = complex p.n.re, p.n.im %2 = exp sum %3 = mul %1, %2 yield %3",
        "%1 = re sum %2 = im sum yield f = sum, g = %1, h = %2", "yield p.k"})
    expectDifferences(ir::read(test::kernelIr(head, "%1 = dot q, t.v %2 = mul t.a, p.k %3 = cis %1 %4 = mul %2, %3 yield %4",
                                              finish),
                               "k"),
                      finish);
}

TEST(Tangent, HasTheBranchThatIsTaken) {
  // At a = 0 the modulus, at a = b min and max: of what is yielded.
  for (const auto &[value, want] : {std::pair{"abs t.a", 1.0}, {"min t.a, t.b", 1.0}, {"max t.a, t.b", 1.0},
                                    {"norm t.v", 0.0}}) {
    const ir::Kernel kernel = tangentOf(ir::read(
        test::kernelIr("record { a: real, b: real, v: vec3 } grid points { x: real, y: real, z: real }",
                       std::string("%1 = ") + value + " yield %1"),
        "k"));
    ir::Point point = ir::randomPoint(kernel, 1);
    point.record["a"] = point.record["b"] = point.record["v"] = {};
    point.record["d_a"] = {1};
    point.record["d_b"] = {2};
    EXPECT_EQ(composed(kernel, point).front(), want) << value;
  }
}

TEST(Tangent, IsReadBackAsPrinted) {
  for (const char *name : {"born", "exact", "magnetic", "resonant", "plasmon_pole", "atoms"}) {
    const std::string text = ir::print(tangentOf(example(name)));
    EXPECT_EQ(ir::print(ir::read(text, name)), text);
  }
}

TEST(Tangent, RefusesWhatHasNone) {
  EXPECT_REFUSED(tangentOf(tangentOf(example("exact"))), "mean_slopes has no derivative here");
  EXPECT_REFUSED(tangentOf(run(example("born"), {}, {.after = "turns"})), "pi has no derivative");
  EXPECT_REFUSED(tangentOf(ir::read(test::kernelIr("record { a: real, d_a: real } grid points { x: real, y: real, z: real }",
                                                   "%1 = mul t.a, t.d_a yield %1"),
                                    "k")),
                 "two columns are named 'd_a'");
}

// The formulas of expand against the language's, in long double: of any spread, any pair alike.
TEST(MeanSlopes, KeepTheirDigitsWherePhasesMeet) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (const bool complex : {false, true}) {
    const ir::Kernel source = meansKernel(
        complex ? "%4 = mean_slopes %1, %2, %3 %5 = component.x %4 %6 = component.y %4 %7 = component.z %4 yield a = %5, b = %6, c = %7"
                : "%1 = mean_slopes p.a0, p.a1, p.a2 %2 = component.x %1 %3 = component.y %1 %4 = component.z %1 yield a = %2, b = %3, c = %4",
        complex);
    for (const auto &[klass, allowed] : {std::pair{Class::F64, 2e-15}, {Class::F32, 1e-8}}) {
      ir::Kernel made = source;
      expand(made, {ir::GridKind::Points, false, klass});
      for (const double spread : {0.0, 1e-12, 1e-6, 1e-3, 0.1, 0.4, 0.7, 1.2, 1.5, 3.0, 30.0})
        for (const double gap : {0.0, 1e-9, 1e-3, 0.3, 0.5})
          for (std::size_t turn = 0; turn < 6; ++turn) {
            std::array<ir::Complex, 3> a{};
            const auto draw = [&] { return ir::Complex(uniform(random), complex ? 0.1 * uniform(random) : 0); };
            a[turn % 3] = 3.0 * draw();
            a[(turn + 1) % 3] = a[turn % 3] + spread * draw();
            a[(turn + 2) % 3] = a[(turn + 1 + turn / 3) % 3] + spread * gap * draw();
            ir::Point point = ir::randomPoint(source, 1);
            double growth = 1;
            for (int k = 0; k < 3; ++k) {
              point.params[fmt::format("a{}{}", k, complex ? ".re" : "")] = a[k].real();
              point.params[fmt::format("a{}.im", k)] = a[k].imag();
              growth = std::max(growth, std::exp(-a[k].imag()));
            }
            const auto want = ir::evaluateTerm(source, point), got = ir::evaluateTerm(made, point);
            for (std::size_t k = 0; k < 3; ++k)
              EXPECT_LE(std::abs(got[k] - want[k]), (allowed + 2e-16 * spread) * growth)
                  << spread << " " << gap << " " << turn << (complex ? " complex" : "");
          }
    }
  }
}

TEST(SincSlope, KeepsItsDigitsNearZero) {
  for (const bool complex : {false, true}) {
    const ir::Kernel source =
        meansKernel(complex ? "%4 = sinc_slope %1 yield %4" : "%1 = sinc_slope p.a0 yield %1", complex);
    for (const auto &[klass, allowed] : {std::pair{Class::F64, 1e-15}, {Class::F32, 1e-8}}) {
      ir::Kernel made = source;
      expand(made, {ir::GridKind::Points, false, klass});
      for (const double size : {0.0, 1e-200, 1e-9, 1e-3, 0.5, 0.99, 1.01, 3.0, 40.0})
        for (const double turn : {1.0, -0.6}) {
          ir::Point point = ir::randomPoint(source, 1);
          point.params["a0"] = point.params["a0.re"] = size * turn;
          point.params["a0.im"] = size < 10 ? 0.3 * size : 0;
          const auto want = ir::evaluateTerm(source, point), got = ir::evaluateTerm(made, point);
          EXPECT_LE(std::abs(got[0] - want[0]), allowed * std::min(1.0, size)) << size;
        }
    }
  }
}
