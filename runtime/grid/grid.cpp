// grid.cpp - extents, indices and checks of grids.
#include <cmath>
#include <facet/runtime/error.h>
#include <facet/runtime/grid.h>
#include <fmt/format.h>

namespace facet::runtime {

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

namespace {
const char *const names[] = {"qx", "qy", "qz"};

void checkAxis(const Axis &axis, int k) {
  if (axis.re.empty())
    throw Error(names[k], "the axis has no values", "give at least one, e.g. 0 or -2:2:500");
  if (!axis.im.empty() && axis.im.size() != axis.re.size())
    throw Error(names[k], std::to_string(axis.re.size()) + " real parts but " +
                              std::to_string(axis.im.size()) + " imaginary parts");
  for (std::size_t i = 0; i < axis.re.size(); ++i)
    if (!std::isfinite(axis.re[i]) || (axis.isComplex() && !std::isfinite(axis.im[i])))
      throw Error(names[k], "value number " + std::to_string(i + 1) + " is not a finite number");
  constexpr double most = 1e50; // whose square is a number, with those of a mesh too
  for (std::size_t i = 0; i < axis.re.size(); ++i)
    if (std::abs(axis.re[i]) > most || (axis.isComplex() && std::abs(axis.im[i]) > most))
      throw Error(names[k], fmt::format("value number {} is beyond 1e50", i + 1),
                  "q is in nm^-1: 0 to some 100");
}
} // namespace

void check(const Grid &grid) {
  constexpr double most = 1e15; // q that can be counted
  double all = 1;
  for (int k = 0; k < 3; ++k) {
    checkAxis(grid.axes[k], k);
    all *= static_cast<double>(grid.axes[k].re.size());
  }
  if (grid.kind != Grid::Kind::Points && all > most)
    throw Error("grid", fmt::format("{:.3g} q are more than facet counts", all),
                "take fewer values along its axes");
  if (grid.kind != Grid::Kind::Points)
    return;
  auto n = grid.axes[0].re.size();
  for (int k = 1; k < 3; ++k)
    if (grid.axes[k].re.size() != n)
      throw Error("grid",
                  "a list of points needs as many " + std::string(names[k]) + " as qx: " +
                      std::to_string(grid.axes[k].re.size()) + " and " + std::to_string(n),
                  "repeat a component that is constant");
  const std::int64_t rows = grid.imageRows, columns = grid.imageColumns,
                     points = static_cast<std::int64_t>(n);
  if ((rows != 0 || columns != 0) &&
      (rows < 1 || columns < 1 || points % rows != 0 || points / rows != columns))
    throw Error("grid", std::to_string(grid.imageRows) + " rows x " +
                            std::to_string(grid.imageColumns) + " columns do not make " +
                            std::to_string(n) + " points");
}

} // namespace facet::runtime
