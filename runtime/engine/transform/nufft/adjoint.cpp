// adjoint.cpp - the adjoint of the transforms, step by step backwards. Numbers at q are turned back
// to the points' centre and added up with the weights of their nodes. Then come the adjoint of the
// same plans, and the conjugate factors of the strengths.
#include "runtime/engine/transform/nufft/state.h"
#include <facet/runtime/error.h>
#include <map>

namespace facet::runtime {
namespace {
using Complex = std::complex<double>;
using Batch = NufftState::Batch;

/// An adjoint for one set of points.
class Adjoint {
public:
  Adjoint(NufftState &state, const NufftPoints &points, std::span<const Complex *const> in,
          const NufftTake &take)
      : s_(state), points_(points), in_(in), take_(take) {
    s_.back.resize(in.size() * powers() * points.n);
  }

  void run(const Batch &batch) {
    if (!s_.direct)
      gather(batch);
    if (batch.call.dim > 0)
      transform(batch);
    else
      s_.parallel(batch.last - batch.first, [&](std::int64_t flat) {
        std::fill_n(s_.strengths.data() + flat * points_.n, points_.n, s_.results[flat]);
      });
    scatter(batch);
  }

private:
  void transform(const Batch &batch) {
    std::vector<const Complex *> from(in_.begin(), in_.end());
    if (!s_.direct) {
      const std::vector<Complex *> results = s_.resultsOf(batch);
      from.assign(results.begin(), results.end());
    }
    batch.kept.plan->adjoint(from, s_.derivatives, s_.strengthsOf(batch, points_.n), s_.parallel);
  }

  std::size_t powers() const { return std::max<std::size_t>(s_.request.powers.size(), 1); }

  NufftState &s_;
  const NufftPoints &points_;
  std::span<const Complex *const> in_;
  const NufftTake &take_;

  /// Results at the strengths that batches are about: an array for each of `in` and power.
  Complex *back(std::size_t array) { return s_.back.data() + array * points_.n; }

  /// Adds to `results`. Rows that end in the same ones are one task: their order is always the
  /// same.
  void gather(const Batch &batch) {
    s_.results.assign(batch.call.batch * product(batch.call.modes), 0);
    if (batch.call.dim == 0)
      return gatherAll(batch);
    std::map<std::int64_t, std::vector<std::int64_t>> rows;
    for (std::int64_t row = 0; row < s_.rows(batch.call); ++row)
      rows[s_.rowOf(batch.call, row).result].push_back(row);
    std::vector<const std::vector<std::int64_t> *> tasks;
    for (const auto &[result, together] : rows)
      tasks.push_back(&together);
    s_.parallel(std::ssize(tasks), [&](std::int64_t task) {
      for (const std::int64_t row : *tasks[task])
        addRow(batch, s_.rowOf(batch.call, row), s_.results.data());
    });
  }

  /// The same if all rows end in one number of each transform: then a task has some of the rows.
  void gatherAll(const Batch &batch) {
    const std::int64_t rows = s_.rows(batch.call), tasks = std::min<std::int64_t>(rows, 64);
    const std::int64_t n = std::ssize(s_.results);
    std::vector<Complex> parts(tasks * n);
    s_.parallel(tasks, [&](std::int64_t task) {
      for (std::int64_t row = rows * task / tasks; row < rows * (task + 1) / tasks; ++row)
        addRow(batch, s_.rowOf(batch.call, row), parts.data() + task * n);
    });
    for (std::int64_t i = 0; i < std::ssize(parts); ++i)
      s_.results[i % n] += parts[i];
  }

  /// Adds the numbers at a row's q, times the weights of its nodes, to each result of the batch.
  void addRow(const Batch &batch, const NufftState::Row &row, Complex *results) {
    const std::int64_t transforms = std::ssize(in_), size = product(batch.call.modes);
    const std::vector<NufftState::Weights> weights = s_.weightsOf(batch, row);
    std::vector<std::vector<Complex>> turned;
    for (const Complex *of : in_)
      turned.push_back(turnedBack(of, row));
    std::vector<double> w(row.n);
    for (std::int64_t flat = batch.first; flat < batch.last; ++flat) {
      const auto [begin, end] = s_.shareOf(batch, flat, weights, w);
      const std::vector<Complex> &from = turned[flat % transforms];
      Complex *to = results + (flat - batch.first) * size + row.result;
      for (std::int64_t i = begin; i < end; ++i)
        to[row.each ? i : 0] += w[i] * from[i];
    }
  }

  std::vector<Complex> turnedBack(const Complex *of, const NufftState::Row &row) const {
    std::vector<Complex> values(row.n);
    for (std::int64_t i = 0; i < row.n; ++i)
      values[i] = of[row.at(i)];
    if (!s_.turned)
      return values;
    const std::vector<Complex> by = s_.turnsOf(row);
    for (std::int64_t i = 0; i < row.n; ++i)
      values[i] *= std::conj(by[i]);
    return values;
  }

  /// Adds `strengths` times their conjugate factors to the results of the same u, which are handed
  /// on when the last of them has come.
  void scatter(const Batch &batch) {
    const std::int64_t transforms = std::ssize(in_), together = s_.together(batch.call);
    const std::int64_t end = (batch.last - 1) / transforms + 1;
    for (std::int64_t begin = batch.first / transforms; begin < end;) {
      const std::int64_t all = (begin / together + 1) * together, next = std::min(end, all);
      std::vector<NufftState::Factor> factors;
      for (std::int64_t combination = begin; combination < next; ++combination)
        factors.push_back(s_.factorOf(batch, s_.nodesAt(batch.call, combination)));
      multiply(batch, factors, begin);
      if (batch.last >= all * transforms)
        give(s_.scalarsAt(batch, s_.nodesAt(batch.call, begin)));
      begin = next;
    }
  }

  void multiply(const Batch &batch, const std::vector<NufftState::Factor> &factors,
                std::int64_t begin) {
    const std::int64_t transforms = std::ssize(in_);
    s_.eachFactor(points_, factors, begin,
                  [&](std::int64_t combination, const NufftState::Block &f) {
                    for (std::int64_t k = 0; k < transforms; ++k) {
                      const std::int64_t flat = combination * transforms + k;
                      if (flat >= batch.first && flat < batch.last)
                        add(batch, factors[combination - begin], flat, f);
                    }
                  });
  }

  /// Adds a block of points of a transform, times each power; the first combination of these
  /// strengths replaces what was there.
  void add(const Batch &batch, const NufftState::Factor &factor, std::int64_t flat,
           const NufftState::Block &f) {
    const std::int64_t each = std::max<std::int64_t>(1, std::ssize(s_.derivatives)),
                       k = flat % std::ssize(in_);
    const bool first = flat / std::ssize(in_) % s_.together(batch.call) == 0;
    const Complex *b = s_.strengths.data() + (flat - batch.first) * each * points_.n + f.first;
    std::vector<Complex> sum(b, b + f.n);
    for (std::size_t p = 0; p < powers(); ++p) {
      if (!s_.request.powers.empty()) {
        std::ranges::fill(sum, Complex(0));
        for (const NufftState::Part &part : s_.partsOf(batch.call, factor, s_.request.powers[p])) {
          const Complex *of = b + static_cast<std::int64_t>(part.derivative) * points_.n;
          for (std::int64_t i = 0; i < f.n; ++i)
            sum[i] += part.times * of[i];
        }
      }
      Complex *to = back(k * powers() + p) + f.first;
      for (std::int64_t i = 0; i < f.n; ++i) {
        const Complex more = Complex(f.size[i] * f.cos[i], -f.size[i] * f.sin[i]) * sum[i];
        to[i] = first ? more : to[i] + more;
      }
    }
  }

  void give(const std::vector<double> &u) {
    std::vector<const Complex *> arrays;
    for (std::size_t k = 0; k < in_.size() * powers(); ++k)
      arrays.push_back(back(k));
    take_(u, arrays);
  }
};

} // namespace

void NufftTransforms::adjoint(const NufftPoints &points, std::span<const Complex *const> in,
                              const NufftTake &take) {
  NufftState &s = *state_;
  if (static_cast<int>(in.size()) != s.request.transforms)
    throw Error("nufft", "not as many arrays at q as transforms planned", "", Exit::Failed);
  if (points.n == 0)
    return;
  s.fit(points);
  s.scalePoints(points);
  s.direct = s.isDirect() && !s.turned;
  Adjoint adjoint(s, points, in, take);
  s.eachBatch(points, [&](const Batch &batch) { adjoint.run(batch); });
}

} // namespace facet::runtime
