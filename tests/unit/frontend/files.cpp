// files.cpp - what parse() says of files; objects: errors are returned, headers are built in,
// threads may make them.
#include "codegen/frontend/frontend.h"
#include "tests/support/folder.h"
#include <gtest/gtest.h>
#include <thread>

using facet::frontend::compileObject;
using facet::frontend::FileKernels;
using facet::frontend::parse;
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
  const FileKernels before = parse(main);
  EXPECT_EQ(before.hash.size(), 16u);
  folder.write("k.cpp", include + kernel("k") + "constexpr double one = 1;\n");
  EXPECT_NE(parse(main).hash, before.hash);
  folder.write("mine.h", "constexpr double one = 1;\n");
  EXPECT_EQ(parse(folder.write("k.cpp", include + "#include \"mine.h\"\n" + kernel("k"))).errors,
            1);
}

TEST(Files, ValuesKnowWhereTheyCameFrom) {
  const Folder folder;
  const FileKernels parsed = parse(folder.write("k.cpp", include + kernel("k")));
  ASSERT_EQ(parsed.kernels.size(), 1u);
  const auto &product = parsed.kernels[0].term.values.back();
  EXPECT_EQ(product.loc.line, 6);
  EXPECT_EQ(product.loc.column, 19); // the '*'
}

TEST(Object, ErrorsAreReturnedWithTheirPlaceAndNothingIsWritten) {
  const Folder folder;
  const std::string object = folder.path / "bad.o";
  const std::string said = compileObject("int f() { return x; }\n", "bad", object);
  EXPECT_NE(said.find("bad.cpp:1:18: error: use of undeclared identifier 'x'"), std::string::npos)
      << said;
  EXPECT_FALSE(std::filesystem::exists(object));
}

TEST(Object, NoStandardHeaderIsFound) {
  const Folder folder;
  EXPECT_NE(compileObject("#include <cmath>\n", "hermetic", folder.path / "x.o"), "");
  EXPECT_EQ(
      compileObject("#include <facet/dsl.h>\n#include <facet/abi.h>\n", "ok", folder.path / "x.o"),
      "");
}

TEST(Object, OnlyTheTextsGivenAreIncludedAndNoFileOfTheDisk) {
  const Folder folder;
  const std::string file = folder.path / "a.cpp", object = folder.path / "x.o";
  std::ofstream(file) << "int x;\n";
  const std::string text = "#include \"" + file + "\"\nint *y = &x;\n";
  EXPECT_NE(compileObject(text, "disk", object).find("file not found"), std::string::npos);
  EXPECT_EQ(compileObject(text, "memory", object, {{file, "extern int x;\n"}}), "");
}

TEST(Object, FunctionsMayAskForATarget) {
  const Folder folder;
  EXPECT_EQ(compileObject("__attribute__((target(\"avx2,fma\"))) double f(double *a) {\n"
                          "  double s = 0;\n"
                          "  for (int k = 0; k < 64; ++k) s += __builtin_sin(a[k]) * a[k];\n"
                          "  return s;\n}\n",
                          "target", folder.path / "x.o"),
            "");
}

TEST(Object, AnUnwritablePathIsTold) {
  EXPECT_NE(compileObject("int x;\n", "x", "/nonexistent/folder/x.o"), "");
}

TEST(Object, SeveralThreadsCompileAtOnce) {
  const Folder folder;
  std::string said[4];
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int k = 0; k < 4; ++k)
    threads.emplace_back([&, k] {
      said[k] =
          compileObject("#include <facet/dsl.h>\nfacet::cplx f(facet::cplx z) { return cis(z); }\n",
                        std::string("thread").append(std::to_string(k)),
                        folder.path / (std::to_string(k) + ".o"));
    });
  for (std::thread &thread : threads)
    thread.join();
  for (const std::string &one : said)
    EXPECT_EQ(one, "");
}
