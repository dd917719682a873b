// sizes.cpp - kernel widths and fine grids by FINUFFT's rules.
#include "runtime/nufft/layout/sizes.h"
#include "runtime/nufft/finufft.h"
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace facet::runtime {

int kernelWidth(double eps, int dim, int type, double upsampling) {
  double factor = 0.18 * std::pow(1.4, dim - 1);
  if (type == 3)
    factor *= 1.4;
  return static_cast<int>(
      std::ceil(std::log(factor / eps) / (std::numbers::pi * std::sqrt(1 - 1 / upsampling)) + 1));
}

std::int64_t smoothEven(std::int64_t n) {
  // Every 2^a 3^b 5^c, a > 0, that could be it: such numbers are far apart where n is large.
  std::int64_t best = std::numeric_limits<std::int64_t>::max();
  for (std::int64_t five = 2; five < best; five *= 5)
    for (std::int64_t three = five; three < best; three *= 3) {
      std::int64_t all = three;
      while (all < n)
        all *= 2;
      best = std::min(best, all);
    }
  return best;
}

std::int64_t product(const std::array<std::int64_t, 3> &n) {
  std::int64_t all = 0;
  if (__builtin_mul_overflow(n[0], n[1], &all) || __builtin_mul_overflow(all, n[2], &all))
    return std::numeric_limits<std::int64_t>::max();
  return all;
}

namespace {
int clip(int width) { return std::clamp(width, finufft::MinWidth, finufft::MaxWidth); }

std::int64_t fineGrid(double modes, double upsampling, int width) {
  return smoothEven(
      std::max(static_cast<std::int64_t>(std::ceil(upsampling * modes)), std::int64_t{2} * width));
}
} // namespace

void sizeUniform(NufftCall &call, double upsampling) {
  call.upsampling = upsampling;
  call.width = clip(kernelWidth(call.eps, call.dim, 1, upsampling));
  for (std::size_t d = 0; d < 3; ++d)
    call.fine[d] = static_cast<int>(d) < call.dim
                       ? fineGrid(static_cast<double>(call.modes[d]), upsampling, call.width)
                       : 1;
}

// set_nhg_type3 of FINUFFT's src/finufft_core.cpp; the inner transform is its type 2.
void sizeIrregular(NufftCall &call, double upsampling, const std::array<double, 3> &spread) {
  call.upsampling = upsampling;
  call.width = clip(kernelWidth(call.eps, call.dim, 3, upsampling));
  const int inner = clip(kernelWidth(call.eps, call.dim, 2, upsampling));
  for (std::size_t d = 0; d < 3; ++d) {
    call.fine[d] = call.inner[d] = 1;
    if (static_cast<int>(d) >= call.dim)
      continue;
    const double nodes =
        2 * upsampling * std::max(spread[d], 1.0) / std::numbers::pi + call.width + 1;
    call.fine[d] = smoothEven(
        std::max(static_cast<std::int64_t>(std::min(nodes, 1e12)), std::int64_t{2} * call.width));
    call.inner[d] = fineGrid(static_cast<double>(call.fine[d]), upsampling, inner);
  }
}

} // namespace facet::runtime
