// kernels.h - the example kernels as IR, and every variant of them.
#pragma once
#include "codegen/ir/evaluate.h"
#include "codegen/passes/passes.h"
#include "tests/support/environment.h"
#include "tests/support/ir.h"
#include <cstdlib>
#include <fmt/format.h>

namespace facet::passes {

inline const std::vector<std::string> exampleNames = {"born", "surface", "closed", "exact",
                                                      "layered"};

inline ir::Kernel example(const std::string &name) { return ir::read(test::exampleIr(name), name); }

inline std::vector<Variant> allVariants() {
  std::vector<Variant> all;
  for (const auto grid : {ir::GridKind::Product, ir::GridKind::Points})
    for (const bool complexQ : {false, true})
      for (const Class klass : {Class::F32, Class::F32Careful, Class::F64})
        all.push_back({grid, complexQ, klass});
  return all;
}

/// F of a mesh of this one record.
inline std::vector<ir::Complex> composed(const ir::Kernel &kernel, ir::Point point) {
  point.setSums(ir::evaluateTerm(kernel, point));
  return ir::evaluateFinish(kernel, point);
}

/// A number of the environment: FACET_RANDOM_KERNELS=5000, FACET_RANDOM_SEED=1000.
inline int number(const char *name, int otherwise) {
  const char *text = std::getenv(name);
  return text ? std::atoi(text) : otherwise;
}

/// How many kernels a test draws: as many as the environment says, `all` by --full, else `some`.
inline int kernelsDrawn(int some, int all) {
  return number("FACET_RANDOM_KERNELS", test::fullTests() ? all : some);
}

/// Well-typed kernels drawn at random, of about `size` operations a region, from `seed` alone. At
/// the first 8 random points, with q complex and real, no value is above 10, lost in rounding or
/// infinite. None is near a branch; roots and moduli have negative reals as often as others.
ir::Kernel randomKernel(std::uint64_t seed, int size);
/// Kernels of the family that the fast algorithms are for: a sum of weights of low rank times
/// waves. Some are written as cism1, sines, conjugates, products of two, or means. q.z is complex.
ir::Kernel lowRankKernel(std::uint64_t seed);

inline std::string spelling(const Variant &variant) {
  return fmt::format("{} {} {}", variant.grid == ir::GridKind::Points ? "points" : "product",
                     variant.complexQ ? "cplx" : "real", spelling(variant.klass));
}

} // namespace facet::passes
