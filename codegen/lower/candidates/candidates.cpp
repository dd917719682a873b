// candidates.cpp - what candidates share, made once, and the page of C++ that each has of its own.
#include "codegen/lower/candidates/candidates.h"
#include "codegen/lower/gpu/gpu.h"
#include "codegen/lower/library/parts.h"
#include "codegen/lower/lower.h"
#include "codegen/lower/temporary_folder.h"
#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>

namespace facet::lower {
namespace {

/// The plan with the variant asked for alone: planLibrary adds others (repair), which are not
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
/// The call of a device's sum has no other knobs in it, so that the shared part's is taken.
std::string candidateText(const LibraryPlan &plan, const SumKernel &sum) {
  const CompiledVariant &variant = plan.variants.front();
  const auto padding = pad(sum);
  const bool points = variant.variant.grid == ir::GridKind::Points;
  const bool separable = variant.variant.algorithm == passes::Algorithm::Separable;
  const bool device = !devicesOf(plan).empty();
  std::string text = device ? "#include <facet/abi.h>\nnamespace {\n"
                            : "#include <facet/steady_stack.h>\nnamespace {\n";
  if (!device) {
    text += cppAdapterPrelude();
    text += cppAdapter(variant, sum.symbol, sum.knobs.blockT);
  }
  const std::string own = device
                              ? ""
                              : fmt::format("  variant_.t_block = {};\n  variant_.sum = call_{};\n",
                                            sum.knobs.blockT, sum.symbol);
  text += fmt::format("facet_variant variant_;\nfacet_kernel_description description_;\n"
                      "const char manifest_[] = R\"facet({})facet\";\n}} // namespace\n",
                      libraryManifest(plan));
  return text + fmt::format(R"(
extern "C" const facet_kernel_description *facet_kernel_{0}(void);
extern "C" __attribute__((visibility("default"))) const facet_kernel_description *facet_kernel(void) {{
  description_ = *facet_kernel_{0}();
  variant_ = description_.variants[0];
{1}  const int32_t pad[3] = {{{2}, {3}, {4}}}, tile[3] = {{{5}, {6}, {7}}};
  for (int k = 0; k < 3; ++k)
    variant_.pad[k] = pad[k], variant_.tile[k] = tile[k];
  variant_.knobs = "{8}";
  description_.manifest = manifest_;
  description_.variants = &variant_;
  return &description_;
}}
)",
                            plan.request.kernel.name, own, padding[0], padding[1], padding[2],
                            points ? sum.knobs.gridZ : 0, points ? 0 : sum.knobs.gridY,
                            points ? 0 : sum.knobs.gridZ,
                            schedules::print(sum.knobs, separable, device));
}

} // namespace

/// Knobs that change the passes or the call of a device's sum, and with them the C++ of the shared
/// part.
constexpr int schedules::Knobs::*sharedKnobs[] = {
    &schedules::Knobs::addition, &schedules::Knobs::hardware, &schedules::Knobs::tensor};

struct Candidates::State {
  LibraryRequest request;
  TemporaryFolder folder;
  /// For each setting of the knobs that the shared part depends on.
  struct Shared {
    std::once_flag once;
    LibraryPlan plan;
    std::string object; // reference, pack, finish, tables
  };
  std::mutex guard; // of the map, not of its values
  std::map<std::string, Shared> shared;
  std::once_flag asked, linked;
  schedules::Knobs byDefault;
  std::string runtime; // Halide's for the device, an object; "" on CPUs
  std::atomic<int> count{0};

  void compile(const std::string &text, const std::string &name, const std::string &object) const {
    if (const std::string messages = request.compileCpp(text, name, object); !messages.empty())
      throw ir::Error{fmt::format("the library of kernel '{}' does not compile:\n{}",
                                  request.kernel.name, messages),
                      {}};
  }

  const Shared &get(const schedules::Knobs &knobs) {
    std::string text;
    for (const auto member : sharedKnobs)
      for (const schedules::KnobInfo &knob : schedules::knobTable())
        if (knob.member == member)
          text += fmt::format("{}{}={}", text.empty() ? "" : ",", knob.name, knobs.*member);
    Shared *it = nullptr;
    std::string object;
    {
      const std::lock_guard lock(guard);
      it = &shared[text];
      object = fmt::format("{}/shared{}.o", folder.path, shared.size());
    }
    std::call_once(it->once, [&] {
      LibraryRequest own = request;
      own.knobs = text;
      LibraryPlan plan = planOne(std::move(own));
      compile(libraryText(plan, false), request.kernel.name + ".library", object);
      it->object = object;
      it->plan = std::move(plan);
    });
    std::call_once(linked, [&] {
      if (const auto devices = devicesOf(it->plan); !devices.empty()) {
        runtime = folder.path + "/device_runtime.o";
        gpu::emitRuntime(devices, runtime);
      }
    });
    return *it;
  }
};

namespace {

/// What these knobs, over the kernel's defaults, ask of the passes.
schedules::Knobs asked(const std::string &knobs, schedules::Knobs parsed) {
  if (const std::string wrong = schedules::parse(knobs, parsed); !wrong.empty())
    throw ir::Error{fmt::format("--knobs={}: {}", knobs, wrong), {}};
  return parsed;
}

} // namespace

Candidates::Candidates(LibraryRequest request) : state_(std::make_unique<State>()) {
  state_->request = std::move(request);
}
Candidates::~Candidates() = default;

void Candidates::build(const std::string &knobs, const std::string &path) {
  std::call_once(state_->asked, [&] {
    LibraryRequest own = state_->request;
    own.knobs = "";
    const LibraryPlan plan = planOne(std::move(own));
    const passes::Variant &variant = plan.variants.front().variant;
    state_->byDefault =
        sumKernel(plan, plan.variants.front(), plan.variants.front().targets[0]).knobs;
    state_->byDefault.addition = variant.addition;
    state_->byDefault.hardware = variant.hardware;
  });
  const State::Shared &shared = state_->get(asked(knobs, state_->byDefault));
  LibraryPlan plan = shared.plan;
  plan.request.knobs = knobs;
  const std::string target = plan.variants.front().targets.front();
  const SumKernel sum = sumKernel(plan, plan.variants.front(), target);
  const std::string base = fmt::format("{}/{}", state_->folder.path, state_->count++);
  std::vector<std::string> objects = {base + ".sum.o", base + ".own.o", shared.object};
  if (!state_->runtime.empty())
    objects.push_back(state_->runtime);
  emitObject(plan.request, sum, objects[0]);
  state_->compile(candidateText(plan, sum), plan.request.kernel.name + ".candidate", objects[1]);
  link(LibraryForm::Shared, objects, path, {"facet_kernel"});
  std::error_code ignored;
  for (std::size_t k = 0; k < 2; ++k)
    std::filesystem::remove(objects[k], ignored);
}

} // namespace facet::lower
