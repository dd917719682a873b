// table.h - columns of numbers in text: the papers' 7 columns, lists of q, records with a header
// line.
#pragma once
#include <string>
#include <vector>

namespace facet::runtime {

struct Table {
  std::vector<std::string> names; // empty where the file has no header line
  /// Of a file without one: words of the last comment before the first row, where there are as many
  /// as columns and all could be names. numpy.savetxt writes a header so; what else may stand there
  /// is for the reader to judge.
  std::vector<std::string> commentNames;
  std::vector<std::vector<double>> columns; // of equal length
  std::vector<std::string> comments;        // lines beginning with '#', without it
  std::size_t rows() const { return columns.empty() ? 0 : columns[0].size(); }
};

/// Reads numbers separated by blanks, commas or semicolons; "nan" and "inf" are numbers here.
/// Throws Error with the line where a row has another number of columns, or something is no number.
Table readTable(const std::string &path);

} // namespace facet::runtime
