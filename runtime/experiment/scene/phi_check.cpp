// phi_check.cpp - amplitudes at some pixels of a tile against the reference in double.
#include "runtime/experiment/scene/phi_check.h"
#include <algorithm>
#include <cmath>

namespace facet::runtime {
namespace {

constexpr std::size_t wanted = 24, least = 4; // pixels

} // namespace

PhiCheck checkPhi(const Tile &tile, const std::vector<std::complex<double>> &f, const Pose &pose,
                  FormFactor &factor) {
  PhiCheck check;
  std::vector<std::complex<double>> phi(tile.size(), 0);
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
  for (std::size_t n = 1; n < std::min(wanted, visible.size()); ++n) {
    some.push_back(visible[static_cast<std::size_t>(place * static_cast<double>(visible.size()))]);
    place += 0.6180339887498949;
    place -= std::floor(place);
  }
  const auto each = static_cast<std::size_t>(tile.channelsEach());
  const auto exact = factor.reference(tile.points(some), static_cast<std::int64_t>(least * each));
  for (std::size_t i = 0; i < some.size(); ++i) {
    const double off =
        std::abs(tile.amplitude(exact.data() + i * each, one, some[i]) - phi[some[i]]);
    if (!std::isfinite(off))
      continue;
    check.error = std::max(check.error, off);
    ++check.pixels;
  }
  check.largest = std::abs(phi[brightest]);
  return check;
}

} // namespace facet::runtime
