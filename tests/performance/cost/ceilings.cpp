// ceilings.cpp - the peak of multiply-adds by generated loops beside the one by hand: within 3%.
//
//   facet_bench_ceilings
// Both in turn, the best of each counts.
#include "runtime/engine/tune/roofline/roofline.h"
#include "tests/performance/bench.h"

namespace {
using namespace facet;

/// Whether the goal was met in f32 and f64.
bool compare(const runtime::Target &target) {
  runtime::CeilingMeter meter(target.name, 1);
  std::array<double, 2> byHand{};
  for (int round = 0; round < 12; ++round) {
    meter.step();
    for (const std::size_t p : {0, 1})
      byHand[p] =
          std::max(byHand[p], 2 * bench::fusedMultiplyAdds(meter.ceilings().vectorBytes, p == 1));
  }
  bool met = true;
  for (const std::size_t p : {0, 1}) {
    const double generated = meter.ceilings().flops[p];
    const std::string what = fmt::format("{:7} {} ", target.name, p == 0 ? "f32" : "f64");
    fmt::print("{} {:.1f} generated, {:.1f} by hand; GFLOP/s\n", what, 1e-9 * generated,
               1e-9 * byHand[p]);
    met &= bench::verdict(what + " apart, %", 100 * std::abs(generated / byHand[p] - 1), 3,
                          "{:.2f}", true);
  }
  return met;
}

} // namespace

int main(int argc, char **argv) {
  return bench::program(argc, argv, 0, "", [] {
    bool met = true;
    for (const runtime::Target &target : runtime::targets())
      if (target.runnable() && (target.name == "avx2" || target.name == "avx512"))
        met &= compare(target);
    return met;
  });
}
