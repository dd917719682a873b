// execute.cpp - one execution of a plan, and executions until the contract is met.
#include "runtime/plan/state.h"
#include <chrono>
#include <fmt/format.h>

namespace facet::runtime {

void Plan::State::updateRisk() {
  if (waves)
    waves->fill();
  risk->update(waves.get(), false);
}

/// Rules of nodes are made for what finish amplifies, and so for all parameters.
bool Plan::State::sumsStand(const std::vector<double> &values) const {
  bool same = summed && !taken().choice.nodes;
  std::size_t at = 0;
  for (int k = 0; k < kernel->parameter_count; ++k)
    for (int n = numberCount(kernel->parameters[k]); n > 0; --n, ++at)
      same = same && (kernel->parameters[k].in_sum == 0 || params[at] == values[at]);
  return same;
}

const std::vector<std::complex<double>> &Plan::State::execute(const std::vector<double> &values) {
  const auto start = std::chrono::steady_clock::now();
  kept = params != values && sumsStand(values);
  if (params != values) {
    params = values;
    risk->parametersChanged();
    if (!kept)
      recordsChanged(false);
  }
  carried.reset();
  f.resize(static_cast<std::size_t>(grid.size()));
  if (!kept) {
    summed = false;
    strategy->sum();
    summed = true;
  }
  strategy->finish(f);
  repaired = 0;
  if (mayRepair(taken(), precise, options)) {
    updateRisk();
    repaired = repair->run(taken(), *risk, options.accuracy, f);
  }
  if (!zeros.empty()) {
    double value[2];
    kernel->origin(records.columns().data(), records.size(), params.data(), value);
    for (const std::int64_t i : zeros)
      f[static_cast<std::size_t>(i)] = {value[0], value[1]};
  }
  seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return f;
}

const std::vector<std::complex<double>> &Plan::execute(const std::vector<double> &params) {
  State &s = *state_;
  if (params.size() != static_cast<std::size_t>(s.kernel->param_count))
    throw Error(std::string("kernel ") + s.kernel->name,
                fmt::format("has {} parameters, {} given", s.kernel->param_count, params.size()));
  return s.execute(params);
}

Measured executeToContract(Plan &plan, const std::vector<double> &params,
                           const std::function<void(const std::string &)> &say) {
  while (true) {
    plan.execute(params);
    const Measured measured = plan.measure();
    const std::string before = name(plan.choice());
    if (measured.met || !plan.useNextChoice())
      return measured;
    if (say)
      say(fmt::format("{} missed the contract ({:.1e} of max|F|, asked {:.0e}): running again, {}",
                      before, measured.error, measured.contract, name(plan.choice())));
  }
}

} // namespace facet::runtime
