// grid_view.cpp - F on a grid as data of a page: complex numbers if there are few enough, else
// means of |F|^2 over blocks.
#include "runtime/app/page/report/parts.h"
#include "runtime/app/page/report/report.h"
#include "runtime/engine/store/data_file.h"
#include <algorithm>
#include <cmath>
#include <complex>
#include <facet/runtime/output.h>
#include <fmt/format.h>
#include <limits>
#include <numeric>

namespace facet::page {

using nlohmann::json;
using namespace runtime;

namespace {

constexpr double blank = std::numeric_limits<double>::quiet_NaN();

/// What F has once for each: outputs, values of a sweep, or itself.
std::vector<std::string> stepsOf(const Result &result) {
  std::vector<std::string> names;
  for (const NamedOutput &output : result.outputs)
    names.push_back(output.name);
  if (result.sweep)
    for (const double value : result.sweep->values)
      names.push_back(fmt::format("{} = {}", result.sweep->name, value));
  return names.empty() ? std::vector<std::string>{""} : names;
}

/// Shape of one step: of a product nx, ny, nz; of points 1, rows, columns or 1, 1, n.
std::array<std::int64_t, 3> shapeOf(const Grid &grid) {
  if (grid.kind == Grid::Kind::Product)
    return {static_cast<std::int64_t>(grid.axes[0].re.size()),
            static_cast<std::int64_t>(grid.axes[1].re.size()),
            static_cast<std::int64_t>(grid.axes[2].re.size())};
  if (grid.imageRows > 0)
    return {1, grid.imageRows, grid.imageColumns};
  return {1, 1, static_cast<std::int64_t>(grid.axes[0].re.size())};
}

/// What is not computed gets no number.
void blankMissing(const ResultFile &file, Result &result) {
  if (file.isFinished)
    return;
  const std::size_t groups = std::max<std::size_t>(1, result.outputs.size());
  for (std::size_t g = 0; g < groups; ++g) {
    const std::string name = result.outputs.empty() ? "amplitude" : result.outputs[g].name;
    const h5::Object data = h5::Object(file.file).open("entry/" + name + "/F");
    const std::vector<bool> there = file.computed("/entry/" + name + "/F", data.shape());
    const std::size_t first = g * (result.f.size() / groups);
    for (std::size_t k = 0; k < there.size(); ++k)
      if (!there[k] && first + k < result.f.size())
        result.f[first + k] = {blank, blank};
  }
}

/// Means of |F|^2 over blocks of y and z, of some of x; real outputs: of F.
struct Blocks {
  std::array<std::int64_t, 3> step{1, 1, 1}, shape{};
  std::vector<double> values;
};

Blocks blocksOf(const Result &result, const std::array<std::int64_t, 3> &shape, std::size_t steps) {
  Blocks blocks;
  const auto parts = [](std::int64_t n, std::int64_t most) { return (n + most - 1) / most; };
  for (std::size_t k : {1U, 2U})
    blocks.step[k] = parts(shape[k], mostOfASide);
  const std::int64_t slice = parts(shape[1], blocks.step[1]) * parts(shape[2], blocks.step[2]);
  blocks.step[0] = parts(
      shape[0], std::max<std::int64_t>(1, mostOfAll / (slice * static_cast<std::int64_t>(steps))));
  for (std::size_t k = 0; k < 3; ++k)
    blocks.shape[k] = parts(shape[k], blocks.step[k]);
  const std::int64_t size = shape[0] * shape[1] * shape[2];
  for (std::size_t s = 0; s < steps; ++s) {
    const bool real = s < result.outputs.size() && !result.outputs[s].isComplex;
    for (std::int64_t x = 0; x < shape[0]; x += blocks.step[0])
      for (std::int64_t y = 0; y < shape[1]; y += blocks.step[1])
        for (std::int64_t z = 0; z < shape[2]; z += blocks.step[2]) {
          double sum = 0, count = 0;
          for (std::int64_t j = y; j < std::min(shape[1], y + blocks.step[1]); ++j)
            for (std::int64_t i = z; i < std::min(shape[2], z + blocks.step[2]); ++i) {
              const auto &f = result.f[s * static_cast<std::size_t>(size) +
                                       static_cast<std::size_t>((x * shape[1] + j) * shape[2] + i)];
              if (const double v = real ? f.real() : std::norm(f); std::isfinite(v))
                sum += v, ++count;
            }
          blocks.values.push_back(sum / count); // NaN if there is none
        }
  }
  return blocks;
}

json axesOf(const Grid &grid, const std::array<std::int64_t, 3> &step) {
  json axes = json::array();
  for (int k = 0; k < 3; ++k) {
    const Axis &axis = grid.axes[static_cast<std::size_t>(k)];
    const std::int64_t by =
        grid.kind == Grid::Kind::Product ? step[static_cast<std::size_t>(k)] : 1;
    std::vector<double> values = axis.re;
    if (k == 0 && by > 1) { // slices are left out, not meant
      values.clear();
      for (std::size_t i = 0; i < axis.re.size(); i += static_cast<std::size_t>(by))
        values.push_back(axis.re[i]);
    } else if (by > 1)
      values = thinned(axis.re, by);
    axes.push_back({{"name", axisName(k)}, {"unit", "1/nm"}, {"values", values}});
    if (!axis.im.empty())
      axes.back()["im"] = axis.im;
  }
  return axes;
}

} // namespace

json gridView(const ResultFile &file, Blobs &blobs) {
  Result result = readHdf5(file.file);
  blankMissing(file, result);
  const std::vector<std::string> steps = stepsOf(result);
  const std::array<std::int64_t, 3> shape = shapeOf(result.grid);
  json real = json::array();
  for (std::size_t s = 0; s < steps.size(); ++s)
    real.push_back(s < result.outputs.size() && !result.outputs[s].isComplex);
  json view = {{"kind", "F"},
               {"name", "F"},
               {"title", result.title},
               {"quantity", "F"},
               {"unit", result.unit},
               {"grid", result.grid.kind == Grid::Kind::Product ? "product"
                        : result.grid.imageRows > 0             ? "image"
                                                                : "points"},
               {"steps", steps},
               {"real", real},
               {"of", shape},
               {"missing", !file.isFinished}};
  Blocks blocks;
  blocks.shape = shape;
  const auto all = static_cast<std::int64_t>(result.f.size());
  if (all > mostOfAll) {
    blocks = blocksOf(result, shape, steps.size());
    view["means"] = true;
    view["values"] = blobs.add(blocks.values);
  } else
    view["values"] = blobs.add(result.f);
  view["shape"] = blocks.shape;
  view["step"] = blocks.step;
  view["axes"] = axesOf(result.grid, blocks.step);
  return view;
}

} // namespace facet::page
