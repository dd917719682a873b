// totals.cpp - B_k in parts on threads, added with compensation, judged against sum |b_k|.
#include "runtime/engine/sum/algorithm.h"
#include "runtime/engine/system/compensated_sum.h"
#include <cfloat>
#include <cmath>
#include <fmt/format.h>

namespace facet::runtime {

void Totals::compute(facet_totals_fn fn, int count, const SumContext &work, const Source &source) {
  text_.clear();
  if (fn == nullptr || count == 0) {
    sums_.clear();
    values_.clear();
    sizes_.clear();
    return;
  }
  const auto k = static_cast<std::size_t>(count);
  const auto parts = static_cast<std::size_t>(source.parts());
  std::vector<double> each(parts * 3 * k);
  const auto addPart = [&](std::int64_t task, int) {
    Source::Part part;
    source.read(task, true, part);
    double *to = each.data() + static_cast<std::size_t>(task) * 3 * k;
    fn(part.columns.data(), part.count, work.params.data(), to, to + 2 * k);
  };
  work.pool.run(static_cast<std::int64_t>(parts), addPart, {},
                seconds::ofRecord * static_cast<double>(source.size()));
  sums_.assign(2 * k, 0);
  sizes_.assign(k, 0);
  for (std::size_t b = 0; b < k; ++b) {
    for (std::size_t p = 0; p < parts; ++p)
      sizes_[b] += each[p * 3 * k + 2 * k + b];
    for (const std::size_t number : {2 * b, 2 * b + 1})
      sums_[number] =
          compensatedSum(each.data() + number, std::ssize(each) / (3 * count), 3 * count);
  }
  judge();
}

void Totals::join(const Totals &other) {
  for (std::size_t i = 0; i < sums_.size(); ++i)
    sums_[i] += other.sums_[i];
  for (std::size_t b = 0; b < sizes_.size(); ++b)
    sizes_[b] += other.sizes_[b];
  judge();
}

std::vector<double> Totals::numbers() const {
  std::vector<double> all = sums_;
  all.insert(all.end(), sizes_.begin(), sizes_.end());
  return all;
}

Totals Totals::of(const std::vector<double> &numbers) {
  Totals made;
  const auto split = numbers.begin() + static_cast<std::ptrdiff_t>(numbers.size() / 3 * 2);
  made.sums_.assign(numbers.begin(), split);
  made.sizes_.assign(split, numbers.end());
  made.judge();
  return made;
}

void Totals::judge() {
  text_.clear();
  values_ = sums_;
  for (std::size_t b = 0; b < sizes_.size(); ++b) {
    const double size = std::hypot(sums_[2 * b], sums_[2 * b + 1]);
    // What rounding leaves of a sum that is 0: a closed mesh has sum s n = 0, in doubles to a few
    // eps of sum s. Anything larger is kept.
    const bool zero = size <= 8 * DBL_EPSILON * sizes_[b];
    if (zero)
      values_[2 * b] = values_[2 * b + 1] = 0;
    text_ += fmt::format("{}B{} {} ({:.2g} of {:.2g})", b == 0 ? "" : ", ", b,
                         zero ? "= 0" : "kept", size, sizes_[b]);
  }
}

} // namespace facet::runtime
