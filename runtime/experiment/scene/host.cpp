// host.cpp - the scene of an experiment, the worst of measured errors.
#include "runtime/experiment/scene/host.h"

namespace facet::runtime {

const Scene &sceneOf(const Experiment &e) {
  if (!e.scene)
    throw Error("experiment", "has one particle on one grid, and nothing around it", "",
                Exit::Failed);
  return *e.scene;
}

// An error within the rounding of its reference is no error.
void Evaluations::add(const Measured &one) {
  const auto badness = [](const Measured &m) { return m.error - 2 * m.bound; };
  ++measured;
  if (!worst || (worst->met && !one.met) ||
      (worst->met == one.met && badness(one) > badness(*worst)))
    worst = one;
}

} // namespace facet::runtime
