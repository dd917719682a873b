// slopes.cpp - combine at T = 1 and at T = i, all others that change 0: what F changes by with T
// and with conj(T).
#include "runtime/engine/derive/slopes.h"
#include "runtime/engine/derive/shared.h"
#include "runtime/engine/sum/points.h"
#include <algorithm>

namespace facet::runtime {
namespace {

using Complex = std::complex<double>;
using Values = std::vector<Complex>;

const double *numbers(const Values &z) { return reinterpret_cast<const double *>(z.data()); }

class SlopeMaker {
public:
  SlopeMaker(const SumContext &work, const facet_transforms &form, const FixedSums &fixed)
      : work_(work), form_(form), fixed_(fixed), outputs_(outputsOf(*work.kernel).size()),
        size_(static_cast<std::size_t>(work.grid.size())),
        parts_(work.grid.kind == Grid::Kind::Product, work.grid.extents()) {
    for (std::size_t k = 0; k < 3; ++k) {
      re_[k] = work.grid.axes[k].re;
      im_[k] = work.grid.axes[k].im;
      if (im_[k].empty() && form.q == FACET_COMPLEX_Q && work.kernel->complex_q[k] != 0)
        im_[k].assign(re_[k].size(), 0);
    }
  }

  Slopes make(const std::vector<PowerAxes> &axes) const {
    Slopes made;
    for (int wave = 0; wave < form_.waves; ++wave) {
      std::vector<SharedTransform> own;
      for (int j = 0; j < form_.transforms; ++j)
        if (form_.wave_of[j] == wave && fixed_.transforms[static_cast<std::size_t>(j)].empty())
          own.push_back({slope(j), {{j, 1}}});
      made.waves.push_back(
          shared(std::move(own), work_.grid, axes[static_cast<std::size_t>(wave)]));
    }
    for (int k = 0; k < form_.totals; ++k)
      made.totals.push_back(
          fixed_.total[static_cast<std::size_t>(k)] ? Slope() : slope(form_.transforms + k));
    return made;
  }

private:
  const SumContext &work_;
  const facet_transforms &form_;
  const FixedSums &fixed_;
  std::size_t outputs_, size_;
  GridParts parts_;
  std::array<std::vector<double>, 3> re_, im_; // of q, a product's axes or the list

  bool isReal(int j) const { return j < form_.transforms && form_.parts[j] == 1; }

  /// F where transform j, or total j - form.transforms, is `value` and all others that change are
  /// 0.
  Values ofUnit(int j, Complex value) const {
    Values f(outputs_ * size_);
    const auto longest = static_cast<std::size_t>(parts_.length());
    const Values zero(longest), one(longest, value);
    const std::vector<double> real(longest, value.real());
    const double *unit = isReal(j) ? real.data() : numbers(one);
    std::vector<double> totals = fixed_.totals;
    if (j >= form_.transforms) {
      const auto k = static_cast<std::size_t>(j - form_.transforms);
      totals[2 * k] = value.real();
      totals[2 * k + 1] = value.imag();
    }
    const auto combine = [&](std::int64_t k, int) {
      const GridPart part = parts_.part(k, re_, im_);
      std::array<double *, FACET_MOST_OUTPUTS> to{};
      for (std::size_t o = 0; o < outputs_; ++o)
        to[o] = reinterpret_cast<double *>(f.data() + o * size_ + part.first);
      std::vector<const double *> sums;
      for (int i = 0; i < form_.transforms; ++i) {
        const std::vector<double> &stays = fixed_.transforms[static_cast<std::size_t>(i)];
        sums.push_back(!stays.empty() ? stays.data() + form_.parts[i] * part.first
                       : i == j       ? unit
                                      : numbers(zero));
      }
      form_.combine(part.re, part.im, part.stride, part.count, work_.params.data(), totals.data(),
                    sums.data(), to.data());
    };
    work_.pool.run(parts_.size(), combine, {}, seconds::ofFinish * static_cast<double>(size_));
    for (const std::int64_t q : work_.zeros)
      for (std::size_t o = 0; o < outputs_; ++o)
        f[o * size_ + static_cast<std::size_t>(q)] = 0;
    return f;
  }

  Slope slope(int j) const {
    Slope made{ofUnit(j, 1), {}, static_cast<std::int64_t>(outputs_)};
    if (isReal(j))
      return made;
    made.conjugate = ofUnit(j, Complex(0, 1));
    constexpr double rounding = 1e-30; // of squares
    bool conjugates = false;
    for (std::size_t i = 0; i < made.linear.size(); ++i) {
      const Complex one = made.linear[i], turned = Complex(0, -1) * made.conjugate[i];
      made.linear[i] = 0.5 * (one + turned);
      made.conjugate[i] = 0.5 * (one - turned);
      conjugates |= std::norm(made.conjugate[i]) > rounding * std::norm(one);
    }
    if (!conjugates)
      made.conjugate.clear();
    return made;
  }
};

} // namespace

Values Slope::cotangent(const Values &g, Pool &pool) const {
  const std::size_t size = linear.size() / static_cast<std::size_t>(outputs);
  Values made(size);
  constexpr std::size_t tasks = 16;
  const auto some = [&](std::int64_t task, int) {
    const auto k = static_cast<std::size_t>(task);
    for (std::size_t first = 0; first < linear.size(); first += size)
      for (std::size_t i = size * k / tasks; i < size * (k + 1) / tasks; ++i) {
        if (g[first + i] == 0.0) // where F does not count, as at q = 0 where it is NaN
          continue;
        made[i] += std::conj(linear[first + i]) * g[first + i];
        if (!conjugate.empty())
          made[i] += conjugate[first + i] * std::conj(g[first + i]);
      }
  };
  pool.run(tasks, some, {}, seconds::ofTerm * static_cast<double>(size));
  return made;
}

Slopes slopesOf(const SumContext &work, const facet_transforms &form, const FixedSums &fixed,
                const std::vector<PowerAxes> &axes) {
  return SlopeMaker(work, form, fixed).make(axes);
}

} // namespace facet::runtime
