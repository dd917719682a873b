// sample.cpp - the q at which a run is compared with its reference.
#include "runtime/plan/errors/sample.h"
#include "runtime/plan/errors/bands.h"
#include <algorithm>
#include <optional>
#include <random>

namespace facet::runtime {
namespace {

/// Indices of the smallest and the largest of value(i); NaN never wins against a number.
template <class Value> std::array<std::int64_t, 2> ends(std::int64_t n, const Value &value) {
  std::array<std::int64_t, 2> at{};
  double low = value(0), high = low;
  for (std::int64_t i = 1; i < n; ++i) {
    const double v = value(i);
    if (v < low || low != low) {
      low = v;
      at[0] = i;
    }
    if (v > high || high != high) {
      high = v;
      at[1] = i;
    }
  }
  return at;
}

} // namespace

std::vector<Sampled> chooseSample(const Grid &grid, const Layout &layout,
                                  const std::vector<std::complex<double>> &f, double radius,
                                  const std::vector<std::int64_t> &skip, std::uint64_t seed,
                                  std::int64_t count) {
  const std::int64_t n = grid.size();
  std::vector<Sampled> chosen;
  const auto has = [&](std::int64_t i) {
    return std::any_of(chosen.begin(), chosen.end(), [i](const Sampled &s) { return s.at == i; });
  };
  std::optional<Bands> bands;
  if (grid.axes[2].isComplex())
    bands.emplace(grid, f, radius);
  const auto add = [&](std::int64_t i) {
    if (!has(i) && !std::binary_search(skip.begin(), skip.end(), i))
      chosen.push_back({i, !bands || bands->top(i) == i || has(bands->top(i))});
  };
  const auto take = [&](std::int64_t i) {
    if (i < 0 || i >= n)
      return;
    if (bands)
      add(bands->top(i));
    add(i);
  };
  const auto amplitude =
      ends(n, [&](std::int64_t i) { return std::norm(f[static_cast<std::size_t>(i)]); });
  take(amplitude[1]);
  take(amplitude[0]);
  for (const std::int64_t i : ends(n, [&](std::int64_t at) {
         const auto q = grid.at(at);
         return std::norm(q[0]) + std::norm(q[1]) + std::norm(q[2]);
       }))
    take(i);
  if (bands)
    for (const std::int64_t i :
         ends(n, [&](std::int64_t at) { return std::abs(grid.at(at)[2].imag()); }))
      take(i);
  const std::int64_t edge = layout.kind == FACET_PRODUCT ? layout.tile[2] : layout.tile[0];
  take(edge - 1);
  take(edge);
  take(n - 1);
  // mt19937_64 and a remainder, not a distribution: those differ between standard libraries.
  std::mt19937_64 random(seed);
  const auto left = n - static_cast<std::int64_t>(skip.size());
  for (std::int64_t tries = 0;
       static_cast<std::int64_t>(chosen.size()) < std::min(count, left) && tries < 100 * count;
       ++tries) {
    const auto i = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
    take(i);
    if (bands)
      take(bands->another(i, random));
  }
  return chosen;
}

} // namespace facet::runtime
