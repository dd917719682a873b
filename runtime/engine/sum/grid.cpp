// grid.cpp - grids of q: extents, indices, checks; an axis from text such as "-2:2:500"; lists of
// points and axes from files.
#include "runtime/engine/store/hdf5.h"
#include "runtime/engine/system/reader.h"
#include "runtime/engine/system/text.h"
#include "runtime/engine/system/units.h"
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <facet/runtime/grid.h>
#include <fmt/format.h>
#include <map>
#include <ranges>

namespace facet::runtime {
namespace {

const std::array<std::string, 3> real{"qx", "qy", "qz"}, imaginary{"qx_im", "qy_im", "qz_im"};
constexpr std::int64_t longest = 10'000'000;

void checkAxis(const Axis &axis, const std::string &name) {
  if (axis.re.empty())
    throw Error(name, "the axis has no values", "give at least one, e.g. 0 or -2:2:500");
  if (axis.isComplex() && axis.im.size() != axis.re.size())
    throw Error(
        name, fmt::format("{} real parts but {} imaginary parts", axis.re.size(), axis.im.size()));
  constexpr double most = 1e50; // whose square is a number, with those of a mesh too
  for (std::size_t i = 0; i < axis.re.size(); ++i) {
    const double re = axis.re[i], im = axis.isComplex() ? axis.im[i] : 0;
    if (!std::isfinite(re) || !std::isfinite(im))
      throw Error(name, fmt::format("value number {} is not a finite number", i + 1));
    if (std::abs(re) > most || std::abs(im) > most)
      throw Error(name, fmt::format("value number {} is beyond 1e50", i + 1),
                  "q is in nm^-1: 0 to some 100");
  }
}

[[noreturn]] void refuse(const std::string &text, const std::string &why) {
  throw Error("axis '" + text + "'", why,
              "write a number 0.1, a list 0.1,0.2,0.5, from:to:n (-2:2:500) or 'log from:to:n' "
              "(log 0.01:5:200); +0.01i at the end adds an imaginary part to each (nm^-1)");
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ')
    text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ')
    text.remove_suffix(1);
  return text;
}

template <class Number> bool parse(std::string_view word, Number &value) {
  return parseNumber(trimmed(word), value);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (const auto part : std::views::split(text, separator))
    parts.emplace_back(part.begin(), part.end());
  return parts;
}

/// Cuts "+0.01i" or "-0.01i" off the end of a text; 0 if there is none.
double takeImaginary(const std::string &whole, std::string_view &text) {
  if (text.empty() || text.back() != 'i')
    return 0;
  std::size_t sign = text.size() - 1;
  do
    sign = sign == 0 ? std::string_view::npos : text.find_last_of("+-", sign - 1);
  while (sign != std::string_view::npos && sign > 0 &&
         (text[sign - 1] == 'e' || text[sign - 1] == 'E'));
  double value = 0;
  if (sign == std::string_view::npos || sign == 0 ||
      !parse(text.substr(sign, text.size() - 1 - sign), value))
    refuse(whole, "the imaginary part is not a number after a sign");
  text = trimmed(text.substr(0, sign));
  return value;
}
std::vector<double> named(const Table &table, const std::string &name) {
  const auto at = std::ranges::find(table.names, name);
  return at == table.names.end() ? std::vector<double>{} : table.columns[at - table.names.begin()];
}

/// q is read in nm^-1; a comment may say otherwise.
void checkUnitSaid(const std::string &path, const std::string &comment) {
  const std::vector<StatedUnit> said = unitsOfQ(comment);
  const auto isNm = [](const StatedUnit &unit) { return std::abs(unit.size - 1) < 1e-9; };
  const auto other = std::ranges::find_if_not(said, isNm);
  if (other != said.end() && std::ranges::none_of(said, isNm))
    throw Error(path, "a comment speaks of '" + other->text + "', and q is read in nm^-1",
                "give q in nm^-1, and say nm^-1 in the comment");
}

/// Columns that no line names are read as qx qy qz; a comment may say otherwise.
void checkOrderSaid(const std::string &path, const std::string &comment) {
  std::array<std::size_t, 3> at{};
  std::ranges::transform(real, at.begin(),
                         [&](const std::string &name) { return comment.find(name); });
  if (std::ranges::max(at) != std::string::npos && !std::ranges::is_sorted(at))
    throw Error(
        path, "a comment has qx, qy and qz in another order than columns without names are read in",
        "name the columns by a line of their own, without units: qz qy qx");
}

Grid readText(const std::string &path) {
  Table table = readTable(path);
  Grid grid;
  grid.kind = Grid::Kind::Points;
  if (table.rows() == 0)
    throw Error(path, "there are no numbers in this file");
  const auto &said = table.commentNames;
  const auto isSaid = [&](const std::string &name) {
    return std::ranges::find(said, name) != said.end();
  };
  if (table.names.empty() && std::ranges::all_of(real, isSaid))
    table.names = said;
  for (const std::string &comment : table.comments) {
    checkUnitSaid(path, comment);
    if (table.names.empty())
      checkOrderSaid(path, lower(comment));
  }
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
    if (std::ranges::all_of(axis.im, [](double y) { return y == 0; }))
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

/// In nm^-1, by what the attribute `units` says.
std::vector<double> inNm(const std::string &path, const h5::Object &data) {
  const std::string said = h5::statedUnit(data).value_or("1/nm");
  const double unit = unitSize(said, Dimension::InverseLength).value_or(0);
  if (unit == 0)
    throw Error(path, "the unit of q is '" + said + "'",
                "write '1/nm' or '1/angstrom' into the attribute units");
  std::vector<double> values = data.doubles();
  for (double &value : values)
    value *= unit;
  return values;
}

Grid readHdf5Grid(const std::string &path) {
  const h5::Object file(path);
  Grid grid;
  h5::Shape shape;
  std::size_t most = 0; // dimensions
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
    most = std::max(most, own.size());
    grid.axes[k].re = inNm(path, values);
    if (file.has(imaginary[k]))
      grid.axes[k].im = inNm(path, file.open(imaginary[k]));
  }
  bool product = file.attribute("grid") == "product";
  grid.kind = alike && !product ? Grid::Kind::Points : Grid::Kind::Product;
  if (grid.kind == Grid::Kind::Product && most > 1)
    throw Error(path, "an array of several dimensions is no axis of a product",
                "write an axis as a list of values; for a q each, give /qx, /qy and /qz one shape");
  if (grid.kind == Grid::Kind::Points && shape.size() == 2) {
    grid.imageRows = shape[0];
    grid.imageColumns = shape[1];
  }
  return grid;
}
} // namespace

std::int64_t Grid::size() const {
  auto n = extents();
  return n[0] * n[1] * n[2];
}

std::array<std::int64_t, 3> Grid::extents() const {
  auto n = [&](int k) { return static_cast<std::int64_t>(axes[k].re.size()); };
  if (kind == Kind::Points)
    return {n(0), 1, 1};
  return {n(0), n(1), n(2)};
}

bool Grid::complexQ() const {
  return axes[0].isComplex() || axes[1].isComplex() || axes[2].isComplex();
}

std::array<std::complex<double>, 3> Grid::at(std::int64_t index) const {
  std::array<std::int64_t, 3> i{index, index, index};
  if (kind == Kind::Product) {
    auto n = extents();
    i = {index / (n[1] * n[2]), index / n[2] % n[1], index % n[2]};
  }
  std::array<std::complex<double>, 3> q;
  for (int k = 0; k < 3; ++k)
    q[k] = {axes[k].re[i[k]], axes[k].isComplex() ? axes[k].im[i[k]] : 0.0};
  return q;
}

std::array<std::int64_t, 3> Grid::placesOf(std::int64_t index) const {
  const auto n = extents();
  return {first[0] + index / (n[1] * n[2]), first[1] + index / n[2] % n[1],
          first[2] + index % n[2]};
}

void check(const Grid &grid) {
  constexpr double most = 1e15; // q that can be counted
  double all = 1;
  for (std::size_t k = 0; k < 3; ++k) {
    checkAxis(grid.axes[k], real[k]);
    all *= static_cast<double>(grid.axes[k].re.size());
  }
  if (grid.kind == Grid::Kind::Product) {
    if (all > most)
      throw Error("grid", fmt::format("{:.3g} q are more than facet counts", all),
                  "take fewer values along its axes");
    return;
  }
  const std::int64_t n = grid.size(), rows = grid.imageRows, columns = grid.imageColumns;
  for (std::size_t k = 1; k < 3; ++k)
    if (std::ssize(grid.axes[k].re) != n)
      throw Error("grid",
                  fmt::format("a list of points needs as many {} as qx: {} and {}", real[k],
                              grid.axes[k].re.size(), n),
                  "repeat a component that is constant");
  if ((rows != 0 || columns != 0) &&
      (rows < 1 || columns < 1 || n % rows != 0 || n / rows != columns))
    throw Error("grid",
                fmt::format("{} rows x {} columns do not make {} points", rows, columns, n));
}

Axis linspace(double from, double to, std::int64_t n) {
  if (n < 1 || n > longest)
    throw Error("axis", "has 1 to 10000000 values, not " + std::to_string(n));
  if (!std::isfinite(from) || !std::isfinite(to))
    throw Error("axis", "its ends must be finite numbers");
  Axis axis;
  axis.re.resize(n);
  for (std::int64_t i = 0; i < n; ++i) // symmetric: q and -q come out alike to the last bit
    axis.re[i] = n == 1 ? from
                        : (from * static_cast<double>(n - 1 - i) + to * static_cast<double>(i)) /
                              static_cast<double>(n - 1);
  return axis;
}

Axis parseAxis(const std::string &whole) {
  std::string_view text = trimmed(whole);
  if (text.empty())
    refuse(whole, "the axis has no values");
  double imaginary = takeImaginary(whole, text);
  bool log = text.substr(0, 4) == "log ";
  if (log)
    text = trimmed(text.substr(4));
  auto ends = split(text, ':');
  Axis axis;
  if (ends.size() == 3) {
    double from = 0, to = 0;
    std::int64_t n = 0;
    if (!parse(ends[0], from) || !parse(ends[1], to) || !std::isfinite(from) || !std::isfinite(to))
      refuse(whole, "from and to must be numbers");
    if (!parse(ends[2], n) || n < 1 || n > longest)
      refuse(whole, "n must be a whole number from 1 to 10000000");
    if (log && (from <= 0 || to <= 0))
      refuse(whole, "a logarithmic axis needs ends greater than 0");
    axis = log ? linspace(std::log(from), std::log(to), n) : linspace(from, to, n);
    if (log) {
      for (double &value : axis.re)
        value = std::exp(value);
      axis.re.back() = n == 1 ? from : to;
      axis.re.front() = from;
    }
  } else if (ends.size() == 1 && !log) {
    for (std::string_view word : split(text, ',')) {
      double value = 0;
      if (!parse(word, value) || !std::isfinite(value))
        refuse(whole, std::string(trimmed(word)).append(" is not a finite number"));
      axis.re.push_back(value);
    }
  } else {
    refuse(whole, ends.size() == 2 ? "from:to lacks the number of values" : "this is no axis");
  }
  if (imaginary != 0)
    axis.im.assign(axis.re.size(), imaginary);
  return axis;
}

Grid readGrid(const std::string &path) {
  FileReader file(path);
  std::array<char, 8> start{};
  if (!file || (!file.read(start.data(), start.size()) && file.gcount() == 0))
    throw Error(path, file.eof() ? "this file is empty" : "cannot read this file");
  if (std::string_view(start.data(), 6) == "\x93NUMPY")
    throw Error(
        path, "this is an array of NumPy, not a list of q that facet reads",
        "write it as text, numpy.savetxt(FILE, q), or give the array to facet.run in Python");
  Grid grid = std::string_view(start.data() + 1, 3) == "HDF" ? readHdf5Grid(path) : readText(path);
  try {
    check(grid);
  } catch (const Error &error) {
    throw Error(path, error.what());
  }
  return grid;
}

} // namespace facet::runtime
