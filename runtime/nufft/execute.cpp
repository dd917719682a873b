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

/// By Neumaier, ZAMM 54 (1974) 39, with the error of each addition by Knuth's six operations.
Complex compensatedSum(const Complex *values, std::int64_t n) {
  double sum[2] = {0, 0}, lost[2] = {0, 0};
  for (std::int64_t i = 0; i < n; ++i)
    for (const int part : {0, 1}) {
      const double x = part == 0 ? values[i].real() : values[i].imag();
      const double next = sum[part] + x, back = next - sum[part];
      lost[part] += (sum[part] - (next - back)) + (x - back);
      sum[part] = next;
    }
  return {sum[0] + lost[0], sum[1] + lost[1]};
}

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
  std::array<std::vector<Complex>, 3> turn;    // product: of each value
  std::array<std::vector<double>, 3> scaled{}; // points as FINUFFT takes them, fastest axis first
  std::vector<Complex> strengths, results;

  State(const Grid &grid, const NufftRequest &request) : grid(grid), request(request) {
    if (request.wave && !nufftAvailable())
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
    using What = NufftInterpolated::What;
    return u.what == What::Strength ? *layout.request.scalars[u.index].values
           : u.what == What::Wave   ? grid.axes[u.index].re
                                    : grid.axes[u.index].im;
  }

  void interpolate(const NufftCall &call, Kept &to) const {
    for (std::size_t s = 0; s < layout.interpolated.size(); ++s) {
      const NufftInterpolated &u = layout.interpolated[s];
      const bool banded = static_cast<int>(s) == layout.banded;
      to.nodes.emplace_back(banded ? call.low : u.low, banded ? call.high : u.high,
                            layout.nodesOf(call, s));
      to.weights.emplace_back();
      if (const int axis = layout.axisOf(s); isProduct() && axis >= 0) {
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

  /// The plane of each axis and the node of each interpolated scalar that a transform is for.
  struct Parts {
    std::array<int, 3> plane{};
    std::array<int, 8> node{};
  };

  /// Strengths vary slowest, then planes, then what is a factor of them; the last fastest.
  Parts parts(const NufftCall &call, std::int64_t combination) const {
    Parts at;
    const auto take = [&](int count) {
      const auto part = static_cast<int>(combination % count);
      combination /= count;
      return part;
    };
    const std::size_t own = layout.request.scalars.size();
    for (std::size_t s = layout.interpolated.size(); s-- > own;)
      at.node[s] = take(layout.nodesOf(call, s));
    for (std::size_t d = 3; d-- > 0;)
      at.plane[d] = take(layout.planes[d]);
    for (std::size_t s = own; s-- > 0;)
      at.node[s] = take(layout.nodesOf(call, s));
    return at;
  }

  Factor factorOf(const Batch &batch, const Parts &at) const {
    Factor f;
    for (std::size_t d = 0; d < 3; ++d) {
      f.decay[d] = facts[d].imLow; // constant, or replaced below
      if (layout.axes[d] == NufftAxis::Planes) {
        f.phase[d] = grid.axes[d].re[at.plane[d]];
        f.decay[d] = grid.axes[d].isComplex() ? grid.axes[d].im[at.plane[d]] : 0;
      } else if (layout.axes[d] == NufftAxis::Transform && batch.call.type == 1) {
        const auto [first, last] = range(batch.call, d);
        const std::int64_t middle = first + (last - first) / 2; // FINUFFT's mode 0
        f.phase[d] = facts[d].first + static_cast<double>(middle) * facts[d].step;
      }
    }
    for (std::size_t s = layout.request.scalars.size(); s < layout.interpolated.size(); ++s) {
      const NufftInterpolated &u = layout.interpolated[s];
      (u.what == NufftInterpolated::What::Wave ? f.phase : f.decay)[u.index] =
          batch.kept.nodes[s].nodes[at.node[s]];
    }
    return f;
  }

  /// Strengths times the factors of their combination, to `strengths`.
  void fill(const Batch &batch, const NufftPoints &points, const NufftStrengthsAt &from) {
    const std::int64_t transforms = layout.request.transforms;
    const std::int64_t begin = batch.first / transforms, end = (batch.last - 1) / transforms + 1;
    const auto ownNodes = [&](const Parts &at) {
      std::vector<double> u;
      for (std::size_t s = 0; s < layout.request.scalars.size(); ++s)
        u.push_back(batch.kept.nodes[s].nodes[at.node[s]]);
      return u;
    };
    std::vector<Factor> factors;
    std::vector<double> u = ownNodes(parts(batch.call, begin)), next;
    for (std::int64_t first = begin, combination = begin; first < end; first = combination) {
      factors.clear();
      for (; combination < end; ++combination) {
        const Parts at = parts(batch.call, combination);
        if (next = ownNodes(at); next != u)
          break;
        factors.push_back(factorOf(batch, at));
      }
      multiply(batch, points, from(u), factors, first);
      u = next;
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
        const Complex *b = strengths.data() + flat * points.n;
        results[flat] = compensatedSum(b, points.n);
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

  /// Lagrange polynomials of an interpolated scalar at consecutive q, [q][node]; or the same for all
  /// of them: step 0.
  struct Weights {
    const double *at;
    std::int64_t step;
  };

  /// to(i) += weight of the nodes at q i * from[i], or from[0], for the q from `first` on; `w`: room
  /// for a number each.
  void add(const Parts &at, const std::vector<Weights> &weights, std::int64_t first,
           std::span<double> w, const Complex *from, bool each, const auto &to) const {
    double same = 1;
    for (std::size_t s = 0; s < weights.size(); ++s)
      if (weights[s].step == 0)
        same *= weights[s].at[at.node[s]];
    if (same == 0)
      return;
    std::ranges::fill(w, same);
    const std::int64_t n = std::ssize(w);
    for (std::size_t s = 0; s < weights.size(); ++s)
      if (const auto [values, step] = weights[s]; step > 0)
        for (std::int64_t i = 0; i < n; ++i)
          w[i] *= values[(first + i) * step + at.node[s]];
    for (std::int64_t i = 0; i < n; ++i)
      to(first + i) += w[i] * from[each ? i : 0];
  }

  /// Of n q from `row` of the grid on, whose first has these indices in the call; `made`: room.
  std::vector<Weights> weightsOfRow(const Batch &batch, const std::array<std::int64_t, 3> &index,
                                    std::int64_t row, std::int64_t n,
                                    std::vector<std::vector<double>> &made) const {
    std::vector<Weights> weights;
    for (std::size_t s = 0; s < made.size(); ++s) {
      const std::int64_t count = layout.nodesOf(batch.call, s);
      const int axis = layout.axisOf(s);
      if (axis < 0)
        made[s] = batch.kept.nodes[s].lagrange(
            std::span(valuesOf(layout.interpolated[s])).subspan(row, n));
      const double *table = axis < 0 ? made[s].data() : batch.kept.weights[s].data();
      const bool moves = axis < 0 || axis == 2;
      weights.push_back({moves ? table : table + index[axis] * count, moves ? count : 0});
    }
    return weights;
  }

  void addRow(const Batch &batch, std::int64_t ix, std::int64_t iy, Results out) const {
    const NufftCall &call = batch.call;
    const std::int64_t transforms = std::ssize(out), size = product(call.modes);
    std::array<std::int64_t, 3> index{ix, iy, 0}; // of the row's first q, in the call
    for (std::size_t d = 0; d < 2; ++d)
      index[d] -= range(call, d)[0];
    const auto [zFirst, zLast] = range(call, 2);
    const std::int64_t n = zLast - zFirst, row = (ix * facts[1].n + iy) * facts[2].n + zFirst;
    const bool alongZ = layout.axes[2] == NufftAxis::Transform;
    std::int64_t place = 0; // where the results of this row begin
    for (std::size_t d = 0; d < 2; ++d)
      if (layout.axes[d] == NufftAxis::Transform) {
        const auto [first, last] = range(call, d);
        place = place * (last - first) + index[d];
      }
    place *= alongZ ? n : 1;
    std::vector<std::vector<double>> made(layout.interpolated.size());
    const std::vector<Weights> weights = weightsOfRow(batch, index, row, n, made);
    std::vector<double> w(n);
    for (std::int64_t flat = batch.first; flat < batch.last; ++flat) {
      const Parts at = parts(call, flat / transforms);
      const auto isPlane = [&](std::size_t d, std::int64_t i) {
        return layout.planes[d] == 1 || at.plane[d] == i;
      };
      if (!isPlane(0, ix) || !isPlane(1, iy))
        continue;
      Complex *to = out[flat % transforms] + row;
      const bool one = layout.planes[2] > 1; // a plane is one q of the row
      add(at, weights, one ? at.plane[2] : 0, std::span(w).first(one ? 1 : n),
          results.data() + (flat - batch.first) * size + place, alongZ,
          [&](std::int64_t i) -> Complex & { return to[i]; });
    }
  }

  void addList(const Batch &batch, std::int64_t first, std::int64_t last, Results out) const {
    const NufftCall &call = batch.call;
    const std::int64_t transforms = std::ssize(out), size = product(call.modes), n = last - first;
    std::vector<std::int64_t> index(n);
    for (std::int64_t i = 0; i < n; ++i)
      index[i] = pointAt(call.first + first + i);
    std::vector<Weights> weights;
    std::vector<std::vector<double>> made(layout.interpolated.size());
    std::vector<double> w(n);
    for (std::size_t s = 0; s < made.size(); ++s) {
      const std::vector<double> &u = valuesOf(layout.interpolated[s]);
      std::ranges::transform(index, w.begin(), [&](std::int64_t i) { return u[i]; });
      made[s] = batch.kept.nodes[s].lagrange(w);
      weights.push_back({made[s].data(), layout.nodesOf(call, s)});
    }
    for (std::int64_t flat = batch.first; flat < batch.last; ++flat) {
      // If no axis is transformed, there is one value for all q.
      const bool each = call.dim > 0;
      Complex *to = out[flat % transforms];
      add(parts(call, flat / transforms), weights, 0, w,
          results.data() + (flat - batch.first) * size + (each ? first : 0), each,
          [&](std::int64_t i) -> Complex & { return to[index[i]]; });
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
