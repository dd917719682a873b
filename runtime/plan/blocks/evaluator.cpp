// evaluator.cpp - a unit's sums over t blocks, joined by the tree, finished, repaired.
#include "runtime/plan/blocks/evaluator.h"
#include "runtime/plan/blocks/shared.h"
#include "runtime/plan/blocks/tree.h"
#include "runtime/plan/choices/amplification.h"
#include "runtime/plan/choices/variants.h"
#include "runtime/plan/device/recorder.h"
#include "runtime/plan/grid/points.h"
#include "runtime/plan/sums/sums.h"
#include "runtime/plan/waves/waves.h"
#include <algorithm>
#include <fmt/format.h>

namespace facet::runtime {
namespace {

void copyOut(Strategy &strategy, Partial &to) {
  for (const std::span<double> numbers : strategy.partial())
    to.sums.emplace_back(numbers.begin(), numbers.end());
  to.totals.push_back(strategy.recordSums());
}

/// The first arrays not yet put back are the strategy's.
void putBack(const Partial &from, std::size_t &array, std::size_t &total, Strategy &strategy) {
  for (const std::span<double> numbers : strategy.partial()) {
    std::copy(from.sums[array].begin(), from.sums[array].end(), numbers.begin());
    ++array;
  }
  strategy.recordSums() = from.totals[total++];
}

} // namespace

Evaluator::Evaluator(const Kernel &kernel, const Decision &decision, std::shared_ptr<Slices> slices,
                     int threads, Queues *queues, Recorder *recorder)
    : kernel_(kernel), decision_(decision), slices_(std::move(slices)),
      pool_(decision.algorithm == FACET_NUFFT ? 1 : threads), queues_(queues), recorder_(recorder) {
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
                "plan anew, with this library");
  if (recorder_ != nullptr)
    recorder_->start();
}

Evaluator::~Evaluator() = default;

std::unique_ptr<Strategy> Evaluator::strategy(const Work &work, const Slice &slice) const {
  if (form_ == nullptr)
    return std::make_unique<Sums>(work, *variant_, slice.rules);
  auto records = std::make_shared<WaveRecords>(work, *form_);
  if (slice.rules)
    records->setRules(slice.rules);
  records->fill();
  return std::make_unique<Waves>(work, records, decision_.tolerance, decision_.accuracy,
                                 decision_.transforms > 0 ? decision_.transforms : decision_.memory,
                                 NufftConstants());
}

std::vector<std::int64_t> Evaluator::toRepair(const Work &work,
                                              const std::vector<std::int64_t> &zeros) {
  if (!keepsRepairs_)
    return findRepairs(work, zeros);
  if (piece_ == repairs_.size())
    repairs_.push_back(findRepairs(work, zeros));
  return repairs_[piece_];
}

std::vector<std::int64_t> Evaluator::findRepairs(const Work &work,
                                                 const std::vector<std::int64_t> &zeros) const {
  std::vector<std::int64_t> at;
  if (decision_.repair.empty() || precise_ == nullptr)
    return at;
  std::vector<float> g;
  std::vector<std::uint16_t> keys;
  std::map<int, double> limits;
  for (const auto &[key, largest] : amplification(work, *direct_, g, keys))
    limits[key] = decision_.limit(key);
  for (std::size_t i = 0; i < g.size(); ++i)
    if (static_cast<double>(g[i]) > limits[keys[i]] &&
        !std::binary_search(zeros.begin(), zeros.end(), static_cast<std::int64_t>(i)))
      at.push_back(static_cast<std::int64_t>(i));
  return at;
}

/// All blocks, those of the others too.
Partial Evaluator::joined(PartialTree &tree) const {
  if (shared_ != nullptr)
    for (TreeNode &node : shared_->others())
      tree.add(std::move(node));
  return tree.take();
}

void Evaluator::runPiece(const Grid &grid, std::complex<double> *f) {
  const std::vector<std::int64_t> none;
  const std::vector<std::int64_t> zeros =
      kernel_->origin != nullptr ? zeroPoints(grid) : std::vector<std::int64_t>();
  const std::int64_t blocks = slices_->count();
  const std::int64_t begin = shared_ != nullptr ? shared_->begin() : 0;
  const std::int64_t end = shared_ != nullptr ? shared_->end() : blocks;
  std::vector<std::int64_t> at;
  Grid list;
  PartialTree tree(begin);
  if (begin > 0) { // what is repaired, block 0 says
    const std::shared_ptr<const Slice> slice = slices_->get(0);
    auto &records = const_cast<Records &>(slice->records); // NOLINT
    at = toRepair({kernel_, grid, records, pool_, params_, zeros, silent_, queues_,
                   decision_.memory, recorder_, true},
                  zeros);
    if (!at.empty())
      list = pointsOf(grid, at);
  }
  for (std::int64_t b = begin; b < end; ++b) {
    const std::shared_ptr<const Slice> slice = slices_->get(b);
    // Strategies read records only; Work is shared with plans, whose records change.
    auto &records = const_cast<Records &>(slice->records); // NOLINT
    const Work work{kernel_,          grid,      records, pool_, params_, zeros, silent_, queues_,
                    decision_.memory, recorder_, true,    1,     leave_};
    if (b == 0)
      at = toRepair(work, zeros);
    if (b == 0 && !at.empty())
      list = pointsOf(grid, at);
    const std::unique_ptr<Strategy> main = strategy(work, *slice);
    main->sum();
    std::unique_ptr<Sums> again;
    if (!at.empty()) {
      again = std::make_unique<Sums>(Work{kernel_, list, records, pool_, params_, none, silent_,
                                          queues_, decision_.memory, nullptr, true, 1, leave_},
                                     *precise_);
      again->sum();
    }
    Partial partial;
    if (!zeros.empty()) {
      double value[2];
      kernel_->origin(records.columns().data(), records.size(), params_.data(), value);
      partial.origin = {value[0], value[1]};
    }
    if (progress_)
      progress_(static_cast<double>(records.size()) * static_cast<double>(grid.size()));
    if (blocks > 1) {
      copyOut(*main, partial);
      if (again)
        copyOut(*again, partial);
    }
    tree.add(std::move(partial));
    if (b + 1 < end)
      continue;
    if (shared_ != nullptr && !shared_->finishes()) {
      shared_->give(tree.takeNodes());
      return;
    }
    const Partial all = joined(tree);
    if (blocks > 1) {
      std::size_t array = 0, total = 0;
      putBack(all, array, total, *main);
      if (again)
        putBack(all, array, total, *again);
    }
    std::vector<std::complex<double>> values(static_cast<std::size_t>(grid.size()));
    main->finish(values);
    totals_ = main->totals();
    device_ = main->device();
    if (again) {
      std::vector<std::complex<double>> better(at.size());
      again->finish(better);
      for (std::size_t i = 0; i < at.size(); ++i)
        values[static_cast<std::size_t>(at[i])] = better[i];
    }
    for (const std::int64_t i : zeros)
      values[static_cast<std::size_t>(i)] = all.origin;
    std::copy(values.begin(), values.end(), f);
  }
  repaired_ += static_cast<std::int64_t>(at.size());
}

// Sums of a product grid take one x at a time: rows of several x in a register tile would have
// places that depend on the cut.
void Evaluator::run(const Grid &unit, const std::vector<double> &params, std::complex<double> *f) {
  params_ = params;
  repaired_ = 0;
  piece_ = 0;
  const std::array<std::int64_t, 3> n = unit.extents();
  if (unit.kind == Grid::Kind::Points || form_ != nullptr || kernel_->fixed[0] > 1 || n[0] == 1) {
    runPiece(unit, f);
    return;
  }
  for (std::int64_t x = 0; x < n[0]; ++x, ++piece_)
    runPiece(unitGrid(unit, {{x, 0, 0}, {x + 1, n[1], n[2]}}), f + x * n[1] * n[2]);
}

} // namespace facet::runtime
