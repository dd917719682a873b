// lower.h - IR plus schedule to Halide, and to a kernel library. The only door to Halide.
#pragma once
#include "codegen/ir/ir.h"
#include "codegen/passes/passes.h"
#include "schedules/knobs.h"
#include "schedules/targets.h"
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace facet::lower {

enum class Form { Stmt, Llvm, Asm, Object, Device }; // Device: PTX, or OpenCL C

/// One argument of the generated function. Buffers are Halide's `halide_buffer_t *` (only host,
/// dimensions and dim[].{min, extent, stride} are read; min is 0 everywhere).
enum class ArgumentKind : std::uint8_t {
  Narrow, // records of the call, [t][narrow_fields]: dim 0 = field (stride 1), dim 1 = t; float or
          // double by class; host points at record t_begin
  Wide,   // the same for [t][wide_fields], double
  AxisRe, // double, one dimension: axis `index` from the tile's begin; points: from begin[0]
  AxisIm, // imaginary parts of the same
  Count,  // int32_t: how many records, 0 <= Count <= Knobs::blockT; devices: any number
  Param,  // double: parameter `index`
  Table,  // double: column `index` of axisFields, dim 0 = t (stride 1), dim 1 = its axis from the
         // tile's begin; host points at record t_begin. Beyond dim 1 its last row is read. A column
         // of points has one dimension, as AxisRe
  Out // double, in and out: real sums `index` of the tile, host at its first. Product: dims z,
      // y, x, strides 1, n[2], n[1]*n[2]; points: one dimension
};
struct Argument {
  ArgumentKind kind;
  int index = 0; // AxisRe, AxisIm: component of q; Param: which; Out: output of the term
};

/// One sum kernel: a kernel after all passes, for one target. The function is
///   extern "C" int symbol(arguments...);      // 0: done
/// with the arguments that `arguments` lists, in that order. It adds the terms of Count records to
/// the sums of the tile that the extents of Out give, x, y, z or points. The last extent must be a
/// multiple of `pad(sum)[2]` (product) or `pad(sum)[0]` (points); the other extents are free. It
/// may run on many threads. A direct sum needs no runtime and allocates nothing but at most 64 KiB
/// of stack. A separable sum keeps its tables in memory it asks for, with
///   extern "C" void *halide_malloc(void *, size_t bytes);   // 128-byte aligned, never null
///   extern "C" void halide_free(void *, void *);
/// about 8 bytes (f64: 16) a record of the call and a z of the tile.
/// A sum of a device (gpu.cpp) has `void *user_context` before its other arguments: the
/// facet_device of the call. Its output is written, not added to, and has tiles of `pad` in all
/// dimensions. It needs Halide's runtime of the device.
struct SumKernel {
  ir::Kernel kernel;
  passes::Variant variant;
  std::string target;     // a name of targets.def
  schedules::Knobs knobs; // legal for the target: see schedules::problem
  std::string symbol;
  std::string from;     // where the knobs are from, for people: "defaults", "tuned on 2026-11-21"
  bool cancels = false; // nothing bounds its rounding: passes::cancelsInSingle
};

/// A row of targets.def. Throws ir::Error if there is none.
const schedules::TargetInfo &targetOf(const std::string &name);

/// Columns that pack makes of one type, in order: the layout of narrow or wide records.
std::vector<std::string> packedColumns(const ir::Kernel &kernel, bool wide);
/// Bytes of a packed record, narrow and wide.
int packedBytes(const ir::Kernel &kernel, passes::Class klass);

/// The columns with an axis and those of points, in order: the tables that sums read where they
/// lie.
std::vector<ir::Field> axisFields(const ir::Kernel &kernel);

/// The generated function's arguments, in order. Only what the kernel uses: a kernel that reads no
/// wide column has no Wide argument, and so on; an Out for each output of the term comes last.
std::vector<Argument> arguments(const ir::Kernel &kernel);

/// Tile bounds and padded extents are multiples of these (facet_variant.pad).
std::array<int, 3> pad(const SumKernel &sum);

/// Whether a direct sum runs faster with the knob `addition`: `split` is the kernel after all
/// passes with it, `plain` without.
bool additionPays(const ir::Kernel &plain, const ir::Kernel &split);

/// The default knobs of a kernel's variant on a target (schedules/defaults.def).
/// `kernel`: after all passes of the variant, whose `addition` becomes the knob. A device's
/// `hardware` does not depend on the variant's.
schedules::Knobs defaultKnobs(const ir::Kernel &kernel, const passes::Variant &variant,
                              const std::string &target);

/// The shape that tuned knobs hold for: 16 hexadecimal digits, the same for kernels that differ in
/// name and comments alone. `kernel`: before any pass.
std::string shapeOf(const ir::Kernel &kernel);

/// Knobs found by tuning, and what they hold for. They fit a kernel of the same shape only.
struct TunedKnobs {
  std::string shape; // shapeOf
  passes::Variant variant;
  std::string target;
  schedules::Knobs knobs;
  std::string from; // "tuned on 2026-11-21"
};

/// Settles the sums of one kernel. Each kernel after passes is made once, whatever the targets.
class VariantResolver {
public:
  /// `kernel` and `tuned` are kept by reference.
  VariantResolver(const ir::Kernel &kernel, const passes::PipelineOptions &pipeline,
                  const std::vector<TunedKnobs> &tuned);
  /// The sum of a variant for a target, called after both. `asked`: knobs as people write them,
  /// which replace tuned ones, which replace the defaults. `addition` and `hardware` of the
  /// variant follow from the knobs. Throws ir::Error: knobs that are not legal, whatever a pass
  /// refuses.
  SumKernel resolve(passes::Variant variant, const std::string &target, const std::string &asked);

private:
  const ir::Kernel &kernel;
  passes::PipelineOptions pipeline;
  const std::vector<TunedKnobs> &tuned;
  std::string shape;
  std::map<std::array<int, 7>, ir::Kernel> compiled; // by variant

  const ir::Kernel &afterPasses(const passes::Variant &variant);
  SumKernel settled(const passes::Variant &variant, const std::string &target,
                    const std::string &asked);
};

/// "born_points_real_f32_careful": what the functions of a variant are called after.
std::string variantName(const SumKernel &sum);

/// Relative error of one term's elementary functions in the variant's class, phase rounding apart
/// (facet_variant.error_bound). `hardware`: as the makers of the target's devices state it.
double errorBound(const passes::Variant &variant, const std::string &target);
/// The same of a sum, 1 if in its class differences of q and the record may cancel.
double errorBound(const SumKernel &sum);

/// What a block of a sum on tensor cores takes: rows (x, y) and z; its threads.
namespace tensor {
constexpr int rowTile = 128, zTile = 64, threads = 256;
}
/// Whether the knob `tensor` has a meaning: separable sums in f64 on CUDA (lower/tensor), which
/// read no columns with an axis.
bool takesTensor(const ir::Kernel &kernel, const passes::Variant &variant,
                 const std::string &target);
/// Throws ir::Error, with what to choose instead, if `knobs` ask for it and it is not `taken`.
void checkTensor(const std::string &knobs, bool taken);

/// Writes one form of it to `path`. Throws ir::Error if Halide refuses, and for the knob
/// `tensor`, whose sums Halide does not write. Safe on several threads at once, each with its own
/// path: two compile twice as fast. The first call sets HL_LLVM_ARGS of the process unless it is
/// set already (see sum.cpp).
void emit(const SumKernel &sum, Form form, const std::string &path);
/// Writes Halide's runtime for all devices, an object to link into a library of sums for one or
/// more. Throws ir::Error where the file cannot be written.
void emitDeviceRuntime(const std::string &path);

} // namespace facet::lower
