// extended.h - the example kernels in long double: a judge that shares nothing with a run.
#pragma once
#include <complex>
#include <facet/runtime/plan.h>
#include <string>
#include <vector>

namespace facet::test {

/// F at the q `at` of the grid by examples/kernels/NAME.cpp with real = long double and compensated
/// sums, from the same columns of doubles that a run reads.
std::vector<std::complex<long double>> inLongDouble(const std::string &kernel,
                                                    const runtime::Mesh &mesh,
                                                    const runtime::Grid &grid,
                                                    const std::vector<std::int64_t> &at);

} // namespace facet::test
