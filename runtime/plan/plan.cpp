// plan.cpp - chooses variant, class and layout for a grid and a mesh; the interface of Plan.
#include "runtime/plan/choose.h"
#include "runtime/plan/state.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace facet::runtime {
namespace {

double largest(const Axis &axis, bool imaginary) {
  double most = 0;
  for (const double v : imaginary ? axis.im : axis.re)
    most = std::max(most, std::abs(v));
  return most;
}

double largestQ(const Grid &grid) {
  double squares = 0;
  for (const Axis &axis : grid.axes)
    squares += std::pow(largest(axis, false), 2) + std::pow(largest(axis, true), 2);
  return std::sqrt(squares);
}

bool isZero(const Axis &axis, std::int64_t i) {
  const auto at = static_cast<std::size_t>(i);
  return axis.re[at] == 0 && (axis.im.empty() || axis.im[at] == 0);
}

/// Where q = 0 exactly, in order; a product grid is not walked point by point.
std::vector<std::int64_t> zeroPoints(const Grid &grid) {
  std::vector<std::int64_t> zeros;
  const auto n = grid.extents();
  if (grid.kind == Grid::Kind::Points) {
    for (std::int64_t i = 0; i < n[0]; ++i)
      if (isZero(grid.axes[0], i) && isZero(grid.axes[1], i) && isZero(grid.axes[2], i))
        zeros.push_back(i);
    return zeros;
  }
  for (std::int64_t x = 0; x < n[0]; ++x)
    for (std::int64_t y = 0; isZero(grid.axes[0], x) && y < n[1]; ++y)
      for (std::int64_t z = 0; isZero(grid.axes[1], y) && z < n[2]; ++z)
        if (isZero(grid.axes[2], z))
          zeros.push_back((x * n[1] + y) * n[2] + z);
  return zeros;
}

void checkGrid(const Kernel &kernel, const Grid &grid) {
  check(grid);
  const std::string where = std::string("kernel ") + kernel->name;
  const char letters[] = "xyz";
  for (int k = 0; k < 3; ++k) {
    if (grid.axes[k].isComplex() && kernel->complex_q[k] == 0)
      throw Error(
          where, fmt::format("q.{} is complex in the grid and real in the kernel", letters[k]),
          fmt::format("write cplx for {} in the kernel's Grid, or leave its imaginary part out",
                      letters[k]));
    if (grid.kind == Grid::Kind::Product && kernel->fixed[k] != 0 &&
        kernel->fixed[k] != grid.extents()[k])
      throw Error(where,
                  fmt::format("axis {} has {} values, and the kernel is compiled for fixed<{}>",
                              letters[k], grid.extents()[k], kernel->fixed[k]),
                  "give that many values, or write real for the axis in the kernel's Grid");
  }
}

} // namespace

Plan::State::State(Kernel k, const Grid &g, PlanOptions o)
    : kernel(std::move(k)), grid(g), options(std::move(o)), records(*kernel),
      pool(options.threads > 0 ? options.threads : usableThreads()) {}

void Plan::State::choose() {
  target = kernel.chooseTarget(options.target);
  const int q = grid.complexQ() ? FACET_COMPLEX_Q : FACET_REAL_Q;
  const double phase = largestQ(grid) * records.radius();
  struct Candidate {
    const facet_variant *variant;
    std::string reason;
  };
  // A real grid runs on complex variants where there is nothing better.
  const auto best = [&](int kind) -> Candidate {
    for (int kindOfQ = q; kindOfQ <= FACET_COMPLEX_Q; ++kindOfQ) {
      Choice choice{options.klass.value_or(FACET_F64), "forced"};
      if (!options.klass)
        choice = chooseClass(kernel, target, kind, kindOfQ, phase, options.accuracy);
      if (const facet_variant *v = kernel.find(target, choice.klass, kind, kindOfQ))
        return {v, choice.reason};
    }
    return {};
  };
  const Candidate points = best(FACET_POINTS);
  Candidate chosen = points;
  if (grid.kind == Grid::Kind::Product) {
    const Candidate product = best(FACET_PRODUCT);
    if (product.variant != nullptr &&
        (points.variant == nullptr || points.variant->klass > product.variant->klass ||
         !cheaperAsPoints(grid, *product.variant)))
      chosen = product;
  }
  if (chosen.variant == nullptr)
    throw Error(
        kernel.path().empty() ? std::string("kernel ") + kernel->name : kernel.path(),
        fmt::format("holds no variant for {} grids of {} q, target {}{}",
                    gridName(grid.kind == Grid::Kind::Product ? FACET_PRODUCT : FACET_POINTS),
                    qName(q), target, options.klass ? ", class " + className(*options.klass) : ""),
        "build it with facet build for this grid, or give facet run the kernel's source");
  variant = chosen.variant;
  reason = chosen.reason;
}

void Plan::State::lay() {
  layout = layOut(grid, *variant, kernel->complex_q, records.size(), pool.size());
  const auto sums = static_cast<std::size_t>(layout.chunks * layout.paddedSize());
  sumRe.resize(sums);
  sumIm.resize(sums);
  f.resize(static_cast<std::size_t>(grid.size()));
  zeros.clear();
  if (kernel->origin != nullptr)
    zeros = zeroPoints(grid);
  packed = false;
}

Plan::Plan(Kernel kernel, const Grid &grid, const Mesh &mesh, PlanOptions options) {
  checkGrid(kernel, grid);
  state_ = std::make_unique<State>(std::move(kernel), grid, std::move(options));
  state_->records.setMesh(mesh);
  state_->choose();
  state_->lay();
}
Plan::Plan(Plan &&) noexcept = default;
Plan &Plan::operator=(Plan &&) noexcept = default;
Plan::~Plan() = default;

void Plan::setMesh(const Mesh &mesh) {
  state_->records.setMesh(mesh);
  state_->packed = false;
  const std::int64_t chunks = state_->layout.chunks;
  setChunks(state_->layout, *state_->variant, state_->records.size());
  if (state_->layout.chunks != chunks) {
    const auto sums = static_cast<std::size_t>(state_->layout.chunks * state_->layout.paddedSize());
    state_->sumRe.resize(sums);
    state_->sumIm.resize(sums);
  }
}

void Plan::setRotation(const std::array<double, 9> &matrix) {
  state_->records.rotate(matrix);
  state_->packed = false;
}

void Plan::setProgress(std::function<void(double, double)> progress) {
  state_->progress = std::move(progress);
}

bool prefersPoints(const Kernel &kernel, const Grid &grid) {
  if (grid.kind != Grid::Kind::Product)
    return true;
  for (int i = 0; i < kernel->variant_count; ++i)
    if (kernel->variants[i].grid == FACET_PRODUCT &&
        kernel->variants[i].algorithm == FACET_DIRECT && cheaperAsPoints(grid, kernel->variants[i]))
      return true;
  return false;
}

bool Plan::useNextClass() {
  State &s = *state_;
  if (s.options.klass)
    return false;
  for (int klass = s.variant->klass + 1; klass <= FACET_F64; ++klass)
    if (const facet_variant *v = s.kernel.find(s.target, klass, s.variant->grid, s.variant->q)) {
      s.variant = v;
      s.reason = "the class before missed the contract";
      s.lay();
      return true;
    }
  return false;
}

const std::vector<std::complex<double>> &Plan::values() const { return state_->f; }
facet_class Plan::klass() const { return static_cast<facet_class>(state_->variant->klass); }
const facet_variant &Plan::variant() const { return *state_->variant; }
const Kernel &Plan::kernel() const { return state_->kernel; }
int Plan::threads() const { return state_->pool.size(); }
double Plan::seconds() const { return state_->seconds; }
const std::string &Plan::reason() const { return state_->reason; }
double Plan::tqp() const {
  return static_cast<double>(state_->records.size()) * static_cast<double>(state_->grid.size());
}

} // namespace facet::runtime
