// sum_check.h - what a sum must give on random triangles, and how far a compiled one is from it.
#pragma once
#include "sum_call.h"
#include <functional>

namespace facet::test {

/// Records, and extents of the grid; points: nx * ny * nz of them.
struct Size {
  int nt, nx, ny, nz;
};

/// F at a sample of q, the terms evaluated and summed in double as the IR of `source` says.
struct Expected {
  Size size;
  std::vector<ir::Point> mesh;
  Grid grid;                        // without padding
  std::vector<std::size_t> samples; // indices of q, in the order of the sums without padding
  std::vector<ir::Complex> f;
  double n = 0; // of the accuracy contract: max|F|, or the bound of the terms if that is ten
                // times larger
};
/// `source`: before any pass but specialise. `extent`: edge of the cube of the triangles, nm; |q|
/// to 2 nm^-1, Im q.z to 2 / extent.
Expected expect(const ir::Kernel &source, const passes::Variant &variant, Size size, double extent,
                std::size_t samples = 6);

/// max|F - Fref| / N over the samples; `sumAt` gives the sum at x, y, z (points: the point, three
/// times).
double worstOf(const ir::Kernel &kernel, bool points, const Expected &expected,
               const std::function<ir::Complex(std::size_t, std::size_t, std::size_t)> &sumAt);
/// The same for a compiled sum.
double errorOf(const lower::SumKernel &sum, const SumCall &call, const Expected &expected);

/// A kernel through its passes, with the default knobs.
lower::SumKernel compiled(const ir::Kernel &source, const std::string &target,
                          const passes::Variant &variant);
/// "direct_f32_careful_points_real": a test's name.
std::string nameOf(const passes::Variant &variant);
/// A kernel's own text with the axes of the variant: real if its q is.
ir::Kernel sourceFor(const std::string &text, const passes::Variant &variant);

} // namespace facet::test
