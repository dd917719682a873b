// differentiate.cpp - derivatives of kernels drawn at random against differences; what
// differentiate adds to the operations keeps its digits wherever phases meet; what has no
// derivative is refused.
#include "codegen/passes/differentiate.h"
#include "kernels.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <random>

using namespace facet;
using namespace facet::passes;

namespace {

/// F where the point has gone `by` along what its columns d_NAME, parameters d_NAME and d_q say.
std::vector<ir::Complex> moved(const ir::Kernel &kernel, ir::Point point, double by) {
  for (auto &[name, value] : point.record)
    if (const auto change = point.record.find("d_" + name); change != point.record.end())
      for (std::size_t k = 0; k < 3; ++k)
        value[k] += by * change->second[k];
  for (auto &[name, value] : point.params)
    if (const auto change = point.params.find("d_" + name); change != point.params.end())
      value += by * change->second;
  for (std::size_t k = 0; k < 3; ++k)
    if (const auto change = point.params.find(fmt::format("d_q.{}", "xyz"[k]));
        change != point.params.end())
      point.q[k] += by * change->second;
  return composed(kernel, point);
}

/// What F changes by, from five points: errors of the fourth power of the step, and of rounding
/// over it.
std::vector<ir::Complex> differences(const ir::Kernel &kernel, const ir::Point &point, double h) {
  const auto far = moved(kernel, point, 2 * h), near = moved(kernel, point, h),
             back = moved(kernel, point, -h), last = moved(kernel, point, -2 * h);
  std::vector<ir::Complex> made;
  for (std::size_t o = 0; o < far.size(); ++o)
    made.push_back((8.0 * (near[o] - back[o]) - (far[o] - last[o])) / (12 * h));
  return made;
}

/// Compares the tangent along columns and parameters, or along q.
void expectDifferences(const ir::Kernel &kernel, const std::string &what,
                       ir::Kernel (*derive)(const ir::Kernel &) = tangentOf) {
  const ir::Kernel tangent = derive(kernel);
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const ir::Point point = ir::randomPoint(tangent, seed);
    const std::vector<ir::Complex> want = differences(kernel, point, 5e-4),
                                   finer = differences(kernel, point, 2e-4),
                                   made = composed(tangent, point);
    ASSERT_EQ(made.size(), want.size()) << what;
    for (std::size_t o = 0; o < want.size(); ++o) {
      if (!(std::abs(finer[o] - want[o]) <= 1e-6 * (1 + std::abs(want[o]))))
        continue; // a branch ends here, or F is not finite
      ASSERT_LE(std::abs(made[o] - want[o]), 1e-5 * (1 + std::abs(want[o])))
          << what << ", point " << seed << "\n"
          << ir::print(kernel) << ir::print(tangent);
    }
  }
}

/// A point of the adjoint: the record and q of `point` exchanged, with a cotangent of each output.
ir::Point exchanged(const ir::Kernel &kernel, const ir::Point &point,
                    const std::vector<ir::Complex> &cotangent) {
  ir::Point made = point;
  const auto set = [&](const std::string &name, ir::Complex value) {
    made.record[name + ".re"] = {value.real()};
    made.record[name + ".im"] = {value.imag()};
  };
  for (std::size_t k = 0; k < 3; ++k) {
    const std::string q = fmt::format("q.{}", "xyz"[k]);
    made.record[q] = {point.q[k].real()};
    made.record[q + ".im"] = {point.q[k].imag()};
  }
  for (const auto &[name, value] : point.record)
    for (std::size_t k = 0; k < 3; ++k)
      made.record[fmt::format("{}.{}", name, "xyz"[k])] = {value[k]};
  for (std::size_t o = 0; o < cotangent.size(); ++o)
    set(fmt::format("cotangent{}", o), cotangent[o]);
  const std::vector<ir::Complex> sums = ir::evaluateTerm(kernel, point);
  for (std::size_t c = 0; c < sums.size(); ++c)
    set(fmt::format("sum{}", c), sums[c]);
  for (std::size_t o = 0; o < cotangent.size(); ++o)
    for (const char *part : {"re", "im"})
      made.params[fmt::format("cotangent{}.{}", o, part)] = 0;
  return made;
}

/// The derivatives of the adjoint are 2 Re conj(G) dF of each number's change.
void expectAdjoint(const ir::Kernel &kernel, const std::string &what) {
  const ir::Kernel tangent = tangentOf(kernel), adjoint = adjointOf(kernel, true);
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    ir::Point point = ir::randomPoint(tangent, seed);
    for (auto &[name, value] : point.record)
      if (name.starts_with("d_"))
        value = {};
    for (auto &[name, value] : point.params)
      if (name.starts_with("d_"))
        value = 0;
    std::vector<ir::Complex> g;
    for (std::size_t o = 0; o < kernel.finish.outputs.size(); ++o)
      g.emplace_back(0.5 + 0.25 * static_cast<double>(o), -0.75);
    const std::vector<ir::Complex> made = composed(adjoint, exchanged(kernel, point, g));
    std::size_t next = 0;
    double largest = 1;
    for (const ir::Complex &z : made)
      largest = std::max(largest, std::abs(z));
    for (const ir::Field &field : kernel.fields)
      for (std::size_t k = 0; k < (field.type == ir::Type::Vec3 ? 3 : 1); ++k) {
        ir::Vector &change = point.record["d_" + field.name];
        change = {};
        change[k] = 1;
        const std::vector<ir::Complex> f = composed(tangent, point);
        double want = 0;
        for (std::size_t o = 0; o < g.size(); ++o)
          want += 2 * (std::conj(g[o]) * f[o]).real();
        change = {};
        ASSERT_LE(std::abs(made[next++] - want), 1e-9 * largest)
            << what << ", " << field.name << "\n"
            << ir::print(kernel) << ir::print(adjoint);
      }
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
                                 "params { " +
                                     params + " }",
                                 values + yield),
                  "means");
}

} // namespace

// More kernels: FACET_RANDOM_KERNELS=5000; from another seed on: FACET_RANDOM_SEED=1000.
TEST(Tangent, OfKernelsDrawnIsTheirDifference) {
  const int first = number("FACET_RANDOM_SEED", 1), kernels = kernelsDrawn(96, 300);
  for (int seed = first; seed < first + kernels; ++seed) {
    for (const auto derive : {tangentOf, qTangentOf})
      expectDifferences(randomKernel(static_cast<std::uint64_t>(seed), 4 + seed % 24),
                        fmt::format("seed {}", seed), derive);
    ASSERT_FALSE(testing::Test::HasFatalFailure());
  }
}

TEST(Tangent, OfKernelsOfWavesGoesThroughEveryPass) {
  const int first = number("FACET_RANDOM_SEED", 1),
            kernels = kernelsDrawn(24, 60); // each variant twice
  for (int seed = first; seed < first + kernels; ++seed) {
    const ir::Kernel kernel = lowRankKernel(static_cast<std::uint64_t>(seed));
    const Variant variant = allVariants()[static_cast<std::size_t>(seed) % allVariants().size()];
    for (const auto derive : {tangentOf, qTangentOf}) {
      expectDifferences(kernel, fmt::format("waves, seed {}", seed), derive);
      EXPECT_NO_THROW(run(derive(kernel), variant, {.check = variant.klass == Class::F64})) << seed;
    }
  }
}

TEST(Adjoint, OfKernelsDrawnIsThatOfTheirTangent) {
  const int first = number("FACET_RANDOM_SEED", 1), kernels = number("FACET_RANDOM_KERNELS", 100);
  int judged = 0;
  for (int seed = first; seed < first + kernels; ++seed) {
    const ir::Kernel kernel = randomKernel(static_cast<std::uint64_t>(seed), 4 + seed % 24);
    try {
      expectAdjoint(kernel, fmt::format("seed {}", seed));
      ++judged;
    } catch (const ir::Error &error) { // some are of q alone
      ASSERT_NE(error.message.find("depends on no column"), std::string::npos)
          << seed << ": " << error.message << "\n"
          << ir::print(kernel);
    }
    ASSERT_FALSE(testing::Test::HasFatalFailure());
  }
  EXPECT_GT(2 * judged, kernels);
}

TEST(Adjoint, OfExamplesGoesThroughEveryPass) {
  for (const char *name : {"born", "exact", "closed", "layered", "magnetic", "resonant", "rough",
                           "surface", "atoms"}) {
    const ir::Kernel kernel = example(name);
    expectAdjoint(kernel, name);
    const std::string text = ir::print(adjointOf(kernel, true));
    EXPECT_EQ(ir::print(ir::read(text, name)), text);
    for (const bool complexQ : {false, true})
      for (const Class klass : {Class::F32, Class::F64})
        EXPECT_NO_THROW(run(adjointOf(kernel, complexQ), {ir::GridKind::Points, false, klass},
                            {.check = klass == Class::F64}));
  }
}

TEST(Adjoint, RefusesWhatHasNone) {
  EXPECT_REFUSED(adjointOf(example("plasmon_pole"), true),
                 "has the axis y: there is no adjoint of it");
  EXPECT_REFUSED(run(adjointOf(example("born"), false), {}),
                 "is one of points: this kernel is for lists of points");
  EXPECT_REFUSED(
      adjointOf(
          ir::read(test::kernelIr("record { a: real } grid points { x: real, y: real, z: real }",
                                  "yield q.x"),
                   "k"),
          true),
      "depends on no column");
  std::string columns = "v0: vec3", sum = "%1 = dot q, t.v0\n";
  for (int k = 1; k < 12; ++k) {
    columns += fmt::format(", v{}: vec3", k);
    sum += fmt::format("%{} = dot q, t.v{}\n%{} = add %{}, %{}\n", 2 * k, k, 2 * k + 1, 2 * k - 1,
                       2 * k);
  }
  EXPECT_REFUSED(
      adjointOf(ir::read(test::kernelIr("record { " + columns +
                                            " } grid points { x: real, y: real, z: real }",
                                        sum + "yield %23"),
                         "k"),
                true),
      "reads 36 numbers of a record; its adjoint has room for 32");
}

/// With columns a, b and v, and q whose y is complex.
void expectDifferencesOf(const std::string &values) {
  const std::string head =
      "record { a: real, b: real, v: vec3 } grid points { x: real, y: cplx, z: real }";
  expectDifferences(ir::read(test::kernelIr(head, values), "k"), values);
}

TEST(Tangent, OfEachOperationOfRealsIsItsDifference) {
  static constexpr const char *values[] = {"min t.a, t.b",
                                           "max t.a, t.b",
                                           "fma t.a, t.b, q.x",
                                           "norm t.v",
                                           "norm2 t.v",
                                           "abs t.a",
                                           "expm1 t.a",
                                           "sqrt t.a",
                                           "log t.a",
                                           "pow t.a, 2.5",
                                           "pow t.a, 0",
                                           "erf t.a",
                                           "erfc t.a",
                                           "atan2 t.a, t.b",
                                           "sinc t.a",
                                           "div t.a, t.b",
                                           "sin t.a",
                                           "cos t.b",
                                           "exp t.a",
                                           "cis t.a",
                                           "csqrt t.a",
                                           "cism1 t.b",
                                           "mean_cis t.a, t.b, q.x",
                                           "mean_cism1 t.a, t.b, q.x",
                                           "mean_edge t.a, q.x",
                                           "mean_edge q.z, t.b",
                                           "mean_edge t.a, t.a",
                                           "mean_edge_m1 t.a, t.b"};
  for (const std::string value : values)
    expectDifferencesOf("%1 = " + value + " yield %1");
}

TEST(Tangent, OfEachOperationOfComplexNumbersAndVectorsIsItsDifference) {
  for (const std::string value :
       {"abs %1", "norm2 %1", "csqrt %1", "sinc %1", "cis %1", "cism1 %1", "sin %1", "cos %1",
        "exp %1", "conj %1", "im %1", "div t.b, %1", "mean_cis %1, t.b, q.y", "mean_edge %1, t.b",
        "mean_edge_m1 q.y, %1"})
    expectDifferencesOf("%1 = complex t.a, t.b %2 = " + value + " yield %2");
  for (const std::string value : {"cross t.v, q", "mul t.v, t.a", "div t.v, q.y", "conj q",
                                  "select %9, t.v, q", "vec t.a, t.b, 1"})
    expectDifferencesOf("%9 = less t.a, t.b %1 = " + value +
                        " %2 = dot %1, t.v %3 = component.y %1 %4 = mul %2, %3 yield %4");
}

TEST(Tangent, OfWhatFinishMakesOfTheSums) {
  const std::string head = "record { a: real, v: vec3 } grid points { x: real, y: real, z: cplx } "
                           "params { k: real, n: cplx }";
  for (const std::string finish :
       {"%1 = norm2 sum yield %1", "%1 = abs sum %2 = mul %1, sum yield %2",
        "%1 = conj sum %2 = mul p.k, %1 yield %2",
        "%1 = complex p.n.re, p.n.im %2 = exp sum %3 = mul %1, %2 yield %3",
        "%1 = re sum %2 = im sum yield f = sum, g = %1, h = %2", "yield p.k"})
    expectDifferences(
        ir::read(test::kernelIr(
                     head, "%1 = dot q, t.v %2 = mul t.a, p.k %3 = cis %1 %4 = mul %2, %3 yield %4",
                     finish),
                 "k"),
        finish);
}

TEST(Tangent, HasTheBranchThatIsTaken) {
  // At a = 0 the modulus, at a = b min and max: of what is yielded.
  for (const auto &[value, want] : {std::pair{"abs t.a", 1.0},
                                    {"min t.a, t.b", 1.0},
                                    {"max t.a, t.b", 1.0},
                                    {"norm t.v", 0.0}}) {
    const ir::Kernel kernel = tangentOf(ir::read(
        test::kernelIr(
            "record { a: real, b: real, v: vec3 } grid points { x: real, y: real, z: real }",
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

TEST(QTangent, HasNoOriginAndNoNumberThatAGuardMade) {
  const auto atZero = [](const std::string &finish, const std::string &more) {
    const ir::Kernel kernel = qTangentOf(ir::read(
        test::kernelIr("record { a: real, v: vec3 } grid points { x: real, y: real, z: cplx }",
                       "%1 = dot q, t.v %2 = cis %1 %3 = mul t.a, %2 yield %3", finish + more),
        "k"));
    EXPECT_TRUE(kernel.origin.empty());
    ir::Point point = ir::randomPoint(kernel, 1);
    point.q = {};
    return composed(kernel, point).front();
  };
  const std::string origin = " } origin t { yield t.a", regular = "yield sum",
                    divided = "%1 = norm2 q %2 = div sum, %1 yield %2",
                    guarded = "%1 = norm2 q %2 = equal %1, 0 %3 = div sum, %1 "
                              "%4 = select %2, 0, %3 yield %4",
                    bounded = "%1 = norm2 q %2 = max %1, 1 %3 = div sum, %2 yield %3";
  EXPECT_GT(std::abs(atZero(regular, origin)), 0);
  EXPECT_EQ(atZero(regular, origin), atZero(regular, ""));
  EXPECT_TRUE(std::isnan(std::abs(atZero(divided, origin))));
  EXPECT_TRUE(std::isnan(std::abs(atZero(guarded, origin))));
  EXPECT_TRUE(std::isnan(std::abs(atZero(bounded, origin))));
  EXPECT_EQ(std::abs(atZero(guarded, "")), 0); // the kernel says so: the branch that is taken
}

TEST(QTangent, ByAxesIsThatAlongEachOfThem) {
  for (const char *name : {"born", "exact", "surface", "closed", "atoms"})
    for (const std::string axes : {"z", "xz", "xyz"}) {
      const ir::Kernel kernel = example(name), along = qTangentOf(kernel),
                       made = qSlopesOf(kernel, axes),
                       last =
                           run(made, {made.grid, made.axes[2].type == ir::Type::Cplx, Class::F64});
      ASSERT_EQ(made.finish.outputs.size(), axes.size());
      EXPECT_EQ(made.params.size(), kernel.params.size());
      for (std::uint64_t seed = 1; seed <= 8; ++seed)
        for (std::size_t k = 0; k < axes.size(); ++k) {
          ir::Point point = ir::randomPoint(along, seed);
          for (const char axis : {'x', 'y', 'z'})
            point.params[fmt::format("d_q.{}", axis)] = axis == axes[k];
          const ir::Complex want = composed(along, point).front();
          EXPECT_LE(std::abs(composed(made, point)[k] - want), 1e-12 * std::abs(want));
          EXPECT_LE(std::abs(composed(last, point)[k] - want), 1e-10 * std::abs(want));
          EXPECT_EQ(made.finish.outputs[k].name, axes.size() > 1 ? axes.substr(k, 1) : "") << name;
        }
    }
}

TEST(QTangent, RefusesWhatHasNone) {
  EXPECT_REFUSED(qTangentOf(example("plasmon_pole")), "has values for each q of a grid");
  EXPECT_REFUSED(qTangentOf(adjointOf(example("surface"), true)),
                 "has values for each q of a grid");
  EXPECT_REFUSED(qTangentOf(qTangentOf(example("surface"))), "two parameters are named 'd_q.x'");
}

TEST(Tangent, RefusesWhatHasNone) {
  EXPECT_REFUSED(tangentOf(tangentOf(example("exact"))), "mean_slopes has no derivative here");
  EXPECT_REFUSED(tangentOf(run(example("born"), {}, {.after = "turns"})), "pi has no derivative");
  EXPECT_REFUSED(
      tangentOf(ir::read(
          test::kernelIr("record { a: real, d_a: real } grid points { x: real, y: real, z: real }",
                         "%1 = mul t.a, t.d_a yield %1"),
          "k")),
      "there are columns 'a' and 'd_a', and in derivatives 'd_a' is what 'a' changes by");
}

// The formulas of expand against the language's, in long double: of any spread, any pair alike.
TEST(MeanSlopes, KeepTheirDigitsWherePhasesMeet) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (const bool complex : {false, true}) {
    const ir::Kernel source =
        meansKernel(complex ? "%4 = mean_slopes %1, %2, %3 %5 = component.x %4 %6 = component.y %4 "
                              "%7 = component.z %4 yield a = %5, b = %6, c = %7"
                            : "%1 = mean_slopes p.a0, p.a1, p.a2 %2 = component.x %1 %3 = "
                              "component.y %1 %4 = component.z %1 yield a = %2, b = %3, c = %4",
                    complex);
    for (const auto &[klass, allowed] : {std::pair{Class::F64, 2e-15}, {Class::F32, 1e-8}}) {
      ir::Kernel made = source;
      expand(made, {ir::GridKind::Points, false, klass});
      for (const double spread : {0.0, 1e-12, 1e-6, 1e-3, 0.1, 0.4, 0.7, 1.2, 1.5, 3.0, 30.0})
        for (const double gap : {0.0, 1e-9, 1e-3, 0.3, 0.5})
          for (std::size_t turn = 0; turn < 6; ++turn) {
            std::array<ir::Complex, 3> a{};
            const auto draw = [&] {
              return ir::Complex(uniform(random), complex ? 0.1 * uniform(random) : 0);
            };
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
    const ir::Kernel source = meansKernel(
        complex ? "%4 = sinc_slope %1 yield %4" : "%1 = sinc_slope p.a0 yield %1", complex);
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
