// absent.cpp - stands for the transforms in a build without them: every layout is refused.
#include "runtime/nufft/transforms.h"
#include <facet/runtime/error.h>
namespace facet::runtime {
struct NufftTransforms::State {};
NufftConstants measureNufftConstants() { return {}; }
NufftLayout layOutNufft(const Grid &, const NufftRequest &) {
  NufftLayout l;
  l.refusal = "this build has no transforms";
  return l;
}
NufftCost nufftCost(const NufftLayout &, const NufftConstants &) { return {}; }
std::string NufftLayout::text() const { return ""; }
NufftTransforms::NufftTransforms(const Grid &, const NufftRequest &) {}
NufftTransforms::NufftTransforms(NufftTransforms &&) noexcept = default;
NufftTransforms::~NufftTransforms() = default;
void NufftTransforms::setParallel(NufftParallel) {}
void NufftTransforms::execute(const NufftPoints &, std::span<const std::complex<double> *const>,
                              std::span<std::complex<double> *const>) {}
} // namespace facet::runtime
