// form_factor.cpp - F of a mesh on a grid, turned and scaled again and again.
#include "runtime/experiment/scene/form_factor.h"
#include "runtime/experiment/scene/bodies.h"
#include <algorithm>
#include <fmt/format.h>

namespace facet::runtime {
namespace {

/// The first, and then ever fewer: measuring takes as much as a tenth of an evaluation.
bool isMeasured(std::int64_t evaluation) { return (evaluation & (evaluation - 1)) == 0; }

double badness(const Measured &m) { return m.error - 2 * m.bound; }

} // namespace

void Evaluations::add(const Measured &m) {
  ++measured;
  if (!worst || (worst->met && !m.met) || (worst->met == m.met && badness(m) > badness(*worst)))
    worst = m;
}

void Evaluations::add(const Evaluations &other) {
  const std::int64_t both = measured + other.measured;
  if (other.worst)
    add(*other.worst);
  measured = both;
  count += other.count;
  repaired += other.repaired;
  seconds += other.seconds;
  tqp += other.tqp;
  how = other.how;
  threads = other.threads;
}

FormFactor::FormFactor(const Kernel &kernel, const Grid &grid, const Mesh &mesh,
                       const PlanOptions &options, Evaluations &sum,
                       std::function<void(const std::string &)> say)
    : mesh_(mesh), params_(options.params), sum_(sum), say_(std::move(say)),
      plan_(kernel, grid, mesh, options) {}

void FormFactor::setProgress(std::function<void(double, double)> progress) {
  plan_.setProgress(std::move(progress));
}

std::vector<std::complex<double>> FormFactor::reference(const Grid &points, std::int64_t atLeast) {
  return plan_.reference(points, atLeast, std::max(0.05, plan_.seconds() / 16));
}

const std::vector<std::complex<double>> &FormFactor::at(const std::array<double, 9> &rotation,
                                                        double scale) {
  if (count_ > 0 && scale == scale_ && rotation == rotation_)
    return plan_.values();
  if (scale != scale_)
    plan_.setMesh(scaled(mesh_, scale));
  scale_ = scale;
  if (rotation != rotation_)
    plan_.setRotation(rotation_ = rotation);
  if (isMeasured(count_++)) {
    sum_.add(executeToContract(plan_, params_, say_));
  } else {
    plan_.execute(params_);
  }
  ++sum_.count;
  sum_.seconds += plan_.seconds();
  sum_.tqp += plan_.tqp();
  sum_.repaired += plan_.repaired();
  sum_.threads = plan_.threads();
  sum_.how = fmt::format("{}, {}", name(plan_.choice()), plan_.variant().target);
  return plan_.values();
}

} // namespace facet::runtime
