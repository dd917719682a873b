// nonuniform.cpp - transforms between points and waves: spread, transformed, corrected; and
// backwards.
//
// Type 1: points are spread to a fine grid; its Fourier transform, divided by the window's, is the
// result. Type 3: the nodes of the fine grid are the points of a transform to waves anywhere, which
// is done backwards. The nodes are put as modes on a grid that is finer still, and transformed.
// Then waves read the window about them (Lee and Greengard, J. Comput. Phys. 206 (2005) 1).
#include "runtime/engine/transform/nufft/nonuniform.h"
#include "runtime/engine/transform/nufft/layout.h"
#include <algorithm>
#include <cmath>
#include <numbers>

namespace facet::runtime {
namespace {

using Complex = std::complex<double>;
constexpr std::int64_t Block = 4096; // numbers of a task

/// i^power scale^power.
Complex turned(int power, double scale) {
  const std::array<Complex, 4> turns{Complex(1), Complex(0, 1), Complex(-1), Complex(0, -1)};
  return turns[power % 4] * std::pow(scale, power);
}

} // namespace

Nonuniform::Nonuniform(const NufftCall &call)
    : call_(call), tiles_(call.dim, call.fine, Window(call.width, call.upsampling, call.degree > 0),
                          call.type == 3) {
  for (std::uint8_t d = 0; d < call.dim; ++d)
    if (call.slopes[d]) {
      if (slopes_.empty())
        slopes_.emplace_back();
      slopes_.emplace_back()[d] = 1;
    }
  if (call.type == 3)
    inner_.emplace(call.dim, call.inner, Window(call.width, call.upsampling, !slopes_.empty()));
  else
    for (int d = 0; d < call.dim; ++d)
      spacing_[d] = static_cast<double>(call.fine[d]) / (2 * std::numbers::pi);
  correctModes();
}

void Nonuniform::correctModes() {
  for (int d = 0; d < 3; ++d) {
    const std::int64_t n = d < call_.dim ? (inner_ ? call_.fine : call_.modes)[d] : 1,
                       all = d < call_.dim ? ring()[d] : 1;
    modes_[d] = {-(n / 2), n};
    for (std::int64_t i = 0; i < n; ++i) {
      // Nodes are a ring, too: the second half of them is below 0.
      const std::int64_t m = inner_ ? (i < (n + 1) / 2 ? i : i - n) : i - n / 2;
      place_[d].push_back(m < 0 ? m + all : m);
      correction_[d].push_back(d < call_.dim ? 1 / tiles_.window().fourier(static_cast<double>(m) /
                                                                           static_cast<double>(all))
                                             : 1);
    }
  }
}

std::int64_t Nonuniform::together() const {
  constexpr std::int64_t bytes = 1 << 26;
  const std::int64_t each =
      static_cast<std::int64_t>(sizeof(Complex)) * (product(ring()) + (inner_ ? tiles_.size() : 0));
  return std::clamp<std::int64_t>(bytes / each, 1, std::max(call_.batch, 1));
}

void Nonuniform::setPoints(std::int64_t n, const std::array<const double *, 3> &xyz,
                           std::int64_t waves, const std::array<const double *, 3> &stu,
                           const NufftParallel &parallel) {
  points_ = n;
  if (inner_ && std::ssize(waves_) != waves)
    fitWaves(waves, stu, parallel);
  tiles_.setPoints(n, xyz, spacing_, parallel);
}

/// Makes the fine grid as coarse as its waves allow: e^{i s x} has two times `upsampling` nodes a
/// wave at the largest s.
void Nonuniform::fitWaves(std::int64_t waves, const std::array<const double *, 3> &stu,
                          const NufftParallel &parallel) {
  std::array<double, 3> places{};
  for (int d = 0; d < call_.dim; ++d) {
    spacing_[d] = call_.upsampling * call_.largest[d] / std::numbers::pi;
    const auto n = static_cast<double>(call_.inner[d]);
    places[d] = n / (2 * std::numbers::pi * spacing_[d]);
  }
  inner_->setPoints(waves, stu, places, parallel);
  waves_.assign(waves, 1);
  places_.clear();
  for (std::size_t k = 1; k < slopes_.size(); ++k)
    for (int d = 0; d < call_.dim; ++d)
      if (slopes_[k][d] > 0)
        places_.push_back(places[d]);
  bends_.resize(places_.size() * waves);
  parallel((waves + Block - 1) / Block, [&](std::int64_t task) {
    for (std::int64_t k = task * Block; k < std::min(waves, (task + 1) * Block); ++k)
      for (int d = 0; d < call_.dim; ++d)
        waves_[k] /= tiles_.window().fourier(stu[d][k] / (2 * std::numbers::pi * spacing_[d]));
    for (std::size_t s = 0; s < places_.size(); ++s) {
      const auto d = std::ranges::find(slopes_[s + 1], 1) - slopes_[s + 1].begin();
      const double unit = 1 / (2 * std::numbers::pi * spacing_[d]);
      for (std::int64_t k = task * Block; k < std::min(waves, (task + 1) * Block); ++k)
        bends_[s * waves + k] = -unit * tiles_.window().fourierSlope(unit * stu[d][k]);
    }
  });
}

template <class Use>
void Nonuniform::eachMode(const NufftParallel &parallel, const Use &use) const {
  const std::array<std::int64_t, 3> n{std::ssize(place_[0]), std::ssize(place_[1]),
                                      std::ssize(place_[2])};
  const std::int64_t some = std::max<std::int64_t>(1, Block / n[0]), rows = n[1] * n[2];
  parallel((rows + some - 1) / some, [&](std::int64_t task) {
    for (std::int64_t row = task * some; row < std::min(rows, (task + 1) * some); ++row) {
      const std::int64_t y = row % n[1], z = row / n[1];
      const std::int64_t first = (place_[2][z] * ring()[1] + place_[1][y]) * ring()[0];
      const double by = correction_[1][y] * correction_[2][z];
      for (std::int64_t x = 0; x < n[0]; ++x)
        use(row * n[0] + x, first + place_[0][x], by * correction_[0][x]);
    }
  });
}

void Nonuniform::take(const Complex *grid, Complex *modes, const NufftParallel &parallel) const {
  eachMode(parallel,
           [&](std::int64_t mode, std::int64_t node, double by) { modes[mode] = by * grid[node]; });
}

void Nonuniform::put(const Complex *modes, Complex *grid, const NufftParallel &parallel) const {
  eachMode(parallel,
           [&](std::int64_t mode, std::int64_t node, double by) { grid[node] = by * modes[mode]; });
}

void Nonuniform::execute(std::span<const Complex *const> strengths, std::span<Complex *const> out,
                         const NufftParallel &parallel) {
  const std::int64_t some = together(), size = product(ring());
  grids_.resize(std::min(some, std::ssize(strengths)) * size);
  for (std::int64_t k = 0; k < std::ssize(strengths); k += some) {
    const std::int64_t count = std::min(some, std::ssize(strengths) - k);
    if (!inner_) {
      tiles_.spread(strengths.subspan(k, count), grids_.data(), parallel);
    } else {
      fine_.resize(count * tiles_.size());
      tiles_.spread(strengths.subspan(k, count), fine_.data(), parallel);
      for (std::int64_t i = 0; i < count; ++i)
        put(fine_.data() + i * tiles_.size(), grids_.data() + i * size, parallel);
    }
    transformGrids(grids_.data(), static_cast<int>(count), call_.dim, ring(),
                   inner_ ? modes_ : reach(), inner_ ? reach() : modes_, +1, parallel);
    if (!inner_) {
      for (std::int64_t i = 0; i < count; ++i)
        take(grids_.data() + i * size, out[k + i], parallel);
      continue;
    }
    const std::int64_t each = 1 + std::ssize(places_);
    const auto here = out.subspan(k * each, count * each);
    inner_->interpolate(grids_.data(), static_cast<int>(count), slopes_, here, parallel);
    correctWaves(count, here, parallel);
  }
}

void Nonuniform::correctWaves(std::int64_t count, std::span<Complex *const> out,
                              const NufftParallel &parallel) const {
  const std::int64_t waves = std::ssize(waves_), tasks = (waves + Block - 1) / Block,
                     each = 1 + std::ssize(places_);
  parallel(count * tasks, [&](std::int64_t task) {
    const std::int64_t from = task % tasks * Block, end = std::min(waves, from + Block);
    Complex *const *to = out.data() + task / tasks * each;
    for (std::int64_t s = 0; s < each - 1; ++s)
      for (std::int64_t i = from; i < end; ++i)
        to[s + 1][i] = waves_[i] * (places_[s] * to[s + 1][i] + bends_[s * waves + i] * to[0][i]);
    for (std::int64_t i = from; i < end; ++i)
      to[0][i] *= waves_[i];
  });
}

void Nonuniform::adjoint(std::span<const Complex *const> in, std::span<const Orders> powers,
                         std::span<Complex *const> strengths, const NufftParallel &parallel) {
  const std::int64_t some = together(), each = std::max<std::int64_t>(std::ssize(powers), 1);
  for (std::int64_t k = 0; k < std::ssize(in); k += some) {
    const std::int64_t count = std::min(some, std::ssize(in) - k);
    back(in.subspan(k, count), powers, strengths.subspan(k * each, count * each), parallel);
  }
}

void Nonuniform::back(std::span<const Complex *const> in, std::span<const Orders> powers,
                      std::span<Complex *const> strengths, const NufftParallel &parallel) {
  const std::int64_t count = std::ssize(in), size = product(ring());
  grids_.resize(count * size);
  if (!inner_) {
    for (std::int64_t i = 0; i < count; ++i)
      put(in[i], grids_.data() + i * size, parallel);
  } else {
    const std::int64_t waves = std::ssize(waves_);
    std::vector<Complex> corrected(count * waves);
    std::vector<const Complex *> from;
    for (std::int64_t i = 0; i < count; ++i)
      from.push_back(corrected.data() + i * waves);
    parallel((waves + Block - 1) / Block, [&](std::int64_t task) {
      for (std::int64_t j = task * Block; j < std::min(waves, (task + 1) * Block); ++j)
        for (std::int64_t i = 0; i < count; ++i)
          corrected[i * waves + j] = waves_[j] * in[i][j];
    });
    inner_->spread(from, grids_.data(), parallel);
  }
  transformGrids(grids_.data(), static_cast<int>(count), call_.dim, ring(),
                 inner_ ? reach() : modes_, inner_ ? modes_ : reach(), -1, parallel);
  const Complex *grids = grids_.data();
  if (inner_) {
    fine_.resize(count * tiles_.size());
    for (std::int64_t i = 0; i < count; ++i)
      take(grids_.data() + i * size, fine_.data() + i * tiles_.size(), parallel);
    grids = fine_.data();
  }
  tiles_.interpolate(grids, static_cast<int>(count), powers, strengths, parallel);
  // m e^{-i m x} = i d/dx e^{-i m x}.
  for (std::size_t s = 0; !powers.empty() && s < strengths.size(); ++s) {
    const Orders &orders = powers[s % powers.size()];
    const Complex by = turned(orders[0], spacing_[0]) * turned(orders[1], spacing_[1]) *
                       turned(orders[2], spacing_[2]);
    if (by != Complex(1))
      parallel((points_ + Block - 1) / Block, [&](std::int64_t task) {
        for (std::int64_t i = task * Block; i < std::min(points_, (task + 1) * Block); ++i)
          strengths[s][i] *= by;
      });
  }
}

} // namespace facet::runtime
