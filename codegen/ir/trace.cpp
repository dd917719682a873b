// trace.cpp - regions evaluated with every value kept, each in the format that its place has.
//
// Values are kept in long double, which holds float and double exactly. Each operation is done in
// one format: its operands are rounded to that. Values of F32 that are computed in double are so
// rounded where an operation in float reads them.
#include "trace.h"
#include "arithmetic.h"
#include <algorithm>
#include <cmath>

namespace facet::ir {
namespace {

template <class To, class From> std::array<std::complex<To>, 3> as(const From &vector) {
  std::array<std::complex<To>, 3> out;
  for (std::size_t k = 0; k < 3; ++k)
    out[k] = {static_cast<To>(vector[k].real()), static_cast<To>(vector[k].imag())};
  return out;
}

using ExtendedOperands = std::array<ExtendedVector, 3>;

template <class Real>
ExtendedVector applyIn(const Value &value, const ExtendedOperands &in,
                       const std::array<Type, 3> &types) {
  return as<long double>(
      Arithmetic<Real>::apply(value, {as<Real>(in[0]), as<Real>(in[1]), as<Real>(in[2])}, types));
}

/// Whether F32 computes the value of this region in double.
bool isDouble(const Kernel &kernel, const Region &region, const Value &value) {
  if (&region != &kernel.term || isWide(value.type))
    return true;
  const bool wide = std::ranges::any_of(value.operands(),
                                        [&](Id operand) { return isWide(region[operand].type); });
  const Place place = placeOf(value.domain);
  return wide || (kernel.pack.empty() && (place == Place::Record || place == Place::Call));
}

ExtendedVector applyF32(const Kernel &kernel, const Region &region, const Value &value,
                        const ExtendedOperands &in, const std::array<Type, 3> &types) {
  if (!isDouble(kernel, region, value))
    return applyIn<float>(value, in, types);
  const ExtendedVector made = applyIn<double>(value, in, types);
  const bool rounded = value.op == Op::Narrow && &region == &kernel.term;
  return rounded ? as<long double>(as<float>(made)) : made;
}

bool isFinite(Complex z) { return std::isfinite(z.real()) && std::isfinite(z.imag()); }

/// |to - from| relative to `scale`; infinite if one of the two is no number and the other is.
double movedBy(Complex from, Complex to, double scale) {
  if (isFinite(from) != isFinite(to))
    return std::numeric_limits<double>::infinity();
  const double moved = isFinite(from) ? std::abs(to - from) : 0;
  return moved == 0 ? 0 : moved / scale;
}

} // namespace

Trace::Trace(const Kernel &kernel, const Point &point, Format format, const Substitute *instead)
    : kernel_(kernel), format_(format), instead_(instead), point_(point) {
  const Evaluator by = [this](const Kernel &, const Region &region, const Point &at) {
    const std::vector<ExtendedVector> all = values(region, at);
    std::vector<Vector> out;
    for (const Output &output : region.outputs)
      out.push_back(as<double>(all[output.value]));
    return out;
  };
  evaluateScalars(kernel, point_, by);
  evaluateRecord(kernel, point_, by);
  outputs_ = evaluateFinish(kernel, point_, by);
}

std::vector<ExtendedVector> Trace::values(const Region &region) const {
  return values(region, point_);
}

std::vector<ExtendedVector> Trace::values(const Region &region, const Point &point) const {
  std::vector<ExtendedVector> results;
  std::vector<Vector> packed;
  for (Id id = 0; id < std::ssize(region.values); ++id) {
    const Value &value = region[id];
    if (instead_ != nullptr && &region == instead_->region && id == instead_->id) {
      results.push_back(instead_->value);
      continue;
    }
    if (isLeaf(value.op)) {
      if (value.op == Op::Packed && packed.empty()) {
        const std::vector<ExtendedVector> all = values(kernel_.pack, point);
        for (const Output &output : kernel_.pack.outputs)
          packed.push_back(as<double>(all[output.value]));
      }
      const Vector leaf = leafOf(kernel_, value, point, packed);
      const bool rounded = format_ == Format::F32 && value.op == Op::Packed && !isWide(value.type);
      results.push_back(rounded ? as<long double>(as<float>(leaf)) : as<long double>(leaf));
      continue;
    }
    ExtendedOperands in{};
    std::array<Type, 3> types{};
    for (std::size_t k = 0; k < value.operands().size(); ++k) {
      in[k] = results[value.args[k]];
      types[k] = region[value.args[k]].type;
    }
    results.push_back(format_ == Format::F32   ? applyF32(kernel_, region, value, in, types)
                      : format_ == Format::F64 ? applyIn<double>(value, in, types)
                                               : applyIn<long double>(value, in, types));
  }
  return results;
}

RoundingEffect::RoundingEffect(const Kernel &kernel, const Point &point, Format coarse, Format fine,
                               std::vector<double> scales)
    : kernel_(kernel), point_(point), fine_(fine), scales_(std::move(scales)),
      coarseTrace_(kernel, point, coarse), fineTrace_(kernel, point, fine) {}

double RoundingEffect::of(const Region &region, Id id) const {
  if (isLeaf(region[id].op) || &region == &kernel_.origin)
    return 0;
  const Substitute instead{&region, id, coarseTrace_.values(region)[id]};
  if (instead.value == fineTrace_.values(region)[id])
    return 0;
  const Trace moved(kernel_, point_, fine_, &instead);
  double most = 0;
  if (&region == &kernel_.finish)
    for (std::size_t k = 0; k < moved.outputs().size(); ++k)
      most = std::max(most, movedBy(fineTrace_.outputs()[k], moved.outputs()[k],
                                    std::abs(fineTrace_.outputs()[k])));
  else
    for (std::size_t k = 0; k < moved.sums().size(); ++k)
      most = std::max(most, movedBy(fineTrace_.sums()[k], moved.sums()[k], scales_[k]));
  return most;
}

} // namespace facet::ir
