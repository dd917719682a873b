// knobs.cpp - the knobs of a device's variant where nothing was tuned.
#include "gpu.h"

namespace facet::lower::gpu {
namespace {

/// Code of an inner loop grows with the tile and the records unrolled, and compile time with it;
/// beyond the cache of instructions (128 KiB, 16 bytes each) it would be slower too.
void shorten(int operations, schedules::Knobs &knobs) {
  constexpr int most = 4000;
  const auto size = [&] { return operations * knobs.tileY * knobs.tileZ * knobs.unrollT; };
  for (int schedules::Knobs::*one :
       {&schedules::Knobs::unrollT, &schedules::Knobs::tileY, &schedules::Knobs::tileZ})
    while (size() > most && knobs.*one > 1)
      knobs.*one /= 2;
}

/// Packed records of a block stay in shared memory.
void fitShared(const ir::Kernel &kernel, const passes::Variant &variant, int sharedBytes,
               schedules::Knobs &knobs) {
  int bytes = 0;
  for (const ir::Output &output : kernel.pack.outputs) {
    const bool wide =
        kernel.pack.values[static_cast<std::size_t>(output.value)].type == ir::Type::Wide;
    bytes += wide || variant.klass == passes::Class::F64 ? 8 : 4;
  }
  while (knobs.blockT > 1 && bytes * knobs.blockT > sharedBytes)
    knobs.blockT /= 2;
}

} // namespace

schedules::Knobs defaultKnobs(const ir::Kernel &kernel, const passes::Variant &variant,
                              const schedules::TargetInfo &target, int operations) {
  struct Row {
    passes::Algorithm algorithm;
    std::string_view interface;
    passes::Class klass;
    ir::GridKind grid;
    bool complexQ;
    int tileY, tileZ, blockY, blockZ, blockT, hardware;
  };
  constexpr bool real = false, cplx = true;
  using enum passes::Class;
  using enum ir::GridKind;
  static constexpr Row table[] = {
#define FACET_DEVICE_KNOBS(interface, klass, grid, q, tileY, tileZ, blockY, blockZ, blockT, own)   \
  {passes::Algorithm::Direct,                                                                      \
   #interface,                                                                                     \
   klass,                                                                                          \
   grid,                                                                                           \
   q,                                                                                              \
   tileY,                                                                                          \
   tileZ,                                                                                          \
   blockY,                                                                                         \
   blockZ,                                                                                         \
   blockT,                                                                                         \
   own},
#define FACET_DEVICE_SEPARABLE_KNOBS(interface, klass, q, tileY, tileZ, blockY, blockZ, blockT)    \
  {passes::Algorithm::Separable,                                                                   \
   #interface,                                                                                     \
   klass,                                                                                          \
   Product,                                                                                        \
   q,                                                                                              \
   tileY,                                                                                          \
   tileZ,                                                                                          \
   blockY,                                                                                         \
   blockZ,                                                                                         \
   blockT,                                                                                         \
   0},
#include "schedules/gpu/defaults.def"
  };
  schedules::Knobs knobs;
  for (const Row &row : table)
    if (row.algorithm == variant.algorithm && row.interface == target.architecture &&
        row.klass == variant.klass && row.grid == variant.grid &&
        row.complexQ == variant.complexQ) {
      knobs.tileY = row.tileY, knobs.tileZ = row.tileZ, knobs.blockT = row.blockT;
      knobs.blockY = row.blockY, knobs.blockZ = row.blockZ, knobs.hardware = row.hardware;
    }
  if (variant.algorithm == passes::Algorithm::Direct)
    shorten(operations, knobs);
  fitShared(kernel, variant, target.sharedBytes, knobs);
  return knobs;
}

} // namespace facet::lower::gpu
