// variant.h - what a variant of a kernel becomes on a target: its knobs, and the passes they want.
#pragma once
#include "codegen/lower/lower.h"
#include <map>
#include <utility>

namespace facet::lower {

/// Knobs found by tuning, and what they hold for. They fit a kernel of the same shape only.
struct TunedKnobs {
  std::string shape; // shapeOf
  passes::Variant variant;
  std::string target;
  schedules::Knobs knobs;
  std::string from; // "tuned on 2026-11-21", for the manifest
};

/// Settles the sums of one kernel. Each kernel after passes is made once, whatever the targets.
class VariantResolver {
public:
  /// `asked`: knobs as people write them, which replace tuned ones. `kernel` and `tuned` are kept
  /// by reference.
  VariantResolver(const ir::Kernel &kernel, passes::PipelineOptions pipeline,
                  const std::vector<TunedKnobs> &tuned, std::string asked);

  /// The sum of a variant for a target, without its symbol. `addition` and `hardware` of the
  /// variant follow from the knobs: the defaults, tuned ones and `asked`. Throws ir::Error:
  /// knobs that are not legal, whatever a pass refuses.
  SumKernel resolveVariant(passes::Variant variant, const std::string &target);
  /// The knobs of a kernel after all passes of the variant.
  schedules::Knobs knobs(const ir::Kernel &compiled, const passes::Variant &variant,
                         const std::string &target) const;
  /// The tuned knobs of a variant; null if there are none.
  const TunedKnobs *tunedFor(const passes::Variant &variant, const std::string &target) const;

private:
  const ir::Kernel &kernel;
  passes::PipelineOptions pipeline;
  const std::vector<TunedKnobs> &tuned;
  std::string asked, shape;
  std::map<std::string, ir::Kernel> compiled; // by variant

  const ir::Kernel &afterPasses(const passes::Variant &variant);
};

} // namespace facet::lower
