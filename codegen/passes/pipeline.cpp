// pipeline.cpp - passes run one after the other, and the check after each; lists.cpp has them.
#include "forms/forms.h"
#include "passes.h"
#include "support/check.h"
#include <algorithm>
#include <fmt/format.h>

namespace facet::passes {

using namespace ir;

std::string_view spelling(Class klass) {
  static constexpr std::string_view names[] = {"f32", "f32-careful", "f64"};
  return names[static_cast<std::size_t>(klass)];
}

std::string_view spelling(Algorithm algorithm) {
  static constexpr std::string_view names[] = {"direct", "separable", "nufft"};
  return names[static_cast<std::size_t>(algorithm)];
}

Kernel run(const Kernel &kernel, const Variant &variant, const PipelineOptions &options) {
  return run(pipeline(variant), kernel, variant, options);
}

namespace {

void mustKnow(const std::vector<Pass> &passes, std::string_view name) {
  if (name.empty() || std::any_of(passes.begin(), passes.end(),
                                  [&](const Pass &pass) { return pass.name == name; }))
    return;
  std::string known;
  for (const Pass &pass : passes)
    known += fmt::format("{}{}", known.empty() ? "" : ", ", pass.name);
  throw Error{fmt::format("there is no pass '{}'; the passes are {}", name, known), {}};
}

} // namespace

Kernel run(const std::vector<Pass> &passes, const Kernel &kernel, const Variant &variant,
           const PipelineOptions &options) {
  mustKnow(passes, options.after);
  mustKnow(passes, options.only);
  Kernel result = kernel;
  annotate(result);
  for (const Pass &pass : passes) {
    if (!options.only.empty() && pass.name != options.only)
      continue;
    const Kernel before = options.check ? result : Kernel{};
    try {
      pass.run(result, variant);
      verify(result);
    } catch (const Refusal &refusal) { // of a form that the kernel has not
      throw Error{fmt::format("kernel '{}' has no {} form: {}", kernel.name,
                              spelling(variant.algorithm), reasonText(refusal, kernel)),
                  refusal.loc};
    } catch (const Error &error) {
      throw Error{
          fmt::format("pass '{}' broke kernel '{}': {}", pass.name, kernel.name, error.message),
          error.loc};
    }
    if (options.check)
      checkSameValues(before, result, pass, variant, options.points);
    if (pass.name == options.after)
      break;
  }
  return result;
}

} // namespace facet::passes
