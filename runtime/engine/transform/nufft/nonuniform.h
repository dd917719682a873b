// nonuniform.h - one plan of Fourier transforms between points anywhere and waves of a grid, or
// waves anywhere.
#pragma once
#include "runtime/engine/transform/nufft/fft.h"
#include "runtime/engine/transform/nufft/tiles.h"
#include <optional>

namespace facet::runtime {

/// Transforms of the shape of a call, sign +: strengths at points to waves, and back by the
/// conjugate transpose.
///   type 1   out[m] = sum over points of b e^{i m.x}, x in radians a mode, mode m counted from
///   -(modes / 2) type 3   out[k] = sum over points of b e^{i s_k.x}, x and s about 0
class Nonuniform {
public:
  using Complex = std::complex<double>;

  explicit Nonuniform(const NufftCall &call);

  /// Sets the points, and for type 3 the waves. They are read, not kept.
  void setPoints(std::int64_t n, const std::array<const double *, 3> &xyz, std::int64_t waves,
                 const std::array<const double *, 3> &stu, const NufftParallel &parallel);

  /// Transforms strengths[k] to out[k]. If the call, which is of type 3 then, has slopes, the
  /// result is out[k * (1 + slopes)], and behind it are the derivatives by s along each of these
  /// axes.
  void execute(std::span<const Complex *const> strengths, std::span<Complex *const> out,
               const NufftParallel &parallel);

  /// strengths[k * powers + p] at each point = sum over waves of conj(e^{i m.x}) in[k], times m_x^i
  /// m_y^j m_z^l (for type 3, of s) with the orders of powers[p]. Without powers: that sum alone.
  void adjoint(std::span<const Complex *const> in, std::span<const Orders> powers,
               std::span<Complex *const> strengths, const NufftParallel &parallel);

private:
  NufftCall call_;
  std::int64_t points_ = 0;
  Tiles tiles_;                            // of the points, on the fine grid
  std::optional<Tiles> inner_;             // type 3: of the waves, on a grid that is finer still
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
  std::vector<Complex> fine_, grids_; // type 3: the fine grids; those that are transformed

  const std::array<std::int64_t, 3> &ring() const { return inner_ ? call_.inner : call_.fine; }
  /// The nodes that windows reach on the grid that is transformed: windows of the points, or for
  /// type 3 of the waves.
  const std::array<Ring, 3> &reach() const { return inner_ ? inner_->covered() : tiles_.covered(); }
  std::int64_t together() const;
  void correctModes();
  /// Corrects what is read at the waves, for `count` transforms, each with its derivatives.
  void correctWaves(std::int64_t count, std::span<Complex *const> out,
                    const NufftParallel &parallel) const;
  void fitWaves(std::int64_t waves, const std::array<const double *, 3> &stu,
                const NufftParallel &parallel);
  /// Takes modes times their corrections from a grid, and puts them to it.
  void take(const Complex *grid, Complex *modes, const NufftParallel &parallel) const;
  void put(const Complex *modes, Complex *grid, const NufftParallel &parallel) const;
  /// Calls use(mode, node, correction) for each mode.
  template <class Use> void eachMode(const NufftParallel &parallel, const Use &use) const;
  /// Takes the modes of some transforms back to the points.
  void back(std::span<const Complex *const> modes, std::span<const Orders> powers,
            std::span<Complex *const> strengths, const NufftParallel &parallel);
};

} // namespace facet::runtime
