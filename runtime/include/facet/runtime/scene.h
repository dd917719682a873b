// scene.h - what an experiment is made of: layers, particles, objects, a detector, line cuts.
//
// How each member is called in an experiment file, and what it may be, is said in
// runtime/scattering/experiment/keys.h.
#pragma once
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <facet/runtime/mesh.h>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace facet::runtime {

/// What a layer or particle is made of, by name; as it is read it gives delta and beta.
struct Composition {
  std::string material;              // as materialOf() takes it; "": none
  std::optional<double> massDensity; // g/cm^3; none: that of the material
  bool takesIndex = false;           // delta and beta are the material's, and not given
};

/// A layer of the sample: n = 1 - delta + i beta. Lengths nm.
struct Layer {
  std::string name;
  double thickness = 0; // 0 of the first and the last, which are half-spaces
  double delta = 0, beta = 0;
  double roughness = 0; // rms, of its top
  Composition of{};
};

/// How a particle is turned: by Euler angles as eulerZyz() takes them, then averaged.
struct Orientations {
  /// Or "in-plane", "full"; by a density: "tilt", "maier-saupe", "von-mises-fisher",
  /// "cyclic-gaussian", "table".
  std::string average = "none";
  /// One rotation that goes before the average; without an average a list of orientations, of
  /// which intensities are summed by `weights` (none: all equal).
  std::vector<std::array<double, 3>> euler{};
  std::vector<double> weights{};
  double sigma = 0;              // of "tilt" and "cyclic-gaussian", deg
  std::optional<double> kappa{}; // of "maier-saupe" and "von-mises-fisher"
  /// A "table" has densities a steradian of the axis, of any sum: density[theta * phi.size() +
  /// phi]. Angles are deg from the director, and about it from x turned as the director is from z:
  /// by `euler = [phi, theta, 0]`. No phi: the density does not depend on it.
  std::vector<double> theta{}, phi{}, density{};
  std::vector<double> director{}; // what a density is about; empty: z
  int points = 0;                 // angles of a full turn; 0: as many as |q| R asks for
  bool single() const { return average == "none" && euler.size() < 2; }
  /// Turned, in one way.
  bool fixed() const { return average == "none" && euler.size() == 1; }
};

/// Numbers of particles by size.
struct SizeSpread {
  /// "gaussian", "lognormal" (its centre, 1, is the median), "schulz" (the mean), "uniform" (all
  /// within +-width).
  std::string type = "gaussian";
  double width = 0;   // sigma / centre, >= 0; 0: one size
  int points = 0;     // of "sasmodels": equidistant sizes; 0: the type's default, 35 or 80
  double nsigmas = 0; // and how far they go to each side; 0: the type's default, 3 or 8
  /// "quadrature": as many sizes as |q| R asks for, as far as they scatter. "sasmodels": as
  /// sasmodels 1.1.0 (weights.py). "": the latter if points or nsigmas are given.
  std::string rule{};
};
/// Says that sizes are too far apart for their sum to stand for the distribution; else none.
std::optional<Remark> remarkOn(const SizeSpread &sizes);

/// A kind of particle.
struct Particle {
  std::string name;           // for objects; "": the mesh's or shape's
  std::string mesh;           // a file, or
  std::optional<double> unit; // nm for one unit of it; none: what it states, or nm
  std::string shape;
  std::map<std::string, std::vector<double>> shapeNumbers; // one number, or three
  std::map<std::string, double> columns;                   // constant columns, added to the mesh
  std::string layer;                                       // "": the top one
  std::optional<double> z;           // nm from the layer's bottom to its lowest point
  std::optional<double> delta, beta; // both or none; none: |F|^2 is not multiplied by a contrast
  Composition of;
  std::optional<double> density; // a nm^2 on a sample, else the volume fraction
  Orientations orientation;
  std::optional<SizeSpread> size;
};

/// One of many objects of a scene.
struct Object {
  std::size_t particle = 0;
  /// Where the mesh's origin lies, nm; z from the bottom of the particle's layer.
  std::array<double, 3> position{};
  std::array<double, 3> euler{}; // deg, z y z
  double scale = 1;
};

/// How particles lie beside one another: intensities are multiplied by its structure factor S(q).
struct Arrangement {
  std::string type; // of runtime/scattering/arrangement/kinds.def
  /// Its numbers by their keys, nm and degrees: one each, or two.
  std::map<std::string, std::vector<double>> numbers;
  std::vector<double> q, s; // of a table; nm^-1
  /// How sizes and orientations go with S: "decoupling", "local-monodisperse"; "": S multiplies the
  /// mean of all.
  std::string approximation;
};

/// Which pixels of a detector do not count.
struct PixelMask {
  std::int64_t rows = 0, columns = 0;
  std::vector<bool> bad; // row by row, as the detector's orientation counts them
};

/// A flat detector and where it stands, in pyFAI's convention: runtime/scattering/detector.
struct Detector {
  std::string name;                   // for messages
  std::int64_t rows = 0, columns = 0; // pixels; 0 if a .poni file does not say
  double pixel1 = 0, pixel2 = 0;      // m, sizes of a pixel along axis 1 and axis 2
  double distance = 0;                // m, sample to PONI
  double poni1 = 0, poni2 = 0;        // m from the edge of the first pixel
  std::array<double, 3> rotation{};   // rad, about axes 1, 2, 3
  /// Which corner row 0, column 0 is, looking from behind the detector to the sample: 1 top left, 2
  /// top right, 3 bottom right, 4 bottom left.
  int orientation = 3;
  double wavelength = 0;                 // nm, of the calibration; 0 if a .poni file does not say
  std::string form = "points";           // its q: each pixel's, or "small-angle", "auto"
  std::shared_ptr<const PixelMask> mask; // null: all pixels count
};

/// The directions of q that a curve is averaged over; of the whole sphere unless it says others.
struct CurveDirections {
  bool revolution = false;               // those that a body of revolution about z needs
  std::vector<std::array<double, 3>> at; // or these unit vectors,
  std::vector<double> weights;           // with a weight each; they sum to 1
  bool symmetry = false;                 // or as many as the body's point group leaves over
  /// Those of a point group count as such: derivatives that break it take all.
  bool whole() const { return !revolution && at.empty(); }
};

/// The resolution of what is measured. Widths of a curve: one for all q, or one for each.
struct Resolution {
  std::vector<double> dq, dqOverQ;           // nm^-1, of a pinhole: sigma; or sigma over q
  std::vector<double> slitLength, slitWidth; // nm^-1, of a slit: half of what it lets through
  std::array<double, 2> pointSpread{};       // pixels, of a detector: sigma from row to row, and
                                             // from column to column
  // Beams and finite pixels of a detector: sigmas in deg, deg, relative; nodes a side.
  double alphaI = 0, phi = 0, wavelength = 0;
  int pixelPoints = 0; // 0: the middle of a pixel
  int points = 0;      // nodes along each of the beam's; 0: 5
  bool hasBeams() const { return alphaI > 0 || phi > 0 || wavelength > 0 || pixelPoints > 0; }
  /// Whether a slit has no ends: for each q, or for none.
  bool isInfinite() const { return !slitLength.empty() && std::isinf(slitLength[0]); }
  bool hasSlit() const { return !slitLength.empty() || !slitWidth.empty(); }
  bool smears() const { return !dq.empty() || !dqOverQ.empty() || hasSlit(); }
};

/// A line through an image: mean intensities along one coordinate, in a band of another.
struct LineCut {
  std::string name, along, across; // "qy", "q_ip", "alpha_f", "row", "chi", ..
  double at = 0, width = 0;        // of the band: nm^-1, degrees or pixels
  int points = 0;                  // even steps; 0: one a row or column, or as many
};

} // namespace facet::runtime
