// growth.h - how time and memory of one sum grow with the number of triangles or of q.
#pragma once
#include <string>
#include <vector>

namespace facet::bench {

/// One algorithm over sizes: seconds of one run, and bytes of memory beyond inputs and outputs.
struct Growth {
  std::string name;
  std::vector<double> size, seconds, bytes;
};

/// t = overhead + seconds a unit * n^slope, by least squares of the relative differences, overhead
/// at least 0.
struct Fit {
  double overhead = 0, unit = 0, slope = 0;
};
Fit fit(const std::vector<double> &size, const std::vector<double> &seconds);

/// What grows, for a pair of panels: seconds above, bytes below.
struct Series {
  std::string axis; // "triangles"
  std::string rest; // "64 x 64 q"
  std::vector<Growth> curves;
};

/// The picture, PNG or SVG by extension. Throws runtime::Error.
void draw(const std::string &path, const std::string &title, const std::vector<Series> &series);

} // namespace facet::bench
