// reference_gcc.h - references compiled with the tests.
#pragma once
#include <facet/abi.h>

namespace facet::test {
extern const facet_reference_fn bornByGcc, closedByGcc;
extern const facet_origin_fn closedOriginByGcc;
} // namespace facet::test
