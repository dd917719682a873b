// model.cpp - ranges and uniform steps of axes; Chebyshev nodes and how many are needed; fine
// grids; what the steps of transforms cost.
#include "runtime/engine/transform/nufft/layout.h"
#include "runtime/engine/transform/nufft/window.h"
#include <limits>
#include <numbers>

namespace facet::runtime {
namespace {

std::int64_t fineGrid(double modes, double upsampling, int width) {
  return smoothEven(
      std::max(static_cast<std::int64_t>(std::ceil(upsampling * modes)), std::int64_t{2} * width));
}

/// What a grid of floats takes beside one of doubles, as seen.
constexpr double SingleShare = 0.55;
double bytesOf(bool single) { return single ? 8 : 16; } // of a node

/// Seconds of one FFT of n nodes: a node and a doubling cost `fft` within 2 MiB (a core's own
/// cache), `fftMemory` from 64 MiB on, and in between by the logarithm.
double fftSeconds(double n, bool single, const NufftConstants &c) {
  if (n < 2)
    return 0;
  constexpr double cache = 21, memory = 26; // log2 of bytes
  const double x =
      std::clamp((std::log2(n * bytesOf(single)) - cache) / (memory - cache), 0.0, 1.5);
  return (single ? SingleShare : 1) * n * std::log2(n) * (c.fft + x * (c.fftMemory - c.fft));
}

/// Seconds to clear and read a fine grid of n nodes `times` times, made `executions` times. The C
/// library returns blocks above 32 MiB to the system, so that their pages are new each time.
double fineSeconds(double n, bool single, double times, double executions,
                   const NufftConstants &c) {
  constexpr double returned = 33554432;
  return (single ? SingleShare : 1) * n *
         (times * c.fine + (n * bytesOf(single) > returned ? executions * c.fresh : 0));
}

/// Seconds to spread the strengths of `count` transforms at a point, or to interpolate them at one:
/// its window is found once.
double pointSeconds(const NufftCall &call, double count, const NufftConstants &c) {
  const int dim = call.dim, width = call.width;
  const double point = dim == 1 ? c.point1 : dim == 2 ? c.point2 : c.point3;
  const double node = dim == 1 ? 0 : dim == 2 ? c.spread2 : c.spread3; // 1-D: in `kernel`
  const int some = call.single ? 4 : 2, along = (width + some - 1) / some * some; // together
  const double nodes = count * along * std::pow(width, dim - 1) * node;
  return point + dim * width * c.kernel + (call.single ? SingleShare : 1) * nodes;
}

/// Seconds to add the weighted results of a call to those of each q.
double combineSeconds(const NufftLayout &layout, const NufftCall &call, const NufftConstants &c) {
  constexpr double begun = 20; // values of a row take as long as beginning it
  const bool list = layout.extents[1] == 1 && layout.extents[2] == 1;
  auto values = static_cast<double>(product(call.n)); // q a transform is added to
  const double row = list ? values : static_cast<double>(layout.extents[2]); // side by side
  double polynomials = 0; // Lagrange's, of a scalar that has a value at each q
  for (const InterpolatedScalar &u : call.interpolated)
    polynomials += u.what == InterpolatedScalar::What::Strength ? u.nodes * values : 0;
  values /= static_cast<double>(call.nodesOf(InterpolatedScalar::What::Plane));
  const double each = call.count * (1.0 + layout.request.slopeCount());
  return (each * values * (1 + begun / row) + 2 * polynomials) * c.combine;
}

/// `more(count)`: by how much the bound is enlarged.
template <class More>
int countOf(double a, double factor, double tolerance, int most, const More &more) {
  double bound = 2 * factor;
  for (int count = 1; count <= most; ++count) {
    bound *= 0.5 * a / count;
    if (bound * more(count) <= tolerance)
      return count;
  }
  return 0;
}

} // namespace

AxisFacts factsOf(const Axis &values, std::int64_t first, std::int64_t n) {
  AxisFacts facts;
  facts.n = n < 0 ? static_cast<std::int64_t>(values.re.size()) : n;
  const auto begin = values.re.begin() + first, end = begin + facts.n;
  const auto [low, high] = std::minmax_element(begin, end);
  facts.low = *low, facts.high = *high;
  if (values.isComplex()) {
    const auto [imLow, imHigh] =
        std::minmax_element(values.im.begin() + first, values.im.begin() + first + facts.n);
    facts.imLow = *imLow, facts.imHigh = *imHigh;
    // linspace(a, a, n) may differ from a by a rounding.
    constexpr double rounding = 4 * std::numeric_limits<double>::epsilon();
    if (facts.imHigh - facts.imLow <= rounding * std::max(std::abs(*imLow), std::abs(*imHigh)))
      facts.imHigh = facts.imLow;
  }
  facts.first = *begin;
  if (facts.n < 2 || facts.low == facts.high)
    return facts;
  facts.step = (*(end - 1) - *begin) / static_cast<double>(facts.n - 1);
  // Each value, and the first and last the step comes from, may have been rounded a few times.
  const double rounding = 8 * std::numeric_limits<double>::epsilon() * facts.largest();
  facts.uniform = facts.step != 0;
  for (std::int64_t i = 0; i < facts.n && facts.uniform; ++i)
    facts.uniform =
        std::abs(*(begin + i) - (facts.first + static_cast<double>(i) * facts.step)) <= rounding;
  return facts;
}

Chebyshev::Chebyshev(double low, double high, int count) {
  const double middle = 0.5 * (low + high), half = 0.5 * (high - low);
  for (int j = 0; j < count; ++j) {
    const double angle = std::numbers::pi * (2 * j + 1) / (2.0 * count);
    nodes.push_back(middle + half * (count == 1 ? 0 : std::cos(angle)));
    weights.push_back((j % 2 ? -1 : 1) * std::sin(angle));
  }
}

// The second (true) form of the barycentric formula, Berrut and Trefethen, SIAM Review 46 (2004).
void Chebyshev::lagrange(double q, double *values) const {
  double sum = 0;
  for (std::size_t r = 0; r < nodes.size(); ++r) {
    if (q == nodes[r]) {
      std::fill_n(values, nodes.size(), 0.0);
      values[r] = 1;
      return;
    }
    values[r] = weights[r] / (q - nodes[r]);
    sum += values[r];
  }
  for (std::size_t r = 0; r < nodes.size(); ++r)
    values[r] /= sum;
}

std::vector<double> Chebyshev::lagrange(std::span<const double> q) const {
  std::vector<double> values(q.size() * nodes.size());
  for (std::size_t i = 0; i < q.size(); ++i)
    lagrange(q[i], values.data() + i * nodes.size());
  return values;
}

// Interpolates the derivatives at the nodes, since these are polynomials of lower degree.
std::vector<double> Chebyshev::slopes(std::span<const double> lagrange) const {
  const std::size_t n = nodes.size();
  std::vector<double> at(n * n), made(lagrange.size()); // at: of polynomial r at node m, [m][r]
  for (std::size_t m = 0; m < n; ++m)
    for (std::size_t r = 0; r < n; ++r)
      if (r != m) {
        at[m * n + r] = weights[r] / weights[m] / (nodes[m] - nodes[r]);
        at[m * n + m] -= at[m * n + r];
      }
  for (std::size_t first = 0; first < made.size(); first += n)
    for (std::size_t m = 0; m < n; ++m)
      for (std::size_t r = 0; r < n; ++r)
        made[first + r] += lagrange[first + m] * at[m * n + r];
  return made;
}

int chebyshevCount(double a, double factor, double tolerance, int most) {
  return countOf(a, factor, tolerance, most, [](int) { return 1.0; });
}

int chebyshevSlopeCount(double a, double factor, double tolerance, int most) {
  return countOf(a, factor, tolerance, most,
                 [&](double count) { return std::max(1.0, count * count / a); });
}

double lebesgueBound(int count, double a) {
  if (a == 0)
    return 1 + 2 / std::numbers::pi * std::log(count);
  const Chebyshev points(-1, 1, count);
  std::vector<double> values(points.nodes.size());
  double most = 1;
  constexpr int steps = 128;
  for (int i = 0; i <= steps; ++i) {
    const double x = -1 + 2.0 * i / steps;
    points.lagrange(x, values.data());
    double sum = 0;
    for (std::size_t r = 0; r < values.size(); ++r)
      sum += std::abs(values[r]) * std::exp(a * (points.nodes[r] - x));
    most = std::max(most, sum);
  }
  return most;
}

int widthOf(const NufftCall &call, double upsampling) {
  const int windows = call.type == 3 ? 2 : 1; // of the points and of the waves
  // If modes are few the fine grid is finer, to have room for the window, and slopes per node are
  // less.
  double finer = 1;
  for (int d = 0; d < call.dim && call.type == 1; ++d)
    finer =
        std::max(finer, 2.0 * Window::Widest / (upsampling * static_cast<double>(call.modes[d])));
  const int order = std::max(call.degree, std::ranges::count(call.slopes, true) > 0 ? 1 : 0);
  const double slopes = slopeErrors(order, upsampling) * std::pow(finer, order);
  return windowWidth(call.eps / slopes, windows * call.dim, upsampling);
}

std::int64_t smoothEven(std::int64_t n) {
  // Every 2^a 3^b 5^c, a > 0, that could be it: such numbers are far apart if n is large.
  std::int64_t best = std::numeric_limits<std::int64_t>::max();
  for (std::int64_t five = 2; five < best; five *= 5)
    for (std::int64_t three = five; three < best; three *= 3) {
      std::int64_t all = three;
      while (all < n)
        all *= 2;
      best = std::min(best, all);
    }
  return best;
}

std::int64_t product(const std::array<std::int64_t, 3> &n) {
  std::int64_t all = 0;
  if (__builtin_mul_overflow(n[0], n[1], &all) || __builtin_mul_overflow(all, n[2], &all))
    return std::numeric_limits<std::int64_t>::max();
  return all;
}

// Type 3: the points' grid has 2 upsampling nodes a wave at the largest q, and room for the windows
// at its ends.
void setSizes(NufftCall &call, double upsampling, const std::array<double, 3> &half) {
  call.upsampling = upsampling;
  call.width = std::min(widthOf(call, upsampling), Window::Widest);
  call.fine = call.inner = {1, 1, 1};
  for (int d = 0; d < call.dim; ++d) {
    if (call.type == 1) {
      call.fine[d] = fineGrid(static_cast<double>(call.modes[d]), upsampling, call.width);
      continue;
    }
    const double nodes =
        2 * upsampling * call.largest[d] * half[d] / std::numbers::pi + call.width + 1;
    call.fine[d] = smoothEven(
        std::max(static_cast<std::int64_t>(std::min(nodes, 1e12)), std::int64_t{2} * call.width));
    call.inner[d] = fineGrid(static_cast<double>(call.fine[d]), upsampling, call.width);
  }
}

bool maySingle(const NufftCall &call) {
  constexpr double most = 8; // single waves err so; many cancel
  const bool slopes = std::ranges::find(call.slopes, true) != call.slopes.end();
  return call.degree == 0 && !slopes &&
         singleError(call.width, call.dim, call.upsampling) <= most * call.eps;
}

NufftCost callCost(const NufftLayout &layout, const NufftCall &call, const NufftConstants &c) {
  const auto records = static_cast<double>(layout.request.records),
             count = static_cast<double>(call.count),
             outputs = static_cast<double>(product(call.modes));
  // A cis or exp a record for each factor of the strengths.
  const std::int64_t factors = call.count / std::max(layout.request.transforms, 1);
  const bool cis = factors > call.nodesOf(InterpolatedScalar::What::Decay);
  double strengths = records * (static_cast<double>(factors + cis) * c.phase + count * c.strength);
  // Strengths are made at each node of what they depend on: as much as a cis and an exp, as seen.
  if (!layout.request.scalars.empty())
    strengths += records * static_cast<double>(call.nodesOf(InterpolatedScalar::What::Strength)) *
                 (2 * c.phase + layout.request.transforms * c.strength);
  const double combine = isCombined(layout, call) ? combineSeconds(layout, call, c) : 0;
  if (call.dim == 0)
    return {strengths + combine, 0, 0};
  const auto fine = static_cast<double>(product(call.fine)),
             inner = static_cast<double>(product(call.inner));
  const double executions = std::ceil(count / std::max(call.batch, 1));
  double sort = records * c.sort;
  double spread = executions * records * pointSeconds(call, count / executions, c);
  if (!layout.request.powers.empty()) // derivatives along the last axes, some at a time
    spread *= call.dim == 1 ? 1 : call.dim == 2 ? 2 : 4;
  double modes = fineSeconds(fine, call.single, count, executions, c) + count * outputs * c.mode;
  if (call.type == 1)
    return {strengths + sort + spread + count * fftSeconds(fine, call.single, c) + modes + combine,
            executions * c.call, c.plan};
  modes += fineSeconds(inner, call.single, count, executions, c) + count * fine * c.mode;
  // Derivatives along the first axis take little more than values do.
  const double read = call.slopes[2] ? 4 : call.slopes[1] ? 2 : call.slopes[0] ? 1.25 : 1;
  spread += read * executions * outputs * pointSeconds(call, count / executions, c);
  strengths += count * records * c.strength;
  return {strengths + sort + spread + count * fftSeconds(inner, call.single, c) + modes + combine,
          executions * c.call, c.plan + outputs * (c.sort + call.dim * c.target)};
}

NufftCost nufftCost(const NufftLayout &layout, const NufftConstants &constants) {
  // Each further thread adds about this part of one: transforms share memory and caches.
  constexpr double further = 0.6;
  NufftCost sum;
  for (const NufftCall &call : layout.calls) {
    const NufftCost one = callCost(layout, call, constants);
    sum.shared += one.shared, sum.alone += one.alone, sum.plan += one.plan;
    // Strengths and results are in new memory the first time.
    const double rows = static_cast<double>(layout.request.records) +
                        (isCombined(layout, call) ? static_cast<double>(product(call.modes)) : 0);
    sum.plan = std::max(sum.plan, one.plan + call.batch * rows * constants.fresh);
  }
  sum.shared /= 1 + further * std::max(layout.request.threads - 1, 0);
  return sum;
}

} // namespace facet::runtime
