// evaluator.cpp - a unit's sums over t blocks, joined by the tree, finished, repaired.
#include "runtime/plan/blocks/evaluator.h"
#include "runtime/plan/blocks/shared.h"
#include "runtime/plan/blocks/tree.h"
#include "runtime/plan/choices/amplification.h"
#include "runtime/plan/choices/variants.h"
#include "runtime/plan/grid/points.h"
#include "runtime/plan/sums/sums.h"
#include "runtime/plan/waves/waves.h"
#include <algorithm>
#include <fmt/format.h>

namespace facet::runtime {
namespace {

void copyOut(Algorithm &algorithm, Partial &to) {
  for (const std::span<double> numbers : algorithm.partial())
    to.sums.emplace_back(numbers.begin(), numbers.end());
  to.totals.push_back(algorithm.recordSums());
}

/// The first arrays not yet put back are the algorithm's.
void putBack(const Partial &from, std::size_t &array, std::size_t &total, Algorithm &algorithm) {
  for (const std::span<double> numbers : algorithm.partial()) {
    std::copy(from.sums[array].begin(), from.sums[array].end(), numbers.begin());
    ++array;
  }
  algorithm.recordSums() = from.totals[total++];
}

} // namespace

Evaluator::Evaluator(const Kernel &kernel, const Decision &decision, std::shared_ptr<Slices> slices,
                     Means means)
    : kernel_(kernel), decision_(decision), slices_(std::move(slices)), means_(std::move(means)) {
  const int q = decision.complexQ ? FACET_COMPLEX_Q : FACET_REAL_Q;
  precise_ = findPrecise(kernel, decision.target, q);
  if (!decision.repair.empty())
    direct_ = &anyDirect(kernel, decision.target, q, precise_);
  for (int kind = q; kind <= FACET_COMPLEX_Q; ++kind) {
    if (form_ == nullptr && decision.algorithm == FACET_NUFFT)
      form_ = kernel.transforms(kind);
    if (variant_ == nullptr && decision.algorithm != FACET_NUFFT)
      variant_ =
          kernel.find(decision.target, decision.klass, decision.grid, kind, decision.algorithm);
  }
  if (variant_ == nullptr && form_ == nullptr)
    throw Error(kernel.path().empty() ? std::string("kernel ") + kernel->name : kernel.path(),
                fmt::format("has no {}, {}, for target {}, as the plan wants",
                            algorithmName(decision.algorithm), className(decision.klass),
                            decision.target),
                "plan again, with this library");
}

Evaluator::Evaluator(const Kernel &kernel, const Decision &decision, std::shared_ptr<Slices> slices,
                     int threads, Queues *queues, Recorder *recorder)
    : Evaluator(kernel, decision, std::move(slices),
                {std::make_shared<Pool>(decision.algorithm == FACET_NUFFT ? 1 : threads), queues,
                 recorder}) {}

Evaluator::~Evaluator() = default;

void Evaluator::setProgress(std::function<void(double)> progress) {
  progress_ = std::move(progress);
  counted_ = nullptr;
  if (progress_)
    counted_ = [this](double done, double all) { tell(block_ * done / all); };
}

/// Says how much of the block in hand is done.
void Evaluator::tell(double done) {
  if (progress_ && done > told_)
    progress_(done - told_);
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
  zeros_ = kernel_->origin != nullptr ? zeroPoints(grid_) : std::vector<std::int64_t>();
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

Work Evaluator::work(const Grid &grid, const Slice &slice, std::int64_t chunks) const {
  const bool main = &grid == &grid_;
  return {kernel_,
          grid,
          slice.records,
          *means_.pool,
          params_,
          main ? zeros_ : none_,
          main ? counted_ : silent_,
          means_.queues,
          decision_.memory,
          main ? means_.recorder : nullptr,
          chunks,
          !decision_.joined,
          1,
          leave_};
}

std::unique_ptr<Algorithm> Evaluator::algorithm(const Work &work, const Slice &slice) const {
  if (form_ == nullptr)
    return std::make_unique<Sums>(work, *variant_, slice.rules);
  const bool lent = means_.waves != nullptr && !slice.rules;
  const auto records = lent ? means_.waves : std::make_shared<WaveRecords>(work, *form_);
  if (!lent)
    records->setRules(slice.rules);
  const double memory = decision_.transforms > 0 ? decision_.transforms : decision_.memory;
  return std::make_unique<Waves>(
      work, records,
      HowToTransform{decision_.tolerance, decision_.accuracy, memory, decision_.threads,
                     decision_.constants.value_or(NufftConstants()), lent});
}

bool Evaluator::readBySum(const std::vector<double> &params) const {
  bool read = params.size() != params_.size();
  std::size_t at = 0;
  for (int k = 0; k < kernel_->parameter_count; ++k)
    for (int n = numberCount(kernel_->parameters[k]); n > 0 && !read; --n, ++at)
      read = kernel_->parameters[k].in_sum != 0 && params_[at] != params[at];
  return read;
}

/// Whether the sums hold for these parameters. The same parameters again mean: sum again, as
/// timings do. Rules of nodes are made for what finish amplifies, and so for all parameters.
bool Evaluator::sumsStand(const std::vector<double> &params) const {
  return summed_ && params != params_ && !decision_.nodes && slices_->version() == version_ &&
         (zeros_.empty() || slices_->count() == 1) && !readBySum(params);
}

std::vector<std::int64_t> Evaluator::findRepairs() {
  if (decision_.repair.empty() || precise_ == nullptr)
    return {};
  std::vector<float> g;
  std::vector<std::uint16_t> keys;
  std::map<int, double> limits;
  const Amplified by{kernel_, grid_, params_, *direct_, decision_.frame.radius};
  for (const auto &[key, largest] : amplification(by, *means_.pool, g, keys))
    limits[key] = decision_.limit(key);
  return beyondLimits(g, zeros_, [&](std::size_t q) { return limits[keys[q]]; });
}

void Evaluator::setRepairs(std::vector<std::int64_t> at) {
  if (at == at_)
    return;
  at_ = std::move(at);
  list_ = pointsOf(grid_, at_);
  again_.reset();
}

void Evaluator::setParams(const std::vector<double> &params) {
  kept_ = sumsStand(params);
  stale_ = stale_ || readBySum(params);
  looked_ = looked_ && (known_ || params == params_);
  params_ = params;
}

void Evaluator::run(const std::vector<double> &params, std::complex<double> *f) {
  setParams(params);
  if (!looked_)
    setRepairs(findRepairs());
  looked_ = true;
  const bool again = !at_.empty() && again_ == nullptr; // other q than before
  kept_ = kept_ && !(again && slices_->count() > 1);
  if (!kept_ || again)
    sumBlocks({!kept_, true});
  else if (!zeros_.empty())
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
    sumBlocks({true, false});
  else if (!zeros_.empty())
    origin_ = originOf(*slice_);
  finish(f);
  setRepairs(find(f));
  looked_ = known_ = true;
  if (!at_.empty() && (!kept_ || again_ == nullptr))
    sumBlocks({false, true});
  finishRepairs(f);
}

/// Makes what sums the records of a slice, unless the slice is the same as before.
void Evaluator::take(const std::shared_ptr<const Slice> &slice) {
  if (main_ == nullptr || slice != slice_) {
    forget();
    slice_ = slice;
    main_ = algorithm(work(grid_, *slice, decision_.chunks), *slice);
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

std::complex<double> Evaluator::originOf(const Slice &slice) const {
  double value[2];
  kernel_->origin(slice.records.columns().data(), slice.records.size(), params_.data(), value);
  return {value[0], value[1]};
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
  if (!zeros_.empty())
    partial.origin = originOf(*slice_);
  if (slices_->count() > 1) {
    copyOut(*main_, partial);
    if (again_)
      copyOut(*again_, partial);
  }
  return partial;
}

/// All blocks, those of the others too, to what finishes.
void Evaluator::join(PartialTree &tree) {
  if (shared_ != nullptr)
    for (TreeNode &node : shared_->others())
      tree.add(std::move(node));
  const Partial all = tree.take();
  origin_ = all.origin;
  if (slices_->count() == 1)
    return;
  std::size_t array = 0, total = 0;
  putBack(all, array, total, *main_);
  if (again_)
    putBack(all, array, total, *again_);
}

void Evaluator::sumBlocks(Part part) {
  summed_ = false; // until all is done: a run that was stopped leaves nothing to finish again
  const std::int64_t begin = shared_ != nullptr ? shared_->begin() : 0;
  const std::int64_t end = shared_ != nullptr ? shared_->end() : slices_->count();
  PartialTree tree(begin);
  for (std::int64_t b = begin; b < end; ++b) {
    if (slices_->count() > 1)
      forget(); // a block at a time
    tree.add(sumBlock(b, part));
  }
  version_ = slices_->version();
  if (shared_ != nullptr && !shared_->finishes()) {
    shared_->give(tree.takeNodes());
    return;
  }
  join(tree);
  summed_ = true;
}

void Evaluator::finish(std::complex<double> *f) {
  main_->finish(f);
  totals_ = main_->totals();
  device_ = main_->device();
  for (const std::int64_t i : zeros_)
    f[i] = origin_;
}

void Evaluator::finishRepairs(std::complex<double> *f) {
  if (again_) {
    better_.resize(at_.size());
    again_->finish(better_.data());
    for (std::size_t i = 0; i < at_.size(); ++i)
      f[at_[i]] = better_[i];
  }
}

} // namespace facet::runtime
