// cost.cpp - what transforms cost: the steps of FINUFFT, of the strengths and of the combination.
#include "runtime/nufft/layout/cost.h"
#include "runtime/nufft/layout/sizes.h"
#include <algorithm>
#include <cmath>

namespace facet::runtime {
namespace {

/// Seconds of one FFT of n nodes: a node and a doubling cost `fft` within 2 MiB (a core's own
/// cache), `fftMemory` from 64 MiB on, and in between by the logarithm.
double fftSeconds(double n, const NufftConstants &c) {
  if (n < 2)
    return 0;
  constexpr double bytesANode = 16, cache = 21, memory = 26; // log2 of bytes
  const double x = std::clamp((std::log2(n * bytesANode) - cache) / (memory - cache), 0.0, 1.5);
  return n * std::log2(n) * (c.fft + x * (c.fftMemory - c.fft));
}

/// Seconds to clear and read a fine grid of n nodes `times` times, made `executions` times. The C
/// library returns blocks above 32 MiB to the system, so that their pages are new each time.
double fineSeconds(double n, double times, double executions, const NufftConstants &c) {
  constexpr double returned = 33554432, bytesANode = 16;
  return n * (times * c.fine + (n * bytesANode > returned ? executions * c.fresh : 0));
}

/// Seconds to spread one point's strength, or to interpolate at one target.
double pointSeconds(int dim, int width, const NufftConstants &c) {
  const double point = dim == 1 ? c.point1 : dim == 2 ? c.point2 : c.point3;
  const double node = dim == 1 ? 0 : dim == 2 ? c.spread2 : c.spread3; // 1-D: in `kernel`
  return point + dim * width * c.kernel + std::pow(width, dim) * node;
}

} // namespace

NufftCost callCost(const NufftCall &call, const CallUse &use, const NufftConstants &c) {
  NufftCost cost;
  const auto records = static_cast<double>(use.records), count = static_cast<double>(call.count);
  const auto outputs = static_cast<double>(product(call.modes));
  cost.strengths = records * (use.phases * c.phase + count * c.strength);
  constexpr double begun = 20; // values of a row take as long as beginning it
  if (use.combined)
    cost.combine = count * use.values * (1 + begun / use.row) * c.combine;
  if (call.dim == 0)
    return cost;
  const auto fine = static_cast<double>(product(call.fine));
  cost.sort = records * c.sort;
  cost.spread = count * records * pointSeconds(call.dim, call.width, c);
  const double executions = std::ceil(count / std::max(call.batch, 1));
  cost.modes = fineSeconds(fine, count, executions, c) + count * outputs * c.mode;
  cost.overhead = executions * c.call;
  if (call.type == 1) {
    cost.fft = count * fftSeconds(fine, c);
    cost.plan = c.plan;
    return cost;
  }
  const auto inner = static_cast<double>(product(call.inner));
  cost.fft = count * fftSeconds(inner, c);
  cost.modes += fineSeconds(inner, count, executions, c) + count * fine * c.mode;
  cost.spread += count * outputs * pointSeconds(call.dim, call.width, c);
  cost.strengths += count * records * c.strength;
  // The Fourier transform of the kernel is a sum over about width + 2 nodes (Kernel_onedim_FT).
  cost.sort += outputs * (c.sort + call.dim * (call.width + 2) * c.target);
  cost.overhead += c.plan; // type 3 plans anew for each set of points
  return cost;
}

NufftCost nufftCost(const NufftLayout &layout, const NufftConstants &constants) {
  // Each further thread adds about this part of one: transforms share memory and caches.
  constexpr double further = 0.6;
  const double speed = 1 + further * std::max(layout.request.threads - 1, 0);
  NufftCost sum;
  for (const NufftCall &call : layout.calls) {
    const NufftCost one = callCost(call, useOf(layout, call), constants);
    sum.strengths += one.strengths, sum.sort += one.sort, sum.spread += one.spread;
    sum.fft += one.fft, sum.modes += one.modes, sum.combine += one.combine;
    sum.overhead += one.overhead, sum.plan += one.plan;
    // Strengths and results are in new memory the first time.
    const double rows =
        static_cast<double>(layout.request.records) +
        (useOf(layout, call).combined ? static_cast<double>(product(call.modes)) : 0);
    sum.plan = std::max(sum.plan, one.plan + call.batch * rows * constants.fresh);
  }
  for (double NufftCost::*part : {&NufftCost::strengths, &NufftCost::sort, &NufftCost::spread,
                                  &NufftCost::fft, &NufftCost::modes, &NufftCost::combine})
    sum.*part /= speed;
  return sum;
}

CallUse useOf(const NufftLayout &layout, const NufftCall &call) {
  CallUse use;
  use.records = layout.request.records;
  const std::int64_t combinations = call.count / std::max(layout.request.transforms, 1);
  use.combined = combinations > 1;
  const bool list = !layout.order.empty() || (layout.extents[1] == 1 && layout.extents[2] == 1);
  use.values = static_cast<double>(product(layout.extents));
  use.row = list ? use.values : static_cast<double>(layout.extents[2]);
  if (layout.imAxis >= 0)
    use.values *=
        static_cast<double>(call.last - call.first) /
        static_cast<double>(layout.extents[list ? 0 : static_cast<std::size_t>(layout.imAxis)]);
  for (std::size_t d = 0; d < 3; ++d)
    if (layout.axes[d] == NufftAxis::Planes)
      use.values /= layout.nodes[d];
  use.phases = static_cast<double>(combinations > call.imNodes ? combinations + 1 : combinations);
  return use;
}

} // namespace facet::runtime
