// lists.cpp - the passes of each algorithm in order, each with the reason for its place.
#include "fast/fast.h"

namespace facet::passes {

namespace {

constexpr std::string_view first =
    "First: grid kind and types of q decide every domain and type that the others look at; real "
    "phases take the cheap form of mean_cis.";
constexpr std::string_view nodes =
    "Before expand, which would write means out: nodes make plain waves of them.";
constexpr std::string_view identity =
    "Factors are compared by identity: equal values must be one value.";

const std::vector<Pass> &direct() {
  static const std::vector<Pass> list = {
      {"specialise", specialise, first},
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
      {"addition", addition,
       "After hoist, so that a weight stands beside its wave; before split: a wave is one value, "
       "and e^{-b} goes with its part of the phase. Nothing without the knob `addition`."},
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

const std::vector<Pass> &separable() {
  static const std::vector<Pass> list = {
      {"specialise", specialise, first},
      {"quadrature", quadrature, nodes},
      {"expand", expand,
       "Vectors hide components: q.x n.x is of x and t, dot(q, n) of everything."},
      {"fold", fold, "Specialising left conj and re of reals, expanding left numbers."},
      {"cse", cse, identity},
      {"separate", separate,
       "Before split: a wave is one factor now, and cis(a + b) a product of two."},
      {"split", split, "Halide has no complex numbers."},
      {"fold-2", fold, "split makes products with 1, signs, and parts that are zero."},
      {"cse-2", cse, "Sine and cosine of one phase were made wherever they were asked for."},
      {"chain", chain, "After split, which made the sums; fold-2 left no signs within them."},
      {"turns", turns, "Before pack: the constants sink into values of the record."},
      {"widen", widenTables, "After turns, which fixed what tables are made of; before pack."},
      {"fold-3", fold, "The constants that turns and widen pushed down meet others there."},
      {"cse-3", cse, "Packed columns are told apart by identity."},
      {"pack", pack,
       "Before math: a function of the record alone is left to <cmath>, once a record, in double."},
      {"math", math, "Only what tables are made of is left now.", true},
      {"fold-4", fold, "Products with numbers left by pack and math."},
      {"cse-4", cse, "Last: what is lowered holds every value once, and none that is not used."},
  };
  return list;
}

const std::vector<Pass> &nufft() {
  static const std::vector<Pass> list = {
      {"specialise", specialise, first},
      {"quadrature", quadrature, nodes},
      {"expand", expand, "Phases are linear in the components of q."},
      {"fold", fold, "Specialising left conj and re of reals, expanding left numbers."},
      {"cse", cse, identity},
      {"transform", transform, "Before split: a wave is one factor now."},
      {"split", split, "Strengths, totals and what finish makes of them are pairs of reals."},
      {"fold-2", fold, "split makes products with 1, signs, and parts that are zero."},
      {"cse-2", cse, "Last: what is generated holds every value once."},
  };
  return list;
}

} // namespace

const std::vector<Pass> &pipeline(const Variant &variant) {
  return variant.algorithm == Algorithm::Separable ? separable()
         : variant.algorithm == Algorithm::Nufft   ? nufft()
                                                   : direct();
}

} // namespace facet::passes
