// targets.cpp - the table of targets, and which of them this machine runs.
#include "schedules/targets.h"
#include <gtest/gtest.h>

namespace facet::schedules {
namespace {

TEST(Targets, AreFoundByName) {
  ASSERT_NE(findTarget("avx2"), nullptr);
  EXPECT_EQ(findTarget("avx2")->architecture, "x86_64");
  EXPECT_EQ(halideTarget("neon"), "arm-64-linux");
  EXPECT_EQ(findTarget("avx512")->vectorBytes, 64);
  EXPECT_EQ(findTarget("neon")->registers, 32);
  EXPECT_EQ(findTarget("avx"), nullptr);
  EXPECT_EQ(halideTarget("avx"), "");
}

TEST(Targets, RunOnTheirOwnArchitectureOnly) {
  int own = 0;
  for (const TargetInfo &target : targetTable()) {
    own += isOfHost(target);
    if (!isOfHost(target))
      EXPECT_FALSE(runsHere(target)) << target.name;
    else
      EXPECT_EQ(runsHere(target), missingFeatures(target).empty()) << target.name;
  }
  EXPECT_GE(own, 1);
  EXPECT_LT(own, static_cast<int>(targetTable().size()));
}

TEST(Targets, NameTheFeaturesThatAreMissing) {
  const TargetInfo odd{"odd", hostArchitecture(), 16, 16, "", "no_such_feature nor_this", ""};
  EXPECT_EQ(missingFeatures(odd), (std::vector<std::string>{"no_such_feature", "nor_this"}));
  EXPECT_FALSE(runsHere(odd));
  EXPECT_TRUE(runsHere({"any", hostArchitecture(), 16, 16, "", "", ""}));
}

} // namespace
} // namespace facet::schedules
