// cells.cpp - trials gathered over two knobs, and which two tell most.
#include "runtime/tuning/picture/cells.h"
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace facet::runtime {
namespace {

using schedules::KnobInfo;

/// How much of the best throughput is lost at the worst value of a knob, the others at their best.
double effectOf(const KnobInfo &knob, const std::vector<Trial> &trials) {
  std::map<int, double> best;
  for (const Trial &t : trials)
    if (t.throughput > 0)
      best[t.knobs.*knob.member] = std::max(best[t.knobs.*knob.member], t.throughput);
  if (best.size() < 2)
    return 0;
  double least = best.begin()->second, most = least;
  for (const auto &[value, throughput] : best) {
    least = std::min(least, throughput);
    most = std::max(most, throughput);
  }
  return 1 - least / most;
}

Cells gather(const TuneResult &r, const KnobInfo &x, const KnobInfo &y) {
  std::set<int> xs, ys;
  for (const Trial &t : r.trials) {
    xs.insert(t.knobs.*x.member);
    ys.insert(t.knobs.*y.member);
  }
  for (const schedules::Knobs &k : r.path) {
    xs.insert(k.*x.member);
    ys.insert(k.*y.member);
  }
  Cells c;
  c.x = &x, c.y = &y;
  c.xs.assign(xs.begin(), xs.end());
  c.ys.assign(ys.begin(), ys.end());
  c.cells.resize(c.xs.size() * c.ys.size());
  for (const Trial &t : r.trials) {
    const auto [ix, iy] = c.place(t.knobs);
    Cell &cell = c.cells[iy * c.xs.size() + ix];
    cell.best = std::max(cell.best, t.throughput);
    cell.skipped = cell.skipped || !t.skipped.empty();
    c.best = std::max(c.best, t.throughput);
  }
  return c;
}

double measured(const Cells &c) {
  return static_cast<double>(
      std::count_if(c.cells.begin(), c.cells.end(), [](const Cell &one) { return one.best > 0; }));
}

std::size_t indexOf(const std::vector<int> &values, int value) {
  return static_cast<std::size_t>(std::lower_bound(values.begin(), values.end(), value) -
                                  values.begin());
}

} // namespace

std::pair<std::size_t, std::size_t> Cells::place(const schedules::Knobs &knobs) const {
  return {indexOf(xs, knobs.*x->member), indexOf(ys, knobs.*y->member)};
}

Cells cellsOf(const TuneResult &result) {
  const std::vector<KnobInfo> &table = schedules::knobTable();
  Cells best = gather(result, table[0], table[1]); // where nothing varies: the register tile
  double score = 0;
  for (std::size_t i = 0; i < table.size(); ++i)
    for (std::size_t j = i + 1; j < table.size(); ++j) {
      const double a = effectOf(table[i], result.trials), b = effectOf(table[j], result.trials);
      if (a <= 0 || b <= 0)
        continue;
      Cells cells = gather(result, table[i], table[j]);
      // Two values of a knob make no map: taken where there is nothing better.
      const double rich = cells.xs.size() > 2 && cells.ys.size() > 2 ? 10 : 1;
      if (const double own = rich * std::pow(measured(cells), 2) * (std::sqrt(a * b) + 0.1);
          own > score) {
        score = own;
        best = std::move(cells);
      }
    }
  return best;
}

} // namespace facet::runtime
