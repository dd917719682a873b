// decision.cpp - decisions as JSON, every number exactly, and the limits of repair.
#include "runtime/engine/plan/decision.h"
#include "runtime/engine/plan/error_model.h"
#include "runtime/engine/system/fields.h"
#include <algorithm>
#include <array>
#include <climits>
#include <cmath>
#include <cstdlib>
#include <facet/runtime/error.h>

namespace facet::runtime {

template <Either<Shell> T, class Use> void eachField(T &shell, const Use &use) {
  auto &[x, y, z] = shell.reMax;
  auto &[ix, iy, iz] = shell.imMax;
  use(std::tie(x, y, z, ix, iy, iz, shell.normMax, shell.tolerance));
}

template <Either<Decision::Limit> T, class Use> void eachField(T &limit, const Use &use) {
  use(std::tie(limit.key, limit.amplification));
}

template <Either<Decision> T, class Use> void eachField(T &d, const Use &use) {
  const auto named = [](auto &field, std::string name, auto byName) {
    return NamedField<std::remove_reference_t<decltype(field)>, decltype(byName)>{
        field, std::move(name), byName};
  };
  use("target", d.target);
  use("algorithm", named(d.algorithm, algorithmName(d.algorithm), algorithmByName));
  use("class", named(d.klass, className(d.klass), classByName));
  use("grid", named(d.grid, gridName(d.grid), [](const std::string &name) {
        return name == gridName(FACET_POINTS) ? FACET_POINTS : FACET_PRODUCT;
      }));
  use("nodes", d.nodes);
  use("complex_q", d.complexQ);
  use("tolerance", d.tolerance);
  use("accuracy", d.accuracy);
  use("memory", d.memory);
  use("transforms", d.transforms);
  use("workers", d.workers);
  use("chunks", std::tie(d.chunks, d.repairChunks), d.chunks > 1 || d.repairChunks > 1);
  use("joined", d.joined, d.joined);
  use("threads", d.threads, d.threads > 1);
  use("weights", d.weights, !d.weights.empty());
  use("tile", d.cut.tile);
  use("t_block", d.cut.records);
  use("centred", d.frame.centred);
  use("centre", d.frame.centre);
  use("radius", d.frame.radius);
  use("shells", d.shells);
  use("repair", d.repair);
}

double Decision::limit(int key) const {
  double found = HUGE_VAL;
  int nearest = 0;
  bool any = false;
  for (const Limit &l : repair) {
    // Keys of neighbouring groups of Im q.z are 64 apart: another group counts as farther than any
    // octave of the same group.
    const int distance = std::abs(l.key / 64 - key / 64) * 4096 + std::abs(l.key % 64 - key % 64);
    if (any && distance >= nearest)
      continue;
    any = true;
    nearest = distance;
    found = l.amplification;
  }
  return found;
}

namespace {
/// Grids are cut by these numbers, and arrays are as long.
bool isPossible(const Decision &d) {
  const auto from1 = [](std::int64_t most) {
    return [most](std::int64_t n) { return n >= 1 && n <= most; };
  };
  const auto q = from1(1'000'000'000'000'000); // the most that grids count
  return d.workers >= 0 &&
         std::ranges::all_of(std::array{d.chunks, d.repairChunks}, from1(INT_MAX)) &&
         d.threads >= 1 && std::ranges::all_of(d.cut.tile, q) && q(d.cut.records) &&
         std::ranges::all_of(d.repair, [](const Decision::Limit &limit) {
           return limit.key >= 0 && std::cmp_less(limit.key, amplificationKeys);
         });
}
} // namespace

void to_json(Json &j, const Decision &decision) { eachField(decision, FieldWriter{j}); }

void from_json(const Json &j, Decision &decision) {
  try {
    eachField(decision, FieldReader{j});
  } catch (const Json::exception &) {
    throw NoDecision();
  } catch (const NoSuchNumber &) {
    throw NoDecision();
  }
  if (!isPossible(decision))
    throw NoDecision();
}

std::string toJson(const Decision &decision) { return Json(decision).dump(); }

Decision decisionFromJson(const std::string &text, const std::string &where) {
  try {
    return parseJson(text).get<Decision>();
  } catch (const NoDecision &) {
    NoDecision::refuse(where);
  }
}

void NoDecision::refuse(const std::string &where) {
  throw Error(where, "holds no plan that this facet can read",
              "write it with facet plan, or let facet run plan again");
}

} // namespace facet::runtime
