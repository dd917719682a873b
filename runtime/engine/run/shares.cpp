// shares.cpp - tiles of ranks over y and z, or balanced runs of units.
#include "runtime/engine/run/shares.h"
#include <algorithm>
#include <cmath>
#include <facet/runtime/error.h>
#include <fmt/format.h>
#include <numeric>

namespace facet::runtime {
namespace {

/// Whether `parts` runs of cost `most` at most can hold all units; `begins` gets where they begin.
/// No run is left empty while there are units for it.
bool cutRuns(const std::vector<double> &costs, double most, int parts,
             std::vector<std::int64_t> &begins) {
  const auto n = static_cast<std::int64_t>(costs.size());
  begins.assign(1, 0);
  double load = 0;
  for (std::int64_t u = 0; u < n; ++u) {
    const double cost = costs[static_cast<std::size_t>(u)];
    const std::int64_t left = parts - static_cast<std::int64_t>(begins.size());
    if (u > begins.back() && (load + cost > most || n - u <= left)) {
      if (left == 0)
        return false;
      begins.push_back(u);
      load = 0;
    }
    load += cost;
  }
  begins.resize(static_cast<std::size_t>(parts) + 1, n);
  begins.back() = n;
  return true;
}

/// Runs whose largest load is the least there is, to the rounding of the search.
std::vector<std::int64_t> bestRuns(const std::vector<double> &costs, int parts) {
  const double total = std::accumulate(costs.begin(), costs.end(), 0.0);
  const double single = costs.empty() ? 0 : *std::max_element(costs.begin(), costs.end());
  double low = std::max(total / parts, single), high = total / parts + single;
  std::vector<std::int64_t> best, trial;
  if (cutRuns(costs, low, parts, best))
    return best;
  high *= 1 + 1e-12; // greedy runs always fit into mean + largest
  cutRuns(costs, high, parts, best);
  for (int k = 0; k < 50 && high > low * (1 + 1e-12); ++k) {
    const double middle = 0.5 * (low + high);
    if (cutRuns(costs, middle, parts, trial)) {
      high = middle;
      best = trial;
    } else {
      low = middle;
    }
  }
  return best;
}

} // namespace

Run evenRun(std::int64_t n, int k, int parts) {
  const std::int64_t least = n / parts, more = n % parts;
  const std::int64_t begin = k * least + std::min<std::int64_t>(k, more);
  return {begin, begin + least + (k < more ? 1 : 0)};
}

Shares::Shares(const Cutter &units, int ranks, std::vector<double> costs) : along_(units.along()) {
  const auto count = static_cast<std::size_t>(units.count());
  if (costs.empty()) {
    costs.resize(count);
    for (std::size_t u = 0; u < count; ++u)
      costs[u] = static_cast<double>(units.at(static_cast<std::int64_t>(u)).size());
  }
  if (ranks < 1 || costs.size() != count)
    throw Error("shares of units",
                fmt::format("{} ranks, {} costs of {} units", ranks, costs.size(), count), "",
                Exit::Failed);
  const auto largestLoad = [&] {
    double most = 0;
    for (int r = 0; r < ranks; ++r) {
      double mine = 0;
      for (const std::int64_t u : of(r))
        mine += costs[static_cast<std::size_t>(u)];
      most = std::max(most, mine);
    }
    return most;
  };
  begins_ = bestRuns(costs, ranks);
  const double ofRuns = largestLoad();
  const int rows = static_cast<int>(std::sqrt(ranks + 0.5));
  over_ = {rows, ranks / rows};
  if (largestLoad() > ofRuns * (1 + 1e-9))
    over_ = {0, 0};
}

std::vector<std::int64_t> Shares::of(int rank) const {
  std::vector<std::int64_t> units;
  if (over_[0] == 0) {
    const auto r = static_cast<std::size_t>(rank);
    units.resize(static_cast<std::size_t>(begins_[r + 1] - begins_[r]));
    std::iota(units.begin(), units.end(), begins_[r]);
    return units;
  }
  if (rank >= over_[0] * over_[1]) // of 7 ranks 2 x 3 are used
    return units;
  const Run y = evenRun(along_[1], rank / over_[1], over_[0]);
  const Run z = evenRun(along_[2], rank % over_[1], over_[1]);
  for (std::int64_t i = 0; i < along_[0]; ++i)
    for (std::int64_t j = y.begin; j < y.end; ++j)
      for (std::int64_t k = z.begin; k < z.end; ++k)
        units.push_back((i * along_[1] + j) * along_[2] + k);
  return units;
}

std::string Shares::text() const {
  return over_[0] == 0 ? "runs of units" : fmt::format("{} x {} over y and z", over_[0], over_[1]);
}

SharedUnit sharedUnit(std::int64_t units, std::int64_t blocks, int rank, int ranks) {
  for (std::int64_t u = 0; u < units; ++u) {
    const Run of = evenRun(ranks, static_cast<int>(u), static_cast<int>(units));
    if (rank >= of.end)
      continue;
    const auto parts = static_cast<int>(std::min(of.end - of.begin, blocks));
    const auto mine = static_cast<int>(rank - of.begin);
    return {u, mine < parts ? evenRun(blocks, mine, parts) : Run(), static_cast<int>(of.begin),
            parts};
  }
  return {units, {}, rank, 1};
}

} // namespace facet::runtime
