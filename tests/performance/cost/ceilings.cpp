// ceilings.cpp - the peak of multiply-adds by generated loops beside the one by hand: within 3%.
//
//   facet_bench_ceilings
// Both in turn, the best of each counts.
#include "runtime/tuning/roofline/ceilings.h"
#include "../bench.h"
#include "../peak.h"
#include <array>
#include <cmath>
#include <facet/runtime/error.h>
#include <facet/runtime/kernel.h>

int main() {
  using namespace facet;
  try {
    bool allMet = true;
    for (const runtime::Target &target : runtime::targets()) {
      if (!target.runnable() || (target.name != "avx2" && target.name != "avx512"))
        continue;
      runtime::CeilingMeter meter(target.name, 1);
      std::array<double, 2> byHand{};
      for (int round = 0; round < 12; ++round) {
        meter.step();
        for (const std::size_t p : {0, 1})
          byHand[p] = std::max(byHand[p],
                               2 * bench::fusedMultiplyAdds(meter.ceilings().vectorBytes, p == 1));
      }
      for (const std::size_t p : {0, 1}) {
        const double generated = meter.ceilings().flops[p];
        fmt::print("{:7} {}  {:.1f} generated, {:.1f} by hand; GFLOP/s\n", target.name,
                   p == 0 ? "f32" : "f64", 1e-9 * generated, 1e-9 * byHand[p]);
        allMet &=
            bench::verdict(fmt::format("{:7} {}  apart, %", target.name, p == 0 ? "f32" : "f64"),
                           100 * std::abs(generated / byHand[p] - 1), 3, "{:.2f}", true);
      }
    }
    return allMet ? 0 : 1;
  } catch (const runtime::Error &error) {
    fmt::print(stderr, "facet_bench_ceilings: {}\n", error.what());
    return 2;
  }
}
