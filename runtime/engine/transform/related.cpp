// related.cpp - compares strengths with those before them, record by record, to rounding. It does
// so whatever a kernel writes, and for the present records, so that what is found holds for their
// sums.
#include "runtime/engine/transform/related.h"
#include <algorithm>
#include <cmath>
#include <optional>

namespace facet::runtime {
namespace {

using Complex = std::complex<double>;
using RelatedMember = RelatedTransforms::Member;
using Axes = std::array<bool, 3>;

double sizeOf(const Complex &z) { return std::abs(z.real()) + std::abs(z.imag()); }

/// c with b = c a, or b = c a r, at each of n points; nothing if there is none, or all are 0.
std::optional<Complex> multiple(const Complex *a, const double *r, const Complex *b,
                                std::int64_t n) {
  std::optional<Complex> times;
  for (std::int64_t t = 0; t < n; ++t) {
    const Complex of = r != nullptr ? r[t] * a[t] : a[t];
    if (!times && of != Complex(0))
      times = b[t] / of;
    constexpr double rounding = 1e-14; // relative to the number itself
    if (!(sizeOf(b[t] - times.value_or(0) * of) <= rounding * sizeOf(b[t])))
      return std::nullopt;
  }
  return times && *times != Complex(0) ? times : std::nullopt;
}

/// A sum of strengths times r is this factor times a derivative by q.
constexpr Complex perSlope(0, -1);

class RelatedSearch {
public:
  RelatedSearch(const WaveRecords &records, int wave, const Axes &axes)
      : records_(records), wave_(wave), points_(records.points(wave)), axes_(axes) {
    for (const int j : records.of(wave))
      add(j);
  }
  const std::vector<int> &bases() const { return bases_; }
  /// Members whose `result` counts axes: 1 + axis.
  const std::vector<RelatedMember> &members() const { return members_; }
  Axes taken() const {
    Axes taken{};
    for (const RelatedMember &member : members_)
      if (member.result > 0)
        taken[member.result - 1] = true;
    return taken;
  }

private:
  const WaveRecords &records_;
  int wave_;
  NufftPoints points_;
  Axes axes_;
  std::vector<int> bases_;
  std::vector<RelatedMember> members_;

  const Complex *strengths(int j) const {
    return reinterpret_cast<const Complex *>(records_.strengths(j));
  }
  /// Whether the error of a derivative, which is relative to the farthest point, is about that of a
  /// transform of its own. It is not if the far points have strengths of next to nothing.
  bool isAsAccurate(int j, std::size_t base, std::size_t axis, const Complex &times) const {
    constexpr double least = 0.1;
    const double farthest = records_.half(wave_)[axis] + std::abs(records_.middle(wave_)[axis]);
    return records_.size(j) >= least * sizeOf(times) * farthest * records_.size(bases_[base]);
  }
  void add(int j) {
    for (std::size_t base = 0; base < bases_.size(); ++base)
      for (std::size_t result = 0; result < 4; ++result)
        if (result == 0 || axes_[result - 1])
          if (const auto times =
                  multiple(strengths(bases_[base]), result > 0 ? points_.at[result - 1] : nullptr,
                           strengths(j), points_.n);
              times && (result == 0 || isAsAccurate(j, base, result - 1, *times))) {
            members_.push_back({base, result, *times * (result > 0 ? perSlope : Complex(1))});
            return;
          }
    members_.push_back({bases_.size(), 0, 1});
    bases_.push_back(j);
  }
};

RelatedTransforms relatedBy(const RelatedSearch &relating, NufftRequest request) {
  RelatedTransforms related{relating.bases(), relating.members(), std::move(request)};
  related.request.transforms = static_cast<int>(related.bases.size());
  related.request.slopes = relating.taken();
  for (RelatedMember &member : related.members)
    if (member.result > 0) // counts only the axes that are taken
      member.result = static_cast<std::size_t>(std::count(
          related.request.slopes.begin(),
          related.request.slopes.begin() + static_cast<std::ptrdiff_t>(member.result), true));
  return related;
}

/// The time on one thread, so that what is taken does not depend on how many threads there are.
double expectedSeconds(const Grid &grid, const RelatedTransforms &related) {
  NufftRequest request = related.request;
  request.threads = 1;
  const NufftLayout layout = layOutNufft(grid, request);
  return layout.possible() ? nufftCost(layout, {}).execute() : HUGE_VAL;
}

} // namespace

RelatedTransforms relatedOf(const WaveRecords &records, int wave, const Grid &grid,
                            const TransformOptions &how) {
  NufftRequest request = requestOf(records, wave, grid, how);
  request.floats = how.single;
  if (!request.wave || !request.scalars.empty() || records.source().size() == 0) {
    RelatedTransforms all{records.of(wave), {}, std::move(request)};
    for (std::size_t k = 0; k < all.bases.size(); ++k)
      all.members.push_back({k, 0, 1});
    return all;
  }
  const RelatedSearch byPoints(records, wave, {true, true, true});
  RelatedTransforms multiples = relatedBy(RelatedSearch(records, wave, {}), request);
  if (byPoints.taken() == Axes{})
    return multiples;
  RelatedTransforms slopes = relatedBy(byPoints, std::move(request));
  return expectedSeconds(grid, slopes) < expectedSeconds(grid, multiples) ? slopes : multiples;
}

} // namespace facet::runtime
