// plan.cpp - what a plan is made of and which choice it takes; the interface of Plan.
#include "runtime/engine/kernel/inside.h"
#include "runtime/engine/kernel/schedule.h"
#include "runtime/engine/plan/plan_run.h"
#include "runtime/engine/system/machine.h"
#include <algorithm>
#include <fmt/format.h>

namespace facet::runtime {
void checkAccuracy(double accuracy) {
  const bool tooMuch = accuracy > leastAccuracy;
  if (accuracy >= mostAccuracy * (1 - 1e-9) && !tooMuch)
    return;
  throw Error(fmt::format("accuracy {:.3g}", accuracy),
              tooMuch ? fmt::format("is more than {:.0e} of max|F|", leastAccuracy)
                      : fmt::format("is out of reach: the best facet computes and verifies in "
                                    "double is {:.0e} of max|F|",
                                    mostAccuracy),
              fmt::format("ask for {:.0e} to {:.0e}", leastAccuracy, mostAccuracy));
}

namespace {

void checkGrid(const Kernel &kernel, const Grid &grid) {
  check(grid);
  const std::string where = std::string("kernel ") + kernel->name;
  const char letters[] = "xyz";
  for (int k = 0; k < 3; ++k) {
    if (grid.axes[k].isComplex() && kernel->complex_q[k] == 0)
      throw Error(
          where, fmt::format("q.{} is complex in the grid and real in the kernel", letters[k]),
          fmt::format("write cplx for {} in the kernel's Grid, or leave its imaginary part out",
                      letters[k]));
    if (grid.kind == Grid::Kind::Product && kernel->fixed[k] != 0 &&
        kernel->fixed[k] != grid.extents()[k])
      throw Error(where,
                  fmt::format("axis {} has {} values, and the kernel is compiled for fixed<{}>",
                              letters[k], grid.extents()[k], kernel->fixed[k]),
                  "give that many values, or write real for the axis in the kernel's Grid");
  }
}

// Every way to run needs an amplification and a bin for each q.
void checkRoom(const Grid &grid, const Budget &budget) {
  if (const double least = bytes::ofRisk * static_cast<double>(grid.size()); least > budget.all())
    throw Error("grid",
                fmt::format("{:.3g} q take {} to plan, {} are allowed",
                            static_cast<double>(grid.size()), showBytes(least),
                            showBytes(budget.all())),
                "take a smaller grid, or allow more with --memory");
}

bool hasNodes(const Kernel &kernel) {
  const auto nodes = [](const auto &of) { return of.nodes != 0; };
  return std::any_of(kernel->variants, kernel->variants + kernel->variant_count, nodes) ||
         std::any_of(kernel->transforms, kernel->transforms + kernel->transforms_count, nodes);
}

} // namespace

PlanRun::PlanRun(Kernel k, const Grid &g, const Mesh &m, PlanOptions o)
    : kernel(std::move(k)), grid(g), options(std::move(o)),
      slice(std::make_shared<RecordBlock>(*kernel)), records(slice->records),
      pool(std::make_shared<Pool>(options.threads > 0 ? options.threads : usableThreads())),
      work{kernel, grid, records, *pool, params, zeros, progress}, profile(profilePath()),
      budget(options.memory > 0 ? options.memory : freeMemory()) {
  checkRoom(grid, budget);
  target = kernel.chooseTarget(options.target);
  work.memory = budget.all();
  sumOn(target);
  targets.push_back(target);
  for (const std::string &other : targetsFor(options.target))
    if (other != target && runsOnDevice(kernel, other))
      targets.push_back(other);
  params = options.params.empty() ? likelyParameters(*kernel) : options.params;
  params.resize(static_cast<std::size_t>(kernel->param_count), 1.0);
  if (options.whole && m.size() > 0) {
    records.setMesh(m, records.frameOf(options.whole->summary));
    work.times = static_cast<double>(options.whole->blocks->size()) / static_cast<double>(m.size());
    references = std::make_unique<References>(kernel, options.whole->blocks, options.whole->block,
                                              records.frame(), params, *pool);
    references->check(grid);
  } else {
    records.setMesh(m, pool.get());
    references = std::make_unique<References>(kernel, records, params, *pool);
  }
  keepForNodes(m);
  zeros = zeroPoints(grid);
  if (kernel->origin == nullptr && !zeros.empty() &&
      (options.finite || !hasNoValue(kernel, grid, zeros.front(), records, params)))
    zeros.clear();
  precise = findPrecise(kernel, target, kindOf(grid));
  direct = &anyDirect(kernel, target, kindOf(grid), precise);
  risk = std::make_unique<ErrorModel>(work, *direct, precise, *references, options.whole != nullptr,
                                      options.units);
}

void PlanRun::sumOn(const std::string &one) {
  work.queues = queues.of(kernel, one);
  target = one;
}

Resources PlanRun::resources() {
  return {.pool = pool,
          .queues = work.queues,
          .recorder = work.queues != nullptr ? &recorder : nullptr};
}

// Keeps a copy, as of the records: the owner of the mesh's array may change it.
void PlanRun::keepForNodes(const Mesh &m) {
  if (!hasNodes(kernel))
    return;
  mesh = m;
  mesh.triangles.own();
  standing.clear();
}

const NodeGuess &PlanRun::guessFor(const PlannedChoice &c) {
  const auto [found, isNew] = guesses.try_emplace(name(c));
  NodeGuess &guess = found->second;
  if (!isNew)
    return guess;
  constexpr std::int64_t sample = 1024;
  if (standing.empty())
    standing = standingFor(mesh, sample);
  const std::vector<Shell> shells = shellsFor(c, work, *risk, options.accuracy);
  guess.ofTriangle = predictNodes(mesh, standing, shells, rotation);
  guess.nodes = std::llround(guess.ofTriangle.mean * static_cast<double>(mesh.size()));
  Mesh head;
  head.name = mesh.name;
  head.triangles =
      std::vector(mesh.triangles.data(), mesh.triangles.data() + std::min(sample, mesh.size()));
  guess.head = std::make_shared<const NodeRules>(head, shells, rotation);
  return guess;
}

// A plan that is executed again and again is made as if the problem were not small.
bool PlanRun::isSmall() const {
  const bool once = options.units && !options.algorithm && !options.klass;
  const bool given = options.algorithm && cardOf(*options.algorithm).exact && options.klass;
  return (once || given) && !runsOnDevice(kernel, targets.front()) &&
         static_cast<double>(size()) * static_cast<double>(grid.size()) <= smallProblem;
}

int PlanRun::fastestDirect() const {
  const auto seconds = [klass = options.klass.value_or(FACET_F64)](const PlannedChoice &c) {
    const bool taken = c.card->exact && c.klass == klass && c.refusal.empty();
    return taken ? c.seconds : HUGE_VAL;
  };
  const auto fastest = std::ranges::min_element(all, {}, seconds);
  return fastest == all.end() || seconds(*fastest) == HUGE_VAL
             ? -1
             : static_cast<int>(fastest - all.begin());
}

void PlanRun::weigh() {
  const facet_transforms *form = nullptr;
  if (!small && (!options.algorithm || cardOf(*options.algorithm).ofWaves))
    form = findTransforms(kernel, kindOf(grid));
  std::string noRules;
  if (form != nullptr) {
    waves = std::make_shared<WaveRecords>(work, *form);
    try {
      if (form->nodes != 0) // coarse rules: sizes and boxes are needed here, no more
        waves->setRules(rulesOf(coarseShells(mesh, grid)));
      waves->fill(true);
    } catch (const Error &e) {
      noRules = e.what();
      waves.reset();
    }
  }
  risk->update(waves.get(), true);
  risk->pilot();
  all.clear();
  for (const std::string &each : targets)
    if (all.empty() || !small)
      weigh(each, noRules);
  profile.save();
}

// A device that would not be ready before the CPU is done is not even opened.
void PlanRun::weigh(const std::string &of, const std::string &noRules) {
  constexpr double secondsToStart = 0.2; // its driver, its context and kernels, as seen
  const double start = options.units && !all.empty() ? secondsToStart : 0;
  const auto refused = [&](const std::string &why) {
    PlannedChoice &none = all.emplace_back();
    none.card = &cardOf(FACET_DIRECT);
    none.target = of;
    none.refuse({why, ""});
  };
  if (const int known = best(all, options.accuracy);
      known >= 0 && all[static_cast<std::size_t>(known)].error <= options.accuracy &&
      all[static_cast<std::size_t>(known)].seconds <= start)
    return refused("not looked at: its device takes longer to start than the CPU to sum");
  try {
    sumOn(of);
  } catch (const Error &e) {
    if (all.empty())
      throw;
    return refused(e.what());
  }
  const std::vector<PlannedChoice> more = plannedChoices(
      PlanProblem{work, options, of, waves.get(), noRules,
                  [this](const PlannedChoice &c) -> const NodeGuess & { return guessFor(c); },
                  budget, small, all, start},
      *risk, precise, profile);
  all.insert(all.end(), more.begin(), more.end());
}

void PlanRun::choose() {
  small = isSmall();
  weigh();
  int chosen = small ? fastestDirect() : -1;
  if (small && chosen < 0) {
    small = false;
    weigh();
  }
  if (!small)
    chosen = best(all, options.accuracy);
  if (chosen < 0)
    refuse();
  for (std::size_t i = 0; small && i < all.size(); ++i)
    if (std::string &refusal = all[i].refusal;
        refusal.empty() && i != static_cast<std::size_t>(chosen))
      refusal = "not looked at: the problem is small";
  take(chosen);
  explained.reason = small && !options.algorithm
                         ? fmt::format("the problem is small: direct sums in f64, {:.2g} s "
                                       "expected, take less than to choose",
                                       taken().seconds)
                         : reasonFor(all, chosen, options);
}

// Says why nothing can be taken: the reason of a forced algorithm, else what the first one lacks.
void PlanRun::refuse() const {
  if (all.empty() || (!options.algorithm && all.front().variant == nullptr))
    throw Error(
        whereIs(kernel),
        fmt::format("holds no variant for {} grids of {} q, target {}{}",
                    gridName(grid.kind == Grid::Kind::Product ? FACET_PRODUCT : FACET_POINTS),
                    qName(kindOf(grid)), target,
                    options.klass ? ", class " + className(*options.klass) : ""),
        "build it with facet build for this grid, or give facet run the kernel's source");
  throw Error(std::string("kernel ") + kernel->name,
              fmt::format("{}: {}", algorithmName(all.front().algorithm), all.front().refusal),
              all.front().help);
}

void PlanRun::take(int chosen) {
  index = chosen;
  PlannedChoice &c = all[static_cast<std::size_t>(chosen)];
  c.tried = true;
  sumOn(c.target);
  if (options.threads <= 0) // tuning found fewer if several threads of a core gain nothing
    pool->limit(c.variant != nullptr ? knobsOf(*c.variant).threads : 0);
  evaluator.reset();
  slices.reset();
  slice->rules.reset(); // a choice without nodes would sum those of the one before
  decided = false;
  last = {};
  f.clear();
  explain();
}

void PlanRun::explain() {
  explained.choices.clear();
  for (const PlannedChoice &each : all)
    explained.choices.push_back(each);
  explained.taken = static_cast<std::size_t>(index);
  explained.target = target;
  explained.memory = taken().budget ? taken().budget->text() : budget.text();
  explained.threads = pool->active();
  explained.tqp = static_cast<double>(size()) * static_cast<double>(grid.size());
  const facet_variant *variant = taken().variant;
  const bool device = variant != nullptr && variant->interface_ != FACET_CPU;
  explained.device = device ? Sums(work, *variant).device() : "";
}

// What rules of nodes depend on (mesh, rotation, amplification) has changed with the records.
void PlanRun::recordsChanged() {
  decided = false;
  explained.tqp = static_cast<double>(size()) * static_cast<double>(grid.size());
  risk->recordsChanged();
  guesses.clear();
  if (waves && waves->form().nodes != 0)
    waves->setRules(rulesOf(coarseShells(mesh, grid)));
  else if (waves)
    waves->changed();
}

void PlanRun::meshChanged() {
  computed = false;
  recordsChanged();
  if (slices)
    slices->changed();
}

Plan::Plan(Kernel kernel, const Grid &grid, const Mesh &given, PlanOptions options) {
  Mesh room;
  const Mesh &mesh = inNm(given, *kernel, room);
  checkGrid(kernel, grid);
  checkTables(*kernel, grid, mesh);
  checkAccuracy(options.accuracy);
  run_ = std::make_unique<PlanRun>(std::move(kernel), grid, mesh, std::move(options));
  run_->choose();
}
Plan::Plan(Plan &&) noexcept = default;
Plan &Plan::operator=(Plan &&) noexcept = default;
Plan::~Plan() = default;

void Plan::setMesh(const Mesh &given) {
  Mesh room;
  const Mesh &mesh = inNm(given, *run_->kernel, room);
  checkTables(*run_->kernel, run_->grid, mesh);
  run_->records.setMesh(mesh, run_->pool.get());
  run_->keepForNodes(mesh);
  run_->meshChanged();
}

void Plan::setRotation(const Matrix3 &matrix) {
  run_->records.rotate(matrix);
  run_->rotation = matrix;
  run_->meshChanged();
}

void Plan::setProgress(std::function<void(double, double)> progress) {
  run_->progress = std::move(progress);
}

bool PlanRun::useNextChoice() {
  if (options.klass)
    return false;
  const double error = taken().error;
  if (small) { // the others were not weighed
    small = false;
    weigh();
    explain();
  }
  int next = best(all, options.accuracy, 0.9 * error);
  if (next < 0) // what was expected was wrong: direct sums in f64 have the least to go wrong
    next = fastestDirect();
  if (next < 0 || all[static_cast<std::size_t>(next)].tried)
    return false;
  risk->forgetSeen();
  take(next);
  explained.reason = "the choice before missed the contract";
  return true;
}

bool Plan::useNextChoice() { return run_->useNextChoice(); }
const std::vector<std::complex<double>> &Plan::values() const { return run_->f; }
const Executed &Plan::last() const { return run_->last; }
const Choice &Plan::choice() const { return run_->taken(); }
const Explained &Plan::explain() const { return run_->explained; }

std::string Plan::decision() {
  run_->prepare(true);
  return toJson(run_->decide(false));
}

} // namespace facet::runtime
