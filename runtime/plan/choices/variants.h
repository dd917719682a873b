// variants.h - the variants of a library that a plan needs beside the one it sums with.
#pragma once
#include <facet/runtime/kernel.h>

namespace facet::runtime {

/// A direct variant for real or complex q (or for complex q, if there is none for real); null if
/// the library has none.
const facet_variant *findDirect(const Kernel &kernel, const std::string &target, int klass,
                                int grid, int q);
/// Direct, points, f64: what repairs; null if the library has none.
const facet_variant *findPrecise(const Kernel &kernel, const std::string &target, int q);
/// `precise`, else any direct variant, for its finish. Throws Error if there is none.
const facet_variant &anyDirect(const Kernel &kernel, const std::string &target, int q,
                               const facet_variant *precise);
bool runsOnDevice(const Kernel &kernel, const std::string &target);

} // namespace facet::runtime
