// scene.h - what surrounds particles in an experiment: beam, sample, objects, detector, averages.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace facet::runtime {

/// A layer of the sample: n = 1 - delta + i beta. Lengths nm.
struct Layer {
  std::string name;
  double thickness = 0; // 0 of the first and the last, which are half-spaces
  double delta = 0, beta = 0;
  double roughness = 0; // rms, of its top
};

/// How a particle is turned: by Euler angles as eulerZyz() takes them, then averaged.
struct Orientations {
  std::string average = "none"; // or "in-plane", "full", "tilt"
  /// One rotation that goes before the average; without an average a list of orientations, of
  /// which intensities are summed by `weights` (none: all equal).
  std::vector<std::array<double, 3>> euler;
  std::vector<double> weights;
  double sigma = 0; // of "tilt", deg
  int points = 0;   // angles of a full turn; 0: as many as |q| R asks for
  bool single() const { return average == "none" && euler.size() < 2; }
};

/// A distribution of sizes, runtime/experiment/average/sizes.h.
struct SizeSpread {
  std::string type = "gaussian";
  double width = 0; // sigma over the centre
  int points = 0;   // 0: the type's default
  double nsigmas = 0;
};

/// A kind of particle.
struct Particle {
  std::string name; // for objects; "": the mesh's or shape's
  std::string mesh; // a file, or
  double unit = 1;  // nm for one unit of it
  std::string shape;
  std::map<std::string, std::vector<double>> shapeNumbers;
  std::map<std::string, double> columns; // constant columns, added to the mesh
  std::string layer;                     // "": the top one
  std::optional<double> z;               // nm from the layer's bottom to its lowest point
  std::optional<double> delta;           // without: |F|^2 is not multiplied by a contrast
  double beta = 0;
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

/// A flat detector as runtime/experiment/detector/detector.h has it. Lengths m, angles rad.
struct DetectorPlace {
  std::int64_t rows = 0, columns = 0;
  double pixel1 = 0, pixel2 = 0, distance = 0, poni1 = 0, poni2 = 0;
  std::array<double, 3> rotation{};
  int orientation = 3;
};

/// A line through an image: mean intensities along one coordinate, in a band of another.
struct LineCut {
  std::string name, along, across; // "qy", "qz", "alpha_f", "phi_f", "row", "column"
  double at = 0, width = 0;        // of the band: nm^-1, degrees or pixels
};

/// What an experiment has beyond one particle on one grid of q.
struct Scene {
  double wavelength = 0;      // nm; 0: none is stated
  std::vector<double> alphaI; // deg, one image each; empty: transmission
  std::vector<Layer> layers;  // top to bottom; empty: Born approximation
  std::vector<Particle> particles;
  std::vector<Object> objects; // empty: each particle by itself
  std::string objectsFile;     // where they were read from
  bool coherent = true;        // amplitudes of objects are summed, else intensities
  std::optional<DetectorPlace> detector;
  std::string form = "points"; // of the detector's q: or "small-angle", "auto"
  std::string alphaF, phiF;    // a grid of angles in deg: texts for parseAxis()
  std::string curve;           // |q| of an averaged curve: a text for parseAxis()
  std::vector<LineCut> cuts;
  std::string pictureAxes; // "pixels", "angles", "q"; "": pixels of a detector, else the grid's
  bool amplitude = false;  // write it beside the intensity
};

} // namespace facet::runtime
