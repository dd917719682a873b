// atoms.cpp - molecules and crystallites: a table of atoms, each with its place, its element and
// its thermal motion.
#include <facet/dsl.h>
using namespace facet;

/// f(s) = sum a_k e^{-b_k s^2} + c electrons, s = |q| / 4 pi: five Gaussians an element (Waasmaier
/// and Kirfel, Acta Cryst. A51, 1995, 416).
struct Atom {
  position3 place;
  real a1, a2, a3, a4, a5, c; // electrons
  real b1, b2, b3, b4, b5;    // nm^2
  real B; // nm^2, of the Debye-Waller factor e^{-B s^2}: 8 pi^2 times the mean square along q
};

/// Amplitude of all atoms, in electrons: F = sum f(s) e^{-B s^2} e^{i q.r}; at q = 0 their number,
/// less the ions' charges.
struct FACET_KERNEL atoms {
  using Grid = product<real, real, cplx>;
  static real shell(real a, real b, real s2) { return a * exp(-b * s2); }
  static cplx term(Grid::q q, const Atom &t) {
    const real s2 = norm2(q) / (16 * pi * pi);
    const real inner = shell(t.a1, t.b1, s2) + shell(t.a2, t.b2, s2) + shell(t.a3, t.b3, s2);
    const real f = inner + shell(t.a4, t.b4, s2) + shell(t.a5, t.b5, s2) + t.c;
    return f * exp(-t.B * s2) * cis(dot(q, t.place));
  }
  static cplx finish(Grid::q, cplx sum) { return sum; }
};
