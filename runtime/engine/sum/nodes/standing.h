// standing.h - a few records that stand for all of a mesh, the large ones sooner.
#pragma once
#include <cstdint>
#include <vector>

namespace facet::runtime {

/// A record, and how many it stands for.
struct WeightedRecord {
  std::int64_t record = 0;
  double stands = 1;
};

/// At most `most` records that stand for all; all, if there are no more. A sum over records is then
/// about the sum of stands times what these have. `sizes`: about what each has of such a sum, not
/// negative: a few large triangles may have more of it than thousands of small ones.
std::vector<WeightedRecord> standingFor(const std::vector<double> &sizes, std::int64_t most);

} // namespace facet::runtime
