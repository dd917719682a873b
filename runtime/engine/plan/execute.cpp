// execute.cpp - one execution of a plan: a Decision of the whole grid, carried out as one unit, and
// its measured error. Also the loop over choices, and what facet's own programs take from a plan.
#include "runtime/engine/plan/plan_run.h"
#include "runtime/engine/sum/not_finite.h"
#include "runtime/engine/system/clock.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <optional>

namespace facet::runtime {

// Direct sums need no look at waves, nor separable ones at what leaks through windows.
void PlanRun::updateRisk(bool scale) {
  const bool ofWaves = waves && taken().card->ofWaves;
  if (ofWaves)
    waves->fill(true);
  risk->update(ofWaves ? waves.get() : nullptr, taken().variant == nullptr);
  if (scale)
    risk->pilot();
}

// If only `finish` reads the parameters that have changed, the sums may stand.
void PlanRun::setParams(const std::vector<double> &values) {
  const bool summed = taken().nodes || sumReads(kernel, params, values);
  params = values;
  risk->parametersChanged();
  decided = false;
  if (summed)
    recordsChanged();
}

// Limits of repair depend on max|F|. For other parameters or records, max|F| is taken from the sums
// that are made anyway: to find it before them cost 3% to 20% of an execution.
void PlanRun::prepare(bool ahead) {
  if (decided)
    return;
  // The Decision also says how blocks of a mesh are read: they need a new evaluator.
  const bool first = evaluator == nullptr || options.whole != nullptr;
  const bool repairs = taken().repairable;
  if (repairs || taken().nodes)
    updateRisk(ahead || taken().nodes || options.whole != nullptr);
  const Decision d = decide(false);
  if (first) {
    const bool lent = waves && taken().variant == nullptr && !d.nodes && !options.whole;
    slices = options.whole ? std::make_shared<RecordBlocks>(kernel, d, options.whole->blocks, 0)
                           : std::make_shared<RecordBlocks>(kernel, slice);
    if (options.whole)
      slices->setRotation(rotation);
    evaluator = std::make_unique<Evaluator>(kernel, d, slices, resources(),
                                            EvaluatorCache{.waves = lent ? waves : nullptr});
  }
  if (d.nodes && !options.whole) {
    slice->rules = rulesOf(d.shells);
    slices->changed();
  }
  if (first && !options.finite)
    evaluator->allowNaN();
  if (first)
    evaluator->begin(grid);
  decided = !repairs || risk->scaled();
  evaluator->setDecision(d, decided ? std::optional(repairsOf(d)) : std::nullopt);
}

std::vector<std::int64_t> PlanRun::repairsBy(const std::complex<double> *values) {
  risk->see(values, [this] { return sumErrors(taken(), *risk, records); });
  Decision limits;
  limits.repair = limitsOf(taken());
  return repairsOf(limits);
}

const std::vector<std::complex<double>> &PlanRun::execute(const std::vector<double> &values) {
  const Stopwatch watch;
  computed = false;
  if (params != values)
    setParams(values);
  prepare(false);
  done = 0;
  evaluator->setProgress(!progress ? std::function<void(double)>() : [this](double more) {
    progress(std::min(done += more, explained.tqp), explained.tqp);
  });
  if (work.queues != nullptr)
    recorder.start();
  f.resize(sizeOfF());
  if (decided)
    evaluator->run(params, f.data());
  else
    evaluator->run(params, f.data(), [this](const auto *sums) { return repairsBy(sums); });
  decided = true;
  last = {watch.seconds(),     evaluator->repaired(), evaluator->kept(),
          evaluator->totals(), evaluator->device(),   remark()};
  computed = true;
  return f;
}

/// What there is to say of F at q = 0.
std::string PlanRun::remark() const {
  std::vector<std::complex<double>> atZero;
  const std::vector<std::int64_t> all = zeroPoints(grid);
  for (auto first = f.begin(); first != f.end() && !all.empty(); first += grid.size())
    for (const std::int64_t i : all)
      atZero.push_back(first[i]);
  return remarkAtZero(kernel, grid, atZero,
                      [&] { return divides(kernel, grid, all.front(), records, params); });
}

const std::vector<std::complex<double>> &Plan::execute(const std::vector<double> &params) {
  PlanRun &s = *run_;
  if (params.size() != static_cast<std::size_t>(s.kernel->param_count))
    throw Error(std::string("kernel ") + s.kernel->name,
                fmt::format("has {} parameters, {} given", s.kernel->param_count, params.size()));
  return s.execute(params);
}

// Repairs q where e L g exceeds its share of accuracy * max|F|. This is the max|F| of all q, since
// what a unit does must not depend on what others have found.
std::vector<Decision::Limit> PlanRun::limitsOf(const PlannedChoice &c) const {
  std::vector<Decision::Limit> limits;
  if (!c.repairable)
    return limits;
  const std::vector<double> errors = sumErrors(c, *risk, records);
  for (std::size_t b = 0; b < errors.size(); ++b)
    if (const Bin &bin = risk->bins()[b]; errors[b] > 0)
      limits.push_back({bin.key, modelShare * options.accuracy * bin.scale / errors[b]});
  return limits;
}

// A unit that is the whole grid takes all records, and a plan's threads in each transform.
void PlanRun::setCut(Decision &d, bool units) const {
  const PlannedChoice &c = taken();
  const std::int64_t most = options.whole ? options.whole->block : 0;
  if (units && c.units) {
    d.cut = c.units->cut;
    d.transforms = c.units->transforms;
    d.workers = c.units->workers;
    return;
  }
  if (units) {
    CutRules rules = cutRules(c.algorithm, c.variant, grid, kernel->fixed, size());
    if (most > 0)
      rules.records = most;
    d.cut = defaultCut(grid, size(), rules);
  } else {
    d.cut = {grid.extents(), most > 0 ? most : size()};
    d.joined = c.card->tables && grid.extents()[0] > 1;
    if (c.variant == nullptr)
      d.threads = pool->size();
  }
  const std::int64_t block = std::min(d.cut.records, size());
  if (c.variant != nullptr)
    d.chunks = chunksOf(tilesOf(grid, *c.variant, 1), *c.variant, block);
  if (!d.repair.empty())
    d.repairChunks = chunksOf(tilesOf({std::max<std::int64_t>(c.repaired, 1), 1, 1}, *precise, 1),
                              *precise, block);
}

Decision PlanRun::decide(bool units) const {
  const PlannedChoice &c = taken();
  Decision d;
  static_cast<HowToSum &>(d) = c;
  d.target = target;
  d.complexQ = grid.complexQ();
  d.accuracy = options.accuracy;
  d.memory = budget.all();
  d.frame = records.frame();
  if (d.nodes)
    d.shells = shellsFor(c, work, *risk, options.accuracy);
  d.repair = limitsOf(c);
  if (!std::ranges::all_of(
          d.repair, [](double x) { return std::isfinite(x); }, &Decision::Limit::amplification))
    throw Error(fmt::format("kernel {}", kernel->name),
                "F is not finite, or too large for double, at q that were looked at",
                "look at the units of the mesh, of q and of the parameters");
  if (!d.repair.empty())
    d.weights = risk->weights();
  setCut(d, units);
  return d;
}

std::vector<std::int64_t> PlanRun::repairsOf(const Decision &d) const {
  if (d.repair.empty() || precise == nullptr)
    return {};
  std::vector<double> limits;
  for (const Bin &bin : risk->bins())
    limits.push_back(d.limit(bin.key));
  return beyondLimits(risk->amplifications(), zeros, [&](std::size_t q) {
    return limits[risk->binIndex(static_cast<std::int64_t>(q))];
  });
}

bool PlanRun::follow(const Decision &d) {
  const auto isOf = [&](const Choice &c) {
    return c.refusal.empty() && static_cast<const HowToSum &>(c) == d && c.target == d.target;
  };
  if (small && !isOf(taken())) {
    small = false;
    weigh();
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (isOf(all[i])) {
      take(static_cast<int>(i));
      explained.reason = "as planned before";
      return true;
    }
  }
  return false;
}

/// The largest output at each q, with each output relative to its own largest |F|.
std::vector<std::complex<double>> PlanRun::joinedF() const {
  const auto size = static_cast<std::size_t>(grid.size());
  std::vector<std::complex<double>> joined(size);
  for (std::size_t first = 0; first < f.size(); first += size) {
    double most = 0;
    for (std::size_t i = 0; i < size; ++i)
      most = std::max(most, std::abs(f[first + i]));
    for (std::size_t i = 0; i < size && most > 0; ++i)
      joined[i] = std::max(joined[i].real(), std::abs(f[first + i]) / most);
  }
  return joined;
}

// The model of a transform's error is of random waves. Waves on a lattice add up at a few q, which
// a sample misses. Where units have written F, some of it is read again, of all units.
PlanRun::Beside PlanRun::besideTighter(const Bands *bands, std::size_t count,
                                       const SampleSources &compare) {
  constexpr std::int64_t fewest = 1 << 12, most = 1 << 18, share = 16; // q of those on disk
  if (taken().tolerance == 0 || options.whole || options.measuring <= 0 ||
      (!computed && (!compare.values || kernel->axis_column_count > 0)))
    return {};
  const GridSubset part = computed ? GridSubset{grid, {}}
                                   : subsetOf(grid, std::clamp(grid.size() / share, fewest, most));
  const auto n = static_cast<std::size_t>(part.grid.size());
  const std::size_t outputs = outputsOf(*kernel).size();
  if (2 * taken().bytes + bytes::ofComplex * static_cast<double>(outputs * n) > budget.all())
    return {};
  Decision d = decide(false);
  if (taken().units && !computed)
    d.transforms = taken().units->transforms;
  if (d.nodes && evaluator == nullptr) // F was summed by units
    slice->rules = rulesOf(d.shells);
  const std::vector<std::complex<double>> other =
      tighterF(kernel, d, std::make_shared<RecordBlocks>(kernel, slice), {.pool = pool},
               {.waves = d.nodes ? nullptr : waves}, part.grid, params);
  std::vector<std::complex<double>> own;
  if (!computed && !other.empty())
    own = compare.values(part.at);
  const auto at = [&](std::int64_t i) {
    const std::int64_t q = i % static_cast<std::int64_t>(n);
    return computed ? q : part.at[static_cast<std::size_t>(q)];
  };
  Beside beside{largestDifferences(computed ? f : own, other, count, [&](std::int64_t i) {
    const double weight =
        risk->weights().empty() ? 1 : risk->weights()[static_cast<std::size_t>(i) / n];
    const double size = bands != nullptr ? bands->size(at(i)) : 1;
    return std::binary_search(zeros.begin(), zeros.end(), at(i)) ? 0 : weight / size;
  })};
  std::ranges::transform(beside.worst, beside.worst.begin(), at);
  if (!beside.worst.empty())
    beside.reach = reachOf(static_cast<double>(n), static_cast<double>(grid.size()));
  return beside;
}

std::vector<SamplePoint> PlanRun::sample(const Extremes &extremes, const SampleSources &compare,
                                         double *reach) {
  constexpr std::int64_t wanted = 64;
  constexpr std::size_t atWorst = 16; // of them, where the largest errors are expected
  const std::size_t outputs = outputsOf(*kernel).size();
  std::optional<Bands> bands;
  if (grid.axes[2].isComplex())
    bands.emplace(grid, outputs > 1 ? joinedF() : f, records.frame().radius, zeros);
  updateRisk(true);
  const double repairs = taken().repairable ? modelShare * options.accuracy : HUGE_VAL;
  const Layout tiles =
      taken().variant != nullptr ? tilesOf(grid, *taken().variant, pool->size()) : Layout();
  const Bands *known = bands ? &*bands : nullptr;
  auto [worst, of] = besideTighter(known, atWorst / 2, compare);
  if (reach != nullptr)
    *reach = of;
  for (const std::int64_t q :
       worstExpected(taken(), work, *risk, known, repairs, atWorst - worst.size()))
    if (std::ranges::find(worst, q) == worst.end())
      worst.push_back(q);
  std::vector<SamplePoint> chosen =
      chooseSample(grid, tiles, extremes, known, zeros, options.seed, wanted, worst);
  const std::vector<std::int64_t> atZero = zeroPoints(grid);
  if (kernel->origin == nullptr && !atZero.empty() &&
      std::ranges::count(chosen, atZero.front(), &SamplePoint::at) ==
          0) { // NaN? the reference tells
    chosen.insert(chosen.begin(), {atZero.front(), atZero.front()});
    chosen.resize(std::min(chosen.size(), static_cast<std::size_t>(wanted)));
  }
  return chosen;
}

/// Whether F has no value at q = 0, for facet as for the reference: there is nothing to compare.
static bool haveNoValue(const facet_kernel_description &kernel, const ComparedValue &one) {
  const auto finite = [](const std::complex<double> &f) { return std::isfinite(std::abs(f)); };
  return kernel.origin == nullptr && one.q == std::array<std::complex<double>, 3>{} &&
         !finite(one.value) && !finite(one.reference);
}

Measured PlanRun::measure(const Extremes &extremes, const SampleSources &compare) {
  const Stopwatch watch;
  double reach = 1;
  const std::vector<SamplePoint> sampled = sample(extremes, compare, &reach);
  const std::vector<std::int64_t> q = placesOf(sampled);
  const std::vector<Reference> found = compare.references(q, leastOf(sampled), measuring());
  const std::vector<std::complex<double>> values = compare.values(q);
  const std::vector<bool> judged = judgedOf(sampled, found.size());
  std::vector<Measured> each; // of the outputs
  for (const facet_output &output : outputsOf(*kernel)) {
    const std::size_t o = each.size();
    std::vector<ComparedValue> compared(found.size());
    for (std::size_t k = 0; k < found.size(); ++k) {
      const auto at = grid.at(q[k]);
      compared[k] = {at,
                     values[o * q.size() + k],
                     found[k].f[o],
                     roundingOf(found[k], o, at, records.frame().reach()),
                     judged[k],
                     scaleOf(found[k], o)};
    }
    std::erase_if(compared, [&](const ComparedValue &one) { return haveNoValue(*kernel, one); });
    each.push_back(judge(compared, options.accuracy, records.frame().radius, reach));
    each.back().output = output.name;
  }
  Measured result = joined(std::move(each));
  result.seed = options.seed;
  result.seconds = watch.seconds();
  return result;
}

Measured Plan::measure() {
  PlanRun &s = *run_;
  if (!s.computed) // the reference would be of another mesh than F, or F be empty
    throw Error(std::string("kernel ") + s.kernel->name,
                "there is no F of this mesh that could be measured",
                "execute the plan first; in Python, call it: plan()");
  Extremes extremes;
  const auto size = static_cast<std::size_t>(s.grid.size());
  for (std::size_t i = 0; i < s.f.size(); ++i)
    extremes.see(s.grid, static_cast<std::int64_t>(i % size), s.f[i], i / size);
  const auto values = [&](const std::vector<std::int64_t> &q) {
    std::vector<std::complex<double>> f;
    for (std::size_t first = 0; first < s.f.size(); first += size)
      for (const std::int64_t at : q)
        f.push_back(s.f[first + static_cast<std::size_t>(at)]);
    return f;
  };
  return s.measure(extremes, {values, [&](const auto &q, std::size_t least, double seconds) {
                                return s.references->at(s.grid, q, least, seconds);
                              }});
}

std::unique_ptr<Evaluator> PlanRun::evaluatorFor(const Decision &decision,
                                                 std::shared_ptr<RecordBlocks> blocks,
                                                 Resources resources) {
  const Resources own = this->resources();
  resources.queues = own.queues;
  resources.recorder = own.recorder;
  auto made =
      std::make_unique<Evaluator>(kernel, decision, std::move(blocks), std::move(resources));
  if (!options.finite)
    made->allowNaN();
  return made;
}

std::complex<double> *PlanRun::place() {
  f.resize(sizeOfF());
  return f.data();
}

void PlanRun::setExecuted(const Executed &executed) {
  last = executed;
  computed = f.size() == sizeOfF(); // the caller has filled place(), if it called that
}

std::int64_t PlanRun::summed() {
  if (taken().variant == nullptr)
    return 0;
  if (!taken().nodes)
    return records.size();
  prepare(true);
  return slice->rules->nodes();
}

bool PlanRun::nextChoice(const Measured &measured,
                         const std::function<void(const std::string &)> &say) {
  const std::string before = name(taken());
  if (measured.met || !useNextChoice())
    return false;
  if (say)
    say(fmt::format("{} missed the contract ({:.1e} of max|F|, asked {:.0e}): running again, {}",
                    before, measured.error, measured.contract, name(taken())));
  return true;
}

Measured executeToContract(Plan &plan, const std::vector<double> &params,
                           const std::function<void(const std::string &)> &say) {
  while (true) {
    plan.execute(params);
    const Measured measured = plan.measure();
    if (!plan.run().nextChoice(measured, say))
      return measured;
  }
}

} // namespace facet::runtime
