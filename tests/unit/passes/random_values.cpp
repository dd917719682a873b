// random_values.cpp - the pipeline keeps the value of kernels drawn at random.
#include "codegen/ir/evaluate.h"
#include "kernels.h"
#include "random_kernel.h"
#include <cstdlib>
#include <gtest/gtest.h>

using namespace facet;
using namespace facet::passes;

namespace {

ir::Complex composed(const ir::Kernel &kernel, ir::Point point) {
  point.sum = ir::evaluateTerm(kernel, point);
  return ir::evaluateFinish(kernel, point);
}

} // namespace

// More kernels: FACET_RANDOM_KERNELS=5000; from another seed on: FACET_RANDOM_SEED=1000.
TEST(RandomKernel, KeepsItsValueInEveryPassAndVariant) {
  const auto number = [](const char *name, int otherwise) {
    const char *text = std::getenv(name);
    return text ? std::atoi(text) : otherwise;
  };
  const int first = number("FACET_RANDOM_SEED", 1), kernels = number("FACET_RANDOM_KERNELS", 150);
  for (int seed = first; seed < first + kernels; ++seed) {
    const ir::Kernel kernel = randomKernel(static_cast<std::uint64_t>(seed), 4 + seed % 24);
    const Variant variant = allVariants()[static_cast<std::size_t>(seed) % allVariants().size()];
    try {
      // Polynomials for f32 meet ill-conditioned kernels: their own check is only for f64.
      run(kernel, variant, {.check = variant.klass == Class::F64});
      const ir::Kernel before = run(kernel, variant, {.check = true, .after = "pack"});
      const ir::Kernel after = run(kernel, variant);
      for (std::uint64_t k = 1; k <= 8; ++k) {
        const ir::Point point = ir::randomPoint(before, k);
        const ir::Complex want = composed(before, point), got = composed(after, point);
        ASSERT_LE(std::abs(got - want), 1e-3 * (1 + std::abs(want)));
      }
    } catch (const ir::Error &error) {
      FAIL() << "seed " << seed << ", " << spelling(variant) << ": " << error.message << "\n"
             << ir::print(kernel);
    }
    ASSERT_FALSE(HasFatalFailure()) << "seed " << seed << ", " << spelling(variant) << "\n"
                                    << ir::print(kernel);
  }
}
