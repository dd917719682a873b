// ir.h - kernels as the text of IR: those of examples/kernels, and one around a few values; what is
// said of a bad one.
#pragma once
#include "codegen/ir/ir.h"
#include "folder.h"
#include <filesystem>
#include <gtest/gtest.h>
#include <string>

namespace facet::test {

#ifdef FACET_EXAMPLES
/// A kernel of examples/kernels as the front end lowers it.
inline std::string exampleIr(const std::string &name) {
  return textOf(std::filesystem::path(FACET_EXAMPLES) / (name + ".fir"));
}
#endif

/// Record, grid and parameters; the values of the sum, up to its yield; and those of finish.
inline std::string kernelIr(const std::string &declarations, const std::string &values,
                            const std::string &finish = "yield sum") {
  return "kernel @k { " + declarations + " sum t { " + values + " } finish { " + finish + " } }\n";
}

/// What ir::Error says when `work` throws it; "" if it does not.
template <class Work> std::string refusalOf(const Work &work) {
  try {
    work();
  } catch (const ir::Error &error) {
    return error.message;
  }
  return "";
}
#define EXPECT_REFUSED(statement, part)                                                            \
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, part, ::facet::test::refusalOf([&] { statement; }))

} // namespace facet::test
