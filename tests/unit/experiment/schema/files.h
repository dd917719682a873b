// files.h - experiment files for tests, made of parts.
#pragma once
#include "refusal.h"
#include "tests/support/folder.h"
#include <facet/runtime/experiment.h>

namespace facet::test {

using namespace facet::runtime;

const std::string kernel = "kernel = \"exact\"\n";
const std::string beam = "[beam]\nwavelength = 0.124\nalpha_i = 0.2\n";
const std::string transmission = "[beam]\nwavelength = 0.124\n";
const std::string sample =
    "[sample]\nlayers = [{ name = \"vacuum\" }, { name = \"film\", thickness "
    "= 40, delta = 3e-6, beta = 5e-7 }, { name = \"Si\", delta = 4.9e-6 }]\n";
const std::string box = "[[particle]]\nname = \"box\"\nshape = { type = \"box\" }\n";
const std::string gold = box + "delta = 2.97e-5\nbeta = 2.08e-6\n";
const std::string grid = "[grid]\nqy = { from = -1, to = 1, n = 5 }\nqz = 0.5\n";
const std::string detector = "[detector]\npixels = [20, 30]\npixel_size = 172e-6\ndistance = "
                             "2\nbeam_centre = [4, 15]\n";

inline Experiment read(const std::string &text) {
  const Folder folder;
  return readExperiment(folder.write("x.toml", text));
}
inline std::string refusalOf(const std::string &text) {
  return refusal([&] { read(text); });
}

} // namespace facet::test
