// output.h - results to HDF5 (NeXus NXdata) and to pictures.
#pragma once
#include "grid.h"
#include <complex>
#include <map>
#include <string>
#include <vector>

namespace facet::runtime {

/// F on a grid and what is to be said about it.
struct Output {
  const Grid *grid = nullptr;
  const std::vector<std::complex<double>> *f = nullptr; // grid order, z fastest
  std::string title;
  std::map<std::string, std::string> provenance; // stored as attributes of /entry/process
  std::map<std::string, double> numbers;         // measured_error, contract, TQP/s ...: likewise
  std::string experiment; // the whole TOML with defaults, so that it can be run again
};

/// Writes F and |F|^2 as NeXus NXdata (silx, h5web and DAWN draw the default). Written under a
/// temporary name and renamed when whole. Throws Error (unwritable folder, full disk).
void writeHdf5(const Output &output, const std::string &path);

struct PictureOptions {
  bool log = true;
  double decades = 6; // of the colour scale, below the maximum
  std::string quantity = "|F|^2";
};
/// A PNG (or SVG by extension) with axes, units, colour scale and colour bar; a curve where the
/// grid is one line; a detector image where points have rows and columns.
void writePicture(const Output &output, const std::string &path,
                  const PictureOptions &options = {});

} // namespace facet::runtime
