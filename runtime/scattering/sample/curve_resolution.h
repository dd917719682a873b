// curve_resolution.h - the resolution of a curve: a matrix of weights that makes the curve as it is
// measured of I at other, finer q.
//
// Pinhole: I_s(q) is the mean of I(|q + sigma t|) over a Gaussian in t, cut at -2.5 and 3 and
// normalised, as sasmodels 1.1.0 has it (J. G. Barker, J. S. Pedersen, J. Appl. Cryst. 28 (1995)
// 105). Slit: the mean of I(sqrt((q + w a)^2 + (l b)^2)) over a in [-1, 1] and b in [0, 1]. An
// infinite slit: the integral over l b from 0 on in place of the mean. F is taken up to an end;
// beyond it I is A q^-4, as of sharp surfaces (G. Porod, Kolloid-Z. 124 (1951) 83), A the mean of I
// q^4 before it by a window that is smooth, since I oscillates. The error that is stated has the
// difference to a window a width before.
//
// I oscillates no faster than cos(2 q R), R half the largest distance within the particle. So the q
// that are needed are cut into panels of R h <= 3, with Gauss-Legendre nodes, as many as the
// polynomial through them needs. What is integrated is that polynomial. The error that is stated is
// the difference to the polynomial of two terms fewer.
#pragma once
#include "runtime/scattering/sample/orientation.h"
#include <facet/runtime/curve.h>
#include <functional>
#include <map>
#include <utility>

namespace facet::runtime {

class CurveResolution {
public:
  /// `q`: of the curve, nm^-1; `radius`: R, nm, made larger to one of a few values, so that steps
  /// of a fit have the same nodes; `accuracy`: of the contract.
  CurveResolution(std::vector<double> q, const Resolution &by, double radius, double accuracy);

  const std::vector<double> &q() const { return q_; }   // of the curve
  const std::vector<double> &at() const { return at_; } // at which I is needed, ascending
  /// What is made of values at at().
  std::vector<double> of(const std::vector<double> &values) const;
  Curve of(const Curve &curve) const;
  /// dL by values at at(), from dL by what is made of them.
  std::vector<double> pull(const std::vector<double> &cotangent) const;

private:
  struct Panel {
    double low, high;
    std::size_t first;     // of at_
    const GaussRule *rule; // of its nodes
  };
  /// Weights of consecutive values.
  struct Row {
    std::size_t first = 0;
    std::vector<double> weights, last; // last: what the last two terms of polynomials have of them
    std::size_t firstOfTail = 0;
    std::vector<double> tail; // of an infinite slit: the difference to another window
  };
  using UseNode = std::function<void(double q, double weight)>;

  std::pair<double, double> support(std::size_t i) const;
  void setPanels(double radius, double accuracy);
  void addPanels(double low, double high, double radius, double accuracy);
  const Panel &panelAt(double q) const;
  std::vector<double> breaks(double from, double to, double q, double width) const;
  void eachNode(std::size_t i, const UseNode &use) const;
  void pinhole(std::size_t i, const UseNode &use) const;
  void slit(std::size_t i, const UseNode &use) const;
  void alongSlit(double y, double weight, double length, const UseNode &use) const;
  void beyondEnd(double y, double weight, double from, const UseNode &use) const;
  void eachOfTail(std::size_t i, const UseNode &use) const;
  Row rowOf(const std::function<void(const UseNode &)> &each) const;
  Row rowOf(std::size_t i) const;
  double sigma(std::size_t i) const;

  std::vector<double> q_, at_;
  double end_ = 0, window_ = 0; // of an infinite slit: where Porod's law begins; before it
  Resolution by_;
  std::map<int, GaussRule> rules_; // by number of nodes; stay where they are
  std::vector<Panel> panels_;
  std::vector<Row> rows_;
};

} // namespace facet::runtime
