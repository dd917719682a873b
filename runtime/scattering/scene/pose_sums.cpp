// pose_sums.cpp - sums of units that have some poses of their rows only: which there are, kept
// beside the result, joined.
#include "runtime/scattering/scene/evaluate.h"
#include <algorithm>
#include <bit>

namespace facet::runtime {

std::vector<bool> arraysOf(const SceneProblem &problem) {
  const bool coherent = problem.bodies.coherent,
             amplitude = coherent || problem.layout.amplitude || problem.decoupled();
  std::vector<bool> all{!coherent, problem.layout.averaged, amplitude, amplitude};
  all.resize(Terms + 2 * channelCount, problem.layout.terms);
  return all;
}

std::int64_t sumsOfPixel(const SceneProblem &problem) {
  return std::ranges::count(arraysOf(problem), true);
}

std::int64_t blocksOfUnit(double seconds, std::int64_t blocks, std::int64_t numbers) {
  constexpr double enough = 3, wanted = 2;       // seconds
  constexpr double most = std::int64_t{1} << 22; // numbers kept of the same rows
  if (!(seconds > enough) || blocks < 2)
    return 0;
  const double parts = std::min(seconds / wanted, most / static_cast<double>(numbers));
  const double own = std::max(static_cast<double>(blocks) / std::max(parts, 1.0), 1.0);
  const auto together = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(own)));
  return together < blocks ? together : 0;
}

PoseSums::PoseSums(const SceneProblem &problem, const std::vector<SceneUnit> &units,
                   std::int64_t first)
    : problem_(problem), units_(units) {
  for (std::size_t k = 0; k < units.size(); ++k) {
    at_.push_back(first + size_);
    size_ += has(static_cast<std::int64_t>(k));
  }
}

std::int64_t PoseSums::has(std::int64_t unit) const {
  const SceneUnit &u = units_[static_cast<std::size_t>(unit)];
  return u.last - u.first == problem_.blocksOfPoses()
             ? 0
             : sumsOfPixel(problem_) * static_cast<std::int64_t>(pixelsOf(problem_, u));
}

void PoseSums::write(TiledResult &result, std::int64_t unit, const Partial &sums) const {
  std::vector<double> numbers;
  for (const std::vector<double> &array : sums.sums)
    numbers.insert(numbers.end(), array.begin(), array.end());
  const std::int64_t at = at_[static_cast<std::size_t>(unit)];
  result.write(unit, result.dataset(asideName), {at},
               {at + static_cast<std::int64_t>(numbers.size())}, numbers.data());
}

Partial PoseSums::read(const TiledResult &result, std::int64_t unit) const {
  std::vector<double> numbers(static_cast<std::size_t>(has(unit)));
  const std::int64_t at = at_[static_cast<std::size_t>(unit)];
  result.read(result.dataset(asideName), {at}, {at + has(unit)}, numbers.data());
  const std::size_t pixels = pixelsOf(problem_, units_[static_cast<std::size_t>(unit)]);
  Partial partial;
  auto from = numbers.begin();
  for (const bool there : arraysOf(problem_)) {
    const auto end = from + static_cast<std::ptrdiff_t>(there ? pixels : 0);
    partial.sums.emplace_back(from, end);
    from = end;
  }
  return partial;
}

void PoseSums::join(const TiledResult &result,
                    const std::function<void(const SceneUnit &, const UnitRows &)> &to) const {
  const std::int64_t blocks = problem_.blocksOfPoses();
  PartialTree tree;
  UnitRows rows;
  for (std::size_t k = 0; k < units_.size(); ++k) {
    const auto unit = static_cast<std::int64_t>(k);
    const SceneUnit &u = units_[k];
    if (!keeps(unit))
      continue;
    if (u.first == 0)
      tree = PartialTree();
    // The last unit may have fewer blocks, which are no node: it is only joined when all are.
    const auto own = static_cast<std::uint64_t>(u.last - u.first);
    const int height = std::has_single_bit(own) ? std::countr_zero(own) : 0;
    tree.add({u.first, height, read(result, unit)});
    if (u.last < blocks)
      continue;
    fillRows(problem_, u, tree.take(), rows);
    to(u, rows);
  }
}

} // namespace facet::runtime
