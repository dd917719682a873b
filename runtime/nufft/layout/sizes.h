// sizes.h - the kernel widths and fine grids FINUFFT 2.5 uses, known before it is called.
#pragma once
#include "runtime/nufft/transforms.h"

namespace facet::runtime {

/// Width of the spreading kernel, nodes an axis (theoretical_kernel_ns in FINUFFT's
/// src/common/kernel.cpp), before it is limited to finufft::MinWidth and MaxWidth.
int kernelWidth(double eps, int dim, int type, double upsampling);
/// The least even number not below n without prime factors above 5.
std::int64_t smoothEven(std::int64_t n);
/// Sets width, upsampling and fine grid for a type 1 call with its modes and eps.
void sizeUniform(NufftCall &call, double upsampling);
/// The same and the inner grid for type 3; `spread[d]`: half width of q times half extent of the
/// points along axis d of the transform, radians.
void sizeIrregular(NufftCall &call, double upsampling, const std::array<double, 3> &spread);
/// The largest number there is where the product is larger.
std::int64_t product(const std::array<std::int64_t, 3> &n);

} // namespace facet::runtime
