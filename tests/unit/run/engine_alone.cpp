// engine_alone.cpp - the engine without the rest of libfacet: a program that links facet_engine
// alone runs a kernel. All of its objects are taken, so that none can need another storey.
#include "runtime/engine/records/patches.h"
#include <cstdlib>
#include <facet/runtime/plan.h>
#include <gtest/gtest.h>

namespace {
using namespace facet::runtime;

TEST(EngineAlone, RunsAKernelAndMeetsTheContract) {
  setenv("FACET_PROFILE", FIXED_PROFILE, 1);
  Grid grid;
  grid.axes = {parseAxis("0.1"), parseAxis("-2:2:13"), parseAxis("0.05:2:17")};
  PlanOptions options;
  options.klass = FACET_F64;
  options.threads = 2;
  Plan plan(Kernel::load(FIXTURE), grid, torus(30, 12, 12, 11), options);
  EXPECT_EQ(plan.execute({1}).size(), 221U);
  const Measured measured = plan.measure();
  EXPECT_LT(measured.error, 1e-13);
  EXPECT_TRUE(measured.met);
}

} // namespace
