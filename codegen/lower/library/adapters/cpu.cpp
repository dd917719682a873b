// cpu.cpp - from a call of the C ABI (facet_sum_args) to the arguments of a generated sum.
#include "codegen/lower/library/parts.h"
#include <fmt/format.h>

namespace facet::lower {

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
  const bool isFloat = variant.variant.klass != passes::Class::F64;
  const auto [narrow, wide] = packedFields(variant.kernel);
  std::string signature;
  std::string axes;
  std::string call;
  for (const Argument &argument : arguments(variant.kernel)) {
    std::string type = "buffer_ *";
    std::string name;
    const int k = argument.index;
    switch (argument.kind) {
    case ArgumentKind::Narrow:
      name = "&narrow";
      break;
    case ArgumentKind::Wide:
      name = "&wide";
      break;
    case ArgumentKind::AxisRe:
    case ArgumentKind::AxisIm: {
      const std::string_view part = argument.kind == ArgumentKind::AxisRe ? "re" : "im";
      name = fmt::format("&axis_{}{}", part, k);
      if (part == "im")
        axes += fmt::format("  if (!a->axis_im[{}])\n    return 1;\n", k);
      axes += fmt::format(
          "  dimension_ d_{0}{1} = {{0, (int32_t)extent[{2}], 1, 0}};\n"
          "  buffer_ axis_{0}{1} = float_buffer(a->axis_{0}[{1}] + a->begin[{2}], 64, 1, "
          "&d_{0}{1});\n",
          part, k, product ? k : 0);
      break;
    }
    case ArgumentKind::Count:
      type = "int32_t";
      name = "(int32_t)count";
      break;
    case ArgumentKind::Param:
      type = "double";
      name = fmt::format("a->params[{}]", k);
      break;
    case ArgumentKind::OutRe:
      name = "&out_re";
      break;
    case ArgumentKind::OutIm:
      name = "&out_im";
      break;
    }
    signature += (signature.empty() ? "" : ", ") + type;
    call += (call.empty() ? "" : ", ") + name;
  }
  std::string text =
      fmt::format("extern \"C\" int {0}({1}) __attribute__((visibility(\"hidden\")));\n"
                  "__attribute__((noinline)) static int sum_{0}(const facet_sum_args *a) {{\n"
                  "  const int64_t extent[3] = {{a->end[0] - a->begin[0], a->end[1] - "
                  "a->begin[1], a->end[2] - a->begin[2]}};\n",
                  symbol, signature);
  if (product)
    text += "  const int64_t plane = a->n[1] * a->n[2];\n"
            "  if (plane > 0x7fffffff) // strides of the sums are 32 bits\n    return 2;\n"
            "  const int64_t first = a->begin[0] * plane + a->begin[1] * a->n[2] + a->begin[2];\n"
            "  dimension_ d_out[3] = {{0, (int32_t)extent[2], 1, 0}, {0, (int32_t)extent[1], "
            "(int32_t)a->n[2], 0}, {0, (int32_t)extent[0], (int32_t)plane, 0}};\n";
  else
    text += "  const int64_t first = a->begin[0];\n"
            "  dimension_ d_out[1] = {{0, (int32_t)extent[0], 1, 0}};\n";
  text += fmt::format("  buffer_ out_re = float_buffer(a->re + first, 64, {0}, d_out);\n"
                      "  buffer_ out_im = float_buffer(a->im + first, 64, {0}, d_out);\n{1}",
                      product ? 3 : 1, axes);
  text += fmt::format("  for (int64_t t = a->t_begin; t < a->t_end; t += {0}) {{\n"
                      "    const int64_t count = a->t_end - t < {0} ? a->t_end - t : {0};\n",
                      blockT);
  const auto records = [&](std::string_view name, std::string_view type, int bits, int fields) {
    if (fields > 0)
      text += fmt::format(
          "    dimension_ d_{0}[2] = {{{{0, {3}, 1, 0}}, {{0, (int32_t)count, {3}, 0}}}};\n"
          "    buffer_ {0} = float_buffer((const {1} *)a->{0} + t * {3}, {2}, 2, d_{0});\n",
          name, type, bits, fields);
  };
  records("narrow", isFloat ? "float" : "double", isFloat ? 32 : 64, narrow);
  records("wide", "double", 64, wide);
  return text +
         fmt::format(
             "    if (const int error = {0}({1}))\n      return error;\n  }}\n  return 0;\n}}\n"
             "static int call_{0}(const facet_sum_args *a) {{ return "
             "facet::steady::call(sum_{0}, a); }}\n",
             symbol, call);
}

} // namespace facet::lower
