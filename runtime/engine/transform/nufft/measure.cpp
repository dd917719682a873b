// measure.cpp - what the steps of a NUFFT cost on this machine: plans timed on small problems.
#include "runtime/engine/system/clock.h"
#include "runtime/engine/transform/nufft/layout.h"
#include "runtime/engine/transform/nufft/nonuniform.h"
#include <memory>
#include <numbers>
#include <random>

namespace facet::runtime {
namespace {

using Complex = std::complex<double>;

template <class Work> double secondsOf(const Work &work) {
  const double start = threadSeconds();
  work();
  return threadSeconds() - start;
}
/// The least of a few times: what else the machine does only adds.
template <class Work> double leastSeconds(int times, const Work &work) {
  double least = secondsOf(work);
  for (int i = 1; i < times; ++i)
    least = std::min(least, secondsOf(work));
  return least;
}

/// Random points, strengths and room for results.
struct Material {
  static constexpr std::int64_t Points = 20000, Modes = 1000LL * 1000;
  std::array<std::vector<double>, 3> x;
  std::vector<Complex> strengths, results;
  Material() : strengths(Points, {1, 0.5}), results(Modes) {
    std::mt19937 random(1);
    std::uniform_real_distribution<double> angle(-std::numbers::pi, std::numbers::pi);
    for (auto &axis : x)
      for (std::int64_t t = 0; t < Points; ++t)
        axis.push_back(angle(random));
  }
};

const NufftParallel alone = [](std::int64_t tasks, const std::function<void(std::int64_t)> &work) {
  for (std::int64_t task = 0; task < tasks; ++task)
    work(task);
};

/// Seconds of one type 1 transform of n points to `modes` an axis.
struct StageSeconds {
  double plan, sort, execute, fine;
};
StageSeconds uniform(Material &m, int dim, std::int64_t modes, std::int64_t n, double eps,
                     double upsampling, int times = 3) {
  NufftCall call;
  call.dim = dim, call.eps = eps;
  for (int d = 0; d < dim; ++d)
    call.modes[d] = modes;
  setSizes(call, upsampling);
  std::unique_ptr<Nonuniform> plan;
  StageSeconds timed{};
  timed.fine = static_cast<double>(product(call.fine));
  timed.plan = secondsOf([&] { plan = Nonuniform::make(call); });
  const std::array<const double *, 3> at{m.x[0].data(), m.x[1].data(), m.x[2].data()};
  const Complex *const strengths = m.strengths.data();
  Complex *const results = m.results.data();
  timed.sort = leastSeconds(2, [&] { plan->setPoints(n, at, 0, {}, alone); });
  timed.execute =
      leastSeconds(times, [&] { plan->execute({&strengths, 1}, {&results, 1}, alone); });
  return timed;
}

constexpr double least = 1e-12; // instead of a difference of two times that came out as 0

/// Measures factors, strengths and the combination, with loops like those of transforms.
void measureLoops(Material &m, NufftConstants &c) {
  constexpr std::size_t block = 512;
  std::vector<double> cos(block), sin(block);
  const double phases = leastSeconds(5, [&] {
    for (std::size_t t = 0; t + block <= m.x[0].size(); t += block)
      cisOf(m.x[0].data() + t, cos.data(), sin.data(), block);
  });
  const double strengths = leastSeconds(5, [&] {
    const double *re = cos.data(), *im = sin.data();
    for (std::size_t t = 0; t + block <= m.strengths.size(); t += block) {
      const Complex *b = m.strengths.data() + t;
      Complex *to = m.results.data() + t;
      for (std::size_t i = 0; i < block; ++i)
        to[i] = {re[i] * b[i].real() - im[i] * b[i].imag(),
                 re[i] * b[i].imag() + im[i] * b[i].real()};
    }
  });
  const double combined = leastSeconds(5, [&] {
    const double *w = cos.data();
    for (std::size_t at = 0; at + 2 * block <= m.results.size(); at += 2 * block) {
      Complex *to = m.results.data() + at;
      const Complex *from = to + block;
      for (std::size_t i = 0; i < block; ++i)
        to[i] += w[i] * from[i];
    }
  });
  c.phase = phases / static_cast<double>(Material::Points);
  c.strength = strengths / static_cast<double>(Material::Points);
  c.mode = c.combine = combined / (0.5 * static_cast<double>(Material::Modes));
}

/// Measures a fine grid cleared and read: in cache, and in memory new to the process.
void measureMemory(NufftConstants &c) {
  const auto made = [](std::vector<Complex> &room) {
    std::ranges::fill(room, Complex(1));
    double sum = 0;
    for (const Complex &node : room)
      sum += node.real();
    return sum;
  };
  volatile double kept = 0; // so that the sums are formed
  std::vector<Complex> cached(1 << 16);
  c.fine = leastSeconds(5, [&] { kept = made(cached); }) / static_cast<double>(cached.size());
  constexpr double large = 2200000; // nodes, above 32 MiB
  c.fresh = leastSeconds(2,
                         [&] {
                           std::vector<Complex> room(static_cast<std::size_t>(large));
                           kept = made(room);
                         }) /
            large;
}

/// Seconds to spread one point. A call with one point has no spreading.
double spread(Material &m, int dim, std::int64_t modes, std::int64_t points, int width) {
  const double eps = dim * windowError(width, 2);
  const StageSeconds all = uniform(m, dim, modes, points, eps, 2);
  const StageSeconds none = uniform(m, dim, modes, 1, eps, 2);
  return std::max((all.execute - none.execute) / static_cast<double>(points), least);
}

/// Measures spreading: a wide and a narrow window tell its parts apart.
void measureSpreading(Material &m, NufftConstants &c) {
  const double few = spread(m, 1, 500, Material::Points, 5),
               many = spread(m, 1, 500, Material::Points, 13);
  c.kernel = std::max((many - few) / (13 - 5), 0.05 * many);
  c.point1 = std::max(few - 5 * c.kernel, least);
  const auto parts = [&](int dim, std::int64_t modes, std::int64_t points, int narrow, int wide,
                         double &point, double &node) {
    const double a = spread(m, dim, modes, points, narrow) - dim * narrow * c.kernel;
    const double b = spread(m, dim, modes, points, wide) - dim * wide * c.kernel;
    node = std::max((b - a) / (std::pow(wide, dim) - std::pow(narrow, dim)), least);
    point = std::max(a - std::pow(narrow, dim) * node, least);
  };
  parts(2, 100, 15000, 6, 14, c.point2, c.spread2);
  parts(3, 20, 4000, 5, 10, c.point3, c.spread3);
}

/// Seconds of FFTs with one point: what is left after the fine grid is made and the modes are
/// taken.
double fftSeconds(Material &m, const NufftConstants &c, std::int64_t modes, int times) {
  const StageSeconds t = uniform(m, 2, modes, 1, 1e-6, 1.25, times);
  const double rest = t.execute - t.fine * c.fine - static_cast<double>(modes * modes) * c.mode;
  return std::max(rest, 0.3 * t.execute) / (t.fine * std::log2(t.fine));
}

/// Seconds to make one target of type 3, 2-D, ready.
double targetSeconds(Material &m) {
  constexpr std::int64_t targets = 10000;
  NufftCall call;
  call.type = 3, call.dim = 2, call.eps = 1e-6;
  call.modes = {targets, 1, 1};
  call.largest = {std::numbers::pi, std::numbers::pi, 0};
  setSizes(call, 1.25, {std::numbers::pi, std::numbers::pi, 0});
  const std::array<const double *, 3> at{m.x[0].data(), m.x[1].data(), m.x[2].data()};
  const auto once = [&] {
    const auto plan = Nonuniform::make(call);
    return secondsOf([&] { plan->setPoints(1, at, targets, at, alone); });
  };
  return std::min(once(), once()) / static_cast<double>(targets);
}

} // namespace

NufftConstants measureNufftConstants() {
  Material m;
  NufftConstants c;
  measureLoops(m, c);
  measureMemory(c);
  measureSpreading(m, c);
  const StageSeconds one = uniform(m, 2, 90, Material::Points, 1e-6, 2, 1);
  c.sort = std::max(one.sort / static_cast<double>(Material::Points), least);
  c.plan = std::max(one.plan, least);

  c.fft = fftSeconds(m, c, 250, 3);
  // A grid of 25 MB; the constant is for 64 MB: callCost interpolates by the logarithm from 2 MiB.
  const double fineBytes = 16.0 * 1250 * 1250;
  c.fftMemory =
      c.fft + std::max(0.0, fftSeconds(m, c, 1000, 3) - c.fft) * 5 / (std::log2(fineBytes) - 21);

  c.call = std::max(uniform(m, 1, 8, 1, 1e-6, 2, 5).execute, least);
  c.target = std::max(targetSeconds(m) - c.sort, least) / 2;
  return c;
}

} // namespace facet::runtime
