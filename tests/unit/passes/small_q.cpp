// small_q.cpp - cism1 and the means keep their relative accuracy near q = 0 through every pass.
#include "codegen/ir/evaluate.h"
#include "kernels.h"
#include <gtest/gtest.h>

using namespace facet;
using namespace facet::passes;

namespace {

ir::Complex value(const ir::Kernel &kernel, ir::Point point, double scale) {
  for (ir::Complex &component : point.q)
    component *= scale;
  point.sum = ir::evaluateTerm(kernel, point);
  return ir::evaluateFinish(kernel, point);
}

} // namespace

class SmallQ : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Kernels, SmallQ, testing::Values("closed", "layered", "exact"));

TEST_P(SmallQ, LosesNoDigitsInAnyPass) {
  for (const Variant &variant : allVariants()) {
    const ir::Kernel first = run(example(GetParam()), variant, {.after = "specialise"});
    ir::Kernel kernel = first;
    bool rounded = false;
    for (const Pass &pass : pipeline()) {
      pass.run(kernel, variant);
      rounded |= pass.approximate;
      // Of one term; the rewriting of a few dozen operations costs a few ulp.
      const double allowed = rounded && variant.klass != Class::F64 ? 1e-7 : 4e-14;
      for (std::uint64_t seed = 1; seed <= 16; ++seed)
        for (const double scale : {1e-8, 1e-5, 1e-2, 0.1}) {
          const ir::Point point = ir::randomPoint(first, seed);
          const ir::Complex want = value(first, point, scale), got = value(kernel, point, scale);
          ASSERT_LE(std::abs(got - want), allowed * std::abs(want))
              << pass.name << ", " << spelling(variant) << ", |q| scaled by " << scale;
        }
    }
  }
}
