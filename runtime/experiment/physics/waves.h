// waves.h - the wave in each layer of a stack: Parratt's recursion with Nevot and Croce's
// roughness.
//
// L. G. Parratt, Phys. Rev. 95 (1954) 359; L. Nevot, P. Croce, Rev. Phys. Appl. 15 (1980) 761.
// Formulas as computed: docs/experiments.md. One polarisation (s); p differs negligibly at grazing
// angles. Every exponential decays, so that thick absorbing films neither overflow nor give NaN.
#pragma once
#include "runtime/experiment/physics/stack.h"

namespace facet::runtime {

/// psi = transmitted e^{-i kz (z - z0)} + reflected e^{+i kz (z - z0)}, for a unit amplitude
/// incident on the first interface; z0 is the height the amplitudes are given for.
struct Wave {
  std::complex<double> kz; // nm^-1, Im kz >= 0
  std::complex<double> transmitted, reflected;
};

/// The waves of all layers at an angle of `alpha` rad from the surface, 0 to pi/2, measured in the
/// top layer; `k`: 2 pi / wavelength in vacuum, nm^-1. Amplitudes at the top of each layer, and of
/// the top layer at the first interface. The stack is taken as checked. Throws Error for another
/// alpha.
std::vector<Wave> waves(const Stack &stack, double k, double alpha);

/// The wave of one layer with its amplitudes at `height` nm (<= 0 from the layer's top, in the top
/// layer >= 0 from the first interface), as a particle centred there meets it.
Wave waveAt(const Stack &stack, std::size_t layer, double height, double k, double alpha);

/// psi at `heights` nm, measured up from the first interface through all layers; on an interface
/// that of the layer below it (smooth ones have the same psi on both sides).
std::vector<std::complex<double>> field(const Stack &stack, double k, double alpha,
                                        const std::vector<double> &heights);

/// What enters the substrate of the beam's flux through the surface, of waves() of a stack:
/// Re kz_N |T_N|^2 / Re kz_0; 0 if alpha is 0. With the reflectivity it makes 1 if interfaces
/// are smooth and nothing absorbs.
double transmittance(const std::vector<Wave> &waves);

} // namespace facet::runtime
