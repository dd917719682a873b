// lower.h - IR plus schedule to Halide, and to a kernel library. The only door to Halide.
#pragma once
#include "codegen/ir/ir.h"
#include "codegen/passes/passes.h"
#include "schedules/schedule.h"
#include <string>
#include <vector>

namespace facet::lower {

enum class Form { Stmt, Llvm, Asm, Object };

/// One sum kernel: a kernel after all passes, for one target. The function is extern "C" `symbol`
/// and takes Halide buffers (see sum_abi in cpp_shim).
struct SumKernel {
  ir::Kernel kernel;
  passes::Variant variant;
  std::string target; // a name of targets.def
  schedules::Knobs knobs;
  std::string symbol;
};

/// Writes one form of it to `path`. Throws ir::Error where Halide refuses.
void emit(const SumKernel &sum, Form form, const std::string &path);

} // namespace facet::lower
