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
using What = NufftInterpolated::What;

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
    std::vector<Chebyshev> nodes;             // of each interpolated scalar
    std::vector<std::vector<double>> weights; // of those along an axis of a product: [value][node]
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
  std::vector<std::size_t> transformAxes; // fastest first
  std::vector<Kept> kept;                 // one a call

  std::array<double, 3> centre{};              // taken from the points; nm
  bool turned = false;                         // results are multiplied by cis(q.centre)
  bool direct = false;                         // FINUFFT writes where results are wanted
  std::array<std::vector<Complex>, 3> turns;   // product: of each value
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
    }
    kept.clear();
    kept.resize(layout.calls.size());
    for (std::size_t c = 0; c < kept.size(); ++c)
      interpolate(layout.calls[c], kept[c]);
  }

  /// Values of an interpolated scalar: along its axis, or at each q of the grid.
  const std::vector<double> &valuesOf(const NufftInterpolated &u) const {
    return u.what == What::Strength ? *layout.request.scalars[u.index].values
           : u.what == What::Decay  ? grid.axes[u.index].im
                                    : grid.axes[u.index].re;
  }

  void interpolate(const NufftCall &call, Kept &to) const {
    for (std::size_t s = 0; s < layout.interpolated.size(); ++s) {
      const NufftInterpolated &u = layout.interpolated[s];
      const bool banded = static_cast<int>(s) == layout.banded;
      to.nodes.emplace_back(banded ? call.low : u.low, banded ? call.high : u.high,
                            u.what == What::Plane ? 0 : layout.nodesOf(call, s));
      to.weights.emplace_back();
      if (u.what == What::Plane) { // a node at each value: the weight is 1 there, else 0
        to.weights.back().resize(static_cast<std::size_t>(u.nodes) * u.nodes);
        for (int i = 0; i < u.nodes; ++i)
          to.weights.back()[static_cast<std::size_t>(i) * (u.nodes + 1)] = 1;
      } else if (const int axis = layout.axisOf(s); isProduct() && axis >= 0) {
        const auto [first, last] = range(call, static_cast<std::size_t>(axis));
        to.weights.back() =
            to.nodes.back().lagrange(std::span(valuesOf(u)).subspan(first, last - first));
      }
    }
  }

  /// Indices of axis d a call is for.
  std::array<std::int64_t, 2> range(const NufftCall &call, std::size_t d) const {
    if (layout.bandedAxis() == static_cast<int>(d))
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
      turns[d].resize(facts[d].n);
      for (std::size_t i = 0; i < turns[d].size(); ++i)
        turns[d][i] =
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

  /// The node of each interpolated scalar that a transform is for; the last one's varies fastest.
  using Nodes = std::array<int, 8>;

  Nodes nodesAt(const NufftCall &call, std::int64_t combination) const {
    Nodes at{};
    for (std::size_t s = layout.interpolated.size(); s-- > 0;) {
      at[s] = static_cast<int>(combination % layout.nodesOf(call, s));
      combination /= layout.nodesOf(call, s);
    }
    return at;
  }

  Factor factorOf(const Batch &batch, const Nodes &at) const {
    Factor f;
    for (std::size_t d = 0; d < 3; ++d) {
      f.decay[d] = facts[d].imLow; // constant, or replaced below
      if (layout.axes[d] == NufftAxis::Planes) {
        f.phase[d] = grid.axes[d].re[0];
      } else if (layout.axes[d] == NufftAxis::Transform && batch.call.type == 1) {
        const auto [first, last] = range(batch.call, d);
        const std::int64_t middle = first + (last - first) / 2; // FINUFFT's mode 0
        f.phase[d] = facts[d].first + static_cast<double>(middle) * facts[d].step;
      }
    }
    for (std::size_t s = layout.request.scalars.size(); s < layout.interpolated.size(); ++s) {
      const NufftInterpolated &u = layout.interpolated[s];
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

  /// Strengths times the factors of their combination, to `strengths`. Those of a kernel are asked
  /// for once at each node of what they depend on.
  void fill(const Batch &batch, const NufftPoints &points, const NufftStrengthsAt &from) {
    const std::int64_t transforms = layout.request.transforms;
    std::int64_t together = 1; // combinations with the same strengths
    for (std::size_t s = layout.request.scalars.size(); s < layout.interpolated.size(); ++s)
      together *= layout.nodesOf(batch.call, s);
    const std::int64_t end = (batch.last - 1) / transforms + 1;
    for (std::int64_t begin = batch.first / transforms; begin < end;) {
      const std::int64_t next = std::min(end, (begin / together + 1) * together);
      const Nodes at = nodesAt(batch.call, begin);
      std::vector<double> u;
      for (std::size_t s = 0; s < layout.request.scalars.size(); ++s)
        u.push_back(batch.kept.nodes[s].nodes[at[s]]);
      std::vector<Factor> factors;
      for (std::int64_t combination = begin; combination < next; ++combination)
        factors.push_back(factorOf(batch, nodesAt(batch.call, combination)));
      multiply(batch, points, from(u), factors, begin);
      begin = next;
    }
  }

  /// The same for the combinations from `begin` on, which have these factors.
  void multiply(const Batch &batch, const NufftPoints &points, Strengths from,
                const std::vector<Factor> &factors, std::int64_t begin) {
    const std::int64_t transforms = std::ssize(from), end = begin + std::ssize(factors);
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

  void run(const Batch &batch, const NufftPoints &points, const NufftStrengthsAt &from,
           Results out) {
    fill(batch, points, from);
    if (!direct)
      results.resize(batch.call.batch * product(batch.call.modes));
    if (batch.call.dim > 0)
      batch.kept.plan->execute(strengths.data(), direct ? out[0] : results.data());
    else
      parallel(batch.last - batch.first, [&](std::int64_t flat) {
        const auto *b = reinterpret_cast<const double *>(strengths.data() + flat * points.n);
        results[flat] = {compensatedSum(b, points.n, 2), compensatedSum(b + 1, points.n, 2)};
      });
    if (!direct || turned)
      combine(batch, out);
  }

  /// q that are done together: a row of a product along z, or some of a list.
  struct Row {
    std::int64_t n = 0;
    std::int64_t first = 0;              // of a product: the first one in the grid's order,
    std::array<std::int64_t, 3> index{}; // and along each axis of the grid
    std::vector<std::int64_t> points{};  // of a list
    std::int64_t result = 0;             // where the results begin
    bool each = true;                    // a result for each, or one for all
    std::int64_t at(std::int64_t i) const { return points.empty() ? first + i : points[i]; }
  };

  Row listed(const NufftCall &call, std::int64_t first, std::int64_t n) const {
    Row row{.n = n, .result = call.dim > 0 ? first : 0, .each = call.dim > 0};
    for (std::int64_t i = 0; i < n; ++i)
      row.points.push_back(pointAt(call.first + first + i));
    return row;
  }

  Row rowAt(const NufftCall &call, std::int64_t task) const {
    const auto [yFirst, yLast] = range(call, 1);
    const auto [zFirst, zLast] = range(call, 2);
    const std::int64_t xFirst = range(call, 0)[0], rows = yLast - yFirst;
    Row row{.n = zLast - zFirst, .index = {xFirst + task / rows, yFirst + task % rows, zFirst}};
    row.first = (row.index[0] * facts[1].n + row.index[1]) * facts[2].n + zFirst;
    row.each = layout.axes[2] == NufftAxis::Transform;
    for (std::size_t d = 0; d < 2; ++d)
      if (layout.axes[d] == NufftAxis::Transform) {
        const auto [first, last] = range(call, d);
        row.result = row.result * (last - first) + row.index[d] - first;
      }
    row.result *= row.each ? row.n : 1;
    return row;
  }

  /// Adds weighted results to `out` if they are not there, and turns it if they are the last.
  void combine(const Batch &batch, Results out) const {
    const NufftCall &call = batch.call;
    const bool last = turned && batch.last == call.count;
    constexpr std::int64_t block = 256; // q of a list at a time
    const std::int64_t n = call.last - call.first;
    std::int64_t tasks = (n + block - 1) / block;
    if (isProduct())
      tasks = (range(call, 0)[1] - range(call, 0)[0]) * (range(call, 1)[1] - range(call, 1)[0]);
    parallel(tasks, [&](std::int64_t task) {
      const Row row = isProduct() ? rowAt(call, task)
                                  : listed(call, task * block, std::min(block, n - task * block));
      if (!direct)
        add(batch, row, out);
      if (last)
        turn(row, out);
    });
  }

  /// Lagrange polynomials of an interpolated scalar at the q of a row, [q][node]; or the same for
  /// all of them: step 0. `made`: where they are kept if there is no table.
  struct Weights {
    const double *at;
    std::int64_t step;
    std::vector<double> made{};
  };

  Weights weightsOf(const Batch &batch, const Row &row, std::size_t s) const {
    const std::int64_t count = layout.nodesOf(batch.call, s);
    if (const int axis = layout.axisOf(s); isProduct() && axis >= 0) {
      const double *table = batch.kept.weights[s].data();
      const std::int64_t at = row.index[axis] - range(batch.call, axis)[0];
      return axis == 2 ? Weights{table, count} : Weights{table + at * count, 0};
    }
    const std::vector<double> &u = valuesOf(layout.interpolated[s]);
    std::vector<double> values(row.n);
    for (std::int64_t i = 0; i < row.n; ++i)
      values[i] = u[row.at(i)];
    Weights found{nullptr, count, batch.kept.nodes[s].lagrange(values)};
    found.at = found.made.data();
    return found;
  }

  /// Adds each result of the batch, times the weights of its nodes, to the q of the row.
  void add(const Batch &batch, const Row &row, Results out) const {
    const std::int64_t transforms = std::ssize(out), size = product(batch.call.modes);
    std::vector<Weights> weights;
    for (std::size_t s = 0; s < layout.interpolated.size(); ++s)
      weights.push_back(weightsOf(batch, row, s));
    std::vector<double> w(row.n);
    for (std::int64_t flat = batch.first; flat < batch.last; ++flat) {
      const Nodes node = nodesAt(batch.call, flat / transforms);
      std::int64_t begin = 0, end = row.n;
      double same = 1;
      for (std::size_t s = 0; s < weights.size(); ++s)
        if (weights[s].step == 0)
          same *= weights[s].at[node[s]];
        else if (layout.interpolated[s].what == What::Plane)
          begin = node[s], end = begin + 1; // one q of the row
      if (same == 0)
        continue;
      std::fill(w.begin() + begin, w.begin() + end, same);
      for (std::size_t s = 0; s < weights.size(); ++s)
        for (std::int64_t i = begin; weights[s].step > 0 && i < end; ++i)
          w[i] *= weights[s].at[i * weights[s].step + node[s]];
      const Complex *from = results.data() + (flat - batch.first) * size + row.result;
      Complex *to = out[flat % transforms];
      if (row.points.empty())
        for (std::int64_t i = begin; i < end; ++i)
          to[row.first + i] += w[i] * from[row.each ? i : 0];
      else
        for (std::int64_t i = begin; i < end; ++i)
          to[row.points[i]] += w[i] * from[row.each ? i : 0];
    }
  }

  /// Multiplies results by cis(q.centre).
  void turn(const Row &row, Results out) const {
    std::vector<Complex> by;
    for (std::int64_t i = 0; i < row.n; ++i)
      by.push_back(isProduct() ? turns[0][row.index[0]] * turns[1][row.index[1]] *
                                     turns[2][row.index[2] + i]
                               : turnOf(row.points[i]));
    for (Complex *to : out)
      for (std::int64_t i = 0; i < row.n; ++i) {
        Complex &value = to[row.at(i)];
        value = {value.real() * by[i].real() - value.imag() * by[i].imag(),
                 value.real() * by[i].imag() + value.imag() * by[i].real()};
      }
  }

  Complex turnOf(std::int64_t point) const {
    double phase = 0, decay = 0;
    for (std::size_t d = 0; d < 3; ++d) {
      phase += grid.axes[d].re[point] * centre[d];
      if (grid.axes[d].isComplex())
        decay += grid.axes[d].im[point] * centre[d];
    }
    return std::polar(std::exp(-decay), phase);
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
  if (request.half == s.request.half && request.records == s.request.records &&
      request.scalars.empty())
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

void NufftTransforms::execute(const NufftPoints &points, const NufftStrengthsAt &strengths,
                              Results out) {
  State &s = *state_;
  if (static_cast<int>(out.size()) != s.request.transforms)
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
