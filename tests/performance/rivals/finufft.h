// finufft.h - FINUFFT as a rival, by its C interface, declared here because its wheel has no
// header.
#pragma once
#include <array>
#include <complex>
#include <cstdint>
#include <memory>

namespace facet::rivals {

/// Whether FINUFFT 2.5 was found as the benchmark was built and can be opened.
bool hasFinufft();

/// A plan of FINUFFT with its default options, but for one thread; e^{+i q.r}.
class Finufft {
public:
  Finufft(int type, int dim, const std::int64_t *modes, int transforms, double eps);
  /// The arrays must stay until the last execute.
  void setPoints(std::int64_t points, const std::array<const double *, 3> &xyz,
                 std::int64_t targets = 0, const std::array<const double *, 3> &stu = {});
  void execute(std::complex<double> *strengths, std::complex<double> *out);

private:
  std::unique_ptr<void, int (*)(void *)> plan_;
};

} // namespace facet::rivals
