// execute.cpp - transforms executed: strengths times the part of the wave that plans do not see,
// batches run. Their results are put where they belong: planes copied, nodes interpolated, the
// centre of the points put back.
#include "runtime/engine/system/compensated_sum.h"
#include "runtime/engine/transform/nufft/state.h"
#include <facet/runtime/error.h>
#include <tuple>

namespace facet::runtime {
namespace {
using Complex = std::complex<double>;
using Batch = NufftState::Batch;
using Results = std::span<Complex *const>;

/// A sum of transforms, of one set of points.
class Execution {
public:
  Execution(NufftState &state, const NufftPoints &points, const NufftStrengthsAt &from, Results out)
      : s_(state), points_(points), from_(from), out_(out) {}

  void run(const Batch &batch) {
    fill(batch);
    if (!s_.direct)
      s_.results.resize(batch.call.batch * s_.resultsEach() * product(batch.call.modes));
    if (batch.call.dim > 0)
      transform(batch);
    else
      s_.parallel(batch.last - batch.first, [&](std::int64_t flat) {
        const auto *b = reinterpret_cast<const double *>(s_.strengths.data() + flat * points_.n);
        s_.results[flat] = {compensatedSum(b, points_.n, 2), compensatedSum(b + 1, points_.n, 2)};
      });
    if (!s_.direct || s_.turned)
      combine(batch);
  }

private:
  NufftState &s_;
  const NufftPoints &points_;
  const NufftStrengthsAt &from_;
  Results out_;

  void transform(const Batch &batch) {
    const std::vector<Complex *> strengths = s_.strengthsOf(batch, points_.n);
    const std::vector<const Complex *> from(strengths.begin(),
                                            strengths.begin() + (batch.last - batch.first));
    if (s_.direct)
      batch.kept.plan->execute(from, inPlanOrder(), s_.parallel);
    else
      batch.kept.plan->execute(from, s_.resultsOf(batch), s_.parallel);
  }

  /// `out` in the order of a plan, which has the last axis first.
  std::vector<Complex *> inPlanOrder() const {
    std::vector<Complex *> to(out_.begin(), out_.end());
    const std::size_t each = 1 + s_.slopes.size();
    for (std::size_t k = 0; k < out_.size(); k += each)
      for (std::size_t s = 0; s < s_.slopes.size(); ++s)
        to[k + s_.slopes[s].result] = out_[k + 1 + s];
    return to;
  }

  /// Fills `strengths` with strengths times the factors of their combination. Strengths of a kernel
  /// are fetched once at each node of what they depend on.
  void fill(const Batch &batch) {
    const std::int64_t transforms = s_.layout.request.transforms,
                       together = s_.together(batch.call);
    const std::int64_t end = (batch.last - 1) / transforms + 1;
    for (std::int64_t begin = batch.first / transforms; begin < end;) {
      const std::int64_t next = std::min(end, (begin / together + 1) * together);
      std::vector<NufftState::Factor> factors;
      for (std::int64_t combination = begin; combination < next; ++combination)
        factors.push_back(s_.factorOf(batch, s_.nodesAt(batch.call, combination)));
      multiply(batch, from_(s_.scalarsAt(batch, s_.nodesAt(batch.call, begin))), factors, begin);
      begin = next;
    }
  }

  /// The same for the combinations from `begin` on, which have these factors.
  void multiply(const Batch &batch, NufftState::Strengths from,
                const std::vector<NufftState::Factor> &factors, std::int64_t begin) {
    const std::int64_t transforms = std::ssize(from);
    s_.eachFactor(
        points_, factors, begin, [&](std::int64_t combination, const NufftState::Block &f) {
          for (std::int64_t k = 0; k < transforms; ++k) {
            const std::int64_t flat = combination * transforms + k;
            if (flat < batch.first || flat >= batch.last)
              continue;
            const Complex *b = from[k] + f.first;
            Complex *to = s_.strengths.data() + (flat - batch.first) * points_.n + f.first;
            for (std::int64_t i = 0; i < f.n; ++i)
              to[i] = Complex(f.size[i] * f.cos[i], f.size[i] * f.sin[i]) * b[i];
          }
        });
  }

  /// Adds weighted results to `out` if they are not there yet, and turns `out` after the last
  /// batch.
  void combine(const Batch &batch) const {
    const NufftCall &call = batch.call;
    const bool last = s_.turned && batch.last == call.count;
    s_.parallel(s_.rows(call), [&](std::int64_t task) {
      const NufftState::Row row = s_.rowOf(call, task);
      if (!s_.direct)
        add(batch, row);
      if (last)
        turn(row);
    });
  }

  /// Adds each result of the batch, times the weights of its nodes, to the q of the row, and so
  /// each derivative.
  void add(const Batch &batch, const NufftState::Row &row) const {
    const std::vector<NufftState::Weights> weights = s_.weightsOf(batch, row);
    addTo(batch, row, weights, 0, 0);
    for (std::size_t s = 0; s < s_.slopes.size(); ++s) {
      const auto [axis, result] = s_.slopes[s];
      if (result > 0)
        addTo(batch, row, weights, result, 1 + s);
      else
        addTo(batch, row, s_.slopesOf(batch, row, axis, weights), 0, 1 + s);
    }
  }

  /// Adds number `result` of each transform's results to number `array` of its arrays.
  void addTo(const Batch &batch, const NufftState::Row &row,
             const std::vector<NufftState::Weights> &weights, std::size_t result,
             std::size_t array) const {
    const std::int64_t transforms = s_.request.transforms, size = product(batch.call.modes);
    std::vector<double> w(row.n);
    for (std::int64_t flat = batch.first; flat < batch.last; ++flat) {
      const auto [begin, end] = s_.shareOf(batch, flat, weights, w);
      const Complex *from =
          s_.results.data() +
          ((flat - batch.first) * s_.resultsEach() + static_cast<std::int64_t>(result)) * size +
          row.result;
      Complex *to = out_[flat % transforms * (1 + s_.slopes.size()) + array];
      if (row.points.empty())
        for (std::int64_t i = begin; i < end; ++i)
          to[row.first + i] += w[i] * from[row.each ? i : 0];
      else
        for (std::int64_t i = begin; i < end; ++i)
          to[row.points[i]] += w[i] * from[row.each ? i : 0];
    }
  }

  /// Multiplies results by cis(q.centre), which adds to derivatives, too.
  void turn(const NufftState::Row &row) const {
    const std::vector<Complex> by = s_.turnsOf(row);
    for (std::size_t k = 0; k < out_.size(); k += 1 + s_.slopes.size()) {
      for (std::size_t s = 0; s < s_.slopes.size(); ++s)
        for (std::int64_t i = 0; i < row.n; ++i)
          out_[k + 1 + s][row.at(i)] +=
              Complex(0, s_.centre[s_.slopes[s].axis]) * out_[k][row.at(i)];
      for (std::size_t s = 0; s <= s_.slopes.size(); ++s)
        for (std::int64_t i = 0; i < row.n; ++i)
          out_[k + s][row.at(i)] *= by[i];
    }
  }
};

} // namespace

NufftTransforms::NufftTransforms(const Grid &grid, const NufftRequest &request)
    : state_(std::make_unique<NufftState>(grid, request)) {}
NufftTransforms::NufftTransforms(NufftTransforms &&) noexcept = default;
NufftTransforms &NufftTransforms::operator=(NufftTransforms &&) noexcept = default;
NufftTransforms::~NufftTransforms() = default;

const NufftLayout &NufftTransforms::layout() const { return state_->layout; }
void NufftTransforms::expect(const NufftRequest &request) {
  NufftState &s = *state_;
  const auto what = [](const NufftRequest &r) {
    return std::tie(r.half, r.records, r.transforms, r.tolerance, r.nodeTolerance, r.threads,
                    r.floats, r.wave, r.memory, r.together, r.powers, r.slopes);
  };
  if (what(request) == what(s.request) && request.scalars.empty() && s.request.scalars.empty())
    return;
  s.request = request;
  if (NufftLayout next = layOutNufft(s.grid, request); next.doesAs(s.layout)) {
    s.layout = std::move(next);
    s.findDerivatives();
    s.findSlopes();
  } else {
    s.layOut();
  }
}
void NufftTransforms::setParallel(NufftParallel parallel) {
  state_->parallel = std::move(parallel);
}

void NufftTransforms::execute(const NufftPoints &points, const NufftStrengthsAt &strengths,
                              Results out) {
  NufftState &s = *state_;
  if (static_cast<int>(out.size()) != s.request.transforms * (1 + s.request.slopeCount()))
    throw Error("nufft", "not as many arrays of strengths and results as transforms planned", "",
                Exit::Failed);
  const std::int64_t size = s.grid.size();
  const auto clear = [&] {
    for (Complex *to : out)
      std::fill_n(to, size, Complex(0));
  };
  if (points.n == 0)
    return clear();
  s.fit(points);
  s.scalePoints(points);
  s.direct = s.isDirect();
  if (!s.direct)
    clear();
  Execution execution(s, points, strengths, out);
  s.eachBatch(points, [&](const Batch &batch) { execution.run(batch); });
}

} // namespace facet::runtime
