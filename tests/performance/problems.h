// problems.h - the meshes and grids that benchmarks share, in the forms that rivals want, and the
// error of a result.
#pragma once
#include "runtime/tuning/tuned.h"
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <facet/runtime/error.h>
#include <facet/runtime/plan.h>
#include <fmt/format.h>
#include <random>
#include <string>
#include <vector>

namespace facet::bench {

/// q.x 0.1, q.y from -2 to 2, q.z from 0.01 to 2 nm^-1. `imaginary`: Im q.z from 0.001 to 0.01.
inline runtime::Grid standardGrid(std::int64_t ny, std::int64_t nz, bool imaginary = false) {
  runtime::Grid grid;
  grid.axes[0] = runtime::linspace(0.1, 0.1, 1);
  grid.axes[1] = runtime::linspace(-2, ny > 1 ? 2 : -2, ny);
  grid.axes[2] = runtime::linspace(0.01, nz > 1 ? 2 : 0.01, nz);
  if (imaginary)
    grid.axes[2].im = runtime::linspace(0.001, 0.01, nz).re;
  return grid;
}

/// The q of a product grid one by one.
inline runtime::Grid listed(const runtime::Grid &grid) {
  runtime::Grid list;
  list.kind = runtime::Grid::Kind::Points;
  for (std::int64_t i = 0; i < grid.size(); ++i)
    for (std::size_t k = 0; k < 3; ++k) {
      list.axes[k].re.push_back(grid.at(i)[k].real());
      if (grid.axes[k].isComplex())
        list.axes[k].im.push_back(grid.at(i)[k].imag());
    }
  return list;
}

/// A closed surface of 2 x around x tube triangles, radii 30 and 12 nm.
inline runtime::Mesh torus(double around, double tube) {
  return runtime::makeMesh(
      "torus", {{"major", {30}}, {"minor", {12}}, {"around", {around}}, {"tube", {tube}}});
}
inline runtime::Mesh smallTorus() { return torus(60, 55); }   // 6,600
inline runtime::Mesh largeTorus() { return torus(229, 200); } // 91,600
/// Of about n triangles, at least 18.
inline runtime::Mesh torusOf(double n) {
  const double around = std::max(3.0, std::round(std::sqrt(n / 2)));
  return torus(around, std::max(3.0, std::round(n / 2 / around)));
}

/// Structure of arrays: areas times normals, centroids, and two corners less the centroid, nm,
/// about `centre`.
struct Flat {
  std::array<std::vector<double>, 3> w, c, first, second;
  std::int64_t size() const { return static_cast<std::int64_t>(c[0].size()); }
  explicit Flat(const runtime::Mesh &mesh, const runtime::Vec3 &centre) {
    const std::vector<double> area = runtime::column(mesh, "area", centre);
    for (std::size_t k = 0; k < 3; ++k) {
      const std::string axis = std::string(".") + "xyz"[k];
      w[k] = runtime::column(mesh, "normal" + axis, centre);
      c[k] = runtime::column(mesh, "centroid" + axis, centre);
      first[k] = runtime::column(mesh, "vertex0" + axis, centre);
      second[k] = runtime::column(mesh, "vertex1" + axis, centre);
      for (std::size_t t = 0; t < area.size(); ++t) {
        w[k][t] *= area[t];
        first[k][t] -= c[k][t];
        second[k][t] -= c[k][t];
      }
    }
  }
};

/// Whether this CPU can run what is compiled for `target`; where not, says so after `what`.
inline bool runs(const std::string &target, const std::string &what) {
  for (const runtime::Target &t : runtime::targets())
    if (t.name == target && t.runnable())
      return true;
  fmt::print("{} [SKIP] this CPU has no {}\n", what, target);
  return false;
}

/// Tuned knobs that hold on this machine, as `facet run` would use them (FACET_SCHEDULES= for
/// none).
inline const runtime::Schedules &tuned() {
  static const runtime::Schedules here = runtime::schedulesHere(
      "", [](const std::string &why) { fmt::print(stderr, "schedules: {}\n", why); });
  return here;
}

/// Says for which variants there are tuned knobs; the others run with the defaults.
inline void sayTuned() {
  fmt::print("schedules: {}\n", tuned().held.empty() ? "the defaults" : "tuned for");
  for (const runtime::Tuned &entry : tuned().held)
    fmt::print("  {}: {}\n", entry.key.text(),
               schedules::print(entry.knobs, entry.key.algorithm == "separable"));
}

/// The kernel of a file, compiled for a grid's kind and its q.
inline runtime::Kernel kernelFor(const std::string &file, const std::string &target,
                                 const runtime::Grid &grid) {
  runtime::CompileRequest request;
  request.target = target;
  if (grid.kind == runtime::Grid::Kind::Points)
    request.grid = FACET_POINTS;
  if (grid.complexQ())
    request.q = FACET_COMPLEX_Q;
  std::vector<runtime::Tuned> entries;
  for (const runtime::Tuned &entry : tuned().held)
    if (entry.key.target == target && entry.key.q == runtime::qName(request.q))
      entries.push_back(entry);
  request.schedules = runtime::schedulesJson(entries);
  return runtime::Kernel::load(runtime::compileKernel(file, request).library);
}

/// A plan with everything but its knobs forced.
inline runtime::Plan planFor(const std::string &file, const std::string &target,
                             const runtime::Grid &grid, const runtime::Mesh &mesh,
                             facet_algorithm algorithm, facet_class klass, int threads = 1) {
  runtime::PlanOptions options;
  options.algorithm = algorithm;
  options.klass = klass;
  options.target = target;
  options.threads = threads;
  return {kernelFor(file, target, grid), grid, mesh, options};
}

/// F of the kernel file in plain double at some q of a grid.
class Reference {
public:
  Reference(const runtime::Kernel &kernel, const runtime::Mesh &mesh, const runtime::Grid &grid,
            int samples = 64) {
    std::vector<std::vector<double>> columns;
    std::vector<const double *> pointers;
    for (int k = 0; k < kernel->column_count; ++k)
      columns.push_back(runtime::column(mesh, kernel->columns[k], {}));
    for (const std::vector<double> &column : columns)
      pointers.push_back(column.data());
    std::mt19937 random(2);
    std::vector<double> q, f(2 * static_cast<std::size_t>(samples));
    std::vector<double> size(static_cast<std::size_t>(samples)), factor(size);
    for (int sample = 0; sample < samples; ++sample) {
      at_.push_back(static_cast<std::int64_t>(random()) % grid.size());
      for (const std::complex<double> &part : grid.at(at_.back()))
        q.insert(q.end(), {part.real(), part.imag()});
    }
    kernel->reference(q.data(), samples, pointers.data(), mesh.size(), nullptr, f.data(),
                      size.data(), factor.data());
    for (std::size_t k = 0; k < size.size(); ++k)
      f_.emplace_back(f[2 * k], f[2 * k + 1]);
  }

  /// max|value(i) - F| / max|F| over the sample; `value`: F at a q of the grid.
  double error(const auto &value) const {
    double worst = 0, largest = 0;
    for (std::size_t k = 0; k < at_.size(); ++k) {
      worst = std::max(worst, std::abs(value(at_[k]) - f_[k]));
      largest = std::max(largest, std::abs(f_[k]));
    }
    return worst / largest;
  }

private:
  std::vector<std::int64_t> at_;
  std::vector<std::complex<double>> f_;
};

} // namespace facet::bench
