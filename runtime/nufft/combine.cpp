// combine.cpp - results of transforms put where they belong: planes copied, nodes interpolated,
// the centre of the points put back.
#include "runtime/nufft/layout/sizes.h"
#include "runtime/nufft/phases.h"
#include "runtime/nufft/state.h"
#include <algorithm>
#include <cmath>

namespace facet::runtime {
namespace {
using Complex = std::complex<double>;
constexpr std::int64_t Block = 256; // q of a list taken at a time
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

void NufftTransforms::State::combineRow(const NufftBatch &batch, std::int64_t ix, std::int64_t iy,
                                        std::span<Complex *const> out) {
  const NufftCall &call = *batch.call;
  const Kept &mine = kept[batch.index];
  const auto transforms = static_cast<std::int64_t>(out.size());
  const std::array<std::int64_t, 2> at{ix, iy};
  const auto [zFirst, zLast] = range(call, 2);
  const std::int64_t n = zLast - zFirst;
  const bool alongZ = layout.axes[2] == NufftAxis::Transform;
  // Where the results of this row begin.
  std::int64_t place = 0;
  for (std::size_t d = 0; d < 2; ++d)
    if (layout.axes[d] == NufftAxis::Transform) {
      const auto [first, last] = range(call, d);
      place = place * (last - first) + at[d] - first;
    }
  place *= alongZ ? n : 1;
  const std::int64_t size = product(call.modes);
  std::vector<double> w(static_cast<std::size_t>(n));
  for (std::int64_t flat = batch.first; flat < batch.last; ++flat) {
    const std::array<int, 4> node = parts(call, flat / transforms);
    double scale = 1;
    for (std::size_t d = 0; d < 2; ++d) {
      if (layout.axes[d] == NufftAxis::Planes && layout.nodes[d] > 1)
        scale *= node[d] == at[d] ? 1 : 0;
      if (layout.axes[d] == NufftAxis::Nodes)
        scale *= weight[d][static_cast<std::size_t>(at[d] * layout.nodes[d] + node[d])];
      if (layout.imAxis == static_cast<int>(d))
        scale *=
            mine.imWeight[static_cast<std::size_t>((at[d] - call.first) * call.imNodes + node[3])];
    }
    if (scale == 0)
      continue;
    for (std::int64_t z = 0; z < n; ++z) {
      double one = scale;
      if (layout.axes[2] == NufftAxis::Planes && layout.nodes[2] > 1)
        one *= node[2] == z ? 1 : 0;
      if (layout.axes[2] == NufftAxis::Nodes)
        one *= weight[2][static_cast<std::size_t>((z + zFirst) * layout.nodes[2] + node[2])];
      if (layout.imAxis == 2)
        one *= mine.imWeight[static_cast<std::size_t>(z * call.imNodes + node[3])];
      w[static_cast<std::size_t>(z)] = one;
    }
    const Complex *from = results.data() + (flat - batch.first) * size + place;
    Complex *to = out[static_cast<std::size_t>(flat % transforms)] +
                  (ix * facts[1].n + iy) * facts[2].n + zFirst;
    for (std::int64_t z = 0; z < n; ++z)
      to[z] += w[static_cast<std::size_t>(z)] * from[alongZ ? z : 0];
  }
  if (turned && batch.last == call.count)
    turnRow(ix, iy, zFirst, zLast, out);
}

void NufftTransforms::State::combineList(const NufftBatch &batch, std::int64_t first,
                                         std::int64_t last, std::span<Complex *const> out) {
  const NufftCall &call = *batch.call;
  const auto transforms = static_cast<std::int64_t>(out.size());
  const auto n = static_cast<std::size_t>(last - first);
  const std::int64_t size = product(call.modes);
  std::vector<std::size_t> index(n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto place = static_cast<std::size_t>(call.first + first) + i;
    index[i] = layout.order.empty() ? place : static_cast<std::size_t>(layout.order[place]);
  }
  // Lagrange weights of each point: nodes of x, y, z, then of Im q.
  std::array<std::vector<double>, 4> weights;
  std::array<std::size_t, 4> counts{1, 1, 1, static_cast<std::size_t>(call.imNodes)};
  const auto interpolate = [&](std::size_t which, const Chebyshev &from,
                               const std::vector<double> &q) {
    weights[which].resize(n * counts[which]);
    for (std::size_t i = 0; i < n; ++i)
      from.lagrange(q[index[i]], weights[which].data() + i * counts[which]);
  };
  for (std::size_t d = 0; d < 3; ++d)
    if (layout.axes[d] == NufftAxis::Nodes) {
      counts[d] = static_cast<std::size_t>(layout.nodes[d]);
      interpolate(d, nodes[d], grid.axes[d].re);
    }
  if (layout.imAxis >= 0)
    interpolate(3, kept[batch.index].im, grid.axes[static_cast<std::size_t>(layout.imAxis)].im);
  std::vector<double> w(n);
  for (std::int64_t flat = batch.first; flat < batch.last; ++flat) {
    const std::array<int, 4> node = parts(call, flat / transforms);
    std::fill(w.begin(), w.end(), 1.0);
    for (std::size_t d = 0; d < 4; ++d)
      if (!weights[d].empty())
        for (std::size_t i = 0; i < n; ++i)
          w[i] *= weights[d][i * counts[d] + static_cast<std::size_t>(node[d])];
    // No axis is transformed: one value for all q.
    const bool each = call.dim > 0;
    const Complex *from = results.data() + (flat - batch.first) * size + (each ? first : 0);
    Complex *to = out[static_cast<std::size_t>(flat % transforms)];
    for (std::size_t i = 0; i < n; ++i)
      to[index[i]] += w[i] * from[each ? i : 0];
  }
  if (turned && batch.last == call.count)
    for (std::size_t i = 0; i < n; ++i) {
      const Complex factor = turnAt(static_cast<std::int64_t>(index[i]));
      for (Complex *to : out)
        to[index[i]] *= factor;
    }
}

std::complex<double> NufftTransforms::State::turnAt(std::int64_t index) const {
  double phase = 0, decay = 0;
  const auto i = static_cast<std::size_t>(index);
  for (std::size_t d = 0; d < 3; ++d) {
    phase += grid.axes[d].re[i] * centre[d];
    if (grid.axes[d].isComplex())
      decay += grid.axes[d].im[i] * centre[d];
  }
  return std::polar(std::exp(-decay), phase);
}

void NufftTransforms::State::turnRow(std::int64_t ix, std::int64_t iy, std::int64_t zFirst,
                                     std::int64_t zLast, std::span<Complex *const> out) const {
  const Complex row = turn[0][static_cast<std::size_t>(ix)] * turn[1][static_cast<std::size_t>(iy)];
  for (Complex *to : out) {
    to += (ix * facts[1].n + iy) * facts[2].n;
    for (std::int64_t z = zFirst; z < zLast; ++z) {
      const Complex f = row * turn[2][static_cast<std::size_t>(z)];
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
    for (std::int64_t i = task * Block; i < std::min(n, (task + 1) * Block); ++i) {
      const Complex factor = turnAt(i);
      for (Complex *to : out)
        to[i] *= factor;
    }
  });
}

} // namespace facet::runtime
