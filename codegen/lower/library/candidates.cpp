// candidates.cpp - what candidates share, made once, and the page of C++ that each has of its own.
#include "parts.h"
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace facet::lower {
namespace {

/// The plan with the requested variant alone: planLibrary adds others (repair), which are not
/// tuned.
LibraryPlan planOne(LibraryRequest request) {
  const passes::Algorithm algorithm = request.algorithms.front();
  LibraryPlan plan = planLibrary(std::move(request));
  std::erase_if(plan.variants, [&](const CompiledVariant &variant) {
    return variant.variant.algorithm != algorithm;
  });
  if (plan.variants.size() != 1 || plan.variants.front().targets.size() != 1)
    throw ir::Error{"a candidate is a sum of one variant: one grid kind, q kind, class and target, "
                    "direct or separable",
                    {}};
  plan.transforms.clear();
  return plan;
}

/// C++ that takes the description of the shared part and puts the candidate's own variant in it.
/// A device's sum is called by the shared part, since no other knob changes that call.
std::string candidateText(const LibraryPlan &plan, const SumKernel &sum) {
  const CompiledVariant &variant = plan.variants.front();
  const bool separable = variant.variant.algorithm == passes::Algorithm::Separable;
  const bool device = !devicesOf(plan).empty();
  std::string own, text = device ? "#include <facet/abi.h>\nnamespace {\n"
                                 : "#include <facet/steady_stack.h>\nnamespace {\n";
  if (!device) {
    text += cppAdapterPrelude();
    text += cppAdapter(variant, sum.symbol, sum.knobs.blockT);
    own = fmt::format("  variant_.t_block = {};\n  variant_.sum = call_{};\n", sum.knobs.blockT,
                      sum.symbol);
  }
  return text + fmt::format(R"cpp(facet_variant variant_;
facet_kernel_description description_;
const char manifest_[] = R"facet({1})facet";
}} // namespace

extern "C" const facet_kernel_description *facet_kernel_{0}(void);
extern "C" __attribute__((visibility("default"))) const facet_kernel_description *facet_kernel(void) {{
  description_ = *facet_kernel_{0}();
  variant_ = description_.variants[0];
{2}  const int32_t pad[3] = {{{3}}}, tile[3] = {{{4}}};
  for (int k = 0; k < 3; ++k)
    variant_.pad[k] = pad[k], variant_.tile[k] = tile[k];
  variant_.knobs = "{5}";
  description_.manifest = manifest_;
  description_.variants = &variant_;
  return &description_;
}}
)cpp",
                            plan.request.kernel.name, libraryManifest(plan), own,
                            fmt::join(pad(sum), ", "), fmt::join(tileOf(sum), ", "),
                            schedules::print(sum.knobs, separable, device));
}

/// Knobs that change the passes or the call of a device's sum, and with them the C++ of the shared
/// part.
constexpr int schedules::Knobs::*sharedKnobs[] = {
    &schedules::Knobs::addition, &schedules::Knobs::hardware, &schedules::Knobs::tensor};

} // namespace

void Candidates::compile(const std::string &text, const std::string &name,
                         const std::string &object) const {
  compileText(request.compileCpp, text, request.kernel.name + name, object,
              fmt::format("the library of kernel '{}'", request.kernel.name));
}

const Candidates::Shared &Candidates::get(const schedules::Knobs &knobs) {
  std::string text;
  for (const schedules::KnobInfo &knob : schedules::knobTable())
    if (std::ranges::find(sharedKnobs, knob.member) != std::end(sharedKnobs))
      text += fmt::format("{}{}={}", text.empty() ? "" : ",", knob.name, knobs.*knob.member);
  std::unique_lock lock(guard);
  Shared &it = shared[text];
  const std::string object = fmt::format("{}/shared{}.o", folder.path, shared.size());
  lock.unlock();
  std::call_once(it.once, [&] {
    LibraryRequest own = request;
    own.knobs = text;
    LibraryPlan plan = planOne(std::move(own));
    compile(libraryText(plan, false), ".library", object);
    it.object = object;
    it.plan = std::move(plan);
  });
  std::call_once(linked, [&] {
    if (const auto devices = devicesOf(it.plan); !devices.empty()) {
      runtime = folder.path + "/device_runtime.o";
      emitDeviceRuntime(devices, runtime);
    }
  });
  return it;
}

void Candidates::build(const std::string &knobs, const std::string &path) {
  std::call_once(planned, [&] {
    LibraryRequest own = request;
    own.knobs = "";
    const LibraryPlan plan = planOne(std::move(own));
    const CompiledVariant &variant = plan.variants.front();
    byDefault = sumKernel(plan, variant, variant.targets.front()).knobs;
    byDefault.addition = variant.variant.addition;
    byDefault.hardware = variant.variant.hardware;
  });
  schedules::Knobs wanted = byDefault;
  if (const std::string wrong = schedules::parse(knobs, wanted); !wrong.empty())
    throw ir::Error{fmt::format("--knobs={}: {}", knobs, wrong), {}};
  const Shared &made = get(wanted);
  LibraryPlan plan = made.plan;
  plan.request.knobs = knobs;
  const CompiledVariant &variant = plan.variants.front();
  const SumKernel sum = sumKernel(plan, variant, variant.targets.front());
  const std::string base = fmt::format("{}/{}", folder.path, count++);
  std::vector<std::string> objects = {base + ".sum.o", base + ".own.o", made.object};
  if (!runtime.empty())
    objects.push_back(runtime);
  emitObject(plan.request, sum, objects[0]);
  compile(candidateText(plan, sum), ".candidate", objects[1]);
  link(LibraryForm::Shared, objects, path, {"facet_kernel"});
  std::error_code ignored;
  for (const std::size_t k : {0, 1})
    std::filesystem::remove(objects[k], ignored);
}

} // namespace facet::lower
