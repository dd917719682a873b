// files.cpp - what parse() says about files, kernels and counts of messages.
#include "codegen/frontend/frontend.h"
#include "tests/support/folder.h"
#include <gtest/gtest.h>

using facet::frontend::parse;
using facet::frontend::Parsed;
using facet::test::Folder;

namespace {
std::string kernel(const std::string &name) {
  return "struct FACET_KERNEL " + name +
         " {\n  using Grid = facet::product<>;\n"
         "  static facet::cplx term(Grid::q q, const facet::Triangle &t) {\n"
         "    return t.area * cis(dot(q, t.centroid));\n  }\n"
         "  static facet::cplx finish(Grid::q q, facet::cplx sum) { return sum; }\n};\n";
}
const std::string include = "#include <facet/dsl.h>\nusing namespace facet;\n";
} // namespace

TEST(Files, TheHashIsOfTheFileAndNoOtherFileIsRead) {
  const Folder folder;
  const std::string main = folder.write("k.cpp", include + kernel("k"));
  const Parsed before = parse(main);
  EXPECT_EQ(before.hash.size(), 16u);
  folder.write("k.cpp", include + kernel("k") + "constexpr double one = 1;\n");
  EXPECT_NE(parse(main).hash, before.hash);
  folder.write("mine.h", "constexpr double one = 1;\n");
  EXPECT_EQ(parse(folder.write("k.cpp", include + "#include \"mine.h\"\n" + kernel("k"))).errors,
            1);
}

TEST(Files, ValuesKnowWhereTheyCameFrom) {
  const Folder folder;
  const Parsed parsed = parse(folder.write("k.cpp", include + kernel("k")));
  ASSERT_EQ(parsed.kernels.size(), 1u);
  const auto &product = parsed.kernels[0].term.values.back();
  EXPECT_EQ(product.loc.line, 6);
  EXPECT_EQ(product.loc.column, 19); // the '*'
}
