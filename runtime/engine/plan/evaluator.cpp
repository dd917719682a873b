// evaluator.cpp - reads and turns t blocks, and keeps them while there is room; sums a unit over
// them, joins the sums by the tree, finishes and repairs.
#include "runtime/engine/plan/evaluator.h"
#include "runtime/engine/kernel/inside.h"
#include "runtime/engine/plan/error_model.h"
#include "runtime/engine/plan/tree.h"
#include "runtime/engine/sum/card.h"
#include "runtime/engine/sum/points.h"
#include "runtime/engine/sum/sums.h"
#include "runtime/engine/system/budget.h"
#include <algorithm>
#include <cfloat>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace facet::runtime {
namespace {

constexpr double noNumber = std::numeric_limits<double>::quiet_NaN();

void copyOut(Algorithm &algorithm, Partial &to) {
  for (const std::span<double> numbers : algorithm.partial())
    to.sums.emplace_back(numbers.begin(), numbers.end());
  to.totals.push_back(algorithm.recordSums());
}

/// Copies the next arrays and totals of `from` back into the algorithm.
void putBack(const Partial &from, std::size_t &array, std::size_t &total, Algorithm &algorithm) {
  for (const std::span<double> numbers : algorithm.partial()) {
    std::copy(from.sums[array].begin(), from.sums[array].end(), numbers.begin());
    ++array;
  }
  algorithm.recordSums() = from.totals[total++];
}

} // namespace

RecordBlocks::RecordBlocks(const Kernel &kernel, const Decision &decision,
                           std::shared_ptr<const MeshBlocks> mesh, double memory)
    : kernel_(kernel) {
  setMesh(decision, std::move(mesh), memory, noRotation);
}

RecordBlocks::RecordBlocks(const Kernel &kernel, std::shared_ptr<RecordBlock> all)
    : kernel_(kernel), kept_{std::move(all)}, room_(1) {}

std::int64_t RecordBlocks::records() const {
  return mesh_ ? mesh_->size() : kept_.front()->records.size();
}

std::int64_t RecordBlocks::count() const {
  return mesh_ ? (mesh_->size() + decision_.cut.records - 1) / decision_.cut.records : 1;
}

// Records are turned in place, which allocates nothing. Rules of nodes are made from the mesh,
// which is read again for them.
void RecordBlocks::setRotation(const Matrix3 &rotation) {
  const std::lock_guard lock(mutex_);
  if (rotation == rotation_)
    return;
  rotation_ = rotation;
  for (std::shared_ptr<RecordBlock> &kept : kept_)
    if (decision_.nodes)
      kept = nullptr;
    else if (kept)
      kept->records.rotate(rotation);
  changed();
}

// A single block is filled again in place, so that what an evaluator made for it stays useful.
void RecordBlocks::setMesh(const Decision &decision, std::shared_ptr<const MeshBlocks> mesh,
                           double memory, const Matrix3 &rotation) {
  const std::lock_guard lock(mutex_);
  decision_ = decision;
  mesh_ = std::move(mesh);
  rotation_ = rotation;
  const double record = // 0 if all columns are tables
      bytes::ofColumn * kernel_->column_count + (decision.nodes ? bytes::ofRules : 0);
  const double fits = memory / (record * static_cast<double>(decision.cut.records));
  room_ = static_cast<std::int64_t>(std::min(static_cast<double>(count()), fits));
  const std::shared_ptr<RecordBlock> only = kept_.size() == 1 ? kept_.front() : nullptr;
  kept_.assign(static_cast<std::size_t>(count()), nullptr);
  changed();
  if (only && count() == 1 && room_ == 1) {
    read(0, *only);
    kept_.front() = only;
  }
}

void RecordBlocks::read(std::int64_t b, RecordBlock &to) const {
  const std::int64_t first = b * decision_.cut.records;
  const std::int64_t n = std::min(decision_.cut.records, mesh_->size() - first);
  const Mesh part = mesh_->read(first, n);
  to.records.setMesh(part, decision_.frame);
  to.records.rotate(rotation_);
  if (decision_.nodes)
    to.rules = std::make_shared<const NodeRules>(part, decision_.shells, rotation_);
}

// The first blocks are kept, the others read each time: any other rule would keep none in a cycle.
std::shared_ptr<const RecordBlock> RecordBlocks::get(std::int64_t b) {
  const auto fresh = [&] {
    auto slice = std::make_shared<RecordBlock>(*kernel_);
    read(b, *slice);
    return slice;
  };
  if (b >= room_)
    return fresh();
  const std::lock_guard lock(mutex_);
  std::shared_ptr<RecordBlock> &kept = kept_[static_cast<std::size_t>(b)];
  if (!kept)
    kept = fresh();
  return kept;
}

std::shared_ptr<Pool> poolFor(const Decision &decision, int threads) {
  return std::make_shared<Pool>(cardOf(decision.algorithm).repeats ? 1 : threads);
}

Evaluator::Evaluator(const Kernel &kernel, const Decision &decision,
                     std::shared_ptr<RecordBlocks> slices, Resources resources,
                     EvaluatorCache cache)
    : kernel_(kernel), decision_(decision), slices_(std::move(slices)),
      resources_(std::move(resources)), cache_(std::move(cache)),
      card_(cardOf(decision.algorithm)) {
  setProgress(std::move(resources_.progress));
  const int q = decision.complexQ ? FACET_COMPLEX_Q : FACET_REAL_Q;
  precise_ = findPrecise(kernel, decision.target, q);
  if (!decision.repair.empty())
    direct_ = &anyDirect(kernel, decision.target, q, precise_);
  if (!card_.runs(kernel, decision, decision.target, q))
    throw Error(whereIs(kernel),
                fmt::format("has no {}, {}, for target {}, as the plan wants",
                            algorithmName(decision.algorithm), className(decision.klass),
                            decision.target),
                "plan again, with this library");
  if (const std::size_t outputs = outputsOf(*kernel).size();
      !decision.weights.empty() && decision.weights.size() != outputs)
    throw Error(
        whereIs(kernel),
        fmt::format("has {} outputs, and the plan is of {}", outputs, decision.weights.size()),
        "plan again, with this library");
}

Evaluator::~Evaluator() = default;

void Evaluator::setProgress(std::function<void(double)> progress) {
  resources_.progress = std::move(progress);
  counted_ = nullptr;
  if (resources_.progress)
    counted_ = [this](double done, double all) { tell(block_ * done / all); };
}

/// Says how much of the block in hand is done.
void Evaluator::tell(double done) {
  if (resources_.progress && done > told_)
    resources_.progress(done - told_);
  told_ = std::max(told_, done);
}

void Evaluator::forget() {
  main_.reset();
  again_.reset();
  slice_.reset();
}

void Evaluator::begin(Grid unit) {
  forget();
  grid_ = std::move(unit);
  zeros_ =
      kernel_->origin != nullptr || allowNaN_ ? zeroPoints(grid_) : std::vector<std::int64_t>();
  at_.clear();
  looked_ = known_ = summed_ = false;
}

void Evaluator::setDecision(const Decision &decision,
                            std::optional<std::vector<std::int64_t>> repaired) {
  if (decision.chunks != decision_.chunks || decision.repairChunks != decision_.repairChunks) {
    forget();
    summed_ = false;
  }
  decision_ = decision;
  looked_ = known_ = repaired.has_value();
  if (repaired)
    setRepairs(std::move(*repaired));
}

SumContext Evaluator::work(const Grid &grid, const RecordBlock &slice, std::int64_t chunks) const {
  const bool main = &grid == &grid_;
  return {kernel_,
          grid,
          slice.records,
          *resources_.pool,
          params_,
          main ? zeros_ : listZeros_,
          main ? counted_ : silent_,
          resources_.queues,
          decision_.memory,
          main ? resources_.recorder : nullptr,
          chunks,
          !decision_.joined,
          1,
          resources_.leave};
}

bool sumReads(const Kernel &kernel, const std::vector<double> &before,
              const std::vector<double> &after) {
  bool read = before.size() != after.size();
  std::size_t at = 0;
  for (int k = 0; k < kernel->parameter_count; ++k)
    for (int n = numberCount(kernel->parameters[k]); n > 0 && !read; --n, ++at)
      read = kernel->parameters[k].in_sum != 0 && before[at] != after[at];
  return read;
}

/// Whether the sums hold for these parameters. If the parameters are the same again, the caller
/// wants the sums made again, as timings do. Rules of nodes depend on what finish amplifies, and so
/// on all parameters.
bool Evaluator::sumsStand(const std::vector<double> &params) const {
  return summed_ && params != params_ && !decision_.nodes && slices_->version() == version_ &&
         (!hasOrigin() || slices_->count() == 1) && !sumReads(kernel_, params_, params);
}

std::vector<std::int64_t> Evaluator::findRepairs() {
  if (decision_.repair.empty() || precise_ == nullptr)
    return {};
  const double radius = grid_.complexQ() ? decision_.frame.radius : 0; // keys depend on it
  const AmplificationProblem by{kernel_, grid_, params_, *direct_, radius, decision_.weights};
  std::vector<float> g;
  std::vector<std::uint16_t> keys;
  GridGains own;
  GridGains &known = cache_.gains != nullptr ? *cache_.gains : own;
  if (known.radius != radius || known.params != params_)
    known = {params_, radius, amplification(by, *resources_.pool, g, keys)};
  std::vector<double> limits(amplificationKeys);
  bool beyond = false;
  for (const auto &[key, largest] : known.largest) {
    limits[static_cast<std::size_t>(key)] = decision_.limit(key);
    beyond = beyond || static_cast<double>(largest.gain) > decision_.limit(key);
  }
  if (!beyond)
    return {};
  if (g.empty())
    amplification(by, *resources_.pool, g, keys);
  std::vector<std::int64_t> skip = zeros_;
  if (kernel_->origin == nullptr)
    std::erase_if(skip,
                  [&](std::int64_t q) { return std::isfinite(g[static_cast<std::size_t>(q)]); });
  return beyondLimits(g, skip, [&](std::size_t q) { return limits[keys[q]]; });
}

void Evaluator::setRepairs(std::vector<std::int64_t> at) {
  if (at == at_)
    return;
  at_ = std::move(at);
  list_ = pointsOf(grid_, at_);
  listZeros_ =
      kernel_->origin == nullptr && allowNaN_ ? zeroPoints(list_) : std::vector<std::int64_t>();
  again_.reset();
}

void Evaluator::setParams(const std::vector<double> &params) {
  kept_ = sumsStand(params);
  stale_ = stale_ || sumReads(kernel_, params_, params);
  looked_ = looked_ && (known_ || params == params_);
  params_ = params;
}

void Evaluator::run(const std::vector<double> &params, std::complex<double> *f) {
  setParams(params);
  if (!looked_)
    setRepairs(findRepairs());
  looked_ = true;
  const bool again = !at_.empty() && again_ == nullptr; // q to repair that were not summed yet
  kept_ = kept_ && !(again && slices_->count() > 1);
  if (!kept_ || again)
    sum({!kept_, true});
  else if (hasOrigin())
    origin_ = originOf(*slice_);
  if (shared_ != nullptr && !shared_->finishes())
    return;
  finish(f);
  finishRepairs(f);
}

void Evaluator::run(const std::vector<double> &params, std::complex<double> *f,
                    const FindRepairs &find) {
  setParams(params);
  if (!kept_)
    sum({true, false});
  else if (hasOrigin())
    origin_ = originOf(*slice_);
  finish(f);
  setRepairs(find(f));
  looked_ = known_ = true;
  if (!at_.empty() && (!kept_ || again_ == nullptr))
    sum({false, true});
  finishRepairs(f);
}

/// Makes what sums the records of a slice, unless the slice is the same as before.
void Evaluator::take(const std::shared_ptr<const RecordBlock> &slice) {
  if (main_ == nullptr || slice != slice_) {
    forget();
    slice_ = slice;
    main_ = card_.carryOut(work(grid_, *slice, decision_.chunks),
                           {decision_, decision_.target,
                            decision_.complexQ ? FACET_COMPLEX_Q : FACET_REAL_Q, decision_.accuracy,
                            decision_.transforms > 0 ? decision_.transforms : decision_.memory,
                            decision_.threads, slice->rules, cache_.waves});
  } else if (slices_->version() != version_) {
    main_->resized(slice->rules);
    if (again_)
      again_->resized(nullptr);
  } else if (stale_) {
    main_->changed();
    if (again_)
      again_->changed();
  }
  if (!at_.empty() && again_ == nullptr)
    again_ = std::make_unique<Sums>(work(list_, *slice, decision_.repairChunks), *precise_);
  stale_ = false;
}

std::vector<std::complex<double>> Evaluator::originOf(const RecordBlock &slice) const {
  std::vector<std::complex<double>> values(outputsOf(*kernel_).size());
  kernel_->origin(slice.records.columns().data(), slice.records.size(), params_.data(),
                  reinterpret_cast<double *>(values.data()));
  return values;
}

Partial Evaluator::sumBlock(std::int64_t block, Part part) {
  take(slices_->get(block));
  block_ = static_cast<double>(slice_->records.size()) * static_cast<double>(grid_.size());
  told_ = part.all ? 0 : block_;
  if (part.all)
    main_->sum();
  if (part.repairs && again_)
    again_->sum();
  tell(block_);
  Partial partial;
  if (hasOrigin())
    partial.origin = originOf(*slice_);
  if (slices_->count() > 1) {
    copyOut(*main_, partial);
    if (again_)
      copyOut(*again_, partial);
  }
  return partial;
}

/// Sums all blocks, those of other processes too, into what finishes them.
void Evaluator::sum(Part part) {
  summed_ = false; // until all is done: a run that was stopped leaves nothing to finish again
  const std::int64_t count = slices_->count();
  const auto all = sumBlocks(shared_, 0, count, [&](std::int64_t block) {
    if (count > 1)
      forget(); // a block at a time
    return sumBlock(block, part);
  });
  version_ = slices_->version();
  if (!all) // another process finishes
    return;
  summed_ = true;
  origin_ = all->origin;
  std::size_t array = 0, total = 0;
  for (Algorithm *algorithm : {main_.get(), static_cast<Algorithm *>(again_.get())})
    if (count > 1 && algorithm != nullptr)
      putBack(*all, array, total, *algorithm);
}

void Evaluator::finish(std::complex<double> *f) {
  main_->finish(f);
  totals_ = main_->recordSums().text();
  device_ = main_->device();
  for (const std::int64_t i : zeros_)
    for (std::size_t o = 0; o < origin_.size(); ++o)
      f[static_cast<std::int64_t>(o) * grid_.size() + i] = origin_[o];
}

void Evaluator::finishRepairs(std::complex<double> *f) {
  const std::size_t outputs = outputsOf(*kernel_).size();
  if (again_) {
    better_.resize(outputs * at_.size());
    again_->finish(better_.data());
  }
  for (std::size_t o = 0; o < outputs; ++o, f += grid_.size()) {
    for (std::size_t i = 0; again_ && i < at_.size(); ++i)
      f[at_[i]] = better_[o * at_.size() + i];
    for (const std::int64_t i : zeros_) // an infinity is no value either
      if (!hasOrigin() && !std::isfinite(std::abs(f[i])))
        f[i] = {noNumber, noNumber};
  }
}

// Tighter transforms take less than a sample's reference, and see every q.
std::vector<std::complex<double>> tighterF(const Kernel &kernel, Decision decision,
                                           std::shared_ptr<RecordBlocks> slices,
                                           Resources resources, EvaluatorCache cache, Grid unit,
                                           const std::vector<double> &params) {
  constexpr double tighter = 0.01;
  if (decision.tolerance == 0)
    return {};
  decision.tolerance = std::max(tighter * decision.tolerance, 100 * DBL_EPSILON);
  decision.klass = FACET_F64; // f32 does not round less
  std::vector<std::complex<double>> f(outputsOf(*kernel).size() *
                                      static_cast<std::size_t>(unit.size()));
  try {
    Evaluator by(kernel, decision, std::move(slices), std::move(resources), std::move(cache));
    by.allowNaN();
    by.run(std::move(unit), params, f.data());
  } catch (const AbandonedWork &) {
    throw;
  } catch (const Error &) { // out of reach: the model has to do
    return {};
  }
  return f;
}

} // namespace facet::runtime
