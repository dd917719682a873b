// forms.cpp - forms count what the inner loop holds, and leave out what a record does not
// choose; those of kernels drawn at random have their value, or are refused.
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
  return ir::evaluateFinish(kernel, point).front();
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
    point.setSums(ir::evaluateTerm(source, point));
    const ir::Complex want = ir::evaluateFinish(source, point).front(), got = byWaves(waves, point);
    if (std::isfinite(std::abs(want)))
      EXPECT_LE(std::abs(got - want), 1e-14);
    else // 1 / 0, chosen
      EXPECT_FALSE(std::isfinite(std::abs(got)));
  }
}

namespace {

/// Values of z, x or y, and t together are only sums and products; none is complex or wide.
void expectOnlyMultiplyAdds(const ir::Kernel &kernel) {
  for (const ir::Value &value : kernel.term.values)
    if (ir::placeOf(value.domain) == ir::Place::Inner) {
      EXPECT_TRUE(value.op == ir::Op::Add || value.op == ir::Op::Sub || value.op == ir::Op::Mul ||
                  value.op == ir::Op::Neg)
          << ir::info(value.op).spelling;
      EXPECT_EQ(value.type, ir::Type::Real);
    }
}

/// How many forms the kernel has: each is run with the check on; 0 to 4.
int forms(const ir::Kernel &kernel) {
  int possible = 0;
  for (const bool complexQ : {false, true}) {
    const Forms found = formsOf(kernel, complexQ);
    for (const auto &[algorithm, form] :
         {std::pair{Algorithm::Separable, found.separable}, {Algorithm::Nufft, found.nufft}}) {
      EXPECT_EQ(form.reason.empty(), form.possible);
      if (!form.possible)
        continue;
      ++possible;
      Variant variant{algorithm == Algorithm::Nufft ? ir::GridKind::Points : ir::GridKind::Product,
                      complexQ, Class::F64, algorithm, found.means};
      const ir::Kernel after = run(kernel, variant, {.check = true});
      EXPECT_EQ(after.totals.empty() ? 0 : 1, form.totals > 0 ? 1 : 0);
      if (algorithm == Algorithm::Nufft) {
        EXPECT_EQ(static_cast<int>(ir::wavesOf(after).size()), form.waves);
        continue;
      }
      expectOnlyMultiplyAdds(after);
      variant.klass = Class::F32;
      expectOnlyMultiplyAdds(run(kernel, variant));
    }
  }
  return possible;
}

int possibleOf(ir::Kernel (*draw)(std::uint64_t), int first, int kernels) {
  int possible = 0;
  for (int seed = first; seed < first + kernels; ++seed) {
    const ir::Kernel kernel = draw(static_cast<std::uint64_t>(seed));
    try {
      possible += forms(kernel);
    } catch (const ir::Error &error) {
      ADD_FAILURE() << "seed " << seed << ": " << error.message << "\n" << ir::print(kernel);
    }
    if (testing::Test::HasFailure()) {
      ADD_FAILURE() << "seed " << seed << "\n" << ir::print(kernel);
      break;
    }
  }
  return possible;
}

} // namespace

// More kernels: FACET_RANDOM_KERNELS=5000; from another seed on: FACET_RANDOM_SEED=1000.
TEST(LowRankKernel, KeepsItsValueInEveryFormItHas) {
  const int kernels = kernelsDrawn(60, 200);
  const int possible = possibleOf(lowRankKernel, number("FACET_RANDOM_SEED", 1), kernels);
  EXPECT_GT(possible, 2 * kernels); // of 4 a kernel
}

TEST(AnyKernel, IsRefusedOrKeepsItsValue) {
  possibleOf([](std::uint64_t seed) { return randomKernel(seed, 4 + static_cast<int>(seed % 12)); },
             number("FACET_RANDOM_SEED", 1), number("FACET_RANDOM_KERNELS", 100));
}
