// measure.cpp - kernels through plans with forced algorithms, in turn with the ceilings.
#include "runtime/engine/kernel/inside.h"
#include "runtime/engine/kernel/schedule.h"
#include "runtime/engine/plan/plan_run.h"
#include "runtime/engine/sum/card.h"
#include "runtime/engine/sum/layout.h"
#include "runtime/engine/sum/points.h"
#include "runtime/engine/system/budget.h"
#include "runtime/engine/system/clock.h"
#include "runtime/engine/tune/roofline/roofline.h"
#include "runtime/engine/tune/tuner.h"
#include "schedules/targets.h"
#include <algorithm>
#include <cmath>
#include <facet/runtime/error.h>
#include <facet/runtime/plan.h>

namespace facet::runtime {
namespace {

constexpr double aKernel = 1.2; // seconds of its runs in all, two at least
constexpr int mostRuns = 8;

/// A kernel at work.
struct Runner {
  Plan plan;
  Reading reading;
  std::vector<double> params;
  double least = HUGE_VAL, all = 0;
  int runs = 0;

  void run() {
    if (runs >= mostRuns || (runs >= 2 && all > aKernel))
      return;
    // One thread is timed by CPU time, which a busy machine does not lengthen.
    const clockid_t clock = reading.threads == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC;
    const double start = secondsBy(clock);
    plan.execute(params);
    const double seconds = secondsBy(clock) - start;
    if (runs++ > 0) // the first packs records and fills page tables
      least = std::min(least, seconds);
    all += seconds;
  }
};

Setup setupOf(const facet_variant &v, const Layout &layout, std::int64_t records,
              const Grid &grid) {
  Setup p;
  p.separable = v.algorithm == FACET_SEPARABLE;
  p.points = v.grid == FACET_POINTS;
  p.bytes = v.klass == FACET_F64 ? 8 : 4;
  p.lanes = v.pad[p.points ? 0 : 2];
  p.recordBytes = v.narrow_fields * p.bytes + v.wide_fields * 8;
  p.sumBytes = 8 * bytes::realSums(v);
  p.knobs = knobsOf(v);
  p.knobs.blockT = v.t_block;
  const schedules::TargetInfo *target = schedules::findTarget(v.target);
  if (target != nullptr && target->vectorBytes > 0)
    p.registers = std::max(1, p.knobs.vectorBytes / target->vectorBytes);
  p.lanes /= p.registers;
  p.records = static_cast<double>(records);
  p.q = static_cast<double>(grid.size());
  std::ranges::copy(layout.tile, p.tile.begin());
  return p;
}

Reading readingOf(Plan &plan, const Kernel &kernel, const Grid &grid, const Mesh &mesh) {
  const facet_variant &v = plan.run().variant();
  Reading r;
  r.key = {kernel->name,       kernel->shape, algorithmName(v.algorithm),
           className(v.klass), v.target,      gridName(v.grid),
           qName(v.q)};
  r.knobs = v.knobs != nullptr ? v.knobs : "";
  r.schedule = scheduleOf(kernel, v);
  r.threads = plan.explain().threads;
  r.triangles = mesh.size();
  r.records = plan.run().summed();
  r.extents = grid.extents();
  r.operations = operationsOf(*kernel, v);
  const Layout layout = layOut(grid, v, kernel->complex_q, r.records, r.threads);
  r.padded = static_cast<double>(layout.paddedSize()) / static_cast<double>(layout.size());
  r.canSeparate = v.algorithm == FACET_DIRECT && kernel->no_separable == nullptr &&
                  v.grid == FACET_PRODUCT &&
                  kernel.find(v.target, v.klass == FACET_F64 ? FACET_F64 : FACET_F32, v.grid, v.q,
                              FACET_SEPARABLE) != nullptr;
  r.problem = setupOf(v, layout, r.records, grid);
  return r;
}

Runner runnerOf(const Kernel &kernel, facet_algorithm algorithm, facet_class klass,
                const std::string &target, const RooflineRequest &request) {
  PlanOptions options;
  options.algorithm = algorithm;
  options.klass = klass;
  options.accuracy = leastAccuracy; // speed is wanted: no repair
  options.target = target;
  options.threads = request.threads;
  options.params = likelyParameters(*kernel);
  // Direct sums take longer, so they have fewer q: the sizes of docs/performance.md.
  const std::int64_t side = algorithm == FACET_SEPARABLE ? 500 : 200;
  const auto [y, z] = request.points;
  const Grid grid = usualGrid(*kernel, request.grid, request.q, y > 0 ? y : side, z > 0 ? z : side);
  const Mesh mesh = usualMesh(*kernel, request.triangles, grid);
  Plan plan(kernel, grid, mesh, options);
  Reading reading = readingOf(plan, kernel, grid, mesh);
  if (const TunedEntry *tuned = request.tuned.find(reading.key))
    reading.neighbours = tuned->neighbours;
  return {std::move(plan), std::move(reading), options.params};
}

/// `given`: "born", "born@direct".
void addRunners(std::vector<Runner> &runners, const std::string &given, const std::string &target,
                const RooflineRequest &request) {
  const std::size_t at = given.rfind('@');
  const auto [name, inFile] = splitKernel(given.substr(0, at));
  CompileRequest compile;
  compile.kernel = inFile;
  compile.target = target;
  compile.q = request.q;
  compile.grid = request.grid;
  compile.schedules = request.schedules;
  const Kernel kernel = Kernel::load(compileKernel(findKernel(name), compile).library);
  std::vector<std::string> algorithms = request.algorithms;
  if (at != std::string::npos)
    algorithms = {given.substr(at + 1)};
  const bool every = algorithms.empty();
  if (every)
    algorithms = {"direct", "separable"};
  for (const std::string &algorithm : algorithms)
    for (const std::string &klass :
         request.classes.empty() ? std::vector<std::string>{"f32"} : request.classes) {
      const facet_algorithm a = algorithmByName(algorithm);
      const facet_class c = classByName(klass);
      if (!cardOf(a).scheduled)
        throw Error("--algorithm nufft", "there is no roofline of transforms",
                    "take direct or separable");
      if (!every || a != FACET_SEPARABLE ||
          kernel.find(target, c, request.grid, request.q, a) != nullptr)
        runners.push_back(runnerOf(kernel, a, c, target, request));
    }
}

} // namespace

double Reading::intensity(std::size_t k) const {
  return operations.innerFlops / std::max(traffic.bytes.at(k), 1e-12);
}

Roofline measureRoofline(const RooflineRequest &request) {
  const std::string target = targetsFor(request.target).front();
  if (isDeviceTarget(target))
    throw Error("target '" + target + "'", "a roofline is of this CPU",
                "leave the target out to get the best this CPU has, " + bestTarget());
  std::vector<Runner> runners;
  for (const std::string &kernel : request.kernels) {
    request.say("compiling " + kernel.substr(0, kernel.rfind('@')));
    addRunners(runners, kernel, target, request);
  }
  request.say("measuring the machine and the kernels in turn");
  CeilingMeter meter(target, request.threads);
  for (int round = 0; round < mostRuns; ++round) {
    meter.step();
    for (Runner &runner : runners)
      runner.run();
  }
  meter.step();
  Roofline roofline{meter.ceilings(), {}, cpuId(), today()};
  std::vector<double> caches;
  for (const Bandwidth &level : roofline.ceilings.levels)
    if (level.bytes > 0)
      caches.push_back(level.bytes);
  for (Runner &runner : runners) {
    Reading &r = runner.reading;
    r.traffic = trafficOf(r.operations, r.problem, caches);
    r.rate = static_cast<double>(r.records) * r.problem.q / runner.least;
    roofline.readings.push_back(std::move(r));
  }
  return roofline;
}

} // namespace facet::runtime
