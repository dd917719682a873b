// plan.cpp - which variants and transforms a library holds, each through its passes.
#include "codegen/ir/roles.h"
#include "codegen/passes/forms.h"
#include "dsl/facet/abi.h"
#include "parts.h"
#include "schedules/targets.h"
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace facet::lower {
namespace {

using passes::Algorithm;
using passes::Class;

template <class T> bool contains(const std::vector<T> &values, const T &value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

void checkRequest(const LibraryRequest &request) {
  if (request.targets.empty() || request.grids.empty() || request.complexQ.empty() ||
      request.classes.empty() || request.algorithms.empty())
    throw ir::Error{"a library needs at least one target, grid kind, q kind, class and algorithm",
                    {}};
  for (const std::string &name : request.targets) {
    const schedules::TargetInfo *target = schedules::findTarget(name);
    if (!target) {
      std::string known;
      for (const schedules::TargetInfo &other : schedules::targetTable())
        known += fmt::format("{}{}", known.empty() ? "" : ", ", other.name);
      throw ir::Error{fmt::format("unknown target '{}'; there are {}", name, known), {}};
    }
    if (!schedules::isOfHost(*target) && !schedules::isDevice(*target))
      throw ir::Error{
          fmt::format("target '{}' is for {}, and a library is made for the machine that facetc "
                      "runs on, {}: ask for it there; here --emit=asm, llvm and stmt show its sums",
                      name, target->architecture, schedules::hostArchitecture()),
          {}};
  }
  const auto &axes = request.kernel.axes;
  const bool complexGrid = std::any_of(axes.begin(), axes.end(), [](const ir::AxisType &axis) {
    return axis.type == ir::Type::Cplx;
  });
  if (!complexGrid && contains(request.complexQ, true))
    throw ir::Error{
        fmt::format("kernel '{}' is written for real q, so there is no complex variant; "
                    "make a component of its Grid cplx",
                    request.kernel.name),
        {}};
}

/// Makes the list of a library.
class Planner {
public:
  explicit Planner(LibraryRequest request) { plan.request = std::move(request); }

  LibraryPlan run() {
    const LibraryRequest &request = plan.request;
    for (const bool complexQ : request.complexQ) {
      if (asks(Algorithm::Direct))
        for (const ir::GridKind grid : request.grids)
          for (const Class klass : request.classes)
            add(plan.variants, {grid, complexQ, klass});
      other(complexQ);
    }
    // The reason is given only if nothing was made: real q may be possible if complex q is not.
    const auto made = [](const auto &list, Algorithm algorithm) {
      return std::any_of(list.begin(), list.end(), [&](const CompiledVariant &variant) {
        return variant.variant.algorithm == algorithm;
      });
    };
    if (made(plan.variants, Algorithm::Separable))
      plan.noSeparable.clear();
    if (made(plan.transforms, Algorithm::Nufft))
      plan.noNufft.clear();
    plan.translation = translationOf(request.kernel);
    return std::move(plan);
  }

private:
  LibraryPlan plan;

  bool asks(Algorithm algorithm) const { return contains(plan.request.algorithms, algorithm); }

  void add(std::vector<CompiledVariant> &to, const passes::Variant &variant, int terms = 0) {
    const LibraryRequest &request = plan.request;
    VariantResolver resolver = resolverOf(request);
    // Targets without the knobs `addition` and `hardware`, and with each.
    std::vector<CompiledVariant> made(3);
    for (const std::string &target : request.targets) {
      SumKernel sum = resolver.resolveVariant(variant, target);
      CompiledVariant &of = made[sum.variant.addition ? 0 : sum.variant.hardware ? 1 : 2];
      of.variant = sum.variant;
      of.targets.push_back(target);
      of.kernel = std::move(sum.kernel);
    }
    for (CompiledVariant &one : made) {
      if (one.targets.empty())
        continue;
      one.counts = passes::count(one.kernel);
      one.terms = terms;
      to.push_back(std::move(one));
    }
  }

  /// The expression that forbids an algorithm, with its place.
  std::string forbidden(Algorithm algorithm, const passes::Form &form) const {
    const LibraryRequest &request = plan.request;
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
    const LibraryRequest &request = plan.request;
    const bool product = contains(request.grids, ir::GridKind::Product);
    const bool separable = asks(Algorithm::Separable) && product;
    if (request.insist && asks(Algorithm::Separable) && !product)
      throw ir::Error{"the algorithm separable is for product grids: ask for --grid=product", {}};
    if (request.insist && separable && !contains(request.classes, Class::F32) &&
        !contains(request.classes, Class::F64))
      throw ir::Error{"the algorithm separable has the classes f32 and f64: ask for one of them "
                      "with --class",
                      {}};
    if (!separable && !asks(Algorithm::Nufft))
      return;
    const passes::Forms forms = passes::formsOf(request.kernel, complexQ);
    bool any = false;
    if (separable && !forms.separable.possible)
      plan.noSeparable = forbidden(Algorithm::Separable, forms.separable);
    if (separable && forms.separable.possible)
      for (const Class klass : {Class::F32, Class::F64})
        if (contains(request.classes, klass)) {
          any = true;
          add(plan.variants,
              {ir::GridKind::Product, complexQ, klass, Algorithm::Separable, forms.means},
              forms.separable.terms);
        }
    if (asks(Algorithm::Nufft) && !forms.nufft.possible)
      plan.noNufft = forbidden(Algorithm::Nufft, forms.nufft);
    if (asks(Algorithm::Nufft) && forms.nufft.possible) {
      any = true;
      add(plan.transforms,
          {ir::GridKind::Points, complexQ, Class::F64, Algorithm::Nufft, forms.means});
    }
    const bool there = asks(Algorithm::Direct) && contains(request.grids, ir::GridKind::Points) &&
                       contains(request.classes, Class::F64);
    if (any && !there)
      add(plan.variants, {ir::GridKind::Points, complexQ, Class::F64});
  }
};

} // namespace

VariantResolver resolverOf(const LibraryRequest &request) {
  return {request.kernel, request.pipeline, request.tuned, request.knobs};
}

int translationOf(const ir::Kernel &kernel) {
  switch (ir::movedBy(kernel)) {
  case ir::Moved::ByPhase:
    return FACET_TRANSLATE_ALWAYS;
  case ir::Moved::ByPhaseIfClosed:
    return FACET_TRANSLATE_CLOSED;
  default:
    return FACET_TRANSLATE_NO;
  }
}

LibraryPlan planLibrary(LibraryRequest request) {
  checkRequest(request);
  schedules::Knobs asked;
  schedules::parse(request.knobs, asked);
  LibraryPlan plan = Planner(std::move(request)).run();
  const auto takes = [](const CompiledVariant &variant) {
    return std::any_of(
        variant.targets.begin(), variant.targets.end(),
        [&](const std::string &target) { return takesTensor(variant.variant, target); });
  };
  if (asked.tensor && std::none_of(plan.variants.begin(), plan.variants.end(), takes))
    refuseTensor("--knobs=" + plan.request.knobs);
  return plan;
}

} // namespace facet::lower
