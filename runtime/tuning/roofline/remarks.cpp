// remarks.cpp - the words of a roofline: a table of remarks, each of one observation and its
// remedy.
#include "runtime/tuning/roofline/remarks.h"
#include <algorithm>
#include <fmt/format.h>

namespace facet::runtime {
namespace {

// A bound counts as near the arithmetic where it takes this share of its time: the two do not
// overlap perfectly.
constexpr double near = 0.8;

int percent(double share) { return static_cast<int>(std::lround(100 * share)); }

const Bound &bound(const Facts &f, std::string_view name) {
  static const Bound none;
  for (const Bound &b : f.bounds)
    if (b.name == name)
      return b;
  return none;
}
double arithmetic(const Facts &f) { return f.bounds.front().seconds; }

/// Vectors that a tile keeps: its sums, and what it needs beside them for one record: the column
/// values, one to multiply with, and of a sine what its polynomials take.
double registersFor(const Reading &r, int tileY, int tileZ) {
  const double sine = r.operations.innerSincos > 0 ? 3 : 0;
  return 2.0 * tileY * tileZ + r.operations.columnValues * tileZ + 1 + sine;
}
/// Vectors loaded for one of triangle-q-points, with another tile.
double loadsWith(const Facts &f, int tileY, int tileZ) {
  Problem other = f.reading.problem;
  other.knobs.tileY = tileY, other.knobs.tileZ = tileZ;
  return trafficOf(f.reading.operations, other, {}).loads;
}
std::string bounded(const Facts &f) {
  if (f.reached < 0.4)
    return fmt::format(
        "bounded by none of the ceilings ({}: {}%): latencies, divisions, values that "
        "registers do not hold, or the beginning and end of a short run",
        f.tightest.name, percent(f.reached));
  return fmt::format("bounded by {}: {}% of {}", f.tightest.name, percent(f.reached),
                     f.tightest.of);
}

/// "tile_y 4 -> 6": the knobs of a tile that change.
std::string newTile(const Problem &p, int tileY, int tileZ) {
  std::string text;
  if (tileY != p.knobs.tileY)
    text += fmt::format("tile_y {} -> {}", p.knobs.tileY, tileY);
  if (tileZ != p.knobs.tileZ)
    text += fmt::format("{}tile_z {} -> {}", text.empty() ? "" : ", ", p.knobs.tileZ, tileZ);
  return text;
}

// Of the tiles that registers hold: the smallest whose loads are well below the arithmetic, else
// the one with the fewest loads, if these are a tenth fewer.
std::string smallTile(const Facts &f) {
  const Problem &p = f.reading.problem;
  const double loads = bound(f, "loads").seconds;
  if (p.points || loads < near * arithmetic(f))
    return "";
  const double now = loadsWith(f, p.knobs.tileY, p.knobs.tileZ);
  const double wanted = near * now * arithmetic(f) / loads;
  int bestY = 0, bestZ = 0;
  double best = 0.9 * now;
  for (int z = 1; z <= 8; ++z)
    for (int y = 1; y <= 16; ++y) {
      const double fewer = std::max(loadsWith(f, y, z), wanted); // below that it is enough
      if (registersFor(f.reading, y, z) > p.registers || fewer > best ||
          (fewer == best && bestY > 0 && y * z >= bestY * bestZ))
        continue;
      best = fewer, bestY = y, bestZ = z;
    }
  const int adds = std::max(f.reading.operations.innerMultiplyAdds, 1);
  const std::string text = fmt::format(
      "register tile too small: {:.1f} loads an FMA, where {:.1f} are free",
      f.reading.traffic.loads / adds, f.reading.traffic.loads / adds * arithmetic(f) / loads);
  return bestY > 0 ? text + ": " + newTile(p, bestY, bestZ)
                   : text + ": the registers hold no better one";
}

std::string largeTile(const Facts &f) {
  const Problem &p = f.reading.problem;
  int y = p.points ? 1 : p.knobs.tileY, z = p.knobs.tileZ;
  const double needed = registersFor(f.reading, y, z);
  if (needed <= p.registers || f.reached >= 0.8) // what goes as fast as that fits
    return "";
  while (y > 1 && registersFor(f.reading, y, z) > p.registers)
    --y;
  while (z > 1 && registersFor(f.reading, y, z) > p.registers)
    --z;
  const std::string change = newTile(p, p.points ? p.knobs.tileY : y, z);
  return change.empty()
             ? ""
             : fmt::format("register tile too large: {:.0f} vectors for {} registers: {}", needed,
                           p.registers, change);
}

/// The stream that brings most from a level, and the cache before it.
std::string level(const Facts &f) {
  const Reading &r = f.reading;
  const Problem &p = r.problem;
  const std::vector<Bandwidth> &levels = f.ceilings.levels;
  for (std::size_t k = levels.size() - 1; k > 0; --k) {
    if (bound(f, levels[k].name).seconds < near * arithmetic(f) || r.traffic.streams.empty())
      continue;
    const double cache = levels[k - 1].bytes;
    const Stream &most = *std::max_element(
        r.traffic.streams.begin(), r.traffic.streams.end(),
        [&](const Stream &a, const Stream &b) { return a.through(cache) < b.through(cache); });
    const std::string text = fmt::format("bandwidth of {}: {:.2g} bytes a TQP, mostly {}",
                                         levels[k].name, r.traffic.bytes[k], most.name);
    if (most.name == "sums")
      return fmt::format("{}: double block_t ({}), or a smaller grid_y", text, p.knobs.blockT);
    if (most.name == "records")
      return text + ": a larger grid_y or grid_z streams them less often";
    Problem half = p;
    half.knobs.blockT = std::max(1, p.knobs.blockT / 2);
    for (const Stream &stream : trafficOf(r.operations, half, {}).streams)
      if (stream.name == most.name && stream.through(cache) < most.through(cache))
        return fmt::format("{}: halve block_t ({})", text, p.knobs.blockT);
    return fmt::format("{}: a larger tile_y ({}) reads them less often", text, p.knobs.tileY);
  }
  return "";
}

std::string sincos(const Facts &f) {
  const Reading &r = f.reading;
  if (r.operations.innerSincos == 0)
    return "";
  const double share = r.rate * r.operations.innerSincos / f.ceilings.sincos[r.isDouble()];
  std::string fewer;
  if (!r.problem.points && r.problem.knobs.addition == 0 && r.operations.innerSincos == 1)
    fewer = "`addition`";
  if (r.canSeparate)
    fewer += fewer.empty() ? "separable" : " or separable";
  if (fewer.empty())
    fewer = r.problem.points ? "a product grid" : "";
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

std::string tables(const Facts &f) {
  const Reading &r = f.reading;
  const double share = r.traffic.tableFlops / std::max(r.operations.innerFlops, 1);
  if (share < 0.1)
    return "";
  const Problem &p = r.problem;
  return fmt::format("tables add {}% to the FLOPs: {} would share them more", percent(share),
                     p.separable ? "larger tiles of the grid (grid_y, grid_z)"
                     : static_cast<double>(r.operations.columnFlops) / std::max(p.knobs.tileY, 1) >
                             r.operations.rowFlops / p.tile[2]
                         ? fmt::format("a larger tile_y ({})", p.knobs.tileY)
                         : "longer tiles along z (grid_z)");
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

std::string tune(const Facts &f) {
  if (f.reached >= 0.9 || f.reached < 0.4 || !smallTile(f).empty() || !largeTile(f).empty() ||
      !level(f).empty() || !divisions(f).empty())
    return "";
  return "nothing in the model explains the rest; `facet tune` tries other schedules";
}

} // namespace

const std::vector<Remark> &remarks() {
  static const std::vector<Remark> table = {
      {"bounded", bounded}, {"small tile", smallTile}, {"large tile", largeTile},
      {"level", level},     {"sincos", sincos},        {"divisions", divisions},
      {"tables", tables},   {"padding", padding},      {"near", nearBound},
      {"tune", tune},
  };
  return table;
}

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
  for (const Remark &remark : remarks())
    if (std::string line = remark.say(facts); !line.empty())
      lines.push_back(std::move(line));
  return lines;
}

} // namespace facet::runtime
