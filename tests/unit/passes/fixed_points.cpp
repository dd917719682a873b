// fixed_points.cpp - fold, cse and signs have nothing left to do after they ran.
#include "kernels.h"
#include <gtest/gtest.h>

using namespace facet;
using namespace facet::passes;

class Idempotent : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Kernels, Idempotent, testing::ValuesIn(exampleNames));

TEST_P(Idempotent, IsEachCleaningPass) {
  for (const Variant &variant : allVariants())
    for (const Pass &pass : pipeline()) {
      if (pass.run != fold && pass.run != cse && pass.run != signs && pass.run != specialise)
        continue;
      ir::Kernel kernel = run(example(GetParam()), variant, {.after = pass.name});
      const std::string once = ir::print(kernel);
      pass.run(kernel, variant);
      EXPECT_EQ(ir::print(kernel), once) << pass.name << ", " << spelling(variant);
    }
}
