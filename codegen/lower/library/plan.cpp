// plan.cpp - which variants and transforms a library holds, each through its passes.
#include "codegen/ir/roles.h"
#include "codegen/passes/forms.h"
#include "dsl/facet/abi.h"
#include "library.h"
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace facet::lower {
namespace {

using passes::Algorithm;
using passes::Class;

template <class T> bool contains(const std::vector<T> &values, const T &value) {
  return std::ranges::find(values, value) != values.end();
}

bool isWasm(const schedules::TargetInfo &target) { return target.architecture == "wasm32"; }

bool fits(LibraryForm form, const schedules::TargetInfo &target) {
  if (form == LibraryForm::Module)
    return isWasm(target);
  return form == LibraryForm::Sums ? !isWasm(target) : isOfHost(target) || isDevice(target);
}

/// Throws if a target is not of the library's form, or sums are of several architectures.
void checkTargets(const LibraryRequest &request) {
  const schedules::TargetInfo *first = nullptr; // of CPUs
  for (const std::string &name : request.targets) {
    const schedules::TargetInfo &target = targetOf(name);
    if (first == nullptr && !isDevice(target))
      first = &target;
    if (request.form == LibraryForm::Sums && !isDevice(target) &&
        target.architecture != first->architecture)
      throw ir::Error{fmt::format("--targets: '{}' is for {} and '{}' for {}: ask for the sums of "
                                  "each by itself",
                                  first->name, first->architecture, name, target.architecture)};
    if (fits(request.form, target))
      continue;
    if (request.form == LibraryForm::Module)
      throw ir::Error{fmt::format("target '{}' is for {}, and a module is WebAssembly: leave "
                                  "--targets out, or ask for --emit=library",
                                  name, target.architecture)};
    throw ir::Error{fmt::format(
        "target '{}' is for {}, and a library is made for the machine that facetc runs on, {}: {}; "
        "here --emit=asm, llvm and stmt show its sums, --emit=sums and cpp make what its compiler "
        "links",
        name, target.architecture, schedules::hostArchitecture(),
        isWasm(target) ? "ask for --emit=module" : "ask for it there")};
  }
}

void checkRequest(const LibraryRequest &request) {
  if (request.targets.empty() || request.grids.empty() || request.complexQ.empty() ||
      request.classes.empty() || request.algorithms.empty())
    throw ir::Error{"a library needs at least one target, grid kind, q kind, class and algorithm"};
  checkTargets(request);
  const bool complexGrid =
      std::ranges::count(request.kernel.axes, ir::Type::Cplx, &ir::AxisType::type) > 0;
  if (!complexGrid && contains(request.complexQ, true))
    throw ir::Error{
        fmt::format("kernel '{}' is written for real q, so there is no complex variant; "
                    "make a component of its Grid cplx",
                    request.kernel.name)};
  const ir::Kernel &k = request.kernel; // a .fir file may be of any stage
  if (k.term.empty() || !k.pack.empty() || !k.scalars.empty() || !k.mixed.empty() ||
      !k.totals.empty())
    throw ir::Error{fmt::format("kernel '{}' is as passes have left it: columns packed, or "
                                "transforms in the place of its sum; give it as it was before them",
                                k.name)};
  if (request.form != LibraryForm::Module)
    return;
  if (contains(request.algorithms, Algorithm::Nufft))
    throw ir::Error{"a module has direct and separable sums: transforms are the runtime's; leave "
                    "nufft out of --algorithms"};
  if (!axisFields(k).empty())
    throw ir::Error{fmt::format("kernel '{}' has a column with an axis, '{}', which a module "
                                "cannot be given: make a parameter or a column of it",
                                k.name, axisFields(k).front().name)};
}

/// Makes the list of a library.
class Planner {
public:
  explicit Planner(LibraryRequest asked) : plan{std::move(asked)} {}

  LibraryPlan run() {
    for (const bool complexQ : request.complexQ) {
      if (asks(Algorithm::Direct))
        for (const ir::GridKind grid : request.grids)
          for (const Class klass : request.classes)
            add({grid, complexQ, klass});
      other(complexQ);
    }
    // The reason is given only if nothing was made: real q may be possible if complex q is not.
    if (std::ranges::any_of(plan.variants, [](const PlannedSum &sum) {
          return sum.variant.algorithm == Algorithm::Separable;
        }))
      plan.noSeparable.clear();
    if (!plan.transforms.empty())
      plan.noNufft.clear();
    return std::move(plan);
  }

private:
  LibraryPlan plan;
  const LibraryRequest &request = plan.request;
  VariantResolver resolver{request.kernel, request.pipeline, request.tuned};

  bool asks(Algorithm algorithm) const { return contains(request.algorithms, algorithm); }

  void add(const passes::Variant &variant, int terms = 0) {
    const std::ptrdiff_t first = std::ssize(plan.variants);
    for (const std::string &target : request.targets)
      plan.variants.push_back({resolver.resolve(variant, target, request.knobs), terms});
    // Targets with the knobs `addition` and `hardware`, and those with neither.
    std::stable_sort(plan.variants.begin() + first, plan.variants.end(),
                     [](const PlannedSum &a, const PlannedSum &b) {
                       return std::pair(a.variant.addition, a.variant.hardware) >
                              std::pair(b.variant.addition, b.variant.hardware);
                     });
  }

  /// The expression that forbids an algorithm, with its place.
  std::string forbidden(Algorithm algorithm, const passes::Form &form) const {
    std::string why =
        fmt::format("{}:{}:{}: {}", std::filesystem::path(request.source).filename().string(),
                    form.loc.line, form.loc.column, form.reason);
    if (request.insist)
      throw ir::Error{fmt::format("kernel '{}' cannot be computed by the algorithm {}: {}",
                                  request.kernel.name, passes::spelling(algorithm), why),
                      form.loc};
    return why;
  }

  /// Separable variants and transforms, and the variant that repairs what they lose.
  void other(bool complexQ) {
    const bool product = contains(request.grids, ir::GridKind::Product);
    const bool separable = asks(Algorithm::Separable) && product;
    if (request.insist && asks(Algorithm::Separable) && !product)
      throw ir::Error{"the algorithm separable is for product grids: ask for --grid=product"};
    if (request.insist && separable && !contains(request.classes, Class::F32) &&
        !contains(request.classes, Class::F64))
      throw ir::Error{"the algorithm separable has the classes f32 and f64: ask for one of them "
                      "with --class"};
    if (!separable && !asks(Algorithm::Nufft))
      return;
    passes::Forms forms = passes::formsOf(request.kernel, complexQ);
    if (request.form == LibraryForm::Module && forms.means && forms.separable.possible) {
      forms.separable.possible = false;
      forms.separable.reason = "its means over triangles become nodes of a quadrature rule, "
                               "which the runtime chooses and a module does not";
    }
    const std::size_t before = plan.variants.size() + plan.transforms.size();
    if (separable && !forms.separable.possible)
      plan.noSeparable = forbidden(Algorithm::Separable, forms.separable);
    else if (separable)
      for (const Class klass : {Class::F32, Class::F64})
        if (contains(request.classes, klass))
          add({ir::GridKind::Product, complexQ, klass, Algorithm::Separable, forms.means},
              forms.separable.terms);
    if (asks(Algorithm::Nufft) && !forms.nufft.possible)
      plan.noNufft = forbidden(Algorithm::Nufft, forms.nufft);
    else if (asks(Algorithm::Nufft))
      plan.transforms.push_back(resolver.resolve(
          {ir::GridKind::Points, complexQ, Class::F64, Algorithm::Nufft, forms.means},
          request.targets.front(), request.knobs));
    const bool any = plan.variants.size() + plan.transforms.size() > before &&
                     ir::axisField(request.kernel) == nullptr;
    const bool there = asks(Algorithm::Direct) && contains(request.grids, ir::GridKind::Points) &&
                       contains(request.classes, Class::F64);
    if (any && !there && request.form != LibraryForm::Module)
      add({ir::GridKind::Points, complexQ, Class::F64});
  }
};

} // namespace

int translationOf(const ir::Kernel &kernel) {
  switch (ir::movedBy(kernel)) {
  case ir::MoveRule::ByPhase:
    return FACET_TRANSLATE_ALWAYS;
  case ir::MoveRule::ByPhaseIfClosed:
    return FACET_TRANSLATE_CLOSED;
  default:
    return FACET_TRANSLATE_NO;
  }
}

LibraryPlan planLibrary(LibraryRequest request) {
  checkRequest(request);
  // Lists have no axes. Who asks for them has perhaps a product with a short z, which is cheaper as
  // a list where that is possible; the runtime refuses lists that are none.
  if (ir::axisField(request.kernel) != nullptr)
    request.grids = {ir::GridKind::Product};
  if (ir::pointField(request.kernel) != nullptr) {
    request.grids = {ir::GridKind::Points};
    request.algorithms = {Algorithm::Direct};
  }
  LibraryPlan plan = Planner(std::move(request)).run();
  checkTensor(plan.request.knobs, std::ranges::any_of(plan.variants, [&](const PlannedSum &sum) {
                return takesTensor(plan.request.kernel, sum.variant, sum.target);
              }));
  return plan;
}

} // namespace facet::lower
