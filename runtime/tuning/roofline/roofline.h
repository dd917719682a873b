// roofline.h - how fast a kernel runs beside what the machine could do at each level of its memory.
#pragma once
#include "runtime/tuning/roofline/ceilings.h"
#include "runtime/tuning/roofline/traffic.h"
#include <facet/runtime/kernel.h>
#include <functional>
#include <string>
#include <vector>

namespace facet::runtime {

/// One kernel measured: what it is, what it costs, how fast it was.
struct Reading {
  std::string kernel, algorithm, klass, target, grid, q, knobs;
  std::string schedule;   // where the knobs are from: "tuned on 2026-11-21"
  std::string neighbours; // what the tuner measured of the next values of each; "": nothing
  bool isDouble() const { return klass == "f64"; }
  int threads = 1;
  std::int64_t triangles = 0, records = 0; // nodes are more than triangles
  std::array<std::int64_t, 3> extents{};
  Operations operations;
  Setup problem;
  Traffic traffic;
  double rate = 0;          // records times q-points a second, of the fastest run
  double padded = 1;        // sums computed for each one asked for
  bool canSeparate = false; // the kernel has a separable form, and the grid axes
  /// FLOP/s of the inner loop, which all intensities are of too.
  double flops() const { return rate * operations.innerFlops; }
  /// FLOPs a byte at level k of the traffic: 0 is L1.
  double intensity(std::size_t k) const;
};

struct RooflineRequest {
  std::vector<std::string> kernels; // names or files; "born@direct": with an algorithm of its own
  std::vector<std::string> algorithms; // empty: each sum the kernel has: direct, separable
  std::vector<std::string> classes;    // empty: f32
  std::string target;                  // empty: the best
  facet_grid_kind grid = FACET_PRODUCT;
  facet_q_kind q = FACET_REAL_Q;
  int threads = 1;
  std::int64_t triangles = 6600;
  std::array<std::int64_t, 2> points{}; // q.y by q.z; of a list their product; 0: see measure.cpp
  std::string schedules; // tuned knobs, as CompileRequest.schedules; "": the defaults
  /// What the tuner has measured beside the knobs of a reading, by the kernel's shape; "": nothing.
  std::function<std::string(const Reading &, const std::string &shape)> neighbours;
  std::function<void(const std::string &)> say; // gets a sentence where it takes time
};

struct Roofline {
  Ceilings ceilings;
  std::vector<Reading> readings;
  std::string cpu, date;
};

/// Measures the ceilings and the kernels in turn, so that a busy machine slows both; the best of
/// each counts. Throws Error: no target, an algorithm that the kernel has not, no sum (nufft).
Roofline measureRoofline(const RooflineRequest &request);

/// What bounds a reading, how far from the bound it is, and what the tuner has measured: a sentence
/// a line (remarks.cpp).
std::vector<std::string> advice(const Reading &reading, const Ceilings &ceilings);

/// The same as numbers and words for people, and for programs.
std::string rooflineText(const Roofline &roofline);
std::string rooflineJson(const Roofline &roofline);

/// The hierarchical roofline, a panel a class; PNG, SVG or PDF by extension. Throws Error.
void writeRoofline(const Roofline &roofline, const std::string &path);
/// The JSON to a file, under a temporary name first. Throws Error.
void writeRooflineJson(const Roofline &roofline, const std::string &path);

} // namespace facet::runtime
