// library.cpp - a ceilings library: the loops, C functions around them, one table, linked.
#include "ceilings.h"
#include "codegen/lower/library/parts.h"
#include "codegen/lower/temporary_folder.h"
#include <fmt/format.h>

namespace facet::lower {
namespace {

constexpr int points = 512; // of the list that sincos runs over

constexpr Ceiling all[] = {Ceiling::MultiplyAddsF32, Ceiling::MultiplyAddsF64, Ceiling::Read,
                           Ceiling::SincosF32, Ceiling::SincosF64};

/// The chains' last values go to a volatile place, so that no one may leave the loop out.
std::string multiplyAdds(const std::string &target, bool isDouble) {
  const std::string_view type = isDouble ? "double" : "float";
  const int lanes = vectorBytesOf(target) / (isDouble ? 8 : 4), chains = chainsOf(target);
  return fmt::format(
      R"(extern "C" int {0}(int32_t, double, buffer_ *) __attribute__((visibility("hidden")));
static double multiply_adds_{1}(int64_t rounds) {{
  static volatile double factor = 0.999;
  alignas(64) {1} out[{2}];
  dimension_ d[2] = {{{{0, {3}, 1, 0}}, {{0, {4}, {3}, 0}}}};
  buffer_ b = float_buffer(out, {5}, 2, d);
  {0}((int32_t)rounds, factor, &b);
  sink = out[0];
  return 2.0 * {2} * (double)rounds;
}}
)",
      ceilingSymbol(isDouble ? Ceiling::MultiplyAddsF64 : Ceiling::MultiplyAddsF32), type,
      lanes * chains, lanes, chains, isDouble ? 64 : 32);
}

std::string read(const std::string &target) {
  const int lanes = vectorBytesOf(target) / 4, vectors = readVectors();
  return fmt::format(
      R"(extern "C" int {0}(buffer_ *, int32_t, int32_t, buffer_ *) __attribute__((visibility("hidden")));
static double read(const void *data, int64_t bytes, int64_t rounds) {{
  alignas(64) uint32_t out[{1}];
  dimension_ d_data[1] = {{{{0, (int32_t)(bytes / 4), 1, 0}}}};
  dimension_ d[2] = {{{{0, {2}, 1, 0}}, {{0, {3}, {2}, 0}}}};
  buffer_ from = float_buffer(data, 32, 1, d_data), b = float_buffer(out, 32, 2, d);
  from.code = b.code = 1; // unsigned
  {0}(&from, (int32_t)(bytes / {4}), (int32_t)rounds, &b);
  sink = out[0];
  return (double)(bytes / {4} * {4}) * (double)rounds;
}}
)",
      ceilingSymbol(Ceiling::Read), lanes * vectors, lanes, vectors, 4 * lanes * vectors);
}

std::string sincos(const std::string &target, bool isDouble) {
  const SumKernel sum = sincosKernel(target, isDouble);
  return fmt::format(
      R"(extern "C" int {0}(buffer_ *, buffer_ *, int32_t, buffer_ *, buffer_ *) __attribute__((visibility("hidden")));
static double sincos_{1}(int64_t rounds) {{
  static thread_local double q[{2}], re[{2}], im[{2}];
  static thread_local {1} phase[{3}];
  for (int i = 0; i < {2}; ++i)
    q[i] = 0.01 * i, re[i] = im[i] = 0;
  for (int t = 0; t < {3}; ++t)
    phase[t] = ({1})(0.05 * t);
  dimension_ d_records[2] = {{{{0, 1, 1, 0}}, {{0, {3}, 1, 0}}}}, d[1] = {{{{0, {2}, 1, 0}}}};
  buffer_ records = float_buffer(phase, {4}, 2, d_records), axis = float_buffer(q, 64, 1, d);
  buffer_ out_re = float_buffer(re, 64, 1, d), out_im = float_buffer(im, 64, 1, d);
  for (int64_t r = 0; r < rounds; ++r)
    {0}(&records, &axis, {3}, &out_re, &out_im);
  sink = re[1];
  return {2}.0 * {3} * (double)rounds;
}}
)",
      sum.symbol, isDouble ? "double" : "float", points, sum.knobs.blockT, isDouble ? 64 : 32);
}

std::string textOf(const std::string &target) {
  std::string text = "#include <facet/ceilings.h>\nnamespace {\nvolatile double sink;\n";
  text += cppAdapterPrelude();
  for (const bool isDouble : {false, true})
    text += multiplyAdds(target, isDouble) + sincos(target, isDouble);
  text += read(target);
  const auto flops = [&](bool isDouble) {
    return passes::count(sincosKernel(target, isDouble).kernel).inner.flops;
  };
  return text + fmt::format(R"(const facet_ceilings table = {{FACET_CEILINGS_VERSION, "{}", {}, {},
  {{multiply_adds_float, multiply_adds_double}}, read, {}, {{sincos_float, sincos_double}}, {{{}, {}}}}};
}} // namespace
extern "C" __attribute__((visibility("default"))) const facet_ceilings *facet_ceilings_table(void) {{ return &table; }}
)",
                            target, vectorBytesOf(target), hasFusedMultiplyAdds(target) ? 1 : 0,
                            vectorBytesOf(target) * readVectors(), flops(false), flops(true));
}

} // namespace

void buildCeilings(const std::string &target, const CompileCpp &compileCpp,
                   const std::string &path) {
  const std::string text = textOf(target);
  const TemporaryFolder folder;
  std::vector<std::string> objects{folder.path + "/table.o"};
  if (const std::string messages = compileCpp(text, "ceilings", objects.front()); !messages.empty())
    throw ir::Error{fmt::format("the table of ceilings does not compile:\n{}", messages), {}};
  for (const Ceiling ceiling : all) {
    objects.push_back(folder.path + "/" + ceilingSymbol(ceiling) + ".o");
    emitCeiling(ceiling, target, Form::Object, objects.back());
  }
  link(LibraryForm::Shared, objects, path, {"facet_ceilings_table"});
}

} // namespace facet::lower
