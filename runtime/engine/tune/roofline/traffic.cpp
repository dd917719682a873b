// traffic.cpp - the counts of a variant, from its manifest; bytes a triangle-q-point from each
// level of the memory, by the loops of a schedule.
//
//   1. Loops (codegen/lower/direct.cpp): calls for tiles of the grid and
//      blocks of records; in a call bands of tile_y rows; in a band lines of tile_z vectors; then
//      the records.
//   2. The first cache gives three streams. First, for each record and line, the tile's row values,
//      a broadcast each, which takes a port as a whole vector does. Second, the column values of
//      separable sums, a vector each, or the record's own numbers of direct sums. Third, the sums
//      in double, once a block.
//   3. A level passes on what it cannot hold. Each stream is used again after a loop. It stays if
//      that loop's data, its working set, takes at most three quarters of a cache.
//   4. Not counted: axes of q, constants of polynomials, and what registers cannot hold. Nor is the
//      filling of tables, whose FLOPs are counted apart.
#include "runtime/engine/kernel/schedule.h"
#include "runtime/engine/tune/roofline/roofline.h"
#include <facet/runtime/error.h>

namespace facet::runtime {
namespace {

constexpr double filled = 0.75;

/// All of Traffic but the bytes at each level.
Traffic streamsOf(const Operations &o, const Setup &p) {
  Traffic t;
  const double y = p.points ? 1 : p.knobs.tileY, z = p.across(), block = p.knobs.blockT;
  const double width = z * p.lanes, number = p.bytes;
  const double tile = p.tile[0] * p.tile[1] * p.tile[2];
  const double rows = p.points ? 0 : p.tile[0] * p.tile[1], line = p.tile[2];
  const double rowTable = p.points ? 0 : o.rowValues * number * y * block;
  const double columnTable = p.separable ? o.columnValues * number * block * line : 0;
  const double sums = p.sumBytes * tile, allRecords = p.recordBytes * p.records,
               blockRecords = p.recordBytes * block;
  const double recordLoads = p.separable ? 0 : o.recordValues / (y * z);
  if (!p.points) {
    const double rowLoads = o.rowValues / z;
    const double lineColumns = p.separable ? o.columnValues * number * width * block : 0;
    t.loads += rowLoads;
    t.streams.push_back({"row tables",
                         rowLoads * number / p.lanes,
                         {{rowTable + lineColumns + (p.separable ? 0 : blockRecords), 0}}});
    if (p.separable) {
      t.loads += o.columnValues / y;
      t.streams.push_back({"column tables",
                           o.columnValues * number / y,
                           {{rowTable + columnTable + p.sumBytes * y * line, 0}}});
    }
    t.tableFlops = o.rowFlops / line + (p.separable ? o.columnFlops / rows : o.columnFlops / y);
    if (!p.separable)
      t.tileInstructions = o.columnInstructions / y;
  }
  t.loads += recordLoads;
  const double oneCall = p.recordBytes / tile;
  t.streams.push_back({"records",
                       p.separable ? oneCall : recordLoads * number / p.lanes,
                       {{rowTable + blockRecords, oneCall},
                        {rowTable + columnTable + sums + allRecords, p.recordBytes / p.q}}});
  // Each real sum read and written: two vectors of doubles, once a block.
  t.loads += 2.0 * p.sumBytes / p.bytes / block;
  t.streams.push_back(
      {"sums",
       2.0 * p.sumBytes / block,
       {{rowTable + columnTable + sums + blockRecords, 2 * p.sumBytes / p.records}}});
  return t;
}

} // namespace

Operations operationsOf(const facet_kernel_description &kernel, const facet_variant &variant) {
  static constexpr std::pair<const char *, int Operations::*> counts[] = {
      {"inner_flops", &Operations::innerFlops},
      {"inner_instructions", &Operations::innerInstructions},
      {"inner_multiply_adds", &Operations::innerMultiplyAdds},
      {"inner_sincos", &Operations::innerSincos},
      {"inner_divisions", &Operations::innerDivisions},
      {"row_flops", &Operations::rowFlops},
      {"row_values", &Operations::rowValues},
      {"column_flops", &Operations::columnFlops},
      {"column_instructions", &Operations::columnInstructions},
      {"column_values", &Operations::columnValues},
      {"record_values", &Operations::recordValues},
      {"pack_flops", &Operations::packFlops}};
  const Json own = inManifest(kernel, variant);
  if (!own.contains("operations"))
    throw Error(std::string("kernel ") + kernel.name, "its library does not say what it computes",
                "build it again with facet build");
  Operations made;
  made.flopsAQ = own["operations"].value("flops_a_q", "");
  for (const auto &[name, member] : counts)
    made.*member = own["operations"].value(name, 0);
  return made;
}

double Stream::through(double cache) const {
  double passed = bytes;
  for (const Reuse &r : reuse)
    if (r.workingSet <= filled * cache)
      passed = r.bytes;
  return passed;
}

Traffic trafficOf(const Operations &operations, const Setup &problem,
                  const std::vector<double> &caches) {
  Traffic t = streamsOf(operations, problem);
  t.bytes.push_back(t.loads * problem.bytes);
  for (const double cache : caches) {
    double all = 0;
    for (const Stream &stream : t.streams)
      all += stream.through(cache);
    t.bytes.push_back(all);
  }
  return t;
}

} // namespace facet::runtime
