// variants.cpp - looks for direct variants: for finish, for repair.
#include "runtime/plan/choices/variants.h"
#include <algorithm>
#include <fmt/format.h>

namespace facet::runtime {

const facet_variant *findDirect(const Kernel &kernel, const std::string &target, int klass,
                                int grid, int q) {
  for (int kind = q; kind <= FACET_COMPLEX_Q; ++kind)
    if (const facet_variant *v = kernel.find(target, klass, grid, kind, FACET_DIRECT))
      return v;
  return nullptr;
}

/// What repairs lists of few q. A device would have to compile one more kernel for them, so if one
/// runs the target, this is the variant of the best CPU target, if there is one.
const facet_variant *findPrecise(const Kernel &kernel, const std::string &target, int q) {
  const facet_variant *found = findDirect(kernel, target, FACET_F64, FACET_POINTS, q);
  if (found != nullptr && found->interface_ == FACET_CPU)
    return found;
  for (const Target &t : targets())
    if (t.runnable())
      if (const facet_variant *v = findDirect(kernel, t.name, FACET_F64, FACET_POINTS, q);
          v != nullptr && v->interface_ == FACET_CPU)
        found = v;
  return found;
}

const facet_variant &anyDirect(const Kernel &kernel, const std::string &target, int q,
                               const facet_variant *precise) {
  if (precise != nullptr)
    return *precise;
  for (const int kind : {FACET_PRODUCT, FACET_POINTS})
    for (const int klass : {FACET_F32, FACET_F32_CAREFUL, FACET_F64})
      if (const facet_variant *v = findDirect(kernel, target, klass, kind, q))
        return *v;
  throw Error(kernel.path().empty() ? std::string("kernel ") + kernel->name : kernel.path(),
              fmt::format("holds no variant for {} q, target {}", qName(q), target),
              "build it with facet build for this grid, or give facet run the kernel's source");
}

bool runsOnDevice(const Kernel &kernel, const std::string &target) {
  return std::any_of(
      kernel->variants, kernel->variants + kernel->variant_count,
      [&](const facet_variant &v) { return target == v.target && v.interface_ != FACET_CPU; });
}

} // namespace facet::runtime
