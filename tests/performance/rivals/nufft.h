// nufft.h - what a user would write with FINUFFT by hand for F = -i / (q.q) sum_t (q.w_t) e^{i
// q.c_t}: three transforms of the components of w, then their product with q.
#pragma once
#include "runtime/nufft/finufft.h"
#include <array>
#include <complex>
#include <cstdint>
#include <memory>
#include <vector>

namespace facet::rivals {

/// Areas times normals and centroids of a mesh, nm.
struct Flat {
  std::array<std::vector<double>, 3> w, c;
  std::int64_t size() const { return static_cast<std::int64_t>(c[0].size()); }
};

/// qx one value, y and z uniform: one plan of three 2-D type 1 transforms, default options but for
/// one thread.
class UniformByHand {
public:
  UniformByHand(double qx, std::vector<double> qy, std::vector<double> qz, double eps);
  /// f[iy * nz + iz] = F(q).
  void run(const Flat &mesh, std::vector<std::complex<double>> &f);

private:
  double qx_;
  std::vector<double> qy_, qz_;
  facet::runtime::finufft::Plan plan_;
  std::array<std::vector<double>, 2> x_;
  std::vector<std::complex<double>> strengths_, sums_;
};

/// Any list of real q with one qx: one plan of three 2-D type 3 transforms.
class ListByHand {
public:
  ListByHand(double qx, std::vector<double> qy, std::vector<double> qz, double eps);
  void run(const Flat &mesh, std::vector<std::complex<double>> &f);

private:
  double qx_;
  std::vector<double> qy_, qz_;
  facet::runtime::finufft::Plan plan_;
  std::vector<std::complex<double>> strengths_, sums_;
};

} // namespace facet::rivals
