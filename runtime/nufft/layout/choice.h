// choice.h - one way to treat the axes of a grid, made into calls.
#pragma once
#include "runtime/nufft/layout/axes.h"
#include "runtime/nufft/transforms.h"
#include <string>
#include <vector>

namespace facet::runtime {

/// A grid and a request with what is asked of them again and again.
struct NufftProblem {
  NufftProblem(const Grid &grid, const NufftRequest &request);
  const Grid &grid;
  const NufftRequest &request;
  bool product;
  std::array<AxisFacts, 3> facts;
  std::array<double, 3> half; // of the points, enlarged for what is left uncentred
};

/// The smallest tolerance facet promises.
constexpr double NufftLeastTolerance = 1e-14;
/// Points may lie off the middle of their box by this part of the half extent and are not centred.
constexpr double NufftUncentred = 1e-3;

/// The layout for these axes with about `bands` bands of Im q; `refusal` set where there is none.
/// Memory is not judged.
NufftLayout layOutAxes(const NufftProblem &problem, const std::array<NufftAxis, 3> &axes,
                       int bands);

/// Sets `batch` of each call and the layout's memory.
void setBatches(NufftLayout &layout);

} // namespace facet::runtime
