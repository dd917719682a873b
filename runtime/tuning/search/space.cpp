// space.cpp - values of the knobs worth trying, and their combinations.
#include "runtime/tuning/search/space.h"
#include "runtime/tuning/search/device_space.h"
#include "schedules/targets.h"
#include <algorithm>

namespace facet::runtime {
namespace {

using schedules::Knobs;

constexpr int runtimeRows = 16; // of a direct tile that the runtime cuts itself (layout.cpp)

/// `values` with `own` among them, each once, ascending.
std::vector<int> with(std::vector<int> values, int own) {
  values.push_back(own);
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

} // namespace

/// In single precision no more than the default by much: the sums of a call are
/// added in the class's precision, and 512 lost 5e-6 to 8e-6 near q = 0 (schedules/defaults.def).
std::vector<int> blocksOf(const SpaceRequest &r) {
  const bool separable = r.algorithm == FACET_SEPARABLE, f64 = r.klass == FACET_F64;
  std::vector<int> values = separable ? std::vector<int>{64, 96, 128, 192}
                            : f64     ? std::vector<int>{128, 256, 512, 1024}
                                      : std::vector<int>{64, 128, 192};
  return with(values, r.initial.blockT);
}

int registersOf(const std::string &target) {
  const schedules::TargetInfo *info = schedules::findTarget(target);
  return info ? info->registers : 16;
}

Space spaceOf(const SpaceRequest &r) {
  const bool separable = r.algorithm == FACET_SEPARABLE, points = r.grid == FACET_POINTS;
  Space space;
  // A separable tile's record needs z, a row's factors and the column's tables beside the sums; a
  // direct one spills polynomials' values gladly (8 rows on AVX2 are 16 sums in 16 registers).
  const int room = separable ? r.registers - 4 : r.registers;
  for (const int rows :
       points ? std::vector<int>{1} : std::vector<int>{1, 2, 3, 4, 5, 6, 8, 10, 12, 16})
    for (const int vectors : {1, 2, 3, 4}) {
      if (2 * rows * vectors <= room)
        space.tiles.emplace_back(rows, vectors);
      else
        ++space.tooLarge;
    }
  const std::pair own{r.initial.tileY, r.initial.tileZ};
  if (std::find(space.tiles.begin(), space.tiles.end(), own) == space.tiles.end())
    space.tiles.push_back(own);
  space.vectorBytes = {r.initial.vectorBytes};
  if (r.vectorBytes > 16 && r.initial.vectorBytes == 0)
    space.vectorBytes.push_back(r.vectorBytes / 2);
  space.addition = {r.initial.addition};
  space.rowTables = {r.initial.rowTables};
  if (!separable && !points)
    space.addition = {0, 1};
  space.blockT = blocksOf(r);
  space.gridY = points ? std::vector<int>{0} : with({0, 32, 64}, r.initial.gridY);
  space.gridZ = with({0, 256}, r.initial.gridZ);
  if (separable) {
    space.gridY = with({0, 128, 256}, r.initial.gridY);
    space.gridZ = with({0, 256, 1024}, r.initial.gridZ);
  } else if (points) {
    space.gridZ = with({0, 256, 1024}, r.initial.gridZ);
  }
  return space;
}

std::string leftOut(const Knobs &knobs, const SpaceRequest &r) {
  constexpr int most = 16 * 1024;
  if (r.device.threads > 0)
    return leftOutOnDevice(knobs, r);
  return r.algorithm == FACET_SEPARABLE || r.grid == FACET_POINTS ||
                 knobs.tileY * knobs.blockT * (r.klass == FACET_F64 ? 8 : 4) <= most
             ? ""
             : "its tables of rows are larger than lowering keeps";
}

void fitRows(Knobs &knobs, const SpaceRequest &r) {
  knobs.gridY = r.initial.gridY;
  if (r.algorithm == FACET_SEPARABLE || r.grid == FACET_POINTS)
    return;
  const int rows = knobs.gridY > 0 ? knobs.gridY : runtimeRows;
  for (int wanted = (rows + 7) / 8 * 8; rows % knobs.tileY != 0 && knobs.gridY % knobs.tileY == 0;
       wanted += 8)
    if (wanted % knobs.tileY == 0) {
      knobs.gridY = wanted;
      break;
    }
}

std::vector<Knobs> combinations(const Space &space, const SpaceRequest &r) {
  std::vector<Knobs> all{r.initial};
  const auto add = [&](Knobs knobs, const std::pair<int, int> &tile) {
    knobs.tileY = tile.first, knobs.tileZ = tile.second;
    fitRows(knobs, r);
    if (leftOut(knobs, r).empty() && std::find(all.begin(), all.end(), knobs) == all.end())
      all.push_back(knobs);
  };
  for (const auto &tile : space.tiles) {
    Knobs knobs = r.initial;
    for (const int addition : space.addition)
      for (const int tables : space.rowTables)
        for (const int block : space.blockT) {
          knobs.addition = addition, knobs.rowTables = tables, knobs.blockT = block;
          add(knobs, tile);
        }
    knobs = r.initial;
    for (const int bytes : space.vectorBytes) {
      knobs.vectorBytes = bytes;
      add(knobs, tile);
    }
  }
  return all;
}

std::vector<Knobs> cuts(const Knobs &knobs, const Space &space, const SpaceRequest &r) {
  std::vector<Knobs> all{knobs};
  const bool whole = r.algorithm == FACET_SEPARABLE || r.grid == FACET_POINTS;
  for (const int rows : space.gridY)
    for (const int z : space.gridZ) {
      Knobs cut = knobs;
      cut.gridY = rows, cut.gridZ = z;
      const bool bands = whole || (rows == 0 ? runtimeRows : rows) % knobs.tileY == 0;
      if (bands && std::find(all.begin(), all.end(), cut) == all.end())
        all.push_back(cut);
    }
  return all;
}

} // namespace facet::runtime
