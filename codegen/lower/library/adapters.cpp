// adapters.cpp - C++ from a call of the C ABI (facet_sum_args) to the arguments of a generated sum.
#include "codegen/lower/tensor/tensor.h"
#include "parts.h"
#include <algorithm>
#include <fmt/format.h>

namespace facet::lower {
namespace {

bool isBuffer(const Argument &argument) {
  return argument.kind != ArgumentKind::Count && argument.kind != ArgumentKind::Param;
}

/// The types of the arguments after `first`; those of buffers are `buffer`.
std::string signature(const std::vector<Argument> &list, std::string_view buffer,
                      std::string first = {}) {
  for (const Argument &argument : list)
    (first += first.empty() ? "" : ", ") += isBuffer(argument)                     ? buffer
                                            : argument.kind == ArgumentKind::Count ? "int32_t"
                                                                                   : "double";
  return first;
}

/// What an argument is in the adapter, by `forms` in the order of ArgumentKind: {0} its index, {1}
/// bits of a narrow value, {2} and {3} narrow and wide fields of a record.
std::string valueOf(const CompiledVariant &variant, const Argument &argument,
                    const char *const (&forms)[8]) {
  return fmt::format(fmt::runtime(forms[static_cast<std::size_t>(argument.kind)]), argument.index,
                     variant.variant.klass == passes::Class::F64 ? 64 : 32,
                     packedColumns(variant.kernel, false).size(),
                     packedColumns(variant.kernel, true).size());
}

constexpr const char *cpuForms[] = {"&narrow",        "&wide",         "&axis_re{}", "&axis_im{}",
                                    "(int32_t)count", "a->params[{}]", "&out_re",    "&out_im"};
/// The same for a device: `call` is a facet::device::Call.
constexpr const char *deviceForms[] = {"call.records(false, {1}, {2})",
                                       "call.records(true, 64, {3})",
                                       "call.axis({0}, false)",
                                       "call.axis({0}, true)",
                                       "call.count()",
                                       "a->params[{0}]",
                                       "call.sums(false)",
                                       "call.sums(true)"};

/// The buffers of the axes that the sum reads.
std::string axes(const std::vector<Argument> &list, bool product) {
  std::string text;
  for (const Argument &argument : list) {
    if (argument.kind != ArgumentKind::AxisRe && argument.kind != ArgumentKind::AxisIm)
      continue;
    const bool im = argument.kind == ArgumentKind::AxisIm;
    if (im)
      text += fmt::format("  if (!a->axis_im[{}])\n    return 1;\n", argument.index);
    text += fmt::format("  dimension_ d_{0}{1} = {{0, (int32_t)extent[{2}], 1, 0}};\n"
                        "  buffer_ axis_{0}{1} = float_buffer(a->axis_{0}[{1}] + a->begin[{2}], "
                        "64, 1, &d_{0}{1});\n",
                        im ? "im" : "re", argument.index, product ? argument.index : 0);
  }
  return text;
}

/// The buffer of the records of a call, if pack makes any of this kind.
std::string records(std::string_view name, bool isFloat, std::size_t fields) {
  if (fields == 0)
    return "";
  return fmt::format(
      "    dimension_ d_{0}[2] = {{{{0, {3}, 1, 0}}, {{0, (int32_t)count, {3}, 0}}}};\n"
      "    buffer_ {0} = float_buffer((const {1} *)a->{0} + t * {3}, {2}, 2, d_{0});\n",
      name, isFloat ? "float" : "double", isFloat ? 32 : 64, fields);
}

} // namespace

std::string_view cppAdapterPrelude() {
  // Halide's buffer, as far as a generated sum reads it (HalideRuntime.h, Halide 21).
  return R"(struct dimension_ {
  int32_t min, extent, stride;
  uint32_t flags;
};
struct buffer_ {
  uint64_t device;
  const void *device_interface;
  void *host;
  uint64_t flags;
  uint8_t code, bits;
  uint16_t lanes;
  int32_t dimensions;
  dimension_ *dim;
  void *padding;
};
static inline buffer_ float_buffer(const void *host, int bits, int dimensions, dimension_ *dim) {
  return {0, 0, const_cast<void *>(host), 0, 2, (uint8_t)bits, 1, dimensions, dim, 0};
}
)";
}

std::string cppAdapter(const CompiledVariant &variant, const std::string &symbol, int blockT) {
  const bool product = variant.variant.grid == ir::GridKind::Product;
  const std::vector<Argument> list = arguments(variant.kernel);
  std::string call;
  for (const Argument &argument : list)
    call += (call.empty() ? "" : ", ") + valueOf(variant, argument, cpuForms);
  return fmt::format(
             R"(extern "C" int {0}({1}) __attribute__((visibility("hidden")));
__attribute__((noinline)) static int sum_{0}(const facet_sum_args *a) {{
  const int64_t extent[3] = {{a->end[0] - a->begin[0], a->end[1] - a->begin[1], a->end[2] - a->begin[2]}};
{2}  buffer_ out_re = float_buffer(a->re + first, 64, {3}, d_out);
  buffer_ out_im = float_buffer(a->im + first, 64, {3}, d_out);
{4})",
             symbol, signature(list, "buffer_ *"),
             product ? R"(  const int64_t plane = a->n[1] * a->n[2];
  if (plane > 0x7fffffff) // strides of the sums are 32 bits
    return 2;
  const int64_t first = a->begin[0] * plane + a->begin[1] * a->n[2] + a->begin[2];
  dimension_ d_out[3] = {{0, (int32_t)extent[2], 1, 0}, {0, (int32_t)extent[1], (int32_t)a->n[2], 0}, {0, (int32_t)extent[0], (int32_t)plane, 0}};
)"
                     : R"(  const int64_t first = a->begin[0];
  dimension_ d_out[1] = {{0, (int32_t)extent[0], 1, 0}};
)",
             product ? 3 : 1, axes(list, product)) +
         fmt::format(R"(  for (int64_t t = a->t_begin; t < a->t_end; t += {2}) {{
    const int64_t count = a->t_end - t < {2} ? a->t_end - t : {2};
{3}{4}    if (const int error = {0}({1}))
      return error;
  }}
  return 0;
}}
static int call_{0}(const facet_sum_args *a) {{ return facet::steady::call(sum_{0}, a); }}
)",
                     symbol, call, blockT,
                     records("narrow", variant.variant.klass != passes::Class::F64,
                             packedColumns(variant.kernel, false).size()),
                     records("wide", false, packedColumns(variant.kernel, true).size()));
}

bool isDevice(const std::string &target) {
  const schedules::TargetInfo *info = schedules::findTarget(target);
  return info && schedules::isDevice(*info);
}

std::string_view interfaceOf(const std::string &target) {
  if (!isDevice(target))
    return "FACET_CPU";
  return schedules::findTarget(target)->architecture == "cuda" ? "FACET_CUDA" : "FACET_OPENCL";
}

std::vector<const schedules::TargetInfo *> devicesOf(const LibraryPlan &plan) {
  std::vector<const schedules::TargetInfo *> found;
  for (const CompiledVariant &variant : plan.variants)
    for (const std::string &name : variant.targets)
      if (const schedules::TargetInfo *info = schedules::findTarget(name);
          isDevice(name) && std::find(found.begin(), found.end(), info) == found.end())
        found.push_back(info);
  return found;
}

namespace {

/// The adapter around statements that `run` on the device; the buffers of `list` are their b0, b1,
/// ...
std::string aroundDevice(const CompiledVariant &variant, const SumKernel &sum,
                         const std::vector<Argument> &list, const std::string &run) {
  std::string make;
  int number = 0;
  for (const Argument &argument : list)
    if (isBuffer(argument))
      make += fmt::format("  facet::device::Buffer *const b{} = {};\n", number++,
                          valueOf(variant, argument, deviceForms));
  const bool cuda = interfaceOf(sum.target) == "FACET_CUDA";
  return fmt::format(R"(static int call_{0}(const facet_sum_args *a) {{
  facet::device::Call call(a, {1}, {2});
  if (!call.ready())
    return call.result();
{3}  if (!call.ready())
    return call.result();
  const int uploaded = call.upload({4}());
{5}}}
)",
                     sum.symbol, interfaceOf(sum.target),
                     variant.variant.grid == ir::GridKind::Product, make,
                     cuda ? "halide_cuda_device_interface" : "halide_opencl_device_interface", run);
}

/// For a sum on tensor cores, by dsl/facet/tensor_call.h.
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
  for (const Argument &argument : cuda.arguments) {
    const bool out = argument.kind == ArgumentKind::OutRe || argument.kind == ArgumentKind::OutIm;
    run += argument.kind == ArgumentKind::Count ? "  run.extents();\n"
           : argument.kind == ArgumentKind::Param
               ? fmt::format("  run.number({});\n", valueOf(variant, argument, deviceForms))
               : fmt::format("  run.{}(b{});\n", out ? "output" : "input", number++);
  }
  run += "  return call.finish(uploaded ? uploaded : run.launch());\n";
  return fmt::format(
             R"(extern "C" const unsigned char {0}_image[] __attribute__((visibility("hidden")));
static facet::device::TensorKernel kernel_{0} = {{{0}_image, "{0}", {1}, {2}, {3}, {4}}};
)",
             sum.symbol, cuda.sharedBytes, tensor::threads, tensor::rowTile, tensor::zTile) +
         aroundDevice(variant, sum, cuda.arguments, run);
}

} // namespace

std::string cppDeviceAdapter(const CompiledVariant &variant, const SumKernel &sum) {
  if (sum.knobs.tensor)
    return cppTensorAdapter(variant, sum);
  const std::vector<Argument> list = arguments(variant.kernel);
  std::string call = "a->device";
  int number = 0;
  for (const Argument &argument : list)
    call += ", " + (isBuffer(argument) ? fmt::format("b{}", number++)
                                       : valueOf(variant, argument, deviceForms));
  return fmt::format("extern \"C\" int {}({}) __attribute__((visibility(\"hidden\")));\n",
                     sum.symbol, signature(list, "facet::device::Buffer *", "void *")) +
         aroundDevice(variant, sum, list,
                      fmt::format("  return call.finish(uploaded ? uploaded : {}({}));\n",
                                  sum.symbol, call));
}

} // namespace facet::lower
