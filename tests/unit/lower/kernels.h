// kernels.h - kernels as text, before any pass, that the tests of sums compile.
#pragma once

namespace facet::test {

/// The classic integrand: a hoistable factor, a weight, a phase.
inline constexpr const char *Born = R"(kernel @born {
  triangle { area: real, normal: vec3, centroid: vec3 }
  grid product { x: real, y: real, z: cplx }
  sum t {
    %1 = dot q, t.normal
    %2 = mul t.area, %1
    %3 = dot q, t.centroid
    %4 = cis %3
    %5 = mul %2, %4
    yield %5
  }
  finish {
    %1 = mul i, sum
    %2 = neg %1
    %3 = dot q, q
    %4 = div %2, %3
    yield %4
  }
}
)";

/// e^{i q.c} - 1, with conj(q): no singularity at q.q = 0.
inline constexpr const char *Closed = R"(kernel @closed {
  triangle { area: real, normal: vec3, centroid: vec3 }
  grid product { x: real, y: real, z: cplx }
  sum t {
    %1 = conj q
    %2 = dot %1, t.normal
    %3 = mul t.area, %2
    %4 = dot q, t.centroid
    %5 = cism1 %4
    %6 = mul %3, %5
    yield %6
  }
  finish {
    %1 = mul i, sum
    %2 = neg %1
    %3 = norm2 q
    %4 = div %2, %3
    yield %4
  }
}
)";

/// A phase of rows alone, in a factor of the whole term.
inline constexpr const char *RowWave = R"(kernel @row_wave {
  triangle { area: real, centroid: vec3 }
  grid product { x: real, y: real, z: real }
  sum t {
    %1 = mul q.z, t.area
    %2 = component.x t.centroid
    %3 = mul q.y, %2
    %4 = cism1 %3
    %5 = mul %1, %4
    yield %5
  }
  finish {
    yield sum
  }
}
)";

/// A parameter, a choice and a square root in the inner loop.
inline constexpr const char *Odd = R"(kernel @odd {
  triangle { area: real, normal: vec3, centroid: vec3 }
  grid product { x: real, y: real, z: cplx }
  params { kappa }
  sum t {
    %1 = dot q, t.centroid
    %2 = re %1
    %3 = abs %2
    %4 = mul p.kappa, %3
    %5 = add %4, 1
    %6 = sqrt %5
    %7 = less %2, 0
    %8 = select %7, t.area, %6
    %9 = cis %1
    %10 = mul %8, %9
    yield %10
  }
  finish {
    yield sum
  }
}
)";

/// The mean over each triangle: three phases, divided differences.
inline constexpr const char *Exact = R"(kernel @exact {
  triangle { area: real, normal: vec3, vertex0: vec3, vertex1: vec3, vertex2: vec3 }
  grid product { x: real, y: real, z: cplx }
  sum t {
    %1 = conj q
    %2 = dot %1, t.normal
    %3 = mul t.area, %2
    %4 = dot q, t.vertex0
    %5 = dot q, t.vertex1
    %6 = dot q, t.vertex2
    %7 = mean_cism1 %4, %5, %6
    %8 = mul %3, %7
    yield %8
  }
  finish {
    %1 = mul i, sum
    %2 = neg %1
    %3 = norm2 q
    %4 = div %2, %3
    yield %4
  }
}
)";

} // namespace facet::test
