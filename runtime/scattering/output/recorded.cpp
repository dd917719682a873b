// recorded.cpp - beams are summed, their sum is spread.
#include "runtime/scattering/output/recorded.h"
#include "runtime/scattering/output/scene_file.h"
#include <cmath>
#include <limits>

namespace facet::runtime {
namespace {

/// The sum over beams. Its error is that of theirs, and the difference to two nodes fewer. A pixel
/// is seen if its middle is; what is behind the sample in it gives nothing.
SharpImage summed(const SceneLayout &layout, std::size_t image,
                  const std::function<SharpImage(std::size_t beam)> &read) {
  SharpImage all;
  std::vector<double> fewer, &sum = all.intensity, &errors = all.errors;
  for (std::size_t b = 0; b < layout.beams.size(); ++b) {
    const BeamNode &beam = layout.beams[b];
    const SharpImage one = read(image * layout.beams.size() + b);
    for (auto *values : {&sum, &fewer, &errors})
      values->resize(one.intensity.size());
    for (std::size_t i = 0; i < sum.size(); ++i) {
      if (std::isnan(one.intensity[i]))
        continue;
      sum[i] += beam.weight * one.intensity[i];
      fewer[i] += beam.fewer * one.intensity[i];
      errors[i] += one.errors.empty() ? 0 : beam.weight * one.errors[i];
    }
  }
  const Pixels &pixels = *layout.recorded[image].pixels;
  const auto columns = static_cast<std::size_t>(pixels.columns());
  for (std::size_t i = 0; i < sum.size(); ++i) {
    errors[i] += std::abs(sum[i] - fewer[i]);
    if (pixels.at(static_cast<std::int64_t>(i / columns), static_cast<std::int64_t>(i % columns))
            .behind)
      sum[i] = errors[i] = std::numeric_limits<double>::quiet_NaN();
  }
  return all;
}

} // namespace

SharpImage recordedOf(const SceneLayout &layout, std::size_t image,
                      const std::function<SharpImage(std::size_t beam)> &read) {
  SharpImage all = layout.beams.empty() ? read(image) : summed(layout, image, read);
  if (layout.spreads.empty())
    return all;
  const PointSpread &spread = *layout.spreads[image];
  all.intensity = spread.of(all.intensity);
  if (!all.errors.empty())
    all.errors = spread.of(all.errors);
  return all;
}

std::vector<std::vector<double>> recordedOf(const SceneLayout &layout,
                                            const std::vector<std::vector<double>> &computed) {
  std::vector<std::vector<double>> all;
  for (std::size_t i = 0; i < layout.seen().size(); ++i)
    all.push_back(recordedOf(layout, i, [&](std::size_t beam) {
                    return SharpImage{computed[beam], {}};
                  }).intensity);
  return all;
}

std::vector<std::vector<double>> pullRecorded(const SceneLayout &layout, std::size_t image,
                                              const std::vector<double> &cotangent,
                                              const std::vector<double> &recorded) {
  const std::vector<double> by =
      layout.spreads.empty() ? cotangent : layout.spreads[image]->pull(cotangent, recorded);
  if (layout.beams.empty())
    return {by};
  std::vector<std::vector<double>> all;
  for (const BeamNode &beam : layout.beams) {
    std::vector<double> &one = all.emplace_back(by);
    for (std::size_t i = 0; i < one.size(); ++i)
      one[i] = std::isnan(recorded[i]) ? 0 : beam.weight * by[i];
  }
  return all;
}

} // namespace facet::runtime
