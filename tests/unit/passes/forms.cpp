// forms.cpp - how many tables and transforms the example kernels need.
#include "codegen/passes/forms/forms.h"
#include "kernels.h"
#include <gtest/gtest.h>

using namespace facet;
using namespace facet::passes;

TEST(Forms, OfTheClassicAreTwoTablesAndThreeTransforms) {
  for (const bool complexQ : {false, true}) {
    const Forms forms = formsOf(example("born"), complexQ);
    EXPECT_EQ(forms.separable.terms, 2);
    EXPECT_EQ(forms.separable.fma, complexQ ? 8 : 6);
    EXPECT_EQ(forms.nufft.terms, 3);
    EXPECT_EQ(forms.nufft.waves, 1);
    EXPECT_EQ(forms.nufft.totals, 0);
    EXPECT_FALSE(forms.means);
  }
}

TEST(Forms, OfTheSurfaceAreOneTableAndOneTransform) {
  const Forms forms = formsOf(example("surface"), true);
  EXPECT_EQ(forms.separable.terms, 1);
  EXPECT_EQ(forms.separable.fma, 4);
  EXPECT_EQ(forms.nufft.terms, 1);
}

TEST(Forms, OfWavesLessOneHaveTotals) {
  for (const char *name : {"closed", "layered", "exact"}) {
    const Forms forms = formsOf(example(name), true);
    EXPECT_EQ(forms.separable.totals, 3) << name;
    EXPECT_EQ(forms.nufft.totals, 3) << name;
    EXPECT_EQ(forms.means, std::string(name) == "exact");
  }
}

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
