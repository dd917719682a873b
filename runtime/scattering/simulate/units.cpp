// units.cpp - units on threads: what is kept of each, where its rows go, progress.
#include "runtime/scattering/simulate/units.h"
#include "runtime/scattering/scene/budget.h"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace facet::runtime {
namespace {

std::vector<SimulatedImage> emptyImages(const SceneLayout &layout) {
  std::vector<SimulatedImage> all;
  if (layout.curve)
    return all;
  for (const SceneView &view : layout.images) {
    const Pixels &pixels = *view.pixels;
    SimulatedImage &image = all.emplace_back();
    image.name = "image" + view.suffix;
    image.title = view.title;
    const auto add = [&](bool ofRows) {
      const ImageAxis axis = pixels.axis(ofRows);
      image.axes.push_back({axis.name, axis.unit, axis.values});
    };
    if (pixels.rows() > 1)
      add(true);
    if (pixels.columns() > 1 || pixels.rows() == 1)
      add(false);
    const auto n = static_cast<std::size_t>(pixels.rows() * pixels.columns());
    image.intensity.resize(n);
    image.errors.resize(layout.averaged ? n : 0);
    image.amplitude.resize(layout.amplitude ? n : 0);
  }
  return all;
}

std::vector<std::vector<std::vector<SphereSums>>> emptySums(const SceneLayout &layout) {
  std::vector<std::vector<std::vector<SphereSums>>> sums;
  for (const SceneView &view : layout.images)
    if (const Band *band = view.pixels->band())
      sums.emplace_back(band->spheres.size(), std::vector<SphereSums>(static_cast<std::size_t>(
                                                  view.pixels->rowsOfSphere())));
  return sums;
}

} // namespace

void SimulationUnits::forget() {
  kept_.clear();
  keptLarge_.clear();
  adjoints_.clear();
  checks_.clear();
}

bool SimulationUnits::keepsRows() const {
  double pixels = 0;
  for (std::size_t i = 0; i < problem().way.size(); ++i)
    pixels += static_cast<double>(problem().pixels(i).rows() * problem().pixels(i).columns());
  return bytes::ofPixel * pixels * static_cast<double>(problem().bodies.bodies.size()) <
         bytes::shareOfKept * run_.memory();
}

CacheKey SimulationUnits::keepBy(const SceneDecision &decision) const {
  CacheKey by{inputs_->rows, {}};
  double q = 0;
  for (const SceneUnit &unit : unitsOf(problem(), decision))
    q += sizeOf(problem(), unit);
  const double room = bytes::shareOfKept * run_.memory(),
               values = bytes::ofComplex * q * static_cast<double>(problem().poses.size()),
               bodies = static_cast<double>(problem().bodies.bodies.size());
  by.values = values < room;
  by.sums = values + bytes::ofPlannedQ * q * bodies < room;
  by.transforms =
      inputs_->fit && run_.bytesOfEvaluator() * static_cast<double>(run_.units().size()) < room;
  for (const SceneDecision::Incidence &way : decision.ways) {
    auto &how = by.how.emplace_back();
    for (const SceneDecision::BodyDecision &part : way.parts)
      how.push_back(
          fmt::format("{}; {:a}", toJson(part.how), fmt::join(run_.paramsOf(part.kernel), ", ")));
  }
  return by;
}

void SimulationUnits::store(const SceneUnit &unit, UnitRows &rows,
                            std::vector<SimulatedImage> &to) {
  const Pixels &pixels = problem().pixels(unit.image);
  if (problem().layout.curve) {
    for (std::int64_t row = unit.begin; row < unit.end; ++row) {
      const std::int64_t parts = pixels.rowsOfSphere(), point = row % parts * pixels.columns();
      sums_[unit.image][static_cast<std::size_t>(row / parts)]
           [static_cast<std::size_t>(row % parts)] =
               SphereSums::of(*pixels.band(), point,
                              rows.intensity.data() + (row - unit.begin) * pixels.columns(),
                              std::min(pixels.columns(), pixels.pointsOfSphere() - point),
                              rows.amplitude.empty()
                                  ? nullptr
                                  : rows.amplitude.data() + (row - unit.begin) * pixels.columns());
    }
    return;
  }
  SimulatedImage &image = to[unit.image];
  const std::ptrdiff_t at = unit.begin * pixels.columns();
  std::ranges::copy(rows.intensity, image.intensity.begin() + at);
  if (!image.errors.empty())
    std::ranges::copy(rows.errors, image.errors.begin() + at);
  if (!image.amplitude.empty())
    std::ranges::copy(rows.amplitude, image.amplitude.begin() + at);
}

void SimulationUnits::computeOne(UnitEvaluator &evaluator, const SceneUnit &unit,
                                 std::size_t number, std::vector<SimulatedImage> &to) {
  std::vector<PoseCheck> found;
  evaluator.check(turn_, &found);
  const std::int64_t count = evaluator.count();
  Partial all;
  evaluator.run(unit, all);
  UnitRows rows;
  UnitCache &kept = kept_[number];
  const Experiment &e = inputs_->experiment;
  if (const std::string by =
          fmt::format("{}; {}; {}; {}", inputs_->rows, e.particles[0].density.has_value(),
                      e.photons(), inputs_->arrangement);
      kept.scaled != by) {
    kept.scales = scalesOf(problem(), unit);
    kept.scaled = by;
  }
  fillRows(problem(), unit, all, rows, &kept.scales);
  store(unit, rows, to);
  if (evaluator.count() > count || !found.empty())
    checks_[number] = std::move(found);
}

std::vector<std::unique_ptr<UnitEvaluator>> SimulationUnits::evaluators() {
  const int threads = run_.pool()->size(),
            most = turn_ < 0                    ? 1
                   : run_.decision().onDevice() ? std::min(Queues::units, threads)
                                                : threads,
            workers = static_cast<int>(std::clamp<std::int64_t>(std::ssize(run_.units()), 1, most));
  std::vector<std::unique_ptr<UnitEvaluator>> all;
  for (int w = 0; w < workers; ++w) {
    SceneContext own = run_.context(std::max(1, threads / workers));
    own.resources.progress = [this](double tqp) { done_ += tqp; };
    own.resources.leave = &leave_;
    all.push_back(std::make_unique<UnitEvaluator>(std::move(own), run_.decision()));
  }
  return all;
}

void SimulationUnits::computeAll(const std::vector<std::unique_ptr<UnitEvaluator>> &workers,
                                 const CacheKey &by, const Progress &progress,
                                 std::vector<SimulatedImage> &to) {
  const std::vector<SceneUnit> &units = run_.units();
  const bool keeps = keepsRows();
  const double all = workOf(problem(), units);
  std::exception_ptr stopped;
  const auto work = [&](std::int64_t number, int worker) {
    const auto k = static_cast<std::size_t>(number);
    UnitEvaluator &evaluator = *workers[static_cast<std::size_t>(worker)];
    evaluator.keep(&by, keeps ? &kept_[k] : nullptr);
    computeOne(evaluator, units[k], k, to);
  };
  const auto meanwhile = [&] {
    try {
      if (progress)
        progress(done_, all);
    } catch (...) {
      stopped = std::current_exception();
      leave_ = true;
      throw;
    }
  };
  run_.pool()->limit(static_cast<int>(workers.size()));
  try {
    run_.pool()->run(std::ssize(units), work, meanwhile);
  } catch (...) { // a unit that was left may have failed first
    std::rethrow_exception(stopped ? stopped : std::current_exception());
  }
}

std::vector<SimulatedImage> SimulationUnits::compute(std::int64_t turn, const Progress &progress,
                                                     Simulated &last) {
  const CacheKey by = keepBy(run_.decision());
  kept_.resize(run_.units().size());
  checks_.resize(run_.units().size());
  turn_ = turn;
  sums_ = emptySums(problem().layout);
  std::vector<SimulatedImage> found = emptyImages(problem().layout);
  leave_ = false;
  done_ = 0;
  const auto workers = evaluators();
  computeAll(workers, by, progress, found);
  for (const auto &evaluator : workers) {
    last.evaluations += evaluator->count();
    last.reused += evaluator->reused();
  }
  return found;
}

std::vector<PoseCheck> SimulationUnits::checks() const {
  std::vector<PoseCheck> all;
  for (const auto &unit : checks_)
    all.insert(all.end(), unit.begin(), unit.end());
  return all;
}

void SimulationUnits::eachLarge(const std::vector<SceneUnit> &units, const SceneDecision &large,
                                const Progress &progress, const UseUnit &use) {
  CacheKey by = keepBy(large);
  by.values = by.sums = false; // of rows alone
  const bool keeps = keepsRows();
  keptLarge_.resize(units.size());
  adjoints_.resize(units.size());
  const auto work = [&](std::int64_t number, int) {
    const auto k = static_cast<std::size_t>(number);
    UnitEvaluator evaluator(run_.context(1), large);
    evaluator.keep(&by, keeps ? &keptLarge_[k] : nullptr);
    use(k, evaluator, keeps ? &adjoints_[k] : nullptr);
    done_ += workOf(problem(), units[k]);
  };
  run_.pool()->limit(large.onDevice() ? 1 : run_.pool()->size());
  done_ = 0;
  run_.pool()->run(std::ssize(units), work, [&] {
    if (progress)
      progress(done_, workOf(problem(), units));
  });
}

} // namespace facet::runtime
