// read.cpp - whole experiments are read with their defaults, and written so that they can be
// read again. Also what is part of the identity of a run; the table of keys in docs/experiments.md.
#include "files.h"
#include "runtime/scattering/detector/detector.h"
#include "runtime/scattering/experiment/schema.h"
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>

namespace facet::test {
namespace {
using runtime::schema::identityOf;

TEST(Schema, OneParticleOnOneGridIsNoScene) {
  EXPECT_FALSE(read(kernel + box + grid).isScene());
  EXPECT_FALSE(read(kernel + box + "orientation = { euler = [0, 30, 0] }\n" + grid).isScene());
  EXPECT_TRUE(read(kernel + box + "orientation = \"in-plane\"\n" + grid).isScene());
  EXPECT_TRUE(read(kernel + beam + sample + gold + grid).isScene());
}

TEST(Schema, WholeNumbersOfAnySizeAreNumbers) {
  const std::string large = "9007199254740995", columns = "columns = { a = " + large + " }\n",
                    parameters = "parameters = { k = " + large + ", z = [[" + large + ", 1]] }\n";
  const Experiment e = read(kernel + parameters + box + columns + "[grid]\nqy = " + large + "\n");
  EXPECT_EQ(e.particles[0].columns.at("a"), 9007199254740996.0); // the nearest double
  EXPECT_EQ(e.parameters[0].second.numbers[0], 9007199254740996.0);
  EXPECT_EQ(e.parameters[1].second.numbers[0], std::complex(9007199254740996.0, 1.0));
  EXPECT_EQ(parseAxis(e.axes[1]).re[0], 9007199254740996.0);
}

TEST(Schema, DirectionsOfACurveAreAWordOrAList) {
  const std::string curve = kernel + box + "[grid]\nq = [0.5, 1]\n";
  EXPECT_TRUE(read(curve).directions.whole());
  EXPECT_TRUE(read(curve + "directions = \"all\"\n").directions.whole());
  const Experiment one = read(curve + "directions = \"revolution\"\n"),
                   two = read(curve + "directions = [[[0, 0, 1], [0.6, 0, 0.8]], [0.25, 0.75]]\n");
  EXPECT_TRUE(read(toToml(one)).directions.revolution);
  EXPECT_EQ(read(toToml(two)).directions.at[1], (std::array{0.6, 0.0, 0.8}));
  EXPECT_EQ(read(toToml(two)).directions.weights, (std::vector{0.25, 0.75}));
  EXPECT_NE(identityOf(one)["grid"], identityOf(read(curve))["grid"]);
  EXPECT_NE(identityOf(one)["grid"], identityOf(two)["grid"]);
}

TEST(Schema, ABeamOfAnEnergyHasItsWavelength) {
  const Experiment e = read(kernel + "[beam]\nenergy = 9998.7256800968\n" + gold + grid);
  EXPECT_NEAR(e.wavelength, 0.124, 1e-14);
  EXPECT_TRUE(e.alphaI.empty());
}

TEST(Schema, LayersAndParticlesAreReadWithDefaults) {
  const Experiment e = read(kernel + beam + sample + gold +
                            "layer = \"film\"\nz = 5\nsize = { type = \"lognormal\", width = 0.1 "
                            "}\norientation = { average = \"in-plane\", euler = [0, 30, 0] }\n" +
                            detector);
  const Experiment &s = e;
  ASSERT_EQ(s.layers.size(), 3U);
  EXPECT_EQ(s.layers[1].thickness, 40);
  EXPECT_EQ(s.layers[2].beta, 0);
  EXPECT_EQ(s.particles[0].size->rule, "quadrature");
  EXPECT_EQ(s.particles[0].size->points, 0);
  EXPECT_EQ(s.particles[0].orientation.average, "in-plane");
  EXPECT_EQ(s.detector->form, "points");
  EXPECT_DOUBLE_EQ(s.detector->poni1, 4 * 172e-6);
  EXPECT_DOUBLE_EQ(s.detector->poni2, 15 * 172e-6);
}

TEST(Schema, ACalibrationFillsTheDetectorAndTheWavelength) {
  const Folder folder;
  folder.write("a.poni", "poni_version: 2\nDetector: Detector\nDetector_config: {\"pixel1\": 1e-4, "
                         "\"pixel2\": 2e-4, \"max_shape\": [10, 20]}\nDistance: 1.5\nPoni1: 0.001\n"
                         "Poni2: 0.002\nRot1: 0.01\nRot2: 0\nRot3: 0\nWavelength: 1.24e-10\n");
  const auto file = [&](const std::string &more) {
    return folder.write("x.toml", kernel + more + box + "[detector]\nponi = \"a.poni\"\n");
  };
  const Experiment s = readExperiment(file(""));
  EXPECT_EQ(s.detector->rows, 10);
  EXPECT_EQ(s.detector->pixel2, 2e-4);
  EXPECT_EQ(s.detector->rotation[0], 0.01);
  EXPECT_NEAR(s.wavelength, 0.124, 1e-12);
  EXPECT_SAYS(readExperiment(file("[beam]\nwavelength = 0.2\n")),
              "the calibration is of 0.124 nm, the beam has 0.2 nm");
}

TEST(Schema, ObjectsAreNamedOrNumbered) {
  const Folder folder;
  folder.write("t.txt", "# particle x y z a b c scale\nbox 1 2 3\n\n1 4 5 6 10 20 30 0.5 # half\n");
  const Experiment e =
      readExperiment(folder.write("x.toml", "objects = \"t.txt\"\n" + kernel + box + grid));
  ASSERT_EQ(e.objects.size(), 2U);
  EXPECT_EQ(e.objects[0].position, (std::array<double, 3>{1, 2, 3}));
  EXPECT_EQ(e.objects[0].scale, 1);
  EXPECT_EQ(e.objects[1].euler, (std::array<double, 3>{10, 20, 30}));
  EXPECT_EQ(e.objects[1].scale, 0.5);
  EXPECT_EQ(e.interference, "coherent");
}

TEST(Schema, UnitsHaveNames) {
  const auto unitOf = [](const std::string &unit) {
    return read(kernel + "[particle]\nmesh = \"a.stl\"\nunit = " + unit + "\n" + grid)
        .particles[0]
        .unit;
  };
  EXPECT_EQ(unitOf("\"nm\""), 1);
  EXPECT_EQ(unitOf("\"angstrom\""), 0.1);
  EXPECT_EQ(unitOf("2.5"), 2.5);
  EXPECT_SAYS(unitOf("\"inch\""), "x.toml:4: unit 'inch': this is no unit of length");
  EXPECT_SAYS(unitOf("true"), "'unit' is to be a number");
}

TEST(Schema, ObjectTablesTakeALineOfNames) {
  const Folder folder;
  const auto read = [&](const std::string &table) {
    folder.write("t.txt", table);
    return readExperiment(folder.write("x.toml", "objects = \"t.txt\"\n" + kernel + box + grid))
        .objects;
  };
  for (const char *names : {"z y x scale particle\n", "# z y x scale particle\n"}) {
    const auto objects = read(names + std::string("3 2 1 0.5 box\n6 5 4 2 1\n"));
    ASSERT_EQ(objects.size(), 2U);
    EXPECT_EQ(objects[0].position, (std::array<double, 3>{1, 2, 3}));
    EXPECT_EQ(objects[1].position, (std::array<double, 3>{4, 5, 6}));
    EXPECT_EQ(objects[0].scale, 0.5);
    EXPECT_EQ(objects[1].euler, (std::array<double, 3>{0, 0, 0}));
  }
  EXPECT_EQ(read("x y z b\n1 2 3 90\n")[0].euler, (std::array<double, 3>{0, 90, 0}));
  EXPECT_SAYS(read("particle x y h\n1 2 3 4\n"), "t.txt:1: unknown column 'h'");
  EXPECT_SAYS(read("particle x y\n1 2 3\n"), "t.txt:1: no column 'z'");
  EXPECT_SAYS(read("x x y z\n1 2 3 4\n"), "two columns are called 'x'");
  EXPECT_SAYS(read("z y x\n1 2 3 4\n"), "t.txt:2: 4 words for 3 columns");
}

TEST(Schema, ObjectTablesMayBeCsv) {
  const Folder folder;
  const auto read = [&](const std::string &table) {
    folder.write("t.txt", table);
    return readExperiment(folder.write("x.toml", "objects = \"t.txt\"\n" + kernel + box + grid))
        .objects;
  };
  for (const char *table :
       {"particle,x,y,z\nbox,1,2.5,3\n", "Particle, X, Y, Z\nbox, 1, 2.5, 3\n",
        "\xEF\xBB\xBFparticle;x;y;z\r\nbox;1;2,5;3\r\n",
        "\xEF\xBB\xBF"
        "box 1 2.5 3\n",
        "\"particle\",\"x\",\"y\",\"z\"\n\"box\",1,2.5,3\n", "x\ty\tz\n1\t2.5\t3\n",
        "# z,y,x,particle\n3,2.5,1,box\n", "box,1,2.5,3"}) {
    const auto objects = read(table);
    ASSERT_EQ(objects.size(), 1U) << table;
    EXPECT_EQ(objects[0].position, (std::array<double, 3>{1, 2.5, 3})) << table;
  }
  EXPECT_SAYS(read("box 0,5 0,25 0,1\n"), "t.txt:1: its commas may be decimal points");
  EXPECT_SAYS(read("box 0,5 1 2\n"), "t.txt:1: its commas may be decimal points");
  EXPECT_SAYS(read("particle,x,y,z\nbox,1,,3\n"), "t.txt:2: a field of this row is empty");
  EXPECT_SAYS(read(",particle,x,y,z\n0,box,1,2,3\n"), "t.txt:1: a field of this row is empty");
  EXPECT_SAYS(read("particle,x (nm),y,z\nbox,1,2,3\n"), "t.txt:1: unknown column '(nm)'");
  EXPECT_SAYS(read(std::string("\xFF\xFE"
                               "b\0o\0",
                               6)),
              "t.txt: this text is in UTF-16");
  EXPECT_EQ(read("box 1 2 3\rbox 4 5 6\r").size(), 2U);
}

TEST(Schema, WrittenItReadsTheSame) {
  const std::string rest =
      "[output]\namplitude = false\ncurves = [{ name = \"a\", along = \"qy\", qz "
      "= 0.35, width = 0.02 }]\npicture = { axes = \"angles\" }\n";
  for (const std::string &text :
       {kernel + beam + sample + gold +
            "layer = \"film\"\nz = 5.5\ndensity = 1e-4\nsize = { type = \"schulz\", width = 0.1 "
            "}\norientation = { average = \"tilt\", sigma = 5 }\n" +
            detector + "form = \"auto\"\n" + rest,
        kernel + beam + sample + gold +
            "orientation = { euler = [[0, 1, 2], [3, 4, 5]], weights = [1, 2] }\n[grid]\nalpha_f = "
            "[0.1, 0.3]\nphi_f = { from = -1, to = 1, n = 3 }\n",
        "interference = \"incoherent\"\n" + kernel + box +
            "[[object]]\nparticle = \"box\"\nposition = [1, 2, 3]\n[[object]]\nscale = 2\n" + grid,
        kernel + box + "[grid]\nq = { from = 0.1, to = 5, n = 9, scale = \"log\" }\n"}) {
    const std::string once = toToml(read(text));
    EXPECT_EQ(toToml(read(once)), once);
  }
  EXPECT_HAS(toToml(read(kernel + beam + sample + gold + detector)), "form = 'points'");
}

TEST(Schema, BeamCentresAreInTheRowsAndColumnsOfTheOrientation) {
  for (int orientation = 1; orientation <= 4; ++orientation) {
    const Experiment e =
        read(kernel + beam + sample + gold + detector.substr(0, detector.find("beam_centre")) +
             fmt::format("beam_centre = [4, 15.25]\norientation = {}\n", orientation));
    const auto found = runtime::Geometry(*e.detector).find(0, 0);
    ASSERT_TRUE(found.has_value());
    EXPECT_NEAR((*found)[0], 4 - 0.5, 1e-9) << orientation;
    EXPECT_NEAR((*found)[1], 15.25 - 0.5, 1e-9) << orientation;
    EXPECT_EQ(toToml(read(toToml(e))), toToml(e)); // by poni1 and poni2: turned once
  }
}

// As it lies in results, /entry/process/experiment.
TEST(Schema, WhatTheVersionBeforeWroteIsRead) {
  const std::string run = "\n[accuracy]\nrelative = 1e-05\n\n[run]\nalgorithm = 'auto'\nthreads = "
                          "0\nseed = 1\n\n[output]\nfile = 'a.h5'\nunit = ''\npicture = { file = "
                          "'', scale = 'log', decades = 6, quantity = '|F|^2' }\n";
  const Experiment plain = read(
      "title = 'a'\nkernel = 'born'\nparameters = { 'kappa' = 2 }\n\n[particle]\nshape = { type = "
      "'box', 'size' = [1, 2, 3] }\ncolumns = { 'contrast' = 0.5 }\norientation = { euler = [1, 2, "
      "3] }\n\n[grid]\nqx = '0'\nqy = '-1:1:5'\nqz = '0.5'\n" +
      run);
  EXPECT_FALSE(plain.isScene());
  EXPECT_EQ(plain.particles[0].orientation.euler[0], (std::array<double, 3>{1, 2, 3}));
  const Experiment scene = read(
      "title = 'b'\nkernel = 'exact'\n\n[beam]\nwavelength = 0.124\nalpha_i = [0.2]\n\n[sample]\n"
      "layers = [\n  { name = '', thickness = 0, delta = 0, beta = 0, roughness = 0 },\n  { name = "
      "'Si', thickness = 0, delta = 4.9e-06, beta = 0, roughness = 0 },\n]\n\n[[particle]]\nmesh = "
      "'a.stl'\nunit = 1\ndelta = 2.97e-05\nbeta = 0\norientation = { average = 'in-plane', "
      "points = 0 }\nsize = { type = 'schulz', width = 0.1, points = 80, nsigmas = 8 }\n\n"
      "[detector]\npixels = [20, 30]\npixel_size = [0.000172, 0.000172]\ndistance = 2\nponi1 = "
      "0.01\nponi2 = 0.02\nrotation = [0, 0, 0]\norientation = 3\nform = 'points'\n" +
      run + "curves = [\n  { name = 'a', along = 'qy', qz = 0.35, width = 0 },\n]\n");
  EXPECT_TRUE(scene.isScene());
  EXPECT_EQ(scene.particles[0].size->points, 80);
  EXPECT_EQ(scene.cuts[0].at, 0.35);
  EXPECT_EQ(toToml(read(toToml(scene))), toToml(scene));
}

const std::string whole = kernel + beam + sample + gold + grid;

TEST(SchemaIdentity, HasAPartForEachTable) {
  const auto parts = identityOf(read(whole));
  EXPECT_EQ(parts.at("beam"), "wavelength = 0.124; alpha_i = [0.2]");
  EXPECT_HAS(parts.at("sample"), "name = 'film', thickness = 40, delta = 3e-06, beta = 5e-07");
  EXPECT_HAS(parts.at("particles"), "delta = 2.97e-05; beta = 2.08e-06");
  EXPECT_EQ(parts.at("grid"), "qx = '0'; qy = '-1:1:5'; qz = '0.5'");
  EXPECT_EQ(parts.at("accuracy"), "relative = 1e-05");
  EXPECT_EQ(parts.size(), 5U);
}

TEST(SchemaIdentity, IsNotHowOrWhereItIsRun) {
  const auto parts = identityOf(read(whole));
  for (const char *more : {"[run]\nthreads = 3\nmemory = \"1GB\"\n",
                           "[output]\nfile = \"x.h5\"\npicture = { decades = 3 }\n"})
    EXPECT_EQ(identityOf(read(whole + more)), parts);
  EXPECT_EQ(identityOf(read("title = \"other\"\n" + whole)), parts);
  EXPECT_NE(identityOf(read(whole + "[accuracy]\nrelative = 1e-4\n")), parts);
  EXPECT_NE(identityOf(read(whole + "[output]\namplitude = true\n")), parts);
  EXPECT_NE(identityOf(read(whole + "[output]\ncurves = [{ along = \"qy\", qz = 0.5 }]\n")), parts);
}

TEST(SchemaIdentity, IsNotWhereAMeshLies) {
  const std::string head = kernel + beam + sample, tail = "delta = 1e-5\n" + grid;
  const auto of = [&](const std::string &mesh) {
    return identityOf(read(head + "[particle]\nmesh = \"" + mesh + "\"\n" + tail));
  };
  EXPECT_EQ(of("a.stl"), of("b.stl"));
}

std::string asMarkdown(const std::vector<runtime::schema::KeyRow> &keys) {
  std::string text = "| key, unit | what it is (default) |\n|---|---|\n";
  for (const auto &key : keys) {
    const std::string in = key.table.empty() ? "" : key.table + ".";
    const std::string unit = key.unit.empty() ? "" : ", " + key.unit;
    text += "| `" + in + key.key + "`" + unit + " | " + key.doc + " |\n";
  }
  return text;
}

TEST(Schema, TheDocumentListsTheKeys) {
  const std::string path = DOCUMENT, begin = "<!-- keys -->\n", end = "<!-- end of keys -->";
  const std::string text = textOf(path);
  const std::size_t first = text.find(begin) + begin.size(), last = text.find(end);
  ASSERT_LE(first, last);
  ASSERT_NE(last, std::string::npos);
  const std::string keys = asMarkdown(runtime::schema::allKeys());
  if (std::getenv("FACET_UPDATE") != nullptr)
    std::ofstream(path) << text.substr(0, first) << keys << text.substr(last);
  else
    EXPECT_EQ(text.substr(first, last - first), keys);
}

} // namespace
} // namespace facet::test
