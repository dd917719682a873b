// layers.h - the layers of a sample, the wave in each, and the distorted-wave Born approximation:
// what a particle in a layer scatters, from its form factor.
//
// facet's convention, one of two that must never be mixed (docs/experiments.md): time e^{-iwt},
// refractive index n = 1 - delta + i beta, q' = k_i - k_f and F = int e^{iq'.r} d3r. Sample frame:
// z up, x along the beam's footprint, y to the left seen along the beam.
//
// Waves: Parratt's recursion with Nevot and Croce's roughness. L. G. Parratt, Phys. Rev. 95 (1954)
// 359; L. Nevot, P. Croce, Rev. Phys. Appl. 15 (1980) 761. Formulas as computed:
// docs/experiments.md. One polarisation (s); p differs negligibly at grazing angles. Every
// exponential decays, so that thick absorbing films neither overflow nor give NaN.
//
// The classic four terms: M. Rauscher, T. Salditt, H. Spohn, Phys. Rev. B 52 (1995) 16855; G.
// Renaud, R. Lazzari, F. Leroy, Surf. Sci. Rep. 64 (2009) 255.
//
//   Phi = sum over the channels of factor F(q'x, q'y, channel.qz),   F(q') = int e^{iq'.r} d3r
//   dsigma/dOmega = |contrast Phi|^2
#pragma once
#include "runtime/scattering/sample/dual.h"
#include <array>
#include <complex>
#include <facet/runtime/scene.h>
#include <string>
#include <vector>

namespace facet::runtime {

/// Layers from top to bottom. The first, where the beam comes from, and the last, the substrate,
/// are half-spaces; one alone is a medium without interfaces.
struct Stack {
  std::vector<Layer> layers;
  bool neutrons = false; // their delta may be negative

  bool isTop(std::size_t layer) const { return layer == 0; }
  bool isSubstrate(std::size_t layer) const { return layer + 1 == layers.size(); }
  /// The bottom of a layer, nm, measured from its own top; of the top layer from the first
  /// interface. The substrate goes to minus infinity.
  double lowest(std::size_t layer) const;
  /// Where heights in a layer are counted from, nm above the first interface.
  double origin(std::size_t layer) const;
  /// "layer 'film'", or "layer 2 of 3" if it has no name.
  std::string title(std::size_t layer) const;
};

/// Throws Error (beginning with `where`) unless there is a layer, inner ones are thicker than
/// nothing and half-spaces have no thickness. Roughness must be >= 0, and there is none without an
/// interface. The top does not absorb (unless it is alone). delta and beta are as checkIndex wants
/// them.
void check(const Stack &stack, const std::string &where = "sample");
/// Throws Error unless lowest <= delta < 1, beta >= 0, both finite.
void checkIndex(double delta, double beta, const std::string &where, double lowest = 0);

/// The layer of that name; the top one if it is "". Throws Error with the nearest name there is.
std::size_t findLayer(const Stack &stack, const std::string &name,
                      const std::string &where = "sample");

/// Whether a particle from `low` to `high` lies in one layer; heights are in nm, as Stack::lowest
/// measures. Touching an interface is allowed.
bool isInside(const Stack &stack, std::size_t layer, double low, double high);

/// psi = transmitted e^{-i kz (z - z0)} + reflected e^{+i kz (z - z0)}, for a unit amplitude
/// incident on the first interface; z0 is the height the amplitudes are given for.
template <class Real> struct WaveOf {
  ComplexOf<Real> kz; // nm^-1, Im kz >= 0
  ComplexOf<Real> transmitted, reflected;
};
using Wave = WaveOf<double>;

/// The waves of all layers at an angle of `alpha` rad from the surface, 0 to pi/2, measured in the
/// top layer; `k`: 2 pi / wavelength in vacuum, nm^-1. Amplitudes are those at the top of each
/// layer, for the top layer at the first interface. The stack is taken as checked. Throws Error for
/// another alpha.
std::vector<Wave> waves(const Stack &stack, double k, double alpha);

/// The wave of one layer in numbers that do not overflow, at whatever height it is needed later.
template <class Real> struct LayerWaveOf {
  ComplexOf<Real> kz;              // nm^-1
  ComplexOf<Real> transmitted = 1; // at the layer's top
  ComplexOf<Real> ratio = 0;       // of reflected to transmitted at its bottom
  Real thickness = 0;              // nm
  /// The wave with its amplitudes at `height` nm (<= 0 from the layer's top, in the top layer >= 0
  /// from the first interface), as a particle centred there meets it.
  WaveOf<Real> at(const Real &height) const;
};
using LayerWave = LayerWaveOf<double>;
LayerWave layerWave(const Stack &stack, std::size_t layer, double k, double alpha);
/// The same by the sine of the angle, 0 to 1.
LayerWave layerWaveOf(const Stack &stack, std::size_t layer, double k, double sine);
/// The wave with its slopes. `change`: what thickness, delta, beta and roughness of each layer
/// change by along a direction; half-spaces have no thickness that could. Where the formulas choose
/// (the sign of kz, kz of 0 in a layer, equal media at alpha = 0), slopes are those of what is
/// chosen. If the substrate's kz is 0, at its critical angle, they are not finite. Throws Error
/// also if the change has another number of layers.
LayerWaveOf<DualReal> layerWave(const Stack &stack, const Stack &change, std::size_t layer,
                                double k, const DualReal &alpha);
LayerWaveOf<DualReal> layerWaveOf(const Stack &stack, const Stack &change, std::size_t layer,
                                  double k, const DualReal &sine);

/// psi at `heights` nm, measured up from the first interface through all layers; on an interface
/// that of the layer below it (smooth ones have the same psi on both sides).
std::vector<std::complex<double>> field(const Stack &stack, double k, double alpha,
                                        const std::vector<double> &heights);

/// The part of the beam's flux through the surface that enters the substrate, from waves() of a
/// stack: Re kz_N |T_N|^2 / Re kz_0; 0 if alpha is 0. With the reflectivity it makes 1 if
/// interfaces are smooth and nothing absorbs.
double transmittance(const std::vector<Wave> &waves);

/// One of the four ways: how the beam meets the particle, and how what it scatters leaves.
template <class Real> struct ChannelOf {
  ComplexOf<Real> qz;     // of q' = k_i - k_f, nm^-1
  ComplexOf<Real> factor; // of F of the particle centred at its height
};
using Channel = ChannelOf<double>;
/// The channels in this order: neither side reflected; the way out; the way in; both.
template <class Real> using ChannelsOf = std::array<ChannelOf<Real>, 4>;
using Channels = ChannelsOf<double>;

/// The channels from the waves at the height of the particle's centre (LayerWave::at). So e^{i qz
/// height} is in the factors, and F is that of the particle centred at z = 0: without it e^{-Im(qz)
/// z} would overflow deep in an absorbing film. Many pixels share `in`.
template <class Real> ChannelsOf<Real> channels(const WaveOf<Real> &in, const WaveOf<Real> &out);

/// q'x and q'y of q' = k_i - k_f, nm^-1: k n_0 (cos ai - cos af cos phi), -k n_0 cos af sin phi.
std::array<double, 2> lateral(const Stack &stack, double k, double alphaI, double alphaF,
                              double phiF);
std::array<DualReal, 2> lateral(const Stack &stack, const Stack &change, double k,
                                const DualReal &alphaI, const DualReal &alphaF,
                                const DualReal &phiF);

/// (k^2 / 4 pi) (n_p^2 - n_l^2) of a particle in a layer, nm^-2: near -(rho_p - rho_l), densities
/// of scattering length. Complex, since particles of several materials may add up.
std::complex<double> contrast(const Layer &layer, double k, double delta, double beta);
/// `change`: of the layer.
Dual<std::complex<double>> contrast(const Layer &layer, const Layer &change, double k,
                                    const DualReal &delta, const DualReal &beta);

} // namespace facet::runtime
