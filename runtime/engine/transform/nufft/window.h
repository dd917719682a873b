// window.h - the window that points are spread with: its polynomials, its Fourier transform, its
// error.
#pragma once
#include <array>
#include <vector>

namespace facet::runtime {

/// The Kaiser-Bessel window phi(x) = I0(beta sqrt(1 - (2x/w)^2)) / I0(beta), abs(x) <= w / 2. x is
/// in nodes of a grid that is `upsampling` times finer than the waves on it need. It takes
/// a beta slightly less than pi w (1 - 1 / (2 upsampling)) (Potts and Steidl, SIAM J. Sci. Comput.
/// 24 (2003) 2013; Barnett, Magland and af Klinteberg, ibid. 41 (2019) C479, section 3.1).
class Window {
public:
  static constexpr int Narrowest = 2, Widest = 16;
  /// Nodes that the loops work on at a time: widths are made even by a node of weight 0.
  static constexpr int Padded = 16;

  /// `slopes`: with two derivatives.
  Window(int width, double upsampling, bool slopes = false);

  int width() const { return width_; }
  /// phi at node j of a point, and its derivatives by the point's place, are polynomials in t = 2z
  /// - 1, with z in [0, 1) how far the first node lies behind the window's end:
  /// coefficients(order)[k * Padded + j] is that of t^(degree - k).
  int degree() const { return degree_; }
  const std::vector<double> &coefficients(int order = 0) const { return coefficients_[order]; }
  /// The integral of phi(x) e^{2 pi i k x}, k in cycles a node.
  double fourier(double k) const;
  /// The derivative of the logarithm of fourier() by k.
  double fourierSlope(double k) const;

private:
  int width_;
  double beta_, middle_; // I0(beta)
  int degree_ = 0;
  std::array<std::vector<double>, 3> coefficients_;

  std::array<double, 3> slopesAt(double y) const;
};

/// The largest error of a wave that is spread by the window and corrected by its Fourier transform,
/// relative to its size, for each axis.
double windowError(int width, double upsampling);
/// The largest error of a wave by rounding, relative to its size, where the grid of `axes` axes has
/// floats. The finest wave is divided by the least of the window's Fourier transform.
double singleError(int width, int axes, double upsampling);
/// How many times as much as the wave the derivative of this order errs, each relative to its size
/// for the finest wave. It errs more because waves that leak in are finer, and because at the
/// window's end its slope has an edge, though the window has none.
double slopeErrors(int order, double upsampling);
/// The narrowest window whose error along `axes` axes together is at most eps; above
/// Window::Widest: none has.
int windowWidth(double eps, int axes, double upsampling);

} // namespace facet::runtime
