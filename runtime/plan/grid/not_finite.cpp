// not_finite.cpp - q at which F is not finite: how many, and the first, for the message.
#include "runtime/plan/grid/not_finite.h"
#include <algorithm>
#include <fmt/format.h>

namespace facet::runtime {

std::string showQ(const std::array<std::complex<double>, 3> &q) {
  std::string text;
  for (const std::complex<double> &c : q) {
    text += fmt::format("{}{:.6g}", text.empty() ? "(" : ", ", c.real());
    if (c.imag() != 0)
      text += fmt::format("{:+.6g}i", c.imag());
  }
  return text + ")";
}

bool NotFinite::note(std::int64_t i, const std::vector<std::int64_t> &zeros) {
  if (std::binary_search(zeros.begin(), zeros.end(), i))
    return false;
  ++count_;
  for (std::int64_t seen = first_; i < seen && !first_.compare_exchange_weak(seen, i);) {
  }
  return true;
}

Error NotFinite::error(const Kernel &kernel, const Grid &grid) const {
  const auto q = grid.at(first_);
  const bool atZero = q[0] == 0.0 && q[1] == 0.0 && q[2] == 0.0;
  return {std::string("kernel ") + kernel->name,
          fmt::format("F is not finite at {} of {} q, first at q = {} nm^-1", count(), grid.size(),
                      showQ(q)),
          atZero ? "give the kernel an `origin` (the value at q = 0), or keep q = 0 off the grid"
                 : "`finish` divides by zero or overflows there: move the grid, or change "
                   "the kernel"};
}

} // namespace facet::runtime
