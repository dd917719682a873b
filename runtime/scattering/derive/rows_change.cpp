// rows_change.cpp - how rows of an image change with the sample's layers and the angle of
// incidence: where their pixels look, by differences of smooth functions; waves, by dual numbers.
#include "runtime/engine/system/pool.h"
#include "runtime/scattering/derive/adjoint.h"
#include "runtime/scattering/sample/dual.h"
#include <cmath>

namespace facet::runtime {
namespace {

using Complex = std::complex<double>;
constexpr Complex i(0, 1);

/// How the sine of the angle and q' across of a pixel change.
PixelView viewChange(const WaveDirection &direction, std::size_t image, std::int64_t row,
                     std::int64_t column) {
  PixelView change;
  for (std::size_t k = 0; k < direction.views.size() && direction.step > 0; ++k) {
    const PixelView view = direction.views[k][image].pixels->at(row, column);
    const double weight = FourPoints::weights[k] / direction.step;
    change.sine += weight * view.sine;
    for (std::size_t axis = 0; axis < 2; ++axis)
      change.lateral[axis] += weight * view.lateral[axis];
  }
  return change;
}

/// Whether S of the arrangement changes along the direction in this image.
bool changesArrangement(const SceneProblem &problem, const WaveDirection &direction,
                        std::size_t image) {
  if (problem.layout.structure == nullptr)
    return false;
  return direction.arrangement ||
         (direction.step > 0 &&
          (!direction.angle || *direction.angle == problem.layout.images[image].angle));
}

Channels slopesOf(const ChannelsOf<DualReal> &channels) {
  Channels slopes;
  for (std::size_t c = 0; c < channels.size(); ++c)
    slopes[c] = {channels[c].qz.slope, channels[c].factor.slope};
  return slopes;
}

} // namespace

std::vector<std::vector<double>> scaleSlopes(const SceneProblem &problem, const SceneUnit &unit,
                                             const std::vector<WaveDirection> &directions) {
  std::vector<std::vector<double>> slopes(directions.size());
  const Pixels &pixels = problem.pixels(unit.image);
  std::vector<double> plain;
  for (std::size_t w = 0; w < directions.size(); ++w) {
    const WaveDirection &direction = directions[w];
    if (!changesArrangement(problem, direction, unit.image))
      continue;
    if (plain.empty())
      plain = plainScalesOf(problem, unit);
    const auto structure =
        structureFactorAlong(*problem.experiment.arrangement,
                             direction.arrangement.value_or(ArrangementNumbers<double>()));
    for (std::size_t i = 0; i < plain.size(); ++i) {
      const std::int64_t pixel = static_cast<std::int64_t>(i),
                         row = unit.begin + pixel / pixels.columns(),
                         column = pixel % pixels.columns();
      const auto q = pixels.arrangementQ(pixels.at(row, column));
      const auto by = pixels.arrangementQ(viewChange(direction, unit.image, row, column));
      slopes[w].push_back(
          std::isnan(plain[i])
              ? plain[i]
              : plain[i] *
                    structure->at({DualReal(q[0], by[0]), {q[1], by[1]}, {q[2], by[2]}}).slope);
    }
  }
  return slopes;
}

/// A pixel of each set of channels.
std::vector<std::size_t> ImageRows::firstOfSets() const {
  std::vector<std::size_t> pixels;
  for (std::size_t p = 0; p < size(); ++p)
    if (first_[p] >= 0 && static_cast<std::size_t>(place_[p]) == pixels.size())
      pixels.push_back(p);
  return pixels;
}

RowsChange ImageRows::changeOf(const Pixels &pixels, const Stack &stack, std::size_t layer,
                               const std::vector<std::int64_t> &rows,
                               const WaveDirection &direction, std::size_t image) const {
  const auto columns = static_cast<std::size_t>(pixels.columns());
  const auto rowOf = [&](std::size_t p) { return rows[p / columns]; };
  const auto columnOf = [&](std::size_t p) { return static_cast<std::int64_t>(p % columns); };
  const std::vector<std::size_t> sets = firstOfSets();
  RowsChange made;
  made.in =
      layerWave(stack, direction.stack, layer, pixels.k(), {pixels.alphaI(), direction.alphaI});
  made.out.resize(sets.size());
  made.channels.resize(sets.size());
  inParallel(sets.size(), threads_,
             [&, in = made.in.at(height_)](std::size_t begin, std::size_t end) {
               for (std::size_t s = begin; s < end; ++s) {
                 const std::int64_t row = rowOf(sets[s]), column = columnOf(sets[s]);
                 const DualReal sine(pixels.at(row, column).sine,
                                     viewChange(direction, image, row, column).sine);
                 made.out[s] = layerWaveOf(stack, direction.stack, layer, pixels.k(), sine);
                 made.channels[s] = slopesOf(channels(in, made.out[s].at(height_)));
               }
             });
  made.lateral.resize(direction.step > 0 ? size() : 0);
  inParallel(made.lateral.size(), threads_, [&](std::size_t begin, std::size_t end) {
    for (std::size_t p = begin; p < end; ++p)
      if (first_[p] >= 0)
        made.lateral[p] = viewChange(direction, image, rowOf(p), columnOf(p)).lateral;
  });
  const double rounding = 1e-11 * pixels.k(); // of the differences
  for (const auto &by : made.lateral)
    for (std::size_t axis = 0; axis < 2; ++axis)
      made.moves[axis] = made.moves[axis] || std::abs(by[axis]) > rounding;
  return made;
}

void ImageRows::addChange(const std::vector<Complex> &f, const std::vector<Complex> &df,
                          const Pose::Level &level, const std::vector<Vec3> &moves,
                          const RowsChange *change, Complex weight, bool lateral,
                          std::vector<Complex> &to) const {
  const double floor = change != nullptr ? change->rise : 0;
  const CopyHeight place = at(level);
  const auto in = change != nullptr ? change->in.at(level.height) : WaveOf<DualReal>();
  const auto pixel = [&](std::size_t p) {
    const Channels here = channelsAt(p, place);
    const auto first = static_cast<std::size_t>(first_[p]),
               set = static_cast<std::size_t>(place_[p]);
    Complex phi = 0, slope = 0, rise = 0;
    Channels by{};
    if (change != nullptr)
      by = place.own ? change->channels[set]
                     : slopesOf(channels(in, change->out[set].at(level.height)));
    for (std::size_t c = 0; c < static_cast<std::size_t>(channelsEach()); ++c) {
      const Complex &qz = here[c].qz, part = here[c].factor * f[first + c];
      phi += part;
      rise += i * qz * part;
      slope += here[c].factor * df[first + c] + by[c].factor * f[first + c];
    }
    const Complex copies = copiesOf(level, lateral, p);
    Complex all = copies * (slope + floor * rise) + rising(level, moves, lateral, p) * rise;
    if (lateral)
      all += copiesSlope(level, p, moves,
                         change == nullptr || change->lateral.empty() ? std::array<double, 2>{}
                                                                      : change->lateral[p]) *
             phi;
    to[p] += weight * all;
  };
  inParallel(size(), threads_, [&](std::size_t begin, std::size_t end) {
    for (std::size_t p = begin; p < end; ++p)
      if (first_[p] >= 0)
        pixel(p);
  });
}

void ImageRows::addByQ(const RowsChange &change, const std::array<std::vector<Complex>, 3> &byQ,
                       std::vector<Complex> &to) const {
  for (std::size_t p = 0; p < size(); ++p) {
    if (first_[p] < 0)
      continue;
    const Channels &by = change.channels[static_cast<std::size_t>(place_[p])];
    for (std::size_t c = 0; c < 4; ++c) {
      const auto at = static_cast<std::size_t>(first_[p]) + c;
      to[at] += byQ[2][at] * by[c].qz;
      for (std::size_t axis = 0; axis < 2; ++axis)
        if (change.moves[axis])
          to[at] += byQ[axis][at] * change.lateral[p][axis];
    }
  }
}

} // namespace facet::runtime
