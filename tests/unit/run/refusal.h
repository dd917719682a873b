// refusal.h - what an Error says, for tests of messages.
#pragma once
#include <facet/runtime/error.h>
#include <gtest/gtest.h>
#include <string>

namespace facet::test {

/// The message of the Error that `work` throws, "" if it throws none.
template <class Work> std::string refusal(const Work &work) {
  try {
    work();
  } catch (const runtime::Error &e) {
    return e.what();
  }
  return "";
}
#define EXPECT_HAS(text, part) EXPECT_PRED_FORMAT2(::testing::IsSubstring, part, text)
/// What the Error of a statement says.
#define EXPECT_SAYS(statement, part) EXPECT_HAS(::facet::test::refusal([&] { statement; }), part)

} // namespace facet::test
