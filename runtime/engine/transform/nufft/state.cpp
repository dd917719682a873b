// state.cpp - what transforms keep: the layout and its nodes, points centred and scaled, plans; the
// factors of strengths; rows of q and the weights of nodes there.
#include "runtime/engine/transform/nufft/state.h"
#include <algorithm>
#include <facet/runtime/error.h>
#include <limits>

namespace facet::runtime {
namespace {

/// Numbers of a block of points, and the last factor made for them: the next often shares its cis.
constexpr std::int64_t Together = 512;
constexpr std::int64_t Listed = 256; // q of a list at a time
struct Scratch {
  std::array<double, Together> angle, cos, sin, size;
  std::array<std::array<double, Together>, 3> c;

  void dot(const std::array<double, 3> &v, double sign, std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i)
      angle[i] = sign * (v[0] * c[0][i] + v[1] * c[1][i] + v[2] * c[2][i]);
  }
};

} // namespace

NufftState::NufftState(const Grid &grid, const NufftRequest &request)
    : grid(grid), request(request) {
  layOut();
}

void NufftState::layOut() {
  layout = layOutNufft(grid, request);
  if (!layout.possible())
    throw Error("nufft", layout.refusal, layout.help);
  transformAxes.clear();
  for (std::size_t d = 3; d-- > 0;) {
    facts[d] = factsOf(grid.axes[d]);
    if (layout.axes[d] == NufftAxis::Transform)
      transformAxes.push_back(d);
  }
  findDerivatives();
  findSlopes();
  kept.clear();
  kept.resize(layout.calls.size());
  for (std::size_t c = 0; c < kept.size(); ++c)
    interpolate(layout.calls[c], kept[c]);
}

void NufftState::findDerivatives() {
  derivatives.clear();
  for (const NufftPowers &power : request.powers) {
    Orders most{};
    for (std::size_t at = 0; at < transformAxes.size(); ++at)
      most[at] = power[transformAxes[at]];
    Orders o{};
    for (o[0] = 0; o[0] <= most[0]; ++o[0])
      for (o[1] = 0; o[1] <= most[1]; ++o[1])
        for (o[2] = 0; o[2] <= most[2]; ++o[2])
          if (std::ranges::find(derivatives, o) == derivatives.end())
            derivatives.push_back(o);
  }
}

void NufftState::findSlopes() {
  slopes.clear();
  for (std::size_t d = 0; d < 3; ++d)
    if (request.slopes[d])
      slopes.push_back({d, 0});
  for (std::size_t at = 0, result = 1; at < transformAxes.size(); ++at)
    if (const auto found = std::ranges::find(slopes, transformAxes[at], &SlopeAt::axis);
        found != slopes.end())
      found->result = result++;
}

std::vector<NufftState::Part> NufftState::partsOf(const NufftCall &call, const Factor &factor,
                                                  const NufftPowers &power) const {
  std::vector<std::pair<Orders, double>> all{{{}, 1.0}};
  for (std::size_t d = 0; d < 3; ++d) {
    const auto found = std::ranges::find(transformAxes, d);
    if (found == transformAxes.end()) {
      for (auto &[orders, times] : all)
        times *= std::pow(factor.phase[d], power[d]);
      continue;
    }
    const std::size_t at = found - transformAxes.begin();
    const double step = call.type == 1 ? facts[d].step : 1, middle = call.middle[at];
    constexpr std::array<std::array<double, 3>, 3> binomial{{{1}, {1, 1}, {1, 2, 1}}};
    std::vector<std::pair<Orders, double>> next;
    for (const auto &[orders, times] : all)
      for (std::uint8_t j = 0; j <= power[d]; ++j) {
        next.emplace_back(orders, times * binomial[power[d]][j] * std::pow(middle, power[d] - j) *
                                      std::pow(step, j));
        next.back().first[at] = j;
      }
    all = std::move(next);
  }
  std::vector<Part> parts;
  for (const auto &[orders, times] : all)
    parts.push_back(
        {static_cast<std::size_t>(std::ranges::find(derivatives, orders) - derivatives.begin()),
         times});
  return parts;
}

void NufftState::interpolate(const NufftCall &call, CallState &to) const {
  for (const InterpolatedScalar &u : call.interpolated) {
    to.nodes.emplace_back(u.low, u.high, u.what == What::Plane ? 0 : u.nodes);
    to.weights.emplace_back();
    if (u.what == What::Plane) { // a node at each value: the weight is 1 there, else 0
      to.weights.back().resize(static_cast<std::size_t>(u.nodes) * u.nodes);
      for (int i = 0; i < u.nodes; ++i)
        to.weights.back()[static_cast<std::size_t>(i) * (u.nodes + 1)] = 1;
    } else if (isProduct() && u.what != What::Strength) {
      const std::span<const double> all = valuesOf(u, grid, layout.request);
      to.weights.back() =
          to.nodes.back().lagrange(all.subspan(call.first[u.index], call.n[u.index]));
    }
  }
}

void NufftState::makeTargets(const NufftCall &call, CallState &to) const {
  std::int64_t inner = 1;
  for (std::size_t at = 0; at < transformAxes.size(); ++at) {
    const std::size_t d = transformAxes[at];
    to.targets[at].resize(call.modes[0]);
    for (std::int64_t i = 0; i < call.modes[0]; ++i) {
      const std::int64_t from =
          isProduct() ? call.first[d] + i / inner % call.n[d] : pointAt(call.first[0] + i);
      to.targets[at][i] = grid.axes[d].re[from] - call.middle[at];
    }
    inner *= call.n[d];
  }
}

void NufftState::fit(const NufftPoints &points) {
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
  // over them, and plans of type 1 take points anywhere.
  turned = false;
  for (std::size_t d = 0; d < 3; ++d) {
    const bool bounded = layout.axes[d] == NufftAxis::Nodes || facts[d].imLow != 0 ||
                         facts[d].imHigh != 0 ||
                         (layout.axes[d] == NufftAxis::Transform && layout.calls.front().type == 3);
    const double rounding =
        std::numeric_limits<double>::epsilon() * facts[d].largest() * std::abs(middle[d]);
    const bool far = bounded && std::abs(middle[d]) > 0.5 * NufftUncentred * half[d];
    centre[d] = far || rounding > 0.05 * request.tolerance ? middle[d] : 0;
    turned |= centre[d] != 0;
  }
  if (turned && isProduct())
    makeTurns();
}

void NufftState::makeTurns() {
  for (std::size_t d = 0; d < 3; ++d) {
    const Axis &q = grid.axes[d];
    turns[d].resize(facts[d].n);
    for (std::size_t i = 0; i < turns[d].size(); ++i)
      turns[d][i] =
          std::polar(std::exp(-(q.isComplex() ? q.im[i] : 0) * centre[d]), q.re[i] * centre[d]);
  }
}

void NufftState::scalePoints(const NufftPoints &points) {
  bool changed = version == 0;
  for (std::size_t at = 0; at < transformAxes.size(); ++at) {
    const std::size_t d = transformAxes[at];
    const double scale = layout.calls.front().type == 1 ? facts[d].step : 1;
    changed |= std::ssize(scaled[at]) != points.n;
    scaled[at].resize(points.n);
    for (std::int64_t i = 0; i < points.n; ++i) {
      const double x = scale * (points.at[d][i] - centre[d]);
      changed |= scaled[at][i] != x;
      scaled[at][i] = x;
    }
  }
  version += changed ? 1 : 0;
}

void NufftState::prepare(const NufftCall &call, CallState &to, const NufftPoints &points) {
  strengths.resize(call.batch * points.n * std::max<std::int64_t>(1, std::ssize(derivatives)));
  if (call.dim == 0)
    return;
  if (call.type == 3 && to.targets[0].empty())
    makeTargets(call, to);
  if (!to.plan)
    to.plan = Nonuniform::make(call);
  if (to.placed == version)
    return;
  const auto &[x, y, z] = scaled;
  const auto &[s, t, u] = to.targets;
  to.plan->setPoints(points.n, {x.data(), y.data(), z.data()}, call.type == 3 ? call.modes[0] : 0,
                     {s.data(), t.data(), u.data()}, parallel);
  to.placed = version; // not if setting them was given up
}

namespace {

template <class T>
std::vector<T *> piecesOf(std::vector<T> &of, std::int64_t length, std::int64_t n) {
  std::vector<T *> made;
  for (std::int64_t k = 0; k < n; ++k)
    made.push_back(of.data() + k * length);
  return made;
}

} // namespace

std::vector<NufftState::Complex *> NufftState::strengthsOf(const Batch &batch,
                                                           std::int64_t points) {
  return piecesOf(strengths, points, std::ssize(strengths) / std::max<std::int64_t>(points, 1));
}

std::vector<NufftState::Complex *> NufftState::resultsOf(const Batch &batch) {
  return piecesOf(results, product(batch.call.modes), (batch.last - batch.first) * resultsEach());
}

NufftState::Nodes NufftState::nodesAt(const NufftCall &call, std::int64_t combination) const {
  Nodes at{};
  for (std::size_t s = call.interpolated.size(); s-- > 0;) {
    at[s] = static_cast<int>(combination % call.interpolated[s].nodes);
    combination /= call.interpolated[s].nodes;
  }
  return at;
}

NufftState::Factor NufftState::factorOf(const Batch &batch, const Nodes &at) const {
  Factor f;
  for (std::size_t d = 0; d < 3; ++d) {
    f.decay[d] = facts[d].imLow; // constant, or replaced below
    if (layout.axes[d] == NufftAxis::Planes) {
      f.phase[d] = grid.axes[d].re[0];
    }
  }
  for (std::size_t at = 0; at < transformAxes.size(); ++at)
    f.phase[transformAxes[at]] = batch.call.middle[at];
  for (std::size_t s = layout.request.scalars.size(); s < batch.call.interpolated.size(); ++s) {
    const InterpolatedScalar &u = batch.call.interpolated[s];
    const Axis &q = grid.axes[u.index];
    if (u.what == What::Plane) {
      f.phase[u.index] = q.re[at[s]];
      f.decay[u.index] = q.isComplex() ? q.im[at[s]] : 0;
    } else {
      (u.what == What::Wave ? f.phase : f.decay)[u.index] = batch.kept.nodes[s].nodes[at[s]];
    }
  }
  return f;
}

std::vector<double> NufftState::scalarsAt(const Batch &batch, const Nodes &at) const {
  std::vector<double> u;
  for (std::size_t s = 0; s < layout.request.scalars.size(); ++s)
    u.push_back(batch.kept.nodes[s].nodes[at[s]]);
  return u;
}

std::int64_t NufftState::together(const NufftCall &call) const {
  return call.count / layout.request.transforms / call.nodesOf(What::Strength);
}

void NufftState::eachFactor(const NufftPoints &points, const std::vector<Factor> &factors,
                            std::int64_t begin,
                            const std::function<void(std::int64_t, const Block &)> &use) const {
  parallel((points.n + Together - 1) / Together, [&](std::int64_t task) {
    const std::int64_t first = task * Together, n = std::min(Together, points.n - first);
    Scratch s;
    for (std::size_t d = 0; d < 3; ++d)
      for (std::int64_t i = 0; i < n; ++i)
        s.c[d][i] = points.at[d][first + i] - centre[d];
    for (std::size_t k = 0; k < factors.size(); ++k) {
      const Factor &f = factors[k];
      if (k == 0 || f.phase != factors[k - 1].phase) {
        s.dot(f.phase, 1, n);
        cisOf(s.angle.data(), s.cos.data(), s.sin.data(), n);
      }
      if (f.decay != std::array<double, 3>{}) {
        s.dot(f.decay, -1, n);
        expOf(s.angle.data(), s.size.data(), n);
      } else {
        std::fill_n(s.size.data(), n, 1.0);
      }
      use(begin + static_cast<std::int64_t>(k),
          {first, n, s.cos.data(), s.sin.data(), s.size.data()});
    }
  });
}

std::int64_t NufftState::rows(const NufftCall &call) const {
  return isProduct() ? call.n[0] * call.n[1] : (call.n[0] + Listed - 1) / Listed;
}

NufftState::Row NufftState::rowOf(const NufftCall &call, std::int64_t which) const {
  if (!isProduct()) {
    const std::int64_t first = which * Listed;
    Row row{.n = std::min(Listed, call.n[0] - first),
            .result = call.dim > 0 ? first : 0,
            .each = call.dim > 0};
    for (std::int64_t i = 0; i < row.n; ++i)
      row.points.push_back(pointAt(call.first[0] + first + i));
    return row;
  }
  Row row{.n = call.n[2],
          .index = {call.first[0] + which / call.n[1], call.first[1] + which % call.n[1],
                    call.first[2]}};
  row.first = (row.index[0] * facts[1].n + row.index[1]) * facts[2].n + row.index[2];
  row.each = layout.axes[2] == NufftAxis::Transform;
  for (std::size_t d = 0; d < 2; ++d)
    if (layout.axes[d] == NufftAxis::Transform)
      row.result = row.result * call.n[d] + row.index[d] - call.first[d];
  row.result *= row.each ? row.n : 1;
  return row;
}

NufftState::Weights NufftState::weightsOf(const Batch &batch, const Row &row, std::size_t s) const {
  const InterpolatedScalar &scalar = batch.call.interpolated[s];
  const std::int64_t count = scalar.nodes;
  if (isProduct() && scalar.what != What::Strength) {
    const double *table = batch.kept.weights[s].data();
    const std::int64_t at = row.index[scalar.index] - batch.call.first[scalar.index];
    return scalar.index == 2 ? Weights{table, count} : Weights{table + at * count, 0};
  }
  const std::vector<double> &u = valuesOf(scalar, grid, layout.request);
  std::vector<double> values(row.n);
  for (std::int64_t i = 0; i < row.n; ++i)
    values[i] = u[row.at(i)];
  Weights found{nullptr, count, batch.kept.nodes[s].lagrange(values)};
  found.at = found.made.data();
  return found;
}

std::vector<NufftState::Weights> NufftState::weightsOf(const Batch &batch, const Row &row) const {
  std::vector<Weights> weights;
  for (std::size_t s = 0; s < batch.call.interpolated.size(); ++s)
    weights.push_back(weightsOf(batch, row, s));
  return weights;
}

std::vector<NufftState::Weights> NufftState::slopesOf(const Batch &batch, const Row &row,
                                                      std::size_t axis,
                                                      std::vector<Weights> weights) const {
  for (std::size_t s = 0; s < weights.size(); ++s)
    if (const InterpolatedScalar &u = batch.call.interpolated[s];
        u.what == What::Wave && u.index == axis) {
      const std::int64_t n = weights[s].step > 0 ? row.n * u.nodes : u.nodes;
      weights[s].made = batch.kept.nodes[s].slopes({weights[s].at, static_cast<std::size_t>(n)});
      weights[s].at = weights[s].made.data();
    }
  return weights;
}

NufftState::Share NufftState::shareOf(const Batch &batch, std::int64_t flat,
                                      const std::vector<Weights> &weights,
                                      std::vector<double> &w) const {
  const Nodes node = nodesAt(batch.call, flat / layout.request.transforms);
  Share share{0, std::ssize(w)};
  double same = 1;
  for (std::size_t s = 0; s < weights.size(); ++s)
    if (weights[s].step == 0)
      same *= weights[s].at[node[s]];
    else if (batch.call.interpolated[s].what == What::Plane)
      share = {node[s], node[s] + 1}; // one q of the row
  if (same == 0)
    return {0, 0};
  std::fill(w.begin() + share.first, w.begin() + share.last, same);
  for (std::size_t s = 0; s < weights.size(); ++s)
    for (std::int64_t i = share.first; weights[s].step > 0 && i < share.last; ++i)
      w[i] *= weights[s].at[i * weights[s].step + node[s]];
  return share;
}

std::vector<NufftState::Complex> NufftState::turnsOf(const Row &row) const {
  std::vector<Complex> by(row.n);
  if (isProduct()) {
    const Complex one = turns[0][row.index[0]] * turns[1][row.index[1]];
    for (std::int64_t i = 0; i < row.n; ++i)
      by[i] = one * turns[2][row.index[2] + i];
    return by;
  }
  Scratch s;
  for (std::int64_t i = 0; i < row.n; ++i) {
    s.angle[i] = s.size[i] = 0;
    for (std::size_t d = 0; d < 3; ++d) {
      s.angle[i] += grid.axes[d].re[row.points[i]] * centre[d];
      if (grid.axes[d].isComplex())
        s.size[i] -= grid.axes[d].im[row.points[i]] * centre[d];
    }
  }
  cisOf(s.angle.data(), s.cos.data(), s.sin.data(), row.n);
  expOf(s.size.data(), s.size.data(), row.n);
  for (std::int64_t i = 0; i < row.n; ++i)
    by[i] = {s.size[i] * s.cos[i], s.size[i] * s.sin[i]};
  return by;
}

} // namespace facet::runtime
