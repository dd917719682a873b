// literals.cpp - the lowering pass that writes doubles by their bits.
#include "literals.h"
#include <bit>

namespace facet::lower::gpu {
namespace {

using namespace Halide::Internal;

class Doubles : public IRMutator {
public:
  using IRMutator::mutate;

private:
  using IRMutator::visit;
  Halide::Expr visit(const FloatImm *number) override {
    const double value = number->value;
    if (number->type.bits() != 64 || static_cast<double>(static_cast<float>(value)) == value)
      return number;
    return Reinterpret::make(number->type,
                             UIntImm::make(Halide::UInt(64), std::bit_cast<std::uint64_t>(value)));
  }
};

} // namespace

void keepDoubles(Halide::Func &output) { output.add_custom_lowering_pass(new Doubles); }

} // namespace facet::lower::gpu
