// answers.cpp - F of some records by the reference, posed and not, at a few q of mixed directions.
#include "runtime/experiment/scene/answers.h"
#include <algorithm>
#include <cmath>
#include <complex>
#include <facet/runtime/experiment.h>

namespace facet::runtime {
namespace {

using Q = std::array<double, 3>;
constexpr std::int64_t records = 64;
constexpr double tolerance = 1e-9; // of sum |term|: far above rounding, below any real difference

struct Value {
  std::complex<double> f;
  double size = 0; // sum |term| times |dF/dsum|
};

class Tried {
public:
  Tried(const Kernel &kernel, const Mesh &mesh, const std::vector<double> &params)
      : kernel_(kernel), params_(params), count_(mesh.size()) {
    for (int c = 0; c < kernel->column_count; ++c)
      columns_.push_back(column(mesh, kernel->columns[c]));
  }
  Value at(const Q &q, double times = 1) const {
    std::vector<const double *> columns;
    for (const std::vector<double> &values : columns_)
      columns.push_back(values.data());
    const double flat[6] = {times * q[0], 0, times * q[1], 0, times * q[2], 0};
    double f[2], sumAbs = 0, factor = 0;
    kernel_->reference(flat, 1, columns.data(), count_, params_.data(), f, &sumAbs, &factor);
    return {{f[0], f[1]}, sumAbs * factor};
  }

private:
  const Kernel &kernel_;
  const std::vector<double> &params_;
  std::int64_t count_;
  std::vector<std::vector<double>> columns_;
};

bool same(double a, double b, double size) { return std::abs(a - b) <= tolerance * size; }

/// The d of F_s(q) = s^d F(s q), from the first q, if it holds at all of them.
std::optional<int> powerOf(const Tried &one, const Tried &sized, double scale,
                           const std::vector<Q> &qs) {
  const double ratio = std::abs(sized.at(qs[0]).f) / std::abs(one.at(qs[0], scale).f);
  const double power = std::round(std::log(ratio) / std::log(scale));
  if (!std::isfinite(power) || std::abs(power) > 6)
    return {};
  const double factor = std::pow(scale, power);
  for (const Q &q : qs) {
    const Value a = sized.at(q), b = one.at(q, scale);
    if (!(std::abs(a.f - factor * b.f) <= tolerance * (a.size + factor * b.size)))
      return {};
  }
  return static_cast<int>(power);
}

} // namespace

Answers answersOf(const Kernel &kernel, const MeshBlocks &mesh, const std::vector<double> &params,
                  double radius) {
  const Mesh some = thinned(mesh, records);
  const std::array<double, 9> asItIs{1, 0, 0, 0, 1, 0, 0, 0, 1}, matrix = eulerZyz({37, 63, 101});
  constexpr double scale = 1.25;
  const double k = radius > 0 ? 1 / radius : 1;
  const std::vector<Q> qs{{0.4 * k, -0.7 * k, 1.1 * k},
                          {-1.3 * k, 0.2 * k, 0.5 * k},
                          {0.9 * k, 1.6 * k, -0.3 * k},
                          {2.1 * k, -0.8 * k, 1.7 * k}};
  const Tried one(kernel, some, params), sized(kernel, posed(some, {}, scale, asItIs), params),
      turned(kernel, posed(some, {}, 1, matrix), params);
  Answers answers{powerOf(one, sized, scale, qs), true, true};
  for (const Q &q : qs) {
    const Value here = one.at(q);
    Q with{};
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j)
        with[i] += matrix[3 * i + j] * q[j];
    answers.mirrored =
        answers.mirrored && same(std::abs(one.at(q, -1).f), std::abs(here.f), here.size);
    answers.turns = answers.turns && same(std::abs(turned.at(with).f), std::abs(here.f), here.size);
  }
  return answers;
}

} // namespace facet::runtime
