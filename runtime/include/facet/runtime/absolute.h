// absolute.h - what |F|^2 of a body tends to at small and at large q, by its volume and surface.
#pragma once
#include "mesh_stream.h"
#include <string>

namespace facet::runtime {

/// <|F|^2>, over all directions, of the volume form factor F(q), the integral of e^{iq.r} over the
/// body, nm^3. With the radius of gyration Rg it is `forward` (1 - (q Rg)^2 / 3 + ..) at small q:
/// A. Guinier, Ann. Phys. 11 (1939) 161. Times |contrast|^2, nm^-4, it is dsigma/dOmega, nm^2.
struct CurveLimits {
  double forward = 0; // at q = 0: V^2, nm^6
  double porod = 0;   // lim q^4 <|F|^2> = 2 pi S, nm^2: G. Porod, Kolloid-Z. 124 (1951) 83
};
/// None of an open surface, and of records that are none.
std::optional<CurveLimits> limitsOf(const MeshSummary &mesh);
/// The same of a mesh by its report.
std::optional<CurveLimits> limitsOf(const MeshReport &mesh);

/// "centroid (0, 0, 0) nm, radius of gyration 10.8 nm, |F|^2 of the volume 3.6e+07 nm^6 at q = 0,
/// 1.382e+04 nm^2 / q^4 at large q"; why there is none of an open surface.
std::string absoluteText(const MeshSummary &mesh);
std::string absoluteText(const MeshReport &mesh);

} // namespace facet::runtime
