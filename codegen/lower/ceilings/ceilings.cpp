// ceilings.cpp - a ceilings library: its loops as Halide pipelines, C functions around them, one
// table.
#include "codegen/lower/ceilings/ceilings.h"
#include "codegen/lower/sum_exprs.h"
#include "codegen/lower/system.h"
#include <fmt/format.h>

namespace facet::lower {
namespace {

using Halide::cast;
using Halide::Func;
using Halide::RDom;
using Halide::Var;

constexpr int recordsACall = 128, points = 512; // of the list that sincos runs over
constexpr int readVectors = 8;                  // of a read stream, kept in registers

/// Bytes of the target's widest registers; throws ir::Error for an unknown target.
int vectorBytesOf(const std::string &target) {
  const schedules::TargetInfo *found = schedules::findTarget(target);
  if (!found)
    throw ir::Error{fmt::format("unknown target '{}': targets.def lists them", target)};
  return found->vectorBytes;
}

/// Whether the target has fused multiply-adds.
bool hasFusedMultiplyAdds(const std::string &target) {
  const Halide::Target machine{std::string(schedules::halideTarget(target))};
  return machine.arch == Halide::Target::ARM || machine.has_feature(Halide::Target::FMA);
}

// Four or five clocks of latency on two units: ten chains are needed. Of 16 registers two hold the
// factor and, if there is no fused multiply-add, the product.
int chainsOf(const std::string &target) { return vectorBytesOf(target) == 64 ? 16 : 12; }

std::string ceilingSymbol(Ceiling ceiling) {
  static constexpr const char *names[] = {"sincos_f32", "sincos_f64", "multiply_adds_f32",
                                          "multiply_adds_f64", "read"};
  return fmt::format("facet_ceiling_{}", names[static_cast<int>(ceiling)]);
}

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
  sum.symbol = ceilingSymbol(isDouble ? Ceiling::SincosF64 : Ceiling::SincosF32);
  return sum;
}

/// Loops over chains and lanes of a chain, which stay in registers, within those of `rounds`.
void emitChains(Func sums, const Var &lane, int lanes, const Var &chain, int chains,
                const std::vector<Halide::RVar> &rounds,
                const std::vector<Halide::Argument> &arguments, Ceiling ceiling, Form form,
                const std::string &target, const std::string &path) {
  Func output(ceiling == Ceiling::Read ? "read" : "chains");
  output(lane, chain) = sums(lane, chain);
  output.bound(lane, 0, lanes).bound(chain, 0, chains).vectorize(lane).unroll(chain);
  sums.compute_root().bound_extent(lane, lanes).bound_extent(chain, chains);
  sums.store_in(Halide::MemoryType::Stack).vectorize(lane).unroll(chain);
  std::vector<Halide::VarOrRVar> order{lane, chain};
  order.insert(order.end(), rounds.begin(), rounds.end());
  sums.update().reorder(order).vectorize(lane).unroll(chain);
  for (int k = 0; k < 2; ++k)
    output.output_buffer().dim(k).set_min(0);
  compileTo(output, arguments, form, ceilingSymbol(ceiling), cpuMachine(target), path);
}

/// x = x * factor + factor in each chain. The factor is an argument, so that nothing is known of
/// it; values tend to factor / (1 - factor), so that none becomes subnormal or infinite.
void emitMultiplyAdds(Ceiling ceiling, const std::string &target, Form form,
                      const std::string &path) {
  const Halide::Type real = Halide::Float(ceiling == Ceiling::MultiplyAddsF64 ? 64 : 32);
  const int lanes = vectorBytesOf(target) / real.bytes();
  Var lane("lane"), chain("chain");
  Halide::Param<int> rounds("rounds");
  Halide::Param<double> given("factor");
  const RDom r(0, rounds, "round");
  const Halide::Expr factor = cast(real, given);
  Func sums("sums");
  sums(lane, chain) = cast(real, chain + 1);
  // A comparison that never holds names the round; it is gone when Halide has bounded the loop.
  sums(lane, chain) = Halide::select(r < 0, cast(real, 0), sums(lane, chain) * factor + factor);
  emitChains(sums, lane, lanes, chain, chainsOf(target), {r}, {rounds, given}, ceiling, form,
             target, path);
}

/// Sums of 32-bit integers, whose additions have more ports than those of floats: the loads bound
/// it.
void emitRead(const std::string &target, Form form, const std::string &path) {
  const Halide::Type word = Halide::UInt(32);
  const int lanes = vectorBytesOf(target) / 4;
  Var lane("lane"), chain("vector");
  Halide::ImageParam data(word, 1, "data");
  Halide::Param<int> lines("lines"), rounds("rounds");
  data.dim(0).set_min(0).set_stride(1);
  data.set_host_alignment(64);
  const RDom r(0, lines, 0, rounds, "line");
  Func sums("sums");
  sums(lane, chain) = cast(word, 0);
  sums(lane, chain) +=
      Halide::select(r.y < 0, cast(word, 0), data((r.x * readVectors + chain) * lanes + lane));
  emitChains(sums, lane, lanes, chain, readVectors, {r.x, r.y}, {data, lines, rounds},
             Ceiling::Read, form, target, path);
}

/// The chains' last values go to a volatile place, so that no compiler can drop the loop.
std::string multiplyAddsText(const std::string &target, bool isDouble) {
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

std::string readText(const std::string &target) {
  const int lanes = vectorBytesOf(target) / 4, vectors = readVectors;
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
                            target, vectorBytesOf(target), hasFusedMultiplyAdds(target) ? 1 : 0,
                            vectorBytesOf(target) * readVectors, flops(false), flops(true));
}

} // namespace

void emitCeiling(Ceiling ceiling, const std::string &target, Form form, const std::string &path) {
  vectorBytesOf(target);
  try {
    if (ceiling == Ceiling::Read)
      emitRead(target, form, path);
    else if (ceiling == Ceiling::MultiplyAddsF32 || ceiling == Ceiling::MultiplyAddsF64)
      emitMultiplyAdds(ceiling, target, form, path);
    else
      emit(sincosKernel(target, ceiling == Ceiling::SincosF64), form, path);
  } catch (const Halide::Error &error) {
    throw ir::Error{
        fmt::format("Halide refused a loop of the ceilings for {}: {}", target, error.what())};
  }
}

void buildCeilings(const std::string &target, const CompileCpp &compileCpp,
                   const std::string &path) {
  const std::string text = textOf(target);
  const TemporaryFolder folder;
  std::vector<std::string> objects{folder.path + "/table.o"};
  compileText(compileCpp, text, "ceilings", objects.front(), "the table of ceilings");
  for (const Ceiling ceiling : allCeilings) {
    objects.push_back(folder.path + "/" + ceilingSymbol(ceiling) + ".o");
    emitCeiling(ceiling, target, Form::Object, objects.back());
  }
  link(LibraryForm::Shared, objects, path, {"facet_ceilings_table"});
}

} // namespace facet::lower
