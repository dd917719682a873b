// results.h - a result of every kind, for the tests of outputs.
#pragma once
#include "runtime/engine/store/tiled_result.h"
#include <facet/runtime/grid.h>
#include <facet/runtime/output.h>
#include <map>

/// Grids by what should be drawn of them.
inline std::map<std::string, facet::runtime::Grid> everyGrid() {
  using namespace facet::runtime;
  auto product = [](const char *x, const char *y, const char *z) {
    Grid grid;
    grid.axes = {parseAxis(x), parseAxis(y), parseAxis(z)};
    return grid;
  };
  Grid points, detector;
  points.kind = detector.kind = Grid::Kind::Points;
  for (int i = 0; i < 12; ++i) {
    double y = i % 4 * 0.1, z = i / 4 * 0.3 + 0.001 * i;
    points.axes[0].re.push_back(0);
    points.axes[1].re.push_back(y * z + 0.1 * y);
    points.axes[2].re.push_back(z);
    detector.axes[0].re.push_back(-y * z);
    detector.axes[1].re.push_back(y);
    detector.axes[2].re.push_back(z);
  }
  detector.imageRows = 3;
  detector.imageColumns = 4;
  Grid line = points;
  line.axes[1].re.assign(12, 0.5);
  return {{"image", product("0", "-1:1:6", "0:2:5")},
          {"absorbing", product("0", "-1:1:6", "0:2:5+0.01i")},
          {"plane", product("-1:1:4", "-1:1:6", "0.5")},
          {"curve", product("0.1", "log 0.01:1:50", "0")},
          {"volume", product("0:1:2", "0:1:3", "0:1:4")},
          {"one", product("0", "1", "2")},
          {"scatter", points},
          {"detector", detector},
          {"line", line}};
}

inline std::vector<std::complex<double>> someF(const facet::runtime::Grid &grid) {
  std::vector<std::complex<double>> f;
  for (std::int64_t i = 0; i < grid.size(); ++i)
    f.emplace_back(static_cast<double>(i + 1), -0.5 * static_cast<double>(i));
  return f;
}

inline facet::runtime::Output outputOf(const facet::runtime::Grid &grid,
                                       const std::vector<std::complex<double>> &f,
                                       const std::string &title) {
  facet::runtime::Output output;
  output.grid = &grid;
  output.f = &f;
  output.title = title;
  output.unit = "nm^3";
  output.provenance = {{"kernel", "born"}};
  output.numbers = {{"measured_error", 1.5e-7}};
  output.experiment = "kernel = \"born\"\n";
  return output;
}

/// A unit a plane of the slowest axis.
inline void writeTiled(const facet::runtime::Output &output, const std::string &path,
                       bool compress) {
  using namespace facet::runtime;
  const TiledFile file = tiledFile(*output.grid, output.title, output.unit);
  const nexus::Shape shape = file.file.groups[0].signals[0].shape;
  const std::int64_t row = nexus::elements(shape) / shape[0];
  TiledResult result = TiledResult::create(path, file, {}, shape[0]);
  for (std::int64_t unit = 0; unit < shape[0]; ++unit) {
    nexus::Shape begin(shape.size(), 0), end = shape;
    begin[0] = unit;
    end[0] = unit + 1;
    result.write(unit, result.dataset("/entry/amplitude/F"), begin, end,
                 output.f->data() + unit * row);
    result.finishUnit(unit);
  }
  result.finalise({output.provenance, output.numbers, output.experiment}, compress);
}
