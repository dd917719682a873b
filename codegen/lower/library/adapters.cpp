// adapters.cpp - C++ from a call of the C ABI (facet_sum_args) to the arguments of a generated sum.
#include "codegen/lower/tensor/tensor.h"
#include "library.h"
#include <algorithm>
#include <facet/abi.h>
#include <fmt/format.h>

namespace facet::lower {
namespace {

/// What an argument is, in the order of ArgumentKind: its type ("" for a buffer), its value in the
/// adapter of a CPU and its value in that of a device. There `call` is a facet::device::Call.
/// - {0}: its index
/// - {1}: bits of a narrow value
/// - {2} and {3}: narrow and wide fields of a record
/// - {4}: the axis of a table.
struct ArgumentText {
  std::string_view type;
  const char *cpu, *device;
};
constexpr ArgumentText texts[] = {{"", "&narrow", "call.records(false, {1}, {2})"},
                                  {"", "&wide", "call.records(true, 64, {3})"},
                                  {"", "&axis_re{0}", "call.axis({0}, false)"},
                                  {"", "&axis_im{0}", "call.axis({0}, true)"},
                                  {"int32_t", "(int32_t)count", "call.count()"},
                                  {"double", "a->params[{0}]", "a->params[{0}]"},
                                  {"", "&table{0}", "call.table({0}, {4})"},
                                  {"", "&out_{0}", "call.sums({0})"}};

const ArgumentText &textOf(const Argument &argument) {
  return texts[static_cast<std::size_t>(argument.kind)];
}
bool isBuffer(const Argument &argument) { return textOf(argument).type.empty(); }

int axisOfTable(const ir::Kernel &kernel, const Argument &table) {
  return axisFields(kernel)[static_cast<std::size_t>(table.index)].axis;
}

bool isOfPoints(const ir::Kernel &kernel, const Argument &argument) {
  return argument.kind == ArgumentKind::Table && axisOfTable(kernel, argument) == ir::ofPoints;
}

std::string valueOf(const SumKernel &sum, const Argument &argument, const char *form) {
  return fmt::format(
      fmt::runtime(form), argument.index, sum.variant.klass == passes::Class::F64 ? 64 : 32,
      packedColumns(sum.kernel, false).size(), packedColumns(sum.kernel, true).size(),
      argument.kind == ArgumentKind::Table ? axisOfTable(sum.kernel, argument) : -1);
}

/// The same in the adapter of a device.
std::string valueOnDevice(const SumKernel &sum, const Argument &argument) {
  return isOfPoints(sum.kernel, argument) ? fmt::format("call.columnOfPoints({})", argument.index)
                                          : valueOf(sum, argument, textOf(argument).device);
}

/// The declaration of a sum: `first` and the types of its arguments; buffers are `buffer`.
std::string declaration(const std::string &symbol, const std::vector<Argument> &list,
                        std::string_view buffer, std::string_view first = {}) {
  std::vector<std::string_view> types;
  if (!first.empty())
    types.push_back(first);
  for (const Argument &argument : list)
    types.push_back(isBuffer(argument) ? buffer : textOf(argument).type);
  return fmt::format("extern \"C\" int {}({}) __attribute__((visibility(\"hidden\")));\n", symbol,
                     fmt::join(types, ", "));
}

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

/// The buffers of the columns with an axis, and of points, that the sum reads.
std::string tables(const ir::Kernel &kernel, const std::vector<Argument> &list) {
  std::string text;
  for (const Argument &argument : list)
    if (isOfPoints(kernel, argument))
      text +=
          fmt::format("    dimension_ d_table{0} = {{0, (int32_t)extent[0], 1, 0}};\n"
                      "    buffer_ table{0} = float_buffer(a->tables[{0}].values + a->begin[0], "
                      "64, 1, &d_table{0});\n",
                      argument.index);
    else if (argument.kind == ArgumentKind::Table)
      text += fmt::format(
          "    dimension_ d_table{0}[2] = {{{{0, (int32_t)count, 1, 0}}, {{0, "
          "(int32_t)(a->table_rows[{1}] - a->begin[{1}]), (int32_t)a->tables[{0}].stride, 0}}}};\n"
          "    buffer_ table{0} = float_buffer(a->tables[{0}].values + a->begin[{1}] * "
          "a->tables[{0}].stride + t, 64, 2, d_table{0});\n",
          argument.index, axisOfTable(kernel, argument));
  return text;
}

/// Where the sums of a tile lie.
constexpr std::string_view productTile = R"(  const int64_t plane = a->n[1] * a->n[2];
  if (plane > 0x7fffffff) // strides of the sums are 32 bits
    return 2;
  const int64_t first = a->begin[0] * plane + a->begin[1] * a->n[2] + a->begin[2];
  dimension_ d_out[3] = {{0, (int32_t)extent[2], 1, 0}, {0, (int32_t)extent[1], (int32_t)a->n[2], 0}, {0, (int32_t)extent[0], (int32_t)plane, 0}};
)";
constexpr std::string_view pointsTile = R"(  const int64_t first = a->begin[0];
  dimension_ d_out[1] = {{0, (int32_t)extent[0], 1, 0}};
)";

/// The buffers of a tile's sums, of as many dimensions.
std::string sumsOf(const SumKernel &sum, int dimensions) {
  std::string text;
  for (std::size_t k = 0; k < sum.kernel.term.outputs.size(); ++k)
    text += fmt::format("  buffer_ out_{0} = float_buffer(a->sums[{0}] + first, 64, {1}, d_out);\n",
                        k, dimensions);
  return text;
}

/// Has room made for the rows of a call's tables; "" if it reads none.
std::string roomForTables(const ir::Kernel &kernel, const std::vector<Argument> &list) {
  std::vector<int> axes;
  for (const Argument &argument : list)
    if (argument.kind == ArgumentKind::Table && !isOfPoints(kernel, argument))
      axes.push_back(axisOfTable(kernel, argument));
  if (axes.size() > FACET_MOST_DEVICE_TABLES)
    throw ir::Error{
        fmt::format("a sum of a device reads {} columns with an axis at most, two numbers of a "
                    "complex one, got {}: take a CPU's target",
                    FACET_MOST_DEVICE_TABLES, axes.size())};
  return axes.empty() ? ""
                      : fmt::format("  call.makeRoomForTables({{{}}});\n", fmt::join(axes, ", "));
}

/// The adapter around statements that `run` on the device; the buffers of `list` are their b0, b1,
/// ...
std::string aroundDevice(const SumKernel &sum, const std::vector<Argument> &list,
                         const std::string &run) {
  std::string make = roomForTables(sum.kernel, list);
  int number = 0;
  for (const Argument &argument : list)
    if (isBuffer(argument))
      make += fmt::format("  facet::device::Buffer *const b{} = {};\n", number++,
                          valueOnDevice(sum, argument));
  return fmt::format(R"(static int call_{0}(const facet_sum_args *a) {{
  facet::device::Call call(a, {1}, {2}, {6});
  if (!call.ready())
    return call.result();
{3}  if (!call.ready())
    return call.result();
  const int uploaded = call.upload(halide_{4}_device_interface());
{5}}}
)",
                     sum.symbol, interfaceOf(sum.target), sum.variant.grid == ir::GridKind::Product,
                     make, targetOf(sum.target).architecture, run, sum.kernel.term.outputs.size());
}

/// For a sum on tensor cores, by dsl/facet/tensor_call.h.
std::string cppTensorAdapter(const SumKernel &sum) {
  const tensor::CudaSum cuda = tensor::cuda(sum.kernel, sum.symbol);
  constexpr std::size_t most = 60; // TensorCall::most, and Count is four of them
  if (cuda.arguments.size() > most)
    throw ir::Error{fmt::format("a sum on tensor cores has at most {} arguments, got {}; take "
                                "tensor=0 for this kernel",
                                most, cuda.arguments.size())};
  std::string run = fmt::format("  facet::device::TensorCall run(kernel_{}, a);\n", sum.symbol);
  int number = 0;
  for (const Argument &argument : cuda.arguments) {
    const bool out = argument.kind == ArgumentKind::Out;
    run +=
        argument.kind == ArgumentKind::Count ? "  run.extents();\n"
        : isBuffer(argument)
            ? fmt::format("  run.{}(b{});\n", out ? "output" : "input", number++)
            : fmt::format("  run.number({});\n", valueOf(sum, argument, textOf(argument).device));
  }
  run += "  return call.finish(uploaded ? uploaded : run.launch());\n";
  return fmt::format(
             R"(extern "C" const unsigned char {0}_image[] __attribute__((visibility("hidden")));
static facet::device::TensorKernel kernel_{0} = {{{0}_image, "{0}", {1}, {2}, {3}, {4}}};
)",
             sum.symbol, cuda.sharedBytes, tensor::threads, tensor::rowTile, tensor::zTile) +
         aroundDevice(sum, cuda.arguments, run);
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

std::string cppAdapter(const SumKernel &sum) {
  const bool product = sum.variant.grid == ir::GridKind::Product;
  const std::vector<Argument> list = arguments(sum.kernel);
  std::vector<std::string> given;
  for (const Argument &argument : list)
    given.push_back(valueOf(sum, argument, textOf(argument).cpu));
  return declaration(sum.symbol, list, "buffer_ *") +
         fmt::format(
             R"(__attribute__((noinline)) static int sum_{0}(const facet_sum_args *a) {{
  const int64_t extent[3] = {{a->end[0] - a->begin[0], a->end[1] - a->begin[1], a->end[2] - a->begin[2]}};
{1}{2}{3}  for (int64_t t = a->t_begin; t < a->t_end; t += {4}) {{
    const int64_t count = a->t_end - t < {4} ? a->t_end - t : {4};
{5}{6}{7}    if (const int error = {0}({8}))
      return error;
  }}
  return 0;
}}
static int call_{0}(const facet_sum_args *a) {{ return facet::steady::call(sum_{0}, a); }}
)",
             sum.symbol, product ? productTile : pointsTile, sumsOf(sum, product ? 3 : 1),
             axes(list, product), sum.knobs.blockT,
             records("narrow", sum.variant.klass != passes::Class::F64,
                     packedColumns(sum.kernel, false).size()),
             records("wide", false, packedColumns(sum.kernel, true).size()),
             tables(sum.kernel, list), fmt::join(given, ", "));
}

std::string_view interfaceOf(const std::string &target) {
  const schedules::TargetInfo &info = targetOf(target);
  return !isDevice(info)               ? "FACET_CPU"
         : info.architecture == "cuda" ? "FACET_CUDA"
                                       : "FACET_OPENCL";
}

bool hasDevices(const LibraryPlan &plan) {
  return std::ranges::any_of(plan.variants,
                             [](const PlannedSum &sum) { return isDevice(targetOf(sum.target)); });
}

std::string cppDeviceAdapter(const SumKernel &sum) {
  if (sum.knobs.tensor)
    return cppTensorAdapter(sum);
  const std::vector<Argument> list = arguments(sum.kernel);
  std::string call = "a->device";
  int number = 0;
  for (const Argument &argument : list)
    call += ", " + (isBuffer(argument) ? fmt::format("b{}", number++)
                                       : valueOf(sum, argument, textOf(argument).device));
  return declaration(sum.symbol, list, "facet::device::Buffer *", "void *") +
         aroundDevice(sum, list,
                      fmt::format("  return call.finish(uploaded ? uploaded : {}({}));\n",
                                  sum.symbol, call));
}

} // namespace facet::lower
