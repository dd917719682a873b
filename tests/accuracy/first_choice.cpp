// first_choice.cpp - how often the planner's first choice of transforms misses its contract, over
// meshes, grids and accuracies drawn at random.
//
//   facet_first_choice KERNEL.so [CELLS] [FIRST SEED]
//
// Each cell is run whole and by units; the truth is transforms at 1e-11, and direct sums in f64 for
// q whose errors are amplified. One line a cell; the last says how many missed, by the largest
// error of all q and by the sample a run measures. Exit 1: more than 1% of the cells by either.
#include "runtime/engine/plan/plan_run.h"
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <facet/runtime/error.h>
#include <facet/runtime/plan.h>
#include <fmt/format.h>
#include <optional>
#include <random>

namespace {
using namespace facet::runtime;
using Values = std::vector<std::complex<double>>;

struct Cell {
  Mesh mesh;
  Grid grid;
  double accuracy = 1e-5;
  std::string cut, text;
};

/// Uniform draws that are the same with every standard library.
class Draw {
public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}
  double between(double low, double high) {
    return low + (high - low) * static_cast<double>(random_() >> 11) * 0x1p-53;
  }
  double logarithmic(double low, double high) {
    return std::exp(between(std::log(low), std::log(high)));
  }
  int below(int n) { return static_cast<int>(random_() % static_cast<std::uint64_t>(n)); }

private:
  std::mt19937_64 random_;
};

Mesh meshOf(Draw &draw, double &extent, std::string &text) {
  extent = draw.logarithmic(10, 400);
  const double fineness = draw.logarithmic(6, 60);
  Mesh mesh;
  switch (draw.below(3)) {
  case 0:
    mesh = makeMesh("torus", {{"major", {0.35 * extent}},
                              {"minor", {0.15 * extent}},
                              {"around", {std::round(2.5 * fineness)}},
                              {"tube", {std::round(fineness)}}});
    break;
  case 1:
    mesh = refined(makeMesh("box", {{"size", {extent, extent * draw.between(0.2, 1), extent / 2}}}),
                   static_cast<int>(std::round(fineness)));
    break;
  default:
    mesh = refined(makeMesh("truncated-octahedron", {}), static_cast<int>(fineness / 2));
    const MeshReport found = inspect(mesh);
    const double scale = extent / (found.high[0] - found.low[0]), squeezed = draw.between(0.3, 1);
    for (auto &triangle : mesh.triangles)
      for (Vec3 &corner : triangle)
        corner = {scale * corner[0], scale * corner[1], scale * squeezed * corner[2]};
  }
  if (draw.below(2) == 0)
    mesh = rotated(mesh, {0.8, -0.6, 0, 0.6, 0.8, 0, 0, 0, 1});
  if (draw.below(2) == 0)
    for (auto &triangle : mesh.triangles)
      for (Vec3 &corner : triangle)
        corner[2] += 0.5 * extent;
  mesh.columns["contrast"].assign(mesh.triangles.size(), 0.8); // what the kernel layered asks for
  text = fmt::format("{} {} of {:.0f} nm", mesh.size(), mesh.name, extent);
  return mesh;
}

Cell cellOf(std::uint64_t seed, const Kernel &kernel) {
  Draw draw(seed);
  Cell cell;
  double extent = 0;
  cell.mesh = meshOf(draw, extent, cell.text);
  const double q = draw.logarithmic(2, 400) / extent; // largest, nm^-1
  const int ny = 100 + draw.below(300), nz = 100 + draw.below(300);
  const bool half = draw.below(2) == 0, volume = draw.below(3) == 0;
  cell.grid.axes[0] = linspace(volume ? -0.02 * q : 0.0, volume ? 0.03 * q : 0.0, volume ? 4 : 1);
  cell.grid.axes[1] = linspace(half ? draw.between(1e-3, 1e-2) * q : -q, q, ny);
  cell.grid.axes[2] = linspace(draw.logarithmic(1e-4, 0.3) * q, q, nz);
  if (const int complex = draw.below(4); complex == 0 && kernel->complex_q[2] != 0)
    cell.grid.axes[2].im =
        linspace(0, draw.logarithmic(0.01, 10) / extent, nz).re; // of an absorbing layer
  if (draw.below(5) == 0) {                                      // a curved detector
    Grid list;
    list.kind = Grid::Kind::Points;
    list.imageRows = cell.grid.extents()[0] * ny;
    list.imageColumns = nz;
    for (std::int64_t i = 0; i < cell.grid.size(); ++i) {
      const auto at = cell.grid.at(i);
      const double bent = 1e-2 * (std::norm(at[1]) + std::norm(at[2].real())) / q;
      list.axes[0].re.push_back(at[0].real() - bent);
      list.axes[1].re.push_back(at[1].real());
      list.axes[2].re.push_back(at[2].real());
      if (cell.grid.axes[2].isComplex())
        list.axes[2].im.push_back(at[2].imag());
    }
    cell.grid = list;
  }
  cell.accuracy = std::pow(10.0, -3 - draw.below(6));
  const auto n = cell.grid.extents();
  cell.cut = cell.grid.kind == Grid::Kind::Points
                 ? std::to_string(n[0] / 4)
                 : fmt::format("1,{},{}", (n[1] + 1) / 2, (n[2] + 1) / 2);
  cell.text += fmt::format(", {} q{} from {:.1g} to {:.2g} nm^-1{}", cell.grid.size(),
                           cell.grid.kind == Grid::Kind::Points ? " (list)" : "",
                           std::abs(cell.grid.at(0)[2].real()), q,
                           cell.grid.axes[2].isComplex() ? ", complex" : "");
  return cell;
}

/// The largest difference, relative to the largest |F| of the band of q; `radius`: of the mesh, nm.
double errorOf(const Values &f, const Values &truth, const Grid &grid, double radius) {
  std::optional<Bands> bands;
  if (grid.axes[2].isComplex())
    bands.emplace(grid, truth, radius, std::vector<std::int64_t>());
  const auto size = [&](std::int64_t i) { return std::abs(truth[static_cast<std::size_t>(i)]); };
  double most = 0, error = 0;
  for (std::int64_t i = 0; i < grid.size() && !bands; ++i)
    most = std::max(most, size(i));
  for (std::int64_t i = 0; i < grid.size(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    error = std::max(error, std::abs(f[k] - truth[k]) / (bands ? size(bands->top(i)) : most));
  }
  return error;
}

void byUnits(Plan &plan, const Cell &cell) {
  Decision d = plan.run().decide(true);
  d.cut = cutFrom(
      cell.cut, cell.grid, cell.mesh.size(),
      cutRules(d.algorithm, nullptr, cell.grid, plan.run().kernel->fixed, cell.mesh.size()));
  const auto slices = std::make_shared<RecordBlocks>(
      plan.run().kernel, d, blocksOf(std::make_shared<const Mesh>(cell.mesh)), 1e9);
  const auto evaluator = plan.run().evaluatorFor(d, slices, {.pool = poolFor(d, 1)});
  const Cutter units(cell.grid.extents(), d.cut.tile);
  const std::array<std::int64_t, 3> n = cell.grid.extents();
  Values part;
  std::int64_t repaired = 0;
  for (std::int64_t i = 0; i < units.count(); ++i) {
    const Box u = units.at(i);
    part.resize(static_cast<std::size_t>(u.size()));
    evaluator->run(unitGrid(cell.grid, u), {}, part.data());
    repaired += evaluator->repaired();
    auto from = part.begin();
    for (std::int64_t x = u.begin[0]; x < u.end[0]; ++x)
      for (std::int64_t y = u.begin[1]; y < u.end[1]; ++y, from += u.extent(2))
        std::copy_n(from, u.extent(2), plan.run().place() + (x * n[1] + y) * n[2] + u.begin[2]);
  }
  Executed done;
  done.seconds = 1;
  done.repaired = repaired;
  plan.run().setExecuted(done);
}

struct Count {
  int all = 0, missed = 0, sample = 0;
};

void take(Plan &plan, const Cell &cell, const Values &truth, const char *how, Count &count) {
  const Measured m = plan.measure();
  const double error = errorOf(plan.values(), truth, cell.grid, plan.run().records.frame().radius);
  const bool missed = error > cell.accuracy + 2 * m.bound;
  ++count.all;
  count.missed += missed ? 1 : 0;
  count.sample += m.met ? 0 : 1;
  const Choice &c = plan.choice();
  fmt::print(
      "{:5} {:.0e} {} ({}): {:.1e} expected, {:.1e} found, {:.1e} by the sample, {} repaired; "
      "{}; {}{}{}\n",
      how, cell.accuracy, name(c), c.error <= cell.accuracy ? "meets" : "does not", c.error, error,
      m.error, plan.last().repaired, c.detail, cell.text, missed ? " MISSED" : "",
      m.met ? "" : " SEEN");
  std::fflush(stdout);
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: facet_first_choice KERNEL.so [CELLS] [FIRST SEED]\n");
    return 2;
  }
  const int cells = argc > 2 ? std::atoi(argv[2]) : 100;
  const std::uint64_t first = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1;
  const Kernel kernel = Kernel::load(argv[1]);
  Count whole, units;
  double seconds = 0;
  for (int k = 0; k < cells; ++k) {
    const Cell cell = cellOf(first + static_cast<std::uint64_t>(k), kernel);
    try {
      PlanOptions options;
      options.algorithm = FACET_NUFFT;
      options.accuracy = 1e-11;
      options.memory = 4e9;
      Plan precise(kernel, cell.grid, cell.mesh, options);
      if (precise.choice().seconds > 20)
        continue;
      const Values truth = precise.execute();
      options.accuracy = cell.accuracy;
      Plan plan(kernel, cell.grid, cell.mesh, options);
      plan.execute();
      seconds += plan.last().seconds;
      take(plan, cell, truth, "whole", whole);
      byUnits(plan, cell);
      take(plan, cell, truth, "units", units);
    } catch (const Error &error) {
      fmt::print("seed {}: {}; {}\n", first + static_cast<std::uint64_t>(k), error.what(),
                 cell.text);
    }
  }
  fmt::print("whole: {} of {} cells missed at some q, {} seen by the sample; units: {} of {}, {} "
             "seen; {:.1f} s of whole runs\n",
             whole.missed, whole.all, whole.sample, units.missed, units.all, units.sample, seconds);
  const int most = std::max({whole.missed, whole.sample, units.missed, units.sample});
  return 100 * most > whole.all ? 1 : 0;
}
