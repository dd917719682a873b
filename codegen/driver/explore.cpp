// explore.cpp - --emit=explore: which variants and targets a page shows, and their data.
#include "codegen/explore/explore.h"
#include "codegen/passes/forms.h"
#include "driver.h"
#include "probe.h"
#include <filesystem>

namespace facet::driver {
namespace {

using passes::Algorithm;
using passes::Class;

/// Separable sums have no careful class and product grids alone; nufft is compiled once.
bool exists(const passes::Variant &variant, Class firstClass) {
  if (variant.algorithm == Algorithm::Separable)
    return variant.klass != Class::F32Careful;
  return variant.algorithm == Algorithm::Direct || variant.klass == firstClass;
}

} // namespace

void emitExploration(const Options &options, const Input &input) {
  Options asked = options; // as most runs are: of real q
  for (const auto &[member, word] : {std::pair{&Options::algorithms, "all"}, {&Options::q, "real"}})
    if ((asked.*member).empty())
      asked.*member = word;
  const lower::Selection choice = choose(asked, input.kernel, false);
  std::vector<passes::Variant> variants;
  for (const Algorithm algorithm : choice.algorithms)
    for (const bool complexQ : choice.complexQ)
      for (const Class klass : choice.classes) {
        passes::Variant v{choice.grids.front(), complexQ, klass, algorithm};
        if (!exists(v, choice.classes.front()))
          continue;
        v.nodes = algorithm != Algorithm::Direct && passes::hasMeans(input.kernel);
        if (algorithm != Algorithm::Direct)
          v.grid = algorithm == Algorithm::Nufft ? ir::GridKind::Points : ir::GridKind::Product;
        if (algorithm == Algorithm::Nufft)
          v.klass = Class::F64;
        variants.push_back(v);
      }
  const std::vector<lower::TunedKnobs> tuned = readSchedules(options.schedules);
  std::string probe;
  const explore::Request request{input,
                                 std::filesystem::path(options.input).filename(),
                                 variants,
                                 choice.targets,
                                 options.knobs,
                                 tuned,
                                 pipelineOptions(options),
                                 probeNumbers(options, input, choice.complexQ.front(), probe)};
  explore::Json made = explore::explore(request);
  if (!probe.empty())
    made["at"] = probe;
  writeText(options.output,
            made.dump(-1, ' ', false, explore::Json::error_handler_t::replace) + "\n");
}

} // namespace facet::driver
