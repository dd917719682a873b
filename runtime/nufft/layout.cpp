// layout.cpp - axes, bands and node counts made into FINUFFT calls; the choice among all
// ways to treat the axes of a grid, and its text for people.
#include "runtime/nufft/layout.h"
#include "runtime/nufft/finufft.h"
#include <fmt/format.h>
#include <limits>
#include <numeric>

namespace facet::runtime {
namespace {

constexpr double Infinity = std::numeric_limits<double>::infinity();
constexpr double LeastTolerance = 1e-14; // that facet promises
constexpr double MostExponent = 300;     // of |Im q| half
constexpr std::int64_t MostPlanes = 64;
constexpr int MostNodes = 64; // of one axis
/// The error of FINUFFT 2.5, relative to sum|b|, was seen to be up to ten times its eps for single
/// points, below its eps for hundreds of them, and with the least upsampling up to 14 times its eps
/// and more if eps is small. So the eps requested is that much less than what is promised.
constexpr double Asked = 0.1;
constexpr double LeastUpsampling = 1.25, LowUpsampling = 1.27, LowAsked = 0.7, LowEps = 4e-9;
/// Below this eps only rounding grows.
constexpr double ReachableEps = 4e-15;
/// Interpolated results may be interpolated again along another axis: above the Lebesgue constant
/// of MostNodes nodes.
constexpr double Again = 4;

/// A grid and a request with what is needed of them again and again.
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
};

/// "q.x", "Im q.z", "norm2(q)".
std::string nameOf(const NufftLayout &layout, std::size_t which) {
  const NufftInterpolated &u = layout.interpolated[which];
  if (u.what == NufftInterpolated::What::Strength)
    return layout.request.scalars[u.index].name;
  return fmt::format("{}q.{}", u.what == NufftInterpolated::What::Decay ? "Im " : "",
                     "xyz"[u.index]);
}

/// A call for each band: consecutive q along the axis (or in the order) at which a scalar spans at
/// most `width`.
std::vector<NufftCall> split(const std::vector<double> &u, const std::vector<std::int64_t> &order,
                             double width) {
  std::vector<NufftCall> bands;
  const auto n = static_cast<std::int64_t>(u.size());
  for (std::int64_t i = 0; i < n; ++i) {
    const double value = u[order.empty() ? i : order[i]];
    const auto [low, high] = bands.empty() ? std::pair(-Infinity, Infinity)
                                           : std::pair(std::min(bands.back().low, value),
                                                       std::max(bands.back().high, value));
    if (high - low <= width * (1 + 1e-12))
      bands.back().low = low, bands.back().high = high;
    else
      bands.push_back({.first = i, .low = value, .high = value});
    bands.back().last = i + 1;
  }
  return bands;
}

/// The layout for given axes with about `bands` bands of a scalar; `refusal` set if there is none.
/// Memory is not judged.
class Maker {
public:
  Maker(const Problem &problem, const std::array<NufftAxis, 3> &axes)
      : p_(problem), tolerance_(problem.request.tolerance) {
    layout_.axes = axes;
    layout_.request = problem.request;
    layout_.extents = problem.grid.extents();
  }

  NufftLayout make(int bands) {
    if (findInterpolated() && countNodes()) {
      if (layout_.banded < 0)
        add({.last = p_.product ? 1 : p_.facts[0].n});
      else
        addBands(bands);
    }
    return std::move(layout_);
  }

private:
  using What = NufftInterpolated::What;
  const Problem &p_;
  double tolerance_;
  NufftLayout layout_;
  double loss_ = 1; // of what has no bands

  /// Whether it errs: planes do not.
  static bool errs(const NufftInterpolated &u) { return u.what != What::Plane; }

  /// What the interpolation in all scalars may err, at most half of the tolerance, and in each.
  double nodeTolerance(bool each = true) const {
    const double asked = p_.request.nodeTolerance, most = 0.5 * tolerance_;
    const auto scalars = static_cast<double>(std::ranges::count_if(layout_.interpolated, errs));
    const double one = (asked > 0 ? std::min(asked, most) : most) / (2.0 * std::max(scalars, 1.0));
    return each ? one : scalars * one;
  }

  bool refuse(std::string why) {
    if (layout_.refusal.empty())
      layout_.refusal = std::move(why);
    layout_.calls.clear();
    return false;
  }

  void interpolate(What what, std::size_t index, double low, double high) {
    layout_.interpolated.push_back({what, index, low, high});
  }

  /// What varies along one axis has bands, or what does in a list of targets of transforms.
  bool findInterpolated() {
    for (std::size_t s = 0; s < p_.request.scalars.size(); ++s)
      interpolate(What::Strength, s, p_.request.scalars[s].low, p_.request.scalars[s].high);
    if (!p_.product && p_.request.wave && !p_.request.scalars.empty())
      layout_.banded = 0;
    for (const auto &[axis, what] :
         {std::pair{NufftAxis::Planes, What::Plane}, {NufftAxis::Nodes, What::Wave}})
      for (std::size_t d = 0; d < 3; ++d)
        if (layout_.axes[d] == axis && (axis == NufftAxis::Nodes || isPlanes(d)))
          interpolate(what, d, p_.facts[d].low, p_.facts[d].high);
    for (std::size_t d = 0; d < 3; ++d) {
      if (layout_.axes[d] == NufftAxis::Planes || !p_.facts[d].imVaries())
        continue;
      if (!layout_.interpolated.empty() && layout_.interpolated.back().what == What::Decay)
        return refuse(
            fmt::format("the imaginary parts of q.{} and q.{} both vary; facet interpolates in one",
                        "xyz"[layout_.interpolated.back().index], "xyz"[d]));
      layout_.banded = static_cast<int>(layout_.interpolated.size());
      interpolate(What::Decay, d, p_.facts[d].imLow, p_.facts[d].imHigh);
    }
    return true;
  }

  /// Whether the axis has a plane at each of several values.
  bool isPlanes(std::size_t d) const { return p_.product && p_.request.wave && p_.facts[d].n > 1; }

  /// How many nodes of [low, high], 0: too many; and by how much they enlarge errors.
  int count(const NufftInterpolated &u, double low, double high, double &loss) const {
    const double again = std::ranges::count_if(layout_.interpolated, errs) > 1 ? Again : 1;
    if (u.what == What::Plane)
      return static_cast<int>(p_.facts[u.index].n);
    if (u.what == What::Strength) {
      const int nodes = p_.request.scalars[u.index].count(low, high, nodeTolerance() / again);
      loss *= lebesgueBound(std::max(nodes, 1));
      return nodes;
    }
    const double a = 0.5 * (high - low) * p_.half[u.index];
    // e^{-Im q c} at the low end of the band is smaller than in it by up to e^{2a}, and the error
    // is judged against it there.
    const bool decays = u.what == What::Decay;
    const int nodes =
        chebyshevCount(a, (decays ? std::exp(2 * a) : 1) * again, nodeTolerance(), MostNodes);
    loss *= nodes == 0 ? 1 : decays ? dampedLebesgue(nodes, a) : lebesgueBound(nodes);
    return nodes;
  }

  /// Of what has no bands.
  bool countNodes() {
    for (std::size_t s = 0; s < layout_.interpolated.size(); ++s) {
      NufftInterpolated &u = layout_.interpolated[s];
      if (!std::isfinite(u.high - u.low))
        return refuse(nameOf(layout_, s) + " is not finite at every q");
      if (static_cast<int>(s) == layout_.banded) {
        u.nodes = 0;
        continue;
      }
      u.nodes = count(u, u.low, u.high, loss_);
      const bool asMany = u.what == What::Wave && p_.product && u.nodes >= p_.facts[u.index].n;
      if (u.nodes == 0 || asMany)
        return refuse(nameOf(layout_, s) + " varies too much for nodes");
    }
    return true;
  }

  void addBands(int bands) {
    const NufftInterpolated &u = layout_.interpolated[layout_.banded];
    const std::vector<double> &values =
        u.what == What::Strength ? *p_.request.scalars[u.index].values : p_.grid.axes[u.index].im;
    if (!p_.product) {
      layout_.order.resize(values.size());
      std::iota(layout_.order.begin(), layout_.order.end(), 0);
      std::stable_sort(layout_.order.begin(), layout_.order.end(),
                       [&](std::int64_t a, std::int64_t b) { return values[a] < values[b]; });
    }
    for (const NufftCall &band : split(values, layout_.order, (u.high - u.low) / bands))
      if (!add(band))
        return;
  }

  bool add(NufftCall call) {
    double loss = loss_;
    if (layout_.banded >= 0) {
      call.nodes = count(layout_.interpolated[layout_.banded], call.low, call.high, loss);
      if (call.nodes == 0)
        return refuse(fmt::format("a band of {} is too wide", nameOf(layout_, layout_.banded)));
    }
    call.eps = Asked * (tolerance_ - nodeTolerance(false)) / loss;
    if (call.eps < Asked * LeastTolerance * (1 - 1e-9))
      return refuse(fmt::format("the accuracy cannot be reached in double; the best is {:.0e}",
                                tolerance_ * Asked * LeastTolerance / call.eps));
    call.eps = std::max(call.eps, ReachableEps);
    call.count = p_.request.transforms;
    for (std::size_t s = 0; s < layout_.interpolated.size(); ++s)
      call.count *= layout_.nodesOf(call, s);
    size(call);
    layout_.calls.push_back(call);
    return true;
  }

  /// Type, dimension and modes. Returns half widths of q times half extents of the points, rad.
  std::array<double, 3> setModes(NufftCall &call) const {
    call.dim = 0;
    bool uniform = p_.product;
    std::array<double, 3> spread{};
    for (std::size_t d = 3; d-- > 0;) {
      if (layout_.axes[d] != NufftAxis::Transform)
        continue;
      const bool banded = p_.product && layout_.bandedAxis() == static_cast<int>(d);
      const AxisFacts facts =
          banded ? factsOf(p_.grid.axes[d], call.first, call.last) : p_.facts[d];
      call.modes[call.dim] = facts.n;
      uniform &= p_.facts[d].uniform;
      const double middle = std::abs(0.5 * (facts.low + facts.high));
      // FINUFFT does not shift ranges whose middle is this near to 0.
      spread[call.dim++] = (facts.half() + (middle < 0.1 * facts.half() ? middle : 0)) * p_.half[d];
    }
    call.type = uniform || call.dim == 0 ? 1 : 3;
    if (call.type == 3)
      call.modes = {p_.product ? product(call.modes) : call.last - call.first, 1, 1};
    return spread;
  }

  /// The modes, and the upsampling of least cost.
  void size(NufftCall &call) {
    const std::array<double, 3> spread = setModes(call);
    if (call.dim == 0)
      return;
    double least = HUGE_VAL;
    NufftCall best = call;
    for (double upsampling : upsamplings(call)) {
      NufftCall sized = call;
      if (upsampling < LowUpsampling)
        sized.eps *= LowAsked;
      if (upsampling < 1.9 &&
          (kernelWidth(sized.eps, call.dim, call.type, upsampling) > finufft::MaxWidth ||
           (upsampling < LowUpsampling && sized.eps < LowEps)))
        continue;
      if (call.type == 1)
        sizeUniform(sized, upsampling);
      else
        sizeIrregular(sized, upsampling, spread);
      const double seconds = callCost(layout_, sized, {}).execute();
      if (seconds < least)
        least = seconds, best = sized;
    }
    call = best;
  }

  /// Upsampling factors that fill a fast FFT size of the longest axis exactly.
  static std::vector<double> upsamplings(const NufftCall &call) {
    const std::int64_t longest = *std::max_element(call.modes.begin(), call.modes.end());
    constexpr std::int64_t Short = 64;
    if (call.type == 3 || longest < Short)
      return {1.25, 1.5, 2};
    std::vector<double> all;
    const auto modes = static_cast<double>(longest);
    for (std::int64_t fine = smoothEven(static_cast<std::int64_t>(LeastUpsampling * modes) + 1);;
         fine = smoothEven(fine + 2)) {
      const double upsampling = static_cast<double>(fine) / modes;
      all.push_back(upsampling * (1 - 1e-13)); // so that ceil() gives `fine` again
      if (upsampling >= 2)
        return all;
    }
  }
};

/// Sets `batch` of each call and the layout's memory.
void setBatches(NufftLayout &layout) {
  constexpr double value = 16; // bytes of a complex number
  double comfortable = layout.request.together > 0 ? layout.request.together : Infinity;
  if (layout.request.memory > 0)
    comfortable = std::min(comfortable, 0.3 * layout.request.memory);
  const auto points = static_cast<double>(layout.request.records);
  double kept = value * points, largest = 0;
  for (NufftCall &call : layout.calls) {
    const auto outputs = static_cast<double>(product(call.modes));
    const bool combined = isCombined(layout, call);
    const double each = value * (points + (combined ? outputs : 0));
    const double fits =
        std::max(comfortable / std::max(each, 1.0), 1.0 * layout.request.transforms);
    const auto largestBatch =
        static_cast<std::int64_t>(std::clamp(fits, 1.0, static_cast<double>(call.count)));
    std::int64_t best = 1, done = std::numeric_limits<std::int64_t>::max();
    for (std::int64_t batch = largestBatch; batch > 0 && batch > largestBatch / 2; --batch)
      if (std::int64_t all = (call.count + batch - 1) / batch * batch; all < done)
        done = all, best = batch;
    call.batch = static_cast<int>(best);
    const auto at = static_cast<double>(
        std::min<std::int64_t>(call.batch, std::max(layout.request.threads, 1)));
    const double fine = value * at * static_cast<double>(product(call.fine));
    double used = static_cast<double>(call.batch) * each;
    if (call.dim > 0) {
      kept += points * (8.0 * call.dim + 8);
      used += fine;
    }
    if (call.type == 3) {
      kept += points * (value + 8.0 * call.dim) + outputs * (value + 8 + 16.0 * call.dim);
      used += std::max(value * at * points, value * at * static_cast<double>(product(call.inner)));
    }
    largest = std::max(largest, used);
  }
  layout.memory = kept + largest;
}

std::string bytes(double n) {
  return n < 1e9 ? fmt::format("{:.0f} MB", std::ceil(n / 1e6)) : fmt::format("{:.1f} GB", n / 1e9);
}

class Search {
public:
  Search(const Grid &grid, const NufftRequest &request) : p_(grid, request) {}

  NufftLayout best() {
    if (!(p_.request.tolerance >= LeastTolerance))
      return refused(fmt::format("a tolerance of {:g} is out of reach of double precision",
                                 p_.request.tolerance),
                     fmt::format("ask for {:g} or more", LeastTolerance));
    for (std::size_t d = 0; d < 3; ++d) {
      const double im = std::max(std::abs(p_.facts[d].imLow), std::abs(p_.facts[d].imHigh));
      if (im * p_.half[d] > MostExponent)
        return refused(fmt::format("waves decay by e^{:.0f} over half of the points along {}",
                                   im * p_.half[d], "xyz"[d]),
                       "give a smaller mesh or smaller imaginary parts");
    }
    for (NufftAxis x : choices(0))
      for (NufftAxis y : choices(1))
        for (NufftAxis z : choices(2))
          tryAxes({x, y, z});
    if (least_ < Infinity)
      return std::move(best_);
    if (memory_ < Infinity)
      return refused(fmt::format("FINUFFT would need {} but {} are allowed", bytes(memory_),
                                 bytes(p_.request.memory)),
                     "allow more memory, give a smaller grid, or force another algorithm");
    return refused(why_.empty() ? "no way was found" : why_, "force another algorithm");
  }

private:
  Problem p_;
  NufftLayout best_;
  double least_ = Infinity, memory_ = least_;
  std::string why_;

  NufftLayout refused(std::string why, std::string help) const {
    NufftLayout layout;
    layout.request = p_.request;
    layout.refusal = std::move(why), layout.help = std::move(help);
    return layout;
  }

  std::vector<NufftAxis> choices(std::size_t d) const {
    const AxisFacts &facts = p_.facts[d];
    if ((facts.constant() && (!p_.product || facts.n == 1)) || !p_.request.wave)
      return {NufftAxis::Planes};
    if (p_.product && facts.n <= MostPlanes)
      return {NufftAxis::Transform, NufftAxis::Nodes, NufftAxis::Planes};
    return {NufftAxis::Transform, NufftAxis::Nodes};
  }

  void tryAxes(const std::array<NufftAxis, 3> &axes) {
    double before = Infinity;
    for (int bands = 1; bands <= 256; bands += 1 + bands / 3) {
      NufftLayout layout = Maker(p_, axes).make(bands);
      if (!layout.possible()) {
        if (why_.empty() || layout.banded < 0)
          why_ = layout.refusal;
        if (layout.banded < 0)
          return;
        continue;
      }
      setBatches(layout);
      const double seconds = nufftCost(layout, {}).execute();
      if (p_.request.memory > 0 && layout.memory > p_.request.memory)
        memory_ = std::min(memory_, layout.memory);
      else if (seconds < least_)
        least_ = seconds, best_ = layout;
      if (layout.banded < 0 || seconds > 1.3 * before)
        return;
      before = std::min(before, seconds);
    }
  }
};

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
  return Search(grid, request).best();
}

std::string NufftLayout::text() const {
  if (!possible() || calls.empty())
    return possible() ? "nothing" : refusal;
  std::int64_t count = 0;
  for (const NufftCall &call : calls)
    count += call.count;
  std::string parts;
  using What = NufftInterpolated::What;
  for (const What what : {What::Plane, What::Wave, What::Strength, What::Decay})
    for (std::size_t s = 0; s < interpolated.size(); ++s) {
      const NufftInterpolated &u = interpolated[s];
      if (u.what != what || (what == What::Wave && u.nodes == 1))
        continue;
      const bool banded = static_cast<int>(s) == this->banded;
      const auto [few, many] = std::ranges::minmax(calls, {}, &NufftCall::nodes);
      const int least = banded ? few.nodes : u.nodes, most = banded ? many.nodes : u.nodes;
      parts +=
          least == most ? fmt::format(" x {}", least) : fmt::format(" x {} to {}", least, most);
      parts += fmt::format(" {} of {}", what == What::Plane ? "values" : "nodes", nameOf(*this, s));
      if (what == What::Strength)
        parts += fmt::format(" from {:.4g} to {:.4g}", u.low, u.high);
      if (banded && (what == What::Decay || calls.size() > 1))
        parts += fmt::format(" in {} band{}", calls.size(), calls.size() == 1 ? "" : "s");
    }
  return fmt::format("{}, {} transform{}", transformsOf(*this), count, count == 1 ? "" : "s") +
         (parts.empty() ? "" : fmt::format(": {}{}", request.transforms, parts));
}

} // namespace facet::runtime
