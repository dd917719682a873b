// inside.cpp - what facet's own programs take from a plan; the loop over its choices.
#include "runtime/plan/inside.h"
#include "runtime/plan/state.h"
#include <fmt/format.h>

namespace facet::runtime {

struct Inside {
  static Plan::State &of(const Plan &plan) { return *plan.state_; }
};

Decision decisionOf(const Plan &plan) { return Inside::of(plan).decide(true); }

bool follow(Plan &plan, const Decision &decision) { return Inside::of(plan).follow(decision); }

std::unique_ptr<Evaluator> evaluatorOf(Plan &plan, const Decision &decision,
                                       std::shared_ptr<Slices> slices, int threads) {
  auto &s = Inside::of(plan);
  if (s.queues)
    s.recorder.start();
  return std::make_unique<Evaluator>(s.kernel, decision, std::move(slices), threads, s.queues.get(),
                                     s.queues ? &s.recorder : nullptr);
}

std::complex<double> *placeOf(Plan &plan) {
  auto &s = Inside::of(plan);
  s.f.resize(static_cast<std::size_t>(s.grid.size()));
  return s.f.data();
}

void setExecuted(Plan &plan, const Executed &executed) { Inside::of(plan).last = executed; }

Measured measure(Plan &plan, const Extremes &extremes, const Compare &compare) {
  return Inside::of(plan).measure(extremes, compare);
}

std::vector<Sampled> sampleOf(Plan &plan, const Extremes &extremes) {
  return Inside::of(plan).sample(extremes);
}

const References &referencesOf(const Plan &plan) { return *Inside::of(plan).references; }

const Kernel &kernelOf(const Plan &plan) { return Inside::of(plan).kernel; }

const facet_variant &variantOf(const Plan &plan) {
  const auto &s = Inside::of(plan);
  return s.taken().variant != nullptr ? *s.taken().variant : *s.direct;
}

std::int64_t summedBy(Plan &plan) {
  auto &s = Inside::of(plan);
  if (s.taken().variant == nullptr)
    return 0;
  if (!s.taken().nodes)
    return s.records.size();
  s.prepare(true);
  return s.slice->rules->nodes();
}

void recordDevice(Plan &plan, bool on) { Inside::of(plan).recorder.switchOn(on); }
Timeline timelineOf(const Plan &plan) { return Inside::of(plan).recorder.timeline(); }

bool nextChoice(Plan &plan, const Measured &measured,
                const std::function<void(const std::string &)> &say) {
  const std::string before = name(plan.choice());
  if (measured.met || !plan.useNextChoice())
    return false;
  if (say)
    say(fmt::format("{} missed the contract ({:.1e} of max|F|, asked {:.0e}): running again, {}",
                    before, measured.error, measured.contract, name(plan.choice())));
  return true;
}

Measured executeToContract(Plan &plan, const std::vector<double> &params,
                           const std::function<void(const std::string &)> &say) {
  while (true) {
    plan.execute(params);
    const Measured measured = plan.measure();
    if (!nextChoice(plan, measured, say))
      return measured;
  }
}

} // namespace facet::runtime
