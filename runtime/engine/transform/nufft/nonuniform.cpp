// nonuniform.cpp - transforms between points and waves: spread, transformed, corrected; and
// backwards.
//
// Type 1: points are spread to a fine grid; its Fourier transform, divided by the window's, is the
// result. Type 3: the nodes of the fine grid are the points of a transform to waves anywhere, which
// is done backwards. The nodes are put as modes on a grid that is finer still, and transformed.
// Then waves read the window about them (Lee and Greengard, J. Comput. Phys. 206 (2005) 1).
#include "runtime/engine/transform/nufft/nonuniform.h"
#include "runtime/engine/transform/nufft/fft.h"
#include "runtime/engine/transform/nufft/layout.h"
#include "runtime/engine/transform/nufft/tiles.h"
#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

namespace facet::runtime {
namespace {

using Complex = std::complex<double>;
constexpr std::int64_t Block = 4096; // numbers of a task

/// i^power scale^power.
Complex turned(int power, double scale) {
  const std::array<Complex, 4> turns{Complex(1), Complex(0, 1), Complex(-1), Complex(0, -1)};
  return turns[power % 4] * std::pow(scale, power);
}

/// The power of two that brings the largest of n numbers to about 1, so that floats can hold them;
/// for doubles 1.
template <class T> double scaleOf(const Complex *numbers, std::int64_t n) {
  const auto *const values = reinterpret_cast<const double *>(numbers);
  const double most = sizeof(T) < sizeof(double) ? largestOf(values, 2 * n) : 0;
  return most > 0 && std::isfinite(most) ? std::ldexp(1.0, -std::ilogb(most)) : 1;
}
template <class T>
std::vector<double> scalesOf(std::span<const Complex *const> numbers, std::int64_t n) {
  std::vector<double> scales;
  for (const Complex *of : numbers)
    scales.push_back(scaleOf<T>(of, n));
  return scales;
}

/// A plan whose grids have numbers of T, float or double.
template <class T> class NonuniformOf final : public Nonuniform {
public:
  explicit NonuniformOf(const NufftCall &call);
  void setPoints(std::int64_t n, const std::array<const double *, 3> &xyz, std::int64_t waves,
                 const std::array<const double *, 3> &stu, const NufftParallel &parallel) override;
  void execute(std::span<const Complex *const> strengths, std::span<Complex *const> out,
               const NufftParallel &parallel) override;
  void adjoint(std::span<const Complex *const> in, std::span<const Orders> powers,
               std::span<Complex *const> strengths, const NufftParallel &parallel) override;

private:
  using Node = std::complex<T>;

  NufftCall call_;
  std::int64_t points_ = 0;
  Tiles<T> tiles_;                         // of the points, on the fine grid
  std::optional<Tiles<T>> inner_;          // type 3: of the waves, on a grid that is finer still
  std::array<double, 3> spacing_{1, 1, 1}; // nodes of the fine grid per unit of x
  /// What is corrected: modes of the fine grid (type 1), or its nodes, which are modes of the inner
  /// one (type 3). For each axis: where each is in the ring, and its correction.
  std::array<std::vector<std::int64_t>, 3> place_;
  std::array<std::vector<double>, 3> correction_;
  std::array<Ring, 3> modes_;  // of the grid that is transformed
  std::vector<double> waves_;  // type 3: the correction of each wave
  std::vector<Orders> slopes_; // how a wave's window is read: itself, its derivatives
  std::vector<double> places_; // nodes per unit of s, by derivative
  std::vector<double> bends_;  // derivatives of the logarithms of corrections, [derivative][wave]
  std::vector<Node> fine_, grids_; // type 3: the fine grids; those that are transformed

  const std::array<std::int64_t, 3> &ring() const { return inner_ ? call_.inner : call_.fine; }
  /// The nodes that windows reach on the grid that is transformed: windows of the points, or for
  /// type 3 of the waves.
  const std::array<Ring, 3> &reach() const { return inner_ ? inner_->covered() : tiles_.covered(); }
  std::int64_t together() const;
  void correctModes();
  /// Corrects what is read at the waves, for as many transforms as scales, each with its
  /// derivatives.
  void correctWaves(std::span<const double> scales, std::span<Complex *const> out,
                    const NufftParallel &parallel) const;
  void fitWaves(std::int64_t waves, const std::array<const double *, 3> &stu,
                const NufftParallel &parallel);
  /// Takes modes times their corrections from a grid that is `scale` times as large, and puts them
  /// to one.
  template <class Mode>
  void take(const Node *grid, Mode *modes, double scale, const NufftParallel &parallel) const;
  template <class Mode>
  void put(const Mode *modes, Node *grid, double scale, const NufftParallel &parallel) const;
  /// Calls use(mode, node, corrections, factor, n) for n modes that follow each other, until all
  /// are done. They are corrected by the product.
  template <class Use>
  void eachMode(double factor, const NufftParallel &parallel, const Use &use) const;
  /// Multiplies derivatives at the points by what makes them powers of waves, over scales.
  void multiply(std::span<const Orders> powers, std::span<const double> scales,
                std::span<Complex *const> strengths, const NufftParallel &parallel) const;
  /// Takes the modes of some transforms back to the points.
  void back(std::span<const Complex *const> modes, std::span<const Orders> powers,
            std::span<Complex *const> strengths, const NufftParallel &parallel);
};

template <class T>
NonuniformOf<T>::NonuniformOf(const NufftCall &call)
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

template <class T> void NonuniformOf<T>::correctModes() {
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

template <class T> std::int64_t NonuniformOf<T>::together() const {
  constexpr std::int64_t bytes = 1 << 26;
  const std::int64_t each =
      static_cast<std::int64_t>(sizeof(Node)) * (product(ring()) + (inner_ ? tiles_.size() : 0));
  return std::clamp<std::int64_t>(bytes / each, 1, std::max(call_.batch, 1));
}

template <class T>
void NonuniformOf<T>::setPoints(std::int64_t n, const std::array<const double *, 3> &xyz,
                                std::int64_t waves, const std::array<const double *, 3> &stu,
                                const NufftParallel &parallel) {
  points_ = n;
  if (inner_ && std::ssize(waves_) != waves)
    fitWaves(waves, stu, parallel);
  tiles_.setPoints(n, xyz, spacing_, parallel);
}

/// Makes the fine grid as coarse as its waves allow: e^{i s x} has two times `upsampling` nodes a
/// wave at the largest s.
template <class T>
void NonuniformOf<T>::fitWaves(std::int64_t waves, const std::array<const double *, 3> &stu,
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

template <class T>
template <class Use>
void NonuniformOf<T>::eachMode(double factor, const NufftParallel &parallel, const Use &use) const {
  const std::array<std::int64_t, 3> n{std::ssize(place_[0]), std::ssize(place_[1]),
                                      std::ssize(place_[2])};
  const std::int64_t each = std::max<std::int64_t>(1, Block / n[0]), rows = n[1] * n[2],
                     turn = inner_ ? (n[0] + 1) / 2 : n[0] / 2; // from here places begin at 0
  parallel((rows + each - 1) / each, [&](std::int64_t task) {
    for (std::int64_t row = task * each; row < std::min(rows, (task + 1) * each); ++row) {
      const std::int64_t y = row % n[1], z = row / n[1];
      const std::int64_t first = (place_[2][z] * ring()[1] + place_[1][y]) * ring()[0];
      const double by = factor * correction_[1][y] * correction_[2][z];
      const auto some = [&](std::int64_t x, std::int64_t end) {
        if (x < end)
          use(row * n[0] + x, first + place_[0][x], correction_[0].data() + x, by, end - x);
      };
      some(0, turn);
      some(turn, n[0]);
    }
  });
}

template <class T>
template <class Mode>
void NonuniformOf<T>::take(const Node *grid, Mode *modes, double scale,
                           const NufftParallel &parallel) const {
  eachMode(1 / scale, parallel,
           [&](std::int64_t mode, std::int64_t node, const double *by, double factor, auto n) {
             correctedOf(reinterpret_cast<const T *>(grid + node), by, factor,
                         reinterpret_cast<typename Mode::value_type *>(modes + mode), n);
           });
}

template <class T>
template <class Mode>
void NonuniformOf<T>::put(const Mode *modes, Node *grid, double scale,
                          const NufftParallel &parallel) const {
  eachMode(scale, parallel,
           [&](std::int64_t mode, std::int64_t node, const double *by, double factor, auto n) {
             correctedOf(reinterpret_cast<const typename Mode::value_type *>(modes + mode), by,
                         factor, reinterpret_cast<T *>(grid + node), n);
           });
}

template <class T>
void NonuniformOf<T>::execute(std::span<const Complex *const> strengths,
                              std::span<Complex *const> out, const NufftParallel &parallel) {
  const std::int64_t some = together(), size = product(ring());
  grids_.resize(std::min(some, std::ssize(strengths)) * size);
  for (std::int64_t k = 0; k < std::ssize(strengths); k += some) {
    const std::int64_t count = std::min(some, std::ssize(strengths) - k);
    const auto of = strengths.subspan(k, count);
    const std::vector<double> scales = scalesOf<T>(of, points_);
    if (!inner_) {
      tiles_.spread({of, scales}, grids_.data(), parallel);
    } else {
      fine_.resize(count * tiles_.size());
      tiles_.spread({of, scales}, fine_.data(), parallel);
      for (std::int64_t i = 0; i < count; ++i)
        put(fine_.data() + i * tiles_.size(), grids_.data() + i * size, 1, parallel);
    }
    transformGrids(grids_.data(), static_cast<int>(count), call_.dim, ring(),
                   inner_ ? modes_ : reach(), inner_ ? reach() : modes_, +1, parallel);
    if (!inner_) {
      for (std::int64_t i = 0; i < count; ++i)
        take(grids_.data() + i * size, out[k + i], scales[i], parallel);
      continue;
    }
    const std::int64_t each = 1 + std::ssize(places_);
    const auto here = out.subspan(k * each, count * each);
    inner_->interpolate(grids_.data(), static_cast<int>(count), slopes_, here, parallel);
    correctWaves(scales, here, parallel);
  }
}

template <class T>
void NonuniformOf<T>::correctWaves(std::span<const double> scales, std::span<Complex *const> out,
                                   const NufftParallel &parallel) const {
  const std::int64_t waves = std::ssize(waves_), tasks = (waves + Block - 1) / Block,
                     each = 1 + std::ssize(places_);
  parallel(std::ssize(scales) * tasks, [&](std::int64_t task) {
    const double unit = 1 / scales[task / tasks];
    const std::int64_t from = task % tasks * Block, end = std::min(waves, from + Block);
    Complex *const *to = out.data() + task / tasks * each;
    for (std::int64_t s = 0; s < each - 1; ++s)
      for (std::int64_t i = from; i < end; ++i)
        to[s + 1][i] =
            unit * waves_[i] * (places_[s] * to[s + 1][i] + bends_[s * waves + i] * to[0][i]);
    for (std::int64_t i = from; i < end; ++i)
      to[0][i] *= unit * waves_[i];
  });
}

template <class T>
void NonuniformOf<T>::adjoint(std::span<const Complex *const> in, std::span<const Orders> powers,
                              std::span<Complex *const> strengths, const NufftParallel &parallel) {
  const std::int64_t some = together(), each = std::max<std::int64_t>(std::ssize(powers), 1);
  for (std::int64_t k = 0; k < std::ssize(in); k += some) {
    const std::int64_t count = std::min(some, std::ssize(in) - k);
    back(in.subspan(k, count), powers, strengths.subspan(k * each, count * each), parallel);
  }
}

template <class T>
void NonuniformOf<T>::back(std::span<const Complex *const> in, std::span<const Orders> powers,
                           std::span<Complex *const> strengths, const NufftParallel &parallel) {
  const std::int64_t count = std::ssize(in), size = product(ring());
  const std::vector<double> scales =
      scalesOf<T>(in, inner_ ? std::ssize(waves_) : product(call_.modes));
  grids_.resize(count * size);
  if (!inner_) {
    for (std::int64_t i = 0; i < count; ++i)
      put(in[i], grids_.data() + i * size, scales[i], parallel);
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
    inner_->spread({from, scales}, grids_.data(), parallel);
  }
  transformGrids(grids_.data(), static_cast<int>(count), call_.dim, ring(),
                 inner_ ? reach() : modes_, inner_ ? modes_ : reach(), -1, parallel);
  const Node *grids = grids_.data();
  if (inner_) {
    fine_.resize(count * tiles_.size());
    for (std::int64_t i = 0; i < count; ++i)
      take(grids_.data() + i * size, fine_.data() + i * tiles_.size(), 1, parallel);
    grids = fine_.data();
  }
  tiles_.interpolate(grids, static_cast<int>(count), powers, strengths, parallel);
  multiply(powers, scales, strengths, parallel);
}

// m e^{-i m x} = i d/dx e^{-i m x}.
template <class T>
void NonuniformOf<T>::multiply(std::span<const Orders> powers, std::span<const double> scales,
                               std::span<Complex *const> strengths,
                               const NufftParallel &parallel) const {
  const std::size_t each = std::max<std::size_t>(powers.size(), 1);
  for (std::size_t s = 0; s < strengths.size(); ++s) {
    const Orders orders = powers.empty() ? Orders() : powers[s % each];
    const Complex by = turned(orders[0], spacing_[0]) * turned(orders[1], spacing_[1]) *
                       turned(orders[2], spacing_[2]) / scales[s / each];
    if (by != Complex(1))
      parallel((points_ + Block - 1) / Block, [&](std::int64_t task) {
        for (std::int64_t i = task * Block; i < std::min(points_, (task + 1) * Block); ++i)
          strengths[s][i] *= by;
      });
  }
}

} // namespace

std::unique_ptr<Nonuniform> Nonuniform::make(const NufftCall &call) {
  if (call.single)
    return std::make_unique<NonuniformOf<float>>(call);
  return std::make_unique<NonuniformOf<double>>(call);
}

} // namespace facet::runtime
