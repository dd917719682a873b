// nufft.h - NUFFT libraries as rivals: FINUFFT and DUCC, in float and double, and F by hand.
#pragma once
#include <array>
#include <complex>
#include <cstdint>
#include <memory>
#include <vector>

namespace facet::rivals {

/// Transforms sum_t s_t e^{+i q.r_t} of several vectors of strengths. Modes are from -n/2; a list
/// has no modes. Axes go from the slowest to the fastest.
struct TransformShape {
  std::vector<std::size_t> modes;
  std::size_t axes = 0, transforms = 1;
  double eps = 0;
  int threads = 1;
  bool list() const { return modes.empty(); }
};

/// A value for each axis and point, axis by axis; they must stay while they are used.
using Coordinates = std::vector<std::vector<double>>;

/// A library's own plan, kept.
template <class Real> class Transform {
public:
  virtual ~Transform() = default;
  /// Points of the sum, of which there may be others later, and for a list its q, which stay.
  virtual void setPoints(const Coordinates &points, const Coordinates &targets) = 0;
  virtual void execute(std::vector<std::complex<Real>> &strengths,
                       std::vector<std::complex<Real>> &sums) = 0;
};

enum class Library { Ducc, Finufft, FinufftWheel };
/// Whether it was found as the benchmark was built, and can be opened.
bool has(Library library);
/// Default options but for the threads. Throws std::runtime_error if the library cannot have eps.
template <class Real>
std::unique_ptr<Transform<Real>> transformOf(Library library, const TransformShape &shape);

/// q of a sum by hand: three axes of which each is uniform, or a list of points.
struct Places {
  bool list = false;
  std::array<std::vector<double>, 3> q;
};

/// Triangles as nine numbers each, in nm.
using Corners = std::vector<std::array<std::array<double, 3>, 3>>;

/// F = -i / (q.q) sum_t (q.w_t) e^{i q.c_t} by three transforms, or sum_t |w_t| e^{i q.c_t} by one.
class ByHand {
public:
  virtual ~ByHand() = default;
  virtual void setMesh(const Corners &mesh) = 0;
  virtual void run() = 0;
  virtual std::complex<double> at(std::size_t i) const = 0;
};
struct ByHandOptions {
  Library library = Library::Ducc;
  bool floats = false;
  std::size_t strengths = 3;
  double eps = 1e-6;
  int threads = 1;
};
std::unique_ptr<ByHand> byHand(const Corners &mesh, const Places &places,
                               const ByHandOptions &options);

} // namespace facet::rivals
