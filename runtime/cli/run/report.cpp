// report.cpp - what people read at the end of a run.
#include "runtime/cli/run/run.h"
#include <fmt/format.h>

namespace facet::cli {

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
  fmt::print("speed      {:.2e} TQP/s: {:.2e} triangle-q-points in {:.3f} s\n", r.tqp / r.seconds,
             r.tqp, r.seconds);
  const runtime::Measured &m = r.measured;
  fmt::print("error      {:.1e} of max|F|, {:.0e} asked for: {} ({} q in double, seed {})\n",
             m.error, m.contract,
             !m.met          ? "MISSED"
             : !m.verifiable ? "not verifiable in double"
                             : "met",
             m.samples, m.seed);
  if (!m.verifiable)
    fmt::print("           double itself rounds to {:.1e} of max|F| here\n", m.bound);
  fmt::print("data       {}\n", r.data);
  if (!r.picture.empty())
    fmt::print("picture    {}\n", r.picture);
  if (!r.timeline.empty())
    fmt::print("timeline   {}\n", r.timeline);
}

} // namespace facet::cli
