// made_up.h - a machine and kernels with round numbers.
#pragma once
#include "runtime/tuning/roofline/roofline.h"

namespace facet::runtime {

/// 100 GFLOP/s in f32 with vectors of 16: 3.125e9 multiply-adds of vectors a second; as many loads.
inline Ceilings madeUpMachine() {
  Ceilings c;
  c.target = "avx512";
  c.vectorBytes = 64;
  c.flops = {100e9, 50e9};
  c.sincos = {2e9, 1e9};
  c.sincosFlops = {24, 40};
  c.levels = {{"L1", 48 * 1024, 200e9}, {"L2", 2e6, 100e9}, {"L3", 2e7, 20e9}, {"memory", 0, 10e9}};
  return c;
}

inline std::vector<double> cachesOf(const Ceilings &c) {
  std::vector<double> caches;
  for (const Bandwidth &level : c.levels)
    if (level.bytes > 0)
      caches.push_back(level.bytes);
  return caches;
}

/// The classic integrand, separable, f32: a tile of 4 rows by 2 vectors, 192 records, 400 x 400 q.
inline Reading separableReading() {
  Reading r;
  r.kernel = "born", r.algorithm = "separable", r.klass = "f32", r.target = "avx512";
  r.grid = "product", r.q = "real", r.knobs = "tile_y=4,tile_z=2,block_t=192";
  Operations &o = r.operations;
  o.flopsAQ = "12 nt + 8";
  o.innerFlops = 12, o.innerInstructions = o.innerMultiplyAdds = 6;
  o.rowFlops = 31, o.rowValues = 4, o.columnFlops = 22, o.columnValues = 2;
  Setup &p = r.problem;
  p.separable = true;
  p.knobs.tileY = 4, p.knobs.tileZ = 2, p.knobs.blockT = 192;
  p.recordBytes = 48, p.records = 6600, p.q = 160000;
  p.tile = {1, 400, 400};
  return r;
}

/// The same summed directly: a tile of 4 rows by 1 vector, 128 records, calls of 16 x 256 q.
inline Reading directReading() {
  Reading r = separableReading();
  r.algorithm = "direct", r.knobs = "tile_y=4,tile_z=1,block_t=128";
  Operations &o = r.operations;
  o.flopsAQ = "27 nt + 8";
  o.innerFlops = 27, o.innerInstructions = 19, o.innerMultiplyAdds = 10, o.innerSincos = 1;
  o.rowFlops = 6, o.rowValues = 2, o.columnFlops = 2, o.columnValues = 2, o.recordValues = 2;
  Setup &p = r.problem;
  p.separable = false;
  p.knobs.tileZ = 1, p.knobs.blockT = 128;
  p.recordBytes = 24;
  p.tile = {1, 16, 256};
  return r;
}

/// With its traffic on the machine, at a share of what arithmetic allows.
inline Reading at(Reading r, double share, const Ceilings &c = madeUpMachine()) {
  r.traffic = trafficOf(r.operations, r.problem, cachesOf(c));
  r.rate = share * c.instructions(r.isDouble()) * r.problem.lanes / r.operations.innerInstructions;
  return r;
}

} // namespace facet::runtime
