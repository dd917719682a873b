// solution.cpp - a protein in water: its atoms, the water that they displace, and that bound to
// their surface.
#include <facet/dsl.h>
using namespace facet;

/// f(s) = sum a_k e^{-b_k s^2} + c electrons, s = |q| / 4 pi, blurred by B: an atom, or water bound
/// at a place of the surface. Atoms have no `shell`, water has no f and no `volume`.
struct Site {
  position3 place;
  real a1, a2, a3, a4, a5, c; // electrons
  real b1, b2, b3, b4, b5;    // nm^2
  real B;                     // nm^2
  real volume;                // nm^3 of solvent that is displaced, a Gaussian ball
  real shell;                 // nm^3 of bound water
};

/// Amplitude in electrons, less what the solvent has everywhere (D. Svergun, C. Barberato, M. H. J.
/// Koch, J. Appl. Cryst. 28 (1995) 768; displaced balls after R. D. B. Fraser, T. P. MacRae, E.
/// Suzuki, J. Appl. Cryst. 11 (1978) 693).
struct FACET_KERNEL solution {
  using Grid = product<real, real, cplx>;
  /// Electrons, nm^-3: of the solvent, and how many more bound water has.
  struct Params {
    real solvent = 334;
    real hydration = 30;
  };
  static real shell(real a, real b, real s2) { return a * exp(-b * s2); }
  static cplx term(Grid::q q, const Site &t, const Params &p) {
    const real s2 = norm2(q) / (16 * pi * pi);
    const real inner = shell(t.a1, t.b1, s2) + shell(t.a2, t.b2, s2) + shell(t.a3, t.b3, s2);
    const real f = inner + shell(t.a4, t.b4, s2) + shell(t.a5, t.b5, s2) + t.c;
    const real ball = t.volume * exp(-norm2(q) * pow(t.volume, 2.0 / 3) / (4 * pi));
    const real seen = (f + p.hydration * t.shell) * exp(-t.B * s2) - p.solvent * ball;
    return seen * cis(dot(q, t.place));
  }
  static cplx finish(Grid::q, cplx sum) { return sum; }
};
