// device.cpp - from a call of the C ABI to the arguments of a device's sum.
#include "codegen/lower/library/parts.h"
#include "codegen/lower/tensor/tensor.h"
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

namespace {

/// What an argument is in the adapter, where `call` is its facet::device::Call.
std::string valueOf(const CompiledVariant &variant, const Argument &argument) {
  const auto [narrow, wide] = packedFields(variant.kernel);
  const int k = argument.index;
  switch (argument.kind) {
  case ArgumentKind::Narrow:
    return fmt::format("call.records(false, {}, {})",
                       variant.variant.klass == passes::Class::F64 ? 64 : 32, narrow);
  case ArgumentKind::Wide:
    return fmt::format("call.records(true, 64, {})", wide);
  case ArgumentKind::AxisRe:
  case ArgumentKind::AxisIm:
    return fmt::format("call.axis({}, {})", k, argument.kind == ArgumentKind::AxisIm);
  case ArgumentKind::Count:
    return "call.count()";
  case ArgumentKind::Param:
    return fmt::format("a->params[{}]", k);
  case ArgumentKind::OutRe:
  case ArgumentKind::OutIm:
    return fmt::format("call.sums({})", argument.kind == ArgumentKind::OutIm);
  }
  return "";
}

bool isBuffer(const Argument &argument) {
  return argument.kind != ArgumentKind::Count && argument.kind != ArgumentKind::Param;
}

/// The adapter around statements that `run` on the device; the buffers of `list` are their b0, b1,
/// ...
std::string adapter(const CompiledVariant &variant, const SumKernel &sum,
                    const std::vector<Argument> &list, const std::string &run) {
  std::string make;
  int number = 0;
  for (const Argument &argument : list)
    if (isBuffer(argument))
      make += fmt::format("  facet::device::Buffer *const b{} = {};\n", number++,
                          valueOf(variant, argument));
  return fmt::format("static int call_{0}(const facet_sum_args *a) {{\n"
                     "  facet::device::Call call(a, {1}, {2});\n"
                     "  if (!call.ready())\n    return call.result();\n"
                     "{3}"
                     "  if (!call.ready())\n    return call.result();\n"
                     "  const int uploaded = call.upload({4}());\n"
                     "{5}}}\n",
                     sum.symbol, interfaceOf(sum.target),
                     variant.variant.grid == ir::GridKind::Product, make,
                     interfaceOf(sum.target) == "FACET_CUDA" ? "halide_cuda_device_interface"
                                                             : "halide_opencl_device_interface",
                     run);
}

/// Of a sum on tensor cores, by dsl/facet/tensor_call.h.
std::string cppTensorAdapter(const CompiledVariant &variant, const SumKernel &sum) {
  const tensor::CudaSum cuda = tensor::cuda(sum.kernel, sum.symbol);
  constexpr std::size_t most = 60; // TensorCall::most, and Count is four of them
  if (cuda.arguments.size() > most)
    throw ir::Error{fmt::format("a sum on tensor cores has at most {} arguments, got {}; take "
                                "tensor=0 for this kernel",
                                most, cuda.arguments.size()),
                    {}};
  std::string run = fmt::format("  facet::device::TensorCall run(kernel_{}, a);\n", sum.symbol);
  int number = 0;
  for (const Argument &argument : cuda.arguments)
    if (argument.kind == ArgumentKind::Count)
      run += "  run.extents();\n";
    else if (argument.kind == ArgumentKind::Param)
      run += fmt::format("  run.number({});\n", valueOf(variant, argument));
    else
      run += fmt::format(
          "  run.{}(b{});\n",
          argument.kind == ArgumentKind::OutRe || argument.kind == ArgumentKind::OutIm ? "output"
                                                                                       : "input",
          number++);
  run += "  return call.finish(uploaded ? uploaded : run.launch());\n";
  return fmt::format(
             "extern \"C\" const unsigned char {0}_image[] "
             "__attribute__((visibility(\"hidden\")));\n"
             "static facet::device::TensorKernel kernel_{0} = {{{0}_image, \"{0}\", {1}, {2}, "
             "{3}, {4}}};\n",
             sum.symbol, cuda.sharedBytes, tensor::threads, tensor::rowTile, tensor::zTile) +
         adapter(variant, sum, cuda.arguments, run);
}

} // namespace

std::string cppDeviceAdapter(const CompiledVariant &variant, const SumKernel &sum) {
  if (sum.knobs.tensor)
    return cppTensorAdapter(variant, sum);
  const std::vector<Argument> list = arguments(variant.kernel);
  std::string signature = "void *", call = "a->device";
  int number = 0;
  for (const Argument &argument : list) {
    signature += isBuffer(argument)                     ? ", facet::device::Buffer *"
                 : argument.kind == ArgumentKind::Count ? ", int32_t"
                                                        : ", double";
    call += ", " + (isBuffer(argument) ? fmt::format("b{}", number++) : valueOf(variant, argument));
  }
  return fmt::format("extern \"C\" int {}({}) __attribute__((visibility(\"hidden\")));\n",
                     sum.symbol, signature) +
         adapter(variant, sum, list,
                 fmt::format("  return call.finish(uploaded ? uploaded : {}({}));\n", sum.symbol,
                             call));
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
