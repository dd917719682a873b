// grid.h - grids of q: a product of three axes, or a list of points.
#pragma once
#include <array>
#include <complex>
#include <cstdint>
#include <string>
#include <vector>

namespace facet::runtime {

/// One axis of a product grid, or one component of a list of points. nm^-1.
struct Axis {
  std::vector<double> re, im; // im empty if the component is real
  bool isComplex() const { return !im.empty(); }
};

struct Grid {
  enum class Kind { Product, Points } kind = Kind::Product;
  std::array<Axis, 3> axes; // Points: three lists of equal length
  std::int64_t size() const;
  std::array<std::int64_t, 3> extents() const; // Points: {n, 1, 1}
  bool complexQ() const;
  /// q of the flat index (z fastest).
  std::array<std::complex<double>, 3> at(std::int64_t index) const;
  /// Where its first values lie on the axes of the grid that it is a part of.
  std::array<std::int64_t, 3> first{};
  /// The places on these axes of the flat index of a product.
  std::array<std::int64_t, 3> placesOf(std::int64_t index) const;
  /// Rows and columns if a list of points is an image (a detector); 0 if it is not.
  std::int64_t imageRows = 0, imageColumns = 0;
};

/// n equidistant values, both ends included; n = 1: `from`.
Axis linspace(double from, double to, std::int64_t n);
/// Accepts a number "0.1", a list "0.1,0.2,0.5", "from:to:n" ("-2:2:500"), "log from:to:n"
/// ("log 0.01:5:200"), each with a constant imaginary part at the end ("0:2:200+0.01i").
/// Throws Error with the text and what is accepted.
Axis parseAxis(const std::string &text);
/// A list of points from a file: text with three columns qx qy qz, or six (then qx_im qy_im qz_im),
/// or a header line naming them; "# rows R columns C" makes it an image. HDF5: /qx /qy /qz [/qx_im
/// ...], 1-D, or [rows, columns] for an image; with attribute grid = "product" (or unequal
/// lengths), axes.
Grid readGrid(const std::string &path);
/// Throws Error for an axis of length 0, NaN or infinity, lists of unequal length.
void check(const Grid &grid);

} // namespace facet::runtime
