// loops.cpp - the loops of a ceilings library as Halide pipelines.
#include "ceilings.h"
#include "schedules/targets.h"
#include <Halide.h>
#include <fmt/format.h>

namespace facet::lower {
namespace {

using Halide::cast;
using Halide::Func;
using Halide::RDom;
using Halide::Var;

constexpr int recordsACall = 128;

/// Loops over rounds, chains and lanes of a chain: the chains stay in registers.
void keepInRegisters(Func sums, const Var &lane, const Var &chain, const Halide::RVar &round) {
  sums.vectorize(lane).unroll(chain);
  sums.update().reorder(lane, chain, round).vectorize(lane).unroll(chain);
}

void compile(Func output, const std::vector<Halide::Argument> &arguments, Form form,
             const std::string &symbol, const std::string &target, const std::string &path) {
  using Halide::OutputFileType;
  static constexpr OutputFileType types[] = {OutputFileType::stmt, OutputFileType::llvm_assembly,
                                             OutputFileType::assembly, OutputFileType::object};
  for (int k = 0; k < 2; ++k)
    output.output_buffer().dim(k).set_min(0);
  const Halide::Target machine = Halide::Target(std::string(schedules::halideTarget(target)))
                                     .with_feature(Halide::Target::NoRuntime)
                                     .with_feature(Halide::Target::NoAsserts)
                                     .with_feature(Halide::Target::NoBoundsQuery);
  output.compile_to({{types[static_cast<int>(form)], path}}, arguments, symbol, machine);
}

/// x = x * factor + factor in each chain. The factor is an argument, so that nothing is known of
/// it; values tend to factor / (1 - factor), so that none becomes subnormal or infinite.
void multiplyAdds(const std::string &target, bool isDouble, Form form, const std::string &path) {
  const Halide::Type real = Halide::Float(isDouble ? 64 : 32);
  const int lanes = vectorBytesOf(target) / real.bytes(), chains = chainsOf(target);
  Var lane("lane"), chain("chain");
  Halide::Param<int> rounds("rounds");
  Halide::Param<double> given("factor");
  const RDom r(0, rounds, "round");
  const Halide::Expr factor = cast(real, given);
  Func sums("sums"), output("chains");
  sums(lane, chain) = cast(real, chain + 1);
  // A comparison that never holds names the round; it is gone when Halide has bounded the loop.
  sums(lane, chain) = Halide::select(r < 0, cast(real, 0), sums(lane, chain) * factor + factor);
  output(lane, chain) = sums(lane, chain);
  output.bound(lane, 0, lanes).bound(chain, 0, chains).vectorize(lane).unroll(chain);
  sums.compute_root().bound_extent(lane, lanes).bound_extent(chain, chains);
  sums.store_in(Halide::MemoryType::Stack);
  keepInRegisters(sums, lane, chain, r);
  compile(output, {rounds, given}, form,
          ceilingSymbol(isDouble ? Ceiling::MultiplyAddsF64 : Ceiling::MultiplyAddsF32), target,
          path);
}

/// Sums of 32-bit integers, whose additions have more ports than those of floats: the loads bound
/// it.
void read(const std::string &target, Form form, const std::string &path) {
  const Halide::Type word = Halide::UInt(32);
  const int lanes = vectorBytesOf(target) / 4, vectors = readVectors();
  Var lane("lane"), chain("vector");
  Halide::ImageParam data(word, 1, "data");
  Halide::Param<int> lines("lines"), rounds("rounds");
  data.dim(0).set_min(0).set_stride(1);
  data.set_host_alignment(64);
  const RDom r(0, lines, 0, rounds, "line");
  Func sums("sums"), output("read");
  sums(lane, chain) = cast(word, 0);
  sums(lane, chain) +=
      Halide::select(r.y < 0, cast(word, 0), data((r.x * vectors + chain) * lanes + lane));
  output(lane, chain) = sums(lane, chain);
  output.bound(lane, 0, lanes).bound(chain, 0, vectors).vectorize(lane).unroll(chain);
  sums.compute_root().bound_extent(lane, lanes).bound_extent(chain, vectors);
  sums.store_in(Halide::MemoryType::Stack);
  sums.vectorize(lane).unroll(chain);
  sums.update().reorder(lane, chain, r.x, r.y).vectorize(lane).unroll(chain);
  compile(output, {data, lines, rounds}, form, ceilingSymbol(Ceiling::Read), target, path);
}

} // namespace

int vectorBytesOf(const std::string &target) {
  const schedules::TargetInfo *found = schedules::findTarget(target);
  if (!found)
    throw ir::Error{fmt::format("unknown target '{}': targets.def lists them", target), {}};
  return found->vectorBytes;
}

bool hasFusedMultiplyAdds(const std::string &target) {
  const Halide::Target machine{std::string(schedules::halideTarget(target))};
  return machine.arch == Halide::Target::ARM || machine.has_feature(Halide::Target::FMA);
}

// Four or five clocks of latency on two units: ten chains are needed. Of 16 registers two hold the
// factor and, where there is no fused multiply-add, the product.
int chainsOf(const std::string &target) { return vectorBytesOf(target) == 64 ? 16 : 12; }
int readVectors() { return 8; }

std::string ceilingSymbol(Ceiling ceiling) {
  static constexpr const char *names[] = {"multiply_adds_f32", "multiply_adds_f64", "read",
                                          "sincos_f32", "sincos_f64"};
  return fmt::format("facet_ceiling_{}", names[static_cast<int>(ceiling)]);
}

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

void emitCeiling(Ceiling ceiling, const std::string &target, Form form, const std::string &path) {
  vectorBytesOf(target);
  try {
    switch (ceiling) {
    case Ceiling::MultiplyAddsF32:
    case Ceiling::MultiplyAddsF64:
      return multiplyAdds(target, ceiling == Ceiling::MultiplyAddsF64, form, path);
    case Ceiling::Read:
      return read(target, form, path);
    case Ceiling::SincosF32:
    case Ceiling::SincosF64:
      return emit(sincosKernel(target, ceiling == Ceiling::SincosF64), form, path);
    }
  } catch (const Halide::Error &error) {
    throw ir::Error{
        fmt::format("Halide refused a loop of the ceilings for {}: {}", target, error.what()), {}};
  }
}

} // namespace facet::lower
