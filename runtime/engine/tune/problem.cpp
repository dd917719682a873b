// problem.cpp - a torus and a grid for any kernel.
#include "runtime/engine/records/patches.h"
#include "runtime/engine/sum/points.h"
#include "runtime/engine/tune/tuner.h"
#include <algorithm>
#include <cmath>
#include <random>

namespace facet::runtime {

Mesh usualMesh(const facet_kernel_description &kernel, std::int64_t triangles, const Grid &grid) {
  const double half = static_cast<double>(triangles) / 2;
  const double around = std::max(3.0, std::round(std::sqrt(1.09 * half)));
  Mesh mesh = torus(30, 12, static_cast<int>(around),
                    static_cast<int>(std::max(3.0, std::round(half / around))));
  mesh.name = "torus";
  const auto records = static_cast<std::size_t>(mesh.size());
  if (kernel.triangle == 0)
    mesh.triangles.clear();
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> number(0.5, 1.5);
  for (int c = 0; c < kernel.column_count; ++c)
    try {
      column(mesh, kernel.columns[c]);
    } catch (const Error &) { // a column of the user's own
      std::vector<double> &values = mesh.columns[kernel.columns[c]];
      for (std::size_t k = 0; k < records; ++k)
        values.push_back(number(random));
    }
  for (int c = 0; c < kernel.axis_column_count; ++c) {
    const facet_axis_column &column = kernel.axis_columns[c];
    const std::int64_t rows = grid.extents()[static_cast<std::size_t>(column.axis)];
    std::vector<double> values(static_cast<std::size_t>(rows) * records);
    std::ranges::generate(values, [&] { return number(random); });
    mesh.tables[column.name] =
        AxisTable(rows, static_cast<std::int64_t>(records), std::move(values));
  }
  return mesh;
}

Grid usualGrid(const facet_kernel_description &kernel, facet_grid_kind kind, facet_q_kind q,
               std::int64_t y, std::int64_t z) {
  const std::array<std::int64_t, 3> usual{1, y, z};
  const std::array<double, 3> from{0.1, -2, 0.01}, to{0.1, 2, 2};
  Grid grid;
  for (std::size_t k = 0; k < 3; ++k)
    grid.axes[k] = linspace(from[k], to[k], kernel.fixed[k] > 0 ? kernel.fixed[k] : usual[k]);
  if (q == FACET_COMPLEX_Q && kernel.complex_q[2] != 0)
    grid.axes[2].im = linspace(0.001, 0.01, static_cast<std::int64_t>(grid.axes[2].re.size())).re;
  return kind == FACET_PRODUCT ? grid : pointsOf(grid);
}

} // namespace facet::runtime
