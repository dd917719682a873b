// execute.cpp - one execution of a plan, and executions until the contract is met.
#include "runtime/plan/state.h"
#include <chrono>
#include <fmt/format.h>

namespace facet::runtime {

const std::vector<std::complex<double>> &Plan::State::execute(const std::vector<double> &values) {
  const auto start = std::chrono::steady_clock::now();
  if (params != values) {
    params = values;
    risk->parametersChanged();
    recordsChanged(false);
  }
  carried.reset();
  f.resize(static_cast<std::size_t>(grid.size()));
  strategy->execute(f);
  repaired = 0;
  if (mayRepair(taken(), precise, options)) {
    if (waves)
      waves->fill();
    risk->update(waves.get(), false);
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
