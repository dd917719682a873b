// reductions.h - quantiles and totals of results that may not fit the memory.
#pragma once
#include "runtime/engine/store/nexus.h"
#include <functional>
#include <string>
#include <vector>

namespace facet::runtime {

class TiledResult;

/// Calls with all values, piece after piece: the same values in the same order each time.
using EachPiece = std::function<void(const std::function<void(const double *, std::int64_t)> &)>;

/// Quantiles of `count` finite values, one at least: at place p (count - 1) of the values in order,
/// counted from 0. A value is on the straight line between those beside its place (definition 7 of
/// R. J. Hyndman, Y. Fan, Am. Stat. 50 (1996) 361, NumPy's default). `probabilities` are 0 to 1.
/// Exact, and the same whatever the order of the values, in memory for `held` of them and 2,048
/// counts a place.
std::vector<double> quantilesOf(const EachPiece &each, std::int64_t count,
                                const std::vector<double> &probabilities,
                                std::int64_t held = 1 << 20);

/// What is wanted of an output.
struct Reductions {
  std::vector<double> quantiles; // probabilities
  bool total = false;
  std::vector<int> kept = {}; // axes of F that the total is not summed over
  /// An HDF5 file with factors of each q in the total, real or complex: the dataset of the output's
  /// name, or else `weights`. It has the shape of F, or 1 along an axis where all are alike. "":
  /// none.
  std::string weights = {};
};
/// Throws Error if the file of weights cannot be read, or has none for F of this shape.
void checkWeights(const std::string &file, const std::string &output, const nexus::Shape &shape);

/// What is wanted of F of a group, all units of which are finished; for complex F, the total alone.
/// Totals are summed with compensation in the order of the file.
nexus::Reduction reduced(const TiledResult &result, const std::string &group, bool isComplex,
                         const Reductions &asked);

} // namespace facet::runtime
