// ceilings.cpp - a ceilings library: its loops as Halide pipelines, C functions around them, one
// table.
#include "codegen/lower/sum_exprs.h"
#include "library.h"
#include <fmt/format.h>
#include <fstream>

namespace facet::lower {
namespace {

using Halide::cast;
using Halide::Func;
using Halide::RDom;
using Halide::Var;

constexpr int recordsACall = 128, points = 512; // of the list that sincos runs over
constexpr int readVectors = 8;                  // of a read stream, kept in registers

/// Whether the target has fused multiply-adds.
bool hasFusedMultiplyAdds(const std::string &target) {
  const Halide::Target machine{std::string(schedules::halideTarget(target))};
  return machine.arch == Halide::Target::ARM || machine.has_feature(Halide::Target::FMA);
}

// Four or five clocks of latency on two units: ten chains are needed. Two of 16 registers hold the
// factor and, if there is no fused multiply-add, the product.
int chainsOf(const std::string &target) { return targetOf(target).vectorBytes == 64 ? 16 : 12; }

std::string symbolOf(std::string_view loop, bool isDouble) {
  return fmt::format("facet_ceiling_{}_{}", loop, isDouble ? "f64" : "f32");
}
constexpr const char *readSymbol = "facet_ceiling_read";

/// The kernel of a list of points whose term is cis(q.x * phase), after all passes.
SumKernel sincosKernel(const std::string &target, bool isDouble) {
  const ir::Kernel written = ir::read("kernel @sincos {\n"
                                      "  record { phase: real }\n"
                                      "  grid points { x: real, y: real, z: real }\n"
                                      "  sum t {\n"
                                      "    %1 = mul q.x, t.phase\n"
                                      "    %2 = cis %1\n"
                                      "    yield %2\n"
                                      "  }\n"
                                      "  finish {\n"
                                      "    yield sum\n"
                                      "  }\n"
                                      "}\n",
                                      "sincos.fir");
  SumKernel sum;
  sum.variant.grid = ir::GridKind::Points;
  sum.variant.klass = isDouble ? passes::Class::F64 : passes::Class::F32;
  sum.kernel = passes::run(written, sum.variant);
  sum.target = target;
  sum.knobs = defaultKnobs(sum.kernel, sum.variant, target);
  sum.knobs.blockT = recordsACall;
  sum.symbol = symbolOf("sincos", isDouble);
  return sum;
}

/// A loop to compile: sums(lane, chain), both in registers, within the loops `rounds`.
struct Loop {
  std::string symbol, target;
  int lanes, chains;
  Func sums{"sums"};
  Var lane{"lane"}, chain{"chain"};

  void emit(const std::vector<Halide::RVar> &rounds, const std::vector<Halide::Argument> &arguments,
            Form form, const std::string &path) {
    Func output("chains");
    output(lane, chain) = sums(lane, chain);
    output.bound(lane, 0, lanes).bound(chain, 0, chains).vectorize(lane).unroll(chain);
    sums.compute_root().bound_extent(lane, lanes).bound_extent(chain, chains);
    sums.store_in(Halide::MemoryType::Stack).vectorize(lane).unroll(chain);
    std::vector<Halide::VarOrRVar> order{lane, chain};
    order.insert(order.end(), rounds.begin(), rounds.end());
    sums.update().reorder(order).vectorize(lane).unroll(chain);
    for (int k = 0; k < 2; ++k)
      output.output_buffer().dim(k).set_min(0);
    compileTo(output, arguments, form, symbol, cpuMachine(target), path);
  }
};

/// x = x * factor + factor in each chain. The factor is an argument, so that nothing is known of
/// it; values tend to factor / (1 - factor), so that none becomes subnormal or infinite.
void emitMultiplyAdds(const std::string &target, bool isDouble, Form form,
                      const std::string &path) {
  const Halide::Type real = Halide::Float(isDouble ? 64 : 32);
  Loop loop{symbolOf("multiply_adds", isDouble), target,
            targetOf(target).vectorBytes / real.bytes(), chainsOf(target)};
  Halide::Param<int> rounds("rounds");
  Halide::Param<double> given("factor");
  const RDom r(0, rounds, "round");
  const Halide::Expr factor = cast(real, given);
  const auto sum = loop.sums(loop.lane, loop.chain);
  loop.sums(loop.lane, loop.chain) = cast(real, loop.chain + 1);
  // A comparison that never holds names the round; it is gone when Halide has bounded the loop.
  loop.sums(loop.lane, loop.chain) = Halide::select(r < 0, cast(real, 0), sum * factor + factor);
  loop.emit({r}, {rounds, given}, form, path);
}

/// Sums of 32-bit integers, whose additions have more ports than those of floats: the loads bound
/// it.
void emitRead(const std::string &target, Form form, const std::string &path) {
  const Halide::Type word = Halide::UInt(32);
  Loop loop{readSymbol, target, targetOf(target).vectorBytes / 4, readVectors};
  Halide::ImageParam data(word, 1, "data");
  Halide::Param<int> lines("lines"), rounds("rounds");
  data.dim(0).set_min(0).set_stride(1);
  data.set_host_alignment(64);
  const RDom r(0, lines, 0, rounds, "line");
  const Halide::Expr at = (r.x * readVectors + loop.chain) * loop.lanes + loop.lane;
  loop.sums(loop.lane, loop.chain) = cast(word, 0);
  loop.sums(loop.lane, loop.chain) += Halide::select(r.y < 0, cast(word, 0), data(at));
  loop.emit({r.x, r.y}, {data, lines, rounds}, form, path);
}

/// Writes all loops, each to the path that is given for its symbol.
void emitLoops(const std::string &target, Form form,
               const std::function<std::string(const std::string &)> &pathOf) {
  try {
    for (const bool isDouble : {false, true})
      emit(sincosKernel(target, isDouble), form, pathOf(symbolOf("sincos", isDouble)));
    for (const bool isDouble : {false, true})
      emitMultiplyAdds(target, isDouble, form, pathOf(symbolOf("multiply_adds", isDouble)));
    emitRead(target, form, pathOf(readSymbol));
  } catch (const Halide::Error &error) {
    throw ir::Error{
        fmt::format("Halide refused a loop of the ceilings for {}: {}", target, error.what())};
  }
}

/// The chains' last values go to a volatile place, so that no compiler can drop the loop.
std::string multiplyAddsText(const std::string &target, bool isDouble) {
  const std::string_view type = isDouble ? "double" : "float";
  const int lanes = targetOf(target).vectorBytes / (isDouble ? 8 : 4), chains = chainsOf(target);
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
      symbolOf("multiply_adds", isDouble), type, lanes * chains, lanes, chains, isDouble ? 64 : 32);
}

std::string readText(const std::string &target) {
  const int lanes = targetOf(target).vectorBytes / 4, vectors = readVectors;
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
      readSymbol, lanes * vectors, lanes, vectors, 4 * lanes * vectors);
}

std::string sincosText(const std::string &target, bool isDouble) {
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
    text += multiplyAddsText(target, isDouble) + sincosText(target, isDouble);
  text += readText(target);
  const auto flops = [&](bool isDouble) {
    return passes::count(sincosKernel(target, isDouble).kernel).inner.flops;
  };
  return text + fmt::format(R"(const facet_ceilings table = {{FACET_CEILINGS_VERSION, "{}", {}, {},
  {{multiply_adds_float, multiply_adds_double}}, read, {}, {{sincos_float, sincos_double}}, {{{}, {}}}}};
}} // namespace
extern "C" __attribute__((visibility("default"))) const facet_ceilings *facet_ceilings_table(void) {{ return &table; }}
)",
                            target, targetOf(target).vectorBytes,
                            hasFusedMultiplyAdds(target) ? 1 : 0,
                            targetOf(target).vectorBytes * readVectors, flops(false), flops(true));
}

} // namespace

void writeCeilings(const std::string &target, const std::string &path) {
  const TemporaryFolder folder;
  std::vector<std::string> parts;
  emitLoops(target, Form::Asm, [&](const std::string &symbol) {
    return parts.emplace_back(fmt::format("{}/{}.s", folder.path, symbol));
  });
  std::ofstream out(path);
  for (const std::string &part : parts)
    out << std::ifstream(part).rdbuf();
  if (!out.flush())
    throw Unwritable{{fmt::format("cannot write {}: free some space there and in TMPDIR", path)}};
}

void buildCeilings(const std::string &target, const CompileCpp &compileCpp,
                   const std::string &path) {
  const TemporaryFolder folder;
  std::vector<std::string> objects{folder.path + "/table.o"};
  compileText(compileCpp, textOf(target), "ceilings", objects.front(), "the table of ceilings");
  emitLoops(target, Form::Object, [&](const std::string &symbol) {
    return objects.emplace_back(fmt::format("{}/{}.o", folder.path, symbol));
  });
  link(LibraryForm::Shared, objects, path, {"facet_ceilings_table"});
}

} // namespace facet::lower
