// wrong_pass.cpp - a pass that changes the value, breaks a rule, or is unknown is named.
#include "codegen/ir/builder.h"
#include "kernels.h"
#include <gtest/gtest.h>

using namespace facet;
using namespace facet::passes;

namespace {

/// What running `passes` on born says, empty when nothing.
std::string messageOf(const std::vector<Pass> &passes, const PipelineOptions &options) {
  return test::refusalOf([&] { run(passes, example("born"), {}, options); });
}

void scale(ir::Kernel &kernel, ir::Region &region, double factor) {
  ir::Builder b(kernel, region);
  ir::Output &root = region.outputs.front();
  root.value = b.op(ir::Op::Mul, b.number(factor), root.value);
}

void slightlyWrong(ir::Kernel &kernel, const Variant &) { scale(kernel, kernel.term, 1 + 1e-8); }
void wrongOrigin(ir::Kernel &kernel, const Variant &) { scale(kernel, kernel.origin, -1); }
void staleTypes(ir::Kernel &kernel, const Variant &) {
  kernel.term.values.back().type = ir::Type::Bool;
}

} // namespace

TEST(WrongPass, IsNamedWithWhatChanged) {
  const std::string message =
      messageOf({{"expand", expand, ""}, {"skew", slightlyWrong, ""}}, {.check = true});
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "pass 'skew' changed the value of kernel 'born'",
                      message);
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "where 1e-10 is allowed", message);
}

TEST(WrongPass, PassesUnseenWithoutTheCheck) {
  EXPECT_EQ(messageOf({{"skew", slightlyWrong, ""}}, {}), "");
}

TEST(WrongPass, IsAllowedTheErrorOfItsClassOnlyIfApproximate) {
  EXPECT_EQ(messageOf({{"skew", slightlyWrong, "", true}}, {.check = true}), "");
}

TEST(WrongPass, IsCaughtInTheOriginToo) {
  const std::string message = messageOf({{"lost", wrongOrigin, ""}}, {.check = true});
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "pass 'lost' changed the origin", message);
}

TEST(WrongPass, ThatBreaksARuleIsNamedByTheVerifier) {
  const std::string message = messageOf({{"stale", staleTypes, ""}}, {});
  EXPECT_PRED_FORMAT2(testing::IsSubstring, "pass 'stale' broke kernel 'born'", message);
}
