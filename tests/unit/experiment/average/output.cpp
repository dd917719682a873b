// output.cpp - curves come back from NXcanSAS files as they were, and are drawn, odd ones too.
#include "runtime/engine/store/hdf5.h"
#include "scratch.h"
#include "some_curve.h"

using namespace facet::runtime;
using namespace facet::test;

using CurveOutput = Scratch;

TEST_F(CurveOutput, ComesBack) {
  const Curve curve = someCurve();
  writeNxcansas(curve, path("a.h5"));
  const h5::Object file(path("a.h5"));
  const auto list = [&](const std::string &name) {
    return file.open("entry/sasdata/" + name).doubles();
  };
  EXPECT_EQ(list("Q"), curve.q);
  EXPECT_EQ(list("I"), curve.intensity);
  EXPECT_EQ(list("Idev"), curve.deviation);
  EXPECT_EQ(list("I_errors"), curve.deviation);
  EXPECT_EQ(file.text("entry/definition"), "NXcanSAS");
  EXPECT_EQ(files(), 1U);
}

TEST_F(CurveOutput, WithoutErrors) {
  Curve curve = someCurve();
  curve.deviation.clear();
  curve.directions.clear();
  writeNxcansas(curve, path("a.h5"));
  const h5::Object file(path("a.h5"));
  EXPECT_FALSE(file.has("entry/sasdata/Idev"));
  EXPECT_TRUE(file.has("entry/sasdata/I"));
}

TEST_F(CurveOutput, Refusals) {
  Curve curve = someCurve();
  EXPECT_SAYS(writeNxcansas(curve, path("no/a.h5")), "cannot write");
  EXPECT_SAYS(writeCurvePicture(curve, path("a.gif")), "draws no '.gif' pictures");
  curve.deviation.pop_back();
  EXPECT_SAYS(writeNxcansas(curve, path("a.h5")), "unequal length");
  EXPECT_SAYS(writeNxcansas({}, path("a.h5")), "empty");
  EXPECT_SAYS(writeCurvePicture({}, path("a.png")), "empty");
  EXPECT_EQ(files(), 0U);
}

TEST_F(CurveOutput, IsDrawn) {
  Curve curve = someCurve();
  writeCurvePicture(curve, path("a.png"));
  EXPECT_EQ(bytes("a.png").substr(1, 3), "PNG");
  writeCurvePicture(curve, path("a.svg"));
  EXPECT_HAS(bytes("a.svg"), "</svg>");
  curve.deviation[30] = 0.5 * curve.intensity[30]; // a bar
  writeCurvePicture(curve, path("b.png"));
  EXPECT_NE(bytes("a.png"), bytes("b.png"));
}

TEST_F(CurveOutput, OddValuesAreDrawn) {
  Curve curve = someCurve();
  curve.q[0] = 0;
  curve.intensity[7] = 0;
  curve.intensity[8] = std::nan("");
  writeCurvePicture(curve, path("a.png"));
  for (double value : {0.0, 7.0, 1e300}) {
    Curve flat;
    flat.q = {0, 0.5, 1};
    flat.intensity = {value, value, value};
    flat.unit = "nm^-1 #";
    writeCurvePicture(flat, path("b.png"));
    flat.q = {2};
    flat.intensity = {value};
    writeCurvePicture(flat, path("b.png"));
  }
  EXPECT_EQ(files(), 2U);
}
