// tune.cpp - one small variant tuned with the real facetc: the result is whole; how fast it is does
// not matter here.
#include "runtime/engine/tune/tuner.h"
#include <cstdlib>
#include <facet/runtime/error.h>
#include <gtest/gtest.h>

namespace facet::runtime {
namespace {

TEST(Tune, AVariantIsTunedFromItsFile) {
  setenv("FACETC", FACETC, 1);
  TuneRequest request;
  request.file = KERNEL;
  request.target = "sse41";
  request.limit = 0.6;
  int told = 0;
  request.progress = [&](const TuneProgress &progress) {
    ++told;
    EXPECT_LE(progress.done, progress.expected);
  };
  const TuneResult result = tune(request);
  EXPECT_EQ(result.tuned.key.algorithm, "direct");
  EXPECT_EQ(result.tuned.key.target, "sse41");
  EXPECT_EQ(result.tuned.key.q, "real");
  EXPECT_EQ(result.tuned.key.shape.size(), 16U);
  EXPECT_FALSE(result.tuned.facet.empty() || result.tuned.halide.empty() ||
               result.tuned.date.empty());
  EXPECT_EQ(schedules::problem(result.tuned.knobs), "");
  EXPECT_GE(result.tuned.throughput, result.tuned.before);
  EXPECT_GT(result.tuned.before, 0);
  EXPECT_EQ(result.path.front(), result.initial);
  EXPECT_GT(told, 0);
  for (const Trial &trial : result.trials)
    EXPECT_EQ(trial.skipped.find("differ"), std::string::npos) << trial.skipped;
}

TEST(Tune, WhatFacetcRefusesIsAnError) {
  setenv("FACETC", FACETC, 1);
  TuneRequest request;
  request.file = "nowhere.cpp";
  request.target = "sse41";
  EXPECT_THROW(tune(request), Error);
  request.algorithm = FACET_NUFFT;
  EXPECT_THROW(tune(request), Error);
}

} // namespace
} // namespace facet::runtime
