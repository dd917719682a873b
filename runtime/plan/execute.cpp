// execute.cpp - one execution of a plan: a Decision of the whole grid, carried out as one unit.
#include "runtime/plan/state.h"
#include <chrono>
#include <fmt/format.h>

namespace facet::runtime {

void Plan::State::updateRisk(bool scale) {
  if (waves)
    waves->fill();
  risk->update(waves.get());
  if (scale)
    risk->pilot();
}

// In which `finish` alone reads the others: the sums may stand.
void Plan::State::setParams(const std::vector<double> &values) {
  bool summed = taken().choice.nodes;
  std::size_t at = 0;
  for (int k = 0; k < kernel->parameter_count; ++k)
    for (int n = numberCount(kernel->parameters[k]); n > 0; --n, ++at)
      summed = summed || (kernel->parameters[k].in_sum != 0 && params[at] != values[at]);
  params = values;
  risk->parametersChanged();
  decided = false;
  if (summed)
    recordsChanged();
}

// Limits of repair depend on max|F|. Of other parameters or records it is taken from the sums that
// are made anyway: to find it before them cost 3% to 20% of an execution.
void Plan::State::prepare(bool ahead) {
  if (decided)
    return;
  // Blocks that are read are read by the Decision, too.
  const bool first = evaluator == nullptr || options.whole != nullptr;
  const bool repairs = mayRepair(taken(), precise, options);
  if (repairs || taken().choice.nodes)
    updateRisk(ahead || taken().choice.nodes || options.whole != nullptr);
  const Decision d = decide(false);
  if (first) {
    const bool lent = waves && taken().variant == nullptr && !d.nodes && !options.whole;
    slices = options.whole ? std::make_shared<Slices>(kernel, d, options.whole->blocks, 0)
                           : std::make_shared<Slices>(kernel, slice);
    if (options.whole)
      slices->setRotation(rotation);
    evaluator = std::make_unique<Evaluator>(
        kernel, d, slices,
        Means{pool, queues.get(), queues ? &recorder : nullptr, lent ? waves : nullptr});
  }
  if (d.nodes && !options.whole) {
    slice->rules = rulesOf(d.shells);
    slices->changed();
  }
  if (first)
    evaluator->begin(grid);
  decided = !repairs || risk->scaled();
  evaluator->setDecision(d, decided ? std::optional(repairsOf(d)) : std::nullopt);
}

std::vector<std::int64_t> Plan::State::repairsBy(const std::complex<double> *values) {
  risk->see(values, sumErrors(taken(), *risk, records));
  Decision limits;
  setRepair(limits);
  return repairsOf(limits);
}

const std::vector<std::complex<double>> &Plan::State::execute(const std::vector<double> &values) {
  const auto start = std::chrono::steady_clock::now();
  if (params != values)
    setParams(values);
  prepare(false);
  done = 0;
  evaluator->setProgress(!progress ? std::function<void(double)>() : [this](double more) {
    progress(std::min(done += more, explained.tqp), explained.tqp);
  });
  if (queues)
    recorder.start();
  f.resize(static_cast<std::size_t>(grid.size()));
  if (decided)
    evaluator->run(params, f.data());
  else
    evaluator->run(params, f.data(), [this](const auto *sums) { return repairsBy(sums); });
  decided = true;
  last = {std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(),
          evaluator->repaired(), evaluator->kept(), evaluator->totals(), evaluator->device()};
  return f;
}

const std::vector<std::complex<double>> &Plan::execute(const std::vector<double> &params) {
  State &s = *state_;
  if (params.size() != static_cast<std::size_t>(s.kernel->param_count))
    throw Error(std::string("kernel ") + s.kernel->name,
                fmt::format("has {} parameters, {} given", s.kernel->param_count, params.size()));
  return s.execute(params);
}

} // namespace facet::runtime
