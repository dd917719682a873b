// amplification.cpp - finish(q, 1) - finish(q, 0) at every q, and keys of alike q.
#include "runtime/plan/choices/amplification.h"
#include "runtime/plan/grid/points.h"
#include <algorithm>
#include <bit>
#include <cmath>
#include <mutex>
#include <span>

namespace facet::runtime {
namespace {

/// Octave of a number, 1 to 63; 0 of 0. The exponent as it is in the bits: ilogb, called for every
/// q of a grid, took as long as all else here.
int octave(double value) {
  const int exponent = static_cast<int>(std::bit_cast<std::uint64_t>(value) >> 52 & 2047) - 1023;
  return value > 0 && exponent < 1024 ? std::clamp(exponent + 44, 1, 63) : 0;
}

// Octaves of Im q.z, either sign; what damps a mesh by less than 10% is one group.
int groupOf(double im, double radius) {
  if (std::abs(im) * radius < 0.1)
    return 0;
  return im < 0 ? 64 + octave(-im) : octave(im);
}

int keyOf(double norm2, double im, double radius) {
  return groupOf(im, radius) * 64 + octave(std::sqrt(norm2));
}

} // namespace

// A row of a product grid or a part of the list at a time.
std::map<int, LargestQ> amplification(const Amplified &by, Pool &pool, std::vector<float> &g,
                                      std::vector<std::uint16_t> &keys) {
  const auto &[kernel, grid, params, direct, radius] = by;
  g.resize(static_cast<std::size_t>(grid.size()));
  keys.resize(g.size());
  // Imaginary parts that a real axis lacks in a kernel that takes them.
  std::array<std::vector<double>, 3> zero;
  for (std::size_t k = 0; k < 3; ++k)
    if (direct.q == FACET_COMPLEX_Q && kernel->complex_q[k] != 0 && grid.axes[k].im.empty())
      zero[k].assign(grid.axes[k].re.size(), 0);
  std::map<int, LargestQ> all;
  std::mutex mutex;
  const GridParts parts(grid.kind == Grid::Kind::Product, grid.extents());
  std::array<std::span<const double>, 3> axes, imaginary;
  for (std::size_t k = 0; k < 3; ++k) {
    axes[k] = grid.axes[k].re;
    imaginary[k] = grid.axes[k].im.empty() ? zero[k] : grid.axes[k].im;
  }
  // Several parts a task: short rows cost more to hand out than to walk.
  const std::int64_t length = parts.length();
  const std::int64_t together = std::max<std::int64_t>(1, GridParts::ofList / length);
  pool.run((parts.size() + together - 1) / together, [&](std::int64_t task, int) {
    std::map<int, LargestQ> mine;
    int lastKey = -1;
    LargestQ *last = nullptr; // of that key: neighbours have the same
    std::vector<double> buffer(static_cast<std::size_t>(6 * length), 0.0);
    double *one = buffer.data(), *nothing = one + length, *f[4];
    for (int k = 0; k < 4; ++k)
      f[k] = one + (k + 2) * length;
    for (std::int64_t p = task * together; p < std::min(parts.size(), (task + 1) * together); ++p) {
      const GridPart part = parts.part(p, axes, imaginary);
      const auto &[first, count, at, stride, re, im] = part;
      std::fill_n(one, count, 1.0);
      direct.finish(re, im, stride, count, params.data(), nullptr, one, nothing, f[0], f[1]);
      std::fill_n(one, count, 0.0);
      direct.finish(re, im, stride, count, params.data(), nullptr, one, nothing, f[2], f[3]);
      for (std::int64_t i = 0; i < count; ++i) {
        const auto q = static_cast<std::size_t>(first + i);
        g[q] = static_cast<float>(std::hypot(f[0][i] - f[2][i], f[1][i] - f[3][i]));
        double norm2 = 0;
        for (int k = 0; k < 3; ++k) {
          const double a = re[k][i * stride[k]];
          const double b = im[k] != nullptr ? im[k][i * stride[k]] : 0;
          norm2 += a * a + b * b;
        }
        const int key = keyOf(norm2, im[2] != nullptr ? im[2][i * stride[2]] : 0, radius);
        keys[q] = static_cast<std::uint16_t>(key);
        if (key != lastKey) {
          lastKey = key;
          last = &mine[key];
        }
        if (norm2 > last->norm2)
          *last = {norm2, first + i};
      }
    }
    const std::lock_guard lock(mutex);
    for (const auto &[key, seen] : mine)
      if (LargestQ &best = all[key];
          seen.norm2 > best.norm2 || (seen.norm2 == best.norm2 && seen.q < best.q))
        best = seen;
  });
  return all;
}

} // namespace facet::runtime
