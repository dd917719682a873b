// speed.cpp - how fast a variant sums and finishes here: measured on one tile, then multiplied.
#include "runtime/engine/kernel/inside.h"
#include "runtime/engine/sum/queues.h"
#include "runtime/engine/sum/sums.h"
#include "runtime/engine/system/budget.h"
#include "runtime/engine/system/clock.h"
#include <algorithm>
#include <cmath>
#include <numeric>

namespace facet::runtime {

double guessedRate(const facet_variant &v, double precise) {
  const int klass = v.klass;
  if (v.algorithm == FACET_SEPARABLE && v.interface_ == FACET_CPU)
    return klass == FACET_F64 ? 3e9 : 7e9;
  if (v.interface_ != FACET_CPU) // the rate of a large device, so that this one is measured
    return precise * (klass == FACET_F64 ? 100 : 400) / (v.grid == FACET_POINTS ? pointCost : 1);
  return precise * (klass == FACET_F32 ? 4 : klass == FACET_F32_CAREFUL ? 2 : 1);
}

std::int64_t listTile(const facet_variant &v) {
  return v.interface_ == FACET_CPU ? 512 : leastHyperblock;
}

Grid someQ(const Grid &grid, const facet_variant &v) {
  std::vector<std::int64_t> first(static_cast<std::size_t>(std::min(grid.size(), listTile(v))));
  std::iota(first.begin(), first.end(), std::int64_t{0});
  return pointsOf(grid, first);
}

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

/// Seconds of a call on a device for each of its q: `q` with its transfers and the host's part, and
/// `term` more for each record.
struct DeviceSpeed {
  double q = 0, term = 0;
  double secondsPerQ(double records) const { return q + term * records; }
};

// Measures by the wall clock: nothing else shows transfers. Takes a small part of the tile, then
// more of it, then more records, until a call is long against its launch. Then it takes fewer
// records, to see what a record takes: a run's calls take all records. The first call of a size has
// memory made for it. HUGE_VAL if one fails: the run, not the plan, says why.
DeviceSpeed deviceSpeed(const facet_variant &variant, const Hyperblock &tile, std::int64_t least,
                        facet_sum_args args) {
  constexpr double enough = 20e-3;
  constexpr std::int64_t growth = 16, calls = 3, fewer = 4;
  const std::int64_t most = args.t_end;
  Hyperblock part = tile;
  const auto seconds = [&](std::int64_t records, std::int64_t repeated) {
    args.t_end = records;
    std::copy(part.end.begin(), part.end.end(), args.end);
    double shortest = HUGE_VAL;
    for (std::int64_t i = 0; i < repeated; ++i) {
      const Stopwatch watch;
      if (variant.sum(&args) != FACET_DONE)
        return HUGE_VAL;
      shortest = std::min(shortest, watch.seconds());
    }
    return shortest;
  };
  const auto isEnough = [&](double took) { return took > enough; }; // HUGE_VAL is
  std::int64_t records = least;
  for (std::int64_t q = 4096;; q *= growth) {
    part = tile;
    while (part.size() > q && halve(part, variant.pad).size() > 0)
      ;
    seconds(records, 1);
    if (isEnough(seconds(records, 1)) || part.size() == tile.size())
      break;
  }
  while (records < most && !isEnough(seconds(records, 1)))
    records = std::min(2 * records, most);
  const double all = seconds(records, calls),
               some = seconds(std::max<std::int64_t>(records / fewer, 1), calls);
  if (all == HUGE_VAL || some == HUGE_VAL)
    return {HUGE_VAL, 0};
  const auto n = static_cast<double>(records), points = static_cast<double>(part.size());
  // If noise is more than what records take, a tenth of the call counts as theirs.
  const double term =
      std::clamp((all - some) / (n - std::max(std::floor(n / fewer), 1.0)), 0.1 * all / n, all / n);
  return {(all - term * n) / points, term / points};
}

} // namespace

/// The packed records of a call. For a device the same records are repeated, up to `copies` times,
/// so that it can be kept busy.
struct Sums::PackedRecords {
  PackedRecords(const Sums &sums, std::int64_t copies) {
    const facet_variant &v = *sums.variant_;
    Source::Part part;
    sums.source_.read(0, true, part);
    once = std::min(part.count, sums.layout_.block);
    const std::int64_t times = std::clamp<std::int64_t>(sums.callRecords() / once, 1, copies);
    all = once * times;
    const std::size_t narrowBytes = static_cast<std::size_t>(once * v.narrow_fields) *
                                    (v.klass == FACET_F64 ? 8 : 4),
                      wideNumbers = static_cast<std::size_t>(once * v.wide_fields);
    narrow = AlignedVector<std::byte>(narrowBytes * static_cast<std::size_t>(times) + 64);
    wide = AlignedVector<double>(wideNumbers * static_cast<std::size_t>(times) + 8);
    for (std::size_t k = 0; k < static_cast<std::size_t>(times); ++k)
      v.pack(part.columns.data(), once, sums.work_.params.data(), narrow.data() + k * narrowBytes,
             wide.data() + k * wideNumbers);
  }
  std::int64_t once = 0, all = 0;
  AlignedVector<std::byte> narrow;
  AlignedVector<double> wide;
};

// Measures one tile in buffers of its own, with as many records as a call takes.
Speed Sums::measure() {
  setTables();
  const bool device = variant_->interface_ != FACET_CPU;
  const PackedRecords packed(*this, device ? 8 : 1);
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
  args.narrow = packed.narrow.data();
  args.wide = packed.wide.data();
  args.sums = to.data();
  args.t_end = packed.all;
  Speed speed;
  if (device) {
    args.device = work_.queues->queue(0);
    speed.block = deviceSpeed(*variant_, tile, packed.once, args)
                      .secondsPerQ(static_cast<double>(callRecords())) *
                  static_cast<double>(volume(layout_.largestTile()));
  }
  const auto time = [&](std::int64_t, int) {
    if (!device)
      speed.block = leastSeconds([&] { variant_->sum(&args); });
    speed.finish = finishSeconds(args, layout_.kind == FACET_PRODUCT ? tile.end[2] : tile.end[0]);
  };
  work_.pool.run(1, time, {}, 0); // by the pool, as the sums will run: for its place of the stack
  return speed;
}

// Measured at one row of the tile.
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
  const auto tilePoints = static_cast<double>(volume(layout_.largestTile()));
  const double filled = static_cast<double>(layout_.paddedSize()) / (tiles * tilePoints);
  const auto all = static_cast<double>(records());
  const double blocks = all / std::min(all, static_cast<double>(layout_.block));
  const double threads = work_.pool.size();
  const double tasks = tiles * static_cast<double>(layout_.chunks);
  const double uneven = std::ceil(tasks / threads) * threads / tasks; // the last round
  const double sums = tiles * filled * blocks * speed.block * uneven;
  const double finish = static_cast<double>(layout_.size()) *
                        (speed.finish + copy * (1 + static_cast<double>(layout_.chunks)));
  if (variant_->interface_ != FACET_CPU) // tiles share a device; finish runs on the CPU
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
