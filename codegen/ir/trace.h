// trace.h - every value of a kernel for one record and q, in arithmetic of three formats, and how
// much of the result the rounding of one value moves.
#pragma once
#include "evaluate.h"

namespace facet::ir {

/// F32: as a sum in single precision computes the values of this IR. What is wide, of the record
/// alone before it is packed, or in another region than the sum is in double, as facet has it.
/// Extended: long double.
enum class Format : std::uint8_t { F32, F64, Extended };

/// A value in any of the formats, exactly; scalars use component 0, bools 0 and 1.
using ExtendedVector = std::array<std::complex<long double>, 3>;

/// A number in the place of what the operation of a value gives.
struct Substitute {
  const Region *region; // of the kernel
  Id id;
  ExtendedVector value;
};

/// A kernel carried out for a mesh of one record. The kernel is annotated, and outlives the trace.
class Trace {
public:
  /// Throws ir::Error for a column or a parameter without a value. `instead`: none if null.
  Trace(const Kernel &kernel, const Point &point, Format format,
        const Substitute *instead = nullptr);
  /// The values of a region of the kernel, each at its number; leaves as they are read.
  std::vector<ExtendedVector> values(const Region &region) const;
  /// The sums over the one record: components of the term, or transforms; and F, by outputs.
  const std::vector<Complex> &sums() const { return point_.sums; }
  const std::vector<Complex> &outputs() const { return outputs_; }

private:
  std::vector<ExtendedVector> values(const Region &region, const Point &point) const;

  const Kernel &kernel_;
  Format format_;
  const Substitute *instead_;
  Point point_; // with the scalars and sums
  std::vector<Complex> outputs_;
};

/// What differs between two formats of a kernel at a point, value by value.
class RoundingEffect {
public:
  /// `coarse` is judged by `fine`. `scales`: of the sums, what a change of them is relative to.
  RoundingEffect(const Kernel &kernel, const Point &point, Format coarse, Format fine,
                 std::vector<double> scales);
  /// By how much of their scale the sums move (values of finish: F, by its own size) if this value
  /// alone has what it has in the coarse format. 0 of leaves and
  /// values of origin.
  double of(const Region &region, Id id) const;

private:
  const Kernel &kernel_;
  const Point &point_;
  Format fine_;
  std::vector<double> scales_;
  Trace coarseTrace_, fineTrace_;
};

} // namespace facet::ir
