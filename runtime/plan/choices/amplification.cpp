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

/// The q with the largest |q| of each key; neighbours have the same key.
struct LargestOfKeys {
  std::map<int, LargestQ> all;
  int lastKey = -1;
  LargestQ *last = nullptr;

  void see(int key, double norm2, std::int64_t q) {
    if (key != lastKey)
      last = &all[lastKey = key];
    if (norm2 > last->norm2)
      *last = {norm2, q};
  }
};

/// g of the q of a part; `buffer`: six numbers a q.
void gainsOf(const Amplified &by, const GridPart &part, double *buffer, float *g) {
  const std::int64_t n = part.count;
  double *one = buffer, *nothing = one + n, *re = nothing + n, *im = re + n;
  double *reOfNothing = im + n, *imOfNothing = reOfNothing + n;
  std::fill_n(one, n, 1.0);
  std::fill_n(nothing, n, 0.0);
  by.direct.finish(part.re, part.im, part.stride, n, by.params.data(), nullptr, one, nothing, re,
                   im);
  by.direct.finish(part.re, part.im, part.stride, n, by.params.data(), nullptr, nothing, nothing,
                   reOfNothing, imOfNothing);
  for (std::int64_t i = 0; i < n; ++i)
    g[i] = static_cast<float>(std::hypot(re[i] - reOfNothing[i], im[i] - imOfNothing[i]));
}

void keysOf(const GridPart &part, double radius, std::uint16_t *keys, LargestOfKeys &largest) {
  const auto &[first, count, at, stride, re, im] = part;
  for (std::int64_t i = 0; i < count; ++i) {
    double norm2 = 0;
    for (int k = 0; k < 3; ++k) {
      const double a = re[k][i * stride[k]];
      const double b = im[k] != nullptr ? im[k][i * stride[k]] : 0;
      norm2 += a * a + b * b;
    }
    const int key = keyOf(norm2, im[2] != nullptr ? im[2][i * stride[2]] : 0, radius);
    keys[i] = static_cast<std::uint16_t>(key);
    largest.see(key, norm2, first + i);
  }
}

} // namespace

// A row of a product grid or a part of the list at a time.
std::map<int, LargestQ> amplification(const Amplified &by, Pool &pool, std::vector<float> &g,
                                      std::vector<std::uint16_t> &keys) {
  const Grid &grid = by.grid;
  g.resize(static_cast<std::size_t>(grid.size()));
  keys.resize(g.size());
  std::array<std::vector<double>, 3> zero; // imaginary parts that a real axis lacks
  std::array<std::span<const double>, 3> axes, imaginary;
  for (std::size_t k = 0; k < 3; ++k) {
    axes[k] = grid.axes[k].re;
    imaginary[k] = grid.axes[k].im;
    if (by.direct.q == FACET_COMPLEX_Q && by.kernel->complex_q[k] != 0 && imaginary[k].empty())
      imaginary[k] = zero[k] = std::vector<double>(grid.axes[k].re.size());
  }
  std::map<int, LargestQ> all;
  std::mutex mutex;
  const GridParts parts(grid.kind == Grid::Kind::Product, grid.extents());
  // Several parts a task: short rows cost more to hand out than to walk.
  const std::int64_t together = std::max<std::int64_t>(1, GridParts::ofList / parts.length());
  pool.run((parts.size() + together - 1) / together, [&](std::int64_t task, int) {
    LargestOfKeys mine;
    std::vector<double> buffer(static_cast<std::size_t>(6 * parts.length()));
    for (std::int64_t p = task * together; p < std::min(parts.size(), (task + 1) * together); ++p) {
      const GridPart part = parts.part(p, axes, imaginary);
      gainsOf(by, part, buffer.data(), g.data() + part.first);
      keysOf(part, by.radius, keys.data() + part.first, mine);
    }
    const std::lock_guard lock(mutex);
    for (const auto &[key, seen] : mine.all)
      if (LargestQ &best = all[key];
          seen.norm2 > best.norm2 || (seen.norm2 == best.norm2 && seen.q < best.q))
        best = seen;
  });
  return all;
}

} // namespace facet::runtime
