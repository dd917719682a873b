// knobs.cpp - the knobs of a variant where nothing was tuned, and the shape that tuned ones are of.
#include "gpu/gpu.h"
#include "lower.h"
#include <cstdint>
#include <fmt/format.h>
#include <vector>

namespace facet::lower {

namespace {

int innerOperations(const ir::Kernel &kernel) {
  return ir::Placement(kernel.term).innerOperations();
}

/// Rows of a tile: one where the term is so long that what rows share is little beside it, while
/// each row costs compile time (exact with complex q: 0.6 s for 4 rows, 0.2 s for one, which runs
/// within 8% as fast).
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

/// Bytes a row and a record have in tables.
int rowBytes(const ir::Kernel &kernel, bool narrowIsFloat) {
  int bytes = 0;
  for (const ir::Id id : ir::Placement(kernel.term).kept({ir::Place::RowTable}))
    bytes += narrowIsFloat && kernel.term[id].type != ir::Type::Wide ? 4 : 8;
  return bytes;
}

/// Tables beyond the stack that lowering takes for them (56 KiB) would be formed in the inner loop:
/// closed in f64 fell to 0.28 of its speed.
void keepTables(const ir::Kernel &kernel, bool narrowIsFloat, schedules::Knobs &knobs) {
  constexpr int room = 56 * 1024, least = 32;
  const int bytes = knobs.tileY * rowBytes(kernel, narrowIsFloat);
  while (knobs.blockT / 2 >= least && bytes * knobs.blockT > room)
    knobs.blockT /= 2;
}

} // namespace

/// Measured (tests/performance): born 1.7 to 2.2 times as fast, surface 2.1, on every target, class
/// and kind of q. What is left to the rows' tile beside the inner loop costs an eighth of the
/// instructions saved; a kernel most of which does not split is left as it was.
bool additionPays(const ir::Kernel &plain, const ir::Kernel &split) {
  return innerOperations(split) * 5 < innerOperations(plain) * 4;
}

schedules::Knobs defaultKnobs(const ir::Kernel &kernel, const passes::Variant &variant,
                              const std::string &target) {
  if (const schedules::TargetInfo *info = schedules::findTarget(target);
      info && schedules::isDevice(*info))
    return gpu::defaultKnobs(kernel, variant, *info, innerOperations(kernel));
  struct Row {
    passes::Algorithm algorithm;
    std::string_view target;
    passes::Class klass;
    ir::GridKind grid;
    bool complexQ;
    int tileY, tileZ, blockT;
    bool addition = false;
  };
  constexpr bool real = false, cplx = true;
  using enum passes::Class;
  using enum ir::GridKind;
  static constexpr Row table[] = {
#define FACET_KNOBS(target, klass, grid, q, tileY, tileZ, blockT)                                  \
  {passes::Algorithm::Direct, #target, klass, grid, q, tileY, tileZ, blockT},
#define FACET_ADDITION_KNOBS(target, klass, q, tileY, tileZ, blockT)                               \
  {passes::Algorithm::Direct, #target, klass, Product, q, tileY, tileZ, blockT, true},
#define FACET_SEPARABLE_KNOBS(target, klass, q, tileY, tileZ, blockT)                              \
  {passes::Algorithm::Separable, #target, klass, Product, q, tileY, tileZ, blockT},
#include "schedules/defaults.def"
  };
  for (const Row &row : table)
    if (row.algorithm == variant.algorithm && row.target == target && row.klass == variant.klass &&
        row.grid == variant.grid && row.complexQ == variant.complexQ &&
        row.addition == variant.addition) {
      schedules::Knobs knobs;
      knobs.tileY = row.tileY, knobs.tileZ = row.tileZ, knobs.blockT = row.blockT;
      knobs.addition = row.addition;
      if (variant.addition)
        shortenSplit(kernel, knobs);
      else if (variant.algorithm == passes::Algorithm::Direct)
        shortenCompile(kernel, knobs);
      if (variant.algorithm == passes::Algorithm::Direct && variant.grid == ir::GridKind::Product)
        keepTables(kernel, variant.klass != passes::Class::F64, knobs);
      return knobs;
    }
  return {};
}

bool takesTensor(const passes::Variant &variant, const std::string &target) {
  const schedules::TargetInfo *info = schedules::findTarget(target);
  return info && info->architecture == "cuda" && variant.klass == passes::Class::F64 &&
         variant.algorithm == passes::Algorithm::Separable;
}

void refuseTensor(std::string_view where) {
  throw ir::Error{
      fmt::format("{}: tensor=1 is for separable sums in f64 on CUDA, and there is none: "
                  "ask for --targets=cuda-sm_80 --algorithms=separable --class=f64, or "
                  "take tensor=0",
                  where),
      {}};
}

std::string shapeOf(const ir::Kernel &kernel) {
  ir::Kernel nameless = kernel;
  nameless.name = "kernel";
  nameless.doc.clear();
  for (ir::Param &param : nameless.params)
    param.value.clear();
  // FNV-1a (Fowler, Noll, Vo): kernels of one user do not meet by accident.
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : ir::print(nameless))
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return fmt::format("{:016x}", hash);
}

} // namespace facet::lower
