// device.cpp - from a call of the C ABI to the arguments of a device's sum.
#include "codegen/lower/library/parts.h"
#include "schedules/targets.h"
#include <algorithm>
#include <fmt/format.h>

namespace facet::lower {

std::string_view interfaceOf(const std::string &target) {
  const schedules::TargetInfo *info = schedules::findTarget(target);
  if (!info || !schedules::isDevice(*info))
    return "FACET_CPU";
  return info->architecture == "cuda" ? "FACET_CUDA" : "FACET_OPENCL";
}

std::string cppDeviceAdapter(const CompiledVariant &variant, const SumKernel &sum) {
  const bool product = variant.variant.grid == ir::GridKind::Product;
  const int bits = variant.variant.klass == passes::Class::F64 ? 64 : 32;
  const auto [narrow, wide] = packedFields(variant.kernel);
  std::string signature = "void *";
  std::string make;
  std::string call = "a->device";
  for (const Argument &argument : arguments(variant.kernel)) {
    std::string type = "facet::device::Buffer *";
    std::string value;
    const int k = argument.index;
    switch (argument.kind) {
    case ArgumentKind::Narrow:
      value = fmt::format("call.records(false, {}, {})", bits, narrow);
      break;
    case ArgumentKind::Wide:
      value = fmt::format("call.records(true, 64, {})", wide);
      break;
    case ArgumentKind::AxisRe:
    case ArgumentKind::AxisIm:
      value = fmt::format("call.axis({}, {})", k, argument.kind == ArgumentKind::AxisIm);
      break;
    case ArgumentKind::Count:
      type = "int32_t";
      value = "call.count()";
      break;
    case ArgumentKind::Param:
      type = "double";
      value = fmt::format("a->params[{}]", k);
      break;
    case ArgumentKind::OutRe:
    case ArgumentKind::OutIm:
      value = fmt::format("call.sums({})", argument.kind == ArgumentKind::OutIm);
      break;
    }
    signature += ", " + type;
    if (type == "facet::device::Buffer *") {
      const auto number = std::count(make.begin(), make.end(), '\n');
      make += fmt::format("  {}const b{} = {};\n", type, number, value);
      value = fmt::format("b{}", number);
    }
    call += ", " + value;
  }
  return fmt::format("extern \"C\" int {0}({1}) __attribute__((visibility(\"hidden\")));\n"
                     "static int call_{0}(const facet_sum_args *a) {{\n"
                     "  facet::device::Call call(a, {2}, {3});\n"
                     "  if (!call.ready())\n    return call.result();\n"
                     "{4}"
                     "  if (!call.ready())\n    return call.result();\n"
                     "  const int uploaded = call.upload({6}());\n"
                     "  return call.finish(uploaded ? uploaded : {0}({5}));\n}}\n",
                     sum.symbol, signature, interfaceOf(sum.target), product, make, call,
                     interfaceOf(sum.target) == "FACET_CUDA" ? "halide_cuda_device_interface"
                                                             : "halide_opencl_device_interface");
}

std::vector<const schedules::TargetInfo *> devicesOf(const LibraryPlan &plan) {
  std::vector<const schedules::TargetInfo *> found;
  for (const CompiledVariant &variant : plan.variants)
    for (const std::string &name : variant.targets)
      if (const schedules::TargetInfo *info = schedules::findTarget(name);
          schedules::isDevice(*info) && std::find(found.begin(), found.end(), info) == found.end())
        found.push_back(info);
  return found;
}

} // namespace facet::lower
