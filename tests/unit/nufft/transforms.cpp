// transforms.cpp - sums of waves by transforms: the tolerance kept on every kind of grid; layouts;
// plans used again with other points, batches, threads.
#include "cases.h"
#include "runtime/engine/transform/nufft/layout.h"
#include "runtime/engine/transform/nufft/state.h"
#include "tests/unit/run/refusal.h"
#include <atomic>
#include <facet/runtime/error.h>
#include <thread>

namespace facet::runtime::test {
namespace {

class Accuracy : public testing::TestWithParam<double> {
protected:
  /// On every grid; `rounding`: what the tolerance does not bound.
  static void expectKept(const Cloud &cloud, double rounding = 0) {
    for (const Case &c : cases()) {
      SCOPED_TRACE(c.name);
      NufftRequest request = cloud.request(GetParam());
      request.floats = GetParam() == 1e-3; // single waves round in floats by 1e-6
      NufftTransforms transforms(c.grid, request);
      const double error = worst(transform(transforms, cloud, c.grid.size()), cloud, c.grid);
      EXPECT_LE(error, GetParam() + rounding) << transforms.layout().text();
      if (GetParam() == 1e-6 && cloud.r[0].size() == 300) {
        EXPECT_NE(transforms.layout().text().find(c.text), std::string::npos)
            << transforms.layout().text();
      }
    }
  }
};

TEST_P(Accuracy, IsKeptOnEveryGrid) { expectKept(Cloud(300, {40, 50, 40})); }
TEST_P(Accuracy, IsKeptForFewPoints) {
  for (std::int64_t n : {1, 2})
    expectKept(Cloud(n, {40, 50, 40}));
}
TEST_P(Accuracy, IsKeptFarFromTheOrigin) { // rounding of q.middle
  expectKept(Cloud(200, {40, 50, 40}, {3000, -500, 200}), 1e-12);
}
INSTANTIATE_TEST_SUITE_P(Tolerances, Accuracy, testing::Values(1e-3, 1e-6, 1e-9, 1e-12));

NufftRequest request(std::int64_t records = 10000, double tolerance = 1e-6) {
  NufftRequest r;
  r.half = {50, 50, 50}, r.records = records, r.transforms = 3, r.tolerance = tolerance;
  return r;
}

Axis one(double q) { return linspace(q, q, 1); }

TEST(NufftAxis, IsUniformToRounding) {
  Axis axis = linspace(-2, 2, 1414);
  EXPECT_TRUE(factsOf(axis).uniform);
  EXPECT_TRUE(factsOf(linspace(3, 1e-3, 77)).uniform);
  EXPECT_TRUE(factsOf(linspace(5, 5.000001, 40)).uniform);
  Axis summed;
  for (double q = 0.3; q < 2; q += 0.1) // rounds at each step
    summed.re.push_back(q);
  EXPECT_TRUE(factsOf(summed).uniform);
}

TEST(NufftAxis, IsNotUniformWhereAValueIsOff) {
  Axis axis = linspace(-2, 2, 1414);
  axis.re[700] += 1e-13;
  EXPECT_FALSE(factsOf(axis).uniform);
  EXPECT_FALSE(factsOf(parseAxis("log 0.01:5:200")).uniform);
  Axis back = linspace(0, 1, 3);
  back.re = {0, 2, 0};
  EXPECT_FALSE(factsOf(back).uniform);
  EXPECT_FALSE(factsOf(linspace(1, 1, 5)).uniform); // constant
}

TEST(NufftLayout, SaysWhatItDoes) {
  const Grid grid = productGrid(one(0.1), linspace(-2, 2, 500), linspace(0, 2, 500));
  const NufftLayout layout = layOutNufft(grid, request());
  EXPECT_EQ(layout.text(), "type 1, 2-D, 500 x 500, 3 transforms");
  ASSERT_EQ(layout.calls.size(), 1U);
  EXPECT_EQ(layout.calls[0].modes, (std::array<std::int64_t, 3>{500, 500, 1}));
  EXPECT_EQ(layout.calls[0].batch, 3);
  EXPECT_GE(layout.calls[0].fine[0], 625);
}

TEST(NufftLayout, OfComplexQ) {
  Axis z = linspace(0, 2, 500);
  z.im = linspace(0, 0.02, 500).re;
  const Grid grid = productGrid(one(0.1), linspace(-2, 2, 500), z);
  EXPECT_EQ(layOutNufft(grid, request(91753)).text(),
            "type 1, 2-D, 500 x 500, 21 transforms: 3 x 7 nodes of Im q.z");
}

TEST(NufftLayout, DoesNotTransformAlongAThinAxis) {
  const Axis wide = linspace(-2, 2, 500);
  for (int n : {2, 5, 40}) {
    const NufftLayout layout =
        layOutNufft(productGrid(linspace(0, 0.02, n), wide, wide), request());
    EXPECT_NE(layout.axes[0], NufftAxis::Transform) << n;
    EXPECT_LE(layout.calls[0].count, 3 * 8) << n;
  }
  const NufftLayout thick = layOutNufft(productGrid(linspace(-2, 2, 200), wide, wide), request());
  EXPECT_EQ(thick.axes[0], NufftAxis::Transform);
}

TEST(NufftLayout, OfSmallGridsIsPlainSums) {
  EXPECT_EQ(layOutNufft(productGrid(one(1), one(0), linspace(0, 1, 2)), request()).text(),
            "plain sums, 6 transforms: 3 x 2 values of q.z");
}

TEST(NufftLayout, RefusesWhatDoublesCannotHold) {
  const Grid grid = productGrid(one(0.1), linspace(-2, 2, 500), linspace(0, 2, 500));
  EXPECT_TRUE(layOutNufft(grid, request(1000, 1e-14)).possible());
  EXPECT_NE(layOutNufft(grid, request(1000, 1e-16)).refusal.find("out of reach"),
            std::string::npos);
  EXPECT_FALSE(layOutNufft(grid, request(1000, 0)).possible());
  Grid evanescent = grid;
  evanescent.axes[2].im = linspace(0, 20, 500).re;
  EXPECT_EQ(layOutNufft(evanescent, request()).refusal,
            "waves decay by e^1001 over half of the points along z");
}

TEST(NufftLayout, RefusesWhatDoesNotFitTheMemory) {
  const Grid grid = productGrid(one(0.1), linspace(-2, 2, 2000), linspace(0, 2, 2000));
  NufftRequest r = request();
  r.memory = 1e9;
  EXPECT_TRUE(layOutNufft(grid, r).possible());
  r.memory = 20e6;
  const NufftLayout layout = layOutNufft(grid, r);
  EXPECT_FALSE(layout.possible());
  EXPECT_NE(layout.refusal.find("transforms would need "), std::string::npos) << layout.refusal;
  EXPECT_NE(layout.refusal.find(" MB but 20 MB are allowed"), std::string::npos) << layout.refusal;
  EXPECT_FALSE(layout.help.empty());
}

TEST(NufftSizes, HaveSmallPrimeFactors) {
  EXPECT_EQ(smoothEven(1768), 1800);
  EXPECT_EQ(smoothEven(625), 640);
  EXPECT_EQ(smoothEven(1), 2);
  // Such numbers are far apart here: they must not be found by trying all between.
  EXPECT_EQ(smoothEven(1'000'000'000'001), 1'004'193'907'488);
  EXPECT_EQ(smoothEven(1'000'000'000'000'000'001), 1'000'630'901'979'994'140);
}

TEST(NufftSizes, DoNotOverflow) {
  constexpr std::int64_t far = 1'000'000'000'000;
  EXPECT_EQ(product({far, 3, 1}), 3 * far);
  EXPECT_EQ(product({far, far, far}), std::numeric_limits<std::int64_t>::max());
}

TEST(NufftCostModel, GrowsWithWork) {
  const Grid small = productGrid(one(0.1), linspace(-2, 2, 200), linspace(0, 2, 200));
  const Grid large = productGrid(one(0.1), linspace(-2, 2, 1000), linspace(0, 2, 1000));
  const NufftConstants constants;
  const auto seconds = [&](const Grid &grid, std::int64_t n) {
    return nufftCost(layOutNufft(grid, request(n)), constants).execute();
  };
  NufftRequest two = request(10000);
  two.threads = 2;
  EXPECT_LT(nufftCost(layOutNufft(large, two), constants).execute(), seconds(large, 10000));
  EXPECT_GT(seconds(large, 1000), 5 * seconds(small, 1000));
  EXPECT_GT(seconds(small, 1000000), 5 * seconds(small, 10000));
}

/// max over q of the interval and |c| <= 1 of the error of e^{rate q c} / e^{damping q}.
double worst(double a, int count, Complex rate, double damping) {
  const Chebyshev nodes(-a, a, count);
  std::vector<double> weight(nodes.nodes.size());
  double most = 0;
  for (int i = 0; i <= 60; ++i) {
    const double q = a * (i / 30.0 - 1);
    nodes.lagrange(q, weight.data());
    for (int j = 0; j <= 40; ++j) {
      const double c = j / 20.0 - 1;
      Complex sum = 0;
      for (std::size_t r = 0; r < weight.size(); ++r)
        sum += weight[r] * std::exp(rate * nodes.nodes[r] * c);
      most = std::max(most, std::abs(sum - std::exp(rate * q * c)) / std::exp(damping * q));
    }
  }
  return most;
}

TEST(Chebyshev, NodesOfAWaveKeepTheTolerance) {
  for (double a : {1e-3, 0.1, 1.0, 5.0, 12.0})
    for (double tolerance : {1e-2, 1e-6, 1e-11}) {
      SCOPED_TRACE(testing::Message() << a << " " << tolerance);
      const int count = chebyshevCount(a, 1, tolerance, 64);
      ASSERT_GT(count, 0);
      EXPECT_LE(worst(a, count, {0, 1}, 0), tolerance + 1e-15);
      if (count > 3) {
        EXPECT_GT(worst(a, count - 3, {0, 1}, 0), tolerance);
      }
    }
}

TEST(Chebyshev, NodesOfADecayKeepTheToleranceAtEachQ) {
  for (double a : {0.01, 0.5, 2.0, 4.0})
    for (double tolerance : {1e-2, 1e-6, 1e-11}) {
      SCOPED_TRACE(testing::Message() << a << " " << tolerance);
      const int count = chebyshevCount(a, std::exp(2 * a), tolerance, 64);
      ASSERT_GT(count, 0);
      EXPECT_LE(worst(a, count, -1, 1), tolerance + 1e-15);
      if (count > 3) {
        EXPECT_GT(worst(a, count - 3, -1, 1), tolerance);
      }
    }
}

TEST(Chebyshev, NoCountWhereTooManyNodesWouldBeNeeded) {
  EXPECT_EQ(chebyshevCount(100, 1, 1e-6, 64), 0);
  EXPECT_EQ(chebyshevCount(0, 1, 1e-14, 64), 1);
}

TEST(Chebyshev, LebesgueConstantsBoundLagrangePolynomials) {
  for (int count : {1, 2, 7, 64}) {
    EXPECT_LE(lebesgueBound(count, 1e-15), lebesgueBound(count) * (1 + 1e-12)) << count;
    EXPECT_GE(lebesgueBound(count, 1e-15), 0.8 * lebesgueBound(count)) << count;
  }
  EXPECT_NEAR(lebesgueBound(1, 2), std::exp(2), 1e-12);
  EXPECT_LT(lebesgueBound(7, 1), lebesgueBound(7) * std::exp(2));
}

class NufftExecution : public testing::Test {
protected:
  static Grid complexGrid() {
    Grid grid = productGrid(linspace(0.1, 0.1, 1), linspace(-2, 2, 70), linspace(0, 2, 80));
    grid.axes[2].im = linspace(0, 0.05, 80).re;
    return grid;
  }
};

TEST_F(NufftExecution, TakesOtherPointsWithoutPlanningAnew) {
  const Cloud first(300, {40, 50, 40}), second(200, {30, 30, 30});
  for (const Grid &grid : {complexGrid(), listGrid(complexGrid(), 600)}) {
    NufftTransforms transforms(grid, first.request(1e-8));
    transform(transforms, first, grid.size());
    const std::string before = transforms.layout().text();
    EXPECT_LE(worst(transform(transforms, second, grid.size()), second, grid), 1e-8);
    EXPECT_EQ(transforms.layout().text(), before);
  }
}

TEST_F(NufftExecution, LaysOutAnewForLargerPoints) {
  const Cloud first(100, {20, 20, 20}), second(500, {90, 60, 90});
  NufftTransforms transforms(complexGrid(), first.request(1e-8));
  EXPECT_LE(worst(transform(transforms, second, complexGrid().size()), second, complexGrid()),
            1e-8);
  EXPECT_EQ(transforms.layout().request.records, 500);
}

TEST_F(NufftExecution, WritesContiguousResultsInPlace) {
  const Cloud cloud(300, {40, 50, 40});
  const Grid grid = productGrid(linspace(0.1, 0.1, 1), linspace(-2, 2, 70), linspace(0, 2, 80));
  NufftTransforms transforms(grid, cloud.request(1e-8));
  const Results apart = transform(transforms, cloud, grid.size());
  const auto size = static_cast<std::size_t>(grid.size());
  std::vector<Complex> together(2 * size);
  const std::array<const Complex *, 2> from{cloud.b[0].data(), cloud.b[1].data()};
  const std::array<Complex *, 2> to{together.data(), together.data() + size};
  transforms.execute(cloud.points(), from, to);
  for (std::size_t i = 0; i < size; ++i) {
    EXPECT_EQ(together[i], apart[0][i]);
    EXPECT_EQ(together[size + i], apart[1][i]);
  }
}

/// Strengths b_k(t) e^{-s_t u(q)} of a cloud, u a scalar of q.
struct Damped {
  const Cloud &cloud;
  std::vector<double> s{};
  std::vector<std::vector<Complex>> made{};
  std::vector<const Complex *> given{};

  explicit Damped(const Cloud &c) : cloud(c), made(c.b) {
    for (std::size_t t = 0; t < c.r[0].size(); ++t)
      s.push_back(0.05 + 0.1 * static_cast<double>(t % 7));
    for (const auto &strengths : made)
      given.push_back(strengths.data());
  }
  /// u = the sum of the squares of q's components of `which`.
  static NufftScalar scalar(const Grid &grid, std::vector<std::size_t> which) {
    auto values = std::make_shared<std::vector<double>>();
    for (std::int64_t i = 0; i < grid.size(); ++i) {
      double u = 0;
      for (const std::size_t d : which)
        u += std::norm(grid.at(i)[d]);
      values->push_back(u);
    }
    const auto [low, high] = std::ranges::minmax(*values);
    const auto count = [](double from, double to, double tolerance) {
      return chebyshevCount(0.65 * 0.5 * (to - from), 1, tolerance, 64);
    };
    return {"u", values, low, high, count};
  }
  double damping(std::size_t t, std::span<const double> u) const {
    double all = 0;
    for (const double one : u)
      all += one;
    return std::exp(-s[t] * all);
  }
  /// max over q of |error| / sum|b|, of points that may be 0.
  double worst(const Grid &grid, NufftRequest request, const NufftPoints &points) {
    NufftTransforms transforms(grid, request);
    Results out(cloud.b.size(), std::vector<Complex>(static_cast<std::size_t>(grid.size())));
    std::vector<Complex *> to;
    for (auto &values : out)
      to.push_back(values.data());
    transforms.execute(
        points,
        [&](std::span<const double> u) {
          for (std::size_t k = 0; k < made.size(); ++k)
            for (std::size_t t = 0; t < s.size(); ++t)
              made[k][t] = cloud.b[k][t] * damping(t, u);
          return std::span<const Complex *const>(given);
        },
        to);
    double most = 0;
    for (std::int64_t i = 0; i < grid.size(); i += 1 + grid.size() / 301)
      for (std::size_t k = 0; k < out.size(); ++k) {
        std::vector<double> u;
        for (const NufftScalar &scalar : request.scalars)
          u.push_back((*scalar.values)[static_cast<std::size_t>(i)]);
        Complex sum = 0;
        double size = 0;
        for (std::size_t t = 0; t < s.size(); ++t) {
          Complex phase = 0;
          for (std::size_t d = 0; d < 3; ++d)
            phase += grid.at(i)[d] * points.at[d][t];
          sum += cloud.b[k][t] * damping(t, u) * std::exp(Complex(0, 1) * phase);
          size += std::abs(cloud.b[k][t]);
        }
        most = std::max(most, std::abs(out[k][static_cast<std::size_t>(i)] - sum) / size);
      }
    return most;
  }
};

TEST_F(NufftExecution, InterpolatesStrengthsInScalars) {
  const Cloud cloud(200, {20, 25, 20});
  Damped damped(cloud);
  const Grid product =
      productGrid(linspace(-0.01, 0.01, 20), linspace(-2, 2, 70), linspace(0, 2, 40));
  for (const Grid &grid : {product, listGrid(product, 900)}) {
    NufftRequest request = cloud.request(1e-8);
    request.scalars = {Damped::scalar(grid, {0, 1, 2})};
    EXPECT_LE(damped.worst(grid, request, cloud.points()), 1e-8);
    EXPECT_NE(layOutNufft(grid, request).text().find("nodes of u from "), std::string::npos);
    request.scalars = {Damped::scalar(grid, {1}), Damped::scalar(grid, {2})};
    EXPECT_LE(damped.worst(grid, request, cloud.points()), 1e-8);
  }
}

TEST_F(NufftExecution, InterpolatesStrengthsBesideComplexQ) {
  const Cloud cloud(200, {20, 25, 20});
  Damped damped(cloud);
  NufftRequest request = cloud.request(1e-7);
  request.scalars = {Damped::scalar(complexGrid(), {1, 2})};
  EXPECT_LE(damped.worst(complexGrid(), request, cloud.points()), 1e-7);
}

// Plans sort points, which takes a fifth of an execution: not again for the same points.
TEST(NufftPlans, KeepTheOrderOfPointsThatStay) {
  const Cloud cloud(300, {40, 50, 40});
  for (const Case &c : cases()) {
    SCOPED_TRACE(c.name);
    NufftState state(c.grid, cloud.request(1e-6));
    std::array<std::vector<double>, 3> r = cloud.r;
    const NufftPoints points{cloud.points().n, {r[0].data(), r[1].data(), r[2].data()}};
    state.fit(points);
    state.scalePoints(points);
    const std::int64_t first = state.version;
    state.scalePoints(points);
    EXPECT_EQ(state.version, first);
    for (std::vector<double> &axis : r)
      axis[7] *= 0.999;
    state.scalePoints(points);
    EXPECT_EQ(state.version, first + (state.transformAxes.empty() ? 0 : 1));
  }
}

TEST(NufftLayout, OfNoWavesIsSumsAtNodes) {
  const Grid product = productGrid(linspace(-1, 1, 20), linspace(-2, 2, 30), linspace(0, 2, 10));
  for (const Grid &grid : {product, listGrid(product, 900)}) {
    NufftRequest r = request(200, 1e-12);
    r.wave = false;
    r.scalars = {Damped::scalar(grid, {0, 1, 2}), Damped::scalar(grid, {2})};
    const NufftLayout layout = layOutNufft(grid, r);
    EXPECT_EQ(layout.text().find("sums over records, "), 0U) << layout.text();
    EXPECT_EQ(layout.calls.size(), 1U);
    EXPECT_EQ(layout.calls[0].count,
              r.transforms * layout.calls[0].nodesOf(InterpolatedScalar::What::Strength));
  }
}

TEST(NufftLayout, RefusesScalarsOfTooManyNodes) {
  const Grid grid = productGrid(one(0.1), linspace(-2, 2, 50), linspace(0, 2, 50));
  NufftRequest r = request();
  r.scalars = {Damped::scalar(grid, {1})};
  r.scalars[0].name = "q.y * q.y";
  r.scalars[0].count = [](double, double, double) { return 0; };
  EXPECT_EQ(layOutNufft(grid, r).refusal, "q.y * q.y varies too much for nodes");
}

TEST_F(NufftExecution, OfNoPointsIsZero) {
  const Cloud cloud(0, {1, 1, 1});
  NufftRequest request;
  request.transforms = 2;
  NufftTransforms transforms(complexGrid(), request);
  for (const auto &values : transform(transforms, cloud, complexGrid().size()))
    for (const Complex &value : values)
      EXPECT_EQ(value, 0.0);
}

TEST_F(NufftExecution, RunsOnThreadsOfTheCaller) {
  const Cloud cloud(2000, {40, 50, 40});
  const Grid grid = complexGrid();
  NufftTransforms transforms(grid, cloud.request(1e-8));
  std::atomic<int> tasksRun = 0;
  transforms.setParallel([&](std::int64_t tasks, const std::function<void(std::int64_t)> &work) {
    std::atomic<std::int64_t> next = 0;
    const auto drain = [&] {
      for (std::int64_t task; (task = next++) < tasks; ++tasksRun)
        work(task);
    };
    std::jthread other(drain);
    drain();
  });
  EXPECT_LE(worst(transform(transforms, cloud, grid.size()), cloud, grid), 1e-8);
  EXPECT_GT(tasksRun, 70);
}

TEST_F(NufftExecution, RefusesAnotherNumberOfStrengths) {
  const Cloud two(10, {1, 1, 1});
  NufftRequest request = two.request(1e-6);
  request.transforms = 3;
  NufftTransforms transforms(complexGrid(), request);
  EXPECT_THROW(transform(transforms, two, complexGrid().size()), Error);
}

TEST_F(NufftExecution, ThrowsWhereTheLayoutIsRefused) {
  NufftRequest request;
  request.records = 100, request.memory = 1000;
  EXPECT_SAYS(NufftTransforms(complexGrid(), request), "nufft: transforms would need");
}

TEST_F(NufftExecution, MeasuresItsConstants) {
  const NufftConstants constants = measureNufftConstants();
#define FACET_NUFFT_CONSTANT(name, seconds, meaning)                                               \
  EXPECT_GT(constants.name, 0) << #name;                                                           \
  EXPECT_LT(constants.name, 1e-2) << #name;
#include "runtime/engine/transform/nufft/constants.def"
}

} // namespace
} // namespace facet::runtime::test
