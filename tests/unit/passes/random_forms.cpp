// random_forms.cpp - the fast forms of kernels drawn at random have their value, or are refused.
#include "codegen/passes/forms.h"
#include "kernels.h"
#include <gtest/gtest.h>

using namespace facet;
using namespace facet::passes;

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
  const int kernels = number("FACET_RANDOM_KERNELS", 200);
  const int possible = possibleOf(lowRankKernel, number("FACET_RANDOM_SEED", 1), kernels);
  EXPECT_GT(possible, 2 * kernels); // of 4 a kernel
}

TEST(AnyKernel, IsRefusedOrKeepsItsValue) {
  possibleOf([](std::uint64_t seed) { return randomKernel(seed, 4 + static_cast<int>(seed % 12)); },
             number("FACET_RANDOM_SEED", 1), number("FACET_RANDOM_KERNELS", 100));
}
