// text.cpp - a roofline as a report for people and as JSON.
#include "runtime/files/files.h"
#include "runtime/files/json.h"
#include "runtime/tuning/roofline/remarks.h"
#include <fmt/format.h>

namespace facet::runtime {
namespace {

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

std::string titleOf(const Reading &r) {
  return fmt::format("{}, {}, {}, {}, {} grid, {} q", r.kernel, r.algorithm, r.klass, r.target,
                     r.grid, r.q);
}

/// The knobs that say something: tiles and blocks, and what is not as declared.
std::string showKnobs(const Reading &r) {
  std::string text;
  for (const schedules::KnobInfo &knob : schedules::knobTable()) {
    const int value = r.problem.knobs.*knob.member;
    const bool always = knob.name == "tile_y" || knob.name == "tile_z" || knob.name == "block_t";
    if (always || value != knob.fallback)
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", knob.name, value);
  }
  return text;
}

std::string readingText(const Reading &r, const Ceilings &c) {
  std::string text = titleOf(r) + "\n";
  text += fmt::format("  work       {} triangles{}, {} q, {} thread{}, {}\n", r.triangles,
                      r.records != r.triangles ? fmt::format(" ({} nodes)", r.records) : "",
                      static_cast<std::int64_t>(r.problem.q), r.threads, r.threads == 1 ? "" : "s",
                      showKnobs(r));
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
  for (const Bound &bound : boundsOf(r, c))
    bounds.push_back({{"bound", bound.name}, {"share", bound.seconds * r.rate}});
  return {{"kernel", r.kernel},
          {"algorithm", r.algorithm},
          {"class", r.klass},
          {"target", r.target},
          {"grid", r.grid},
          {"q", r.q},
          {"threads", r.threads},
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
          {"words", advice(r, c)}};
}

} // namespace

std::string rooflineText(const Roofline &roofline) {
  const Ceilings &c = roofline.ceilings;
  std::string text = fmt::format("ceilings of {}, {} thread{}, measured with generated code\n",
                                 c.target, c.threads, c.threads == 1 ? "" : "s") +
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

void writeRooflineJson(const Roofline &roofline, const std::string &path) {
  writeText(path, rooflineJson(roofline));
}

} // namespace facet::runtime
