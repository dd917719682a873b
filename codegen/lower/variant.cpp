// variant.cpp - the knobs of a variant, and the passes they want, found in this order:
//
//   1. On CPUs a direct sum of a product grid goes through `addition` if that pays.
//   2. The knobs are the defaults of the result; tuned ones replace them, requested ones both.
//   3. If these want other passes (`addition` the other way; `hardware` on devices), the
//      passes run again, and the knobs are those of that result.
#include "variant.h"
#include "schedules/targets.h"
#include <algorithm>
#include <fmt/format.h>

namespace facet::lower {

VariantResolver::VariantResolver(const ir::Kernel &kernel, passes::PipelineOptions pipeline,
                                 const std::vector<TunedKnobs> &tuned, std::string asked)
    : kernel(kernel), pipeline(pipeline), tuned(tuned), asked(std::move(asked)),
      shape(tuned.empty() ? "" : shapeOf(kernel)) {}

const TunedKnobs *VariantResolver::tunedFor(const passes::Variant &variant,
                                            const std::string &target) const {
  const auto found = std::ranges::find_if(tuned, [&](const TunedKnobs &one) {
    const passes::Variant &v = one.variant;
    return one.shape == shape && one.target == target && v.grid == variant.grid &&
           v.complexQ == variant.complexQ && v.klass == variant.klass &&
           v.algorithm == variant.algorithm;
  });
  return found == tuned.end() ? nullptr : &*found;
}

schedules::Knobs VariantResolver::knobs(const ir::Kernel &compiled, const passes::Variant &variant,
                                        const std::string &target) const {
  const TunedKnobs *found = tunedFor(variant, target);
  schedules::Knobs knobs = found ? found->knobs : defaultKnobs(compiled, variant, target);
  if (const std::string wrong = schedules::parse(asked, knobs); !wrong.empty())
    throw ir::Error{fmt::format("--knobs={}: {}", asked, wrong), {}};
  if (!takesTensor(variant, target)) // the knob is meant for other sums of the library
    knobs.tensor = 0;
  return knobs;
}

const ir::Kernel &VariantResolver::afterPasses(const passes::Variant &v) {
  const std::string key = fmt::format("{} {} {} {} {} {} {}", static_cast<int>(v.grid), v.complexQ,
                                      passes::spelling(v.klass), passes::spelling(v.algorithm),
                                      v.nodes, v.addition, v.hardware);
  const auto found = compiled.find(key);
  return found != compiled.end()
             ? found->second
             : compiled.emplace(key, passes::run(kernel, v, pipeline)).first->second;
}

SumKernel VariantResolver::resolveVariant(passes::Variant variant, const std::string &target) {
  const bool device = schedules::isDevice(*schedules::findTarget(target));
  variant.addition = variant.hardware = false;
  const auto sum = [&] {
    const ir::Kernel &made = afterPasses(variant);
    return SumKernel{made, variant, target, knobs(made, variant, target), {}};
  };
  if (device) {
    const SumKernel plain = sum();
    variant.hardware = plain.knobs.hardware && passes::takesHardware(variant);
    return variant.hardware ? sum() : plain;
  }
  if (variant.algorithm != passes::Algorithm::Direct || variant.grid != ir::GridKind::Product)
    return sum();
  passes::Variant adding = variant;
  adding.addition = true;
  variant.addition = additionPays(afterPasses(variant), afterPasses(adding));
  SumKernel first = sum();
  if (first.knobs.addition == static_cast<int>(variant.addition))
    return first;
  variant.addition = !variant.addition;
  return sum();
}

} // namespace facet::lower
