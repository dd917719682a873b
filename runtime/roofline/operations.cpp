// operations.cpp - the counts of a variant, from the manifest of its library.
#include "runtime/roofline/traffic.h"
#include <facet/runtime/error.h>
#include <facet/runtime/kernel.h>
#include <nlohmann/json.hpp>

namespace facet::runtime {

Operations operationsOf(const facet_kernel_description &kernel, const facet_variant &variant) {
  const auto manifest = nlohmann::json::parse(kernel.manifest, nullptr, false);
  const auto list = manifest.is_object() ? manifest.find("variants") : manifest.end();
  const auto is = [](const nlohmann::json &v, const char *key, const std::string &word) {
    return v.value(key, "") == word;
  };
  if (manifest.is_object() && list != manifest.end())
    for (const nlohmann::json &v : *list) {
      if (!is(v, "target", variant.target) || !is(v, "class", className(variant.klass)) ||
          !is(v, "grid", gridName(variant.grid)) || !is(v, "q", qName(variant.q)) ||
          !is(v, "algorithm", algorithmName(variant.algorithm)) || !v.contains("operations"))
        continue;
      const nlohmann::json &o = v["operations"];
      const auto n = [&](const char *name) { return o.value(name, 0); };
      return {o.value("flops_a_q", ""), n("inner_flops"),   n("inner_instructions"),
              n("inner_multiply_adds"), n("inner_sincos"),  n("inner_powers"),
              n("inner_divisions"),     n("row_flops"),     n("row_values"),
              n("column_flops"),        n("column_values"), n("record_values"),
              n("pack_flops"),          n("finish_flops")};
    }
  throw Error(std::string("kernel ") + kernel.name, "its library does not say what it computes",
              "build it again with facet build");
}

} // namespace facet::runtime
