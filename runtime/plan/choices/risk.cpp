// risk.cpp - q in bins of about the same |q| and Im q.z, with a histogram of amplifications.
#include "runtime/plan/choices/risk.h"
#include "runtime/plan/choices/amplification.h"
#include <algorithm>
#include <bit>
#include <cmath>

namespace facet::runtime {
std::size_t Risk::bucket(float g) { return std::bit_cast<std::uint32_t>(std::abs(g)) >> 21; }
double Risk::bucketMiddle(std::size_t bucket) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bucket << 21) + (1U << 20));
}

Risk::Risk(const Work &work, const facet_variant &direct, const facet_variant *precise,
           const References *whole)
    : work_(work), direct_(&direct), precise_(precise), whole_(whole) {}

// A bin's number is its key until all are known.
void Risk::amplify() {
  const std::map<int, LargestQ> all = runtime::amplification(
      {work_.kernel, work_.grid, work_.params, *direct_, work_.records.radius()}, work_.pool, g_,
      binOf_);
  bins_.clear();
  std::vector<std::uint16_t> number(std::size_t{128} * 64);
  for (const auto &[key, seen] : all) {
    number[static_cast<std::size_t>(key)] = static_cast<std::uint16_t>(bins_.size());
    Bin &bin = bins_.emplace_back();
    bin.q = seen.q;
    bin.norm = std::sqrt(seen.norm2);
    bin.key = key;
    bin.group = key / 64;
    bin.histogram.resize(1024);
  }
  for (std::size_t q = 0; q < g_.size(); ++q) {
    binOf_[q] = number[binOf_[q]];
    ++bins_[binOf_[q]].histogram[bucket(g_[q]) & 1023];
  }
  for (const std::int64_t q : work_.zeros)
    --bins_[binIndex(q)].histogram[bucket(g_[static_cast<std::size_t>(q)]) & 1023];
}

void Risk::update(const WaveRecords *waves) {
  if (!amplified_)
    amplify();
  if (!judged_)
    judge(waves);
  amplified_ = judged_ = true;
}

} // namespace facet::runtime
