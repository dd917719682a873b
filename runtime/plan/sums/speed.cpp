// speed.cpp - how fast a variant sums and finishes here: measured on one tile, then multiplied.
#include "runtime/plan/sums/sums.h"
#include <algorithm>
#include <cmath>
#include <ctime>

namespace facet::runtime {
namespace {

/// Seconds this thread has run: a busy machine lets it wait, which is no cost of the work.
double threadSeconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Least seconds of a few calls, at most about 4 ms in all.
template <class Work> double leastSeconds(const Work &work) {
  double least = HUGE_VAL, all = 0;
  work(); // caches and page tables
  for (int i = 0; i < 7 && all < 4e-3; ++i) {
    const double start = threadSeconds();
    work();
    const double seconds = threadSeconds() - start;
    least = std::min(least, seconds);
    all += seconds;
  }
  return least;
}

} // namespace

// One tile in buffers of its own, with as many records as a call takes; finish at one row of it.
Sums::Speed Sums::measure() {
  Source::Part part;
  source_.read(0, true, part);
  const std::int64_t records = std::min<std::int64_t>(part.count, variant_->t_block);
  const auto n = static_cast<std::size_t>(records);
  AlignedVector<std::byte> narrow(n * static_cast<std::size_t>(variant_->narrow_fields) * 8 + 64);
  AlignedVector<double> wide(n * static_cast<std::size_t>(variant_->wide_fields) + 8);
  variant_->pack(part.columns.data(), records, work_.params.data(), narrow.data(), wide.data());
  facet_sum_args args = tileArguments(0);
  std::size_t points = 1;
  for (int k = 0; k < 3; ++k) {
    args.n[k] = args.end[k];
    points *= static_cast<std::size_t>(args.end[k]);
  }
  AlignedVector<double> re(points, 0.0), im(points, 0.0), fRe(points), fIm(points);
  args.narrow = narrow.data();
  args.wide = wide.data();
  args.re = re.data();
  args.im = im.data();
  args.t_end = records;
  const std::int64_t row = layout_.kind == FACET_PRODUCT ? args.end[2] : args.end[0];
  const std::int64_t each = layout_.kind == FACET_PRODUCT ? 0 : 1;
  const std::int64_t stride[3] = {each, each, 1};
  const std::vector<double> totals(2 * static_cast<std::size_t>(std::max(variant_->totals, 1)));
  Speed speed;
  // On a worker thread, as the sums will run: see Pool.
  work_.pool.run(1, [&](std::int64_t, int) {
    speed.block = leastSeconds([&] { variant_->sum(&args); });
    speed.finish = leastSeconds([&] {
                     variant_->finish(args.axis_re, args.axis_im, stride, row, work_.params.data(),
                                      totals.data(), re.data(), im.data(), fRe.data(), fIm.data());
                   }) /
                   static_cast<double>(row);
  });
  return speed;
}

double Sums::predict(const Speed &speed) const {
  // Waking the threads, and the first touch of a cold record: seen on small grids.
  constexpr double start = 15e-6, copy = 4e-9;
  const auto tiles = static_cast<double>(layout_.tileCount());
  double tilePoints = 1;
  for (int k = 0; k < 3; ++k)
    tilePoints *= static_cast<double>(layout_.tile[k]);
  const double filled = static_cast<double>(layout_.paddedSize()) / (tiles * tilePoints);
  const auto all = static_cast<double>(records());
  const double blocks = all / std::min<double>(all, variant_->t_block);
  const double threads = work_.pool.size();
  const double tasks = tiles * static_cast<double>(layout_.chunks);
  const double uneven = std::ceil(tasks / threads) * threads / tasks; // the last round
  const double sums = tiles * filled * blocks * speed.block * uneven;
  const double finish = static_cast<double>(layout_.size()) *
                        (speed.finish + copy * (1 + static_cast<double>(layout_.chunks)));
  return start + (sums + finish) / threads;
}

void Sums::expect(std::int64_t records) {
  expected_ = records;
  setChunks(layout_, *variant_, records);
}

double Sums::bytes() const {
  const auto sums = 16.0 * static_cast<double>(layout_.chunks * layout_.paddedSize());
  const double number = variant_->klass == FACET_F64 ? 8 : 4;
  return sums + static_cast<double>(records()) *
                    (number * variant_->narrow_fields + 8.0 * variant_->wide_fields);
}

} // namespace facet::runtime
