// directions.h - the directions of q that a curve is averaged over: those of a rule, and those of
// its partner, whose difference is the stated error.
#pragma once
#include "runtime/scattering/sample/sphere_rule.h"
#include <optional>

namespace facet::runtime {

inline constexpr const char *directionsHelp =
    "\"symmetry\" where the mesh has one, \"revolution\" for a body of revolution about z; else "
    "unit vectors with their weights, which "
    "sum to 1: directions = [[[0, 0, 1], [1, 0, 0]], [0.4, 0.6]]";
/// Throws Error as Python's CurveModel does: unit vectors and weights that sum to 1, to 1e-9.
void check(const CurveDirections &directions);

/// Directions for spheres of one order. Those of the whole sphere are gaussDirection(). A body of
/// revolution has |F|^2 of the angle to its axis alone: Gauss-Legendre in its cosine does, of the
/// same order. Azimuths turn by the golden angle from one to the next, and others in the partner,
/// so that the difference tells what is no such body. Where symmetry is asked for, a
/// body with a point group takes the directions of a SphereRule. The partner of a list is every
/// second of it; one direction alone has none, and all of I is uncertain.
class Directions {
public:
  Directions(const CurveDirections &wanted, int order, int partnerOrder, bool half,
             const PointGroup &group = {});
  std::int64_t ofRule() const { return rules_; }
  std::int64_t count() const { return rules_ + partners_; }
  /// The rule's come first.
  Direction at(std::int64_t i) const;
  double weight(std::int64_t i) const; // the same as of at(i)
  /// Its weight in the partner.
  double inPartner(std::int64_t i) const;

private:
  struct RuleNode {
    const GaussRule &rule;
    std::int64_t number;
    bool first; // of the rule, not of the partner
  };
  const SphereRule &reduced(std::int64_t i) const {
    return i < rules_ ? *reduced_ : *reducedPartner_;
  }
  RuleNode node(std::int64_t i) const {
    return i < rules_ ? RuleNode{rule_, i, true} : RuleNode{partner_, i - rules_, false};
  }
  void setHalf();

  CurveDirections wanted_;
  bool half_;
  std::optional<SphereRule> reduced_, reducedPartner_; // by a point group; else
  GaussRule rule_, partner_;
  std::int64_t rules_ = 0, partners_ = 0;
  std::vector<double> halves_; // weights of a list in its partner
};

} // namespace facet::runtime
