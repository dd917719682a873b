// simulation.h - an experiment in memory: made once, changed, and computed again where it has
// changed.
#pragma once
#include "experiment.h"
#include "gradient.h"
#include <complex>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace facet::runtime {

struct SimulationOptions {
  std::string schedules; // a file of tuned knobs, "none"; "": yours, and those that come with facet
  /// Gets a sentence where facet run would print one; what it warns of begins with "warning: ".
  std::function<void(const std::string &)> say;
  /// A curve and many that are much like it, of a particle whose mesh is handed in. The first is
  /// planned and judged as of an experiment, but for small problems, which are planned, too. The
  /// others are not judged and have no errors: F is taken at no more directions than I needs.
  bool fit = false;
  /// Simulation::decisions() of another, which this one goes on as; "": none. Throws Error if this
  /// machine does not run their target.
  std::string decisions;
};

/// An image for one angle of incidence and one value of a third axis, or the curve: named and
/// shaped as `facet run` stores it.
struct SimulatedImage {
  struct Axis {
    std::string name, unit; // "qy", "1/nm"; "row", "pixels"
    std::vector<double> values;
  };
  std::string name;                     // of its group: "image", "image_2", "sasdata"
  std::string title;                    // "alpha_i = 0.2 deg"; "" of the only one
  std::vector<Axis> axes;               // rows, columns; one if it has one row or column
  std::vector<double> intensity;        // row by row, Simulation::unit(); NaN behind the sample
  std::vector<double> errors;           // of averages and curves: their estimate; else empty
  std::vector<std::int64_t> directions; // of a curve: at how many F is taken for each q
  std::vector<std::complex<double>> amplitude; // [output] amplitude = true; else empty
};

/// What the last execute() did, and what it did not have to do.
struct Simulated {
  double seconds = 0;
  bool planned = false;         // decisions were made
  std::int64_t meshes = 0;      // made since the execute() before
  std::int64_t evaluations = 0; // of F: of a pose on the rows of a unit
  std::int64_t reused = 0;      // of F that were there and held
};

/// What a number L that depends on the images changes by.
struct SimulatedGradient {
  /// By the corners of each particle's mesh, as its shape or file has it, nm^-1: to be added up
  /// where triangles share a vertex. In the order of the experiment; none of a particle without
  /// objects, or if they were not asked for.
  std::vector<Corners> corners;
  /// By keys, in the unit of the key: one number, or those of a list.
  std::map<std::string, std::vector<double>> keys;
  double error = 0; // of corners, as of GradientRun, the largest
  double seconds = 0;
};

/// What images change by with numbers of the experiment: derivatives of every intensity.
struct SimulatedSlopes {
  /// By keys, number by number of a list, image by image: of each of images(), in the unit of
  /// intensities over that of the key. NaN behind the sample.
  std::map<std::string, std::vector<std::vector<std::vector<double>>>> keys;
  double seconds = 0;
};

struct GradientWanted {
  bool corners = true;
  /// Paths of numbers that the experiment gives: "particle.0.density", "sample.layers.1.thickness";
  /// in a list of one the number, 0, may be left out.
  std::vector<std::string> keys;
};

/// An experiment whose result stays in memory: what fits and series of experiments compute with.
/// Its numbers are those of `facet run`, by the same plans, units and sums; where the decision is
/// the same, in every bit.
///
///   Experiment experiment = readExperiment("gisaxs.toml");
///   Simulation simulation(experiment);
///   use(simulation.execute()[0].intensity);
///   experiment.particles[0].density = 2e-4;
///   simulation.update(experiment);
///   use(simulation.execute()[0].intensity);
///
/// update() keeps of the experiment before:
/// - kernel libraries, while kernel, target and kind of grid stay;
/// - a particle's mesh, while its shape, file (its time and size), unit and columns stay;
/// - decisions, scaled to the size of the particle, as said below;
/// - q and waves in layers of each row, while beam, sample, grid, detector, the particle's layer
///   and the height of its middle stay;
/// - F of a pose, while mesh, rotation, size, parameters of the kernel and q' are the same, if all
///   have room in a quarter of the memory allowed.
///
/// Decisions stay while images have as many pixels and particles as many records, within a factor
/// of 2. The largest |q| times the radius must be no less than half and no more than 1.25 of what
/// was planned. And the contract must hold: a sample of F of each unit that is computed is compared
/// with the reference, and after a miss decisions are made again.
/// Densities, materials, weights of sizes and orientations, and layers as far as they leave q'
/// alone, do not change F.
///
/// For one thread at a time; it has worker threads of its own.
class Simulation {
public:
  /// Reads meshes and looks at q; nothing is planned or computed yet. Throws Error as `facet run`
  /// does before it computes, and for a mesh that does not fit the memory. Also for one particle on
  /// one grid of q and nothing else: that has no image or curve, and a Plan is for it.
  /// `mesh`: of a fit, in the place of the particle's shape.
  explicit Simulation(Experiment experiment, SimulationOptions options = {},
                      const Mesh *mesh = nullptr);
  Simulation(Simulation &&) noexcept;
  Simulation &operator=(Simulation &&) noexcept;
  ~Simulation();

  /// Another experiment in the place of this one. Throws Error as the constructor does, and keeps
  /// the one before. `mesh`: of a fit; null: the one before.
  void update(Experiment experiment, const Mesh *mesh = nullptr);
  /// The images, computed as far as they are not; valid until the next call. Throws Error as a plan
  /// does, and for parameters that are not the kernel's. If no way to run meets the accuracy, it
  /// has Exit::ContractMissed. Also throws what the progress function throws, after the units in
  /// hand; then all that was finished is kept.
  const std::vector<SimulatedImage> &execute();
  /// The images as they were computed last; none before the first execute().
  const std::vector<SimulatedImage> &images() const;
  /// S of the arrangement at each number of images(), image by image; none without one.
  std::vector<std::vector<double>> structure() const;
  /// max|F - reference| / max|F| as `facet run` measures it: samples of units and of rows spread
  /// over each image, the worst of all particles and poses. Computes first what is not computed.
  double error();

  /// What L changes by, from dL by each number of images(), image by image. What lies behind the
  /// sample does not count. Unit by unit: images are never held with their derivatives. The same
  /// bits for any number of threads. Computes first what is not computed.
  /// Throws Error for another number of numbers, and for one that is not finite. Also for a key
  /// that no derivative is made by, with the nearest; for a library, and for a kernel that cannot
  /// be differentiated. Also Exit::ContractMissed as Plan does.
  SimulatedGradient gradient(const std::vector<std::vector<double>> &cotangent,
                             const GradientWanted &wanted = {});

  /// What each intensity changes by with some keys, paths as of GradientWanted. Forward, by
  /// tangents of the kernel: each key that F changes with takes about as much time as the images,
  /// and each number takes the memory of an image. The same bits for any number of threads.
  /// Computes first what is not computed. Throws Error as gradient() does.
  SimulatedSlopes slopes(const std::vector<std::string> &keys);

  const Experiment &experiment() const;
  /// What intensities are, "dsigma/dOmega", and their unit, "nm^2", "1"; "": arbitrary.
  const std::string &quantity() const;
  const std::string &unit() const;
  /// "Phi", "nm^3".
  const std::string &amplitudeName() const;
  const std::string &amplitudeUnit() const;
  /// All that fixes the bits of the last execute(), as a text.
  std::string decision() const;
  /// What the next execute() goes on by, as a text: decisions, and what fits and derivatives have
  /// changed. "" before the first.
  std::string decisions() const;
  /// Goes on as the simulation did whose decisions() these are, of this experiment or one that
  /// update() may put in its place: with the same bits. Its kernels are for the same target.
  void follow(const std::string &decisions);
  const Simulated &last() const;
  /// Called about ten times a second from the thread in execute(): triangle-q-points done, and all.
  void setProgress(std::function<void(double done, double total)> progress);

private:
  class State;
  std::unique_ptr<State> state_;
};

} // namespace facet::runtime
