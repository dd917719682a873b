// pose_sums.cpp - rows of intensities from sums over poses; sums of some poses kept beside the
// result, and joined.
#include "runtime/scattering/scene/pose_sums.h"
#include <algorithm>
#include <bit>
#include <cmath>
#include <facet/runtime/error.h>
#include <fmt/format.h>
#include <limits>

namespace facet::runtime {
namespace {

using Complex = std::complex<double>;

std::vector<bool> arraysOf(const SceneProblem &problem) {
  const bool coherent = problem.bodies.coherent,
             amplitude = coherent || problem.layout.amplitude || problem.decoupled();
  std::vector<bool> all{!coherent, problem.layout.averaged, amplitude, amplitude};
  all.resize(Terms + 2 * channelCount, problem.layout.terms);
  return all;
}

} // namespace

Partial noPoses(const SceneProblem &problem, const SceneUnit &unit) {
  Partial partial;
  for (const bool there : arraysOf(problem))
    partial.sums.emplace_back(there ? pixelsOf(problem, unit) : 0);
  return partial;
}

Complex amplitudeOf(const Partial &all, std::size_t pixel) {
  return all.sums[Re].empty() ? Complex(0) : Complex(all.sums[Re][pixel], all.sums[Im][pixel]);
}

std::size_t pixelsOf(const SceneProblem &problem, const SceneUnit &unit) {
  return static_cast<std::size_t>((unit.end - unit.begin) * problem.pixels(unit.image).columns());
}

/// Scales intensities, or makes them of amplitudes; errors are the differences to half the order.
namespace {

/// The amplitudes of the channels, NaN behind the sample.
void fillTerms(const SceneProblem &problem, const Partial &all, const std::vector<double> &per,
               UnitRows &rows) {
  for (std::size_t c = 0; c < channelCount && problem.layout.terms; ++c) {
    rows.terms[c].resize(per.size());
    for (std::size_t i = 0; i < per.size(); ++i)
      rows.terms[c][i] = std::isnan(per[i])
                             ? Complex(per[i])
                             : Complex(all.sums[Terms + 2 * c][i], all.sums[Terms + 2 * c + 1][i]);
  }
}

/// T and R on the way out at the particles' height, NaN behind the sample.
void fillWaves(const SceneProblem &problem, const SceneUnit &unit, UnitRows &rows) {
  const Pixels &pixels = problem.pixels(unit.image);
  const FresnelWaves &at = *problem.layout.fresnel;
  for (auto &values : rows.out)
    values.assign(pixelsOf(problem, unit), std::numeric_limits<double>::quiet_NaN());
  for (std::size_t i = 0; i < rows.out[0].size(); ++i) {
    const auto pixel = static_cast<std::int64_t>(i);
    const PixelView look =
        pixels.at(unit.begin + pixel / pixels.columns(), pixel % pixels.columns());
    if (look.behind)
      continue;
    const Wave wave = layerWaveOf(problem.stack, at.layer, pixels.k(), look.sine).at(at.height);
    rows.out[0][i] = wave.transmitted;
    rows.out[1][i] = wave.reflected;
  }
}

/// Throws Error for an intensity that is not finite, but for pixels behind the sample. F is finite:
/// its factors are not, or the square.
void mustBeFinite(const SceneProblem &problem, const SceneUnit &unit,
                  const std::vector<double> &scales, const std::vector<double> &intensity) {
  const auto columns = static_cast<std::size_t>(problem.pixels(unit.image).columns());
  for (std::size_t i = 0; i < intensity.size(); ++i)
    if (!std::isnan(scales[i]) && !std::isfinite(intensity[i]))
      throw Error("image" + problem.layout.images[unit.image].suffix,
                  fmt::format("the intensity at row {}, column {} (from 0) is not finite",
                              static_cast<std::size_t>(unit.begin) + i / columns, i % columns),
                  "waves in the layers, or their product with F, are beyond the range of double: "
                  "see the layers' roughness (nm), delta and beta",
                  Exit::Failed);
}

} // namespace

// If a body is alike after half a turn, and n angles have n / 2 odd, both rules alias the same
// harmonic. The half rule's begins at 0.39 of its step: 1 - cos(4 pi 0.39) = 0.81 of the error is
// their difference.
constexpr double seenByHalf = 1 / 0.81;

void fillRows(const SceneProblem &problem, const SceneUnit &unit, const Partial &all,
              UnitRows &rows, const std::vector<double> *scales) {
  const std::vector<double> own =
      scales != nullptr ? std::vector<double>() : scalesOf(problem, unit);
  const std::vector<double> &per = scales != nullptr ? *scales : own;
  const double contrast = std::norm(problem.commonContrast());
  rows.intensity.resize(per.size());
  rows.errors.resize(problem.layout.averaged ? per.size() : 0);
  rows.amplitude.resize(problem.layout.amplitude ? per.size() : 0);
  const bool curve = problem.isCurve();
  const std::vector<double> structure =
      problem.decoupled() && !curve ? structureOf(problem, unit, 1) : std::vector<double>();
  const double ofMean = problem.bodies.bodies[0].factor * contrast; // of the decoupled
  for (std::size_t i = 0; i < per.size(); ++i) {
    const Complex a = amplitudeOf(all, i);
    const double more = structure.empty() ? 0 : (structure[i] - 1) * ofMean * std::norm(a);
    rows.intensity[i] = per[i] * (problem.bodies.coherent ? contrast * std::norm(a)
                                                          : all.sums[Intensity][i] + more);
    if (!rows.errors.empty())
      rows.errors[i] =
          seenByHalf * std::abs(rows.intensity[i] - per[i] * (all.sums[Half][i] + more)) +
          problem.lossOfSizes * std::abs(rows.intensity[i]);
    if (!rows.amplitude.empty())
      rows.amplitude[i] = std::isnan(per[i]) ? Complex(per[i]) : curve ? std::sqrt(ofMean) * a : a;
  }
  fillTerms(problem, all, per, rows);
  if (problem.layout.fresnel)
    fillWaves(problem, unit, rows);
  mustBeFinite(problem, unit, per, rows.intensity);
}

std::int64_t sumsOfPixel(const SceneProblem &problem) {
  return std::ranges::count(arraysOf(problem), true);
}

std::int64_t blocksOfUnit(double seconds, std::int64_t blocks, std::int64_t numbers) {
  constexpr double enough = 3, wanted = 2;       // seconds
  constexpr double most = std::int64_t{1} << 22; // numbers kept of the same rows
  if (!(seconds > enough) || blocks < 2)
    return 0;
  const double parts = std::min(seconds / wanted, most / static_cast<double>(numbers));
  const double own = std::max(static_cast<double>(blocks) / std::max(parts, 1.0), 1.0);
  const auto together = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(own)));
  return together < blocks ? together : 0;
}

PoseSums::PoseSums(const SceneProblem &problem, const std::vector<SceneUnit> &units,
                   std::int64_t first)
    : problem_(problem), units_(units) {
  for (std::size_t k = 0; k < units.size(); ++k) {
    at_.push_back(first + size_);
    size_ += has(static_cast<std::int64_t>(k));
  }
}

std::int64_t PoseSums::has(std::int64_t unit) const {
  const SceneUnit &u = units_[static_cast<std::size_t>(unit)];
  return u.last - u.first == problem_.blocksOfPoses()
             ? 0
             : sumsOfPixel(problem_) * static_cast<std::int64_t>(pixelsOf(problem_, u));
}

void PoseSums::write(TiledResult &result, std::int64_t unit, const Partial &sums) const {
  std::vector<double> numbers;
  for (const std::vector<double> &array : sums.sums)
    numbers.insert(numbers.end(), array.begin(), array.end());
  const std::int64_t at = at_[static_cast<std::size_t>(unit)];
  result.write(unit, result.dataset(asideName), {at},
               {at + static_cast<std::int64_t>(numbers.size())}, numbers.data());
}

Partial PoseSums::read(const TiledResult &result, std::int64_t unit) const {
  std::vector<double> numbers(static_cast<std::size_t>(has(unit)));
  const std::int64_t at = at_[static_cast<std::size_t>(unit)];
  result.read(result.dataset(asideName), {at}, {at + has(unit)}, numbers.data());
  const std::size_t pixels = pixelsOf(problem_, units_[static_cast<std::size_t>(unit)]);
  Partial partial;
  auto from = numbers.begin();
  for (const bool there : arraysOf(problem_)) {
    const auto end = from + static_cast<std::ptrdiff_t>(there ? pixels : 0);
    partial.sums.emplace_back(from, end);
    from = end;
  }
  return partial;
}

void PoseSums::join(const TiledResult &result,
                    const std::function<void(const SceneUnit &, const UnitRows &)> &to) const {
  const std::int64_t blocks = problem_.blocksOfPoses();
  PartialTree tree;
  UnitRows rows;
  for (std::size_t k = 0; k < units_.size(); ++k) {
    const auto unit = static_cast<std::int64_t>(k);
    const SceneUnit &u = units_[k];
    if (!keeps(unit))
      continue;
    if (u.first == 0)
      tree = PartialTree();
    // The last unit may have fewer blocks, which are no node: it is only joined when all are.
    const auto own = static_cast<std::uint64_t>(u.last - u.first);
    const int height = std::has_single_bit(own) ? std::countr_zero(own) : 0;
    tree.add({u.first, height, read(result, unit)});
    if (u.last < blocks)
      continue;
    fillRows(problem_, u, tree.take(), rows);
    to(u, rows);
  }
}

} // namespace facet::runtime
