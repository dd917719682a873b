// tune.cpp - the tuning of one variant: candidates compiled in batches by a lasting facetc, then
// loaded and timed on this machine, never both at once. All kernels have a torus and a grid.
#include "runtime/engine/device/device.h"
#include "runtime/engine/kernel/inside.h"
#include "runtime/engine/records/patches.h"
#include "runtime/engine/sum/card.h"
#include "runtime/engine/sum/layout.h"
#include "runtime/engine/sum/points.h"
#include "runtime/engine/sum/queues.h"
#include "runtime/engine/system/budget.h"
#include "runtime/engine/system/clock.h"
#include "runtime/engine/system/machine.h"
#include "runtime/engine/system/places.h"
#include "runtime/engine/tune/search.h"
#include "runtime/engine/tune/server.h"
#include "schedules/targets.h"
#include <algorithm>
#include <array>
#include <atomic>
#include <barrier>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <optional>
#include <random>

namespace facet::runtime {

Mesh usualMesh(const facet_kernel_description &kernel, std::int64_t triangles, const Grid &grid) {
  const double half = static_cast<double>(triangles) / 2;
  const double around = std::max(3.0, std::round(std::sqrt(1.09 * half)));
  Mesh mesh = torus(30, 12, static_cast<int>(around),
                    static_cast<int>(std::max(3.0, std::round(half / around))));
  mesh.name = "torus";
  const auto records = static_cast<std::size_t>(mesh.size());
  if (kernel.triangle == 0)
    mesh.triangles.clear();
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> number(0.5, 1.5);
  for (int c = 0; c < kernel.column_count; ++c)
    try {
      column(mesh, kernel.columns[c]);
    } catch (const Error &) { // a column of the user's own
      std::vector<double> &values = mesh.columns[kernel.columns[c]];
      for (std::size_t k = 0; k < records; ++k)
        values.push_back(number(random));
    }
  for (int c = 0; c < kernel.axis_column_count; ++c) {
    const facet_axis_column &column = kernel.axis_columns[c];
    const std::int64_t rows = grid.extents()[static_cast<std::size_t>(column.axis)];
    std::vector<double> values(static_cast<std::size_t>(rows) * records);
    std::ranges::generate(values, [&] { return number(random); });
    mesh.tables[column.name] =
        AxisTable(rows, static_cast<std::int64_t>(records), std::move(values));
  }
  return mesh;
}

Grid usualGrid(const facet_kernel_description &kernel, facet_grid_kind kind, facet_q_kind q,
               std::int64_t y, std::int64_t z) {
  const std::array<std::int64_t, 3> usual{1, y, z};
  const std::array<double, 3> from{0.1, -2, 0.01}, to{0.1, 2, 2};
  Grid grid;
  for (std::size_t k = 0; k < 3; ++k)
    grid.axes[k] = linspace(from[k], to[k], kernel.fixed[k] > 0 ? kernel.fixed[k] : usual[k]);
  if (q == FACET_COMPLEX_Q && kernel.complex_q[2] != 0)
    grid.axes[2].im = linspace(0.001, 0.01, static_cast<std::int64_t>(grid.axes[2].re.size())).re;
  return kind == FACET_PRODUCT ? grid : pointsOf(grid);
}

namespace {

namespace fs = std::filesystem;
using schedules::Knobs;

// A run takes about this long with the default knobs: long beside the clock's step, short beside a
// compilation.
constexpr double runSeconds = 1.5e-3;
constexpr double deviceSeconds = 20e-3; // on a device, beside its transfers
constexpr double raceSeconds = 2;       // of one race at most, but for its first round
constexpr double compileTimeout = 120;  // seconds one candidate may take on a very busy machine

// Candidates
// ---------------------------------------------------------------------------
/// A column that only the nodes of a mean over triangles have, or else one of the mesh.
std::vector<double> columnOf(const Mesh &mesh, const std::string &name) {
  if (name == "node_weight")
    return std::vector<double>(static_cast<std::size_t>(mesh.size()), 1.0);
  if (name.starts_with("node."))
    return std::vector<double>(static_cast<std::size_t>(mesh.size()), 1.0 / 3);
  return column(mesh, name, mesh.triangles.empty() ? Vec3{} : centre(mesh));
}

/// Records and q that sums are timed on.
struct Problem {
  /// Has `y` by `z` q and `times` times 6,600 triangles. `variant`: one of the kernel's, with any
  /// knobs.
  Problem(const facet_kernel_description &kernel, const facet_variant &variant, int y, int z,
          int times)
      : grid(usualGrid(kernel, static_cast<facet_grid_kind>(variant.grid),
                       static_cast<facet_q_kind>(variant.q), y, z)),
        params(likelyParameters(kernel)) {
    const Mesh mesh = usualMesh(kernel, 6600 * times, grid);
    records = mesh.size();
    for (int c = 0; c < kernel.axis_column_count; ++c)
      tables.push_back(mesh.tables.at(kernel.axis_columns[c].name));
    std::vector<std::string> names(kernel.columns, kernel.columns + kernel.column_count);
    if (variant.nodes != 0)
      names.insert(names.end(), {"node_weight", "node.x", "node.y", "node.z"});
    for (const std::string &name : names)
      columns.push_back(columnOf(mesh, name));
  }

  Grid grid;
  std::vector<double> params;
  std::int64_t records = 0;
  std::vector<std::vector<double>> columns;
  std::vector<AxisTable> tables;
};

/// Real sums that a run of one thread adds to.
struct SumBuffers {
  std::vector<AlignedVector<double>> sums;
  std::vector<double *> places; // of the sums
  /// Makes room for a variant and at least `q` q; new sums are zero.
  void fit(const facet_variant &variant, std::int64_t q) {
    if (std::ssize(sums) < bytes::realSums(variant) || std::ssize(sums.front()) < q)
      clear(variant, q);
  }
  void clear(const facet_variant &variant, std::int64_t q) {
    sums.resize(static_cast<std::size_t>(bytes::realSums(variant)));
    places.clear();
    for (AlignedVector<double> &sum : sums) {
      sum.assign(static_cast<std::size_t>(q), 0.0);
      places.push_back(sum.data());
    }
  }
};

/// A loaded library, with the problem that it sums.
class Candidate {
public:
  /// `knobs`: those it was compiled with; the grid's cut is taken from them, not from the library.
  /// `queue`: of a device, where each call has the whole grid; null: this CPU.
  Candidate(const Problem &problem, Kernel kernel, const Knobs &knobs, facet_device *queue)
      : problem_(problem), kernel_(std::move(kernel)), variant_(kernel_->variants[0]),
        queue_(queue), streams_(std::clamp(knobs.streams, 1, Queues::most)), blockT_(knobs.blockT) {
    const bool points = variant_.grid == FACET_POINTS;
    variant_.tile[0] = points ? knobs.gridZ : 0;
    variant_.tile[1] = points ? 0 : knobs.gridY;
    variant_.tile[2] = points ? 0 : knobs.gridZ;
    layout_ = layOut(problem.grid, variant_, kernel_->complex_q, problem.records, 1);
    if (queue != nullptr)
      layout_.tile = layout_.padded;
    const auto n = static_cast<std::size_t>(problem.records);
    const std::size_t number = variant_.klass == FACET_F64 ? sizeof(double) : sizeof(float);
    narrow_.resize(n * static_cast<std::size_t>(variant_.narrow_fields) * number + 64);
    wide_.resize(n * static_cast<std::size_t>(variant_.wide_fields) + 8);
    std::vector<const double *> columns;
    for (const std::vector<double> &column : problem.columns)
      columns.push_back(column.data());
    variant_.pack(columns.data(), problem.records, problem.params.data(), narrow_.data(),
                  wide_.data());
  }

  /// Records of a block: on a device those of the knobs, since its variant takes more in a call.
  int block() const { return queue_ != nullptr ? blockT_ : variant_.t_block; }

  /// The grid cut as a run would cut it, for `bytes` of a device's memory.
  Layout cut(double bytes) const {
    Layout cut = layout_;
    cut.tile = tileOfDevice(cut.padded, variant_, {bytes, streams_});
    return cut;
  }
  /// Adds all records of the problem to every q, by tiles on the queues, one for each stream of the
  /// knobs. Returns wall-clock seconds; 0: the sum failed.
  double runOnStreams(Queues &queues, SumBuffers &buffers) const {
    const Layout tiles = cut(deviceRoom(queues, 0));
    buffers.fit(variant_, layout_.paddedSize());
    std::vector<facet_device *> own;
    for (int k = 0; k < streams_; ++k)
      own.push_back(queues.queue(k));
    std::atomic<std::int64_t> next{0};
    std::atomic<bool> failed{false};
    queues.pool().limit(streams_);
    const double start = wallSeconds();
    queues.pool().run(streams_, [&](std::int64_t, int worker) {
      for (std::int64_t tile = next++; tile < tiles.tileCount() && !failed; tile = next++)
        if (!call(tiles.tiles().at(tile), 0, problem_.records, buffers,
                  own[static_cast<std::size_t>(worker)]))
          failed = true;
    });
    return failed ? 0 : wallSeconds() - start;
  }

  /// Adds `records` of the problem's records (from the first, over and over) to every q of the
  /// grid, a block in each call. Returns seconds, of this thread's CPU time, or of the wall clock
  /// on a device. 0: the sum failed.
  double run(std::int64_t records, SumBuffers &buffers) const {
    buffers.fit(variant_, layout_.paddedSize());
    const auto seconds = queue_ != nullptr ? wallSeconds : threadSeconds;
    const double start = seconds();
    std::int64_t at = 0;
    for (std::int64_t left = records; left > 0;) {
      const std::int64_t count =
          std::min<std::int64_t>({variant_.t_block, left, problem_.records - at});
      if (!callAll(at, at + count, buffers))
        return 0;
      left -= count;
      at = at + count < problem_.records ? at + count : 0;
    }
    return seconds() - start;
  }
  /// Triangle-q-points of so many records, without padding.
  double work(std::int64_t records) const {
    return static_cast<double>(records) * static_cast<double>(layout_.size());
  }

  /// Some sums over the first records, in grid order: what other candidates must agree with.
  std::vector<double> sample(SumBuffers &buffers) const {
    constexpr int records = 48, step = 37;
    buffers.clear(variant_, layout_.paddedSize());
    std::vector<double> values;
    if (!callAll(0, records, buffers))
      return values;
    for (std::int64_t i = 0; i < layout_.size(); i += step) {
      const std::int64_t z = i % layout_.n[2], rows = i / layout_.n[2];
      const std::int64_t y = rows % layout_.n[1], x = rows / layout_.n[1];
      const auto at = static_cast<std::size_t>((x * layout_.padded[1] + y) * layout_.padded[2] + z);
      for (const AlignedVector<double> &sum : buffers.sums)
        values.push_back(sum[at]);
    }
    return values;
  }

private:
  bool call(const Box &tile, std::int64_t begin, std::int64_t end, SumBuffers &buffers,
            facet_device *queue) const {
    std::vector<facet_table> tables;
    for (const AxisTable &table : problem_.tables)
      tables.push_back({table.row(0), table.stride()});
    facet_sum_args args{};
    args.tables = tables.data();
    std::ranges::copy(layout_.n, args.table_rows);
    args.narrow = narrow_.data();
    args.wide = wide_.data();
    args.params = problem_.params.data();
    args.t_begin = begin;
    args.t_end = end;
    args.sums = buffers.places.data();
    for (std::size_t k = 0; k < 3; ++k) {
      args.n[k] = layout_.padded[k];
      args.axis_re[k] = layout_.re[k].data();
      args.axis_im[k] = layout_.im[k].empty() ? nullptr : layout_.im[k].data();
      args.begin[k] = tile.begin[k];
      args.end[k] = tile.end[k];
    }
    args.device = queue;
    return variant_.sum(&args) == FACET_DONE;
  }
  bool callAll(std::int64_t begin, std::int64_t end, SumBuffers &buffers) const {
    for (std::int64_t tile = 0; tile < layout_.tileCount(); ++tile)
      if (!call(layout_.tiles().at(tile), begin, end, buffers, queue_))
        return false;
    return true;
  }

  const Problem &problem_;
  Kernel kernel_;
  facet_variant variant_;
  facet_device *queue_;
  int streams_, blockT_;
  Layout layout_;
  AlignedVector<std::byte> narrow_;
  AlignedVector<double> wide_;
};

/// Largest difference, relative to the largest of b.
double disagreement(const std::vector<double> &a, const std::vector<double> &b) {
  double most = 0, size = 0;
  for (std::size_t k = 0; k < b.size() && k < a.size(); ++k) {
    most = std::max(most, std::abs(a[k] - b[k]));
    size = std::max(size, std::abs(b[k]));
    if (std::isnan(a[k]) != std::isnan(b[k]))
      return HUGE_VAL;
  }
  return a.size() != b.size() ? HUGE_VAL : size > 0 ? most / size : most;
}

// Tuning
// ---------------------------------------------------------------------------

TunedKey keyOf(const TuneRequest &r, const std::string &kernel, const std::string &shape) {
  return {kernel,           shape,     algorithmName(r.algorithm), className(r.klass), r.target,
          gridName(r.grid), qName(r.q)};
}

/// Measures candidates on this machine.
class RealLab final : public Lab {
public:
  /// Compiles the default candidate, and measures how long a run must be. Throws Error if facetc
  /// refuses the variant.
  explicit RealLab(const TuneRequest &r)
      : target_(r.target), separable_(r.algorithm == FACET_SEPARABLE),
        queues_(isDeviceTarget(target_) ? openQueues(target_) : nullptr),
        server_(findFacetc(), fs::absolute(r.file).string(), keyOf(r, r.kernel, ""),
                usableThreads(), folder_.path),
        pool_(usableThreads()), buffers_(static_cast<std::size_t>(pool_.size())),
        // Candidates order operations in other ways; more than rounding is a fault.
        tolerance_(r.klass == FACET_F64 ? 1e-11 : 2e-5) {
    const std::string library = folder_.path + "/default.so";
    server_.ask(next_++, "", library);
    if (const std::string refused = server_.next(compileTimeout).error; !refused.empty())
      throw Error(r.file, refused);
    default_ = Kernel::load(library);
    if (const std::string wrong = schedules::parse(variant().knobs, initial_); !wrong.empty())
      throw Error(r.file, "facetc made a library with unknown knobs: " + wrong,
                  "facet and facetc are of different versions? build them together", Exit::Failed);
    compileSeconds = elapsed();
    built_[libraryOf(initial_)] = {default_, ""};
    // Direct sums on CPUs take a part of the rows, so that a run is short: whole tiles and 8 more,
    // as a grid of 200 has them. Long terms would take longer to time than to compile.
    if (queues_)
      calibrateDevice();
    else if (separable_)
      calibrate(500, 500); // tables of separable sums need these
    else if (calibrate(104, 200) > 4 * runSeconds)
      calibrate(24, 200);
    if (right_.empty())
      throw Error(r.file, "the sum of the default schedule failed",
                  "this is a fault of facet: please report it with the kernel file", Exit::Failed);
    measureSeconds = elapsed() - compileSeconds;
  }

  const Knobs &initial() const { return initial_; }
  const facet_kernel_description &kernel() const { return **default_; }
  const facet_variant &variant() const { return kernel().variants[0]; }
  int threads() const { return pool_.size(); }

  /// What a block of the device may have; threads are 0 for a CPU.
  DeviceLimits limits() const {
    const schedules::TargetInfo *target = schedules::findTarget(target_);
    if (!queues_ || target == nullptr)
      return {};
    const DeviceInfo &info = Device::open(target_).info();
    const facet_variant &v = variant();
    constexpr int usual = 1024;           // threads of a block, if the driver does not say
    const int most = target->sharedBytes; // what facetc compiles for
    return {info.blockThreads > 0 ? info.blockThreads : usual, info.blockRegisters,
            info.sharedBytes > 0 && info.sharedBytes < most ? info.sharedBytes : most,
            (v.klass == FACET_F64 ? 8 : 4) * v.narrow_fields + 8 * v.wide_fields};
  }

  std::vector<Rate> race(const std::vector<Knobs> &candidates, Mode how) override {
    build(candidates);
    const double start = wallSeconds();
    std::vector<Rate> rates(candidates.size());
    std::vector<Candidate *> running(candidates.size());
    std::vector<std::vector<double>> least(candidates.size()); // of each thread
    for (std::size_t k = 0; k < candidates.size(); ++k) {
      const TriedCandidate &tried = get(candidates[k]);
      running[k] = tried.candidate.get();
      rates[k].why = tried.why;
      const int own = candidates[k].threads > 0 ? candidates[k].threads : threads();
      least[k].resize(how == Mode::AsARun ? static_cast<std::size_t>(std::min(own, threads())) : 1,
                      HUGE_VAL);
    }
    RaceRules rules;
    rules.clock = wallSeconds;
    rules.limit = raceSeconds;
    if (how == Mode::AsARun && !queues_) // few and close; several threads are disturbed more
      rules.drop.insert(rules.drop.end(), 14, rules.drop.back());
    const auto run = [&](std::size_t k) {
      return running[k] == nullptr ? 0.0
             : queues_             ? timedOnDevice(*running[k], how)
                                   : timed(*running[k], least[k]);
    };
    if (queues_) // so that the first do not pay for the queues' memory and for low clocks
      for (std::size_t k = 0; k < candidates.size(); ++k)
        run(k);
    const std::vector<RaceResult> raced = runtime::race(candidates.size(), run, rules);
    for (std::size_t k = 0; k < candidates.size(); ++k)
      if (raced[k].seconds > 0)
        rates[k].rate = running[k]->work(records_) / raced[k].seconds;
    measureSeconds += wallSeconds() - start;
    return rates;
  }

  std::int64_t tiles(const Knobs &knobs) override {
    const Candidate *own = queues_ ? get(knobs).candidate.get() : nullptr;
    return own != nullptr ? own->cut(deviceRoom(*queues_, 0)).tileCount() : 1;
  }

  double elapsed() const override { return wallSeconds() - start_; }

  double compileSeconds = 0, measureSeconds = 0; // of the wall clock

private:
  /// A library, or a candidate; or why there is none.
  struct BuiltKernel {
    std::optional<Kernel> kernel;
    std::string why;
  };
  struct TriedCandidate {
    std::unique_ptr<Candidate> candidate;
    std::string why;
  };

  double start_ = wallSeconds();
  std::string target_;
  bool separable_;
  std::unique_ptr<Queues> queues_; // of a device's target
  TemporaryFolder folder_;         // for libraries
  CandidateServer server_;         // ends before its folder goes
  int next_ = 0;
  std::optional<Kernel> default_;
  Knobs initial_;
  std::optional<Problem> problem_;
  Pool pool_;
  std::vector<SumBuffers> buffers_; // one for each worker
  std::int64_t records_ = 0;        // of a run
  std::vector<double> right_;       // sums of the default
  double tolerance_;
  std::map<std::string, BuiltKernel> built_;         // by what is compiled in
  std::map<std::string, TriedCandidate> candidates_; // by all knobs

  std::string textOf(const Knobs &knobs) const {
    return schedules::print(knobs, separable_, queues_ != nullptr);
  }
  /// The key of a library: libraries differ only in what is compiled in.
  std::string libraryOf(Knobs knobs) const {
    for (const auto member : runtimeKnobs)
      knobs.*member = Knobs().*member;
    return textOf(knobs);
  }

  void build(const std::vector<Knobs> &candidates) {
    const double start = wallSeconds();
    std::map<int, std::string> requested; // id to library
    for (const Knobs &knobs : candidates)
      if (const std::string library = libraryOf(knobs); built_.try_emplace(library).second) {
        requested[next_] = library;
        server_.ask(next_, library, fmt::format("{}/{}.so", folder_.path, next_));
        ++next_;
      }
    while (server_.pending() > 0) {
      const CandidateServer::Answer answer = server_.next(compileTimeout);
      BuiltKernel &built = built_.at(requested.at(answer.id));
      built.why = answer.error;
      if (!built.why.empty())
        continue;
      const std::string file = fmt::format("{}/{}.so", folder_.path, answer.id);
      built.kernel = Kernel::load(file);
      std::error_code ignored;
      fs::remove(file, ignored); // loaded, it needs no name
    }
    compileSeconds += wallSeconds() - start;
  }

  const TriedCandidate &get(const Knobs &knobs) {
    const auto [place, isNew] = candidates_.try_emplace(textOf(knobs));
    const BuiltKernel &built = built_.at(libraryOf(knobs));
    if (isNew)
      place->second =
          built.kernel ? prepare(*built.kernel, knobs) : TriedCandidate{nullptr, built.why};
    return place->second;
  }

  /// Makes a candidate, or says why not: the device's driver refuses it, or its sums are not right.
  TriedCandidate prepare(const Kernel &kernel, const Knobs &knobs) {
    facet_device *const queue = queues_ ? queues_->queue(0) : nullptr;
    TriedCandidate tried{std::make_unique<Candidate>(*problem_, kernel, knobs, queue), ""};
    const Candidate &made = *tried.candidate;
    double off = 0;
    bool runs = true;
    pool_.run(1, [&](std::int64_t, int) {
      if (queue != nullptr) // its driver compiles it now, at its first call
        runs = made.run(made.block(), buffers_[0]) > 0;
      if (runs && !right_.empty())
        off = disagreement(made.sample(buffers_[0]), right_);
    });
    if (!runs)
      return {nullptr, fmt::format("the device refuses it: {}", queue->message)};
    if (off > tolerance_)
      return {nullptr, fmt::format("its sums differ from the default's by {:.1e}: a fault of the "
                                   "schedule",
                                   off)};
    return tried;
  }

  /// Seconds of one block of the default on a problem of this size; sets how long runs are.
  double calibrate(int y, int z, int times = 1) {
    candidates_.clear();
    right_.clear();
    problem_.emplace(kernel(), variant(), y, z, times);
    const TriedCandidate &tried = get(initial_);
    const Candidate *candidate = tried.candidate.get();
    if (candidate == nullptr)
      throw Error(target_, "not even the default schedule runs: " + tried.why, "", Exit::Failed);
    double least = HUGE_VAL;
    pool_.run(1, [&](std::int64_t, int) {
      right_ = candidate->sample(buffers_[0]);
      const std::int64_t block = candidate->block();
      for (int round = 0; round < 2; ++round)
        least = std::min(least, candidate->run(block, buffers_[0]));
      const double wanted = (queues_ ? deviceSeconds : runSeconds) / std::max(least, 1e-6) *
                            static_cast<double>(block);
      records_ = std::clamp<std::int64_t>(static_cast<std::int64_t>(wanted), 64, problem_->records);
    });
    return least;
  }
  /// Gives a device a grid and records enough to keep all of it busy: larger ones while a run of
  /// all records is short.
  void calibrateDevice() {
    for (const auto &[y, z, times] :
         {std::array{128, 256, 1}, {512, 512, 1}, {1024, 1024, 1}, {1024, 1024, 8}}) {
      calibrate(y, z, times);
      if (records_ < problem_->records)
        return;
    }
  }

  /// Seconds for `records_` records, from a run on one queue, or from a run of all records on the
  /// candidate's streams.
  double timedOnDevice(const Candidate &candidate, Mode how) {
    double seconds = 0;
    std::int64_t records = problem_->records;
    if (how == Mode::AsARun) {
      seconds = candidate.runOnStreams(*queues_, buffers_[0]);
    } else {
      const std::int64_t block = candidate.block();
      records = std::clamp((records_ + block / 2) / block * block, block,
                           std::max(records / block * block, block));
      pool_.run(1, [&](std::int64_t, int) { seconds = candidate.run(records, buffers_[0]); });
    }
    return seconds * static_cast<double>(records_) / static_cast<double>(records);
  }

  /// Seconds of `records_` records by all threads together, from a run of whole blocks on each.
  /// `least`: of each thread so far. Threads are disturbed at different times, so that the least of
  /// each thread says more than that of a whole run.
  double timed(const Candidate &candidate, std::vector<double> &least) {
    const std::int64_t threads = std::ssize(least);
    const std::int64_t block = candidate.block();
    const std::int64_t records = std::max<std::int64_t>((records_ + block / 2) / block, 1) * block;
    std::vector<double> seconds(least.size());
    std::barrier together(threads); // so that each worker has one task
    pool_.run(threads, [&](std::int64_t task, int worker) {
      together.arrive_and_wait();
      seconds[static_cast<std::size_t>(task)] =
          candidate.run(records, buffers_[static_cast<std::size_t>(worker)]);
    });
    double rate = 0; // runs a second of all
    for (std::size_t k = 0; k < least.size(); ++k) {
      if (seconds[k] <= 0)
        return 0;
      least[k] = std::min(least[k], seconds[k]);
      rate += 1 / least[k];
    }
    return 1 / rate * static_cast<double>(records_) / static_cast<double>(records);
  }
};

} // namespace

void checkTunable(facet_algorithm algorithm) {
  if (!cardOf(algorithm).scheduled)
    throw Error(algorithmName(algorithm), "transforms have no schedule to tune",
                "tune direct or separable; `facet machines --calibrate` measures transforms");
}

TuneResult tune(const TuneRequest &asked) {
  TuneRequest request = asked;
  request.target = targetsFor(request.target).front();
  checkTunable(request.algorithm);
  RealLab lab(request);
  const schedules::TargetInfo *target = schedules::findTarget(request.target);
  const SpaceRequest space{.algorithm = request.algorithm,
                           .klass = request.klass,
                           .grid = request.grid,
                           .vectorBytes = target != nullptr ? target->vectorBytes : 0,
                           .registers = target != nullptr ? target->registers : 16,
                           .initial = lab.initial(),
                           .device = lab.limits()};
  const double limit = request.limit > 0 ? request.limit : request.exhaustive ? 900 : 60;
  TuneResult result =
      search(lab, space, {request.exhaustive, limit, lab.threads(), request.progress});
  result.tuned.key = keyOf(request, lab.kernel().name, lab.kernel().shape);
  sign(result.tuned);
  result.compileSeconds = lab.compileSeconds;
  result.measureSeconds = lab.measureSeconds;
  result.seconds = lab.elapsed();
  return result;
}

} // namespace facet::runtime
