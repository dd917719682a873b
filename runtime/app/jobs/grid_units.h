// grid_units.h - F by units: to the result file, and back.
#pragma once
#include "runtime/engine/check/sample.h"
#include "runtime/engine/run/shares.h"
#include "runtime/engine/store/tiled_result.h"
#include "runtime/engine/sum/cut.h"
#include <complex>
#include <facet/runtime/kernel.h>
#include <facet/runtime/output.h>
#include <vector>

namespace facet::cli {

/// The outputs of a kernel as result files have them.
std::vector<runtime::NamedOutput> storedOutputs(const runtime::Kernel &kernel);

/// A unit is a box of q, at one or a few values of the parameter that is swept: its steps.
class GridUnits {
public:
  using Values = std::vector<std::complex<double>>;

  /// `outputs`: storedOutputs(). `steps`: of the sweep, `together` of them in a unit; 0: there is
  /// none, and F has no axis of it. The grid outlives this.
  GridUnits(const runtime::Grid &grid, const runtime::Cut &cut,
            std::vector<runtime::NamedOutput> outputs, std::int64_t steps, std::int64_t together);
  /// The units as the boxes of a grid, steps slowest.
  runtime::Cutter units() const;
  std::int64_t boxes() const { return boxes_.count(); }
  runtime::Box box(std::int64_t unit) const { return boxes_.at(unit % boxes_.count()); }
  runtime::Run steps(std::int64_t unit) const;
  runtime::Grid grid(std::int64_t unit) const { return unitGrid(grid_, box(unit)); }
  /// How many: all outputs of a unit at one step, one after the other.
  std::size_t valuesOf(std::int64_t unit) const {
    return outputs_.size() * static_cast<std::size_t>(box(unit).size());
  }

  void write(runtime::TiledResult &result, std::int64_t unit, std::int64_t step,
             const Values &values) const;
  /// `apart`: from one output to the next in `to`.
  void read(const runtime::TiledResult &result, std::int64_t step, const runtime::Box &box,
            std::complex<double> *to, std::int64_t apart) const;
  Values read(const runtime::TiledResult &result, std::int64_t step, std::int64_t unit) const;
  /// F at some q of the grid, by their indices, from finished units; one output after the other.
  Values read(const runtime::TiledResult &result, std::int64_t step,
              const std::vector<std::int64_t> &q) const;
  /// Where |F| of a unit is smallest and largest at a step.
  runtime::Extremes extremes(std::int64_t unit, const Values &values) const;

private:
  runtime::tiled::DatasetBox inFile(const runtime::Box &box, std::int64_t step) const;

  const runtime::Grid &grid_;
  runtime::Cutter boxes_;
  std::vector<runtime::NamedOutput> outputs_; // one at least
  std::int64_t steps_, together_;
};

} // namespace facet::cli
