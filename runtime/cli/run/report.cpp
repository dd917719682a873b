// report.cpp - what people read at the end of a run, and of the ways to run.
#include "runtime/cli/run/run.h"
#include <cstdio>
#include <fmt/format.h>

namespace facet::cli {
namespace {

/// Why a choice is not the one: refused, too inexact, or slower.
std::string whyNot(const runtime::Choice &c, const runtime::Choice &taken, double accuracy) {
  if (name(c) == name(taken))
    return "taken";
  if (!c.refusal.empty())
    return c.refusal;
  if (c.error > accuracy)
    return "not accurate enough";
  return c.seconds > taken.seconds ? fmt::format("{:.2g} times slower", c.seconds / taken.seconds)
                                   : "as fast";
}

} // namespace

std::string showSeconds(double seconds) {
  return seconds < 1 ? fmt::format("{:.3g} ms", seconds * 1e3) : fmt::format("{:.3g} s", seconds);
}

void reportChoices(const std::vector<runtime::Choice> &choices, const runtime::Choice &taken,
                   double accuracy) {
  fmt::print("\n{:<24} {:>9} {:>9} {:>8} {:>9}  {}\n", "choice", "time", "memory", "error",
             "repaired", "why not");
  for (const runtime::Choice &c : choices) {
    if (!c.refusal.empty() && c.seconds == 0)
      fmt::print("{:<24} {:>9} {:>9} {:>8} {:>9}  {}\n", runtime::algorithmName(c.algorithm), "-",
                 "-", "-", "-", c.refusal);
    else
      fmt::print("{:<24} {:>9} {:>9} {:>8.1e} {:>9}  {}\n", name(c), showSeconds(c.seconds),
                 runtime::showBytes(c.bytes), c.error, c.repaired, whyNot(c, taken, accuracy));
  }
}

void reportRule(const runtime::RuleError &rule) {
  if (rule.samples == 0 && rule.unknown.empty())
    return;
  fmt::print("rule       {}\n", show(rule));
  std::fflush(stdout);
  if (rule.large())
    fmt::print(
        stderr,
        "facet: warning: the kernel takes each triangle for a point, its centroid, and these "
        "triangles are too large for that ({:.1e} of |F| at the median q)\n  help: take "
        "mean_cis(q, t) in place of cis(dot(q, t.centroid)), as the kernel `exact` does, or "
        "a finer mesh (facet mesh convert --refine, or refine=N of a shape)\n",
        rule.median);
}

void addRule(const runtime::RuleError &rule, std::map<std::string, double> &numbers) {
  if (rule.samples == 0)
    return;
  numbers["rule_error"] = rule.error;
  numbers["rule_median"] = rule.median;
  numbers["rule_samples"] = rule.samples;
}

void report(const RunResult &r) {
  fmt::print("kernel     {} ({}), {}\n", r.kernelName, r.kernelPath,
             r.compiled ? fmt::format("compiled in {:.1f} s", r.compileSeconds)
                        : "compiled before");
  fmt::print("algorithm  {} on a {}, {}, {}, {} thread{}: {}\n",
             runtime::algorithmName(r.choice.algorithm), r.kind, r.klass, r.target, r.threads,
             r.threads == 1 ? "" : "s", r.reason);
  if (!r.device.empty())
    fmt::print("device     {}\n", r.device);
  if (r.units.compare(0, 5, "1 of ") != 0)
    fmt::print("units      {}\n", r.units);
  if (!r.schedule.empty())
    fmt::print("schedule   {}\n", r.schedule);
  if (r.repaired > 0)
    fmt::print(
        "           {} q, where finish amplifies errors, computed again by direct sums in f64\n",
        r.repaired);
  if (r.totals.find("kept") != std::string::npos)
    fmt::print("           the mesh is not closed for this kernel: sums over records {}\n",
               r.totals);
  if (!r.sizes.empty())
    fmt::print("sizes      {}\n", r.sizes);
  fmt::print("speed      {:.2e} TQP/s: {:.2e} triangle-q-points in {:.3f} s\n", r.tqp / r.seconds,
             r.tqp, r.seconds);
  const runtime::Measured &m = r.measured;
  if (m.samples == 0)
    fmt::print("error      none to measure: every q is 0, where F is what the kernel says\n");
  else
    fmt::print("error      {:.1e} of max|F|, {:.0e} asked for: {} ({} q in double, seed {})\n",
               m.error, m.contract,
               !m.met          ? "MISSED"
               : !m.verifiable ? "not verifiable in double"
                               : "met",
               m.samples, m.seed);
  if (!m.verifiable)
    fmt::print("           double itself rounds to {:.1e} of max|F| here\n", m.bound);
  reportRule(r.rule);
  fmt::print("data       {}\n", r.data);
  if (!r.picture.empty())
    fmt::print("picture    {}\n", r.picture);
  if (!r.timeline.empty())
    fmt::print("timeline   {}\n", r.timeline);
}

} // namespace facet::cli
