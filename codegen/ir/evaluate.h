// evaluate.h - the IR evaluated in plain double: what passes are checked with, point by point.
#pragma once
#include "ir.h"
#include <complex>
#include <functional>
#include <map>
#include <optional>

namespace facet::ir {

using Complex = std::complex<double>;
using Vector = std::array<Complex, 3>;

/// The inputs of one evaluation. Columns are looked up by field name; scalars use component 0.
struct Point {
  Vector q{};
  std::map<std::string, Vector, std::less<>> record;
  std::map<std::string, double, std::less<>> params;
  Complex sum{};                         // of a term of one component
  std::vector<Complex> sums{}, totals{}; // of components or transforms; record-only sums
  std::vector<Complex> rest{};           // of the mixed records, by components; those not there: 0
  /// Gives finish the sums of the components.
  void setSums(const std::vector<Complex> &components);
};

/// The outputs of a region at a point, in the order they are yielded. Packed leaves are evaluated
/// through kernel.pack. Double, whatever the class.
std::vector<Vector> evaluate(const Kernel &kernel, const Region &region, const Point &point);

/// A leaf at a point; `packed`: the outputs of kernel.pack there.
Vector leafOf(const Kernel &kernel, const Value &value, const Point &point,
              const std::vector<Vector> &packed);
/// Another way to the outputs of a region than evaluate(); an empty one stands for that.
using Evaluator = std::function<std::vector<Vector>(const Kernel &, const Region &, const Point &)>;

/// The value of an op on real numbers; none if it takes or gives others (a test gives 0 or 1).
std::optional<double> evaluate(Op op, double x, double y = 0, double z = 0);

/// A point drawn at random (mt19937_64 of `seed`): a plausible triangle for triangle records (area,
/// normal, centroid, vertices, edges that belong together; node: barycentric), q within 2 nm^-1,
/// parameters in [0.5, 2].
Point randomPoint(const Kernel &kernel, std::uint64_t seed);

/// Sets the built-in columns of the triangle with these corners, as in triangle.def.
void setTriangle(Point &point, const std::array<Vector, 3> &corner);

/// Values with each condition replaced by a coin of its own: at plausible records a select may
/// always take the same side, and trials would see that side only. What depends on the choice alone
/// is lost. At odd points sines stand for exponentials and error functions of reals, which may be 0
/// or 1 to rounding at all plausible records and q, and are not at others: exp(-((q.z - 2.5) /
/// 0.002)^2).
std::vector<Value> decided(std::vector<Value> values, int point);

/// Sets the parameters that stand for scalars of q to what these are at the point.
void evaluateScalars(const Kernel &kernel, Point &point, const Evaluator &by = {});

/// sums and totals of a mesh of one record: those of the regions sum, waves and totals at the
/// point.
void evaluateRecord(const Kernel &kernel, Point &point, const Evaluator &by = {});

/// The components of term(q, t), and the outputs of finish(q, sum), as complex numbers, whether
/// split or not: re + i im.
std::vector<Complex> evaluateTerm(const Kernel &kernel, const Point &point);
std::vector<Complex> evaluateFinish(const Kernel &kernel, const Point &point,
                                    const Evaluator &by = {});
/// The origin's term, of each output; nothing if the kernel has none.
std::vector<Complex> evaluateOrigin(const Kernel &kernel, const Point &point);

} // namespace facet::ir
