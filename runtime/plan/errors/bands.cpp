// bands.cpp - where F is largest among q whose waves are damped alike.
#include "runtime/plan/errors/bands.h"
#include <bit>
#include <cmath>
#include <unordered_map>

namespace facet::runtime {
namespace {

constexpr double width = 0.1; // of Im q.z, and of Im q.z * radius
constexpr int tries = 64;

/// Equal for numbers of one sign within 3%: sign, exponent and five bits of the mantissa.
std::uint64_t coarse(double im) { return std::bit_cast<std::uint64_t>(im) >> 47; }

std::int64_t below(std::mt19937_64 &random, std::int64_t n) {
  return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
}

} // namespace

bool dampedAlike(double im, double other, double radius) {
  const double apart = std::abs(other - im);
  return apart <= width * std::abs(im) || apart * radius <= width || apart == 0;
}

double Bands::im(std::int64_t i) const {
  const Axis &z = grid_.axes[2];
  if (z.im.empty())
    return 0;
  return z
      .im[static_cast<std::size_t>(grid_.kind == Grid::Kind::Product ? i % grid_.extents()[2] : i)];
}

void Bands::see(Slot &slot, std::int64_t i, double size) {
  if (size > slot.size) {
    slot.size = size;
    slot.best = i;
  }
}

Bands::Bands(const Grid &grid, const std::vector<std::complex<double>> &f, double radius,
             const std::vector<std::int64_t> &skip)
    : grid_(grid), radius_(radius) {
  const bool product = grid.kind == Grid::Kind::Product;
  const auto rows = static_cast<std::size_t>(grid.extents()[2]);
  if (product)
    slots_.resize(rows);
  std::unordered_map<std::uint64_t, std::size_t> known;
  auto without = skip.begin();
  for (std::size_t i = 0; i < static_cast<std::size_t>(grid.size()); ++i) {
    const auto index = static_cast<std::int64_t>(i);
    if (without != skip.end() && *without == index) {
      ++without;
      continue;
    }
    std::size_t slot = i % rows;
    if (!product) {
      const auto [place, added] = known.try_emplace(coarse(im(index)), slots_.size());
      if (added)
        slots_.emplace_back();
      slot = place->second;
    }
    see(slots_[slot], index, std::norm(f[i]));
  }
}

std::int64_t Bands::top(std::int64_t i) const {
  Slot best{-1, i};
  for (const Slot &slot : slots_)
    if (slot.size > best.size && dampedAlike(im(i), im(slot.best), radius_))
      best = slot;
  return best.best;
}

std::int64_t Bands::another(std::int64_t i, std::mt19937_64 &random) const {
  const std::int64_t n = grid_.size();
  for (int k = 0; k < tries; ++k) {
    std::int64_t other = below(random, n);
    if (grid_.kind == Grid::Kind::Product && k % 2 == 0) // of the same row of q.z
      other += i % grid_.extents()[2] - other % grid_.extents()[2];
    if (other != i && dampedAlike(im(i), im(other), radius_))
      return other;
  }
  return -1;
}

} // namespace facet::runtime
