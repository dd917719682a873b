// speed.cpp - how fast a variant sums and finishes here: measured on one tile, then multiplied.
#include "runtime/files/clock.h"
#include "runtime/plan/sums/queues.h"
#include "runtime/plan/sums/sums.h"
#include "runtime/planner/budget.h"
#include <algorithm>
#include <cmath>

namespace facet::runtime {
namespace {

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

/// Points of a tile of a device that are measured at most: enough to fill it.
constexpr std::int64_t mostMeasured = std::int64_t{1} << 22;

// Seconds a q of one call on a device, with its transfers, by the wall clock: nothing else shows
// them. Takes a small part of the tile, then more, until a call is long against its launch.
// HUGE_VAL if it fails: the run, not the plan, says why.
double deviceSecondsPerQ(const facet_variant &variant, const Hyperblock &tile,
                         facet_sum_args args) {
  constexpr double enough = 20e-3;
  constexpr std::int64_t growth = 16;
  const auto call = [&] {
    const Stopwatch watch;
    const bool done = variant.sum(&args) == FACET_DONE;
    return done ? watch.seconds() : HUGE_VAL;
  };
  double least = HUGE_VAL;
  for (std::int64_t most = 4096;; most *= growth) {
    Hyperblock part = tile;
    while (part.size() > most && halve(part, variant.pad).size() > 0)
      ;
    for (std::size_t k = 0; k < 3; ++k)
      args.end[k] = part.end[k];
    if (most == 4096)
      call(); // the driver compiles the kernel
    const double seconds = call();
    if (seconds == HUGE_VAL)
      return least;
    least = seconds / static_cast<double>(part.size());
    if (seconds > enough || part.size() == tile.size())
      return least;
  }
}

} // namespace

// One tile in buffers of its own, with as many records as a call takes.
Speed Sums::measure() {
  setTables();
  Source::Part part;
  source_.read(0, true, part);
  const std::int64_t records = std::min(part.count, layout_.block);
  const auto n = static_cast<std::size_t>(records);
  AlignedVector<std::byte> narrow(n * static_cast<std::size_t>(variant_->narrow_fields) * 8 + 64);
  AlignedVector<double> wide(n * static_cast<std::size_t>(variant_->wide_fields) + 8);
  variant_->pack(part.columns.data(), records, work_.params.data(), narrow.data(), wide.data());
  const bool device = variant_->interface_ != FACET_CPU;
  Hyperblock tile{layout_.tiles().at(0)};
  while (device && tile.size() > mostMeasured && halve(tile, variant_->pad).size() > 0)
    ;
  const auto points = static_cast<std::size_t>(tile.size());
  std::vector<AlignedVector<double>> sums(static_cast<std::size_t>(bytes::realSums(*variant_)),
                                          AlignedVector<double>(points, 0.0));
  std::vector<double *> to;
  for (AlignedVector<double> &sum : sums)
    to.push_back(sum.data());
  facet_sum_args args = arguments(tile, 0);
  for (std::size_t k = 0; k < 3; ++k)
    args.n[k] = tile.end[k];
  args.narrow = narrow.data();
  args.wide = wide.data();
  args.sums = to.data();
  args.t_end = records;
  Speed speed;
  if (device) {
    args.device = work_.queues->queue(0);
    const auto call = static_cast<double>(std::min(this->records(), layout_.block));
    speed.block = deviceSecondsPerQ(*variant_, tile, args) * call / static_cast<double>(records) *
                  static_cast<double>(volume(layout_.tile));
  }
  const auto time = [&](std::int64_t, int) {
    if (!device)
      speed.block = leastSeconds([&] { variant_->sum(&args); });
    speed.finish = finishSeconds(args, layout_.kind == FACET_PRODUCT ? tile.end[2] : tile.end[0]);
  };
  work_.pool.run(1, time, {}, 0); // by the pool, as the sums will run: for its place of the stack
  return speed;
}

// At one row of the tile.
double Sums::finishSeconds(const facet_sum_args &args, std::int64_t row) const {
  const std::int64_t step = layout_.kind == FACET_PRODUCT ? 0 : 1, stride[3] = {step, step, 1};
  std::vector<double> lines(linesOfF() * static_cast<std::size_t>(row));
  std::vector<double *> f;
  for (std::size_t line = 0; line < linesOfF(); ++line)
    f.push_back(lines.data() + line * static_cast<std::size_t>(row));
  const std::vector<double> totals(2 * static_cast<std::size_t>(std::max(variant_->totals, 1)));
  std::vector<const double *> re(args.axis_re, args.axis_re + 3);
  for (const facet_table &table : tables_)
    if (table.stride == 0) // of points
      re.push_back(table.values);
  return leastSeconds([&] {
           variant_->finish(re.data(), args.axis_im, stride, row, work_.params.data(),
                            totals.data(), args.sums, f.data());
         }) /
         static_cast<double>(row);
}

double Sums::predict(const Speed &speed) const {
  // Waking the threads, and the first touch of a cold record: seen on small grids.
  constexpr double start = 15e-6, copy = 4e-9;
  const auto tiles = static_cast<double>(layout_.tileCount());
  const auto tilePoints = static_cast<double>(volume(layout_.tile));
  const double filled = static_cast<double>(layout_.paddedSize()) / (tiles * tilePoints);
  const auto all = static_cast<double>(records());
  const double blocks = all / std::min(all, static_cast<double>(layout_.block));
  const double threads = work_.pool.size();
  const double tasks = tiles * static_cast<double>(layout_.chunks);
  const double uneven = std::ceil(tasks / threads) * threads / tasks; // the last round
  const double sums = tiles * filled * blocks * speed.block * uneven;
  const double finish = static_cast<double>(layout_.size()) *
                        (speed.finish + copy * (1 + static_cast<double>(layout_.chunks)));
  if (variant_->interface_ != FACET_CPU) // whose tiles share it; finish runs on the CPU
    return start + tiles * filled * blocks * speed.block + finish / threads;
  return start + (sums + finish) / threads;
}

void Sums::expect(std::int64_t records) {
  expected_ = records;
  layout_.chunks = chunksOf(layout_, *variant_, records);
}

double Sums::bytes() const {
  const double sums = bytes::ofNumber * bytes::realSums(*variant_) *
                      static_cast<double>(layout_.chunks * layout_.paddedSize());
  double staging = 0; // of each stream, for one call
  if (variant_->interface_ != FACET_CPU)
    staging = std::min(
        deviceRoom(*work_.queues, work_.memory),
        streams() * (bytes::ofStaged * bytes::realSums(*variant_) *
                         static_cast<double>(volume(layout_.tile)) +
                     tableBytes() * static_cast<double>(std::min(layout_.block, records()))));
  return sums + staging + static_cast<double>(records()) * bytes::ofPacked(*variant_);
}

} // namespace facet::runtime
