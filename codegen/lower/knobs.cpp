// knobs.cpp - the knobs of a variant, and the passes they want, found in this order:
//
//   1. On CPUs a direct sum of a product grid goes through `addition` if that pays.
//   2. The knobs are the defaults of the result; tuned ones replace them, requested ones both.
//   3. If these want other passes (`addition` the other way; `hardware` on devices), the
//      passes run again, and the knobs are those of that result.
#include "codegen/passes/rewrite.h"
#include "lower.h"
#include <algorithm>
#include <fmt/format.h>
#include <vector>

namespace facet::lower {
namespace {

int innerOperations(const ir::Kernel &kernel) {
  return ir::Placement(kernel.term).innerOperations();
}

/// A tile has one row if the term is so long that rows share little beside it. Each row costs
/// compile time: exact with complex q takes 0.6 s for 4 rows, 0.2 s for one, which runs within 8%
/// as fast.
void shortenCompile(const ir::Kernel &kernel, schedules::Knobs &knobs) {
  constexpr int longTerm = 150;
  if (innerOperations(kernel) > longTerm)
    knobs.tileY = 1;
}

/// Fewer rows, for the same reason; each still halves what a record's sines of z cost a row.
void shortenSplit(const ir::Kernel &kernel, schedules::Knobs &knobs) {
  constexpr int longTile = 700; // about a second
  while (knobs.tileY > 2 && innerOperations(kernel) * knobs.tileY > longTile)
    knobs.tileY /= 2;
}

/// The defaults are for a tile of complex sums: of more real sums a q, a smaller tile has as many.
void keepSums(const ir::Kernel &kernel, schedules::Knobs &knobs) {
  const int most = 2 * knobs.tileY * knobs.tileZ,
            sums = static_cast<int>(kernel.term.outputs.size());
  for (int schedules::Knobs::*one : {&schedules::Knobs::tileY, &schedules::Knobs::tileZ})
    while (sums * knobs.tileY * knobs.tileZ > most && knobs.*one > 1)
      knobs.*one /= 2;
}

/// Bytes a row and a record have in tables.
int rowBytes(const ir::Kernel &kernel, bool narrowIsFloat) {
  int bytes = 0;
  for (const ir::Id id : ir::Placement(kernel.term).kept({ir::Place::RowTable}))
    bytes += narrowIsFloat && kernel.term[id].type != ir::Type::Wide ? 4 : 8;
  return bytes;
}

/// Short terms of a list take four vectors, and each operation is done for all of them before the
/// next. They share the constants of polynomials, and a core has more chains of them at hand than
/// from one vector after the other. On AVX2, f64: value_at_risk 1.9 times as fast, born 2.0 (tiles
/// of two to four vectors 1.2); long terms (exact) spill and lose. Other targets were not measured.
/// There only terms with one sum take four vectors: these leave registers free.
void widenVectors(const ir::Kernel &kernel, const passes::Variant &variant,
                  const schedules::TargetInfo &target, schedules::Knobs &knobs) {
  constexpr int shortTerm = 80;
  const bool measured = target.name == "avx2" && variant.klass == passes::Class::F64;
  const bool single = kernel.term.outputs.size() == 1 && variant.klass != passes::Class::F32Careful;
  if (variant.grid != ir::GridKind::Points || innerOperations(kernel) > shortTerm ||
      !(measured || single))
    return;
  knobs.vectorBytes = schedules::MostVectors * target.vectorBytes;
  knobs.tileZ = 1;
}

/// Tables beyond the stack that lowering takes for them (56 KiB) would be formed in the inner loop:
/// closed in f64 fell to 0.28 of its speed. Columns with an axis bring numbers from memory for each
/// row and record: tables leave the first cache room for these (plasmon_pole in f64: 1.6 times as
/// fast).
void keepTables(const ir::Kernel &kernel, bool narrowIsFloat, schedules::Knobs &knobs) {
  const int room = (ir::axisField(kernel) != nullptr ? 28 : 56) * 1024;
  constexpr int least = 32;
  const int bytes = knobs.tileY * rowBytes(kernel, narrowIsFloat);
  while (knobs.blockT / 2 >= least && bytes * knobs.blockT > room)
    knobs.blockT /= 2;
}

/// On devices the code of an inner loop grows with the tile and the records unrolled, and compile
/// time with it. Beyond the cache of instructions (128 KiB, 16 bytes each) it would be slower too.
void shortenCode(const ir::Kernel &kernel, schedules::Knobs &knobs) {
  constexpr int most = 4000;
  const int operations = innerOperations(kernel);
  for (int schedules::Knobs::*one :
       {&schedules::Knobs::unrollT, &schedules::Knobs::tileY, &schedules::Knobs::tileZ})
    while (operations * knobs.tileY * knobs.tileZ * knobs.unrollT > most && knobs.*one > 1)
      knobs.*one /= 2;
}

/// Packed records of a block stay in a device's shared memory.
void fitShared(const ir::Kernel &kernel, const passes::Variant &variant, int sharedBytes,
               schedules::Knobs &knobs) {
  const int bytes = packedBytes(kernel, variant.klass);
  while (knobs.blockT > 1 && bytes * knobs.blockT > sharedBytes)
    knobs.blockT /= 2;
}

/// A row of schedules/defaults.def.
enum class Sum { Direct, Addition, Separable };
enum class Q { Real, Complex, Any };
struct Row {
  Sum sum;
  std::string_view targets; // their names, those of interfaces, or how many registers they have
  passes::Class klass;
  ir::GridKind grid;
  Q q;
  int tileY, tileZ, blockY, blockZ, blockT;
};

/// Null if there is none.
const Row *rowOf(const passes::Variant &variant, const schedules::TargetInfo &target) {
  using enum Sum;
  using enum Q;
  using enum passes::Class;
  using enum ir::GridKind;
  static constexpr Row table[] = {
#define FACET_KNOBS(sum, targets, klass, grid, q, tileY, tileZ, blockT)                            \
  {sum, targets, klass, grid, q, tileY, tileZ, 0, 0, blockT},
#define FACET_DEVICE_KNOBS(sum, interfaces, klass, grid, q, tileY, tileZ, blockY, blockZ, blockT)  \
  {sum, interfaces, klass, grid, q, tileY, tileZ, blockY, blockZ, blockT},
#include "schedules/defaults.def"
  };
  if (variant.algorithm == passes::Algorithm::Nufft)
    return nullptr;
  const Sum sum = variant.algorithm == passes::Algorithm::Separable ? Separable
                  : variant.addition                                ? Addition
                                                                    : Direct;
  const auto of = [&](std::string_view word) {
    const auto *found = std::find_if(std::begin(table), std::end(table), [&](const Row &row) {
      return row.sum == sum && row.klass == variant.klass && row.grid == variant.grid &&
             (row.q == Any || (row.q == Complex) == variant.complexQ) &&
             fmt::format(" {} ", row.targets).find(fmt::format(" {} ", word)) != std::string::npos;
    });
    return found == std::end(table) ? nullptr : found;
  };
  if (schedules::isDevice(target))
    return of(target.architecture);
  const Row *named = of(target.name);
  return named != nullptr ? named : of(target.registers < 32 ? "16" : "32");
}

} // namespace

/// Measured (tests/performance): born 1.7 to 2.2 times as fast, surface 2.1, on every target, class
/// and kind of q. What the tile of rows must still do outside the inner loop costs an eighth of the
/// instructions saved. A kernel is left as it was if most of it does not split.
bool additionPays(const ir::Kernel &plain, const ir::Kernel &split) {
  return innerOperations(split) * 5 < innerOperations(plain) * 4;
}

schedules::Knobs defaultKnobs(const ir::Kernel &kernel, const passes::Variant &variant,
                              const std::string &target) {
  const schedules::TargetInfo *info = schedules::findTarget(target);
  const Row *row = info ? rowOf(variant, *info) : nullptr;
  if (!row)
    return {};
  schedules::Knobs knobs;
  knobs.tileY = row->tileY, knobs.tileZ = row->tileZ, knobs.blockT = row->blockT;
  const bool direct = variant.algorithm == passes::Algorithm::Direct;
  if (!direct || ir::axisField(kernel) == nullptr) // rows share what a z gathers from a table
    keepSums(kernel, knobs);
  if (schedules::isDevice(*info)) {
    knobs.blockY = row->blockY, knobs.blockZ = row->blockZ;
    // CUDA states the error of its functions (errorBound); OpenCL states none.
    knobs.hardware = direct && variant.klass == passes::Class::F32 && info->architecture == "cuda";
    if (direct)
      shortenCode(kernel, knobs);
    fitShared(kernel, variant, info->sharedBytes, knobs);
    return knobs;
  }
  knobs.addition = variant.addition;
  if (variant.addition)
    shortenSplit(kernel, knobs);
  else if (direct)
    shortenCompile(kernel, knobs);
  if (direct)
    widenVectors(kernel, variant, *info, knobs);
  if (direct && variant.grid == ir::GridKind::Product)
    keepTables(kernel, variant.klass != passes::Class::F64, knobs);
  return knobs;
}

bool takesTensor(const ir::Kernel &kernel, const passes::Variant &variant,
                 const std::string &target) {
  const schedules::TargetInfo *info = schedules::findTarget(target);
  return info && info->architecture == "cuda" && !ir::axisField(kernel) &&
         variant.klass == passes::Class::F64 && variant.algorithm == passes::Algorithm::Separable;
}

void checkTensor(const std::string &knobs, bool taken) {
  schedules::Knobs asked;
  schedules::parse(knobs, asked);
  if (asked.tensor && !taken)
    throw ir::Error{
        fmt::format("--knobs={}: tensor=1 is for separable sums in f64 on CUDA, and "
                    "there is none: ask for --targets=cuda-sm_80 "
                    "--algorithms=separable --class=f64, or take tensor=0; a kernel whose "
                    "columns have an axis has none",
                    knobs)};
}

std::string shapeOf(const ir::Kernel &kernel) {
  ir::Kernel nameless = kernel;
  nameless.name = "kernel";
  nameless.doc.clear();
  for (ir::Param &param : nameless.params)
    param.value.clear();
  return ir::hashOf(ir::print(nameless));
}

VariantResolver::VariantResolver(const ir::Kernel &kernel, const passes::PipelineOptions &pipeline,
                                 const std::vector<TunedKnobs> &tuned)
    : kernel(kernel), pipeline(pipeline), tuned(tuned),
      shape(tuned.empty() ? "" : shapeOf(kernel)) {}

const ir::Kernel &VariantResolver::afterPasses(const passes::Variant &v) {
  const std::array key{static_cast<int>(v.grid),
                       int{v.complexQ},
                       static_cast<int>(v.klass),
                       static_cast<int>(v.algorithm),
                       int{v.nodes},
                       int{v.addition},
                       int{v.hardware}};
  return passes::remembered(compiled, key, [&] { return passes::run(kernel, v, pipeline); });
}

SumKernel VariantResolver::settled(const passes::Variant &variant, const std::string &target,
                                   const std::string &asked) {
  SumKernel sum{afterPasses(variant), variant, target, {}, {}, "defaults"};
  const auto found = std::ranges::find_if(tuned, [&](const TunedKnobs &one) {
    const passes::Variant &v = one.variant;
    return one.shape == shape && one.target == target && v.grid == variant.grid &&
           v.complexQ == variant.complexQ && v.klass == variant.klass &&
           v.algorithm == variant.algorithm;
  });
  if (found != tuned.end()) {
    sum.knobs = found->knobs;
    sum.from = found->from;
  } else {
    sum.knobs = defaultKnobs(sum.kernel, variant, target);
  }
  // Polynomials hide what a function is of: it is looked for before math.
  sum.cancels = variant.klass == passes::Class::F32 &&
                variant.algorithm == passes::Algorithm::Direct &&
                passes::cancelsInSingle(sum.kernel) &&
                passes::cancelsInSingle(passes::run(kernel, variant, {.after = "pack"}));
  if (const std::string wrong = schedules::parse(asked, sum.knobs); !wrong.empty())
    throw ir::Error{fmt::format("--knobs={}: {}", asked, wrong)};
  if (!asked.empty())
    sum.from += ", changed by --knobs=" + asked;
  if (!takesTensor(kernel, variant, target)) // the knob is meant for other sums of the library
    sum.knobs.tensor = 0;
  sum.symbol = fmt::format("facet_sum_{}_{}", variantName(sum), target);
  std::ranges::replace(sum.symbol, '-', '_'); // cuda-sm_80 is no identifier
  return sum;
}

SumKernel VariantResolver::resolve(passes::Variant variant, const std::string &target,
                                   const std::string &asked) {
  variant.addition = variant.hardware = false;
  if (isDevice(targetOf(target))) {
    SumKernel plain = settled(variant, target, asked);
    variant.hardware = plain.knobs.hardware && passes::takesHardware(variant);
    return variant.hardware ? settled(variant, target, asked) : plain;
  }
  if (variant.algorithm != passes::Algorithm::Direct || variant.grid != ir::GridKind::Product)
    return settled(variant, target, asked);
  passes::Variant adding = variant;
  adding.addition = true;
  variant.addition = additionPays(afterPasses(variant), afterPasses(adding));
  SumKernel first = settled(variant, target, asked);
  if (first.knobs.addition == static_cast<int>(variant.addition))
    return first;
  variant.addition = !variant.addition;
  return settled(variant, target, asked);
}

} // namespace facet::lower
