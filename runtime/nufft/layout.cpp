// layout.cpp - the choice among all ways to treat the axes of a grid, and its text for people.
#include "runtime/nufft/layout.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace facet::runtime {
namespace {

constexpr double MostExponent = 300; // of |Im q| half
constexpr std::int64_t MostPlanes = 64;

std::string bytes(double n) {
  return n < 1e9 ? fmt::format("{:.0f} MB", std::ceil(n / 1e6)) : fmt::format("{:.1f} GB", n / 1e9);
}

/// "type 1, 2-D, 500 x 500".
std::string transformsOf(const NufftLayout &layout) {
  const NufftCall &call = layout.calls.front();
  if (call.dim == 0)
    return "plain sums";
  if (call.type == 3) {
    std::int64_t targets = 0;
    for (const NufftCall &one : layout.calls)
      targets += one.modes[0];
    return fmt::format("type 3, {}-D, {} q", call.dim, targets);
  }
  std::string lengths;
  for (int axis = 0, d = call.dim; axis < 3; ++axis)
    if (layout.axes[axis] == NufftAxis::Transform) {
      const std::int64_t own = call.modes[--d];
      // Bands share an axis: its whole length.
      const std::int64_t n = axis == layout.imAxis ? layout.calls.back().last : own;
      lengths += (lengths.empty() ? "" : " x ") + std::to_string(n);
    }
  return fmt::format("type 1, {}-D, {}", call.dim, lengths);
}

class Search {
public:
  Search(const Grid &grid, const NufftRequest &request) : p_(grid, request) {}

  NufftLayout best() {
    if (!(p_.request.tolerance >= NufftLeastTolerance))
      return refused(fmt::format("a tolerance of {:g} is out of reach of double precision",
                                 p_.request.tolerance),
                     fmt::format("ask for {:g} or more", NufftLeastTolerance));
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
    if (least_ < std::numeric_limits<double>::infinity())
      return std::move(best_);
    if (memory_ < std::numeric_limits<double>::infinity())
      return refused(fmt::format("FINUFFT would need {} but {} are allowed", bytes(memory_),
                                 bytes(p_.request.memory)),
                     "allow more memory, give a smaller grid, or force another algorithm");
    return refused(why_.empty() ? "no way was found" : why_, "force another algorithm");
  }

private:
  NufftProblem p_;
  NufftLayout best_;
  double least_ = std::numeric_limits<double>::infinity(), memory_ = least_;
  std::string why_;

  NufftLayout refused(std::string why, std::string help) const {
    NufftLayout layout;
    layout.request = p_.request;
    layout.refusal = std::move(why), layout.help = std::move(help);
    return layout;
  }

  std::vector<NufftAxis> choices(std::size_t d) const {
    const AxisFacts &facts = p_.facts[d];
    if (facts.constant() && (!p_.product || facts.n == 1))
      return {NufftAxis::Planes};
    if (p_.product && facts.n <= MostPlanes)
      return {NufftAxis::Transform, NufftAxis::Nodes, NufftAxis::Planes};
    return {NufftAxis::Transform, NufftAxis::Nodes};
  }

  void tryAxes(const std::array<NufftAxis, 3> &axes) {
    double before = std::numeric_limits<double>::infinity();
    for (int bands = 1; bands <= 256; bands += 1 + bands / 3) {
      NufftLayout layout = layOutAxes(p_, axes, bands);
      if (!layout.possible()) {
        if (why_.empty() || layout.imAxis < 0)
          why_ = layout.refusal;
        if (layout.imAxis < 0)
          return;
        continue;
      }
      setBatches(layout);
      const double seconds = nufftCost(layout, p_.request.constants).execute();
      if (p_.request.memory > 0 && layout.memory > p_.request.memory)
        memory_ = std::min(memory_, layout.memory);
      else if (seconds < least_)
        least_ = seconds, best_ = layout;
      if (layout.imAxis < 0 || seconds > 1.3 * before)
        return;
      before = std::min(before, seconds);
    }
  }
};

} // namespace

void setBatches(NufftLayout &layout) {
  constexpr double value = 16; // bytes of a complex number
  // Bytes of strengths and results at a time, some of what is allowed.
  const double most = 256e6, allowed = layout.request.memory;
  const double comfortable = allowed > 0 ? std::min(most, 0.3 * allowed) : most;
  const auto points = static_cast<double>(layout.request.records);
  double kept = value * points, largest = 0;
  for (NufftCall &call : layout.calls) {
    const auto outputs = static_cast<double>(product(call.modes));
    const bool combined = isCombined(layout, call);
    const double each = value * (points + (combined ? outputs : 0));
    const auto fits = static_cast<std::int64_t>(comfortable / std::max(each, 1.0));
    const std::int64_t largestBatch = std::clamp<std::int64_t>(
        std::max<std::int64_t>(fits, layout.request.transforms), 1, call.count);
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

NufftLayout layOutNufft(const Grid &grid, const NufftRequest &request) {
  return Search(grid, request).best();
}

std::int64_t NufftLayout::transformCount() const {
  std::int64_t all = 0;
  for (const NufftCall &call : calls)
    all += call.count;
  return all;
}

std::string NufftLayout::text() const {
  if (!possible() || calls.empty())
    return possible() ? "nothing" : refusal;
  std::string out = transformsOf(*this);
  out += fmt::format(", {} transform{}", transformCount(), transformCount() == 1 ? "" : "s");
  std::string parts;
  for (std::size_t d = 0; d < 3; ++d)
    if (nodes[d] > 1)
      parts += fmt::format(" x {} {} of q.{}", nodes[d],
                           axes[d] == NufftAxis::Planes ? "values" : "nodes", "xyz"[d]);
  if (imAxis >= 0) {
    const auto [few, many] = std::ranges::minmax(calls, {}, &NufftCall::imNodes);
    parts += few.imNodes == many.imNodes
                 ? fmt::format(" x {} nodes", few.imNodes)
                 : fmt::format(" x {} to {} nodes", few.imNodes, many.imNodes);
    parts += fmt::format(" of Im q.{} in {} band{}", "xyz"[imAxis], calls.size(),
                         calls.size() == 1 ? "" : "s");
  }
  if (!parts.empty())
    out += fmt::format(": {}{}", request.transforms, parts);
  return out;
}

} // namespace facet::runtime
