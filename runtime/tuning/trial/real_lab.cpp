// real_lab.cpp - builds candidates in batches, then times them: never both at once.
#include "runtime/tuning/trial/real_lab.h"
#include "runtime/device/device.h"
#include "runtime/planner/machine.h"
#include "runtime/tuning/search/race.h"
#include "schedules/targets.h"
#include <algorithm>
#include <barrier>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>

namespace facet::runtime {
namespace {

namespace fs = std::filesystem;
using schedules::Knobs;

// A run takes about this long with the default knobs: long beside the clock's step, short beside a
// compilation.
constexpr double runSeconds = 1.5e-3;
constexpr double deviceSeconds = 20e-3; // on a device, beside its transfers
constexpr double raceSeconds = 2;       // of one race at most, but for its first round
constexpr double unitSeconds = 0.2;     // of one race of units, but for its first round
constexpr double compileTimeout = 120;  // seconds one candidate may take on a very busy machine

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

std::string makeFolder() {
  std::string pattern = (fs::temp_directory_path() / "facet-tune-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr)
    throw Error(fs::temp_directory_path().string(), "no folder for candidates can be made",
                "set TMPDIR to a folder you can write", Exit::Failed);
  return pattern;
}

/// Words of facetc, for a request.
ServedVariant served(const TuneRequest &r) {
  return {fs::absolute(r.file).string(),
          r.kernel,
          algorithmName(r.algorithm),
          className(r.klass),
          r.target,
          gridName(r.grid),
          qName(r.q)};
}

} // namespace

RealLab::RealLab(const TuneRequest &request)
    : start_(now()), folder_(makeFolder()), target_(request.target),
      separable_(request.algorithm == FACET_SEPARABLE), pool_(usableThreads()),
      buffers_(static_cast<std::size_t>(pool_.size())),
      // Candidates order operations in other ways; more than rounding is a fault.
      tolerance_(request.klass == FACET_F64 ? 1e-11 : 2e-5) {
  try {
    if (isDeviceTarget(target_))
      queues_ = openQueues(target_);
    server_ =
        std::make_unique<CandidateServer>(findFacetc(), served(request), usableThreads(), folder_);
    const std::string library = folder_ + "/default.so";
    server_->ask(next_++, "", library);
    const CandidateServer::Answer answer = server_->next(compileTimeout);
    if (!answer.error.empty())
      throw Error(request.file, answer.error);
    default_ = Kernel::load(library);
    const facet_variant &variant = kernel().variants[0];
    if (const std::string wrong = schedules::parse(variant.knobs, initial_); !wrong.empty())
      throw Error(request.file, "facetc made a library with unknown knobs: " + wrong,
                  "facet and facetc are of different versions? build them together", Exit::Failed);
    compileSeconds = elapsed();
    built_.push_back({compiled(initial_), {default_, ""}});
    // Long terms on the large grid would take longer to time than to compile.
    if (queues_)
      calibrateDevice();
    else if (calibrate(Problem::onCpu(variant, 104)) > 4 * runSeconds)
      calibrate(Problem::onCpu(variant, 24));
    if (right_.empty())
      throw Error(request.file, "the sum of the default schedule failed",
                  "this is a fault of facet: please report it with the kernel file", Exit::Failed);
    measureSeconds = elapsed() - compileSeconds;
  } catch (...) {
    server_.reset();
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
    throw;
  }
}

/// Seconds of one block of the default on a problem of this size; sets how long runs are.
double RealLab::calibrate(const Problem::Size &size) {
  candidates_.clear();
  right_.clear();
  problem_.emplace(kernel(), kernel().variants[0], size);
  std::string why;
  const Candidate *candidate = get(initial_, why);
  if (candidate == nullptr)
    throw Error(target_, "not even the default schedule runs: " + why, "", Exit::Failed);
  double least = HUGE_VAL;
  pool_.run(1, [&](std::int64_t, int) {
    right_ = candidate->sample(buffers_[0]);
    const std::int64_t block = queues_ ? initial_.blockT : candidate->variant().t_block;
    for (int round = 0; round < 2; ++round)
      least = std::min(least, candidate->run(block, buffers_[0]));
    const double wanted =
        (queues_ ? deviceSeconds : runSeconds) / std::max(least, 1e-6) * static_cast<double>(block);
    records_ = std::clamp<std::int64_t>(static_cast<std::int64_t>(wanted), 64, problem_->records());
  });
  return least;
}

/// A device is fed with a grid and with records enough to keep all of it busy: larger ones while a
/// run of all records is short.
void RealLab::calibrateDevice() {
  for (const Problem::Size &size :
       {Problem::Size{128, 256}, {512, 512}, {1024, 1024}, {1024, 1024, 8}}) {
    calibrate(size);
    if (records_ < problem_->records())
      return;
  }
}

DeviceLimits RealLab::limits() const {
  const schedules::TargetInfo *target = schedules::findTarget(target_);
  if (!queues_ || target == nullptr)
    return {};
  const DeviceInfo &info = Device::open(target_).info();
  const facet_variant &v = kernel().variants[0];
  constexpr int usual = 1024;           // threads of a block, where the driver does not say
  const int most = target->sharedBytes; // what facetc compiles for
  return {info.blockThreads > 0 ? info.blockThreads : usual, info.blockRegisters,
          info.sharedBytes > 0 && info.sharedBytes < most ? info.sharedBytes : most,
          (v.klass == FACET_F64 ? 8 : 4) * v.narrow_fields + 8 * v.wide_fields};
}

std::int64_t RealLab::tiles(const Knobs &knobs) {
  std::string why;
  const Candidate *own = queues_ ? get(knobs, why) : nullptr;
  return own != nullptr ? own->tiles(deviceRoom(*queues_, 0)) : 1;
}

RealLab::~RealLab() {
  server_.reset();
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

double RealLab::elapsed() const { return now() - start_; }

Knobs RealLab::compiled(Knobs knobs) {
  for (const schedules::KnobInfo &knob : schedules::knobTable())
    if (std::find(std::begin(runtimeKnobs), std::end(runtimeKnobs), knob.member) !=
        std::end(runtimeKnobs))
      knobs.*knob.member = knob.fallback;
  return knobs;
}

void RealLab::build(const std::vector<Knobs> &candidates) {
  const double start = now();
  std::map<int, std::size_t> asked; // id to place in built_
  for (const Knobs &knobs : candidates) {
    const Knobs own = compiled(knobs);
    if (std::any_of(built_.begin(), built_.end(), [&](auto &b) { return b.first == own; }))
      continue;
    asked[next_] = built_.size();
    built_.push_back({own, {}});
    server_->ask(next_, schedules::print(own, separable_, queues_ != nullptr),
                 fmt::format("{}/{}.so", folder_, next_));
    ++next_;
  }
  while (server_->pending() > 0) {
    const CandidateServer::Answer answer = server_->next(compileTimeout);
    Built &built = built_.at(asked.at(answer.id)).second;
    built.why = answer.error;
    if (!built.why.empty())
      continue;
    if (candidateSeconds_ == 0 || answer.seconds < candidateSeconds_)
      candidateSeconds_ = answer.seconds;
    const std::string library = fmt::format("{}/{}.so", folder_, answer.id);
    built.kernel = Kernel::load(library);
    std::error_code ignored;
    fs::remove(library, ignored); // loaded, it needs no name
  }
  compileSeconds += now() - start;
}

Candidate *RealLab::get(const Knobs &knobs, std::string &why) {
  const auto known = std::find_if(candidates_.begin(), candidates_.end(),
                                  [&](auto &c) { return c.first == knobs; });
  if (known != candidates_.end())
    return known->second.get();
  const Knobs own = compiled(knobs);
  const auto built =
      std::find_if(built_.begin(), built_.end(), [&](auto &b) { return b.first == own; });
  why = built->second.why;
  if (!built->second.kernel)
    return nullptr;
  candidates_.emplace_back(knobs,
                           std::make_unique<Candidate>(*problem_, *built->second.kernel, knobs));
  Candidate *made = candidates_.back().second.get();
  double off = 0;
  bool runs = true;
  pool_.run(1, [&](std::int64_t, int) {
    if (queues_) { // its driver compiles it now, at its first call
      made->useDevice(queues_->queue(0));
      runs = made->run(made->blockT(), buffers_[0]) > 0;
    }
    if (runs && !right_.empty())
      off = disagreement(made->sample(buffers_[0]), right_);
  });
  if (!runs) {
    why = fmt::format("the device refuses it: {}", queues_->queue(0)->message);
    candidates_.back().second.reset();
    return nullptr;
  }
  if (off <= tolerance_)
    return made;
  why = fmt::format("its sums differ from the default's by {:.1e}: a fault of the schedule", off);
  candidates_.back().second.reset();
  return nullptr;
}

/// Seconds of `records_` records on one queue, or of all records on the candidate's streams, for as
/// many records.
double RealLab::timedOnDevice(const Candidate &candidate, const Knobs &knobs, int threads) {
  double seconds = 0;
  std::int64_t records = problem_->records();
  if (threads == asARun) {
    seconds = candidate.runOnStreams(*queues_, buffers_[0]);
  } else {
    const std::int64_t block = knobs.blockT;
    records = std::clamp((records_ + block / 2) / block * block, block,
                         std::max(records / block * block, block));
    pool_.run(1, [&](std::int64_t, int) { seconds = candidate.run(records, buffers_[0]); });
  }
  return seconds * static_cast<double>(records_) / static_cast<double>(records);
}

/// Seconds of `records_` records, from a run of whole blocks on each thread. `least`: of each
/// thread so far; threads are disturbed at different times, so that the least of one run says more.
double RealLab::timed(const Candidate &candidate, int threads, std::vector<double> &least) {
  const std::int64_t block = candidate.variant().t_block;
  const std::int64_t records = std::max<std::int64_t>((records_ + block / 2) / block, 1) * block;
  least.resize(static_cast<std::size_t>(threads), HUGE_VAL);
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
  return threads / rate * static_cast<double>(records_) / static_cast<double>(records);
}

std::vector<Lab::Rate> RealLab::race(const std::vector<Knobs> &candidates, int threads) {
  build(candidates);
  const double start = now();
  std::vector<Rate> rates(candidates.size());
  std::vector<Candidate *> running(candidates.size());
  for (std::size_t k = 0; k < candidates.size(); ++k) {
    running[k] = get(candidates[k], rates[k].why);
    if (running[k] == nullptr && rates[k].why.empty())
      rates[k].why = "it was left out before";
  }
  RaceRules rules;
  rules.clock = now;
  rules.limit = raceSeconds;
  if (threads > 1) // few finalists, to be told apart; two threads are disturbed more than one
    rules.drop.insert(rules.drop.end(), 14, rules.drop.back());
  std::vector<std::vector<double>> least(candidates.size());
  const std::vector<Raced> raced = runtime::race(
      candidates.size(),
      [&](std::size_t k) {
        return running[k] == nullptr ? 0.0
               : queues_             ? timedOnDevice(*running[k], candidates[k], threads)
                                     : timed(*running[k], threads, least[k]);
      },
      rules);
  for (std::size_t k = 0; k < candidates.size(); ++k) {
    rates[k].finished = raced[k].finished;
    if (raced[k].seconds > 0)
      rates[k].rate = std::max(threads, 1) * running[k]->work(records_) / raced[k].seconds;
  }
  measureSeconds += now() - start;
  return rates;
}

/// The library a run would have: candidates lack the cuts of the grid, which need no compiling.
Kernel RealLab::asInRuns(const Knobs &knobs) {
  const std::string library = fmt::format("{}/{}.so", folder_, next_);
  server_->ask(next_++, schedules::print(knobs, separable_, false), library);
  const CandidateServer::Answer answer = server_->next(compileTimeout);
  if (!answer.error.empty())
    throw Error(library, answer.error);
  return Kernel::load(library);
}

std::vector<Lab::Rate> RealLab::raceUnits(const std::vector<Knobs> &candidates) {
  std::vector<Rate> rates(candidates.size());
  if (queues_) // the runtime cuts for streams
    return rates;
  const double start = now();
  try {
    if (!ofUnits_)
      ofUnits_ = asInRuns(candidates.front());
    UnitTrial trial(*ofUnits_, candidates);
    for (std::size_t k = 0; k < candidates.size(); ++k)
      rates[k].why = trial.refusal(k);
    RaceRules rules;
    rules.clock = now;
    rules.limit = unitSeconds;
    rules.drop.insert(rules.drop.end(), 14, rules.drop.back());
    const std::vector<Raced> raced =
        runtime::race(candidates.size(), [&](std::size_t k) { return trial.run(k); }, rules);
    for (std::size_t k = 0; k < candidates.size(); ++k)
      if (raced[k].seconds > 0)
        rates[k] = {1 / raced[k].seconds, raced[k].finished, ""};
  } catch (const Error &e) { // sums over what the trial makes up need not be finite
    for (Rate &rate : rates)
      rate = {0, false, e.what()};
  }
  measureSeconds += now() - start;
  return rates;
}

std::vector<std::pair<double, double>> RealLab::calls(const Knobs &candidate) {
  std::vector<std::pair<double, double>> result;
  std::string why;
  const Candidate *own = get(candidate, why);
  if (own == nullptr)
    return result;
  const double start = now();
  pool_.run(1, [&](std::int64_t, int) {
    for (int n = own->variant().t_block; n >= 8 && result.size() < 4; n /= 2) {
      double least = HUGE_VAL;
      for (int round = 0; round < 3; ++round)
        least = std::min(least, own->run(n, buffers_[0]));
      result.emplace_back(n, least);
    }
  });
  measureSeconds += now() - start;
  return result;
}

} // namespace facet::runtime
