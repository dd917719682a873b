// compare.cpp - random problems, and errors as max|F - Fref| / N.
#include "compare.h"
#include "tests/support/environment.h"
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <random>
#include <set>

namespace facet::test {
using namespace runtime;

namespace {

const std::set<std::string> builtIn{"area",    "normal",  "centroid", "vertex0",
                                    "vertex1", "vertex2", "edge1",    "edge2"};

Vec3 inBall(std::mt19937_64 &random, double radius) {
  std::uniform_real_distribution<double> u(-1, 1);
  for (;;) {
    const Vec3 v{u(random), u(random), u(random)};
    if (v[0] * v[0] + v[1] * v[1] + v[2] * v[2] <= 1)
      return {v[0] * radius, v[1] * radius, v[2] * radius};
  }
}

} // namespace

Mesh randomMesh(const Problem &problem, const Kernel &kernel) {
  std::mt19937_64 random(problem.seed);
  Mesh mesh;
  mesh.name = "random";
  for (std::int64_t t = 0; t < problem.nt; ++t) {
    const Vec3 c = inBall(random, 0.45 * problem.extent);
    std::array<Vec3, 3> corners;
    for (Vec3 &corner : corners) {
      const Vec3 d = inBall(random, 0.05 * problem.extent);
      corner = {c[0] + d[0], c[1] + d[1], c[2] + d[2]};
    }
    mesh.triangles.push_back(corners);
  }
  std::uniform_real_distribution<double> u(0.5, 1.5);
  for (int c = 0; c < kernel->column_count; ++c) {
    const std::string name = kernel->columns[c];
    if (!builtIn.count(name.substr(0, name.find('.'))))
      for (std::int64_t t = 0; t < problem.nt; ++t)
        mesh.columns[name].push_back(u(random));
  }
  for (int c = 0; c < kernel->axis_column_count; ++c) {
    const facet_axis_column &column = kernel->axis_columns[c];
    const std::int64_t rows = problem.n[static_cast<std::size_t>(column.axis)];
    std::vector<double> values(static_cast<std::size_t>(rows * problem.nt));
    std::ranges::generate(values, [&] { return u(random); });
    mesh.tables[column.name] = AxisTable(rows, problem.nt, std::move(values));
  }
  return mesh;
}

Grid randomGrid(const Problem &problem) {
  std::mt19937_64 random(problem.seed + 1);
  // Each component within qMax / sqrt 3, so |q| <= qMax; x keeps |q| R >= 0.1.
  const double most = problem.qMax / std::sqrt(3.0), least = std::min(0.2 / problem.extent, most);
  std::uniform_real_distribution<double> u(-most, most), positive(least, most);
  std::uniform_real_distribution<double> im(0, 2 / problem.extent);
  Grid grid;
  grid.kind = problem.kind;
  const bool points = problem.kind == Grid::Kind::Points;
  for (int k = 0; k < 3; ++k) {
    const std::int64_t n = points ? problem.n[0] * problem.n[1] * problem.n[2] : problem.n[k];
    for (std::int64_t p = 0; p < n; ++p) {
      grid.axes[k].re.push_back(k == 0 ? positive(random) : u(random));
      if (k == 2 && problem.complexQ)
        grid.axes[k].im.push_back(im(random));
    }
    if (!points)
      std::sort(grid.axes[k].re.begin(), grid.axes[k].re.end());
  }
  return grid;
}

std::vector<double> randomParameters(const Problem &problem, const Kernel &kernel) {
  std::mt19937_64 random(problem.seed + 2);
  std::uniform_real_distribution<double> u(0.5, 2);
  std::vector<double> params(kernel->param_count);
  for (double &p : params)
    p = u(random);
  return params;
}

Reference reference(const Kernel &kernel, const Mesh &mesh, const Grid &grid,
                    const std::vector<double> &params) {
  std::vector<std::vector<double>> columns;
  std::vector<const double *> pointers;
  for (int c = 0; c < kernel->column_count; ++c)
    columns.push_back(column(mesh, kernel->columns[c]));
  for (const auto &c : columns)
    pointers.push_back(c.data());
  // Columns with an axis have other values at each q.
  const std::size_t own = pointers.size();
  const std::int64_t n = grid.size(), step = kernel->axis_column_count > 0 ? 1 : n;
  const auto outputs = static_cast<std::int64_t>(outputsOf(*kernel).size());
  std::vector<double> q, sumAbs(n), factors(outputs * n);
  std::vector<std::complex<double>> f(outputs * n); // of each point the outputs
  for (std::int64_t p = 0; p < n; ++p)
    for (const auto &component : grid.at(p))
      q.insert(q.end(), {component.real(), component.imag()});
  for (std::int64_t p = 0; p < n; p += step) {
    pointers.resize(own);
    for (int c = 0; c < kernel->axis_column_count; ++c) {
      const facet_axis_column &column = kernel->axis_columns[c];
      pointers.push_back(
          mesh.tables.at(column.name).row(grid.placesOf(p)[static_cast<std::size_t>(column.axis)]));
    }
    kernel->reference(q.data() + 6 * p, step, pointers.data(), mesh.size(), params.data(),
                      reinterpret_cast<double *>(f.data() + outputs * p), sumAbs.data() + p,
                      factors.data() + outputs * p);
  }
  Reference result;
  for (std::int64_t o = 0; o < outputs; ++o)
    for (std::int64_t p = 0; p < n; ++p) {
      result.f.push_back(f[outputs * p + o]);
      result.bound.push_back(sumAbs[p] * factors[outputs * p + o]);
    }
  return result;
}

namespace {
/// Compares the values [first, last).
Comparison compareSome(const Reference &ref, const std::vector<std::complex<double>> &f,
                       std::size_t first, std::size_t last, double floor) {
  double most = 0, bound = 0, worst = 0, squares = 0;
  for (std::size_t p = first; p < last; ++p) {
    most = std::max(most, std::abs(ref.f[p]));
    bound = std::max(bound, ref.bound[p]);
    const double difference = std::abs(f[p] - ref.f[p]);
    // A NaN must not pass as small.
    worst = std::isfinite(difference) ? std::max(worst, difference) : HUGE_VAL;
    squares += difference * difference;
  }
  const double n = std::max(most >= 0.1 * bound ? most : bound, floor);
  return {worst / n, std::sqrt(squares / static_cast<double>(last - first)) / n, n};
}
} // namespace

std::vector<Comparison> compareEach(const Kernel &kernel, const Mesh &mesh, const Grid &grid,
                                    const std::vector<double> &params,
                                    const std::vector<std::complex<double>> &f, double floor) {
  const Reference ref = reference(kernel, mesh, grid, params);
  const auto size = static_cast<std::size_t>(grid.size());
  std::vector<Comparison> each;
  for (std::size_t first = 0; first < ref.f.size(); first += size)
    each.push_back(compareSome(ref, f, first, first + size, floor));
  return each;
}

Comparison compare(const Kernel &kernel, const Mesh &mesh, const Grid &grid,
                   const std::vector<double> &params, const std::vector<std::complex<double>> &f,
                   double floor) {
  return std::ranges::max(compareEach(kernel, mesh, grid, params, f, floor), {},
                          &Comparison::error);
}

std::string openclLibrary(const std::string &kernel) {
  const std::string path = fmt::format("{}/{}_opencl", FACET_TEST_KERNELS, kernel);
  const bool all = fullTests() && std::filesystem::exists(path + "_all.so");
  return path + (all ? "_all.so" : ".so");
}

} // namespace facet::test
