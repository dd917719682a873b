// knobs.cpp - the default knobs, from the table.
#include "lower.h"

namespace facet::lower {

schedules::Knobs defaultKnobs(const passes::Variant &variant, const std::string &target) {
  struct Row {
    passes::Algorithm algorithm;
    std::string_view target;
    passes::Class klass;
    ir::GridKind grid;
    bool complexQ;
    schedules::Knobs knobs;
  };
  constexpr bool real = false, cplx = true;
  using enum passes::Class;
  using enum ir::GridKind;
  static constexpr Row table[] = {
#define FACET_KNOBS(target, klass, grid, q, tileY, tileZ, blockT)                                  \
  {passes::Algorithm::Direct, #target, klass, grid, q, {tileY, tileZ, blockT}},
#define FACET_SEPARABLE_KNOBS(target, klass, q, tileY, tileZ, blockT)                              \
  {passes::Algorithm::Separable, #target, klass, Product, q, {tileY, tileZ, blockT}},
#include "schedules/knobs.def"
  };
  for (const Row &row : table)
    if (row.algorithm == variant.algorithm && row.target == target && row.klass == variant.klass &&
        row.grid == variant.grid && row.complexQ == variant.complexQ)
      return row.knobs;
  return {};
}

} // namespace facet::lower
