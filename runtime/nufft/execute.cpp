// execute.cpp - transforms executed: points centred, strengths times the part of the wave that
// FINUFFT does not see, plans kept, batches run and combined.
#include "runtime/nufft/layout.h"
#include "runtime/nufft/phases.h"
#include "runtime/nufft/state.h"
#include <algorithm>
#include <cmath>
#include <facet/runtime/error.h>
#include <limits>

namespace facet::runtime {
namespace {
using Complex = std::complex<double>;

/// Numbers of a block of points and the factor made for them last: neighbours often share its cis.
constexpr std::int64_t Together = 512;
struct Scratch {
  std::array<double, Together> angle, cos, sin, size;
  std::array<std::array<double, Together>, 3> c;

  void dot(const std::array<double, 3> &v, double sign, std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i)
      angle[i] = sign * (v[0] * c[0][i] + v[1] * c[1][i] + v[2] * c[2][i]);
  }
};

} // namespace

NufftTransforms::State::State(const Grid &grid, const NufftRequest &request)
    : grid(grid), request(request),
      parallel([](std::int64_t tasks, const std::function<void(std::int64_t)> &work) {
        for (std::int64_t task = 0; task < tasks; ++task)
          work(task);
      }) {
  if (!nufftAvailable())
    throw Error("nufft", nufftStatus());
  layOut();
}

void NufftTransforms::State::layOut() {
  layout = layOutNufft(grid, request);
  if (!layout.possible())
    throw Error("nufft", layout.refusal, layout.help);
  const bool product = grid.kind == Grid::Kind::Product;
  transformAxes.clear();
  for (std::size_t d = 3; d-- > 0;) {
    facts[d] = factsOf(grid.axes[d]);
    if (layout.axes[d] == NufftAxis::Transform)
      transformAxes.push_back(d);
    nodes[d] = {};
    if (layout.axes[d] != NufftAxis::Nodes)
      continue;
    nodes[d] = {facts[d].low, facts[d].high, layout.nodes[d]};
    if (product)
      weight[d] = nodes[d].lagrange(grid.axes[d].re);
  }
  kept.clear();
  kept.resize(layout.calls.size());
  if (layout.imAxis < 0)
    return;
  const std::span<const double> im = grid.axes[layout.imAxis].im;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const NufftCall &call = layout.calls[i];
    kept[i].im = {call.imMiddle - call.imHalf, call.imMiddle + call.imHalf, call.imNodes};
    if (product)
      kept[i].imWeight = kept[i].im.lagrange(im.subspan(call.first, call.last - call.first));
  }
}

void NufftTransforms::State::makeTargets() {
  for (std::size_t c = 0; c < kept.size(); ++c) {
    const NufftCall &call = layout.calls[c];
    if (call.type != 3 || !kept[c].targets[0].empty())
      continue;
    std::int64_t inner = 1;
    for (std::size_t place = 0; place < transformAxes.size(); ++place) {
      const std::size_t d = transformAxes[place];
      const std::vector<double> &q = grid.axes[d].re;
      std::vector<double> &to = kept[c].targets[place];
      to.resize(call.modes[0]);
      const auto [first, last] = range(call, d);
      for (std::int64_t i = 0; i < call.modes[0]; ++i) {
        std::int64_t from = first + i / inner % std::max<std::int64_t>(last - first, 1);
        if (grid.kind == Grid::Kind::Points)
          from = layout.order.empty() ? call.first + i : layout.order[call.first + i];
        to[i] = q[from];
      }
      inner *= last - first;
    }
  }
}

void NufftTransforms::State::fit(const NufftPoints &points) {
  bool again = points.n > request.records;
  std::array<double, 3> half{}, middle{};
  for (std::size_t d = 0; d < 3; ++d) {
    double low = 0, high = 0;
    rangeOf(points.at[d], points.n, low, high);
    half[d] = 0.5 * (high - low), middle[d] = 0.5 * (high + low);
    constexpr double rounding = 1e-12;
    if (half[d] > request.half[d] * (1 + rounding)) {
      request.half[d] = half[d];
      again = true;
    }
  }
  if (again) {
    request.records = std::max(request.records, points.n);
    layOut();
  }
  // If nothing is lost the points are left as they are: turning the results back costs a pass
  // over them, and FINUFFT takes points anywhere.
  turned = false;
  for (std::size_t d = 0; d < 3; ++d) {
    const bool bounded =
        layout.axes[d] == NufftAxis::Nodes || facts[d].imLow != 0 || facts[d].imHigh != 0;
    const double rounding =
        std::numeric_limits<double>::epsilon() * facts[d].largest() * std::abs(middle[d]);
    const bool far = bounded && std::abs(middle[d]) > 0.5 * NufftUncentred * half[d];
    centre[d] = far || rounding > 0.05 * request.tolerance ? middle[d] : 0;
    turned |= centre[d] != 0;
  }
  if (!turned || grid.kind == Grid::Kind::Points)
    return;
  for (std::size_t d = 0; d < 3; ++d) {
    turn[d].resize(facts[d].n);
    for (std::size_t i = 0; i < turn[d].size(); ++i) {
      const double im = grid.axes[d].isComplex() ? grid.axes[d].im[i] : 0;
      turn[d][i] = std::polar(std::exp(-im * centre[d]), grid.axes[d].re[i] * centre[d]);
    }
  }
}

void NufftTransforms::State::place(const NufftPoints &points) {
  for (std::size_t at = 0; at < transformAxes.size(); ++at) {
    const std::size_t d = transformAxes[at];
    const double scale = layout.calls.front().type == 1 ? facts[d].step : 1;
    scaled[at].resize(points.n);
    for (std::int64_t i = 0; i < points.n; ++i)
      scaled[at][i] = scale * (points.at[d][i] - centre[d]);
  }
  makeTargets();
}

std::array<int, 4> NufftTransforms::State::parts(const NufftCall &call,
                                                 std::int64_t combination) const {
  std::array<int, 4> at{};
  at[3] = static_cast<int>(combination % call.imNodes);
  combination /= call.imNodes;
  for (std::size_t d = 3; d-- > 0;) {
    at[d] = static_cast<int>(combination % layout.nodes[d]);
    combination /= layout.nodes[d];
  }
  return at;
}

NufftTransforms::State::Factor NufftTransforms::State::factorOf(const NufftBatch &batch,
                                                                std::int64_t combination) const {
  const NufftCall &call = *batch.call;
  const std::array<int, 4> at = parts(call, combination);
  Factor f;
  for (std::size_t d = 0; d < 3; ++d) {
    const AxisFacts &axis = facts[d];
    f.decay[d] = axis.imLow; // constant, or replaced below
    if (layout.axes[d] == NufftAxis::Planes) {
      f.phase[d] = grid.axes[d].re[at[d]];
      f.decay[d] = grid.axes[d].isComplex() ? grid.axes[d].im[at[d]] : 0;
    } else if (layout.axes[d] == NufftAxis::Nodes) {
      f.phase[d] = nodes[d].nodes[at[d]];
    } else if (call.type == 1) {
      const auto [first, last] = range(call, d);
      const std::int64_t middle = first + (last - first) / 2; // FINUFFT's mode 0
      f.phase[d] = axis.first + static_cast<double>(middle) * axis.step;
    }
    if (layout.imAxis == static_cast<int>(d))
      f.decay[d] = kept[batch.index].im.nodes[at[3]];
  }
  return f;
}

void NufftTransforms::State::fill(const NufftBatch &batch, const NufftPoints &points,
                                  std::span<const Complex *const> from) {
  const std::int64_t transforms = std::ssize(from);
  const std::int64_t begin = batch.first / transforms, end = (batch.last - 1) / transforms + 1;
  std::vector<Factor> factors;
  for (std::int64_t combination = begin; combination < end; ++combination)
    factors.push_back(factorOf(batch, combination));
  parallel((points.n + Together - 1) / Together, [&](std::int64_t task) {
    const std::int64_t first = task * Together, n = std::min(Together, points.n - first);
    Scratch s;
    for (std::size_t d = 0; d < 3; ++d)
      for (std::int64_t i = 0; i < n; ++i)
        s.c[d][i] = points.at[d][first + i] - centre[d];
    for (std::int64_t combination = begin; combination < end; ++combination) {
      const Factor &f = factors[combination - begin];
      if (combination == begin || f.phase != factors[combination - begin - 1].phase) {
        s.dot(f.phase, 1, n);
        cisOf(s.angle.data(), s.cos.data(), s.sin.data(), n);
      }
      if (f.decay != std::array<double, 3>{}) {
        s.dot(f.decay, -1, n);
        expOf(s.angle.data(), s.size.data(), n);
      } else {
        std::fill_n(s.size.data(), n, 1.0);
      }
      for (std::int64_t k = 0; k < transforms; ++k) {
        const std::int64_t flat = combination * transforms + k;
        if (flat < batch.first || flat >= batch.last)
          continue;
        const Complex *b = from[k] + first;
        Complex *to = strengths.data() + (flat - batch.first) * points.n + first;
        for (std::int64_t i = 0; i < n; ++i) {
          const double re = s.size[i] * s.cos[i], im = s.size[i] * s.sin[i];
          to[i] = {re * b[i].real() - im * b[i].imag(), re * b[i].imag() + im * b[i].real()};
        }
      }
    }
  });
}

void NufftTransforms::State::run(const NufftBatch &batch, const NufftPoints &points,
                                 std::span<const Complex *const> from,
                                 std::span<Complex *const> out) {
  const NufftCall &call = *batch.call;
  const std::int64_t size = product(call.modes);
  fill(batch, points, from);
  if (!direct)
    results.resize(call.batch * size);
  if (call.dim > 0) {
    kept[batch.index].plan->execute(strengths.data(), direct ? out[0] : results.data());
  } else {
    parallel(batch.last - batch.first, [&](std::int64_t flat) {
      const Complex *b = strengths.data() + flat * points.n;
      Complex sum = 0;
      for (std::int64_t i = 0; i < points.n; ++i)
        sum += b[i];
      results[flat] = sum;
    });
  }
  if (!direct)
    combine(batch, out);
  else if (turned)
    turnAll(out);
}

NufftTransforms::NufftTransforms(const Grid &grid, const NufftRequest &request)
    : state_(std::make_unique<State>(grid, request)) {}
NufftTransforms::NufftTransforms(NufftTransforms &&) noexcept = default;
NufftTransforms &NufftTransforms::operator=(NufftTransforms &&) noexcept = default;
NufftTransforms::~NufftTransforms() = default;

const NufftLayout &NufftTransforms::layout() const { return state_->layout; }
void NufftTransforms::expect(const NufftRequest &request) {
  State &s = *state_;
  if (request.half == s.request.half && request.records == s.request.records)
    return;
  s.request = request;
  if (NufftLayout next = layOutNufft(s.grid, request); next.doesAs(s.layout))
    s.layout = std::move(next);
  else
    s.layOut();
}
void NufftTransforms::setParallel(NufftParallel parallel) {
  state_->parallel = std::move(parallel);
}

void NufftTransforms::execute(const NufftPoints &points, std::span<const Complex *const> strengths,
                              std::span<Complex *const> out) {
  State &s = *state_;
  if (static_cast<int>(strengths.size()) != s.request.transforms || out.size() != strengths.size())
    throw Error("nufft", "not as many arrays of strengths and results as transforms planned", "",
                Exit::Failed);
  const std::int64_t size = s.grid.size();
  if (points.n == 0) {
    for (Complex *to : out)
      std::fill_n(to, size, Complex(0));
    return;
  }
  s.fit(points);
  s.place(points);
  // Results that need no combining are written straight to `out`.
  const NufftCall &only = s.layout.calls.front();
  s.direct = s.layout.calls.size() == 1 && !isCombined(s.layout, only) &&
             only.count == only.batch && only.dim > 0 && s.layout.order.empty();
  for (std::size_t k = 1; k < out.size(); ++k)
    s.direct &= out[k] == out[k - 1] + size;
  for (Complex *to : out)
    if (!s.direct)
      std::fill_n(to, size, Complex(0));
  for (std::size_t c = 0; c < s.layout.calls.size(); ++c) {
    const NufftCall &call = s.layout.calls[c];
    if (call.dim > 0) {
      if (!s.kept[c].plan)
        s.kept[c].plan =
            std::make_unique<finufft::Plan>(call.type, call.dim, call.modes.data(), call.batch,
                                            call.eps, call.upsampling, s.request.threads);
      const std::array<const double *, 3> xyz{s.scaled[0].data(), s.scaled[1].data(),
                                              s.scaled[2].data()};
      const std::array<const double *, 3> stu{
          s.kept[c].targets[0].data(), s.kept[c].targets[1].data(), s.kept[c].targets[2].data()};
      s.kept[c].plan->setPoints(points.n, xyz.data(), call.type == 3 ? call.modes[0] : 0,
                                call.type == 3 ? stu.data() : nullptr);
    }
    s.strengths.resize(call.batch * points.n);
    for (std::int64_t first = 0; first < call.count; first += call.batch)
      s.run({&call, c, first, std::min(first + call.batch, call.count)}, points, strengths, out);
  }
}

} // namespace facet::runtime
