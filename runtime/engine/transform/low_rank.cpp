// low_rank.cpp - waves without points: T(q) = sum over nodes of l_r(u(q)) sum over t of b(t; u_r).
//
//   1. The strengths of a part of the records at a combination of nodes are added with
//   compensation.
//   2. Parts are added in their order, whatever threads there are.
//   3. For blocks of q, products of the scalars' Lagrange polynomials times the sums are added.
// Sums of real strengths are real throughout.
#include "runtime/engine/system/compensated_sum.h"
#include "runtime/engine/transform/nufft/layout.h"
#include "runtime/engine/transform/waves.h"
#include <facet/runtime/error.h>

namespace facet::runtime {

namespace {

class LowRank {
public:
  LowRank(const WaveRecords &records, int wave, const NufftLayout &layout, Pool &pool)
      : records_(records), wave_(wave), layout_(layout), pool_(pool), own_(records.of(wave)) {
    for (const InterpolatedScalar &u : layout.calls.front().interpolated) {
      nodes_.emplace_back(u.low, u.high, u.nodes);
      combinations_ *= u.nodes;
    }
    for (const int j : own_)
      numbers_ += records.form().parts[j];
  }

  /// Writes the wave's transform k, at all q, to out[k].
  void run(std::span<double *const> out) {
    sumRecords();
    constexpr std::int64_t block = 512;
    const std::int64_t n = product(layout_.extents);
    pool_.run((n + block - 1) / block, [&](std::int64_t task, int) {
      addNodes(task * block, std::min(block, n - task * block), out);
    });
  }

private:
  const WaveRecords &records_;
  int wave_;
  const NufftLayout &layout_;
  Pool &pool_;
  std::vector<int> own_; // transforms
  std::vector<Chebyshev> nodes_;
  std::int64_t combinations_ = 1, numbers_ = 0; // real ones of all transforms
  std::vector<double> sums_;                    // [combination][number]

  /// The node of each scalar, the last one's fastest.
  std::vector<std::size_t> nodesAt(std::int64_t combination) const {
    std::vector<std::size_t> at(nodes_.size());
    for (std::size_t s = nodes_.size(); s-- > 0;) {
      const auto count = static_cast<std::int64_t>(nodes_[s].nodes.size());
      at[s] = static_cast<std::size_t>(combination % count);
      combination /= count;
    }
    return at;
  }

  void sumRecords() {
    const std::int64_t parts = records_.source().parts();
    std::vector<double> each(combinations_ * parts * numbers_); // [combination][number][part]
    const auto sumPart = [&](std::int64_t task, int) {
      std::vector<double> u, room;
      const std::vector<std::size_t> at = nodesAt(task / parts);
      for (std::size_t s = 0; s < at.size(); ++s)
        u.push_back(nodes_[s].nodes[at[s]]);
      const WaveRecords::PartStrengths part = records_.strengths(wave_, u, task % parts, room);
      double *to = each.data() + task / parts * numbers_ * parts + task % parts;
      for (std::size_t k = 0; k < own_.size(); ++k)
        for (int number = 0; number < records_.form().parts[own_[k]]; ++number, to += parts)
          *to = compensatedSum(part.at[k] + number, part.count, records_.form().parts[own_[k]]);
    };
    pool_.run(combinations_ * parts, sumPart, {},
              seconds::ofRecord * static_cast<double>(combinations_ * records_.source().size()));
    sums_.resize(combinations_ * numbers_);
    for (std::size_t i = 0; i < sums_.size(); ++i)
      sums_[i] = compensatedSum(each.data() + static_cast<std::int64_t>(i) * parts, parts, 1);
  }

  void addNodes(std::int64_t first, std::int64_t n, std::span<double *const> out) const {
    std::vector<std::vector<double>> polynomials;
    for (std::size_t s = 0; s < nodes_.size(); ++s)
      polynomials.push_back(
          nodes_[s].lagrange(std::span(*layout_.request.scalars[s].values).subspan(first, n)));
    for (std::size_t k = 0; k < own_.size(); ++k)
      std::fill_n(out[k] + first * records_.form().parts[own_[k]],
                  n * records_.form().parts[own_[k]], 0.0);
    std::vector<double> w(n);
    for (std::int64_t combination = 0; combination < combinations_; ++combination) {
      std::ranges::fill(w, 1.0);
      const std::vector<std::size_t> at = nodesAt(combination);
      for (std::size_t s = 0; s < at.size(); ++s)
        for (std::int64_t i = 0; i < n; ++i)
          w[i] *= polynomials[s][i * nodes_[s].nodes.size() + at[s]];
      const double *sum = sums_.data() + combination * numbers_;
      for (std::size_t k = 0; k < own_.size(); ++k) {
        const int parts = records_.form().parts[own_[k]];
        for (int number = 0; number < parts; ++number, ++sum)
          for (std::int64_t i = 0; i < n; ++i)
            out[k][(first + i) * parts + number] += w[i] * *sum;
      }
    }
  }
};

} // namespace

void sumLowRank(const WaveRecords &records, int wave, const Grid &grid, const TransformOptions &how,
                Pool &pool, std::span<double *const> out) {
  const NufftLayout layout = layOutNufft(grid, requestOf(records, wave, grid, how));
  if (!layout.possible())
    throw Error("nufft", layout.refusal, layout.help);
  LowRank(records, wave, layout, pool).run(out);
}

} // namespace facet::runtime
