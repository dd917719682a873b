// value_at_risk.cpp - what a portfolio is worth on many markets: no wave, a plain sum over
// positions.
#include <facet/dsl.h>
using namespace facet;

/// A position: stocks follow the index; a foreign bond pays once, and what it is worth today is in
/// a foreign currency.
struct Position {
  real amount;  // of the index; of a bond, what it pays, in its currency
  real foreign; // 0: stocks, 1: a foreign bond
  real years;   // until a bond pays
};

/// Worth of the positions on a market q = (index, rate of exchange, foreign rate of interest a
/// year): Monte Carlo Value at Risk is a quantile of it over the markets.
struct FACET_KERNEL value_at_risk {
  using Grid = points<real, real, real>;
  static real term(Grid::q q, const Position &t) {
    return t.amount * (t.foreign > 0 ? q.y * exp(-q.z * t.years) : q.x);
  }
  static real finish(Grid::q, real sum) { return sum; }
};
