// decisions.cpp - when a decision of before holds, and what it is for particles of other sizes.
#include "runtime/scattering/simulate/decisions.h"
#include "runtime/engine/system/json.h"
#include <facet/runtime/error.h>

namespace facet::runtime {
namespace {

/// How far a decision reaches: of the largest |q| times the radius it was made for; of records.
constexpr double leastPhase = 0.5, mostPhase = 1.25, mostRecords = 2;

double radiusOf(const Body &body) { return body.largest * body.mesh.summary.farthest; }

} // namespace

bool ReusableDecision::holds(const SimulationInputs &inputs) const {
  if (structure_ != inputs.structure())
    return false;
  const std::vector<Body> &bodies = inputs.problem->bodies.bodies;
  for (std::size_t b = 0; b < bodies.size(); ++b) {
    const double records =
        static_cast<double>(bodies[b].records) / static_cast<double>(records_[b]);
    if (records > mostRecords || records < 1 / mostRecords)
      return false;
    for (std::size_t w = 0; w < inputs.reach.size(); ++w)
      if (const double before = reach_[w] * radii_[b]; reach_[w] > 0)
        if (const double phase = inputs.reach[w] * radiusOf(bodies[b]);
            !(phase >= leastPhase * before && phase <= mostPhase * before))
          return false;
  }
  return true;
}

ReusableDecision::ReusableDecision(const SimulationInputs &inputs, SceneDecision decision)
    : structure_(inputs.structure()), decision_(std::move(decision)), reach_(inputs.reach) {
  for (const Body &body : inputs.problem->bodies.bodies) {
    radii_.push_back(radiusOf(body));
    records_.push_back(body.records);
  }
  for (SceneDecision::Incidence &way : decision_.ways)
    way.blocks = 0; // no stop has to keep some of the poses: units have all
}

SceneDecision ReusableDecision::scaled(const SimulationInputs &inputs) const {
  const std::vector<Body> &bodies = inputs.problem->bodies.bodies;
  SceneDecision now = decision_;
  for (SceneDecision::Incidence &way : now.ways)
    for (std::size_t b = 0; b < way.parts.size(); ++b)
      if (radii_[b] > 0)
        way.parts[b].how = atScale(std::move(way.parts[b].how), radiusOf(bodies[b]) / radii_[b]);
  return now;
}

std::string ReusableDecision::target() const {
  for (const SceneDecision::Incidence &way : decision_.ways)
    for (const SceneDecision::BodyDecision &part : way.parts)
      if (!part.how.target.empty())
        return part.how.target;
  return {};
}

ReusableDecision::ReusableDecision(const Json &j)
    : structure_(j.at("structure").get<std::string>()),
      decision_(sceneDecisionFromJson(j.at("decision").get<std::string>(), "decisions")) {
  j.at("radii").get_to(radii_);
  j.at("reach").get_to(reach_);
  j.at("records").get_to(records_);
}

Json ReusableDecision::json() const {
  return {{"structure", structure_},
          {"decision", runtime::toJson(decision_)},
          {"radii", radii_},
          {"reach", reach_},
          {"records", records_}};
}

std::string DecisionStore::toJson() const {
  Json all = Json::array();
  for (const ReusableDecision &one : decisions)
    all.push_back(one.json());
  return Json{{"decisions", all}, {"whole", whole}, {"known", known}, {"turn", turn}}.dump();
}

DecisionStore DecisionStore::of(const std::string &text) {
  DecisionStore found;
  try {
    const Json j = parseJson(text);
    for (const Json &one : j.at("decisions"))
      found.decisions.emplace_back(one);
    j.at("whole").get_to(found.whole);
    j.at("known").get_to(found.known);
    j.at("turn").get_to(found.turn);
  } catch (const Json::exception &) {
    NoDecision::refuse("decisions");
  }
  return found;
}

} // namespace facet::runtime
