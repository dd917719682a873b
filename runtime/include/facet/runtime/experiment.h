// experiment.h - an experiment file (TOML): kernel, beam, sample, particles, grid, accuracy,
// output.
#pragma once
#include "grid.h"
#include "mesh.h"
#include "parameters.h"
#include "scene.h"
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace facet::runtime {

/// Everything `facet run` needs, with every default filled in. Lengths nm, q nm^-1.
struct Experiment {
  std::vector<std::string> files; // that it was read from: its own, a calibration, objects
  std::string title;
  std::string kernel; // a kernel's name or file
  NamedParameters parameters;

  std::string probe;          // "": X-rays; "neutrons"
  double wavelength = 0;      // 0: none is stated
  double flux = 0, time = 0;  // photons a second, s; 0: intensities are for one photon
  std::vector<double> alphaI; // deg, one image each; empty: transmission
  std::vector<Layer> layers;  // top to bottom; empty: Born approximation
  std::vector<Particle> particles = std::vector<Particle>(1);
  std::vector<Object> objects; // empty: each particle by itself
  std::string objectsFile;     // where they were read from
  std::string interference;    // of objects: "coherent" (amplitudes are summed) or "incoherent"
  std::optional<Arrangement> arrangement; // of all particles, or of copies of all objects

  // Which q, one of: a detector, axes of q, a file of points, angles in degrees, |q| of a curve.
  // Axes are texts for parseAxis().
  std::optional<Detector> detector;
  std::array<std::string, 3> axes; // of qx, qy, qz; "": 0
  std::string points, alphaF, phiF, inPlane, outOfPlane, curve;
  int sampleOrientation = 0;  // of q_ip, 1 to 8 as pyFAI counts; 0: 1
  CurveDirections directions; // of a curve
  Resolution resolution;

  double accuracy = 1e-5;         // relative to max|F|
  std::string algorithm = "auto"; // or "direct", "separable", "nufft"
  std::string memory;             // allowed, "8GB"; "": most of what is free
  std::string klass;              // "" (by accuracy), "f32", "f32-careful", "f64"
  std::string target;             // "": the best
  int threads = 0;                // 0: all
  std::uint64_t seed = 1;

  std::string output = "facet.h5";
  std::string fUnit;   // of F, for labels: "nm^3"
  std::string qUnit;   // of q in files: "1/nm" or "1/A"; "": the former
  std::string picture; // "": beside the output; "none"
  std::string scale = "log", quantity = "|F|^2";
  double decades = 6;
  std::string pictureAxes; // "pixels", "angles", "q"; "": pixels of a detector, else the grid's
  bool amplitude = false;  // written beside the intensity
  bool terms = false;      // and the amplitudes of the four channels
  bool fresnel = false;    // and T and R of the waves at the particles' height
  bool specular = false;   // and what the layers reflect of the beam
  std::optional<std::uint64_t> noise; // its seed: counts with noise beside the intensity
  std::vector<double> quantiles;      // of real outputs over the grid, at these probabilities
  bool total = false;                 // of each output over the grid
  std::string over;                   // axes that total is summed over, "qy,qz"; "": all
  std::string weights;                // of q in the total: a file; "": 1
  std::vector<LineCut> cuts;

  /// Photons of the beam that an intensity is for.
  double photons() const { return flux > 0 ? flux * (time > 0 ? time : 1) : 1; }
  /// Whether it is more than one particle on one grid of q. Its result is an intensity then.
  bool isScene() const;
};

/// Why noise is refused, and what helps.
inline constexpr const char *noiseWithoutFlux = "noise is of counts, and the beam has no flux",
                            *fluxForNoise = "[beam] flux = 1e11, photons a second, and time = 1, s";

/// Reads an experiment file. Paths of inputs are relative to its folder, of outputs to the current
/// one. Throws Error with line, and the nearest known key for an unknown one.
Experiment readExperiment(const std::string &path);
/// Title, beam and sample alone of an experiment file: what waves in layers need. The rest may be
/// there or not, and is not read. Throws Error likewise, and without a sample with an interface.
Experiment readBeamAndSample(const std::string &path);
/// The same of a text, whose paths are taken as they are; `name`: where it is from, for messages.
Experiment readExperimentText(const std::string &text, const std::string &name);
/// The experiment as TOML with every default, so that a result can be run again.
std::string toToml(const Experiment &experiment);
/// A number and a unit, "12 A", as a number in `unit`: "nm", "m", "eV", "deg", "rad", "nm^-1",
/// "g/cm^3". Throws Error for a number alone and for what is no unit of the kind.
double parseQuantity(const std::string &text, const std::string &unit);
/// The text of an axis, with a unit behind it or not ("-0.2:0.2:200 1/A"), as one in `unit`, which
/// parseAxis() takes. Throws Error for what is no unit of the kind.
std::string axisIn(const std::string &unit, const std::string &text);
/// "torus,R=20,r=5" into shape and shapeNumbers.
void setShape(Particle &particle, const std::string &text);

/// The particle's mesh, turned if it has one rotation and no average. `roles`: of the columns of
/// the kernel (rolesOf), which turn with the rest.
Mesh makeMesh(const Particle &particle, std::int64_t *dropped = nullptr,
              const ColumnRoles &roles = {});
/// The grid of q that its axes or points make.
Grid makeGrid(const Experiment &experiment);
/// Rotation matrix, row-major, of Euler angles in degrees about z, then the new y, then the new z.
std::array<double, 9> eulerZyz(const std::array<double, 3> &degrees);

} // namespace facet::runtime
