// refused.cpp - what is missing in an experiment, or contradicts itself, is one clear message.
#include "files.h"

namespace facet::test {
namespace {

TEST(SchemaRefuses, UnknownKeysWithTheNearest) {
  EXPECT_HAS(refusalOf(kernel + "[beam]\nwavelenth = 0.1\n" + box + grid),
             "unknown key 'wavelenth' in [beam]\n  help: did you mean 'wavelength'?");
  EXPECT_HAS(refusalOf(kernel + beam + "[sample]\nlayers = [{ nam = \"a\" }]\n" + gold + grid),
             "did you mean 'name'?");
  EXPECT_HAS(refusalOf(kernel + beam + sample + gold + detector + "pixelsize = 1\n"),
             "did you mean 'pixel_size'?");
}

TEST(SchemaRefuses, DirectionsThatAreNone) {
  const std::string curve = kernel + box + "[grid]\nq = [0.5, 1]\ndirections = ";
  EXPECT_HAS(refusalOf(curve + "\"revolutions\"\n"), "did you mean 'revolution'?");
  EXPECT_HAS(refusalOf(curve + "3\n"), "directions are a word, or a list of unit vectors");
  EXPECT_HAS(refusalOf(curve + "[[0, 0, 1], [1]]\n"), "a list of 3 numbers");
  EXPECT_HAS(refusalOf(curve + "[[[0, 0, 2]], [1]]\n"), "(0, 0, 2) is no unit vector");
  EXPECT_HAS(refusalOf(curve + "[[[0, 0, 1]], [0.5, 0.5]]\n"), "are 1 with 2 weights");
  EXPECT_HAS(refusalOf(curve + "[[[0, 0, 1], [1, 0, 0]], [0.5, 0.6]]\n"), "sum to 1.1, not to 1");
  EXPECT_HAS(refusalOf(kernel + box + "[grid]\nqz = 1\ndirections = \"revolution\"\n"),
             "directions are of a curve over |q|");
}

TEST(SchemaRefuses, WidthsOfACurveThatCannotBe) {
  const std::string curve = kernel + box + "[grid]\nq = [0.5, 1]\n[resolution]\n";
  EXPECT_HAS(refusalOf(curve + "slit_lenght = 0.1\n"), "did you mean 'slit_length'?");
  EXPECT_HAS(refusalOf(curve + "dq = -0.1\n"), "'dq' is to be a number, or a list of numbers");
  EXPECT_HAS(refusalOf(curve + "dq_over_q = \"wide\"\n"), "dq_over_q");
  EXPECT_HAS(
      refusalOf(curve + "slit_width = [0.1, 0.2, 0.3]\n"),
      "slit_width has 3 widths, and the curve 2 q\n  help: give a number, or one for each q");
  EXPECT_HAS(refusalOf(curve + "dq = 0.1\nslit_length = 0.1\n"),
             "a curve is smeared in one way\n  help: dq, dq_over_q, or a slit");
  EXPECT_HAS(refusalOf(kernel + box + grid + "[resolution]\ndq = 0.1\n"),
             "dq smears a curve over |q|");
}

TEST(SchemaRefuses, ABeamOfTwoOrNoWavelengths) {
  EXPECT_HAS(refusalOf(kernel + "[beam]\nwavelength = 0.1\nenergy = 10000\n" + box + grid),
             "a wavelength or an energy, not both\n  help: 10000 eV are 0.123984 nm");
  EXPECT_HAS(refusalOf(kernel + "[beam]\nwavelength = -1\n" + box + grid),
             "wavelength is to be above 0");
  EXPECT_HAS(refusalOf(kernel + sample + gold + grid), "a sample needs a beam");
  EXPECT_HAS(refusalOf(kernel + box + detector), "a detector needs a beam");
  EXPECT_HAS(refusalOf(kernel + gold + grid), "delta needs a beam");
}

TEST(SchemaRefuses, AnglesThatDoNotMeetTheSample) {
  EXPECT_HAS(refusalOf(kernel + "[beam]\nwavelength = 0.1\nalpha_i = 0\n" + sample + gold + grid),
             "alpha_i = 0 is not above 0 and below 90 degrees");
  EXPECT_HAS(refusalOf(kernel + transmission + sample + gold + grid),
             "a sample needs an angle of incidence");
  EXPECT_HAS(refusalOf(kernel + beam + gold + grid), "alpha_i without a sample");
}

TEST(SchemaRefuses, LayersThatCannotBe) {
  EXPECT_HAS(refusalOf(kernel + beam + sample + gold + "layer = \"flim\"\n" + grid),
             "no layer 'flim'\n  help: did you mean 'film'?");
  EXPECT_HAS(refusalOf(kernel + box + "layer = \"film\"\n" + grid), "in layer 'film' of no sample");
  EXPECT_HAS(refusalOf(kernel + beam + "[sample]\nlayers = []\n" + gold + grid), "no layers");
  EXPECT_HAS(refusalOf(kernel + beam +
                       "[sample]\nlayers = [{ name = \"a\" }, { name = \"b\", beta = -1e-7 }]\n" +
                       gold + grid),
             "beta is -1e-07");
  EXPECT_HAS(refusalOf(kernel + beam + "[sample]\nlayers = [{ name = \"a\" }, { name = \"a\" }]\n" +
                       gold + grid),
             "two layers are called 'a'");
}

TEST(SchemaRefuses, MaterialsThatCannotBe) {
  EXPECT_HAS(refusalOf(kernel + beam + sample + box + "delta = 1e-5\nbeta = -1e-6\n" + grid),
             "beta = -1e-06 is out of range: 0 <= beta < 1");
  EXPECT_HAS(refusalOf(kernel + beam + sample + box + "beta = 1e-6\n" + grid),
             "beta without delta");
  EXPECT_HAS(refusalOf(kernel + beam + sample + box + grid), "has no delta and beta");
  EXPECT_HAS(refusalOf(kernel + beam + sample + gold + "density = 0\n" + grid),
             "the density is to be above 0");
  EXPECT_HAS(refusalOf(kernel + beam + sample + gold + gold + grid),
             "several particles need a density each");
  EXPECT_HAS(refusalOf(kernel + transmission + gold + box + "[[object]]\n" + grid),
             "either all particles have a delta or none");
}

TEST(SchemaRefuses, DetectorsThatStandNowhere) {
  const std::string head = kernel + beam + sample + gold;
  EXPECT_HAS(
      refusalOf(head + "[detector]\npixels = [2, 3]\npixel_size = 1e-4\nbeam_centre = [1, 1]\n"),
      "the detector has no distance");
  EXPECT_HAS(refusalOf(head + "[detector]\npixels = [2, 3]\npixel_size = 1e-4\ndistance = 1\n"),
             "the detector has no place");
  EXPECT_HAS(refusalOf(head + detector + "poni1 = 0.1\n"), "given twice");
  EXPECT_HAS(refusalOf(head + detector + "rotation = [0.1, 0, 0]\n"), "not turned");
  EXPECT_HAS(refusalOf(head + detector + "form = \"point\"\n"), "did you mean 'points'?");
  EXPECT_HAS(refusalOf(head + detector + grid), "there is a grid too");
  EXPECT_HAS(refusalOf(head), "no grid");
}

TEST(SchemaRefuses, ObjectsThatContradictTheirParticle) {
  const std::string object = "[[object]]\nposition = [0, 0, 1]\n";
  EXPECT_HAS(refusalOf(kernel + box + "[[object]]\nparticle = \"bix\"\n" + grid),
             "unknown particle 'bix'\n  help: did you mean 'box'?");
  EXPECT_HAS(refusalOf(kernel + box + box + "[[object]]\nparticle = \"box\"\n" + grid),
             "several particles are called 'box'");
  EXPECT_HAS(refusalOf(kernel + box + "orientation = \"in-plane\"\n" + object + grid),
             "an orientation has no meaning");
  EXPECT_HAS(refusalOf(kernel + beam + sample + gold + "z = 1\n" + object + grid),
             "z has no meaning");
  EXPECT_HAS(refusalOf(kernel + beam + sample + gold + "density = 1\n" + object + grid),
             "a density has no meaning");
  EXPECT_HAS(refusalOf("interference = \"coherent\"\n" + kernel + box + grid),
             "interference is of objects, and there are none");
  EXPECT_HAS(refusalOf("objects = \"none.txt\"\n" + kernel + box + grid),
             "the table of objects cannot be read");
  const Folder folder;
  for (const auto &[line, why] : {std::pair{"1 0 0\n", "t.txt:1: 2 numbers, not 3, 6 or 7"},
                                  {"1 0 0 0 0 0 0 0\n", "t.txt:1: the scale is to be above 0"}}) {
    folder.write("t.txt", line);
    EXPECT_SAYS(
        readExperiment(folder.write("x.toml", "objects = \"t.txt\"\n" + kernel + box + grid)), why);
  }
}

TEST(SchemaRefuses, AxesThatCannotBeWhicheverWayTheyAreWritten) {
  for (const char *axis : {"{ from = 0, to = 1, n = 20000000 }", "\"0:1:20000000\""})
    EXPECT_HAS(refusalOf(kernel + box + "[grid]\nqz = " + axis + "\n"),
               "x.toml:6: axis '0:1:20000000': n must be a whole number from 1 to 10000000");
  EXPECT_HAS(refusalOf(kernel + box + "[grid]\nqz = { from = nan, to = 1, n = 2 }\n"),
             "'from' = nan is not a finite number");
  EXPECT_HAS(refusalOf(kernel + box + "[grid]\nqz = [1, inf]\n"), "inf is not a finite number");
}

TEST(SchemaRefuses, NumbersThatAreNotFinite) {
  const std::string placed = "[[object]]\nparticle = \"box\"\nposition = [0, nan, 0]\n";
  EXPECT_HAS(refusalOf(kernel + beam + sample + gold + "layer = \"film\"\nz = inf\n" + grid),
             "x.toml:13: 'z' = inf is not a finite number");
  EXPECT_HAS(refusalOf(kernel + box + placed + grid), "'position' = nan is not a finite number");
  EXPECT_HAS(refusalOf(kernel + box + "orientation = { euler = [0, -inf, 0] }\n" + grid),
             "'euler' = -inf is not a finite number");
  EXPECT_HAS(refusalOf(kernel + box + "columns = { contrast = nan }\n" + grid),
             "'contrast' = nan is not a finite number");
  EXPECT_HAS(refusalOf(kernel + gold + "density = inf\n" + transmission + grid),
             "'density' = inf is not a finite number");
}

TEST(SchemaRefuses, CurvesAndCutsThatMeanNothing) {
  const std::string curve = "[grid]\nq = [0.1, 0.2]\n";
  EXPECT_HAS(refusalOf(kernel + beam + sample + gold + curve), "there is a sample");
  EXPECT_HAS(refusalOf(kernel + box + "orientation = \"in-plane\"\n" + curve),
             "averaged over all orientations");
  EXPECT_HAS(refusalOf(kernel + box + "[grid]\nq = [0.1]\nqy = 1\n"), "one of them");
  EXPECT_HAS(refusalOf(kernel + box + grid + "[output]\ncurves = [{ along = \"qy\" }]\n"),
             "a cut goes along one coordinate at a value of another");
  EXPECT_HAS(refusalOf(kernel + box + "orientation = \"in-plane\"\n" + grid +
                       "[output]\namplitude = true\n"),
             "an average of intensities has no amplitude");
}

TEST(SchemaRefuses, AveragesThatAreNone) {
  EXPECT_HAS(refusalOf(kernel + box + "orientation = \"inplane\"\n" + grid),
             "unknown orientation 'inplane'\n  help: did you mean 'in-plane'?");
  EXPECT_HAS(refusalOf(kernel + box + "orientation = { average = \"tilt\" }\n" + grid),
             "a tilt needs its sigma");
  const auto density = [&](const std::string &keys) {
    return refusalOf(kernel + box + "orientation = { average = " + keys + " }\n" + grid);
  };
  EXPECT_HAS(density("\"cyclic-gaussian\""), "\"cyclic-gaussian\" has one, too");
  EXPECT_HAS(density("\"maier-saupe\""), "need their kappa, 10000 at most");
  EXPECT_HAS(density("\"von-mises-fisher\", kappa = 1e5"), "need their kappa, 10000 at most");
  EXPECT_HAS(density("\"in-plane\", kappa = 1"), "and nothing else has one");
  EXPECT_HAS(density("\"full\", director = [0, 1, 0]"), "a director is of a density");
  EXPECT_HAS(density("\"tilt\", sigma = 5, director = [0, 0, 0]"), "not all 0");
  EXPECT_HAS(density("\"maier-saup\", kappa = 1"), "did you mean 'maier-saupe'?");
  EXPECT_HAS(density("\"maier-saupe\", kapa = 1"), "did you mean 'kappa'?");
  EXPECT_HAS(
      refusalOf(kernel + box + "orientation = { euler = [[1, 2, 3]], weights = [1, 2] }\n" + grid),
      "2 weights for 1 orientations");
  EXPECT_HAS(refusalOf(kernel + box + "size = { type = \"gauss\", width = 0.1 }\n" + grid),
             "did you mean 'gaussian'?");
  EXPECT_HAS(refusalOf(kernel + box + "size = { type = \"schulz\" }\n" + grid),
             "sizes have no width");
}

} // namespace
} // namespace facet::test
