// host.cpp - the worst of measured errors.
#include "runtime/experiment/scene/host.h"

namespace facet::runtime {

// An error within the rounding of its reference is no error.
void Evaluations::add(const Measured &one) {
  const auto badness = [](const Measured &m) { return m.error - 2 * m.bound; };
  ++measured;
  if (!worst || (worst->met && !one.met) ||
      (worst->met == one.met && badness(one) > badness(*worst)))
    worst = one;
}

} // namespace facet::runtime
