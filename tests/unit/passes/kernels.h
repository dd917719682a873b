// kernels.h - the example kernels as IR, and every variant of them.
#pragma once
#include "codegen/passes/passes.h"
#include <fmt/format.h>
#include <fstream>
#include <sstream>

namespace facet::passes {

inline const std::vector<std::string> exampleNames = {"born", "surface", "closed", "exact",
                                                      "layered"};

inline ir::Kernel example(const std::string &name) {
  const std::string path = std::string(FACET_KERNELS) + "/" + name + ".fir";
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return ir::read(text.str(), path);
}

inline std::vector<Variant> allVariants() {
  std::vector<Variant> all;
  for (const auto grid : {ir::GridKind::Product, ir::GridKind::Points})
    for (const bool complexQ : {false, true})
      for (const Class klass : {Class::F32, Class::F32Careful, Class::F64})
        all.push_back({grid, complexQ, klass});
  return all;
}

inline std::string spelling(const Variant &variant) {
  return fmt::format("{} {} {}", variant.grid == ir::GridKind::Points ? "points" : "product",
                     variant.complexQ ? "cplx" : "real", spelling(variant.klass));
}

} // namespace facet::passes
