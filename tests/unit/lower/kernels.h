// kernels.h - kernels as text, before any pass, that the tests of sums compile.
#pragma once
#include "tests/support/ir.h"

namespace facet::test {

/// A hoistable factor, a weight, a phase; e^{i q.c} - 1 with conj(q); three phases of a triangle.
inline const std::string Born = exampleIr("born"), Closed = exampleIr("closed"),
                         Exact = exampleIr("exact");

/// A phase of rows alone, in a factor of the whole term.
inline const std::string RowWave =
    kernelIr("triangle { area: real, centroid: vec3 } grid product { x: real, y: real, z: real }",
             "%1 = mul q.z, t.area  %2 = component.x t.centroid  %3 = mul q.y, %2 %4 = cism1 %3 "
             "%5 = mul %1, %4 yield %5");

/// A parameter, a choice and a square root in the inner loop.
inline const std::string Odd = kernelIr(
    "triangle { area: real, centroid: vec3 } grid product { x: real, y: real, z: cplx } "
    "params { kappa }",
    "%1 = dot q, t.centroid  %2 = re %1  %3 = abs %2  %4 = mul p.kappa, %3  %5 = add %4, 1 "
    "%6 = sqrt %5  %7 = less %2, 0  %8 = select %7, t.area, %6  %9 = cis %1  %10 = mul %8, %9 "
    "yield %10");

} // namespace facet::test
