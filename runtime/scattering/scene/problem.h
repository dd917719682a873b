// problem.h - a scene ready to be computed: its images, bodies, units, how they are summed; what
// comes out of it.
#pragma once
#include "runtime/engine/plan/decision.h"
#include "runtime/scattering/output/scene_file.h"
#include "runtime/scattering/scene/bodies.h"
#include "runtime/scattering/scene/image_rows.h"
#include <facet/runtime/experiment.h>
#include <facet/runtime/plan.h>
#include <functional>
#include <string>
#include <vector>

namespace facet::runtime {

/// Two runs of one experiment with the same kernels, meshes and SceneDecision give the same bits;
/// `blocks` and `seconds` do not change them.
struct SceneDecision {
  struct BodyDecision {     // a body in an image
    std::size_t kernel = 0; // of kernelsOf()
    Decision how;           // at the body's largest scale
    double bytes = 0;       // that one evaluator may take
  };
  /// For the images of one angle of incidence, or a band of a curve.
  struct Incidence {
    std::int64_t rows = 0;   // of a unit
    std::int64_t blocks = 0; // of poses in a unit, a power of two; 0: all
    double seconds = 0;      // that one thread is expected to take
    std::vector<BodyDecision> parts;
  };
  std::vector<Incidence> ways;

  /// Whether a device sums any of it: one worker alone may use it then, and waits for all of its
  /// queues.
  bool onDevice() const;
};

/// The decision for a pose of a smaller scale: its frame, limits of repair and tolerances are
/// smaller.
Decision atScale(Decision largest, double share);

std::string toJson(const SceneDecision &decision);
/// Throws Error, with `where` in front, if the text is not one that toJson wrote.
SceneDecision sceneDecisionFromJson(const std::string &text, const std::string &where);

/// The options of plans for an experiment's kernel. Throws Error for words and parameters that are
/// unknown.
PlanOptions planOptionsOf(const Experiment &experiment, const Kernel &kernel);

/// Every process makes the same problem of an experiment and its meshes.
struct SceneProblem {
  /// `meshes`: one a particle, in their order. `answers`: of the particle of a curve, whose errors
  /// are not known without `partners`. The experiment outlives this. Throws Error.
  SceneProblem(const Experiment &experiment, const std::vector<SceneMesh> &meshes,
               const Symmetries &answers = {}, bool partners = true);

  const Experiment &experiment;
  Stack stack;
  Bodies bodies;
  SceneLayout layout;           // images, and what their numbers are
  Reach reach;                  // where something is averaged
  double lossOfSizes = 0;       // of the particle whose sizes stand for it least (lossOf)
  std::vector<std::size_t> way; // of each image: those of one angle of incidence share one
  bool mixed = false;           // contrasts differ, and are in the amplitude of what is coherent
  /// Bodies and their poses, in their order; of parts of a particle the first.
  std::vector<std::pair<std::size_t, std::size_t>> poses;
  /// Poses are summed by blocks of so many, which are joined by a fixed binary tree. So threads and
  /// ranks may share the blocks, and a stop keeps those that are done.
  std::int64_t posesOfBlock = 1;
  std::int64_t blocksOfPoses() const;

  const Pixels &pixels(std::size_t image) const { return *layout.images[image].pixels; }
  std::size_t ways() const { return way.back() + 1; }
  /// The contrast to multiply summed amplitudes by: that of all bodies, or 1 if it is in the
  /// amplitudes.
  std::complex<double> commonContrast() const { return mixed ? 1 : bodies.bodies[0].contrast; }
  /// Whether contrasts are in the amplitudes of poses.
  bool contrastInside() const { return mixed && (bodies.coherent || bodies.crossing()); }
  /// Whether the mean amplitude counts, and whether each size has an S of its own.
  bool decoupled() const { return approximates("decoupling"); }
  bool local() const { return approximates("local-monodisperse"); }
  bool isCurve() const { return layout.curve != nullptr; }
  /// How many q of F a row of pixels has.
  double rowOf(std::size_t image) const;
  /// Some rows of an image as a body sees them.
  ImageRows tile(std::size_t image, const Body &body, const std::vector<std::int64_t> &rows,
                 int threads) const;

private:
  bool approximates(const char *how) const {
    return experiment.arrangement && experiment.arrangement->approximation == how;
  }
};

/// Rows [begin, end) of an image by some blocks of poses, [first, last), summed as a whole.
struct SceneUnit {
  std::size_t image = 0;
  std::int64_t begin = 0, end = 0;
  std::int64_t first = 0, last = 0;
  std::vector<std::int64_t> rows() const;
};
/// The units, image by image, in the order of rows, then of poses.
std::vector<SceneUnit> unitsOf(const SceneProblem &problem, const SceneDecision &decision);
/// About how many q a unit has; rows behind the sample have none.
double sizeOf(const SceneProblem &problem, const SceneUnit &unit);
/// The poses of a unit, [first, last) of SceneProblem::poses.
std::pair<std::size_t, std::size_t> posesOf(const SceneProblem &problem, const SceneUnit &unit);
/// About how many triangle-q-points a unit has.
double workOf(const SceneProblem &problem, const SceneUnit &unit);
double workOf(const SceneProblem &problem, const std::vector<SceneUnit> &units);

/// The libraries that a decision's parts take, by their numbers: numbers[way][body]. `libraryFor`:
/// returns a library for a grid.
std::vector<Kernel> kernelsOf(const SceneProblem &problem,
                              const std::function<Kernel(const Grid &)> &libraryFor,
                              std::vector<std::vector<std::size_t>> &numbers);

} // namespace facet::runtime
