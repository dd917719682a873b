// evaluate.h - the IR evaluated in plain double: what passes are checked with, point by point.
#pragma once
#include "ir.h"
#include <complex>
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
void evaluateScalars(const Kernel &kernel, Point &point);

/// sums and totals of a mesh of one record: those of the regions sum, waves and totals at the
/// point.
void evaluateRecord(const Kernel &kernel, Point &point);

/// The components of term(q, t), and the outputs of finish(q, sum), as complex numbers, whether
/// split or not: re + i im.
std::vector<Complex> evaluateTerm(const Kernel &kernel, const Point &point);
std::vector<Complex> evaluateFinish(const Kernel &kernel, const Point &point);
/// The origin's term, of each output; nothing if the kernel has none.
std::vector<Complex> evaluateOrigin(const Kernel &kernel, const Point &point);

// Functions of the table of operations that <cmath> lacks, in plain double.

double sinpi(double a);
double cospi(double a);
/// sin(a) / a and sin(pi a) / (pi a), 1 at 0.
double sinc(double a);
Complex sinc(Complex a);
/// The derivative of sinc, 0 at 0.
Complex sincSlope(Complex a);
inline double sincSlope(double a) { return sincSlope(Complex(a)).real(); }
double sincpi(double a);
/// 2^a - 1, exact near 0.
double exp2m1(double a);
/// Principal branch; i sqrt(|a|) for negative a, whatever the sign of its imaginary zero.
Complex csqrt(Complex a);
Complex cis(Complex a);
/// e^{i a} - 1, exact near 0.
Complex cism1(Complex a);
/// a * 2^b, b clamped to the exponent range; NaN where b is.
double scale2(double a, double b);
/// a = m 2^e with m from sqrt(1/2) to sqrt(2): e and m. For 0, infinity and NaN: 0 and a.
double exponent2(double a);
double mantissa2(double a);
/// a where b is positive and finite, else what `edge` of ops.def says.
double edge(double a, double b, double c);
inline Vector vec(Complex x, Complex y, Complex z) { return {x, y, z}; }
Complex dot(const Vector &a, const Vector &b);
Vector cross(const Vector &a, const Vector &b);
double norm2(const Vector &a);
/// The mean of e^{i u} over a flat triangle on which u is linear, with corner values a, b, c: twice
/// the divided difference of exp at i a, i b, i c (Hermite-Genocchi). `minusOne`: of e^{i u} - 1.
Complex meanCis(Complex a, Complex b, Complex c, bool minusOne);
/// The means of l e^{i u} over that triangle, l the barycentric coordinate of each corner.
Complex meanEdge(Complex a, Complex b, bool minusOne);
Vector meanSlopes(Complex a, Complex b, Complex c);

} // namespace facet::ir
