// real_lab.cpp - builds candidates in batches, then times them: never both at once.
#include "runtime/tuning/trial/real_lab.h"
#include "runtime/device/device.h"
#include "runtime/planner/machine.h"
#include "runtime/tuning/search/race.h"
#include "schedules/targets.h"
#include <algorithm>
#include <barrier>
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
constexpr double compileTimeout = 120;  // seconds one candidate may take on a very busy machine

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

CandidateFolder::CandidateFolder()
    : path((fs::temp_directory_path() / "facet-tune-XXXXXX").string()) {
  if (mkdtemp(path.data()) == nullptr)
    throw Error(fs::temp_directory_path().string(), "no folder for candidates can be made",
                "set TMPDIR to a folder you can write", Exit::Failed);
}
CandidateFolder::~CandidateFolder() {
  std::error_code ignored;
  fs::remove_all(path, ignored);
}

RealLab::RealLab(const TuneRequest &request)
    : start_(wallSeconds()), target_(request.target),
      separable_(request.algorithm == FACET_SEPARABLE),
      queues_(isDeviceTarget(target_) ? openQueues(target_) : nullptr),
      server_(findFacetc(), served(request), usableThreads(), folder_.path), pool_(usableThreads()),
      buffers_(static_cast<std::size_t>(pool_.size())),
      // Candidates order operations in other ways; more than rounding is a fault.
      tolerance_(request.klass == FACET_F64 ? 1e-11 : 2e-5) {
  const std::string library = folder_.path + "/default.so";
  server_.ask(next_++, "", library);
  const CandidateServer::Answer answer = server_.next(compileTimeout);
  if (!answer.error.empty())
    throw Error(request.file, answer.error);
  default_ = Kernel::load(library);
  const facet_variant &variant = kernel().variants[0];
  if (const std::string wrong = schedules::parse(variant.knobs, initial_); !wrong.empty())
    throw Error(request.file, "facetc made a library with unknown knobs: " + wrong,
                "facet and facetc are of different versions? build them together", Exit::Failed);
  compileSeconds = elapsed();
  built_[libraryOf(initial_)] = {default_, ""};
  // Long terms on the large grid would take longer to time than to compile.
  if (queues_)
    calibrateDevice();
  else if (calibrate(Problem::onCpu(variant, 104)) > 4 * runSeconds)
    calibrate(Problem::onCpu(variant, 24));
  if (right_.empty())
    throw Error(request.file, "the sum of the default schedule failed",
                "this is a fault of facet: please report it with the kernel file", Exit::Failed);
  measureSeconds = elapsed() - compileSeconds;
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

double RealLab::elapsed() const { return wallSeconds() - start_; }

/// Libraries differ in what is compiled in only.
std::string RealLab::libraryOf(Knobs knobs) const {
  for (const auto member : runtimeKnobs)
    knobs.*member = Knobs().*member;
  return textOf(knobs);
}

std::string RealLab::textOf(const Knobs &knobs) const {
  return schedules::print(knobs, separable_, queues_ != nullptr);
}

void RealLab::build(const std::vector<Knobs> &candidates) {
  const double start = wallSeconds();
  std::map<int, std::string> asked; // id to library
  for (const Knobs &knobs : candidates) {
    const std::string library = libraryOf(knobs);
    if (!built_.try_emplace(library).second)
      continue;
    asked[next_] = library;
    server_.ask(next_, library, fmt::format("{}/{}.so", folder_.path, next_));
    ++next_;
  }
  while (server_.pending() > 0) {
    const CandidateServer::Answer answer = server_.next(compileTimeout);
    Built &built = built_.at(asked.at(answer.id));
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

Candidate *RealLab::get(const Knobs &knobs, std::string &why) {
  const auto [place, isNew] = candidates_.try_emplace(textOf(knobs));
  Tried &tried = place->second;
  const Built &built = built_.at(libraryOf(knobs));
  if (isNew && built.kernel)
    tried = prepare(*built.kernel, knobs);
  else if (isNew)
    tried.why = built.why;
  why = tried.why;
  return tried.candidate.get();
}

/// Refused where the device's driver refuses it, or where its sums are others than the default's.
RealLab::Tried RealLab::prepare(const Kernel &kernel, const Knobs &knobs) {
  Tried tried{std::make_unique<Candidate>(*problem_, kernel, knobs), ""};
  Candidate &made = *tried.candidate;
  double off = 0;
  bool runs = true;
  pool_.run(1, [&](std::int64_t, int) {
    if (queues_) { // its driver compiles it now, at its first call
      made.useDevice(queues_->queue(0));
      runs = made.run(made.blockT(), buffers_[0]) > 0;
    }
    if (runs && !right_.empty())
      off = disagreement(made.sample(buffers_[0]), right_);
  });
  if (!runs)
    return {nullptr, fmt::format("the device refuses it: {}", queues_->queue(0)->message)};
  if (off > tolerance_)
    return {nullptr, fmt::format("its sums differ from the default's by {:.1e}: a fault of the "
                                 "schedule",
                                 off)};
  return tried;
}

/// Seconds of `records_` records on one queue, or of all records on the candidate's streams, for as
/// many records.
double RealLab::timedOnDevice(const Candidate &candidate, const Knobs &knobs, How how) {
  double seconds = 0;
  std::int64_t records = problem_->records();
  if (how == How::AsARun) {
    seconds = candidate.runOnStreams(*queues_, buffers_[0]);
  } else {
    const std::int64_t block = knobs.blockT;
    records = std::clamp((records_ + block / 2) / block * block, block,
                         std::max(records / block * block, block));
    pool_.run(1, [&](std::int64_t, int) { seconds = candidate.run(records, buffers_[0]); });
  }
  return seconds * static_cast<double>(records_) / static_cast<double>(records);
}

/// Seconds of `records_` records by all threads together, from a run of whole blocks on each.
/// `least`: of each thread so far; threads are disturbed at different times, so that the least of
/// one run says more.
double RealLab::timed(const Candidate &candidate, std::vector<double> &least) {
  const auto threads = static_cast<std::int64_t>(least.size());
  const std::int64_t block = candidate.variant().t_block;
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

std::vector<Lab::Rate> RealLab::race(const std::vector<Knobs> &candidates, How how) {
  build(candidates);
  const double start = wallSeconds();
  std::vector<Rate> rates(candidates.size());
  std::vector<Candidate *> running(candidates.size());
  std::vector<std::vector<double>> least(candidates.size()); // of each thread
  for (std::size_t k = 0; k < candidates.size(); ++k) {
    running[k] = get(candidates[k], rates[k].why);
    const int own = candidates[k].threads > 0 ? candidates[k].threads : threads();
    least[k].resize(how == How::AsARun ? static_cast<std::size_t>(std::min(own, threads())) : 1,
                    HUGE_VAL);
  }
  RaceRules rules;
  rules.clock = wallSeconds;
  rules.limit = raceSeconds;
  if (how == How::AsARun && !queues_) // few, to be told apart; several threads are disturbed more
    rules.drop.insert(rules.drop.end(), 14, rules.drop.back());
  const std::vector<Raced> raced = runtime::race(
      candidates.size(),
      [&](std::size_t k) {
        return running[k] == nullptr ? 0.0
               : queues_             ? timedOnDevice(*running[k], candidates[k], how)
                                     : timed(*running[k], least[k]);
      },
      rules);
  for (std::size_t k = 0; k < candidates.size(); ++k)
    if (raced[k].seconds > 0)
      rates[k].rate = running[k]->work(records_) / raced[k].seconds;
  measureSeconds += wallSeconds() - start;
  return rates;
}

} // namespace facet::runtime
