// combine.cpp - results of transforms put where they belong: planes copied, nodes interpolated,
// the centre of the points put back.
#include "runtime/nufft/state.h"
#include <algorithm>
#include <cmath>

namespace facet::runtime {
namespace {
using Complex = std::complex<double>;
constexpr std::int64_t Block = 256; // q of a list combined at a time
} // namespace

void NufftTransforms::State::combine(const NufftBatch &batch, std::span<Complex *const> out) {
  const NufftCall &call = *batch.call;
  if (grid.kind == Grid::Kind::Points) {
    const std::int64_t n = call.last - call.first;
    parallel((n + Block - 1) / Block, [&](std::int64_t task) {
      combineList(batch, task * Block, std::min(n, (task + 1) * Block), out);
    });
    return;
  }
  const auto [xFirst, xLast] = range(call, 0);
  const auto [yFirst, yLast] = range(call, 1);
  const std::int64_t x0 = xFirst, y0 = yFirst, rows = yLast - yFirst;
  parallel((xLast - xFirst) * rows,
           [&](std::int64_t task) { combineRow(batch, x0 + task / rows, y0 + task % rows, out); });
}

double NufftTransforms::State::rowWeight(const NufftBatch &batch, const std::array<int, 4> &node,
                                         std::int64_t ix, std::int64_t iy) const {
  const NufftCall &call = *batch.call;
  const std::array<std::int64_t, 2> at{ix, iy};
  double all = 1;
  for (int d = 0; d < 2; ++d) {
    if (layout.axes[d] == NufftAxis::Planes && layout.nodes[d] > 1)
      all *= node[d] == at[d] ? 1 : 0;
    if (layout.axes[d] == NufftAxis::Nodes)
      all *= weight[d][at[d] * layout.nodes[d] + node[d]];
    if (layout.imAxis == d)
      all *= kept[batch.index].imWeight[(at[d] - call.first) * call.imNodes + node[3]];
  }
  return all;
}

void NufftTransforms::State::combineRow(const NufftBatch &batch, std::int64_t ix, std::int64_t iy,
                                        std::span<Complex *const> out) {
  const NufftCall &call = *batch.call;
  const auto [zFirst, zLast] = range(call, 2);
  const std::int64_t transforms = std::ssize(out), n = zLast - zFirst;
  const bool alongZ = layout.axes[2] == NufftAxis::Transform;
  std::int64_t place = 0; // where the results of this row begin
  for (int d = 0; d < 2; ++d)
    if (layout.axes[d] == NufftAxis::Transform) {
      const auto [first, last] = range(call, d);
      place = place * (last - first) + (d == 0 ? ix : iy) - first;
    }
  place *= alongZ ? n : 1;
  const std::int64_t size = product(call.modes);
  std::vector<double> w(n);
  for (std::int64_t flat = batch.first; flat < batch.last; ++flat) {
    const std::array<int, 4> node = parts(call, flat / transforms);
    const double scale = rowWeight(batch, node, ix, iy);
    if (scale == 0)
      continue;
    for (std::int64_t z = 0; z < n; ++z) {
      double one = scale;
      if (layout.axes[2] == NufftAxis::Planes && layout.nodes[2] > 1)
        one *= node[2] == z ? 1 : 0;
      if (layout.axes[2] == NufftAxis::Nodes)
        one *= weight[2][(z + zFirst) * layout.nodes[2] + node[2]];
      if (layout.imAxis == 2)
        one *= kept[batch.index].imWeight[z * call.imNodes + node[3]];
      w[z] = one;
    }
    const Complex *from = results.data() + (flat - batch.first) * size + place;
    Complex *to = out[flat % transforms] + (ix * facts[1].n + iy) * facts[2].n + zFirst;
    for (std::int64_t z = 0; z < n; ++z)
      to[z] += w[z] * from[alongZ ? z : 0];
  }
  if (turned && batch.last == call.count)
    turnRow(ix, iy, zFirst, zLast, out);
}

void NufftTransforms::State::combineList(const NufftBatch &batch, std::int64_t first,
                                         std::int64_t last, std::span<Complex *const> out) {
  const NufftCall &call = *batch.call;
  const std::int64_t transforms = std::ssize(out), size = product(call.modes), n = last - first;
  std::vector<std::int64_t> index(n);
  for (std::int64_t i = 0; i < n; ++i) {
    const std::int64_t place = call.first + first + i;
    index[i] = layout.order.empty() ? place : layout.order[place];
  }
  // Lagrange weights of each point, [point][node]: nodes of x, y, z, then of Im q.
  std::array<std::vector<double>, 4> weights;
  const auto interpolate = [&](const Chebyshev &from, const std::vector<double> &q) {
    std::vector<double> here(n);
    std::ranges::transform(index, here.begin(), [&](std::int64_t i) { return q[i]; });
    return from.lagrange(here);
  };
  for (std::size_t d = 0; d < 3; ++d)
    if (layout.axes[d] == NufftAxis::Nodes)
      weights[d] = interpolate(nodes[d], grid.axes[d].re);
  if (layout.imAxis >= 0)
    weights[3] = interpolate(kept[batch.index].im, grid.axes[layout.imAxis].im);
  std::vector<double> w(n);
  for (std::int64_t flat = batch.first; flat < batch.last; ++flat) {
    const std::array<int, 4> node = parts(call, flat / transforms);
    std::ranges::fill(w, 1.0);
    for (std::size_t d = 0; d < 4; ++d)
      if (const std::int64_t count = std::ssize(weights[d]) / n; count > 0)
        for (std::int64_t i = 0; i < n; ++i)
          w[i] *= weights[d][i * count + node[d]];
    // If no axis is transformed, there is one value for all q.
    const bool each = call.dim > 0;
    const Complex *from = results.data() + (flat - batch.first) * size + (each ? first : 0);
    Complex *to = out[flat % transforms];
    for (std::int64_t i = 0; i < n; ++i)
      to[index[i]] += w[i] * from[each ? i : 0];
  }
  if (turned && batch.last == call.count)
    for (const std::int64_t i : index)
      turnPoint(i, out);
}

void NufftTransforms::State::turnPoint(std::int64_t i, std::span<Complex *const> out) const {
  double phase = 0, decay = 0;
  for (std::size_t d = 0; d < 3; ++d) {
    phase += grid.axes[d].re[i] * centre[d];
    if (grid.axes[d].isComplex())
      decay += grid.axes[d].im[i] * centre[d];
  }
  const Complex factor = std::polar(std::exp(-decay), phase);
  for (Complex *to : out)
    to[i] *= factor;
}

void NufftTransforms::State::turnRow(std::int64_t ix, std::int64_t iy, std::int64_t zFirst,
                                     std::int64_t zLast, std::span<Complex *const> out) const {
  const Complex row = turn[0][ix] * turn[1][iy];
  for (Complex *to : out) {
    to += (ix * facts[1].n + iy) * facts[2].n;
    for (std::int64_t z = zFirst; z < zLast; ++z) {
      const Complex f = row * turn[2][z];
      to[z] = {to[z].real() * f.real() - to[z].imag() * f.imag(),
               to[z].real() * f.imag() + to[z].imag() * f.real()};
    }
  }
}

void NufftTransforms::State::turnAll(std::span<Complex *const> out) {
  if (grid.kind == Grid::Kind::Product) {
    parallel(facts[0].n * facts[1].n, [&](std::int64_t row) {
      turnRow(row / facts[1].n, row % facts[1].n, 0, facts[2].n, out);
    });
    return;
  }
  const std::int64_t n = facts[0].n;
  parallel((n + Block - 1) / Block, [&](std::int64_t task) {
    for (std::int64_t i = task * Block; i < std::min(n, (task + 1) * Block); ++i)
      turnPoint(i, out);
  });
}

} // namespace facet::runtime
