// decision.cpp - decisions of scenes as JSON, and at other scales.
#include "runtime/experiment/scene/units/decision.h"
#include "runtime/files/json.h"
#include <facet/runtime/error.h>

namespace facet::runtime {

// Terms are areas, F is a volume: near q = 0 their ratio grows as the scale falls, and with it what
// an error of the sum is of F.
Decision atScale(Decision d, double share) {
  if (share == 1)
    return d;
  for (double &c : d.frame.centre)
    c *= share;
  d.frame.radius *= share;
  for (Decision::Limit &limit : d.repair)
    limit.amplification *= share;
  for (Shell &shell : d.shells)
    shell.tolerance *= share;
  return d;
}

std::string toJson(const SceneDecision &decision) {
  Json all = Json::array();
  for (const SceneDecision::Way &way : decision.ways) {
    Json j;
    j["rows"] = way.rows;
    j["blocks"] = way.blocks;
    j["seconds"] = way.seconds;
    j["parts"] = Json::array();
    for (const SceneDecision::Part &part : way.parts)
      j["parts"].push_back({{"kernel", part.kernel},
                            {"bytes", part.bytes},
                            {"decision", parseJson(toJson(part.how))}});
    all.push_back(j);
  }
  return all.dump();
}

SceneDecision sceneDecisionFromJson(const std::string &text, const std::string &where) {
  try {
    SceneDecision decision;
    for (const Json &j : parseJson(text)) {
      SceneDecision::Way &way = decision.ways.emplace_back();
      way.rows = j.at("rows");
      way.blocks = j.at("blocks");
      way.seconds = j.at("seconds");
      for (const Json &part : j.at("parts"))
        way.parts.push_back({part.at("kernel"), decisionFromJson(part.at("decision").dump(), where),
                             part.at("bytes")});
    }
    return decision;
  } catch (const Json::exception &) {
    throw Error(where, "holds no plan of an experiment that this facet can read",
                "begin anew with --overwrite");
  }
}

} // namespace facet::runtime
