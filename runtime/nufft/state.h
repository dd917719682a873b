// state.h - what NufftTransforms keeps between executions.
#pragma once
#include "runtime/nufft/finufft.h"
#include "runtime/nufft/layout.h"
#include <memory>

namespace facet::runtime {

/// A number of transforms of one call: flat numbers combination * K + k.
struct NufftBatch {
  const NufftCall *call = nullptr;
  std::size_t index = 0; // of the call
  std::int64_t first = 0, last = 0;
};

struct NufftTransforms::State {
  Grid grid;
  NufftRequest request;
  NufftLayout layout;
  NufftParallel parallel;

  std::array<AxisFacts, 3> facts;
  std::vector<std::size_t> transformAxes;    // fastest first
  std::array<std::vector<double>, 3> weight; // Nodes: [value][node], product only
  std::array<Chebyshev, 3> nodes;
  struct Kept {
    std::unique_ptr<finufft::Plan> plan;
    Chebyshev im;
    std::vector<double> imWeight;               // [value][node], product only
    std::array<std::vector<double>, 3> targets; // type 3, fastest axis first
  };
  std::vector<Kept> kept; // one a call

  std::array<double, 3> centre{};                        // taken from the points; nm
  bool turned = false;                                   // results are multiplied by cis(q.centre)
  bool direct = false;                                   // FINUFFT writes where results are wanted
  std::array<std::vector<std::complex<double>>, 3> turn; // product: of each value
  std::array<std::vector<double>, 3> scaled; // points as FINUFFT takes them, fastest axis first
  std::vector<std::complex<double>> strengths, results;

  State(const Grid &grid, const NufftRequest &request);
  void layOut();                         // layout and what follows from the grid
  void makeTargets();                    // of type 3
  void place(const NufftPoints &points); // centre, bounding box, scaled points
  void fit(const NufftPoints &points);   // lays out again if the points need it
  void run(const NufftBatch &batch, const NufftPoints &points,
           std::span<const std::complex<double> *const> from,
           std::span<std::complex<double> *const> out);
  /// A factor cis(phase.c) e^{-decay.c} of the strengths, c the centred point.
  struct Factor {
    std::array<double, 3> phase{}, decay{};
  };
  Factor factorOf(const NufftBatch &batch, std::int64_t combination) const;
  /// Strengths times the factors of their combination, to `strengths`.
  void fill(const NufftBatch &batch, const NufftPoints &points,
            std::span<const std::complex<double> *const> from);
  /// Adds weighted results to `out`; turns it if they are the last.
  void combine(const NufftBatch &batch, std::span<std::complex<double> *const> out);
  /// What a node of x, y or Im q counts at a row of a product; 0: nothing.
  double rowWeight(const NufftBatch &batch, const std::array<int, 4> &node, std::int64_t ix,
                   std::int64_t iy) const;
  void combineRow(const NufftBatch &batch, std::int64_t ix, std::int64_t iy,
                  std::span<std::complex<double> *const> out);
  void combineList(const NufftBatch &batch, std::int64_t first, std::int64_t last,
                   std::span<std::complex<double> *const> out);
  void turnAll(std::span<std::complex<double> *const> out);
  void turnRow(std::int64_t ix, std::int64_t iy, std::int64_t zFirst, std::int64_t zLast,
               std::span<std::complex<double> *const> out) const;
  void turnPoint(std::int64_t i, std::span<std::complex<double> *const> out) const; // list

  /// Indices of axis d a call is for.
  std::array<std::int64_t, 2> range(const NufftCall &call, std::size_t d) const {
    if (layout.imAxis == static_cast<int>(d))
      return {call.first, call.last};
    return {0, facts[d].n};
  }
  /// Node of axes 0, 1, 2 and of Im q (3) of a combination; the last varies fastest.
  std::array<int, 4> parts(const NufftCall &call, std::int64_t combination) const;
};

} // namespace facet::runtime
