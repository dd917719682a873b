// adjoint.cpp - the adjoint of the transforms: equal scalar products on every kind of grid, against
// sums term by term. Strengths read scalars of q; the bits are the same on any threads.
#include "cases.h"
#include "runtime/engine/transform/nufft/layout.h"
#include <thread>

namespace facet::runtime::test {
namespace {

using Arrays = std::vector<std::vector<Complex>>;

Arrays drawn(std::size_t count, std::int64_t size) {
  std::mt19937 random(11);
  std::normal_distribution<double> any;
  Arrays made(count, std::vector<Complex>(static_cast<std::size_t>(size)));
  for (auto &values : made)
    for (Complex &value : values)
      value = {any(random), any(random)};
  return made;
}

std::vector<const Complex *> pointers(const Arrays &arrays) {
  std::vector<const Complex *> all;
  for (const auto &values : arrays)
    all.push_back(values.data());
  return all;
}

/// The sum of conj(a) b; a may be pointers to as many numbers.
template <class Some> Complex scalarProduct(const Some &a, const Arrays &b) {
  Complex sum = 0;
  for (std::size_t k = 0; k < b.size(); ++k)
    for (std::size_t i = 0; i < b[k].size(); ++i)
      sum += std::conj(a[k][i]) * b[k][i];
  return sum;
}

double norm(const Arrays &a) { return std::sqrt(scalarProduct(a, a).real()); }

/// For strengths without scalars: all that is taken, added up.
Arrays adjoint(NufftTransforms &transforms, const Cloud &cloud, const Arrays &in) {
  Arrays back(cloud.b.size(), std::vector<Complex>(cloud.r[0].size()));
  transforms.adjoint(cloud.points(), pointers(in), [&](std::span<const double> u, auto arrays) {
    EXPECT_TRUE(u.empty());
    for (std::size_t k = 0; k < back.size(); ++k)
      for (std::size_t t = 0; t < back[k].size(); ++t)
        back[k][t] += arrays[k][t];
  });
  return back;
}

/// max over points and arrays of |error| / sum over q of |in| times the largest wave there.
double worstOf(const Arrays &back, const Cloud &cloud, const Grid &grid, const Arrays &in) {
  double error = 0;
  for (std::size_t t = 0; t < cloud.r[0].size(); t += 1 + cloud.r[0].size() / 4)
    for (std::size_t k = 0; k < in.size(); ++k) {
      Complex sum = 0;
      double size = 0;
      for (std::int64_t i = 0; i < grid.size(); ++i) {
        const std::array<Complex, 3> q = grid.at(i);
        const Complex h = in[k][static_cast<std::size_t>(i)];
        Complex phase = 0;
        double most = 0;
        for (std::size_t d = 0; d < 3; ++d) {
          phase += q[d] * cloud.r[d][t];
          most += std::abs(q[d].imag()) * cloud.half[d] - q[d].imag() * cloud.middle[d];
        }
        sum += std::conj(std::exp(Complex(0, 1) * phase)) * h;
        size += std::abs(h) * std::exp(most);
      }
      error = std::max(error, std::abs(back[k][t] - sum) / size);
    }
  return error;
}

class NufftAdjoint : public testing::Test {
protected:
};

TEST_F(NufftAdjoint, HasEqualScalarProductsOnEveryGrid) {
  for (const std::array<double, 3> &offset : {std::array<double, 3>{}, {3000, -500, 200}})
    for (const double tolerance : {1e-4, 1e-11})
      for (const Case &c : cases()) {
        SCOPED_TRACE(c.name);
        const Cloud cloud(200, {40, 50, 40}, offset);
        NufftTransforms transforms(c.grid, cloud.request(tolerance));
        const Arrays in = drawn(cloud.b.size(), c.grid.size());
        const Arrays out = transform(transforms, cloud, c.grid.size());
        const Arrays back = adjoint(transforms, cloud, in);
        EXPECT_LE(std::abs(scalarProduct(in, out) - scalarProduct(back, cloud.b)),
                  1e-13 * norm(in) * norm(out))
            << transforms.layout().text();
      }
}

TEST_F(NufftAdjoint, KeepsTheToleranceOnEveryGrid) {
  for (const double tolerance : {1e-4, 1e-9})
    for (const Case &c : cases()) {
      SCOPED_TRACE(c.name);
      const Cloud cloud(60, {40, 50, 40});
      NufftTransforms transforms(c.grid, cloud.request(tolerance));
      const Arrays in = drawn(cloud.b.size(), c.grid.size());
      EXPECT_LE(worstOf(adjoint(transforms, cloud, in), cloud, c.grid, in), tolerance)
          << transforms.layout().text();
    }
}

TEST_F(NufftAdjoint, IsWhatIsExpectedNext) {
  const Cloud cloud(60, {40, 50, 40});
  for (const Case &c : cases()) {
    SCOPED_TRACE(c.name);
    const Arrays in = drawn(cloud.b.size(), c.grid.size());
    NufftTransforms transforms(c.grid, cloud.request(1e-4)), made(c.grid, cloud.request(1e-9));
    adjoint(transforms, cloud, in);
    transforms.expect(cloud.request(1e-9));
    EXPECT_EQ(adjoint(transforms, cloud, in), adjoint(made, cloud, in));
  }
}

/// Strengths b_k(t) e^{-s_t u}, u = |q|^2.
class DampedSums {
public:
  explicit DampedSums(const Cloud &cloud) : cloud_(cloud), made_(cloud.b) {}

  Arrays &at(double u) {
    for (std::size_t k = 0; k < made_.size(); ++k)
      for (std::size_t t = 0; t < made_[k].size(); ++t)
        made_[k][t] = cloud_.b[k][t] * std::exp(-(0.05 + 0.1 * static_cast<double>(t % 7)) * u);
    return made_;
  }
  NufftRequest request(const Grid &grid) const {
    auto values = std::make_shared<std::vector<double>>();
    for (std::int64_t i = 0; i < grid.size(); ++i)
      values->push_back(std::norm(grid.at(i)[0]) + std::norm(grid.at(i)[1]) +
                        std::norm(grid.at(i)[2]));
    const auto [low, high] = std::ranges::minmax(*values);
    NufftRequest request = cloud_.request(1e-8);
    request.scalars = {{"u", values, low, high, [](double from, double to, double tolerance) {
                          return chebyshevCount(0.65 * 0.5 * (to - from), 1, tolerance, 64);
                        }}};
    return request;
  }
  Arrays sums(NufftTransforms &transforms, std::int64_t size) {
    Arrays out(made_.size(), std::vector<Complex>(static_cast<std::size_t>(size)));
    std::vector<Complex *> to;
    for (auto &one : out)
      to.push_back(one.data());
    std::vector<const Complex *> given;
    const auto strengths = [&](std::span<const double> u) {
      given = pointers(at(u[0]));
      return std::span<const Complex *const>(given);
    };
    transforms.execute(cloud_.points(), strengths, to);
    return out;
  }

private:
  const Cloud &cloud_;
  Arrays made_;
};

TEST_F(NufftAdjoint, OfStrengthsThatReadAScalar) {
  const Cloud cloud(150, {20, 25, 20});
  const Grid product =
      productGrid(linspace(-0.01, 0.01, 20), linspace(-2, 2, 70), linspace(0, 2, 40));
  for (const Grid &grid : {product, listGrid(product, 900)}) {
    DampedSums damped(cloud);
    NufftTransforms transforms(grid, damped.request(grid));
    const Arrays out = damped.sums(transforms, grid.size()),
                 in = drawn(cloud.b.size(), grid.size());
    Complex sum = 0;
    int taken = 0;
    transforms.adjoint(cloud.points(), pointers(in), [&](std::span<const double> u, auto arrays) {
      sum += scalarProduct(arrays, damped.at(u[0]));
      ++taken;
    });
    EXPECT_LE(std::abs(scalarProduct(in, out) - sum), 1e-13 * norm(in) * norm(out));
    EXPECT_GT(taken, 5);
  }
}

TEST_F(NufftAdjoint, HasTheSameBitsOnAnyThreads) {
  const Cloud cloud(2000, {40, 50, 40});
  for (const Case &c : cases()) {
    SCOPED_TRACE(c.name);
    const Arrays in = drawn(cloud.b.size(), c.grid.size());
    NufftTransforms alone(c.grid, cloud.request(1e-6)), two(c.grid, cloud.request(1e-6));
    two.setParallel([](std::int64_t tasks, const std::function<void(std::int64_t)> &work) {
      std::jthread other([&] {
        for (std::int64_t task = 1; task < tasks; task += 2)
          work(task);
      });
      for (std::int64_t task = 0; task < tasks; task += 2)
        work(task);
    });
    EXPECT_EQ(adjoint(alone, cloud, in), adjoint(two, cloud, in));
  }
}

} // namespace
} // namespace facet::runtime::test
