// nexus.h - what a result file holds, described before it is written: groups of NXdata.
//
// Layout of NXdata: manual.nexusformat.org/classes/base_classes/NXdata.html. silx refuses bin edges
// and 2-D coordinates in `axes`, so axes are centres, and q of a list lie beside the signal.
#pragma once
#include <complex>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace facet::runtime::nexus {

using Shape = std::vector<std::int64_t>;
inline std::int64_t elements(const Shape &shape) {
  std::int64_t product = 1;
  for (std::int64_t n : shape)
    product *= n;
  return product;
}
/// The place of an element among all, the last axis fastest.
inline std::int64_t flat(const Shape &shape, const Shape &at) {
  std::int64_t place = 0;
  for (std::size_t k = 0; k < shape.size(); ++k)
    place = place * shape[k] + at[k];
  return place;
}

/// Makes `count` numbers of a dataset from number `first` on.
using Make = std::function<void(std::int64_t first, std::int64_t count, double *to)>;

/// Numbers known before anything is computed: an axis, q of every value.
struct Numbers {
  std::string name;
  Shape shape;
  const double *values = nullptr; // the caller's, which outlive the description
  std::string unit, longName;
  Make make = {}; // if `values` is null: a block at a time
};

/// What is computed: F or an intensity.
enum class Element { Real, Complex }; // 8 and 16 bytes; complex as h5py's compound of r and i
inline std::int64_t bytesOf(Element element) { return element == Element::Real ? 8 : 16; }
struct Signal {
  std::string name;
  Element element = Element::Real;
  Shape shape;
  std::string unit, longName;
  bool image = false;             // show as an image
  std::string uncertainties = {}; // of a signal of one dimension: the dataset with them; "": none
  const void *values = nullptr;   // if they are known: the caller's, as those of Numbers
  Make make = {};                 // or what makes them, if they are real
  bool squared = true;            // of an F: what is drawn is |F|^2, else F itself
};
inline std::int64_t bytesOf(const Signal &signal) {
  return elements(signal.shape) * bytesOf(signal.element);
}
/// A dataset of another group, to appear under a name of its own.
struct Link {
  std::string target, name; // "GROUP/NAME" of an earlier group
  /// If the link names its uncertainties, it is a virtual dataset, which has attributes of its own.
  /// The target may not name them: silx takes that attribute for one of the axes.
  std::string uncertainties = {};
};

/// A group /entry/NAME of class NXdata.
struct Group {
  std::string name, title;
  std::map<std::string, std::string> attributes;
  std::vector<Signal> signals;        // the first is the one drawn, else the first link
  std::vector<std::string> axes = {}; // of the signal, slowest first; "." if there is none
  std::vector<Numbers> numbers = {};  // axes, and what lies beside the signal
  std::vector<Link> links = {};
  std::map<std::string, std::vector<std::string>> lists = {}; // more attributes
  std::map<std::string, std::vector<int>> indices = {};       // and more
};

/// A whole file with its one entry.
struct File {
  std::string title;
  std::string plot; // the group that viewers draw first
  std::vector<Group> groups;
  bool canSas = false; // an entry of NXcanSAS: has groups of that kind
};
/// Bytes of all signals and numbers.
inline std::int64_t bytesOf(const File &file) {
  std::int64_t bytes = 0;
  for (const Group &group : file.groups) {
    for (const Signal &signal : group.signals)
      bytes += bytesOf(signal);
    for (const Numbers &numbers : group.numbers)
      bytes += 8 * elements(numbers.shape);
  }
  return bytes;
}

/// What was made of all values of a group's F, and lies beside it: `quantiles`, with their
/// `probabilities`, and `total`, complex if F or a weight is.
struct Reduction {
  std::string group, label, unit; // label: "F"
  bool isComplex = false;
  std::vector<double> probabilities, quantiles; // empty for complex values
  std::vector<std::complex<double>> total;      // empty: it was not requested
  Shape totalShape;                             // of the axes that are not summed over
  std::string totalLabel;                       // "sum of F times weights over qy, by qx, qz"
};

/// /entry/process: where a result is from.
struct Process {
  std::map<std::string, std::string> provenance; // attributes
  std::map<std::string, double> numbers;         // attributes, too
  std::string experiment;                    // the whole TOML with defaults; empty: none is written
  std::vector<std::int64_t> directions = {}; // of q averaged over, for each value of a curve
  std::vector<Reduction> reduced = {};       // what lies in other groups
};

} // namespace facet::runtime::nexus
