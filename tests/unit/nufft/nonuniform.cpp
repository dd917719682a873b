// nonuniform.cpp - plans in one, two and three dimensions: derivatives of the adjoint at the
// points, beside sums term by term.
#include "runtime/engine/transform/nufft/nonuniform.h"
#include "direct.h"
#include "runtime/engine/transform/nufft/layout.h"
#include "runtime/engine/transform/nufft/window.h"
#include <fmt/format.h>
#include <numbers>

namespace facet::runtime::test {
namespace {

const NufftParallel serial = [](std::int64_t tasks, const std::function<void(std::int64_t)> &work) {
  for (std::int64_t task = 0; task < tasks; ++task)
    work(task);
};

/// A call of `dim` axes, its waves in numbers a point's coordinates are multiplied with.
struct Problem {
  NufftCall call;
  std::array<std::vector<double>, 3> x, s; // points; waves of type 3
  std::vector<std::array<double, 3>> waves;
  std::array<double, 3> extent{};

  Problem(int type, int dim) {
    std::mt19937 random(5);
    std::uniform_real_distribution<double> any(-1, 1);
    call.type = type, call.dim = dim, call.batch = 2, call.eps = 1e-7, call.degree = 2;
    const std::array<double, 3> half{40, 30, 35}, q{2, 1.5, 1};
    for (int d = 0; d < dim; ++d) {
      for (int i = 0; i < 90; ++i)
        x[d].push_back(type == 1 ? 7 * any(random) : half[d] * any(random));
      extent[d] = half[d];
      call.modes[d] = type == 1 ? 21 + d : 1;
      call.largest[d] = q[d];
    }
    const std::int64_t count = type == 1 ? product(call.modes) : 400;
    for (std::int64_t k = 0; k < count; ++k) {
      std::array<double, 3> wave{};
      std::int64_t rest = k;
      for (int d = 0; d < dim; ++d) {
        wave[d] = type == 3 ? q[d] * any(random)
                            : static_cast<double>(rest % call.modes[d] - call.modes[d] / 2);
        rest /= call.modes[d];
        s[d].push_back(wave[d]);
      }
      waves.push_back(wave);
    }
    if (type == 3)
      call.modes = {count, 1, 1};
    setSizes(call, 1.5, extent);
  }

  std::unique_ptr<Nonuniform> plan() const {
    auto made = Nonuniform::make(call);
    made->setPoints(90, {x[0].data(), x[1].data(), x[2].data()}, call.type == 3 ? call.modes[0] : 0,
                    {s[0].data(), s[1].data(), s[2].data()}, serial);
    return made;
  }
  double phase(std::size_t k, std::size_t i) const {
    double sum = 0;
    for (int d = 0; d < call.dim; ++d)
      sum += waves[k][d] * x[d][i];
    return sum;
  }
};

std::vector<Orders> powersOf(int dim) {
  std::vector<Orders> powers{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}};
  if (dim > 1)
    powers.insert(powers.end(), {{0, 1, 0}, {1, 1, 0}, {0, 2, 0}});
  if (dim > 2)
    powers.insert(powers.end(), {{0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {0, 0, 2}});
  return powers;
}

/// |error| at a point relative to the sum of |in| times that power of the largest wave.
double errorAt(const Problem &p, const Orders &power, const Complex *in, std::size_t i,
               Complex found) {
  Complex sum = 0;
  double size = 0;
  for (std::size_t w = 0; w < p.waves.size(); ++w) {
    double times = 1, most = 1;
    for (int d = 0; d < p.call.dim; ++d) {
      times *= std::pow(p.waves[w][d], power[d]);
      most *= std::pow(p.call.type == 3 ? p.call.largest[d] : 11.0, power[d]);
    }
    sum += times * std::polar(1.0, -p.phase(w, i)) * in[w];
    size += most * std::abs(in[w]);
  }
  return std::abs(found - sum) / size;
}

TEST(Nonuniform, GivesPowersOfWavesByDerivativesOfItsWindow) {
  std::mt19937 random(3);
  std::normal_distribution<double> any;
  for (const int type : {1, 3})
    for (int dim = 1; dim <= 3; ++dim) {
      SCOPED_TRACE(testing::Message() << type << " " << dim);
      const Problem p(type, dim);
      const std::vector<Orders> powers = powersOf(dim);
      const std::size_t n = p.waves.size(); // of three sums, of which two are made at a time
      std::vector<Complex> in(3 * n);
      for (Complex &value : in)
        value = {any(random), any(random)};
      std::vector<std::vector<Complex>> back(3 * powers.size(), std::vector<Complex>(90));
      std::vector<Complex *> to;
      for (auto &values : back)
        to.push_back(values.data());
      const std::array<const Complex *, 3> from{in.data(), in.data() + n, in.data() + 2 * n};
      p.plan()->adjoint(from, powers, to, serial);
      for (std::size_t k = 0; k < back.size(); ++k)
        for (std::size_t i = 0; i < 90; i += 3)
          EXPECT_LE(errorAt(p, powers[k % powers.size()], from[k / powers.size()], i, back[k][i]),
                    p.call.eps)
              << k;
    }
}

/// The largest error of transforms with floats over what is allowed. One point has a strength of
/// this size, or for the adjoint one wave.
double worstOfFloats(Problem p, double size) {
  const auto n = static_cast<std::int64_t>(p.waves.size());
  const auto plan = p.plan();
  double worst = 0;
  for (const std::size_t one : {0, 1, 2, 3, 4, 5, 6, 7}) {
    std::vector<Complex> b(90), in(n), waves(n), back(90);
    b[one] = {size, -size / 3};
    const std::size_t at = one * 37 % p.waves.size();
    in[at] = b[one];
    const std::array<const Complex *, 1> from{b.data()}, of{in.data()};
    const std::array<Complex *, 1> out{waves.data()}, to{back.data()};
    plan->execute(from, out, serial);
    plan->adjoint(of, {}, to, serial);
    for (std::size_t k = 0; k < p.waves.size(); ++k)
      worst = std::max(worst, std::abs(waves[k] - b[one] * std::polar(1.0, p.phase(k, one))) /
                                  std::abs(b[one]));
    for (std::size_t i = 0; i < back.size(); ++i)
      worst = std::max(worst, std::abs(back[i] - in[at] * std::polar(1.0, -p.phase(at, i))) /
                                  std::abs(in[at]));
  }
  return worst / (p.call.dim * windowError(p.call.width, p.call.upsampling) +
                  singleError(p.call.width, p.call.dim, p.call.upsampling));
}

TEST(Nonuniform, FloatsErrByNoMoreThanSingleError) {
  double worst = 0;
  for (const int type : {1, 3})
    for (int dim = 1; dim <= 3; ++dim)
      for (const double eps : {1e-1, 1e-3, 1e-5, 1e-9})
        for (const double upsampling : {1.25, 1.5, 2.0}) {
          Problem p(type, dim);
          p.call.eps = eps, p.call.degree = 0, p.call.single = true;
          if (widthOf(p.call, upsampling) > Window::Widest)
            continue;
          setSizes(p.call, upsampling, p.extent);
          for (const double size : {1.0, 1e200, 1e-250}) { // beyond what floats can hold
            const double found = worstOfFloats(p, size);
            EXPECT_LE(found, 1) << type << " " << dim << " " << eps << " " << upsampling << " "
                                << size;
            worst = std::max(worst, found);
          }
        }
  EXPECT_GT(worst, 0.1); // the bound is not far too large
}

TEST(Nonuniform, FloatsAreTakenWhereTheyDoNotRoundByFarMoreThanIsAllowed) {
  Problem p(1, 2);
  p.call.degree = 0;
  for (const double eps : {1e-3, 1e-12}) {
    p.call.eps = eps;
    setSizes(p.call, 2, p.extent);
    EXPECT_EQ(maySingle(p.call), eps == 1e-3);
    p.call.degree = 1; // derivatives are in double
    EXPECT_FALSE(maySingle(p.call));
    p.call.degree = 0;
  }
}

/// 10,000 points in a part of the ring, about `middle`, which is on its end if it is 0.
struct Crowd {
  static constexpr std::int64_t n = 10000;
  NufftCall call;
  std::array<std::vector<double>, 3> x;
  std::vector<Complex> b;

  Crowd(int dim, double middle, bool single) {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> any(-1, 1);
    call.type = 1, call.dim = dim, call.batch = 1;
    constexpr std::array<std::array<std::int64_t, 3>, 3> modes{
        {{900, 1, 1}, {150, 141, 1}, {50, 41, 37}}};
    call.modes = modes[dim - 1];
    for (std::int64_t i = 0; i < n; ++i) {
      for (int d = 0; d < dim; ++d)
        x[d].push_back(middle + 0.2 * (d + 1) * any(random));
      b.emplace_back(any(random), any(random));
    }
    call.eps = single ? 1e-4 : 1e-9, call.single = single;
    setSizes(call, 1.5);
  }
  Complex wave(std::int64_t mode, std::int64_t i) const {
    double phase = 0;
    for (int d = 0; d < call.dim; ++d) {
      phase += static_cast<double>(mode % call.modes[d] - call.modes[d] / 2) * x[d][i];
      mode /= call.modes[d];
    }
    return std::polar(1.0, phase);
  }
  /// Waves of the points, and the points of these again.
  std::pair<std::vector<Complex>, std::vector<Complex>> there(const NufftParallel &parallel) const {
    const auto plan = Nonuniform::make(call);
    plan->setPoints(n, {x[0].data(), x[1].data(), x[2].data()}, 0, {}, parallel);
    std::vector<Complex> waves(product(call.modes)), back(n);
    const std::array<const Complex *, 1> from{b.data()}, in{waves.data()};
    const std::array<Complex *, 1> out{waves.data()}, to{back.data()};
    plan->execute(from, out, parallel);
    plan->adjoint(in, {}, to, parallel);
    return {waves, back};
  }
};

TEST(Nonuniform, SumsPointsThatAreCrowdedInAPartOfTheRing) {
  const NufftParallel fromTheLast = [](std::int64_t tasks,
                                       const std::function<void(std::int64_t)> &work) {
    while (tasks > 0)
      work(--tasks);
  };
  for (int dim = 1; dim <= 3; ++dim)
    for (const double middle : {0.0, 1.0, 3.1, -0.1}) {
      const bool single = middle < 0;
      SCOPED_TRACE(fmt::format("{} axes about {}", dim, middle));
      const Crowd crowd(dim, middle, single);
      const auto [waves, back] = crowd.there(serial);
      EXPECT_EQ(crowd.there(fromTheLast), std::pair(waves, back));
      double size = 0;
      for (const Complex &b : crowd.b)
        size += std::abs(b);
      for (std::int64_t mode = 0; mode < std::ssize(waves); mode += std::ssize(waves) / 23) {
        Complex sum = 0;
        for (std::int64_t i = 0; i < Crowd::n; ++i)
          sum += crowd.b[i] * crowd.wave(mode, i);
        EXPECT_LE(std::abs(sum - waves[mode]), crowd.call.eps * size);
      }
      size = 0;
      for (const Complex &wave : waves)
        size += std::abs(wave);
      for (std::int64_t i = 0; i < Crowd::n; i += Crowd::n / 7) {
        Complex sum = 0;
        for (std::int64_t mode = 0; mode < std::ssize(waves); ++mode)
          sum += std::conj(crowd.wave(mode, i)) * waves[mode];
        EXPECT_LE(std::abs(sum - back[i]), crowd.call.eps * size);
      }
    }
}

} // namespace
} // namespace facet::runtime::test
