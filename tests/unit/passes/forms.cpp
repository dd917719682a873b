// forms.cpp - forms count what the inner loop holds, and leave out what a record does not choose.
#include "codegen/passes/forms.h"
#include "codegen/ir/evaluate.h"
#include "kernels.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace facet;
using namespace facet::passes;

TEST(Forms, CountWhatTheInnerLoopHolds) {
  for (const std::string &name : exampleNames)
    for (const bool complexQ : {false, true})
      for (const Class klass : {Class::F32, Class::F64}) {
        const Forms forms = formsOf(example(name), complexQ);
        const Variant variant{ir::GridKind::Product, complexQ, klass, Algorithm::Separable,
                              forms.means};
        EXPECT_EQ(count(run(example(name), variant, {.check = true})).inner.instructions,
                  forms.separable.fma);
      }
}

namespace {

/// F of one record through its waves, as a run makes it.
ir::Complex byWaves(const ir::Kernel &kernel, ir::Point point) {
  ir::evaluateRecord(kernel, point);
  return ir::evaluateFinish(kernel, point);
}

} // namespace

// If a record chooses the other side, 1 / s is infinite and sqrt(1 - s) is no number.
TEST(Forms, LeaveOutWhatARecordDoesNotChoose) {
  const ir::Kernel source = ir::read(
      test::kernelIr("record { place: vec3, z: real, s: real } "
                     "grid points { x: real, y: real, z: real }",
                     "%1 = dot q, t.place  %2 = cis %1  %3 = less t.z, 1  %4 = div q.x, t.s "
                     "%5 = mul q.y, q.y  %6 = sub 1, t.s  %7 = sqrt %6  %8 = mul %5, %7 "
                     "%9 = select %3, %4, %8  %10 = mul %9, %2  yield %10"),
      "chosen");
  const ir::Kernel waves =
      run(source, {ir::GridKind::Points, false, Class::F64, Algorithm::Nufft}, {.check = true});
  EXPECT_EQ(ir::wavesOf(waves).size(), 1U);
  for (const auto &[z, s] : {std::pair{0.0, 2.0}, {2.0, 0.0}, {2.0, 0.5}, {0.0, 0.0}}) {
    ir::Point point = ir::randomPoint(source, 1);
    point.record["z"] = {z};
    point.record["s"] = {s};
    point.sum = ir::evaluateTerm(source, point);
    const ir::Complex want = ir::evaluateFinish(source, point), got = byWaves(waves, point);
    if (std::isfinite(std::abs(want)))
      EXPECT_LE(std::abs(got - want), 1e-14);
    else // 1 / 0, chosen
      EXPECT_FALSE(std::isfinite(std::abs(got)));
  }
}
