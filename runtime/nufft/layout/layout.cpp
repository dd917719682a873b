// layout.cpp - the choice among all ways to treat the axes of a grid, and its text for people.
#include "runtime/nufft/layout/choice.h"
#include "runtime/nufft/layout/sizes.h"
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
  if (!possible())
    return refusal;
  if (calls.empty())
    return "nothing";
  const NufftCall &call = calls.front();
  std::string out = "plain sums";
  if (call.dim > 0 && call.type == 1) {
    out = fmt::format("type 1, {}-D, ", call.dim);
    for (int d = call.dim; d-- > 0;) {
      std::int64_t n = call.modes[static_cast<std::size_t>(d)];
      // Bands share an axis: its whole length.
      int place = 0;
      for (int axis = 2; axis >= 0; --axis)
        if (axes[static_cast<std::size_t>(axis)] == NufftAxis::Transform && place++ == d &&
            axis == imAxis)
          n = calls.back().last;
      out += fmt::format("{}{}", n, d ? " x " : "");
    }
  } else if (call.dim > 0) {
    std::int64_t targets = 0;
    for (const NufftCall &one : calls)
      targets += one.modes[0];
    out = fmt::format("type 3, {}-D, {} q", call.dim, targets);
  }
  out += fmt::format(", {} transform{}", transformCount(), transformCount() == 1 ? "" : "s");
  std::string parts;
  for (std::size_t d = 0; d < 3; ++d)
    if (nodes[d] > 1)
      parts += fmt::format(" x {} {} of q.{}", nodes[d],
                           axes[d] == NufftAxis::Planes ? "values" : "nodes", "xyz"[d]);
  if (imAxis >= 0) {
    const auto [few, many] =
        std::minmax_element(calls.begin(), calls.end(), [](const NufftCall &a, const NufftCall &b) {
          return a.imNodes < b.imNodes;
        });
    parts += few->imNodes == many->imNodes
                 ? fmt::format(" x {} nodes", few->imNodes)
                 : fmt::format(" x {} to {} nodes", few->imNodes, many->imNodes);
    parts += fmt::format(" of Im q.{} in {} band{}", "xyz"[imAxis], calls.size(),
                         calls.size() == 1 ? "" : "s");
  }
  if (!parts.empty())
    out += fmt::format(": {}{}", request.transforms, parts);
  return out;
}

} // namespace facet::runtime
