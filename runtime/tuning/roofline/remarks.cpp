// remarks.cpp - the words of a roofline: remarks, each of one observation.
#include "runtime/tuning/roofline/remarks.h"
#include <algorithm>
#include <fmt/format.h>

namespace facet::runtime {
namespace {

int percent(double share) { return static_cast<int>(std::lround(100 * share)); }

std::string bounded(const Facts &f) {
  if (f.reached < 0.4)
    return fmt::format(
        "bounded by none of the ceilings ({}: {}%): latencies, divisions, values that "
        "registers do not hold, or the beginning and end of a short run",
        f.tightest.name, percent(f.reached));
  return fmt::format("bounded by {}: {}% of {}", f.tightest.name, percent(f.reached),
                     f.tightest.of);
}

std::string sincos(const Facts &f) {
  const Reading &r = f.reading;
  if (r.operations.innerSincos == 0)
    return "";
  const double share = r.rate * r.operations.innerSincos / f.ceilings.sincos[r.isDouble()];
  const std::string fewer = r.canSeparate ? "separable" : r.problem.points ? "a product grid" : "";
  return fmt::format("sincos: {}% of its own ceiling{}", percent(share),
                     fewer.empty() ? "" : "; " + fewer + " would need fewer");
}

std::string divisions(const Facts &f) {
  const int n = f.reading.operations.innerDivisions;
  if (n == 0 || f.reached >= 0.9)
    return "";
  return fmt::format("{} division{} a TQP: counted as one instruction each, of which a core does "
                     "several in the time of one",
                     n, n == 1 ? "" : "s");
}

std::string padding(const Facts &f) {
  if (f.reading.padded < 1.05)
    return "";
  return fmt::format("{}% of the sums are padding: axes of whole vectors and rows{}",
                     percent(1 - 1 / f.reading.padded),
                     f.reading.problem.points ? "" : ", or --grid points, have less");
}

std::string nearBound(const Facts &f) {
  if (f.reached < 0.9)
    return "";
  return "no schedule can gain more than the rest: only fewer operations help";
}

/// What the tuner has measured: a model of registers and tables was wrong as often as right.
std::string knobs(const Facts &f) {
  const Reading &r = f.reading;
  if (!r.neighbours.empty())
    return fmt::format("{}; the next values of each knob reached {}", r.schedule, r.neighbours);
  return f.reached >= 0.9 ? "" : fmt::format("knobs: {}; `facet tune` tries others", r.schedule);
}

} // namespace

std::vector<Bound> boundsOf(const Reading &r, const Ceilings &c) {
  const Operations &o = r.operations;
  const double lanes = r.problem.lanes, tile = r.traffic.tileInstructions;
  const bool only = o.innerInstructions == o.innerMultiplyAdds && tile == 0;
  const int instructions = o.innerInstructions + (c.fused ? 0 : o.innerMultiplyAdds);
  std::vector<Bound> bounds{
      {only ? "multiply-adds" : "arithmetic",
       only ? fmt::format("the {} a TQP", o.innerMultiplyAdds)
            : fmt::format("the {} instructions a TQP{}", instructions,
                          tile > 0 ? fmt::format(" and {:.1f} that rows share", tile) : ""),
       (instructions + tile) / (c.instructions(r.isDouble()) * lanes)},
      {"loads", fmt::format("the {:.1f} vectors a TQP from L1", r.traffic.loads),
       r.traffic.loads / (c.loads() * lanes)}};
  for (std::size_t k = 1; k < std::min(r.traffic.bytes.size(), c.levels.size()); ++k)
    bounds.push_back({c.levels[k].name, fmt::format("its {:.3g} GB/s", 1e-9 * c.levels[k].speed),
                      r.traffic.bytes[k] / c.levels[k].speed});
  return bounds;
}

Facts factsOf(const Reading &r, const Ceilings &c) {
  Facts facts{r, c, boundsOf(r, c), {}, 0};
  facts.tightest =
      *std::max_element(facts.bounds.begin(), facts.bounds.end(),
                        [](const Bound &a, const Bound &b) { return a.seconds < b.seconds; });
  facts.reached = facts.tightest.seconds * r.rate;
  return facts;
}

std::vector<std::string> advice(const Reading &reading, const Ceilings &ceilings) {
  const Facts facts = factsOf(reading, ceilings);
  std::vector<std::string> lines;
  for (const auto remark : {bounded, sincos, divisions, padding, nearBound, knobs})
    if (std::string line = remark(facts); !line.empty())
      lines.push_back(std::move(line));
  return lines;
}

} // namespace facet::runtime
