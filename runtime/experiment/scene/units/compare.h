// compare.h - F and amplitudes of one pose at some q against the reference in double.
#pragma once
#include "runtime/experiment/scene/units/problem.h"
#include "runtime/plan/errors/sample.h"
#include "runtime/plan/sums/pool.h"
#include <map>
#include <optional>

namespace facet::runtime {

/// What was found of one pose of a body in the images of a way.
struct PoseCheck {
  std::int64_t way = 0, body = 0, pose = 0;
  double radius = 0;       // of the mesh in this pose, nm
  std::vector<Compared> f; // F
  double phiError = 0;     // the largest difference of the amplitude of one copy
  double phiLargest = 0;   // the largest amplitude
  std::int64_t pixels = 0; // at which amplitudes were compared
};

/// How much is compared: the first few always, the rest while the time lasts.
struct CheckBudget {
  std::int64_t q = 16, pixels = 8; // of a curve no pixels: their amplitudes are F
  std::size_t least = 4;           // of each
  double seconds = 0.05;           // of each
};

/// `f`: F of the pose on the tile's grid. The contract is on F; the four terms of Phi may cancel,
/// or their factors be larger than 1, so that errors of Phi are looked at by themselves.
PoseCheck checkPose(const Tile &tile, const std::vector<std::complex<double>> &f, const Body &body,
                    const Pose &pose, const Kernel &kernel, const std::vector<double> &params,
                    const Decision &how, std::uint64_t seed, Pool &pool, const CheckBudget &budget);

/// As bytes from rank to rank, and back.
std::string packed(const std::vector<PoseCheck> &checks);
std::vector<PoseCheck> unpackedChecks(const std::string &bytes);

/// What checks of one run say together: of each pose by itself, relative to the largest F in all of
/// its way.
struct SceneErrors {
  std::vector<Measured> f;       // a pose of a body in a way each
  std::optional<Measured> worst; // of them; an error within its reference's rounding is none
  std::map<std::int64_t, double> ofWays; // the largest error of F, by way
  double phi = 0;                        // of the largest amplitude of its way, the worst
  std::int64_t pixels = 0;
  struct Missed {
    std::size_t way, body;
  };
  std::vector<Missed> missed; // the contract, in F or in the amplitude
};
SceneErrors judge(const std::vector<PoseCheck> &checks, double accuracy, std::uint64_t seed);

} // namespace facet::runtime
