// compare.cpp - samples of F and of amplitudes, the reference there, and the verdict on all.
#include "runtime/experiment/scene/units/compare.h"
#include "runtime/plan/errors/references.h"
#include "runtime/plan/errors/sample.h"
#include "runtime/plan/grid/points.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <tuple>

namespace facet::runtime {
namespace {

using Complex = std::complex<double>;

void compareF(const Grid &grid, const std::vector<Complex> &f, const References &reference,
              double reach, const std::vector<std::int64_t> &zeros, std::uint64_t seed,
              const CheckBudget &budget, PoseCheck &check) {
  const std::vector<Sampled> sample =
      chooseSample(grid, Layout(), f, check.radius, zeros, seed, budget.q);
  const std::vector<std::int64_t> at = placesOf(sample);
  const auto found = reference.at(grid, at, leastOf(sample, budget.least), budget.seconds);
  const std::vector<bool> judged = judgedOf(sample, found.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto q = grid.at(at[i]);
    check.f.push_back({q, f[static_cast<std::size_t>(at[i])], found[i].value,
                       roundingOf(found[i], q, reach), judged[i]});
  }
}

void comparePhi(const Tile &tile, const std::vector<Complex> &f, const Pose &pose,
                const References &reference, const CheckBudget &budget, PoseCheck &check) {
  std::vector<Complex> phi(tile.size(), 0);
  const Pose::Level one{pose.levels[0].height, {{0, 0}}};
  tile.add(f, one, 1, false, phi);
  std::vector<std::size_t> visible;
  std::size_t brightest = 0;
  for (std::size_t i = 0; i < tile.size(); ++i)
    if (tile.visible(i)) {
      visible.push_back(i);
      if (visible.size() == 1 || std::norm(phi[i]) > std::norm(phi[brightest]))
        brightest = i;
    }
  // The brightest, then steps of the golden ratio: evenly spread wherever time ends.
  std::vector<std::size_t> some{brightest};
  double place = 0.5;
  for (std::size_t n = 1; n < std::min(static_cast<std::size_t>(budget.pixels), visible.size());
       ++n) {
    some.push_back(visible[static_cast<std::size_t>(place * static_cast<double>(visible.size()))]);
    place += 0.6180339887498949;
    place -= std::floor(place);
  }
  const auto each = static_cast<std::size_t>(tile.channelsEach());
  const Grid points = tile.points(some);
  std::vector<std::int64_t> at(some.size() * each);
  for (std::size_t i = 0; i < at.size(); ++i)
    at[i] = static_cast<std::int64_t>(i);
  const auto found = reference.at(points, at, budget.least * each, budget.seconds);
  std::vector<Complex> exact;
  exact.reserve(found.size());
  for (const Reference &r : found)
    exact.push_back(r.value);
  for (std::size_t i = 0; i < exact.size() / each; ++i) {
    const double off =
        std::abs(tile.amplitude(exact.data() + i * each, one, some[i]) - phi[some[i]]);
    if (!std::isfinite(off))
      continue;
    check.phiError = std::max(check.phiError, off);
    ++check.pixels;
  }
  check.phiLargest = std::abs(phi[brightest]);
}

struct Packed { // of a PoseCheck, before its q
  std::int64_t way, body, pose, pixels, count;
  double radius, phiError, phiLargest;
};

} // namespace

PoseCheck checkPose(const Tile &tile, const std::vector<Complex> &f, const Body &body,
                    const Pose &pose, const Kernel &kernel, const std::vector<double> &params,
                    const Decision &how, std::uint64_t seed, Pool &pool,
                    const CheckBudget &budget) {
  const References reference(kernel,
                             poseBlocks(body.mesh.blocks, body.middle, pose.scale, pose.rotation),
                             body.mesh.block > 0 ? how.cut.records : 0, how.frame, params, pool);
  PoseCheck check;
  check.radius = pose.scale * body.mesh.summary.farthest;
  const Grid &grid = tile.grid();
  compareF(grid, f, reference, how.frame.reach(),
           kernel->origin != nullptr ? zeroPoints(grid) : std::vector<std::int64_t>(), seed, budget,
           check);
  if (budget.pixels > 0)
    comparePhi(tile, f, pose, reference, budget, check);
  return check;
}

std::string packed(const std::vector<PoseCheck> &checks) {
  std::string bytes;
  for (const PoseCheck &c : checks) {
    const Packed head{
        c.way,    c.body,     c.pose,      c.pixels, static_cast<std::int64_t>(c.f.size()),
        c.radius, c.phiError, c.phiLargest};
    bytes.append(reinterpret_cast<const char *>(&head), sizeof head);
    bytes.append(reinterpret_cast<const char *>(c.f.data()), c.f.size() * sizeof(Compared));
  }
  return bytes;
}

std::vector<PoseCheck> unpackedChecks(const std::string &bytes) {
  std::vector<PoseCheck> checks;
  for (std::size_t at = 0; at < bytes.size();) {
    Packed head{};
    std::memcpy(&head, bytes.data() + at, sizeof head);
    at += sizeof head;
    PoseCheck &c = checks.emplace_back();
    c = {head.way, head.body,     head.pose,       head.radius,
         {},       head.phiError, head.phiLargest, head.pixels};
    for (std::int64_t i = 0; i < head.count; ++i, at += sizeof(Compared))
      std::memcpy(static_cast<void *>(&c.f.emplace_back()), bytes.data() + at, sizeof(Compared));
  }
  return checks;
}

SceneErrors judge(const std::vector<PoseCheck> &checks, double accuracy, std::uint64_t seed) {
  std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, PoseCheck> poses;
  std::map<std::int64_t, double> largest; // amplitude of a way
  SceneErrors errors;
  for (const PoseCheck &c : checks) {
    PoseCheck &all = poses[{c.way, c.body, c.pose}];
    all.radius = c.radius;
    all.f.insert(all.f.end(), c.f.begin(), c.f.end());
    all.phiError = std::max(all.phiError, c.phiError);
    errors.pixels += c.pixels;
    largest[c.way] = std::max(largest[c.way], c.phiLargest);
  }
  for (const auto &[of, c] : poses) {
    Measured m = judge(c.f, accuracy, c.radius);
    m.seed = seed;
    const double most = largest[std::get<0>(of)];
    const double phi = most > 0 ? c.phiError / most : 0;
    errors.phi = std::max(errors.phi, phi);
    if (!m.met || phi > accuracy)
      errors.missed.push_back(
          {static_cast<std::size_t>(std::get<0>(of)), static_cast<std::size_t>(std::get<1>(of))});
    errors.f.push_back(m);
    double &ofWay = errors.ofWays[std::get<0>(of)];
    ofWay = std::max(ofWay, m.error);
    const auto badness = [](const Measured &one) {
      return std::pair(!one.met, one.error - 2 * one.bound);
    };
    if (!errors.worst || badness(m) > badness(*errors.worst))
      errors.worst = m;
  }
  return errors;
}

} // namespace facet::runtime
