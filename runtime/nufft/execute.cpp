// execute.cpp - transforms executed: points centred, strengths times the part of the wave that
// FINUFFT does not see, plans kept, batches run; their results put where they belong: planes
// copied, nodes interpolated, the centre of the points put back.
#include "runtime/nufft/finufft.h"
#include "runtime/nufft/layout.h"
#include <facet/runtime/error.h>
#include <limits>

namespace facet::runtime {
namespace {
using Complex = std::complex<double>;
using Strengths = std::span<const Complex *const>;
using Results = std::span<Complex *const>;

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

struct NufftTransforms::State {
  /// What a call keeps from one execution to the next.
  struct Kept {
    std::unique_ptr<finufft::Plan> plan;
    Chebyshev im;
    std::vector<double> imWeight;               // [value][node], product only
    std::array<std::vector<double>, 3> targets; // type 3, fastest axis first
  };

  /// A number of transforms of one call: flat numbers combination * K + k.
  struct Batch {
    const NufftCall &call;
    Kept &kept;
    std::int64_t first, last;
  };

  /// A factor cis(phase.c) e^{-decay.c} of the strengths, c the centred point.
  struct Factor {
    std::array<double, 3> phase{}, decay{};
  };

  Grid grid;
  NufftRequest request;
  NufftLayout layout;
  NufftParallel parallel = [](std::int64_t tasks, const std::function<void(std::int64_t)> &work) {
    for (std::int64_t task = 0; task < tasks; ++task)
      work(task);
  };

  std::array<AxisFacts, 3> facts;
  std::vector<std::size_t> transformAxes;    // fastest first
  std::array<std::vector<double>, 3> weight; // Nodes: [value][node], product only
  std::array<Chebyshev, 3> nodes;
  std::vector<Kept> kept; // one a call

  std::array<double, 3> centre{};              // taken from the points; nm
  bool turned = false;                         // results are multiplied by cis(q.centre)
  bool direct = false;                         // FINUFFT writes where results are wanted
  std::array<std::vector<Complex>, 3> turn;    // product: of each value
  std::array<std::vector<double>, 3> scaled{}; // points as FINUFFT takes them, fastest axis first
  std::vector<Complex> strengths, results;

  State(const Grid &grid, const NufftRequest &request) : grid(grid), request(request) {
    if (!nufftAvailable())
      throw Error("nufft", nufftStatus());
    layOut();
  }

  bool isProduct() const { return grid.kind == Grid::Kind::Product; }

  /// The layout and what follows from the grid.
  void layOut() {
    layout = layOutNufft(grid, request);
    if (!layout.possible())
      throw Error("nufft", layout.refusal, layout.help);
    transformAxes.clear();
    for (std::size_t d = 3; d-- > 0;) {
      facts[d] = factsOf(grid.axes[d]);
      if (layout.axes[d] == NufftAxis::Transform)
        transformAxes.push_back(d);
      nodes[d] = {};
      if (layout.axes[d] != NufftAxis::Nodes)
        continue;
      nodes[d] = {facts[d].low, facts[d].high, layout.nodes[d]};
      if (isProduct())
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
      if (isProduct())
        kept[i].imWeight = kept[i].im.lagrange(im.subspan(call.first, call.last - call.first));
    }
  }

  /// Indices of axis d a call is for.
  std::array<std::int64_t, 2> range(const NufftCall &call, std::size_t d) const {
    if (layout.imAxis == static_cast<int>(d))
      return {call.first, call.last};
    return {0, facts[d].n};
  }

  /// The point of a list that is at a place of its order.
  std::int64_t pointAt(std::int64_t place) const {
    return layout.order.empty() ? place : layout.order[place];
  }

  /// The targets of a call of type 3.
  void makeTargets(const NufftCall &call, Kept &to) const {
    std::int64_t inner = 1;
    for (std::size_t at = 0; at < transformAxes.size(); ++at) {
      const std::size_t d = transformAxes[at];
      const auto [first, last] = range(call, d);
      to.targets[at].resize(call.modes[0]);
      for (std::int64_t i = 0; i < call.modes[0]; ++i) {
        const std::int64_t from =
            isProduct() ? first + i / inner % (last - first) : pointAt(call.first + i);
        to.targets[at][i] = grid.axes[d].re[from];
      }
      inner *= last - first;
    }
  }

  /// Lays out again if the points need it, and decides whether they are centred.
  void fit(const NufftPoints &points) {
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
    if (turned && isProduct())
      makeTurns();
  }

  void makeTurns() {
    for (std::size_t d = 0; d < 3; ++d) {
      const Axis &q = grid.axes[d];
      turn[d].resize(facts[d].n);
      for (std::size_t i = 0; i < turn[d].size(); ++i)
        turn[d][i] =
            std::polar(std::exp(-(q.isComplex() ? q.im[i] : 0) * centre[d]), q.re[i] * centre[d]);
    }
  }

  void scalePoints(const NufftPoints &points) {
    for (std::size_t at = 0; at < transformAxes.size(); ++at) {
      const std::size_t d = transformAxes[at];
      const double scale = layout.calls.front().type == 1 ? facts[d].step : 1;
      scaled[at].resize(points.n);
      for (std::int64_t i = 0; i < points.n; ++i)
        scaled[at][i] = scale * (points.at[d][i] - centre[d]);
    }
  }

  /// Node of axes 0, 1, 2 and of Im q (3) of a combination; the last varies fastest.
  std::array<int, 4> parts(const NufftCall &call, std::int64_t combination) const {
    std::array<int, 4> at{};
    at[3] = static_cast<int>(combination % call.imNodes);
    combination /= call.imNodes;
    for (std::size_t d = 3; d-- > 0;) {
      at[d] = static_cast<int>(combination % layout.nodes[d]);
      combination /= layout.nodes[d];
    }
    return at;
  }

  Factor factorOf(const Batch &batch, std::int64_t combination) const {
    const std::array<int, 4> at = parts(batch.call, combination);
    Factor f;
    for (std::size_t d = 0; d < 3; ++d) {
      f.decay[d] = facts[d].imLow; // constant, or replaced below
      if (layout.axes[d] == NufftAxis::Planes) {
        f.phase[d] = grid.axes[d].re[at[d]];
        f.decay[d] = grid.axes[d].isComplex() ? grid.axes[d].im[at[d]] : 0;
      } else if (layout.axes[d] == NufftAxis::Nodes) {
        f.phase[d] = nodes[d].nodes[at[d]];
      } else if (batch.call.type == 1) {
        const auto [first, last] = range(batch.call, d);
        const std::int64_t middle = first + (last - first) / 2; // FINUFFT's mode 0
        f.phase[d] = facts[d].first + static_cast<double>(middle) * facts[d].step;
      }
      if (layout.imAxis == static_cast<int>(d))
        f.decay[d] = batch.kept.im.nodes[at[3]];
    }
    return f;
  }

  /// Strengths times the factors of their combination, to `strengths`.
  void fill(const Batch &batch, const NufftPoints &points, Strengths from) {
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

  void run(const Batch &batch, const NufftPoints &points, Strengths from, Results out) {
    fill(batch, points, from);
    if (!direct)
      results.resize(batch.call.batch * product(batch.call.modes));
    if (batch.call.dim > 0)
      batch.kept.plan->execute(strengths.data(), direct ? out[0] : results.data());
    else
      parallel(batch.last - batch.first, [&](std::int64_t flat) {
        const Complex *b = strengths.data() + flat * points.n;
        Complex sum = 0;
        for (std::int64_t i = 0; i < points.n; ++i)
          sum += b[i];
        results[flat] = sum;
      });
    if (!direct || turned)
      combine(batch, out);
  }

  /// Adds weighted results to `out` if they are not there, and turns it if they are the last.
  void combine(const Batch &batch, Results out) const {
    const NufftCall &call = batch.call;
    const bool last = turned && batch.last == call.count;
    if (isProduct()) {
      const auto [xFirst, xLast] = range(call, 0);
      const auto [yFirst, yLast] = range(call, 1);
      const std::int64_t x0 = xFirst, y0 = yFirst, rows = yLast - yFirst;
      return parallel((xLast - xFirst) * rows, [&](std::int64_t task) {
        const std::int64_t ix = x0 + task / rows, iy = y0 + task % rows;
        if (!direct)
          addRow(batch, ix, iy, out);
        if (last)
          turnRow(call, ix, iy, out);
      });
    }
    constexpr std::int64_t block = 256; // q at a time
    const std::int64_t n = call.last - call.first;
    parallel((n + block - 1) / block, [&](std::int64_t task) {
      const std::int64_t first = task * block, end = std::min(n, first + block);
      if (!direct)
        addList(batch, first, end, out);
      for (std::int64_t i = first; last && i < end; ++i)
        turnPoint(pointAt(call.first + i), out);
    });
  }

  /// `all` times what a node counts at an index of axis d.
  double weigh(double all, const Batch &batch, const std::array<int, 4> &node, int d,
               std::int64_t at) const {
    if (layout.axes[d] == NufftAxis::Planes && layout.nodes[d] > 1)
      all *= node[d] == at ? 1 : 0;
    if (layout.axes[d] == NufftAxis::Nodes)
      all *= weight[d][at * layout.nodes[d] + node[d]];
    if (layout.imAxis == d)
      all *= batch.kept.imWeight[(at - batch.call.first) * batch.call.imNodes + node[3]];
    return all;
  }

  void addRow(const Batch &batch, std::int64_t ix, std::int64_t iy, Results out) const {
    const NufftCall &call = batch.call;
    const auto [zFirst, zLast] = range(call, 2);
    const std::int64_t transforms = std::ssize(out), n = zLast - zFirst;
    const bool alongZ = layout.axes[2] == NufftAxis::Transform;
    std::int64_t place = 0; // where the results of this row begin
    for (int d = 0; d < 2; ++d)
      if (layout.axes[d] == NufftAxis::Transform) {
        const auto [first, last] = range(call, d);
        place = place * (last - first) + (d == 0 ? ix : iy) - first;
      }
    place *= alongZ ? n : 1;
    const std::int64_t size = product(call.modes);
    std::vector<double> w(n);
    for (std::int64_t flat = batch.first; flat < batch.last; ++flat) {
      const std::array<int, 4> node = parts(call, flat / transforms);
      const double scale = weigh(weigh(1, batch, node, 0, ix), batch, node, 1, iy);
      if (scale == 0)
        continue;
      for (std::int64_t z = 0; z < n; ++z)
        w[z] = weigh(scale, batch, node, 2, z + zFirst);
      const Complex *from = results.data() + (flat - batch.first) * size + place;
      Complex *to = out[flat % transforms] + (ix * facts[1].n + iy) * facts[2].n + zFirst;
      for (std::int64_t z = 0; z < n; ++z)
        to[z] += w[z] * from[alongZ ? z : 0];
    }
  }

  void addList(const Batch &batch, std::int64_t first, std::int64_t last, Results out) const {
    const NufftCall &call = batch.call;
    const std::int64_t transforms = std::ssize(out), size = product(call.modes), n = last - first;
    std::vector<std::int64_t> index(n);
    for (std::int64_t i = 0; i < n; ++i)
      index[i] = pointAt(call.first + first + i);
    // Lagrange weights of each point, [point][node]: nodes of x, y, z, then of Im q.
    std::array<std::vector<double>, 4> weights;
    const auto interpolate = [&](const Chebyshev &from, const std::vector<double> &q) {
      std::vector<double> here(n);
      std::ranges::transform(index, here.begin(), [&](std::int64_t i) { return q[i]; });
      return from.lagrange(here);
    };
    for (std::size_t d = 0; d < 3; ++d)
      if (layout.axes[d] == NufftAxis::Nodes)
        weights[d] = interpolate(nodes[d], grid.axes[d].re);
    if (layout.imAxis >= 0)
      weights[3] = interpolate(batch.kept.im, grid.axes[layout.imAxis].im);
    std::vector<double> w(n);
    for (std::int64_t flat = batch.first; flat < batch.last; ++flat) {
      const std::array<int, 4> node = parts(call, flat / transforms);
      std::ranges::fill(w, 1.0);
      for (std::size_t d = 0; d < 4; ++d)
        if (const std::int64_t count = std::ssize(weights[d]) / n; count > 0)
          for (std::int64_t i = 0; i < n; ++i)
            w[i] *= weights[d][i * count + node[d]];
      // If no axis is transformed, there is one value for all q.
      const bool each = call.dim > 0;
      const Complex *from = results.data() + (flat - batch.first) * size + (each ? first : 0);
      Complex *to = out[flat % transforms];
      for (std::int64_t i = 0; i < n; ++i)
        to[index[i]] += w[i] * from[each ? i : 0];
    }
  }

  void turnPoint(std::int64_t i, Results out) const {
    double phase = 0, decay = 0;
    for (std::size_t d = 0; d < 3; ++d) {
      phase += grid.axes[d].re[i] * centre[d];
      if (grid.axes[d].isComplex())
        decay += grid.axes[d].im[i] * centre[d];
    }
    const Complex factor = std::polar(std::exp(-decay), phase);
    for (Complex *to : out)
      to[i] *= factor;
  }

  void turnRow(const NufftCall &call, std::int64_t ix, std::int64_t iy, Results out) const {
    const auto [zFirst, zLast] = range(call, 2);
    const Complex row = turn[0][ix] * turn[1][iy];
    for (Complex *to : out) {
      to += (ix * facts[1].n + iy) * facts[2].n;
      for (std::int64_t z = zFirst; z < zLast; ++z) {
        const Complex f = row * turn[2][z];
        to[z] = {to[z].real() * f.real() - to[z].imag() * f.imag(),
                 to[z].real() * f.imag() + to[z].imag() * f.real()};
      }
    }
  }

  /// FINUFFT's plan of a call, if it has one, with the points.
  void prepare(const NufftCall &call, Kept &to, const NufftPoints &points) {
    strengths.resize(call.batch * points.n);
    if (call.dim == 0)
      return;
    if (call.type == 3 && to.targets[0].empty())
      makeTargets(call, to);
    if (!to.plan)
      to.plan = std::make_unique<finufft::Plan>(call.type, call.dim, call.modes.data(), call.batch,
                                                call.eps, call.upsampling, request.threads);
    const auto &[x, y, z] = scaled;
    const auto &[s, t, u] = to.targets;
    to.plan->setPoints(points.n, {x.data(), y.data(), z.data()}, call.type == 3 ? call.modes[0] : 0,
                       {s.data(), t.data(), u.data()});
  }
};

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

void NufftTransforms::execute(const NufftPoints &points, Strengths strengths, Results out) {
  State &s = *state_;
  if (static_cast<int>(strengths.size()) != s.request.transforms || out.size() != strengths.size())
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
  // Results that need no combining are written straight to `out`.
  const NufftCall &only = s.layout.calls.front();
  s.direct = s.layout.calls.size() == 1 && !isCombined(s.layout, only) &&
             only.count == only.batch && only.dim > 0 && s.layout.order.empty();
  for (std::size_t k = 1; k < out.size(); ++k)
    s.direct &= out[k] == out[k - 1] + size;
  if (!s.direct)
    clear();
  for (std::size_t c = 0; c < s.layout.calls.size(); ++c) {
    const NufftCall &call = s.layout.calls[c];
    s.prepare(call, s.kept[c], points);
    for (std::int64_t first = 0; first < call.count; first += call.batch)
      s.run({call, s.kept[c], first, std::min(first + call.batch, call.count)}, points, strengths,
            out);
  }
}

} // namespace facet::runtime
