// values.cpp - the pipeline keeps what the example kernels compute, and leaves what lowering needs.
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
          run(example(GetParam()), variant, {.check = true, .points = 64});
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

TEST(Born, TakesTwentyOperationsATriangleQPointInSinglePrecision) {
  EXPECT_LE(count(run(example("born"), {})).inner.instructions, 20);
}
