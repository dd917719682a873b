// space.cpp - the table of knobs and values that are tried, and what is left out of it.
#include "runtime/engine/tune/search.h"
#include <algorithm>
#include <fmt/format.h>

namespace facet::runtime {
namespace {

using schedules::Knobs;
using Member = int Knobs::*;

/// What a request is; rows of the table below name the kinds they are for.
enum : unsigned {
  Any = 0,
  Cpu = 1,
  Device = 2,
  Direct = 4,
  Separable = 8,
  Product = 16,
  Points = 32,
  Single = 64,
  Vectors64 = 128,
  Vectors32 = 256
};
unsigned kindOf(const SpaceRequest &r) {
  const bool widths =
      !r.onDevice() && (r.initial.vectorBytes == 0 || r.initial.vectorBytes > r.vectorBytes);
  return (r.onDevice() ? Device : Cpu) | (r.separable() ? Separable : Direct) |
         (r.grid == FACET_POINTS ? Points : Product) | (r.klass == FACET_F64 ? Any : Single) |
         (widths && r.vectorBytes == 64 ? Vectors64 : Any) |
         (widths && r.vectorBytes == 32 ? Vectors32 : Any);
}

/// A knob with the values that are tried: those of the first kind that fits; without one only the
/// default's value.
struct KnobValues {
  Member knob;
  std::vector<std::pair<unsigned, std::vector<int>>> values;
};
const KnobValues gridRows{
    &Knobs::gridY, {{Cpu | Separable, {0, 128, 256}}, {Cpu | Direct | Product, {0, 32, 64}}}};

/// Knobs that depend on each other strongly are of one step. Switches come first: what they turn
/// on may want another tile.
struct Step {
  const char *name;
  std::vector<KnobValues> knobs;
};
const std::vector<Step> &steps() {
  static const std::vector<Step> table = {
      {"functions", {{&Knobs::addition, {{Cpu | Direct | Product, {0, 1}}}}}},
      // Several registers side by side hide latencies if a term is short and uses no tables.
      {"functions",
       {{&Knobs::vectorBytes,
         {{Vectors64 | Direct | Points, {0, 32, 128, 256}},
          {Vectors32 | Direct | Points, {0, 16, 64, 128}},
          {Vectors64, {0, 32}},
          {Vectors32, {0, 16}}}}}},
      {"functions", {{&Knobs::hardware, {{Device, {0, 1}}}}}},
      {"functions", {{&Knobs::tensor, {{Device, {0, 1}}}}}},
      {"registers",
       {{&Knobs::tileY,
         {{Points, {1}},
          {Cpu, {1, 2, 3, 4, 5, 6, 8, 10, 12, 16}},
          {Device, {1, 2, 3, 4, 6, 8, 12, 16}}}},
        {&Knobs::tileZ, {{Cpu, {1, 2, 3, 4}}, {Device, {1, 2, 3, 4, 6, 8}}}}}},
      {"blocks",
       {{&Knobs::blockZ, {{Device, {8, 16, 32, 64, 128}}}},
        {&Knobs::blockY, {{Device | Product, {1, 2, 4, 8, 16}}}}}},
      // Direct sums in single precision have blocks not much larger than the default, since the
      // sums of a call are added in single precision: 512 lost 5e-6 to 8e-6 near q = 0
      // (schedules/defaults.def).
      {"blocks",
       {{&Knobs::blockT,
         {{Separable, {64, 96, 128, 192}},
          {Direct | Single, {64, 128, 192}},
          {Direct, {128, 256, 512, 1024}}}}}},
      {"blocks", {{&Knobs::unrollT, {{Device, {1, 2, 4, 8, 16}}}}}},
      {"grid",
       {gridRows, {&Knobs::gridZ, {{Cpu | Direct | Product, {0, 256}}, {Cpu, {0, 256, 1024}}}}}},
  };
  return table;
}

std::vector<int> valuesOf(const KnobValues &tried, const SpaceRequest &r) {
  const auto row = std::ranges::find_if(
      tried.values, [kind = kindOf(r)](const auto &one) { return (one.first & ~kind) == 0; });
  std::vector<int> values = row == tried.values.end() ? std::vector<int>{} : row->second;
  values.push_back(r.initial.*tried.knob);
  std::ranges::sort(values);
  values.erase(std::ranges::unique(values).begin(), values.end());
  return values;
}

bool isUsed(Member knob, const SpaceRequest &r) {
  const auto info = std::ranges::find(schedules::knobTable(), knob, &schedules::KnobInfo::member);
  return schedules::isUsed(*info, r.separable(), r.onDevice());
}

/// Whether the runtime cuts a direct sum's grid in rows of its own, of which a tile takes some.
bool hasBands(const SpaceRequest &r) {
  return !r.onDevice() && !r.separable() && r.grid != FACET_POINTS;
}

/// Registers of sums, or sums of a device's thread, that a tile holds.
int sums(const Knobs &knobs, const SpaceRequest &r) {
  const int wide = r.onDevice() ? 1 : std::max(1, knobs.vectorBytes / r.vectorBytes);
  return 2 * knobs.tileY * knobs.tileZ * wide;
}

std::string leftOutOnCpu(const Knobs &k, const SpaceRequest &r) {
  // A separable tile's record needs z, a row's factors and the column's tables beside the sums. A
  // direct one loses little where values of polynomials are spilled (8 rows on AVX2 are 16 sums in
  // 16 registers).
  const int room = r.separable() ? r.registers - 4 : r.registers;
  if (sums(k, r) > room && sums(k, r) > sums(r.initial, r))
    return fmt::format("its sums take {} registers of {}", sums(k, r), room);
  // Lowering leaves larger tables to the inner loop (direct.cpp).
  constexpr int most = 16 * 1024;
  if (hasBands(r) && k.tileY * k.blockT * (r.klass == FACET_F64 ? 8 : 4) > most)
    return "its tables of rows are larger than lowering keeps";
  return "";
}

std::string leftOutOnDevice(const Knobs &k, const SpaceRequest &r) {
  if (r.grid == FACET_POINTS && (k.tileY > 1 || k.blockY > 1))
    return "points have one row";
  const int threads = k.blockZ * k.blockY;
  if (threads > r.device.threads)
    return fmt::format("a block of {} threads, the device allows {}", threads, r.device.threads);
  // A thread has 255 registers of 32 bits, and needs half of them and more beside its sums
  // (docs/schedules.md); a block has what the device says, in steps of 8 a thread.
  constexpr int forSums = 128, beside = 24;
  const int registers = sums(k, r) * (r.klass == FACET_F64 ? 2 : 1);
  if (registers > forSums)
    return fmt::format("its sums take {} registers of a thread's 255", registers);
  if (r.device.registers > 0 && threads * (registers + beside) > r.device.registers)
    return fmt::format("a block of {} threads with at least {} registers each, the device has {}",
                       threads, registers + beside, r.device.registers);
  if (!r.separable() && r.device.sharedBytes > 0 &&
      k.blockT * r.device.recordBytes > r.device.sharedBytes)
    return fmt::format("{} records take {} bytes of shared memory, a block may have {}", k.blockT,
                       k.blockT * r.device.recordBytes, r.device.sharedBytes);
  const auto code = [](const Knobs &one) { return one.tileY * one.tileZ * one.unrollT; };
  if (code(k) > 4 * code(r.initial))
    return "its inner loop is more than four times as long as the default's";
  if (k.tensor > 0 && !(r.separable() && r.klass == FACET_F64))
    return "tensor cores take separable sums in f64 alone";
  // OpenCL bounds no errors of its functions (errorBound in codegen/lower).
  if (k.hardware > r.initial.hardware)
    return "the device states no bound for the error of its functions, or has none for this sum";
  return "";
}

} // namespace

std::size_t KnobGroup::combinations() const {
  std::size_t n = 1;
  for (const Axis &axis : axes)
    n *= axis.values.size();
  return n;
}

std::vector<Knobs> KnobGroup::all(const Knobs &at) const {
  std::vector<Knobs> list{at};
  for (const Axis &axis : axes) {
    std::vector<Knobs> more;
    for (Knobs knobs : list)
      for (const int value : axis.values) {
        knobs.*axis.member = value;
        more.push_back(knobs);
      }
    list = std::move(more);
  }
  return list;
}

std::vector<Knobs> KnobGroup::around(const Knobs &at) const {
  const auto moved = [](Knobs &knobs, const Axis &axis, int by) {
    const auto &values = axis.values;
    // The default's cut of the grid may lie between the values.
    auto own = std::lower_bound(values.begin(), values.end(), knobs.*axis.member);
    const auto place = own - values.begin() + by;
    if (place < 0 || place >= static_cast<std::ptrdiff_t>(values.size()))
      return false;
    knobs.*axis.member = values[static_cast<std::size_t>(place)];
    return true;
  };
  std::vector<Knobs> list;
  for (std::size_t a = 0; a < axes.size(); ++a)
    for (const int by : {-1, 1}) {
      if (Knobs one = at; moved(one, axes[a], by))
        list.push_back(one);
      for (std::size_t b = a + 1; b < axes.size(); ++b)
        if (Knobs two = at; moved(two, axes[a], by) && moved(two, axes[b], -by))
          list.push_back(two);
    }
  return list;
}

std::vector<KnobGroup> groupsOf(const SpaceRequest &r) {
  std::vector<KnobGroup> groups;
  for (const Step &step : steps()) {
    KnobGroup group{step.name, {}};
    for (const KnobValues &tried : step.knobs)
      if (isUsed(tried.knob, r))
        group.axes.push_back({tried.knob, valuesOf(tried, r)});
    if (!group.axes.empty())
      groups.push_back(std::move(group));
  }
  return groups;
}

std::vector<KnobGroup> joined(const std::vector<KnobGroup> &groups, std::size_t most) {
  std::vector<KnobGroup> list;
  for (const KnobGroup &group : groups)
    if (!list.empty() && list.back().combinations() * group.combinations() <= most)
      list.back().axes.insert(list.back().axes.end(), group.axes.begin(), group.axes.end());
    else
      list.push_back(group);
  return list;
}

Knobs fitted(Knobs knobs, const SpaceRequest &r) {
  constexpr int runtimeRows = 16; // of a direct tile that the runtime cuts itself (layout.cpp)
  const auto whole = [&](int rows) { return (rows > 0 ? rows : runtimeRows) % knobs.tileY == 0; };
  if (!hasBands(r))
    return knobs;
  const std::vector<int> tried = valuesOf(gridRows, r);
  const bool forced = !std::binary_search(tried.begin(), tried.end(), knobs.gridY);
  if (forced || !whole(knobs.gridY)) // by the rows of another tile
    knobs.gridY = r.initial.gridY;
  for (int rows = runtimeRows; !whole(knobs.gridY); rows += 8)
    if (rows % knobs.tileY == 0)
      knobs.gridY = rows;
  return knobs;
}

std::string leftOut(const Knobs &knobs, const SpaceRequest &r) {
  return r.onDevice() ? leftOutOnDevice(knobs, r) : leftOutOnCpu(knobs, r);
}

} // namespace facet::runtime
