// curve.h - 1-D curves I(|q|): to NXcanSAS files and to pictures.
#pragma once
#include "output.h"
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace facet::runtime {

/// An orientation-averaged curve; all lists of equal length.
struct Curve {
  std::vector<double> q;         // |q|, nm^-1
  std::vector<double> intensity; // in `unit`
  std::vector<double> deviation; // the estimated error of intensity, in `unit`; empty: not known
  std::vector<std::int64_t> directions; // at which F was evaluated; empty: not stated
  std::string title;
  std::string unit;                 // of intensity: "1/cm", "nm^6", ..; empty: arbitrary
  std::string quantity = "I";       // what it is, for labels: "|F|^2 per volume"
  std::string across = "q (nm^-1)"; // what the curve is over, for pictures
  bool logAcross = true;            // if it covers a decade
  std::map<std::string, std::string> provenance; // stored as attributes of /entry/process
  std::map<std::string, double> numbers;         // likewise
  std::string experiment; // the whole TOML with defaults, so that it can be run again
};

/// Writes NXcanSAS 1.1 (SasView reads it; silx, h5web and DAWN draw it): /entry/sasdata with Q, I
/// and Idev. Under a temporary name, renamed when whole. Throws Error: lists of unequal length, a
/// file that cannot be written.
void writeNxcansas(const Curve &curve, const std::string &path);

/// A PNG, SVG or PDF by extension: I over q, both logarithmic (q linear if it covers less than a
/// decade), with bars if the error is above 2% of I. The options log, decades and the size count.
/// Throws Error for an empty curve.
void writeCurvePicture(const Curve &curve, const std::string &path,
                       const PictureOptions &options = {});

} // namespace facet::runtime
