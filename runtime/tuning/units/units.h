// units.h - the units of a run that are worth timing, and the rule by which one is taken.
#pragma once
#include "schedules/knobs.h"
#include <cstddef>
#include <facet/abi.h>
#include <vector>

namespace facet::runtime {

/// `of` first, then with units of other sizes, small to large; of points: with other lengths.
std::vector<schedules::Knobs> unitSizes(const schedules::Knobs &of, facet_grid_kind grid);
/// `of` first, then with units as large that are longer in y, in z; alone where `of` has the rules'
/// units, or points.
std::vector<schedules::Knobs> unitShapes(const schedules::Knobs &of, facet_grid_kind grid);
/// `of` first, then with t blocks of few records.
std::vector<schedules::Knobs> unitBlocks(const schedules::Knobs &of, facet_grid_kind grid);

/// Which of candidates is taken, by their rates (0: not measured): the first unless the best is
/// faster by more than 2%, since other units change the bits of results; else the first of those
/// within 98.5% of the best.
std::size_t pickUnits(const std::vector<double> &rates);

} // namespace facet::runtime
