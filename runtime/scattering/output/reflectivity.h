// reflectivity.h - what the layers of an experiment do to a beam, without particles: reflectivity,
// waves in each layer, |psi|^2 by height; and its file.
#pragma once
#include <complex>
#include <facet/runtime/experiment.h>
#include <string>
#include <vector>

namespace facet::runtime {

/// Values by angle; waves by angle and layer, psi by height and angle, the first slowest. Formulas:
/// runtime/scattering/sample/layers.h.
struct Reflectivity {
  std::string title, experiment;    // the beam and sample as TOML
  std::vector<std::string> layers;  // names, "layer 2 of 3" of those without
  std::vector<double> angles;       // deg, 0 to 90, from the surface
  std::vector<double> qz;           // nm^-1, 2 k sin(angle) n of the top layer
  std::vector<double> reflectivity; // |r|^2
  std::vector<double> transmittance;
  std::vector<std::complex<double>> r, t; // amplitudes: reflected, and at the substrate's top
  std::vector<std::complex<double>> kz, down, up; // nm^-1 and T, R at the top of each layer
  std::vector<double> heights;                    // nm, up from the first interface
  std::vector<std::complex<double>> psi;          // by height and angle
};

/// Computes it for the beam and sample of an experiment (readBeamAndSample). Throws Error for an
/// angle that is not 0 to 90, or at which roughness takes the waves beyond double.
Reflectivity reflectivityOf(const Experiment &experiment, const std::vector<double> &angles,
                            const std::vector<double> &heights);
/// Eight critical angles of the densest layer, deg: where |r|^2 has fallen to some 1e-5; 2 if no
/// layer is denser than the top one.
double usualAngle(const Experiment &experiment);

/// Writes HDF5, groups NXdata: reflectivity (R, T over alpha_i), amplitude, waves, and with heights
/// field and field_amplitude. Its name is temporary until it is whole. Throws Error.
void writeReflectivity(const Reflectivity &result, const std::string &path);

} // namespace facet::runtime
