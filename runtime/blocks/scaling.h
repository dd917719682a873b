// scaling.h - what more ranks would give: time, memory, efficiency, and where scaling ends.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace facet::runtime {
namespace plot {
struct Figure;
}

/// What a run consists of, measured or expected on this machine.
struct ScalingCosts {
  std::int64_t units = 1;
  double unitSeconds = 0;   // of one rank, with its threads
  std::int64_t blocks = 1;  // t blocks of a unit, which ranks may share; 1: they do not
  double startSeconds = 0;  // before the first unit, the mesh's reading left out: kernel, plan
  double sampleSeconds = 0; // of one q of the measured error; 0: it is not measured
  double meshBytes = 0;     // as ranks hold or read it
  double meshSeconds = 0;   // until rank 0 has read it, or looked at it block by block
  bool streamed = false;    // each unit reads the mesh again, a block at a time
  double passSeconds = 0;   // of one such reading
  double resultBytes = 0;   // F and |F|^2, by the units
  double rankBytes = 0;     // memory of a rank beside a mesh that is not streamed
};

/// What joins the ranks. The defaults are of a common cluster, none of them measured here: 100
/// Gbit/s links, a parallel file system.
struct Cluster {
  int ranksOfNode = 64;
  double latency = 2e-6;       // of a message, s
  double linkSpeed = 10e9;     // bytes/s into a node
  double memorySpeed = 5e9;    // bytes/s from rank to rank in a node
  double allReadSpeed = 20e9;  // bytes/s of the file system
  double writeSpeed = 1e9;     // bytes/s of one process
  double allWriteSpeed = 20e9; // bytes/s of the file system
  double syncSeconds = 5e-3;   // until the last written bytes are on disk
  double startOfMpi = 0.1;     // of MPI, if ranks are several; seen with OpenMPI on one machine
  double startOfRank = 1e-4;   // what each rank adds to the start of all
};

/// The prediction for one number of ranks. Seconds are those of the slowest rank.
struct ScalingPoint {
  int ranks = 1;
  double start = 0, mesh = 0, compute = 0, write = 0, error = 0;
  double seconds() const { return start + mesh + compute + write + error; }
  double bytes = 0;      // memory of a rank
  double efficiency = 1; // time of one rank / (ranks x time of these)
};

ScalingPoint predictScaling(const ScalingCosts &costs, const Cluster &cluster, int ranks);
/// Points for 1, 2, 4, .. and `most` ranks.
std::vector<ScalingPoint> scalingCurve(const ScalingCosts &costs, const Cluster &cluster, int most);

/// The most ranks with an efficiency of 50% or more, and what takes the most time beyond.
struct ScalingEnd {
  int ranks = 0; // `most` if it does not end
  std::string why;
};
ScalingEnd scalingEnd(const ScalingCosts &costs, const Cluster &cluster, int most);

/// One line for each point: ranks, time, efficiency, memory, and the parts of the time.
std::string scalingTable(const std::vector<ScalingPoint> &curve);

/// Writes a PNG or SVG, by extension: time and efficiency over ranks. `measured`: seconds of runs,
/// drawn as dots. Throws Error.
struct MeasuredRun {
  int ranks;
  double seconds;
};
plot::Figure scalingFigure(const std::vector<ScalingPoint> &curve, const ScalingEnd &end,
                           const std::vector<MeasuredRun> &measured, const std::string &title);
void writeScaling(const std::vector<ScalingPoint> &curve, const ScalingEnd &end,
                  const std::vector<MeasuredRun> &measured, const std::string &title,
                  const std::string &path);

} // namespace facet::runtime
