// traffic.h - what a kernel computes and moves, by the counts of its manifest and a model of its
// schedule (docs/roofline.md).
#pragma once
#include "schedules/knobs.h"
#include <array>
#include <facet/abi.h>
#include <string>
#include <vector>

namespace facet::runtime {

/// Counts of one variant, as its manifest has them (codegen/passes/passes.h, Counts).
struct Operations {
  std::string flopsAQ; // "27 nt + 8"
  int innerFlops = 0, innerInstructions = 0, innerMultiplyAdds = 0;
  int innerSincos = 0, innerPowers = 0, innerDivisions = 0;
  int rowFlops = 0, rowValues = 0;
  int columnFlops = 0, columnInstructions = 0, columnValues = 0, recordValues = 0;
  int packFlops = 0, finishFlops = 0;
};
/// Throws Error where the manifest has no such variant.
Operations operationsOf(const facet_kernel_description &kernel, const facet_variant &variant);

/// A schedule and the problem it runs on: all that traffic depends on.
struct Setup {
  bool separable = false, points = false;
  schedules::Knobs knobs;
  int bytes = 4;                       // of a number of the class
  int lanes = 16;                      // numbers in a vector
  int recordBytes = 0;                 // of a packed record
  double records = 0, q = 0;           // in all
  std::array<double, 3> tile{1, 1, 1}; // of one call; points: how many, 1, 1
};

/// What one kind of data moves: bytes a triangle-q-point, less where a cache holds what is used
/// again.
struct Stream {
  std::string name; // "row tables", "column tables", "records", "sums"
  double bytes = 0; // where no cache holds it
  struct Reuse {
    double workingSet, bytes; // a cache that holds the set passes on so many
  };
  std::vector<Reuse> reuse; // by growing sets
  /// Passed on by a cache of so many bytes.
  double through(double cache) const;
};

struct Traffic {
  double loads = 0;      // vectors from or to the first cache for a vector of triangle-q-points
  double tableFlops = 0; // a triangle-q-point, of tables
  /// Instructions of column values that direct sums form in the loop over records and rows of a
  /// tile share, a triangle-q-point.
  double tileInstructions = 0;
  std::vector<Stream> streams;
  std::vector<double> bytes; // a triangle-q-point from L1, L2, .., memory
};
/// `caches`: bytes of each, nearest first.
Traffic trafficOf(const Operations &operations, const Setup &problem,
                  const std::vector<double> &caches);

} // namespace facet::runtime
