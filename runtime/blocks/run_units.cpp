// run_units.cpp - threads that take units one after another, write them, and stop when asked.
#include "runtime/blocks/run_units.h"
#include "runtime/files/stop_request.h"
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <thread>

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
      extremes.see(whole + k, values[static_cast<std::size_t>(own + k)]);
  });
}

class Workers {
public:
  explicit Workers(const UnitsJob &job) : job_(job), units_(job.grid.extents(), job.decision.cut) {}

  UnitsDone run() {
    std::vector<std::thread> threads;
    const int n = std::clamp<int>(static_cast<int>(job_.units.size()), 1, job_.workers);
    left_ = n;
    threads.reserve(static_cast<std::size_t>(n));
    for (int k = 0; k < n; ++k)
      threads.emplace_back([this] { work(); });
    {
      std::unique_lock lock(mutex_);
      while (!end_.wait_for(lock, std::chrono::milliseconds(100), [this] { return left_ == 0; }))
        if (job_.progress)
          job_.progress(progressed_, all_);
    }
    for (std::thread &t : threads)
      t.join();
    if (failure_)
      std::rethrow_exception(failure_);
    done_.stopped = done_.units < static_cast<std::int64_t>(job_.units.size());
    return done_;
  }

  void expect(double tqp) { all_ = tqp; }

private:
  void work() {
    try {
      const std::unique_ptr<Evaluator> evaluator = job_.evaluator();
      evaluator->share(job_.shared);
      evaluator->setProgress([this](double tqp) {
        double before = progressed_;
        while (!progressed_.compare_exchange_weak(before, before + tqp))
          ;
      });
      std::vector<std::complex<double>> values;
      const auto stopped = [&] { return StopRequest::signal() != 0 && job_.shared == nullptr; };
      for (std::size_t k = next_++; k < job_.units.size() && !stopped() && !failed_; k = next_++)
        one(*evaluator, job_.units[k], values);
    } catch (...) {
      const std::lock_guard lock(mutex_);
      failed_ = true;
      if (!failure_)
        failure_ = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    --left_;
    end_.notify_one();
  }

  void one(Evaluator &evaluator, std::int64_t number, std::vector<std::complex<double>> &values) {
    const Unit unit = units_.at(number);
    values.resize(static_cast<std::size_t>(unit.size()));
    evaluator.run(unitGrid(job_.grid, unit), job_.params, values.data());
    if (job_.shared != nullptr && !job_.shared->finishes()) {
      const std::lock_guard lock(mutex_);
      ++done_.units;
      return;
    }
    const Place place = placeOf(job_.grid, unit);
    job_.result.write(number, job_.dataset, place.begin, place.end, values.data());
    job_.result.finishUnit(number);
    if (job_.f != nullptr)
      eachRow(job_.grid, unit, [&](std::int64_t whole, std::int64_t own, std::int64_t n) {
        std::copy_n(values.data() + own, n, job_.f + whole);
      });
    Extremes extremes;
    see(extremes, job_.grid, unit, values);
    const std::lock_guard lock(mutex_);
    ++done_.units;
    done_.extremes.join(extremes);
    done_.repaired += evaluator.repaired();
    done_.totals = evaluator.totals();
    done_.device = evaluator.device();
  }

  const UnitsJob &job_;
  Units units_;
  std::atomic<std::size_t> next_{0};
  std::atomic<double> progressed_{0};
  std::atomic<bool> failed_{false};
  double all_ = 0;
  std::mutex mutex_; // of what follows
  std::condition_variable end_;
  int left_ = 0;
  UnitsDone done_;
  std::exception_ptr failure_;
};

} // namespace

UnitsDone runUnits(const UnitsJob &job) {
  Workers workers(job);
  double q = 0;
  const Units units(job.grid.extents(), job.decision.cut);
  for (const std::int64_t k : job.units)
    q += static_cast<double>(units.at(k).size());
  workers.expect(q);
  return workers.run();
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
