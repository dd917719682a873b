// nonuniform.h - one plan of Fourier transforms between points anywhere and waves of a grid, or
// waves anywhere.
#pragma once
#include "runtime/engine/transform/nufft/spread_loops.h"
#include "runtime/engine/transform/nufft/transforms.h"
#include <memory>
#include <span>

namespace facet::runtime {

/// Transforms of the shape of a call, sign +: strengths at points to waves, and back by the
/// conjugate transpose.
///   type 1   out[m] = sum over points of b e^{i m.x}, x in radians a mode, mode m counted from
///   -(modes / 2) type 3   out[k] = sum over points of b e^{i s_k.x}, x and s about 0
class Nonuniform {
public:
  using Complex = std::complex<double>;

  /// Grids have floats if the call says so, else doubles.
  static std::unique_ptr<Nonuniform> make(const NufftCall &call);
  Nonuniform() = default;
  Nonuniform(const Nonuniform &) = delete;
  Nonuniform &operator=(const Nonuniform &) = delete;
  virtual ~Nonuniform() = default;

  /// Sets the points, and for type 3 the waves. They are read, not kept.
  virtual void setPoints(std::int64_t n, const std::array<const double *, 3> &xyz,
                         std::int64_t waves, const std::array<const double *, 3> &stu,
                         const NufftParallel &parallel) = 0;

  /// Transforms strengths[k] to out[k]. If the call, which is of type 3 then, has slopes, the
  /// result is out[k * (1 + slopes)], and behind it are the derivatives by s along each of these
  /// axes.
  virtual void execute(std::span<const Complex *const> strengths, std::span<Complex *const> out,
                       const NufftParallel &parallel) = 0;

  /// strengths[k * powers + p] at each point = sum over waves of conj(e^{i m.x}) in[k], times m_x^i
  /// m_y^j m_z^l (for type 3, of s) with the orders of powers[p]. Without powers: that sum alone.
  virtual void adjoint(std::span<const Complex *const> in, std::span<const Orders> powers,
                       std::span<Complex *const> strengths, const NufftParallel &parallel) = 0;
};

} // namespace facet::runtime
