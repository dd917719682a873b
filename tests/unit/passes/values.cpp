// values.cpp - the pipeline keeps what example kernels and kernels drawn at random compute, near
// q = 0 with all digits, and leaves what lowering needs; cleaning passes have nothing left to do.
#include "kernels.h"
#include <algorithm>
#include <gtest/gtest.h>

using namespace facet;
using namespace facet::passes;

class Example : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Kernels, Example, testing::ValuesIn(exampleNames));

TEST_P(Example, KeepsItsValueInEveryVariant) {
  for (const Variant &variant : allVariants())
    EXPECT_NO_THROW(
        try {
          run(example(GetParam()), variant, {.check = true, .points = 32});
        } catch (const ir::Error &error) {
          ADD_FAILURE() << spelling(variant) << ": " << error.message;
          throw;
        });
}

TEST_P(Example, HoldsRealOperationsOfTheTargetOnlyInTheLoop) {
  using ir::Op;
  for (const Variant &variant : allVariants()) {
    const ir::Kernel kernel = run(example(GetParam()), variant);
    for (const ir::Value &value : kernel.term.values) {
      EXPECT_TRUE(value.type != ir::Type::Cplx && value.op != Op::Field && value.op != Op::Sin &&
                  value.op != Op::Cos && value.op != Op::Exp && value.op != Op::Sinpi &&
                  value.op != Op::Exp2)
          << spelling(variant) << ": " << ir::info(value.op).spelling;
      EXPECT_TRUE(value.type != ir::Type::Wide || variant.klass == Class::F32Careful);
    }
  }
}

TEST_P(Example, ReadsBackAsPrintedAfterEveryPass) {
  const ir::Kernel source = example(GetParam());
  const bool means = GetParam() == "exact";
  for (const Variant &variant :
       {Variant{.complexQ = true},
        Variant{.complexQ = true, .algorithm = Algorithm::Separable, .nodes = means},
        Variant{ir::GridKind::Points, true, Class::F64, Algorithm::Nufft, means}})
    for (const Pass &pass : pipeline(variant)) {
      const std::string text = ir::print(run(source, variant, {.after = pass.name}));
      EXPECT_EQ(ir::print(ir::read(text, "printed")), text) << pass.name;
    }
}

TEST(Born, StreamsSixNumbersARecordAndHasNoDivisionInTheLoop) {
  for (const Variant &variant : allVariants()) {
    const ir::Kernel kernel = run(example("born"), variant);
    EXPECT_EQ(kernel.pack.outputs.size(), 6U);
    EXPECT_TRUE(std::none_of(kernel.term.values.begin(), kernel.term.values.end(),
                             [](const ir::Value &v) { return v.op == ir::Op::Div; }));
    EXPECT_EQ(count(kernel).wideFields, variant.klass == Class::F32Careful ? 3 : 0);
  }
}

TEST_P(Example, IsLeftAsItIsByEachCleaningPassThatRanBefore) {
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
      // One term is compared; rewriting a few dozen operations costs a few ulp.
      const double allowed = rounded && variant.klass != Class::F64 ? 1e-7 : 4e-14;
      for (std::uint64_t seed = 1; seed <= 16; ++seed)
        for (const double scale : {1e-8, 1e-5, 1e-2, 0.1}) {
          ir::Point point = ir::randomPoint(first, seed);
          for (ir::Complex &component : point.q)
            component *= scale;
          const ir::Complex want = composed(first, point).front(),
                            got = composed(kernel, point).front();
          ASSERT_LE(std::abs(got - want), allowed * std::abs(want))
              << pass.name << ", " << spelling(variant) << ", |q| scaled by " << scale;
        }
    }
  }
}

// More kernels: FACET_RANDOM_KERNELS=5000; from another seed on: FACET_RANDOM_SEED=1000.
TEST(RandomKernel, KeepsItsValueInEveryPassAndVariant) {
  const int first = number("FACET_RANDOM_SEED", 1), kernels = kernelsDrawn(60, 150);
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
        const std::vector<ir::Complex> want = composed(before, point), got = composed(after, point);
        ASSERT_EQ(got.size(), want.size());
        for (std::size_t o = 0; o < want.size(); ++o)
          ASSERT_LE(std::abs(got[o] - want[o]), 1e-3 * (1 + std::abs(want[o])));
      }
    } catch (const ir::Error &error) {
      FAIL() << "seed " << seed << ", " << spelling(variant) << ": " << error.message << "\n"
             << ir::print(kernel);
    }
    ASSERT_FALSE(HasFatalFailure()) << "seed " << seed << ", " << spelling(variant) << "\n"
                                    << ir::print(kernel);
  }
}
