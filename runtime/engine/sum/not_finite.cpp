// not_finite.cpp - the messages of F that is not finite.
#include "runtime/engine/sum/not_finite.h"
#include "runtime/engine/sum/reference.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace facet::runtime {

bool NotFinite::note(std::int64_t i, const std::vector<std::int64_t> &zeros) {
  if (std::binary_search(zeros.begin(), zeros.end(), i)) {
    ++atZero_;
    return false;
  }
  ++count_;
  for (std::int64_t seen = first_; i < seen && !first_.compare_exchange_weak(seen, i);) {
  }
  return true;
}

namespace {

/// "(0.1, 0, 2+0.01i)".
std::string showQ(const std::array<std::complex<double>, 3> &q) {
  std::string text;
  for (const std::complex<double> &c : q) {
    text += fmt::format("{}{:.6g}", text.empty() ? "(" : ", ", c.real());
    if (c.imag() != 0)
      text += fmt::format("{:+.6g}i", c.imag());
  }
  return text + ")";
}

/// What to do about F that is not finite at q = 0.
std::string helpAtZero(const Kernel &kernel, const std::string &by) {
  const bool named = *outputsOf(*kernel).front().name != 0;
  return fmt::format(
      "{} divides by zero there: give the kernel an `origin` ({}), or keep q = 0 off "
      "the grid",
      by, named ? "all outputs at q = 0" : "the value at q = 0");
}

/// The reference at q i over a few records.
Reference referenceOfSome(const Kernel &kernel, const Grid &grid, std::int64_t i,
                          const Records &records, const std::vector<double> &params) {
  return referenceAt(kernel, grid.at(i), records.columnsAt(grid.placesOf(i)),
                     std::min<std::int64_t>(records.size(), 64), params);
}

/// The names of outputs that are not finite at one of the q at least, and how many q these are.
std::pair<std::string, std::int64_t> notFiniteOf(const Kernel &kernel,
                                                 const std::vector<std::complex<double>> &f) {
  const auto outputs = outputsOf(*kernel);
  const std::size_t n = f.size() / outputs.size();
  std::string names;
  std::vector<bool> without(n);
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    bool some = false;
    for (std::size_t i = 0; i < n; ++i)
      if (!std::isfinite(std::abs(f[o * n + i])))
        some = without[i] = true;
    if (some)
      names += (names.empty() ? "" : ", ") + std::string(outputs[o].name);
  }
  return {names, std::ranges::count(without, true)};
}

} // namespace

std::string divides(const Kernel &kernel, const Grid &grid, std::int64_t i, const Records &records,
                    const std::vector<double> &params) {
  if (kernel->reference == nullptr)
    return "the kernel";
  return std::isfinite(referenceOfSome(kernel, grid, i, records, params).sumAbs) ? "`finish`"
                                                                                 : "`term`";
}

bool hasNoValue(const Kernel &kernel, const Grid &grid, std::int64_t i, const Records &records,
                const std::vector<double> &params) {
  if (kernel->reference == nullptr)
    return false;
  const Reference found = referenceOfSome(kernel, grid, i, records, params);
  return std::ranges::any_of(found.f, [](const auto &f) { return !std::isfinite(std::abs(f)); });
}

std::string remarkAtZero(const Kernel &kernel, const Grid &grid,
                         const std::vector<std::complex<double>> &f,
                         const std::function<std::string()> &by) {
  const auto [names, count] = notFiniteOf(kernel, f);
  if (kernel->origin != nullptr || count == 0)
    return "";
  if (count == grid.size())
    throw Error(std::string("kernel ") + kernel->name,
                fmt::format("F is not finite at {0} of {0} q: all are q = 0", count),
                helpAtZero(kernel, by()));
  return fmt::format("F{} is not finite at q = 0 ({} of {} q), and is NaN there; all other q are "
                     "right\n  help: {}",
                     names.empty() ? "" : " (" + names + ")", count, grid.size(),
                     helpAtZero(kernel, by()));
}

Error NotFinite::error(const Kernel &kernel, const Grid &grid, const std::string &by) const {
  const std::int64_t all = count_ + (kernel->origin == nullptr ? atZero_.load() : 0);
  return {std::string("kernel ") + kernel->name,
          fmt::format("F is not finite at {} of {} q, first at q = {} nm^-1", all, grid.size(),
                      showQ(grid.at(first_))),
          isZero(grid, first_)
              ? helpAtZero(kernel, by)
              : by + " divides by zero or overflows there: move the grid, or change the kernel"};
}

} // namespace facet::runtime
