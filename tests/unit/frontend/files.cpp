// files.cpp - what parse() says about files, kernels and counts of messages.
#include "dsl/frontend/frontend.h"
#include "tests/support/folder.h"
#include <chrono>
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

TEST(Files, SeveralKernelsComeInTheOrderOfTheFile) {
  const Folder folder;
  const Parsed parsed = parse(folder.write("two.cpp", include + kernel("b") + kernel("a")));
  ASSERT_EQ(parsed.kernels.size(), 2u);
  EXPECT_EQ(parsed.kernels[0].name, "b");
  EXPECT_EQ(parsed.kernels[1].name, "a");
}

TEST(Files, TheMainFileAndItsOwnHeadersAreListedWithTheirHashes) {
  const Folder folder;
  const std::string header = folder.write("mine.h", "constexpr double one = 1;\n");
  const std::string main = folder.write("k.cpp", include + "#include \"mine.h\"\n" + kernel("k"));
  const Parsed before = parse(main);
  ASSERT_EQ(before.files.size(), 2u);
  EXPECT_EQ(before.files[0].path, main);
  EXPECT_EQ(before.files[1].path, header);
  EXPECT_EQ(before.files[0].hash.size(), 16u);
  folder.write("mine.h", "constexpr double one = 2;\n");
  const Parsed after = parse(main);
  EXPECT_EQ(after.files[0].hash, before.files[0].hash);
  EXPECT_NE(after.files[1].hash, before.files[1].hash);
}

TEST(Files, ErrorsLeaveNoKernels) {
  const Folder folder;
  const Parsed parsed = parse(folder.write("bad.cpp", include + kernel("good") + "int x = ;\n"));
  EXPECT_EQ(parsed.errors, 1);
  EXPECT_TRUE(parsed.kernels.empty());
}

TEST(Files, AMissingFileIsAnError) { EXPECT_GT(parse("/nonexistent/k.cpp").errors, 0); }

TEST(Files, ValuesKnowWhereTheyCameFrom) {
  const Folder folder;
  const Parsed parsed = parse(folder.write("k.cpp", include + kernel("k")));
  ASSERT_EQ(parsed.kernels.size(), 1u);
  const auto &product = parsed.kernels[0].term.values.back();
  EXPECT_EQ(product.loc.line, 6);
  EXPECT_EQ(product.loc.column, 19); // the '*'
}

TEST(Files, ParsingIsQuick) {
  const Folder folder;
  const std::string file = folder.write("k.cpp", include + kernel("k"));
  double best = 1;
  for (int k = 0; k < 5; ++k) {
    const auto start = std::chrono::steady_clock::now();
    parse(file);
    best = std::min(
        best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  EXPECT_LT(best, 0.05);
}
