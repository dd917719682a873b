// decision.cpp - decisions as JSON, every number exactly, and the limits of repair.
#include "runtime/engine/plan/decision.h"
#include "runtime/engine/plan/error_model.h"
#include "runtime/engine/system/json.h"
#include <climits>
#include <cmath>
#include <cstdlib>
#include <facet/runtime/error.h>

namespace facet::runtime {
namespace {

Json shellJson(const Shell &s) {
  return {s.reMax[0], s.reMax[1], s.reMax[2], s.imMax[0],
          s.imMax[1], s.imMax[2], s.normMax,  s.tolerance};
}

Shell shellFrom(const Json &j) {
  Shell s;
  for (std::size_t k = 0; k < 3; ++k) {
    s.reMax[k] = j.at(k);
    s.imMax[k] = j.at(3 + k);
  }
  s.normMax = j.at(6);
  s.tolerance = j.at(7);
  return s;
}

/// Thrown if a value is one that no plan has: it ends the reading.
struct NoPlan {};

/// Reads a whole number that must lie from `least` to `most`: grids are cut by it.
std::int64_t whole(const Json &j, std::int64_t least, std::int64_t most = INT_MAX) {
  if (!j.is_number_integer() || j.get<std::int64_t>() < least || j.get<std::int64_t>() > most)
    throw NoPlan();
  return j.get<std::int64_t>();
}

Decision readDecision(const Json &j) {
  constexpr std::int64_t mostQ = 1'000'000'000'000'000; // the most that grids count
  Decision d;
  d.target = j.at("target");
  d.algorithm = algorithmByName(j.at("algorithm").get<std::string>());
  d.klass = classByName(j.at("class").get<std::string>());
  d.grid = j.at("grid") == gridName(FACET_POINTS) ? FACET_POINTS : FACET_PRODUCT;
  d.nodes = j.at("nodes");
  d.complexQ = j.at("complex_q");
  d.tolerance = j.at("tolerance");
  d.accuracy = j.at("accuracy");
  d.memory = j.at("memory");
  d.transforms = j.at("transforms");
  d.workers = static_cast<int>(whole(j.at("workers"), 0));
  if (j.contains("chunks")) {
    d.chunks = whole(j["chunks"].at(0), 1);
    d.repairChunks = whole(j["chunks"].at(1), 1);
  }
  d.joined = j.value("joined", false);
  d.threads = static_cast<int>(whole(j.value("threads", Json(1)), 1));
  d.weights = j.value("weights", std::vector<double>());
  for (std::size_t k = 0; k < 3; ++k)
    d.cut.tile[k] = whole(j.at("tile").at(k), 1, mostQ);
  d.cut.records = whole(j.at("t_block"), 1, mostQ);
  d.frame.centred = j.at("centred");
  d.frame.centre = j.at("centre");
  d.frame.radius = j.at("radius");
  for (const Json &s : j.at("shells"))
    d.shells.push_back(shellFrom(s));
  for (const Json &l : j.at("repair"))
    d.repair.push_back({static_cast<int>(whole(l.at(0), 0, amplificationKeys - 1)), l.at(1)});
  return d;
}

} // namespace

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

std::string toJson(const Decision &d) {
  Json j;
  j["target"] = d.target;
  j["algorithm"] = algorithmName(d.algorithm);
  j["class"] = className(d.klass);
  j["grid"] = gridName(d.grid);
  j["nodes"] = d.nodes;
  j["complex_q"] = d.complexQ;
  j["tolerance"] = d.tolerance;
  j["accuracy"] = d.accuracy;
  j["memory"] = d.memory;
  j["transforms"] = d.transforms;
  j["workers"] = d.workers;
  if (d.chunks > 1 || d.repairChunks > 1)
    j["chunks"] = {d.chunks, d.repairChunks};
  if (d.joined)
    j["joined"] = true;
  if (d.threads > 1)
    j["threads"] = d.threads;
  if (!d.weights.empty())
    j["weights"] = d.weights;
  j["tile"] = d.cut.tile;
  j["t_block"] = d.cut.records;
  j["centred"] = d.frame.centred;
  j["centre"] = d.frame.centre;
  j["radius"] = d.frame.radius;
  j["shells"] = Json::array();
  for (const Shell &s : d.shells)
    j["shells"].push_back(shellJson(s));
  j["repair"] = Json::array();
  for (const Decision::Limit &l : d.repair)
    j["repair"].push_back({l.key, l.amplification});
  return j.dump();
}

Decision decisionFromJson(const std::string &text, const std::string &where) {
  const auto refuse = [&] {
    throw Error(where, "holds no plan that this facet can read",
                "write it with facet plan, or let facet run plan again");
  };
  try {
    return readDecision(parseJson(text));
  } catch (const Json::exception &) {
    refuse();
  } catch (const NoPlan &) {
    refuse();
  }
  return {};
}

} // namespace facet::runtime
