// tables.cpp - the compiler's own tables as text for people: passes, IR operations, knobs.
#include "codegen/passes/passes.h"
#include "schedules/knobs.h"
#include "stages.h"
#include <fmt/format.h>

namespace facet::driver {

std::string passLists() {
  using passes::Algorithm;
  std::string out;
  for (const Algorithm algorithm : {Algorithm::Direct, Algorithm::Separable, Algorithm::Nufft}) {
    passes::Variant variant;
    variant.algorithm = algorithm;
    out += fmt::format("{}{}:\n", out.empty() ? "" : "\n", passes::spelling(algorithm));
    for (const passes::Pass &pass : passes::pipeline(variant))
      out += fmt::format("  {:<12} {}\n", pass.name, pass.why);
  }
  return out;
}

std::string opsTable() {
  std::string out = "| op | operands | flops | meaning |\n| --- | --- | --- | --- |\n";
  for (const ir::OpInfo &op : ir::ops()) {
    std::string text; // a bar would end the cell
    for (const char c : op.doc) {
      if (c == '|')
        text += '\\';
      text += c;
    }
    out += fmt::format("| `{}` | {} | {} | {} |\n", op.spelling, op.arity, op.flops, text);
  }
  return out;
}

std::string knobsTable() {
  using enum schedules::KnobUse;
  std::string out = "| knob | legal values | 0 means | sums | what it does |\n"
                    "| --- | --- | --- | --- | --- |\n";
  for (const schedules::KnobInfo &knob : schedules::knobTable())
    out += fmt::format("| `{}` | {} | {} | {} | {} |\n", knob.name, schedules::legalValues(knob),
                       knob.zero.empty() ? "-" : knob.zero,
                       knob.use == Direct      ? "direct"
                       : knob.use == Separable ? "separable"
                       : knob.use == Cpu       ? "of CPUs"
                       : knob.use == CpuDirect ? "direct, of CPUs"
                       : knob.use == Device    ? "of devices"
                                               : "both",
                       knob.doc);
  return out;
}

} // namespace facet::driver
