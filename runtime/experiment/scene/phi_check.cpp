// phi_check.cpp - amplitudes at some pixels of a tile against direct sums in f64.
#include "runtime/experiment/scene/phi_check.h"
#include <algorithm>
#include <cmath>

namespace facet::runtime {
namespace {

constexpr std::size_t wanted = 24; // pixels; the brightest beside

} // namespace

PhiCheck checkPhi(const Tile &tile, const std::vector<std::complex<double>> &f, const Body &body,
                  const Pose &pose, const SceneHost &host) {
  PhiCheck check;
  std::vector<std::complex<double>> phi(tile.size(), 0);
  const Pose::Level one{pose.levels[0].height, {{0, 0}}};
  tile.add(f, one, 1, false, phi);
  std::vector<std::size_t> visible, some;
  std::size_t brightest = 0;
  for (std::size_t i = 0; i < tile.size(); ++i)
    if (tile.visible(i)) {
      visible.push_back(i);
      if (visible.size() == 1 || std::norm(phi[i]) > std::norm(phi[brightest]))
        brightest = i;
    }
  some.push_back(brightest);
  const std::size_t step = std::max<std::size_t>(1, visible.size() / wanted) | 1;
  for (std::size_t i = step / 2; i < visible.size(); i += step)
    some.push_back(visible[i]);
  const Grid points = tile.points(some);
  const Kernel kernel = host.kernel(points);
  PlanOptions options = host.options(kernel);
  options.algorithm = FACET_DIRECT;
  options.klass = FACET_F64;
  options.target = kernel.hostTarget();
  Plan plan(kernel, points, scaled(body.mesh, pose.scale), options);
  plan.setRotation(pose.rotation);
  const auto &exact = plan.execute(options.params);
  for (std::size_t i = 0; i < some.size(); ++i) {
    const auto *at = exact.data() + i * static_cast<std::size_t>(tile.channelsEach());
    check.error = std::max(check.error, std::abs(tile.amplitude(at, one, some[i]) - phi[some[i]]));
  }
  check.largest = std::abs(phi[brightest]);
  check.pixels = static_cast<std::int64_t>(some.size());
  return check;
}

} // namespace facet::runtime
