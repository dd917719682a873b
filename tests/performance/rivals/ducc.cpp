// ducc.cpp - DUCC's nufft as a rival, compiled for this CPU from its source package.
//
// It is under the GPL: a library of its own for programs that measure, never a part of facet.
#include "ducc0/nufft/nufft.h"
#include "nufft.h"

namespace facet::rivals {
namespace {

using Matrix = ducc0::cmav<double, 2>;
// Bounds of the factor of upsampling, as in DUCC's own interface for Python.
constexpr double LeastUpsampling = 1.1, MostUpsampling = 2.6;

/// Points one after the other, as DUCC reads them.
std::vector<double> interleaved(const Coordinates &points) {
  std::vector<double> all;
  if (points.empty())
    return all;
  all.reserve(points.size() * points[0].size());
  for (std::size_t i = 0; i < points[0].size(); ++i)
    for (const std::vector<double> &axis : points)
      all.push_back(axis[i]);
  return all;
}

/// Floats have their points in double: DUCC can.
template <class Real> class Ducc : public Transform<Real> {
  using Complex = std::complex<Real>;
  using Uniform = ducc0::detail_nufft::Nufft<Real, Real, double>;
  using List = ducc0::detail_nufft::Nufft3<Real, Real, Real, double>;

public:
  explicit Ducc(TransformShape shape) : shape_(std::move(shape)) {}

  void setPoints(const Coordinates &points, const Coordinates &targets) override {
    points_ = points[0].size();
    const std::vector<double> at = interleaved(points);
    if (to_.empty())
      to_ = interleaved(targets);
    const auto threads = static_cast<std::size_t>(shape_.threads);
    const Matrix in(at.data(), {points_, shape_.axes});
    if (shape_.list()) {
      targets_ = targets[0].size();
      list_ = std::make_unique<List>(in, shape_.eps, threads,
                                     Matrix(to_.data(), {targets_, shape_.axes}), 0,
                                     LeastUpsampling, MostUpsampling);
    } else {
      targets_ = 1;
      for (const std::size_t n : shape_.modes)
        targets_ *= n;
      uniform_ = std::make_unique<Uniform>(true, in, shape_.modes, shape_.eps, threads,
                                           LeastUpsampling, MostUpsampling,
                                           std::vector<double>(shape_.axes, 2 * ducc0::pi), false);
    }
  }

  void execute(std::vector<Complex> &strengths, std::vector<Complex> &sums) override {
    for (std::size_t k = 0; k < shape_.transforms; ++k) {
      const ducc0::cmav<Complex, 1> in(strengths.data() + k * points_, {points_});
      Complex *const out = sums.data() + k * targets_;
      if (shape_.list())
        list_->exec(in, ducc0::vmav<Complex, 1>(out, {targets_}), false);
      else
        uniform_->nu2u(false, 0, in, ducc0::vfmav<Complex>(out, shape_.modes));
    }
  }

private:
  TransformShape shape_;
  std::size_t points_ = 0, targets_ = 0;
  std::vector<double> to_;
  std::unique_ptr<Uniform> uniform_;
  std::unique_ptr<List> list_;
};

} // namespace

// Opened at run time.
extern "C" {
[[gnu::visibility("default")]] Transform<float> *ducc_f32(const TransformShape *shape) {
  return new Ducc<float>(*shape);
}
[[gnu::visibility("default")]] Transform<double> *ducc_f64(const TransformShape *shape) {
  return new Ducc<double>(*shape);
}
}

} // namespace facet::rivals
