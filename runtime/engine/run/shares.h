// shares.h - which rank takes which units of a grid.
#pragma once
#include "runtime/engine/sum/cut.h"
#include <string>
#include <vector>

namespace facet::runtime {

/// Gives each unit to one rank. Depends on the arguments alone, so that each rank finds the same.
class Shares {
public:
  /// `costs`: what each unit will take, in any measure, 0 for units that are done; empty: their q.
  ///
  /// As published for HipGISAXS (Sarje et al., SC12), p ranks are laid out over y and z as
  /// floor(sqrt p) x p / floor(sqrt p), if that loads no rank more than runs of units in order do.
  /// Else each rank has a run. Runs are cut so that the most loaded rank has as little as any
  /// cutting can give it.
  Shares(const Cutter &units, int ranks, std::vector<double> costs = {});

  /// The units of a rank, ascending.
  std::vector<std::int64_t> of(int rank) const;
  /// "2 x 3 over y and z", "runs of units".
  std::string text() const;

private:
  std::array<std::int64_t, 3> along_;
  std::array<int, 2> over_{0, 0};    // ranks over y and z; 0: runs
  std::vector<std::int64_t> begins_; // of runs: the first unit of each rank, and the end
};

/// [begin, end).
struct Run {
  std::int64_t begin = 0, end = 0;
};
/// Part k of `parts` of n things, as even as can be: parts differ by one at most.
Run evenRun(std::int64_t n, int k, int parts);

/// For fewer units than ranks: a unit has several ranks, each with a run of t blocks. Joined by
/// PartialTree as nodes of its tree, their sums have the same bits as those of one rank.
struct SharedUnit {
  std::int64_t unit = 0;
  Run blocks;    // of this rank; none: there are fewer blocks than ranks
  int first = 0; // the rank that joins and finishes
  int ranks = 1; // with blocks: first, first + 1, ..
};
/// `units` is at most `ranks`.
SharedUnit sharedUnit(std::int64_t units, std::int64_t blocks, int rank, int ranks);

} // namespace facet::runtime
