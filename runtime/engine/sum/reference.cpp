// reference.cpp - the reference at one q, and how far rounding may put it off.
#include "runtime/engine/sum/reference.h"
#include <algorithm>
#include <cfloat>
#include <cmath>
#include <limits>

namespace facet::runtime {

Reference referenceAt(const Kernel &kernel, const std::array<std::complex<double>, 3> &q,
                      const std::vector<const double *> &columns, std::int64_t count,
                      const std::vector<double> &params) {
  const double flat[6] = {q[0].real(), q[0].imag(), q[1].real(),
                          q[1].imag(), q[2].real(), q[2].imag()};
  Reference r;
  kernel->reference(flat, 1, columns.data(), count, params.data(),
                    reinterpret_cast<double *>(r.f.data()), &r.sumAbs, r.factors.data());
  return r;
}

double scaleOf(const Reference &r, std::size_t output) { return r.sumAbs * r.factors[output]; }

// A phase q.r is rounded in its three products, however small their sum. In 94 trials (meshes of 12
// to 12,000 triangles, 0 to 30,000 nm off the origin, real and damped q) errors were 0.01 to 0.29
// eps |q| |r| of sum |term|. They were largest with 12 triangles and with boxes, where phases are
// alike. Twice this is allowed for (judge()).
double roundingOf(const Reference &r, std::size_t output,
                  const std::array<std::complex<double>, 3> &q, double reach) {
  const double phase = reach * std::sqrt(std::norm(q[0]) + std::norm(q[1]) + std::norm(q[2]));
  return DBL_EPSILON * std::max(1.0, 0.15 * phase) * scaleOf(r, output) +
         std::numeric_limits<double>::denorm_min();
}

} // namespace facet::runtime
