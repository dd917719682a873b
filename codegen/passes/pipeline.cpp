// pipeline.cpp - the passes in order, each with the reason for its place, and the check after each.
#include "passes.h"
#include "support/check.h"
#include <algorithm>
#include <fmt/format.h>

namespace facet::passes {

using namespace ir;

std::string_view spelling(Class klass) {
  static constexpr std::string_view names[] = {"f32", "f32-careful", "f64"};
  return names[static_cast<std::size_t>(klass)];
}

std::string_view spelling(Algorithm algorithm) {
  static constexpr std::string_view names[] = {"direct", "separable", "nufft"};
  return names[static_cast<std::size_t>(algorithm)];
}

const std::vector<Pass> &pipeline() {
  static const std::vector<Pass> list = {
      {"specialise", specialise,
       "First: grid kind and types of q decide every domain and type that the others look at; real "
       "phases take the cheap form of mean_cis."},
      {"expand", expand,
       "Vectors hide components, and domains are a matter of components: q.x n.x is [x t], "
       "dot(q, n) is everything. Means are expanded while phases may still be complex, once for "
       "both cases; their series is as long as the class needs.",
       true},
      {"fold", fold,
       "Specialising left conj and re of reals, expanding left numbers; signs and i reach the "
       "root, where hoist takes them."},
      {"cse", cse, "hoist and gather compare factors by identity: equal values must be one value."},
      {"hoist", hoist,
       "Before split: a complex factor without t is one factor now, four products later."},
      {"gather", gather,
       "After hoist, which put the record's factors side by side; before split, so that a "
       "complex sum is scaled once."},
      {"split", split,
       "Halide has no complex numbers. Before turns, since the real and imaginary part of a phase "
       "take different constants."},
      {"fold-2", fold, "split makes products with 1, signs, and parts that are zero."},
      {"cse-2", cse,
       "e^{-b}, sine and cosine of one phase were made wherever they were asked for; turns must "
       "see who else needs a phase."},
      {"turns", turns, "Before pack: the constants sink into values of the record."},
      {"widen", widen,
       "After turns, which fixed the arguments; before pack, so that columns of the "
       "phase are wide."},
      {"fold-3", fold, "The constants that turns and widen pushed down meet others there."},
      {"cse-3", cse, "Packed columns are told apart by identity."},
      {"pack", pack,
       "Before math: a function of the record alone is left to <cmath>, once a record, in double."},
      {"math", math, "Only what the loop over records computes is left now.", true},
      {"signs", signs, "math made the signs it moves."},
      {"fold-4", fold, "Products with numbers left by pack and math."},
      {"cse-4", cse, "Last: what is lowered holds every value once, and none that is not used."},
  };
  return list;
}

Kernel run(const Kernel &kernel, const Variant &variant, const PipelineOptions &options) {
  return run(pipeline(), kernel, variant, options);
}

namespace {

void mustKnow(const std::vector<Pass> &passes, std::string_view name) {
  if (name.empty() || std::any_of(passes.begin(), passes.end(),
                                  [&](const Pass &pass) { return pass.name == name; }))
    return;
  std::string known;
  for (const Pass &pass : passes)
    known += fmt::format("{}{}", known.empty() ? "" : ", ", pass.name);
  throw Error{fmt::format("there is no pass '{}'; the passes are {}", name, known), {}};
}

} // namespace

Kernel run(const std::vector<Pass> &passes, const Kernel &kernel, const Variant &variant,
           const PipelineOptions &options) {
  mustKnow(passes, options.after);
  mustKnow(passes, options.only);
  Kernel result = kernel;
  annotate(result);
  for (const Pass &pass : passes) {
    if (!options.only.empty() && pass.name != options.only)
      continue;
    const Kernel before = options.check ? result : Kernel{};
    try {
      pass.run(result, variant);
      verify(result);
    } catch (const Error &error) {
      throw Error{
          fmt::format("pass '{}' broke kernel '{}': {}", pass.name, kernel.name, error.message),
          error.loc};
    }
    if (options.check)
      checkSameValues(before, result, pass, variant, options.points);
    if (pass.name == options.after)
      break;
  }
  return result;
}

} // namespace facet::passes
