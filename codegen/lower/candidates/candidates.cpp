// candidates.cpp - what candidates share, made once, and the page of C++ that each has of its own.
#include "codegen/lower/candidates/candidates.h"
#include "codegen/lower/candidates/temporary_folder.h"
#include "codegen/lower/library/parts.h"
#include "codegen/lower/lower.h"
#include <algorithm>
#include <array>
#include <atomic>
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
std::string candidateText(const LibraryPlan &plan, const SumKernel &sum) {
  const CompiledVariant &variant = plan.variants.front();
  const auto padding = pad(sum);
  const bool points = variant.variant.grid == ir::GridKind::Points;
  const bool separable = variant.variant.algorithm == passes::Algorithm::Separable;
  std::string text = "#include <facet/steady_stack.h>\nnamespace {\n";
  text += cppAdapterPrelude();
  text += cppAdapter(variant, sum.symbol, sum.knobs.blockT);
  text += fmt::format("facet_variant variant_;\nfacet_kernel_description description_;\n"
                      "const char manifest_[] = R\"facet({})facet\";\n}} // namespace\n",
                      libraryManifest(plan));
  return text + fmt::format(R"(
extern "C" const facet_kernel_description *facet_kernel_{0}(void);
extern "C" __attribute__((visibility("default"))) const facet_kernel_description *facet_kernel(void) {{
  description_ = *facet_kernel_{0}();
  variant_ = description_.variants[0];
  variant_.t_block = {1};
  const int32_t pad[3] = {{{2}, {3}, {4}}}, tile[3] = {{{5}, {6}, {7}}};
  for (int k = 0; k < 3; ++k)
    variant_.pad[k] = pad[k], variant_.tile[k] = tile[k];
  variant_.sum = call_{8};
  variant_.knobs = "{9}";
  description_.manifest = manifest_;
  description_.variants = &variant_;
  return &description_;
}}
)",
                            plan.request.kernel.name, sum.knobs.blockT, padding[0], padding[1],
                            padding[2], points ? sum.knobs.gridZ : 0, points ? 0 : sum.knobs.gridY,
                            points ? 0 : sum.knobs.gridZ, sum.symbol,
                            schedules::print(sum.knobs, separable));
}

} // namespace

struct Candidates::State {
  LibraryRequest request;
  TemporaryFolder folder;
  /// Without and with the knobs `addition` and `hardware`, which change the passes.
  struct Shared {
    std::once_flag once;
    LibraryPlan plan;
    std::string object; // reference, pack, finish, tables
  };
  std::array<Shared, 4> shared;
  std::once_flag asked;
  schedules::Knobs byDefault; // those two alone
  std::atomic<int> count{0};

  void compile(const std::string &text, const std::string &name, const std::string &object) const {
    if (const std::string messages = request.compileCpp(text, name, object); !messages.empty())
      throw ir::Error{fmt::format("the library of kernel '{}' does not compile:\n{}",
                                  request.kernel.name, messages),
                      {}};
  }

  const Shared &get(const schedules::Knobs &knobs) {
    const int which = (knobs.addition ? 1 : 0) + (knobs.hardware ? 2 : 0);
    Shared &it = shared[static_cast<std::size_t>(which)];
    std::call_once(it.once, [&] {
      LibraryRequest own = request;
      own.knobs = fmt::format("addition={},hardware={}", knobs.addition, knobs.hardware);
      LibraryPlan plan = planOne(std::move(own));
      const std::string object = fmt::format("{}/shared{}.o", folder.path, which);
      compile(libraryText(plan, false), request.kernel.name + ".library", object);
      it.object = object;
      it.plan = std::move(plan);
    });
    return it;
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
    state_->byDefault.addition = variant.addition;
    state_->byDefault.hardware = variant.hardware;
  });
  const State::Shared &shared = state_->get(asked(knobs, state_->byDefault));
  LibraryPlan plan = shared.plan;
  plan.request.knobs = knobs;
  const std::string target = plan.variants.front().targets.front();
  const SumKernel sum = sumKernel(plan, plan.variants.front(), target);
  const std::string base = fmt::format("{}/{}", state_->folder.path, state_->count++);
  const std::vector<std::string> objects = {base + ".sum.o", base + ".own.o", shared.object};
  emit(sum, Form::Object, objects[0]);
  state_->compile(candidateText(plan, sum), plan.request.kernel.name + ".candidate", objects[1]);
  link(LibraryForm::Shared, objects, path, {"facet_kernel"});
  std::error_code ignored;
  for (std::size_t k = 0; k < 2; ++k)
    std::filesystem::remove(objects[k], ignored);
}

} // namespace facet::lower
