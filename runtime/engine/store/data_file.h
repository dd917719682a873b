// data_file.h - groups NXdata of a result read back for pictures, a band of rows at a time.
#pragma once
#include "runtime/engine/store/hdf5.h"
#include "runtime/engine/store/nexus.h"
#include <optional>

namespace facet::runtime {

struct DataAxis {
  std::string name, unit;
  std::vector<double> values;
};

/// A group with a real signal of one or two dimensions, all axes of which are there.
struct DataGroup {
  std::string name, title;
  std::string quantity, unit; // of the signal: its long_name without the unit; "": arbitrary
  std::string signal, errors; // names of datasets; "": no uncertainties
  nexus::Shape shape;
  std::vector<DataAxis> axes; // slowest first
  std::int64_t rows() const { return shape.size() == 2 ? shape[0] : 1; }
  std::int64_t columns() const { return shape.back(); }
};

/// An image made smaller: each value the mean of the finite ones of rowStep x columnStep places.
struct CoarseImage {
  std::int64_t rowStep = 1, columnStep = 1, rows = 0, columns = 0;
  std::vector<double> values;                              // by rows; NaN if no place has a value
  double at(std::int64_t row, std::int64_t column) const { // of a place of the image before
    return values[static_cast<std::size_t>((row / rowStep) * columns + column / columnStep)];
  }
};
/// The mean of each `step` centres.
std::vector<double> thinned(const std::vector<double> &centres, std::int64_t step);

class DataFile {
public:
  /// Throws Error if this is no HDF5 file, or has no such group.
  explicit DataFile(const std::string &path);

  /// The groups in the order of their numbers: image_2 before image_10.
  const std::vector<DataGroup> &groups() const { return groups_; }
  /// A group's dataset in at most so many rows and columns; bands of rows are held besides.
  CoarseImage read(const DataGroup &group, const std::string &dataset, std::int64_t most) const;
  /// The number at /entry/GROUP/NAME; none if it is not there.
  std::optional<double> number(const DataGroup &group, const std::string &name) const;
  /// The experiment as TOML, "" if it is not there.
  std::string experiment() const;

private:
  h5::Object file_;
  std::vector<DataGroup> groups_;
};

} // namespace facet::runtime
