// rules.cpp - the nodes of each rule from the orbits of rules.def.
#include "runtime/quadrature/rules.h"

namespace facet::runtime {
namespace {

struct Table {
  std::vector<Rule> rules;

  void rule(int degree, std::size_t nodes) {
    rules.push_back({degree, {}});
    rules.back().nodes.reserve(nodes);
  }
  void node(double w, double a, double b, double c) {
    rules.back().nodes.push_back({w, {a, b, c}});
  }
  void orbit1(double w) { node(w, 1.0 / 3, 1.0 / 3, 1.0 / 3); }
  void orbit3(double w, double a) {
    const double c = 1 - 2 * a;
    node(w, c, a, a), node(w, a, c, a), node(w, a, a, c);
  }
  void turns3(double w, double a, double b) {
    const double c = 1 - a - b;
    node(w, a, b, c), node(w, b, c, a), node(w, c, a, b);
  }
  void orbit6(double w, double a, double b) { turns3(w, a, b), turns3(w, b, a); }
};

std::vector<Rule> makeRules() {
  Table table;
#define FACET_RULE(degree, nodes) table.rule(degree, nodes);
#define FACET_ORBIT1(w) table.orbit1(w);
#define FACET_ORBIT3(w, a) table.orbit3(w, a);
#define FACET_ORBIT6(w, a, b) table.orbit6(w, a, b);
#define FACET_TURNS3(w, a, b) table.turns3(w, a, b);
#include "rules.def"
  return std::move(table.rules);
}

} // namespace

std::span<const Rule> rules() {
  static const std::vector<Rule> all = makeRules();
  return all;
}

} // namespace facet::runtime
