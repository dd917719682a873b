// layout.cpp - axes, bands and node counts made into calls; the choice among all
// ways to treat the axes of a grid, and its text for people.
#include "runtime/engine/transform/nufft/layout.h"
#include "runtime/engine/system/text.h"
#include "runtime/engine/transform/nufft/window.h"
#include <facet/runtime/plan.h>
#include <fmt/format.h>
#include <numbers>
#include <numeric>
#include <ranges>

namespace facet::runtime {
namespace {

using What = InterpolatedScalar::What;

constexpr double LeastTolerance = 1e-14; // that facet promises
constexpr double LargestEps = 0.1;       // narrower windows are hardly faster
constexpr double MostExponent = 300;     // of |Im q| half
constexpr std::int64_t MostPlanes = 64;
constexpr int MostNodes = 64; // of one axis
constexpr double LeastUpsampling = 1.25;
/// From this upsampling on the widest window is taken if none is wide enough: beyond it only
/// rounding grows.
constexpr double MostUpsampling = 2;
/// For type 3: its grids are small beside the q that read them, and windows are narrower then.
constexpr double ListUpsampling = 2.5;
/// What a second interpolation, along another axis, may enlarge errors by: above the Lebesgue
/// constant of MostNodes nodes.
constexpr double Again = 4;

/// A grid and a request, with what is needed of them again and again.
struct Problem {
  Problem(const Grid &grid, const NufftRequest &request)
      : grid(grid), request(request), product(grid.kind == Grid::Kind::Product) {
    for (std::size_t d = 0; d < 3; ++d) {
      facts[d] = factsOf(grid.axes[d]);
      half[d] = request.half[d] * (1 + NufftUncentred);
    }
  }
  const Grid &grid;
  const NufftRequest &request;
  bool product;
  std::array<AxisFacts, 3> facts;
  std::array<double, 3> half; // of the points, enlarged for what is left uncentred
  bool hasPowers(std::size_t d) const {
    return std::ranges::any_of(request.powers,
                               [&](const NufftPowers &power) { return power[d] > 0; });
  }
};

/// "q.x", "Im q.z", "norm2(q)".
std::string nameOf(const InterpolatedScalar &u, const NufftRequest &request) {
  return u.what == What::Strength
             ? request.scalars[u.index].name
             : fmt::format("{}q.{}", u.what == What::Decay ? "Im " : "", "xyz"[u.index]);
}

/// Makes layouts for given axes. Memory is not judged.
class Maker {
public:
  Maker(const Problem &problem, const std::array<NufftAxis, 3> &axes) : p_(problem) {
    layout_.axes = axes;
    layout_.request = p_.request;
    layout_.extents = whole_.n = p_.grid.extents();
    findInterpolated();
    if (hasBands() && !p_.product) {
      layout_.order.resize(whole_.n[0]);
      std::iota(layout_.order.begin(), layout_.order.end(), 0);
      const std::vector<double> &u = valuesOf(whole_.interpolated[banded_], p_.grid, p_.request);
      std::ranges::stable_sort(layout_.order, {}, [&](std::int64_t i) { return u[i]; });
    }
    const double asked = p_.request.nodeTolerance, most = 0.5 * p_.request.tolerance;
    const auto err = static_cast<double>(std::ranges::count_if(
        whole_.interpolated, [](const InterpolatedScalar &u) { return u.what != What::Plane; }));
    each_ = (asked > 0 ? std::min(asked, most) : most) / (2 * std::max(err, 1.0));
    all_ = err * each_;
    each_ /= err > 1 ? Again : 1;
    for (InterpolatedScalar &u : whole_.interpolated)
      if (layout_.possible() && (!hasBands() || &u != &whole_.interpolated[banded_]))
        layout_.refusal = count(u, loss_);
  }

  bool hasBands() const { return layout_.possible() && banded_ >= 0; }

  /// A layout with about `bands` bands, if there are any; sets `refusal` if it cannot be.
  NufftLayout make(int bands) const {
    NufftLayout layout = layout_;
    for (NufftCall &call : split(bands)) {
      if (layout.refusal.empty())
        layout.refusal = complete(call);
      layout.calls.push_back(std::move(call));
    }
    return layout;
  }

private:
  const Problem &p_;
  NufftLayout layout_;        // without calls
  NufftCall whole_;           // all q
  int banded_ = -1;           // number of the scalar that has bands; -1: none
  double each_ = 0, all_ = 0; // error allowed for interpolation in each scalar, and in all
  double loss_ = 1;           // of scalars without bands

  void interpolate(What what, std::size_t index, double low, double high, std::int64_t nodes = 0) {
    whole_.interpolated.push_back({what, index, low, high, static_cast<int>(nodes)});
    if (!std::isfinite(high - low))
      layout_.refusal =
          nameOf(whole_.interpolated.back(), p_.request) + " is not finite at every q";
  }

  /// The last imaginary part that varies has bands; if none does, the first scalar of a list has
  /// them.
  void findInterpolated() {
    for (std::size_t s = 0; s < p_.request.scalars.size(); ++s)
      interpolate(What::Strength, s, p_.request.scalars[s].low, p_.request.scalars[s].high);
    if (!p_.product && p_.request.wave && !p_.request.scalars.empty())
      banded_ = 0;
    for (std::size_t d = 0; d < 3 && p_.product && p_.request.wave; ++d)
      if (layout_.axes[d] == NufftAxis::Planes && p_.facts[d].n > 1)
        interpolate(What::Plane, d, p_.facts[d].low, p_.facts[d].high, p_.facts[d].n);
    for (std::size_t d = 0; d < 3; ++d)
      if (layout_.axes[d] == NufftAxis::Nodes)
        interpolate(What::Wave, d, p_.facts[d].low, p_.facts[d].high);
    for (std::size_t d = 0; d < 3; ++d)
      if (layout_.axes[d] != NufftAxis::Planes && p_.facts[d].imVaries()) {
        banded_ = static_cast<int>(whole_.interpolated.size());
        interpolate(What::Decay, d, p_.facts[d].imLow, p_.facts[d].imHigh);
      }
  }

  /// A call for each band: consecutive q along the axis (or in the order) at which its scalar spans
  /// at most a part of its range.
  std::vector<NufftCall> split(int bands) const {
    if (!hasBands())
      return {whole_};
    const InterpolatedScalar &u = whole_.interpolated[banded_];
    const std::vector<double> &values = valuesOf(u, p_.grid, p_.request);
    const double most = (u.high - u.low) / bands * (1 + 1e-12);
    const std::size_t axis = p_.product ? u.index : 0;
    std::vector<NufftCall> calls;
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (std::int64_t i = 0; i < whole_.n[axis]; ++i) {
      const double value = values[layout_.order.empty() ? i : layout_.order[i]];
      low = std::min(low, value), high = std::max(high, value);
      if (calls.empty() || high - low > most) {
        low = high = value;
        calls.push_back(whole_);
        calls.back().first[axis] = i, calls.back().n[axis] = 0;
      }
      ++calls.back().n[axis];
      calls.back().interpolated[banded_].low = low, calls.back().interpolated[banded_].high = high;
    }
    return calls;
  }

  /// Sets how many nodes a scalar needs; `loss` grows by as much as they enlarge errors. Returns
  /// why it cannot be, or nothing.
  std::string count(InterpolatedScalar &u, double &loss) const {
    if (u.what == What::Plane) // exact
      return "";
    const bool decays = u.what == What::Decay;
    const double a = 0.5 * (u.high - u.low) * p_.half[u.index];
    // e^{-Im q c} can be smaller at the low end of a band than elsewhere in it by up to e^{2a}, and
    // the error there is judged against that.
    const bool slope = u.what == What::Wave && p_.request.slopes[u.index];
    u.nodes = u.what == What::Strength ? p_.request.scalars[u.index].count(u.low, u.high, each_)
              : slope                  ? chebyshevSlopeCount(a, 1, each_, MostNodes)
                      : chebyshevCount(a, decays ? std::exp(2 * a) : 1, each_, MostNodes);
    loss *= lebesgueBound(std::max(u.nodes, 1), decays ? a : 0);
    const bool asMany = u.what == What::Wave && p_.product && u.nodes >= p_.facts[u.index].n;
    return u.nodes == 0 || asMany ? nameOf(u, p_.request) + " varies too much for nodes" : "";
  }

  /// Sets nodes of a band, eps and sizes of a call. Returns why it cannot be, or nothing.
  std::string complete(NufftCall &call) const {
    double loss = loss_;
    if (std::string why = hasBands() ? count(call.interpolated[banded_], loss) : ""; !why.empty())
      return why;
    for (const NufftPowers &power : p_.request.powers)
      call.degree = std::max(call.degree, power[0] + power[1] + power[2]);
    call.count = p_.request.transforms;
    for (const InterpolatedScalar &u : call.interpolated)
      call.count *= u.nodes;
    call.eps = std::min((p_.request.tolerance - all_) / loss, LargestEps);
    if (call.eps < LeastTolerance * (1 - 1e-9))
      return fmt::format("the accuracy cannot be reached in double; the best is {:.0e}",
                         p_.request.tolerance * LeastTolerance / call.eps);
    if (!size(call))
      return "single precision rounds too much";
    return std::ranges::count(call.slopes, true) > 0 && call.type != 3
               ? "only transforms of type 3 have derivatives by q"
               : "";
  }

  /// Sets type, dimension, modes and ranges. Returns half extents of the points along the axes of
  /// the transform.
  std::array<double, 3> setModes(NufftCall &call) const {
    call.dim = 0;
    bool uniform = p_.product;
    std::array<double, 3> half{};
    for (std::size_t d = 3; d-- > 0;) {
      if (layout_.axes[d] != NufftAxis::Transform)
        continue;
      const bool part = p_.product && call.n[d] < p_.facts[d].n;
      const AxisFacts facts =
          part ? factsOf(p_.grid.axes[d], call.first[d], call.n[d]) : p_.facts[d];
      call.modes[call.dim] = facts.n;
      uniform &= p_.facts[d].uniform;
      call.middle[call.dim] = 0.5 * (facts.low + facts.high);
      // If q or points hardly vary, the grid is no coarser than the points need.
      call.largest[call.dim] = std::max(facts.half(), 1 / std::max(p_.half[d], 1e-300));
      call.slopes[call.dim] = p_.request.slopes[d];
      half[call.dim++] = p_.half[d];
    }
    call.type = uniform || call.dim == 0 ? 1 : 3;
    if (call.type == 3) {
      call.modes = {p_.product ? product(call.modes) : call.n[0], 1, 1};
      return half;
    }
    for (std::size_t d = 3, at = 0; d-- > 0;)
      if (layout_.axes[d] == NufftAxis::Transform)
        call.middle[at++] = p_.facts[d].first +
                            static_cast<double>(call.first[d] + call.n[d] / 2) * p_.facts[d].step;
    return half;
  }

  /// Sets the modes, and the upsampling of least cost. Returns whether there is one.
  bool size(NufftCall &call) const {
    const std::array<double, 3> half = setModes(call);
    if (call.dim == 0)
      return true;
    double least = HUGE_VAL;
    NufftCall best = call;
    for (double upsampling : upsamplings(call)) {
      if (widthOf(call, upsampling) > Window::Widest && upsampling < 0.9 * MostUpsampling)
        continue;
      NufftCall sized = call;
      setSizes(sized, upsampling, half);
      sized.single = p_.request.floats && p_.request.slopeCount() == 0 && call.degree == 0;
      if (sized.single && !maySingle(sized))
        continue;
      const double seconds = callCost(layout_, sized, {}).execute();
      if (seconds < least)
        least = seconds, best = sized;
    }
    call = best;
    if (call.single)
      call.rounding = roundingOf(call, half);
    return least < HUGE_VAL;
  }

  /// Errors of a grid's nodes by rounding are random, and grow with the points that a node adds up.
  /// The points of a surface in three dimensions reach about so many of the nodes of their box.
  double roundingOf(const NufftCall &call, const std::array<double, 3> &half) const {
    double nodes = 1;
    for (int d = 0; d < call.dim; ++d) {
      const double fine = static_cast<double>(call.fine[d]), step = p_.facts[axisOf(d)].step,
                   reached = fine * half[d] * std::abs(step) / std::numbers::pi;
      nodes *= call.type == 3 ? fine : std::min(fine, call.width + reached);
    }
    if (call.dim == 3)
      nodes = std::pow(nodes, 2.0 / 3);
    const auto records = static_cast<double>(p_.request.records);
    constexpr double largest = 0.4, together = 16; // of all q, over what most err by
    return largest * singleError(call.width, call.dim, call.upsampling) *
           std::sqrt((1 + records / (together * nodes)) / std::min(nodes, records));
  }

  /// The axis of the grid that is axis d of the transform.
  std::size_t axisOf(int d) const {
    std::size_t axis = 3;
    for (int at = -1; at < d; at += layout_.axes[axis] == NufftAxis::Transform ? 1 : 0)
      --axis;
    return axis;
  }

  /// Upsampling factors that fill a fast FFT size of the longest axis exactly.
  static std::vector<double> upsamplings(const NufftCall &call) {
    const std::int64_t longest = *std::max_element(call.modes.begin(), call.modes.end());
    constexpr std::int64_t Short = 64;
    if (call.type == 3 || longest < Short)
      return {LeastUpsampling, 1.5, MostUpsampling, ListUpsampling};
    std::vector<double> all;
    const auto modes = static_cast<double>(longest);
    for (std::int64_t fine = smoothEven(static_cast<std::int64_t>(LeastUpsampling * modes) + 1);;
         fine = smoothEven(fine + 2)) {
      const double upsampling = static_cast<double>(fine) / modes;
      all.push_back(upsampling * (1 - 1e-13)); // so that ceil() gives `fine` again
      if (upsampling >= MostUpsampling)
        return all;
    }
  }
};

/// Sets `batch` of each call and the layout's memory.
void setBatches(NufftLayout &layout) {
  constexpr double value = 16; // bytes of a complex number
  double comfortable = layout.request.together > 0 ? layout.request.together : HUGE_VAL;
  if (layout.request.memory > 0)
    comfortable = std::min(comfortable, 0.3 * layout.request.memory);
  const auto points = static_cast<double>(layout.request.records);
  double kept = value * points, largest = 0;
  for (NufftCall &call : layout.calls) {
    const auto outputs = static_cast<double>(product(call.modes));
    const auto results = static_cast<double>(1 + std::ranges::count(call.slopes, true)) * outputs;
    const double each = value * (points + (isCombined(layout, call) ? results : 0));
    const double fits =
        std::max(comfortable / std::max(each, 1.0), 1.0 * layout.request.transforms);
    const auto largestBatch =
        static_cast<std::int64_t>(std::clamp(fits, 1.0, static_cast<double>(call.count)));
    std::int64_t best = 1, done = INT64_MAX;
    for (std::int64_t batch = largestBatch; batch > 0 && batch > largestBatch / 2; --batch)
      if (std::int64_t all = (call.count + batch - 1) / batch * batch; all < done)
        done = all, best = batch;
    call.batch = static_cast<int>(best);
    const auto at = static_cast<double>(
        std::min<std::int64_t>(call.batch, std::max(layout.request.threads, 1)));
    const double nodes = (call.single ? value / 2 : value) * at;
    const double fine = nodes * static_cast<double>(product(call.fine));
    double used = static_cast<double>(call.batch) * each;
    if (call.dim > 0) {
      kept += points * (8.0 * call.dim + 8);
      used += fine;
    }
    if (call.type == 3) {
      kept += points * (value + 8.0 * call.dim) + outputs * (value + 8 + 16.0 * call.dim);
      used += std::max(value * at * points, nodes * static_cast<double>(product(call.inner)));
    }
    largest = std::max(largest, used);
  }
  layout.memory = kept + largest;
}

/// The cheapest layout so far, and why others are refused.
struct BestLayout {
  NufftLayout layout;
  double seconds = HUGE_VAL;
  double memory = HUGE_VAL; // bytes that would do, if what is allowed does not
  std::string why;
};

/// Tries layouts for given axes, with more and more bands while that is cheaper.
void tryAxes(const Problem &p, const std::array<NufftAxis, 3> &axes, BestLayout &best) {
  const Maker maker(p, axes);
  double before = HUGE_VAL;
  for (int bands = 1; bands <= (maker.hasBands() ? 256 : 1); bands += 1 + bands / 3) {
    NufftLayout layout = maker.make(bands);
    if (!layout.possible()) {
      if (best.why.empty() || !maker.hasBands())
        best.why = layout.refusal;
      continue;
    }
    setBatches(layout);
    const double seconds = nufftCost(layout, {}).execute();
    if (p.request.memory > 0 && layout.memory > p.request.memory)
      best.memory = std::min(best.memory, layout.memory);
    else if (seconds < best.seconds)
      best.seconds = seconds, best.layout = layout;
    if (seconds > 1.3 * before)
      return;
    before = std::min(before, seconds);
  }
}

std::vector<NufftAxis> choices(const Problem &p, std::size_t d) {
  const AxisFacts &facts = p.facts[d];
  if ((facts.constant() && (!p.product || facts.n == 1)) || !p.request.wave)
    return {NufftAxis::Planes};
  std::vector<NufftAxis> all{NufftAxis::Transform};
  if (!p.hasPowers(d))
    all.push_back(NufftAxis::Nodes);
  if (p.product && facts.n <= MostPlanes && !p.request.slopes[d])
    all.push_back(NufftAxis::Planes);
  return all;
}

/// "type 1, 2-D, 500 x 500".
std::string transformsOf(const NufftLayout &layout) {
  const NufftCall &call = layout.calls.front();
  if (call.dim == 0)
    return layout.request.wave ? "plain sums" : "sums over records";
  if (call.type == 3) {
    std::int64_t targets = 0;
    for (const NufftCall &one : layout.calls)
      targets += one.modes[0];
    return fmt::format("type 3, {}-D, {} q", call.dim, targets);
  }
  std::vector<std::int64_t> lengths;
  for (std::size_t d = 0; d < 3; ++d)
    if (layout.axes[d] == NufftAxis::Transform)
      lengths.push_back(layout.extents[d]);
  return fmt::format("type 1, {}-D, {}", call.dim, fmt::join(lengths, " x "));
}

} // namespace

NufftLayout layOutNufft(const Grid &grid, const NufftRequest &request) {
  const Problem p(grid, request);
  const auto refused = [&](std::string why, std::string help) {
    NufftLayout layout;
    layout.request = request;
    layout.refusal = std::move(why), layout.help = std::move(help);
    return layout;
  };
  if (!(request.tolerance >= LeastTolerance))
    return refused(
        fmt::format("a tolerance of {:g} is out of reach of double precision", request.tolerance),
        fmt::format("ask for {:g} or more", LeastTolerance));
  for (std::size_t d = 0; d < 3; ++d) {
    const double im = std::max(std::abs(p.facts[d].imLow), std::abs(p.facts[d].imHigh));
    if (im * p.half[d] > MostExponent)
      return refused(fmt::format("waves decay by e^{:.0f} over half of the points along {}",
                                 im * p.half[d], "xyz"[d]),
                     "give a smaller mesh or smaller imaginary parts");
  }
  for (std::size_t d = 0; d < 3; ++d)
    if (request.slopes[d] && (p.facts[d].constant() || !request.wave))
      return refused(
          fmt::format("there are no derivatives along q.{}, which does not vary", "xyz"[d]), "");
  BestLayout best;
  for (const NufftAxis x : choices(p, 0))
    for (const NufftAxis y : choices(p, 1))
      for (const NufftAxis z : choices(p, 2))
        tryAxes(p, {x, y, z}, best);
  if (best.seconds < HUGE_VAL)
    return std::move(best.layout);
  if (best.memory < HUGE_VAL)
    return refused(fmt::format("transforms would need {} but {} are allowed",
                               showBytes(best.memory), showBytes(request.memory)),
                   "allow more memory, give a smaller grid, or force another algorithm");
  return refused(best.why, "force another algorithm");
}

const std::vector<double> &valuesOf(const InterpolatedScalar &u, const Grid &grid,
                                    const NufftRequest &request) {
  return u.what == What::Strength ? *request.scalars[u.index].values
         : u.what == What::Decay  ? grid.axes[u.index].im
                                  : grid.axes[u.index].re;
}

double NufftLayout::rounding() const {
  double most = 0;
  for (const NufftCall &call : calls)
    most = std::max(most, call.rounding);
  return most;
}

bool NufftLayout::errsInside() const {
  return std::ranges::any_of(calls, [](const NufftCall &call) {
    return call.type == 3 ||
           call.nodesOf(What::Wave) * call.nodesOf(What::Strength) * call.nodesOf(What::Decay) > 1;
  });
}

std::string NufftLayout::text() const {
  if (!possible())
    return refusal;
  std::int64_t count = 0;
  for (const NufftCall &call : calls)
    count += call.count;
  std::string parts;
  for (std::size_t s = 0; s < calls.front().interpolated.size(); ++s) {
    const InterpolatedScalar &u = calls.front().interpolated[s],
                             &end = calls.back().interpolated[s];
    const auto [least, most] = std::ranges::minmax(
        calls | std::views::transform([&](auto &call) { return call.interpolated[s].nodes; }));
    if (u.what == What::Wave && most == 1)
      continue;
    parts += least == most ? fmt::format(" x {}", least) : fmt::format(" x {} to {}", least, most);
    parts +=
        fmt::format(" {} of {}", u.what == What::Plane ? "values" : "nodes", nameOf(u, request));
    if (u.what == What::Strength)
      parts += fmt::format(" from {:.4g} to {:.4g}", u.low, end.high);
    if (std::ranges::any_of(calls, [&](auto &call) { return call.interpolated[s] != u; }))
      parts += " in " + plural(std::ssize(calls), "band");
  }
  return transformsOf(*this) + ", " + plural(count, "transform") +
         (parts.empty() ? "" : fmt::format(": {}{}", request.transforms, parts));
}

} // namespace facet::runtime
