// experiment.cpp - experiment files are read, refused with line and nearest key, and written with
// defaults.
#include "fixture.h"
#include "tests/support/folder.h"
#include <filesystem>

namespace facet::test {
namespace {
namespace fs = std::filesystem;

Experiment read(const std::string &text) {
  const Folder folder;
  return readExperiment(folder.write("gold.toml", text));
}

const std::string particle = "[particle]\nshape = { type = \"torus\", major = 20 }\n";
const std::string axes = "[grid]\nqy = { from = -2, to = 2, n = 5 }\nqz = [0.1, 0.2]\n";

TEST(Experiment, IsReadWithDefaults) {
  const Experiment e = read("kernel = \"born\"\n[parameters]\nkappa = 2\n" + particle + axes);
  EXPECT_EQ(e.kernel, "born");
  EXPECT_EQ(e.title, "gold");
  EXPECT_EQ(e.output, "gold.h5");
  EXPECT_EQ(e.particles[0].shapeNumbers.at("major"), std::vector<double>{20});
  EXPECT_EQ(e.axes, (std::array<std::string, 3>{"0", "-2:2:5", "0.1,0.2"}));
  EXPECT_EQ(e.parameters.at(0), std::make_pair(std::string("kappa"), ParameterValue(2.0)));
  EXPECT_EQ(e.accuracy, 1e-5);
  EXPECT_EQ(makeGrid(e).size(), 10);
  EXPECT_GT(makeMesh(e.particles[0]).size(), 0);
}

TEST(Experiment, AsTextIsReadBackTheSame) {
  Experiment e = read("kernel = \"born\"\n[parameters]\nkappa = 2\n" + particle +
                      "columns = { contrast = 0.5 }\norientation = { euler = [1, 2, 3] }\n" + axes);
  e.particles[0].shapeNumbers["size"] = {1, 2, 3};
  EXPECT_EQ(toToml(read(toToml(e))), toToml(e));
  EXPECT_HAS(toToml(e), "relative = 1e-05");
}

TEST(Experiment, TextsOfSeveralLinesAreReadAsWritten) {
  for (const char *title : {R"("one\ntwo")", R"("\n'''one'''\n")", R"("\"\"\"\n'")"}) {
    const Experiment e =
        read("title = " + std::string(title) + "\nkernel = \"born\"\n" + particle + axes);
    EXPECT_EQ(read(toToml(e)).title, e.title) << title;
  }
}

TEST(Experiment, ZeroHasNoSign) {
  const Experiment e = read("kernel = \"born\"\nparameters = { a = -0.0 }\n" + particle + axes);
  EXPECT_HAS(toToml(e), "'a' = 0 }");
  EXPECT_EQ(toToml(read(toToml(e))), toToml(e));
}

TEST(Experiment, AUnitIsAbove0) {
  for (const char *unit : {"0", "-0.0", "-1"})
    EXPECT_HAS(refusal([&] {
                 read("kernel = \"born\"\nparticle.mesh = \"a.stl\"\nparticle.unit = " +
                      std::string(unit) + "\n" + axes);
               }),
               "gold.toml:3: unit is to be above 0");
}

TEST(Experiment, ParametersHaveNumbersVectorsAndSweeps) {
  using Numbers = std::vector<std::complex<double>>;
  const Experiment e =
      read("kernel = \"born\"\nparameters = { a = 2, n = [1.5, 0.1], m = [0, 0, 1], "
           "e = [0, [1, 2], 0], t = \"1-2i\", s = \"0:1:3\" }\n" +
           particle + axes);
  const auto numbers = [&](const std::string &name) {
    for (const auto &[known, value] : e.parameters)
      if (known == name)
        return value.numbers;
    return Numbers{};
  };
  EXPECT_EQ(numbers("a"), Numbers{2});
  EXPECT_EQ(numbers("n"), (Numbers{1.5, 0.1}));
  EXPECT_EQ(numbers("m"), (Numbers{0, 0, 1}));
  EXPECT_EQ(numbers("e"), (Numbers{0, {1, 2}, 0}));
  EXPECT_EQ(numbers("t"), (Numbers{{1, -2}}));
  EXPECT_HAS(toToml(e), "'t' = [1, -2]");
  EXPECT_HAS(toToml(e), "'s' = '0:1:3'");
  EXPECT_EQ(toToml(read(toToml(e))), toToml(e));
  for (const char *wrong : {"true", "[]", "[[1, 2, 3]]", "[true]", "{ x = 1 }"})
    EXPECT_HAS(refusal([&] {
                 read("kernel = \"born\"\nparameters = { a = " + std::string(wrong) + " }\n" +
                      particle + axes);
               }),
               "gold.toml:2: parameter 'a' is to be a number, or a list of numbers");
  EXPECT_HAS(
      refusal([&] { read("kernel = \"born\"\nparameters = { a = \"two\" }\n" + particle + axes); }),
      "parameter 'a': 'two' is not a finite number");
}

TEST(Experiment, UnknownKeyNamesLineAndNearest) {
  const std::string message = refusal(
      [] { read("kernel = \"born\"\n" + particle + axes + "[accuracy]\nrelativ = 1e-6\n"); });
  EXPECT_HAS(message, "gold.toml:8: unknown key 'relativ' in [accuracy]");
  EXPECT_HAS(message, "did you mean 'relative'?");
}

TEST(Experiment, WrongTypesNameTheLine) {
  EXPECT_HAS(refusal([] { read("kernel = 3\n"); }), "gold.toml:1: 'kernel' is to be a text");
  EXPECT_HAS(refusal([] { read("kernel = \"born\"\n" + particle + "unit = true\n" + axes); }),
             "'unit' is to be a number");
  EXPECT_HAS(refusal([] { read("kernel = [\n"); }), "not TOML");
  EXPECT_HAS(
      refusal([] { read("title = '''a.b'''\n# a.b\na.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q = 1\n"); }),
      ":3: not TOML: a key has more than 16 parts");
}

TEST(Experiment, AnAxisWithoutValuesIsRefused) {
  EXPECT_HAS(refusal([] {
               read("kernel = \"born\"\n" + particle +
                    "[grid]\nqy = { from = 0, to = 1, n = 0 }\n");
             }),
             "axis qy has no values: n = 0");
  EXPECT_HAS(refusal([] { read("kernel = \"born\"\n" + particle + "[grid]\nqy = []\n"); }),
             "axis qy has no values");
}

TEST(Experiment, WhatIsMissingIsNamed) {
  EXPECT_HAS(refusal([] { read(""); }), "no kernel");
  EXPECT_HAS(refusal([] { read("kernel = \"born\"\n"); }), "no particle");
  EXPECT_HAS(refusal([] { read("kernel = \"born\"\n" + particle); }), "no grid");
  EXPECT_HAS(refusal([] { read("kernel = \"born\"\n[particle]\n" + axes); }),
             "a particle needs a mesh or a shape");
}

TEST(Experiment, ShapesAreReadFromTheCommandLine) {
  Particle e;
  setShape(e, "box,size=20x30x10,n=2");
  EXPECT_EQ(e.shape, "box");
  EXPECT_EQ(e.shapeNumbers.at("size"), (std::vector<double>{20, 30, 10}));
  Particle commas;
  setShape(commas, "box,size=20,30,10,n=2");
  EXPECT_EQ(commas.shapeNumbers, e.shapeNumbers);
  EXPECT_HAS(refusal([&] { setShape(e, "box,size=wide"); }), "'size=wide' is not NAME=NUMBER");
  for (const char *word : {"20", "=20", "size=", "size=20x", "size=2,high"})
    EXPECT_HAS(refusal([&] { setShape(e, std::string("box,") + word); }), "is not NAME=NUMBER");
}

TEST(Experiment, EulerAnglesTurnZThenYThenZ) {
  // About z by 90 degrees: x goes to y.
  const auto m = eulerZyz({90, 0, 0});
  EXPECT_NEAR(m[3], 1, 1e-15);
  // About y by 90 degrees: z goes to x.
  EXPECT_NEAR(eulerZyz({0, 90, 0})[2], 1, 1e-15);
}

} // namespace
} // namespace facet::test
