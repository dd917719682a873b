// run_units.cpp - the units of a grid, each summed and written by one of the threads.
#include "runtime/blocks/run_units.h"
#include "runtime/blocks/take_units.h"
#include <atomic>
#include <mutex>

namespace facet::runtime {
namespace {

/// The box of a unit in the dataset of F: whole rows of an image are one, units of a list its run.
struct Place {
  nexus::Shape begin, end;
};
Place placeOf(const Grid &grid, const Unit &unit) {
  if (grid.kind == Grid::Kind::Product)
    return {{unit.begin[0], unit.begin[1], unit.begin[2]}, {unit.end[0], unit.end[1], unit.end[2]}};
  if (isImage(grid))
    return {{unit.begin[0] / grid.imageColumns, 0},
            {unit.end[0] / grid.imageColumns, grid.imageColumns}};
  return {{unit.begin[0]}, {unit.end[0]}};
}

/// Rows of a unit in the whole grid, and in the unit.
template <class Copy> void eachRow(const Grid &grid, const Unit &u, const Copy &copy) {
  const std::array<std::int64_t, 3> n = grid.extents();
  if (grid.kind == Grid::Kind::Points) {
    copy(u.begin[0], 0, u.size());
    return;
  }
  std::int64_t own = 0;
  for (std::int64_t x = u.begin[0]; x < u.end[0]; ++x)
    for (std::int64_t y = u.begin[1]; y < u.end[1]; ++y, own += u.extent(2))
      copy((x * n[1] + y) * n[2] + u.begin[2], own, u.extent(2));
}

void see(Extremes &extremes, const Grid &grid, const Unit &unit,
         const std::vector<std::complex<double>> &values) {
  eachRow(grid, unit, [&](std::int64_t whole, std::int64_t own, std::int64_t n) {
    for (std::int64_t k = 0; k < n; ++k)
      extremes.see(grid, whole + k, values[static_cast<std::size_t>(own + k)]);
  });
}

/// Sums a unit and writes it; what is found to `done`.
class OneOfGrid {
public:
  OneOfGrid(const UnitsJob &job, const Units &units, std::mutex &mutex, UnitsDone &done)
      : job_(job), units_(units), mutex_(mutex), done_(done), evaluator_(job.evaluator()) {
    evaluator_->share(job_.shared);
  }
  Evaluator &evaluator() { return *evaluator_; }

  void run(std::int64_t number) {
    const Unit unit = units_.at(number);
    values_.resize(static_cast<std::size_t>(unit.size()));
    evaluator_->run(unitGrid(job_.grid, unit), job_.params, values_.data());
    if (job_.shared != nullptr && !job_.shared->finishes())
      return;
    const Place place = placeOf(job_.grid, unit);
    job_.result.write(number, job_.dataset, place.begin, place.end, values_.data());
    job_.result.finishUnit(number);
    if (job_.f != nullptr)
      eachRow(job_.grid, unit, [&](std::int64_t whole, std::int64_t own, std::int64_t n) {
        std::copy_n(values_.data() + own, n, job_.f + whole);
      });
    Extremes extremes;
    see(extremes, job_.grid, unit, values_);
    const std::lock_guard lock(mutex_);
    done_.extremes.join(extremes);
    done_.repaired += evaluator_->repaired();
    done_.totals = evaluator_->totals();
    done_.device = evaluator_->device();
  }

private:
  const UnitsJob &job_;
  const Units &units_;
  std::mutex &mutex_;
  UnitsDone &done_;
  std::unique_ptr<Evaluator> evaluator_;
  std::vector<std::complex<double>> values_;
};

} // namespace

UnitsDone runUnits(const UnitsJob &job) {
  const Units units(job.grid.extents(), job.decision.cut);
  std::atomic<double> progressed{0};
  double q = 0;
  for (const std::int64_t k : job.units)
    q += static_cast<double>(units.at(k).size());
  std::mutex mutex; // of what is done
  UnitsDone done;
  UnitsToTake all;
  all.units = job.units;
  all.workers = job.workers;
  all.worker = [&](const std::atomic<bool> *leave) -> OneUnit {
    const auto one = std::make_shared<OneOfGrid>(job, units, mutex, done);
    one->evaluator().setLeave(leave);
    one->evaluator().setProgress([&](double tqp) {
      double before = progressed;
      while (!progressed.compare_exchange_weak(before, before + tqp))
        ;
    });
    return [one](std::int64_t k) { one->run(k); };
  };
  all.meanwhile = [&] {
    if (job.progress)
      job.progress(progressed, q);
  };
  all.stops = job.shared == nullptr;
  all.seconds = job.seconds;
  if (job.stopping)
    all.stopping = job.stopping;
  const UnitsTaken taken = takeUnits(all);
  done.units = taken.units;
  done.stopped = taken.stopped;
  return done;
}

Extremes readUnits(const TiledResult &result, int dataset, const Grid &grid,
                   const Decision &decision, const std::vector<std::int64_t> &units,
                   std::complex<double> *f) {
  const Units all(grid.extents(), decision.cut);
  Extremes extremes;
  std::vector<std::complex<double>> values;
  for (const std::int64_t k : units) {
    const Unit unit = all.at(k);
    const Place place = placeOf(grid, unit);
    values.resize(static_cast<std::size_t>(unit.size()));
    result.read(dataset, place.begin, place.end, values.data());
    see(extremes, grid, unit, values);
    if (f != nullptr)
      eachRow(grid, unit, [&](std::int64_t whole, std::int64_t own, std::int64_t n) {
        std::copy_n(values.data() + own, n, f + whole);
      });
  }
  return extremes;
}

std::vector<std::complex<double>> readValues(const TiledResult &result, int dataset,
                                             const Grid &grid, const std::vector<std::int64_t> &q) {
  const std::array<std::int64_t, 3> n = grid.extents();
  std::vector<std::complex<double>> values(q.size());
  for (std::size_t k = 0; k < q.size(); ++k) {
    nexus::Shape begin{q[k]};
    if (grid.kind == Grid::Kind::Product)
      begin = {q[k] / (n[1] * n[2]), q[k] / n[2] % n[1], q[k] % n[2]};
    else if (isImage(grid))
      begin = {q[k] / grid.imageColumns, q[k] % grid.imageColumns};
    nexus::Shape end = begin;
    for (std::int64_t &index : end)
      ++index;
    result.read(dataset, begin, end, &values[k]);
  }
  return values;
}

} // namespace facet::runtime
