// along.cpp - plans of tangents; q = 0 by its neighbours; whether F is analytic.
#include "runtime/scattering/derive/along.h"
#include "runtime/engine/check/references.h"
#include "runtime/engine/sum/points.h"
#include <cmath>
#include <facet/runtime/error.h>
#include <fmt/format.h>

namespace facet::runtime {
namespace {

using Complex = std::complex<double>;

/// Neighbours of q = 0 at -3, -2, -1, 1, 2, 3 steps along a diagonal, and their weights in the
/// polynomial of order 5 through them.
constexpr std::array<double, 6> steps{-3, -2, -1, 1, 2, 3};
constexpr std::array<double, 6> weights{0.05, -0.3, 0.75, 0.75, -0.3, 0.05};
/// A step times the radius: F is a power series in |q| R, cut off at its sixth power; formulas lose
/// |q R|^-3 of their digits.
constexpr double stepTimesRadius = 0.02;

/// The grid as a list, in which the first neighbour stands for q = 0, and the others follow at the
/// end.
Grid aroundZero(const Grid &grid, const std::vector<std::int64_t> &zeros, double radius) {
  if (zeros.empty())
    return grid;
  Grid list = pointsOf(grid);
  const double step = stepTimesRadius / radius / std::sqrt(3.0);
  for (Axis &axis : list.axes)
    for (const std::int64_t zero : zeros) {
      axis.re[static_cast<std::size_t>(zero)] = steps[0] * step;
      for (std::size_t k = 1; k < steps.size(); ++k) {
        axis.re.push_back(steps[k] * step);
        if (!axis.im.empty())
          axis.im.push_back(0);
      }
    }
  return list;
}

using Q = std::array<Complex, 3>;

/// Whether slopes of F along 1 and along i of q.z agree at q, as far as the reference tells.
bool isAnalytic(const Kernel &kernel, const Records &records, const Q &q, double step,
                const std::vector<double> &params) {
  double largest = 0;
  const auto f = [&](const Complex &by) {
    const Reference found =
        referenceAt(kernel, {q[0], q[1], q[2] + by}, records.columns(), records.size(), params);
    largest = std::max(largest, found.sumAbs * found.factors[0]);
    return found.f[0];
  };
  const Complex along(0, step), real = f(step) - f(-step), imaginary = f(along) - f(-along);
  return std::abs(imaginary - Complex(0, 1) * real) <= 1e-6 * (std::abs(real) + 1e-4 * largest);
}

Q largestOf(const Grid &grid) {
  const auto norm2 = [](const Q &q) { return std::norm(q[0]) + std::norm(q[1]) + std::norm(q[2]); };
  Q largest{};
  for (std::int64_t i = 0; i < grid.size(); ++i)
    if (const Q q = grid.at(i); norm2(q) > norm2(largest))
      largest = q;
  return largest;
}

/// Tried with all records, since a part of a closed mesh is open; where q R is about 1, and at the
/// largest q, where what is short beside R counts as well.
void mustBeAnalytic(const Kernel &kernel, const Grid &grid, const Mesh &mesh, double radius,
                    const std::vector<double> &params) {
  Records records(*kernel);
  records.setMesh(mesh);
  const double damped = 0.6 / radius; // less than e^-1 in all of the particle
  Q far = largestOf(grid);
  far[2] = {far[2].real(), damped};
  const Q near{0.7 / radius, -0.4 / radius, Complex(1.3 / radius, damped)};
  if (!isAnalytic(kernel, records, near, 1e-4 / radius, params) ||
      !isAnalytic(kernel, records, far, 1e-4 / radius, params))
    throw Error(
        std::string("kernel ") + kernel->name,
        "F is no analytic function of q.z, which is complex in a layer: it has no "
        "derivative by what q' depends on",
        "leave out keys of the sample and the beam; or place the particle above the layers");
}

} // namespace

Plan planAlong(Kernel tangent, const KernelSource &from, const Grid &grid, const Mesh &mesh,
               std::vector<double> params) {
  PlanOptions options;
  options.algorithm = from.options.algorithm;
  options.accuracy = from.options.accuracy;
  options.target = from.options.target;
  options.threads = from.options.threads;
  options.params = std::move(params);
  options.finite = true;        // NaN would go into the derivatives of all keys
  options.measuring = 0;        // of each unit, and again and again
  if (from.options.speed > 0) { // nothing that is measured chooses
    options.algorithm = options.algorithm.value_or(FACET_DIRECT);
    options.klass = FACET_F64;
  }
  return {std::move(tangent), grid, mesh, options};
}

const std::vector<Complex> &valuesAlong(Plan &plan, const std::vector<double> &params) {
  const Measured measured = executeToContract(plan, params);
  if (!measured.met)
    throw Error("experiment",
                fmt::format("the measured error of a derivative is {:.1e} of its largest, {:.0e} "
                            "asked for",
                            measured.error, measured.contract),
                "ask for less: [accuracy] relative", Exit::ContractMissed);
  return plan.values();
}

QSlopes::QSlopes(const Kernel &kernel, const KernelSource &from, const std::string &axes,
                 const Grid &grid, const Mesh &mesh, double radius,
                 const std::vector<double> &params)
    : QSlopes(from, axes, grid, mesh, radius, params,
              kernel->origin != nullptr ? zeroPoints(grid) : std::vector<std::int64_t>()) {
  if (grid.complexQ())
    mustBeAnalytic(kernel, grid, mesh, radius, params);
}

QSlopes::QSlopes(const KernelSource &from, const std::string &axes, const Grid &grid,
                 const Mesh &mesh, double radius, const std::vector<double> &params,
                 std::vector<std::int64_t> zeros)
    : axes_(axes), zeros_(std::move(zeros)), size_(grid.size()), plan_([&] {
        const Grid around = aroundZero(grid, zeros_, radius);
        return planAlong(qTangentKernel(from.file, around, from.options, axes), from, around, mesh,
                         params);
      }()) {}

std::array<std::vector<Complex>, 3> QSlopes::at(const std::vector<double> &params) {
  const std::vector<Complex> &all = valuesAlong(plan_, params);
  const auto each = std::ssize(all) / std::ssize(axes_);
  std::array<std::vector<Complex>, 3> slopes;
  const Complex *own = all.data();
  for (const char axis : axes_) {
    std::vector<Complex> &to = slopes[static_cast<std::size_t>(axis - 'x')];
    to.assign(own, own + size_);
    const Complex *next = own + size_;
    for (const std::int64_t zero : zeros_) {
      Complex &at = to[static_cast<std::size_t>(zero)];
      at *= weights[0];
      for (std::size_t k = 1; k < weights.size(); ++k)
        at += weights[k] * *next++;
    }
    own += each;
  }
  return slopes;
}

} // namespace facet::runtime
