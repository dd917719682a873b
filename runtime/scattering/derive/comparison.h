// comparison.h - the images of a result beside those that were measured.
#pragma once
#include <cstdint>
#include <facet/runtime/output.h>
#include <string>
#include <vector>

namespace facet::runtime {

struct ComparisonOptions {
  bool scale = false, background = false; // found by least squares
  bool counts = false; // what was measured are counts: sigma is their root, 1 at least
};

/// theory = scale * I + background beside what was measured, and residuals = (theory - measured) /
/// sigma; all row by row, NaN where there is nothing to compare.
struct ComparedImage {
  std::string group, title, label;         // label: of what was measured, with its unit
  std::vector<std::string> axes;           // labels, rows first
  std::vector<std::vector<double>> places; // of rows and columns; empty: their numbers
  std::int64_t rows = 0, columns = 0;
  std::vector<double> theory, measured, residuals;
  double chi2 = 0, points = 0;
};

struct Comparison {
  double scale = 1, background = 0;           // of all images
  double scaleError = 0, backgroundError = 0; // a standard deviation; 0: it was not asked for
  std::vector<ComparedImage> images;
  double chi2 = 0, points = 0, leftOut = 0;
};

/// `result`: a file of facet run, with images. `data`: HDF5 as --gradient-of takes it, with sigma
/// unless these are counts. Throws Error.
Comparison compareImages(const std::string &result, const std::string &data,
                         const ComparisonOptions &options);
/// Draws each image in three panels: measured, theory, residuals. PATH is of the first, PATH_2 of
/// image_2. Returns the files.
std::vector<std::string> drawComparison(const Comparison &comparison, const std::string &path,
                                        const PictureOptions &options);

} // namespace facet::runtime
