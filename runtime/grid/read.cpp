// read.cpp - grids from files: lists of points in text, lists or axes in HDF5.
#include "runtime/files/hdf5.h"
#include "runtime/files/text.h"
#include <algorithm>
#include <array>
#include <cstdio>
#include <facet/runtime/error.h>
#include <facet/runtime/grid.h>
#include <fstream>

namespace facet::runtime {

namespace {
const std::array<std::string, 3> real{"qx", "qy", "qz"}, imaginary{"qx_im", "qy_im", "qz_im"};

std::vector<double> named(const Table &table, const std::string &name) {
  auto at = std::find(table.names.begin(), table.names.end(), name);
  return at == table.names.end() ? std::vector<double>{} : table.columns[at - table.names.begin()];
}

Grid readText(const std::string &path) {
  Table table = readTable(path);
  Grid grid;
  grid.kind = Grid::Kind::Points;
  if (table.rows() == 0)
    throw Error(path, "there are no numbers in this file");
  const auto &said = table.commentNames;
  if (table.names.empty() && std::all_of(real.begin(), real.end(), [&](const std::string &name) {
        return std::find(said.begin(), said.end(), name) != said.end();
      }))
    table.names = said;
  std::size_t n = table.columns.size();
  if (table.names.empty() && n != 3 && n != 6)
    throw Error(path, "a list of q has 3 columns (qx qy qz) or 6 (then qx_im qy_im qz_im), not " +
                          std::to_string(n));
  for (std::size_t k = 0; k < 3; ++k) {
    Axis &axis = grid.axes[k];
    axis.re = table.names.empty() ? table.columns[k] : named(table, real[k]);
    axis.im = table.names.empty() && n == 6 ? table.columns[k + 3] : named(table, imaginary[k]);
    if (axis.re.empty())
      throw Error(path, "there is no column " + real[k], "name the columns qx qy qz");
    if (std::all_of(axis.im.begin(), axis.im.end(), [](double y) { return y == 0; }))
      axis.im.clear();
  }
  for (const std::string &comment : table.comments) {
    long rows = 0, columns = 0;
    if (std::sscanf(comment.c_str(), " rows %ld columns %ld", &rows, &columns) == 2) {
      grid.imageRows = rows;
      grid.imageColumns = columns;
    }
  }
  return grid;
}

Grid readHdf5Grid(const std::string &path) {
  const h5::Object file(path);
  Grid grid;
  h5::Shape shape;
  bool alike = true;
  for (std::size_t k = 0; k < 3; ++k) {
    if (!file.has(real[k]))
      throw Error(path, "there is no dataset /" + real[k],
                  "a grid has /qx, /qy and /qz (and /qz_im where q is complex), nm^-1");
    const h5::Object values = file.open(real[k]);
    h5::Shape own = values.shape();
    if (own.empty())
      own = {1};
    if (k == 0)
      shape = own;
    alike = alike && own == shape;
    grid.axes[k].re = values.doubles();
    if (file.has(imaginary[k]))
      grid.axes[k].im = file.open(imaginary[k]).doubles();
  }
  bool product = file.attribute("grid") == "product";
  grid.kind = alike && !product ? Grid::Kind::Points : Grid::Kind::Product;
  if (grid.kind == Grid::Kind::Points && shape.size() == 2) {
    grid.imageRows = shape[0];
    grid.imageColumns = shape[1];
  }
  return grid;
}
} // namespace

Grid readGrid(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  std::array<char, 8> start{};
  if (!file || !file.read(start.data(), start.size()))
    throw Error(path,
                file.eof() && file.gcount() == 0 ? "this file is empty" : "cannot read this file");
  file.close();
  Grid grid = std::string_view(start.data() + 1, 3) == "HDF" ? readHdf5Grid(path) : readText(path);
  try {
    check(grid);
  } catch (const Error &error) {
    throw Error(path, error.what());
  }
  return grid;
}

} // namespace facet::runtime
