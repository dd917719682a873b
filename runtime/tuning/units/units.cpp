// units.cpp - lists of units to time, and the choice among them.
#include "runtime/tuning/units/units.h"
#include <algorithm>
#include <utility>

namespace facet::runtime {

using schedules::Knobs;

namespace {

constexpr double gain = 1.02;
constexpr double share = 0.985;

Knobs with(Knobs knobs, int y, int z) {
  knobs.unitY = y, knobs.unitZ = z;
  return knobs;
}

void addLegal(std::vector<Knobs> &list, const Knobs &knobs) {
  if (schedules::problem(knobs).empty())
    list.push_back(knobs);
}

} // namespace

// Beyond a quarter of a million q nothing was gained, and fewer threads and ranks have work.
std::vector<Knobs> unitSizes(const Knobs &of, facet_grid_kind grid) {
  std::vector<Knobs> list{of};
  if (grid == FACET_POINTS) {
    for (const int q : {1 << 12, 1 << 14, 1 << 16, 1 << 18})
      list.push_back(with(of, 0, q));
    return list;
  }
  for (const auto &[y, z] : {std::pair{96, 128}, {192, 128}, {192, 256}, {384, 256}, {384, 512}})
    list.push_back(with(of, y, z));
  return list;
}

std::vector<Knobs> unitShapes(const Knobs &of, facet_grid_kind grid) {
  std::vector<Knobs> list{of};
  if (grid == FACET_POINTS || of.unitZ == 0)
    return list;
  addLegal(list, with(of, 2 * of.unitY, of.unitZ / 2));
  addLegal(list, with(of, of.unitY / 2, 2 * of.unitZ));
  return list;
}

std::vector<Knobs> unitBlocks(const Knobs &of, facet_grid_kind /*grid*/) {
  std::vector<Knobs> list{of};
  list.push_back(of);
  list.back().unitT = 1 << 13; // which stay in a second cache
  return list;
}

std::size_t pickUnits(const std::vector<double> &rates) {
  const double best = *std::max_element(rates.begin(), rates.end());
  if (best <= gain * rates.front() || rates.front() <= 0)
    return 0;
  const auto near = [&](double rate) { return rate >= share * best; };
  return static_cast<std::size_t>(std::find_if(rates.begin(), rates.end(), near) - rates.begin());
}

} // namespace facet::runtime
