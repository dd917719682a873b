// strengths.cpp - strengths times the part of the wave that FINUFFT does not see.
#include "runtime/nufft/layout/sizes.h"
#include "runtime/nufft/phases.h"
#include "runtime/nufft/state.h"
#include <algorithm>

namespace facet::runtime {
namespace {

constexpr std::int64_t Block = 512;

/// A factor cis(phase.c) e^{-decay.c} of the strengths, c the centred point.
struct Factor {
  std::array<double, 3> phase{}, decay{};
};

/// Numbers of a block of points and the factor made for them last: neighbours often share its cis.
struct Scratch {
  std::array<double, Block> angle, cos, sin, size;
  std::array<std::array<double, Block>, 3> c;
};

bool any(const std::array<double, 3> &v) { return v[0] != 0 || v[1] != 0 || v[2] != 0; }

void dot(const std::array<double, 3> &v, double sign, Scratch &s, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i)
    s.angle[i] = sign * (v[0] * s.c[0][i] + v[1] * s.c[1][i] + v[2] * s.c[2][i]);
}

} // namespace

std::array<int, 4> NufftTransforms::State::parts(const NufftCall &call,
                                                 std::int64_t combination) const {
  std::array<int, 4> at{};
  at[3] = static_cast<int>(combination % call.imNodes);
  combination /= call.imNodes;
  for (std::size_t d = 3; d-- > 0;) {
    at[d] = static_cast<int>(combination % layout.nodes[d]);
    combination /= layout.nodes[d];
  }
  return at;
}

void NufftTransforms::State::fill(const NufftBatch &batch, const NufftPoints &points,
                                  std::span<const std::complex<double> *const> from) {
  const NufftCall &call = *batch.call;
  const auto transforms = static_cast<std::int64_t>(from.size());
  const std::int64_t begin = batch.first / transforms, end = (batch.last - 1) / transforms + 1;
  std::vector<Factor> factors;
  for (std::int64_t combination = begin; combination < end; ++combination) {
    const std::array<int, 4> at = parts(call, combination);
    Factor &f = factors.emplace_back();
    for (std::size_t d = 0; d < 3; ++d) {
      const AxisFacts &axis = facts[d];
      f.decay[d] = axis.imLow; // constant, or replaced below
      const auto j = static_cast<std::size_t>(at[d]);
      if (layout.axes[d] == NufftAxis::Planes) {
        f.phase[d] = grid.axes[d].re[j];
        f.decay[d] = grid.axes[d].isComplex() ? grid.axes[d].im[j] : 0;
      } else if (layout.axes[d] == NufftAxis::Nodes) {
        f.phase[d] = nodes[d].nodes[j];
      } else if (call.type == 1) {
        const auto [first, last] = range(call, d);
        const std::int64_t middle = first + (last - first) / 2; // FINUFFT's mode 0
        f.phase[d] = axis.first + static_cast<double>(middle) * axis.step;
      }
      if (layout.imAxis == static_cast<int>(d))
        f.decay[d] = kept[batch.index].im.nodes[static_cast<std::size_t>(at[3])];
    }
  }
  const std::array<const double *, 3> xyz{points.x, points.y, points.z};
  parallel((points.n + Block - 1) / Block, [&](std::int64_t task) {
    const std::int64_t first = task * Block, n = std::min(Block, points.n - first);
    Scratch s;
    for (std::size_t d = 0; d < 3; ++d)
      for (std::int64_t i = 0; i < n; ++i)
        s.c[d][i] = xyz[d][first + i] - centre[d];
    std::array<double, 3> made{};
    bool have = false;
    for (std::int64_t combination = begin; combination < end; ++combination) {
      const Factor &f = factors[static_cast<std::size_t>(combination - begin)];
      if (!have || f.phase != made) {
        dot(f.phase, 1, s, n);
        cisOf(s.angle.data(), s.cos.data(), s.sin.data(), n);
        made = f.phase, have = true;
      }
      if (any(f.decay)) {
        dot(f.decay, -1, s, n);
        expOf(s.angle.data(), s.size.data(), n);
      } else {
        std::fill_n(s.size.data(), n, 1.0);
      }
      for (std::int64_t k = 0; k < transforms; ++k) {
        const std::int64_t flat = combination * transforms + k - batch.first;
        if (flat < 0 || flat >= batch.last - batch.first)
          continue;
        const std::complex<double> *b = from[static_cast<std::size_t>(k)] + first;
        std::complex<double> *to = strengths.data() + flat * points.n + first;
        for (std::int64_t i = 0; i < n; ++i) {
          const double re = s.size[i] * s.cos[i], im = s.size[i] * s.sin[i];
          to[i] = {re * b[i].real() - im * b[i].imag(), re * b[i].imag() + im * b[i].real()};
        }
      }
    }
  });
}

} // namespace facet::runtime
