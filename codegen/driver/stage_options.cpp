// stage_options.cpp - words of the command line to pipeline options and knobs.
#include "stage_options.h"
#include <fmt/format.h>

namespace facet::driver {

passes::PipelineOptions pipelineOptions(const Options &options) {
  passes::PipelineOptions out;
#ifdef FACET_CHECK_PASSES
  out.check = true;
#else
  out.check = !options.checkPasses.empty();
#endif
  out.only = options.only;
  if (options.after != "all")
    out.after = options.after;
  return out;
}

void setKnobs(const Options &options, schedules::Knobs &knobs) {
  const auto set = [](std::string_view name, const std::string &text, int &knob) {
    if (!text.empty())
      knob = wholeNumber(std::string{name}, text, 1);
  };
  set("--tile-y", options.tileY, knobs.tileY);
  set("--tile-z", options.tileZ, knobs.tileZ);
  set("--block-t", options.blockT, knobs.blockT);
}

} // namespace facet::driver
