// words.cpp - a roofline in words: its bounds, remarks of one observation each, a report for people
// and JSON for programs.
#include "runtime/engine/kernel/schedule.h"
#include "runtime/engine/system/json.h"
#include "runtime/engine/system/text.h"
#include "runtime/engine/tune/roofline/roofline.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace facet::runtime {
namespace {

int percent(double share) { return static_cast<int>(std::lround(100 * share)); }

std::string showCache(double bytes) {
  return bytes <= 0            ? ""
         : bytes < 1024 * 1024 ? fmt::format(" ({:.0f} KiB)", bytes / 1024)
                               : fmt::format(" ({:.3g} MiB)", bytes / 1024 / 1024);
}

std::string ceilingsText(const Ceilings &c) {
  std::string text;
  for (const int p : {0, 1})
    text += fmt::format("  {:<10} {:8.1f} GFLOP/s of {}, {:.2f}e9 sines with cosines a second\n",
                        p == 0 ? "f32" : "f64", 1e-9 * c.flops[p],
                        c.fused ? "fused multiply-adds" : "multiplications and additions",
                        1e-9 * c.sincos[p]);
  for (const Bandwidth &level : c.levels)
    text += fmt::format("  {:<10} {:8.1f} GB/s{}\n", level.name, 1e-9 * level.speed,
                        showCache(level.bytes));
  return text;
}

std::string readingText(const Reading &r, const Ceilings &c) {
  const TunedKey &k = r.key;
  std::string knobs = showKnobs(r.problem.knobs, r.problem.separable);
  std::ranges::replace(knobs, '=', ' ');
  std::string text = fmt::format("{}, {}, {}, {}, {} grid, {} q\n", k.kernel, k.algorithm, k.klass,
                                 k.target, k.grid, k.q);
  text += fmt::format("  work       {} triangles{}, {} q, {}, {}\n", r.triangles,
                      r.records != r.triangles ? fmt::format(" ({} nodes)", r.records) : "",
                      static_cast<std::int64_t>(r.problem.q), plural(r.threads, "thread"), knobs);
  text += fmt::format("  FLOPs      {} a q-point; tables add {:.2f} a TQP, packing {} a record\n",
                      r.operations.flopsAQ, r.traffic.tableFlops, r.operations.packFlops);
  text +=
      fmt::format("  reached    {:.3g}e9 TQP/s, {:.1f} GFLOP/s\n", 1e-9 * r.rate, 1e-9 * r.flops());
  for (std::size_t k = 0; k < r.traffic.bytes.size(); ++k) {
    const double roof = c.levels[k].speed * r.intensity(k);
    text += fmt::format("  {:<10} {:.3g} bytes a TQP, {:.3g} FLOPs a byte: {}\n", c.levels[k].name,
                        r.traffic.bytes[k], r.intensity(k),
                        roof > c.flops[r.isDouble()]
                            ? "under the roof of arithmetic"
                            : fmt::format("under {:.1f} GFLOP/s", 1e-9 * roof));
  }
  for (const std::string &line : advice(r, c))
    text += "  " + line + "\n";
  return text;
}

Json readingJson(const Reading &r, const Ceilings &c) {
  Json levels = Json::array(), bounds = Json::array();
  for (std::size_t k = 0; k < r.traffic.bytes.size(); ++k)
    levels.push_back({{"level", c.levels[k].name},
                      {"bytes_a_tqp", r.traffic.bytes[k]},
                      {"flops_a_byte", r.intensity(k)}});
  for (const Bound &bound : boundsOf(r, c).all)
    bounds.push_back({{"bound", bound.name}, {"share", bound.seconds * r.rate}});
  Json json;
  for (const auto &[word, member] : keyWords)
    if (member != &TunedKey::shape)
      json[word] = r.key.*member;
  json.update({{"threads", r.threads},
               {"triangles", r.triangles},
               {"records", r.records},
               {"points", r.extents},
               {"knobs", r.knobs},
               {"schedule", r.schedule},
               {"neighbours", r.neighbours},
               {"flops_a_q", r.operations.flopsAQ},
               {"table_flops_a_tqp", r.traffic.tableFlops},
               {"loads_a_tqp", r.traffic.loads},
               {"tqp_a_second", r.rate},
               {"flops_a_second", r.flops()},
               {"levels", levels},
               {"bounds", bounds},
               {"words", advice(r, c)}});
  return json;
}

} // namespace

Bounds boundsOf(const Reading &r, const Ceilings &c) {
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
  const Bound tightest = std::ranges::max(bounds, {}, &Bound::seconds);
  return {std::move(bounds), tightest, tightest.seconds * r.rate};
}

std::vector<std::string> advice(const Reading &r, const Ceilings &ceilings) {
  const auto &[all, tightest, reached] = boundsOf(r, ceilings);
  const Operations &o = r.operations;
  const bool near = reached >= 0.9;
  std::vector<std::string> lines;
  if (reached < 0.4)
    lines.push_back(fmt::format(
        "bounded by none of the ceilings ({}: {}%): latencies, divisions, values that registers do "
        "not hold, or the beginning and end of a short run",
        tightest.name, percent(reached)));
  else
    lines.push_back(
        fmt::format("bounded by {}: {}% of {}", tightest.name, percent(reached), tightest.of));
  if (o.innerSincos > 0)
    lines.push_back(fmt::format("sincos: {}% of its own ceiling{}",
                                percent(r.rate * o.innerSincos / ceilings.sincos[r.isDouble()]),
                                r.canSeparate      ? "; separable would need fewer"
                                : r.problem.points ? "; a product grid would need fewer"
                                                   : ""));
  if (o.innerDivisions > 0 && !near)
    lines.push_back(plural(o.innerDivisions, "division") +
                    " a TQP: counted as one instruction each, of which a core does several in the "
                    "time of one");
  if (r.padded >= 1.05)
    lines.push_back(fmt::format("{}% of the sums are padding: axes of whole vectors and rows{}",
                                percent(1 - 1 / r.padded),
                                r.problem.points ? "" : ", or --grid points, have less"));
  if (near)
    lines.emplace_back("no schedule can gain more than the rest: only fewer operations help");
  // What the tuner has measured: a model of registers and tables was wrong as often as right.
  if (!r.neighbours.empty())
    lines.push_back(
        fmt::format("{}; the next values of each knob reached {}", r.schedule, r.neighbours));
  else if (!near)
    lines.push_back(fmt::format("knobs: {}; `facet tune` tries others", r.schedule));
  return lines;
}

std::string rooflineText(const Roofline &roofline) {
  const Ceilings &c = roofline.ceilings;
  std::string text = fmt::format("ceilings of {}, {}, measured with generated code\n", c.target,
                                 plural(c.threads, "thread")) +
                     ceilingsText(c);
  for (const Reading &reading : roofline.readings)
    text += "\n" + readingText(reading, c);
  return text;
}

std::string rooflineJson(const Roofline &roofline) {
  const Ceilings &c = roofline.ceilings;
  Json levels = Json::array(), readings = Json::array();
  for (const Bandwidth &level : c.levels)
    levels.push_back(
        {{"level", level.name}, {"cache_bytes", level.bytes}, {"bytes_a_second", level.speed}});
  for (const Reading &reading : roofline.readings)
    readings.push_back(readingJson(reading, c));
  return Json{{"cpu", roofline.cpu},
              {"date", roofline.date},
              {"ceilings",
               {{"target", c.target},
                {"threads", c.threads},
                {"vector_bytes", c.vectorBytes},
                {"flops_a_second", {{"f32", c.flops[0]}, {"f64", c.flops[1]}}},
                {"sincos_a_second", {{"f32", c.sincos[0]}, {"f64", c.sincos[1]}}},
                {"levels", levels}}},
              {"kernels", readings}}
             .dump(2) +
         "\n";
}

} // namespace facet::runtime
