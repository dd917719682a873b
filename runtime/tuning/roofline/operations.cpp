// operations.cpp - the counts of a variant, from the manifest of its library.
#include "runtime/files/json.h"
#include "runtime/tuning/roofline/traffic.h"
#include <facet/runtime/error.h>
#include <facet/runtime/kernel.h>

namespace facet::runtime {

Operations operationsOf(const facet_kernel_description &kernel, const facet_variant &variant) {
  const Json manifest = parseJson(kernel.manifest);
  const auto list = manifest.is_object() ? manifest.find("variants") : manifest.end();
  const auto is = [](const Json &v, const char *key, const std::string &word) {
    return v.value(key, "") == word;
  };
  if (manifest.is_object() && list != manifest.end())
    for (const Json &v : *list) {
      if (!is(v, "target", variant.target) || !is(v, "class", className(variant.klass)) ||
          !is(v, "grid", gridName(variant.grid)) || !is(v, "q", qName(variant.q)) ||
          !is(v, "algorithm", algorithmName(variant.algorithm)) || !v.contains("operations"))
        continue;
      const Json &o = v["operations"];
      const auto n = [&](const char *name) { return o.value(name, 0); };
      Operations made;
      made.flopsAQ = o.value("flops_a_q", "");
      made.innerFlops = n("inner_flops");
      made.innerInstructions = n("inner_instructions");
      made.innerMultiplyAdds = n("inner_multiply_adds");
      made.innerSincos = n("inner_sincos");
      made.innerPowers = n("inner_powers");
      made.innerDivisions = n("inner_divisions");
      made.rowFlops = n("row_flops");
      made.rowValues = n("row_values");
      made.columnFlops = n("column_flops");
      made.columnInstructions = n("column_instructions");
      made.columnValues = n("column_values");
      made.recordValues = n("record_values");
      made.packFlops = n("pack_flops");
      made.finishFlops = n("finish_flops");
      return made;
    }
  throw Error(std::string("kernel ") + kernel.name, "its library does not say what it computes",
              "build it again with facet build");
}

} // namespace facet::runtime
