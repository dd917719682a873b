// derivatives.h - facet run --gradient-of: how a misfit to observed intensities changes with the
// vertices of the particles' meshes.
//
// L, a Misfit, is a sum over pixels, so that a unit of derivatives needs the values of its own
// pixels alone. It reads them from the result, and leaves its share of L and of L's derivatives in
// PATH.sums. Rank 0 adds all of them up in their order.
#pragma once
#include "runtime/app/jobs/job.h"
#include "runtime/scattering/derive/observation.h"
#include <facet/runtime/gradient.h>
#include <map>

namespace facet::cli {

/// Direct sums that a thread is assumed to do a second, to compare them with transforms; the
/// example kernels' adjoints do 0.6 to 4 times as many. It is not measured, so that each run
/// chooses the same.
constexpr double assumedSpeed = 1e8;

class Derivatives : public SecondPass {
public:
  /// Adds to the layout of a result what there will be in it, and room for what units leave.
  void addTo(runtime::TiledFile &file);
  std::vector<double> work() const override { return work_; }
  runtime::OneUnit worker(const Attempt &attempt, const std::atomic<bool> *leave) override;
  Workers workers(std::size_t todo) const override;
  /// On rank 0, when all units are on disk: adds them up, writes what L changes by, and reports it.
  void finish(runtime::TiledResult &result, RunReport &found);
  /// Hash of all that derivatives depend on beside the values and their decision. Throws Error as
  /// Observation does.
  std::string hash(const runtime::Experiment &experiment) const;

protected:
  /// What all units together lead to.
  struct MisfitGradient {
    std::vector<runtime::Corners> corners; // of the meshes
    std::map<std::string, std::vector<double>> keys;
    double error = 0;   // the largest of the units, as GradientRun has it
    std::string device; // target of the device that summed them; empty: the CPU
  };

  /// `unit`: the unit of intensities. Throws Error.
  Derivatives(const JobOptions &how, std::vector<runtime::Observation::Image> images,
              const std::string &unit, int threads, double memory);
  /// The error for a mesh that is read a block at a time.
  static runtime::Error tooLarge(const std::string &mesh);
  /// Adds the mesh of particle 0, 1, .. as its file or shape has it; to be called before addTo().
  void addMesh(std::size_t particle, runtime::Mesh mesh);

  /// What computes units in a thread: it adds to the misfit, and returns the numbers of the unit.
  using Sum = std::function<std::vector<double>(std::int64_t unit, runtime::Misfit &misfit)>;
  virtual Sum sum(const Attempt &attempt, const std::atomic<bool> *leave) = 0;
  /// Makes the derivatives from the numbers of all units, which `each` returns in their order.
  virtual MisfitGradient
  make(const std::function<std::vector<double>(std::int64_t unit)> &each) = 0;

  const runtime::Observation &observed() const { return observed_; }

  std::vector<double> work_;
  std::int64_t numbers_ = 0; // that each unit leaves, beside its misfit
  double largestUnit_ = 0;   // the most q that a unit has at once
  /// A device sums F again or derivatives in units: its queues serve one worker, which waits for
  /// all of them.
  bool onDevice_ = false;

private:
  /// A mesh by its vertices: corners at the same place are one.
  struct VertexMesh {
    std::string group, name;
    std::vector<double> vertices, faces; // 3 a vertex, nm; 3 numbers of vertices a triangle
    std::vector<double> byVertex(const runtime::Corners &corners) const;
  };
  void addGroup(const VertexMesh &mesh, runtime::nexus::File &file) const;
  void say(const MisfitGradient &made, double largest, RunReport &found) const;
  std::int64_t ofUnit() const { return 3 + numbers_; }

  const JobOptions &how_;
  runtime::Observation observed_;
  std::string unit_; // of L; "": none
  int threads_;
  double memory_;
  std::vector<VertexMesh> meshes_;
  double records_ = 0;     // of all meshes
  std::int64_t first_ = 0; // number in PATH.sums that is the first of unit 0
  runtime::Misfit misfit_; // of all units
};

} // namespace facet::cli
