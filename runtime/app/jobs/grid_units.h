// grid_units.h - F by units: to the result file, and back.
#pragma once
#include "runtime/engine/check/sample.h"
#include "runtime/engine/store/tiled_result.h"
#include "runtime/engine/sum/cut.h"
#include <complex>
#include <facet/runtime/kernel.h>
#include <facet/runtime/output.h>
#include <vector>

namespace facet::cli {

/// The outputs of a kernel as result files have them.
std::vector<runtime::NamedOutput> storedOutputs(const runtime::Kernel &kernel);

class GridUnits {
public:
  using Values = std::vector<std::complex<double>>;

  /// `outputs`: storedOutputs(). The grid outlives this.
  GridUnits(const runtime::Grid &grid, const runtime::Cut &cut,
            std::vector<runtime::NamedOutput> outputs);
  const runtime::Cutter &units() const { return units_; }
  runtime::Grid grid(std::int64_t unit) const { return unitGrid(grid_, units_.at(unit)); }
  /// How many: all outputs of a unit, one after the other.
  std::size_t valuesOf(std::int64_t unit) const {
    return outputs_.size() * static_cast<std::size_t>(units_.at(unit).size());
  }

  void write(runtime::TiledResult &result, std::int64_t unit, const Values &values) const;
  /// `apart`: from one output to the next in `to`.
  void read(const runtime::TiledResult &result, const runtime::Box &box, std::complex<double> *to,
            std::int64_t apart) const;
  void read(const runtime::TiledResult &result, std::complex<double> *all) const {
    read(result, {{}, grid_.extents()}, all, grid_.size());
  }
  Values read(const runtime::TiledResult &result, std::int64_t unit) const;
  /// F at some q of the grid, by their indices, from finished units; one output after the other.
  Values read(const runtime::TiledResult &result, const std::vector<std::int64_t> &q) const;
  /// Where |F| of a unit is smallest and largest.
  runtime::Extremes extremes(std::int64_t unit, const Values &values) const;

private:
  runtime::tiled::DatasetBox inFile(const runtime::Box &box) const;

  const runtime::Grid &grid_;
  runtime::Cutter units_;
  std::vector<runtime::NamedOutput> outputs_; // one at least
};

} // namespace facet::cli
