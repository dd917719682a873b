// pipeline.cpp - the passes of each algorithm in order, each with the reason for its place; they
// run one after the other, with checks after each.
#include "forms.h"
#include "same_values.h"
#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace facet::passes {

using namespace ir;

namespace {

/// Whose list a pass is in: direct sums, separable ones, transforms.
enum Of : std::uint8_t { D = 1, S = 2, N = 4, All = D | S | N };

struct Row {
  int of;
  Pass pass;
};

const Row rows[] = {
    {All,
     {"specialise", specialise,
      "First: grid kind and types of q decide every domain and type that the others look at; real "
      "phases take the cheap form of mean_cis."}},
    {S | N,
     {"quadrature", quadrature,
      "Before expand, which would write means out: nodes make plain waves of them."}},
    {D,
     {"expand", expand,
      "Vectors hide components, and domains are a matter of components: q.x n.x is [x t], "
      "dot(q, n) is everything. Means are expanded while phases may still be complex, once for "
      "both cases; their series is as long as the class needs.",
      true}},
    {S | N,
     {"expand", expand,
      "Vectors hide components: q.x n.x is of x and t, dot(q, n) of everything; phases are linear "
      "in the components of q."}},
    {All,
     {"fold", fold,
      "Specialising left conj and re of reals, expanding left numbers; signs and i reach the "
      "root, where hoist takes them."}},
    {All,
     {"cse", cse, "Factors are compared by identity after it: equal values must be one value."}},
    {D,
     {"hoist", hoist,
      "Before split: a complex factor without t is one factor now, four products later."}},
    {D,
     {"gather", gather,
      "After hoist, which put the record's factors side by side; before split, so that a complex "
      "sum is scaled once."}},
    {D,
     {"addition", addition,
      "After hoist, so that a weight stands beside its wave; before split: a wave is one value, "
      "and e^{-b} goes with its part of the phase. Nothing without the knob `addition`."}},
    {S,
     {"separate", separate,
      "Before split: a wave is one factor now, and cis(a + b) a product of two."}},
    {N,
     {"interpolate", interpolate,
      "After cse: a scalar of q is one value, wherever it is read. Before transform, which finds "
      "functions of t."}},
    {N, {"transform", transform, "Before split: a wave is one factor now."}},
    {D | S,
     {"split", split,
      "Halide has no complex numbers. Before turns, since the real and imaginary part of a phase "
      "take different constants."}},
    {N, {"split", split, "Strengths, totals and what finish makes of them are pairs of reals."}},
    {All, {"fold-2", fold, "split makes products with 1, signs, and parts that are zero."}},
    {D | S,
     {"cse-2", cse,
      "e^{-b}, sine and cosine of one phase were made wherever they were asked for; turns must see "
      "who else needs a phase."}},
    {N, {"cse-2", cse, "Last: what is generated holds every value once."}},
    {S, {"chain", chain, "After split, which made the sums; fold-2 left no signs within them."}},
    {D | S, {"turns", turns, "Before pack: the constants sink into values of the record."}},
    {D,
     {"widen", widen,
      "After turns, which fixed the arguments; before pack, so that columns of the phase are "
      "wide."}},
    {S, {"widen", widenTables, "After turns, which fixed what tables are made of; before pack."}},
    {D | S, {"fold-3", fold, "The constants that turns and widen pushed down meet others there."}},
    {D | S, {"cse-3", cse, "Packed columns are told apart by identity."}},
    {D | S,
     {"pack", pack,
      "Before math: a function of the record alone is left to <cmath>, once a record, in double."}},
    {D | S, {"math", math, "Only what loops and tables compute is left now.", true}},
    {D, {"signs", signs, "math made the signs it moves."}},
    {D | S, {"fold-4", fold, "Products with numbers left by pack and math."}},
    {D | S,
     {"cse-4", cse, "Last: what is lowered holds every value once, and none that is not used."}},
};

void mustKnow(const std::vector<Pass> &passes, std::string_view name) {
  if (name.empty() ||
      std::ranges::any_of(passes, [&](const Pass &pass) { return pass.name == name; }))
    return;
  std::string known;
  for (const Pass &pass : passes)
    known += fmt::format("{}{}", known.empty() ? "" : ", ", pass.name);
  throw Error{fmt::format("there is no pass '{}'; the passes are {}", name, known), {}};
}

} // namespace

std::string_view spelling(Class klass) {
  static constexpr std::string_view names[] = {"f32", "f32-careful", "f64"};
  return names[static_cast<int>(klass)];
}

std::string_view spelling(Algorithm algorithm) {
  static constexpr std::string_view names[] = {"direct", "separable", "nufft"};
  return names[static_cast<int>(algorithm)];
}

double tolerance(Class klass) { return klass == Class::F64 ? 1e-13 : 1e-6; }

Kernel run(const Kernel &kernel, const Variant &variant, const PipelineOptions &options) {
  return run(pipeline(variant), kernel, variant, options);
}

const std::vector<Pass> &pipeline(const Variant &variant) {
  static const auto lists = [] {
    std::array<std::vector<Pass>, 3> made;
    for (const Row &row : rows)
      for (int k = 0; k < 3; ++k)
        if (row.of >> k & 1)
          made[k].push_back(row.pass);
    return made;
  }();
  return lists[static_cast<int>(variant.algorithm)];
}

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
    } catch (const Refusal &refusal) { // the kernel does not have the form
      throw Error{fmt::format("kernel '{}' has no {} form: {}", kernel.name,
                              spelling(variant.algorithm), reasonText(refusal, kernel)),
                  refusal.loc};
    } catch (const Error &error) {
      throw Error{
          fmt::format("pass '{}' broke kernel '{}': {}", pass.name, kernel.name, error.message),
          error.loc};
    }
    if (options.check)
      checkSameValues(kernel, before, result, pass, variant, options.points);
    if (pass.name == options.after)
      break;
  }
  return result;
}

} // namespace facet::passes
