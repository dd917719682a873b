// cases.h - a grid of each kind, with what its layout says.
#pragma once
#include "direct.h"

namespace facet::runtime::test {

struct Case {
  const char *name;
  Grid grid;
  const char *text; // part of the layout's text
};

inline std::vector<Case> cases() {
  const auto one = [](double q) { return linspace(q, q, 1); };
  const Grid planar = productGrid(one(0.1), linspace(-2, 2, 40), linspace(0, 2, 30));
  const Grid solid = productGrid(linspace(-1, 1, 70), linspace(-2, 2, 12), linspace(0, 2, 15));
  const Grid rough = productGrid(one(0.1), irregular(-2, 2, 130), linspace(0, 2, 130));
  Axis descending = linspace(2, -1.5, 75);
  const Axis constant = withImaginary(one(0.1), one(0.02));
  const Axis varying = withImaginary(linspace(0, 2, 70), linspace(0, 0.02, 70));
  return {
      {"plane", planar, "type 1, 2-D, 40 x 30"},
      {"line", productGrid(one(0.1), one(0), linspace(0, 2, 300)), "type 1, 1-D, 300"},
      {"odd", productGrid(one(0), linspace(-2, 2, 67), linspace(-1, 3, 65)), "67 x 65"},
      {"solid", solid, ""},
      {"descending", productGrid(one(0), descending, linspace(1, 0, 65)), "75 x 65"},
      {"folded middle axis", productGrid(linspace(0, 1, 66), one(-0.3), linspace(0, 1, 70)),
       "66 x 70"},
      {"irregular", rough, "type 3"},
      {"irregular solid", productGrid(irregular(-2, 2, 70), irregular(-2, 2, 9), one(0.1)),
       "type 3"},
      {"list", listGrid(planar, 700), "type 3, 2-D, 700 q"},
      {"list in space", listGrid(solid, 700), "type 3, 3-D, 700 q"},
      {"list on a line", listGrid(productGrid(one(0.1), one(0), linspace(0, 2, 30)), 5000), ""},
      {"one q", productGrid(one(0.1), one(-0.7), one(0.4)), "plain sums"},
      {"list of one q", listGrid(planar, 1), "plain sums"},
      {"three values", productGrid(irregular(-1, 1, 3), linspace(-2, 2, 40), linspace(0, 2, 70)),
       "3 values of q.x"},
      {"thin", productGrid(linspace(-0.01, 0.012, 70), linspace(-2, 2, 70), linspace(0, 2, 70)),
       "nodes of q.x"},
      {"thin list",
       listGrid(productGrid(linspace(-0.01, 0.012, 70), linspace(-2, 2, 70), linspace(0, 2, 70)),
                4000),
       "nodes of q.x"},
      {"constant imaginary parts",
       productGrid(constant, withImaginary(linspace(-2, 2, 66), linspace(0.01, 0.01, 66)),
                   linspace(0, 2, 70)),
       "66 x 70"},
      {"varying Im q.z", productGrid(constant, linspace(-2, 2, 66), varying), "nodes of Im q.z"},
      {"varying Im q.y", productGrid(one(0.1), varying, linspace(-1, 1, 70)), "of Im q.y"},
      {"varying Im of a list", listGrid(productGrid(one(0.1), linspace(-2, 2, 66), varying), 500),
       "nodes of Im q.z"},
      {"varying Im q.y and Im q.z", productGrid(constant, varying, varying), "of Im q.z"},
      {"varying Im q.y and Im q.z of a list",
       listGrid(productGrid(constant, varying, varying), 500), "nodes of Im q.y"},
      {"thin with varying Im",
       productGrid(linspace(-0.01, 0.012, 70), linspace(-2, 2, 70), varying), "of Im q.z"},
      {"thin list with varying Im",
       listGrid(productGrid(linspace(-0.01, 0.012, 70), linspace(-2, 2, 70), varying), 3000),
       "of Im q.z"},
      {"evanescent",
       productGrid(one(0), linspace(-2, 2, 66),
                   withImaginary(linspace(0, 2, 100), linspace(0, 60 / 20.0, 100))),
       "bands"},
      {"evanescent list",
       listGrid(productGrid(one(0), linspace(-2, 2, 66),
                            withImaginary(linspace(0, 2, 100), linspace(-1, 60 / 20.0, 100))),
                900),
       "bands"},
  };
}

} // namespace facet::runtime::test
