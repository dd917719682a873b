// budget.h - what the parts of an experiment take of the memory, beside those of its sums.
#pragma once
#include "runtime/engine/system/budget.h"

namespace facet::runtime::bytes {

/// A q, and a pixel, of a unit of an image; what one evaluator of an image needs at least.
constexpr double ofImageQ = 100, ofPixel = 250, leastOfImage = 8e6;
/// A pixel while an image is recorded of those of its beams, or spread.
constexpr double ofRecorded = 48;
/// A record, as seen, of what a plan does not count of it.
constexpr double ofPosedRecord = 350;
/// A triangle that is cut, and a block of such.
constexpr double ofCutRecord = 150, ofCutBlock = 2e7;
/// Shares of the memory allowed: meshes that could be read in blocks; a block in each evaluator;
/// all evaluators while meshes are in blocks.
constexpr double shareOfMeshes = 0.6, shareOfPosedBlock = 0.45, shareOfEvaluators = 0.85;

} // namespace facet::runtime::bytes
