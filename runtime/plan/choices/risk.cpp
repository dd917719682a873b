// risk.cpp - amplification at every q, and q in bins of about the same |q| and Im q.z.
#include "runtime/plan/choices/risk.h"
#include "runtime/plan/grid/parts.h"
#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <mutex>
#include <span>

namespace facet::runtime {
namespace {

/// Octave of a number, 1 to 63; 0 of 0.
int octave(double value) {
  return value > 0 && std::isfinite(value) ? std::clamp(std::ilogb(value) + 44, 1, 63) : 0;
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

std::size_t Risk::bucket(float g) { return std::bit_cast<std::uint32_t>(std::abs(g)) >> 21; }
double Risk::bucketMiddle(std::size_t bucket) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bucket << 21) + (1U << 20));
}

Risk::Risk(const Work &work, const facet_variant &direct, const facet_variant *precise)
    : work_(work), direct_(&direct), precise_(precise) {}

// g and bins, a row of a product grid or a part of the list at a time. A bin's number is its key
// until all are known.
void Risk::amplify() {
  const Grid &grid = work_.grid;
  g_.resize(static_cast<std::size_t>(grid.size()));
  binOf_.resize(g_.size());
  // Imaginary parts that a real axis lacks in a kernel that takes them.
  std::array<std::vector<double>, 3> zero;
  for (std::size_t k = 0; k < 3; ++k)
    if (direct_->q == FACET_COMPLEX_Q && work_.kernel->complex_q[k] != 0 && grid.axes[k].im.empty())
      zero[k].assign(grid.axes[k].re.size(), 0);
  struct Seen {
    double norm2 = -1;
    std::int64_t q = -1;
  };
  std::map<int, Seen> all;
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
  work_.pool.run((parts.size() + together - 1) / together, [&](std::int64_t task, int) {
    std::map<int, Seen> mine;
    std::vector<double> buffer(static_cast<std::size_t>(6 * length), 0.0);
    double *one = buffer.data(), *nothing = one + length, *f[4];
    for (int k = 0; k < 4; ++k)
      f[k] = one + (k + 2) * length;
    for (std::int64_t p = task * together; p < std::min(parts.size(), (task + 1) * together); ++p) {
      const GridPart part = parts.part(p, axes, imaginary);
      const auto &[first, count, at, stride, re, im] = part;
      std::fill_n(one, count, 1.0);
      direct_->finish(re, im, stride, count, work_.params.data(), nullptr, one, nothing, f[0],
                      f[1]);
      std::fill_n(one, count, 0.0);
      direct_->finish(re, im, stride, count, work_.params.data(), nullptr, one, nothing, f[2],
                      f[3]);
      for (std::int64_t i = 0; i < count; ++i) {
        const auto q = static_cast<std::size_t>(first + i);
        g_[q] = static_cast<float>(std::hypot(f[0][i] - f[2][i], f[1][i] - f[3][i]));
        double norm2 = 0;
        for (int k = 0; k < 3; ++k) {
          const double a = re[k][i * stride[k]];
          const double b = im[k] != nullptr ? im[k][i * stride[k]] : 0;
          norm2 += a * a + b * b;
        }
        const int key =
            keyOf(norm2, im[2] != nullptr ? im[2][i * stride[2]] : 0, work_.records.radius());
        binOf_[q] = static_cast<std::uint16_t>(key);
        Seen &seen = mine[key];
        if (norm2 > seen.norm2)
          seen = {norm2, first + i};
      }
    }
    const std::lock_guard lock(mutex);
    for (const auto &[key, seen] : mine)
      if (Seen &best = all[key];
          seen.norm2 > best.norm2 || (seen.norm2 == best.norm2 && seen.q < best.q))
        best = seen;
  });
  bins_.clear();
  std::vector<std::uint16_t> number(std::size_t{128} * 64);
  for (const auto &[key, seen] : all) {
    number[static_cast<std::size_t>(key)] = static_cast<std::uint16_t>(bins_.size());
    Bin &bin = bins_.emplace_back();
    bin.q = seen.q;
    bin.norm = std::sqrt(seen.norm2);
    bin.group = key / 64;
    bin.histogram.resize(1024);
  }
  for (std::size_t q = 0; q < g_.size(); ++q) {
    binOf_[q] = number[binOf_[q]];
    ++bins_[binOf_[q]].histogram[bucket(g_[q]) & 1023];
  }
  for (const std::int64_t q : work_.zeros)
    --bins_[binIndex(q)].histogram[bucket(g_[static_cast<std::size_t>(q)]) & 1023];
}

void Risk::update(const WaveRecords *waves, bool pilotToo) {
  if (!amplified_)
    amplify();
  if (!judged_)
    judge(waves);
  if (pilotToo)
    pilot();
  amplified_ = judged_ = true;
}

} // namespace facet::runtime
