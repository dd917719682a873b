// dwba.h - the distorted-wave Born approximation: what a particle in a layer scatters, from its
// form factor.
//
// The classic four terms: M. Rauscher, T. Salditt, H. Spohn, Phys. Rev. B 52 (1995) 16855; G.
// Renaud, R. Lazzari, F. Leroy, Surf. Sci. Rep. 64 (2009) 255, in facet's convention of signs
// (stack.h). Sample frame: z up, x along the beam's footprint, y to the left seen along the beam.
//
//   Phi = sum over the channels of factor F(q'x, q'y, channel.qz),   F(q') = int e^{iq'.r} d3r
//   dsigma/dOmega = |contrast Phi|^2
#pragma once
#include "runtime/experiment/physics/waves.h"
#include <array>

namespace facet::runtime {

/// One of the four ways: how the beam meets the particle, how what it scatters leaves.
struct Channel {
  std::complex<double> qz;     // of q' = k_i - k_f, nm^-1
  std::complex<double> factor; // of F of the particle centred at its height
};
/// Neither side reflected; the way out; the way in; both.
using Channels = std::array<Channel, 4>;

/// From the waves at the height of the particle's centre (waveAt), so that e^{i qz height} is in
/// the factors and F is that of the particle centred at z = 0: without it e^{-Im(qz) z} would
/// overflow deep in an absorbing film. Many pixels share `in`.
Channels channels(const Wave &in, const Wave &out);

/// q'x and q'y of q' = k_i - k_f, nm^-1: k n_0 (cos ai - cos af cos phi), -k n_0 cos af sin phi.
std::array<double, 2> lateral(const Stack &stack, double k, double alphaI, double alphaF,
                              double phiF);

/// (k^2 / 4 pi) (n_p^2 - n_l^2) of a particle in a layer, nm^-2: near -(rho_p - rho_l), densities
/// of scattering length. Complex, since particles of several materials may add up.
std::complex<double> contrast(const Medium &layer, double k, double delta, double beta);

} // namespace facet::runtime
