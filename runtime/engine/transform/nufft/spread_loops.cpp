// spread_loops.cpp - the loops in which transforms spend their time, in vectors of four numbers.
// The window at a point is by Horner's rule for all nodes of an axis at once. Rows of nodes have
// two complex numbers a vector. Each even width has a function, so that rows stay in registers.
#include "runtime/engine/transform/nufft/spread_loops.h"
#include "runtime/engine/transform/nufft/clones.h"
#include "runtime/engine/transform/nufft/window.h"
#include <algorithm>
#include <cstring>
#include <utility>

#define FACET_INLINE [[gnu::always_inline]] inline
#define FACET_INLINED __attribute__((always_inline))

namespace facet::runtime {
namespace {

using V4 = double __attribute__((vector_size(32)));

FACET_INLINE void load(V4 &v, const double *from) { std::memcpy(&v, from, sizeof v); }
FACET_INLINE void store(double *to, const V4 &v) { std::memcpy(to, &v, sizeof v); }

constexpr int vectors(int nodes) { return (nodes + 3) / 4; }

/// Calls use(0), .., use(N - 1), each written out, so that the numbers they work on stay in
/// registers.
template <class Use, int... i>
FACET_INLINE void writtenOut(std::integer_sequence<int, i...>, const Use &use) {
  (use(i), ...);
}
template <int N, class Use> FACET_INLINE void each(const Use &use) {
  writtenOut(std::make_integer_sequence<int, N>(), use);
}

FACET_INLINE void reverse(V4 &v) { v = V4{v[3], v[2], v[1], v[0]}; }

/// The window, and its first two derivatives by the point's place, at the nodes of an axis.
template <int W, int Order> struct Weights {
  alignas(32) double at[Order + 1][4 * vectors(W)];

  /// The window is even: a node's polynomial of t is the opposite node's polynomial of -t. So sums
  /// of even and of odd powers for half of the nodes give the other half, too. Two nodes, or four,
  /// are one vector either way.
  FACET_INLINE void set(const SpreadWork &w, double z) {
    const double t = 2 * z - 1;
    if constexpr (W > 4)
      setHalves(w, t);
    else
      setAll(w, t);
  }
  FACET_INLINE void setAll(const SpreadWork &w, double t) {
    V4 p[Order + 1];
    each<Order + 1>([&](int order) FACET_INLINED { load(p[order], w.coefficients[order]); });
    for (int k = 1; k <= w.degree; ++k)
      each<Order + 1>([&](int order) FACET_INLINED {
        V4 c;
        load(c, w.coefficients[order] + k * Window::Padded);
        p[order] = p[order] * t + c;
      });
    each<Order + 1>([&](int order) FACET_INLINED { store(at[order], p[order]); });
  }
  FACET_INLINE void setHalves(const SpreadWork &w, double t) {
    constexpr int half = vectors(W / 2);
    V4 p[2][Order + 1][half]; // 0: powers even or odd as the degree is; 1: the others
    // All sums run side by side: each is a chain of additions that wait for one another.
    const auto all = [&](const auto &use) FACET_INLINED {
      each<Order + 1>([&](int order) FACET_INLINED {
        each<half>([&](int i) FACET_INLINED { use(order, i); });
      });
    };
    const auto add = [&](int of, int k) FACET_INLINED {
      all([&](int order, int i) FACET_INLINED {
        V4 c;
        load(c, w.coefficients[order] + k * Window::Padded + 4 * i);
        p[of][order][i] = k < 2 ? c : p[of][order][i] * (t * t) + c;
      });
    };
    add(0, 0);
    add(1, 1);
    for (int k = 2; k < w.degree; k += 2) {
      add(0, k);
      add(1, k + 1);
    }
    const bool even = w.degree % 2 == 0;
    if (even)
      add(0, w.degree);
    const double first = even ? 1 : t, second = even ? t : 1;
    all([&](int order, int i) FACET_INLINED {
      const V4 a = p[0][order][i] * first, b = p[1][order][i] * second;
      store(at[order] + 4 * i, a + b);
      V4 opposite = even == (order != 1) ? a - b : b - a; // slopes change their sign
      reverse(opposite);
      store(at[order] + w.width - 4 * (i + 1), opposite);
    });
  }
  /// Takes each weight twice, for re and im.
  FACET_INLINE void twice(int order, V4 *to) const {
    each<W / 2>([&](int i) FACET_INLINED {
      const double a = at[order][2 * i], b = at[order][2 * i + 1];
      const double both[4]{a, a, b, b};
      load(to[i], both);
    });
  }
};

/// The window of an axis that the grid does not have. The node that makes an odd width even keeps
/// its 0.
template <int W, int Order> FACET_INLINE void setOne(Weights<W, Order> &weights) {
  std::memset(weights.at, 0, sizeof weights.at);
  weights.at[0][0] = 1;
}

/// The weights of a point, along all axes.
template <int W, int Order> struct PointWeights {
  Weights<W, Order> x, y, z;
  FACET_INLINE void set(const SpreadWork &w, std::int64_t i) {
    x.set(w, w.points.z[0][i]);
    if (w.axes > 1)
      y.set(w, w.points.z[1][i]);
    if (w.axes > 2)
      z.set(w, w.points.z[2][i]);
  }
  FACET_INLINE PointWeights() {
    setOne(x);
    setOne(y);
    setOne(z);
  }
};

FACET_INLINE double *nodesAt(const SpreadWork &w, std::int64_t i) {
  const Nodes &n = w.nodes;
  double *at = n.values + 2 * (w.points.node[0][i] - n.first[0]);
  if (w.axes > 1)
    at += (w.points.node[1][i] - n.first[1]) * n.row;
  if (w.axes > 2)
    at += (w.points.node[2][i] - n.first[2]) * n.plane;
  return at;
}

template <int W>
FACET_INLINE void spreadOf(const SpreadWork &w, const std::complex<double> *const *strengths) {
  PointWeights<W, 0> weights;
  const int ny = w.axes > 1 ? w.width : 1, nz = w.axes > 2 ? w.width : 1;
  const std::int64_t line = w.nodes.row, plane = w.nodes.plane;
  for (std::int64_t i = 0; i < w.points.n; ++i) {
    weights.set(w, i);
    double *to = nodesAt(w, i);
    const std::int64_t from = w.points.from[i];
    V4 x[W / 2];
    weights.x.twice(0, x);
    for (int k = 0; k < w.transforms; ++k, to += w.nodes.transform) {
      const double re = strengths[k][from].real(), im = strengths[k][from].imag();
      const V4 b{re, im, re, im};
      V4 row[W / 2];
      each<W / 2>([&](int v) FACET_INLINED { row[v] = b * x[v]; });
      for (int jz = 0; jz < nz; ++jz)
        for (int jy = 0; jy < ny; ++jy) {
          const double by = weights.z.at[0][jz] * weights.y.at[0][jy];
          double *at = to + jz * plane + jy * line;
          each<W / 2>([&](int v) FACET_INLINED {
            V4 sum;
            load(sum, at + 4 * v);
            store(at + 4 * v, sum + by * row[v]);
          });
        }
    }
  }
}

/// Orders of y and z that derivatives need, for one, two, three axes: 1, 3, 6 of them.
constexpr std::array<std::array<int, 2>, 6> PairsOf{
    {{0, 0}, {1, 0}, {2, 0}, {0, 1}, {1, 1}, {0, 2}}};

FACET_INLINE int pairOf(const Orders &orders) {
  for (int p = 0; p < static_cast<int>(PairsOf.size()); ++p)
    if (PairsOf[p][0] == orders[1] && PairsOf[p][1] == orders[2])
      return p;
  return 0;
}

/// Sums over rows for each of `Pairs` orders of y and z, for as many nodes at a time as registers
/// can hold the sums of.
template <int W, int Order, int Pairs>
FACET_INLINE void sumRows(const SpreadWork &w, const PointWeights<W, Order> &weights,
                          const double *from, V4 (&sums)[Pairs][W / 2]) {
  constexpr int most = Pairs == 1   ? 8
                       : Pairs == 3 ? 4
                                    : 2,
                parts = (W / 2 + most - 1) / most, some = (W / 2 + parts - 1) / parts;
  const int ny = w.axes > 1 ? w.width : 1, nz = w.axes > 2 ? w.width : 1;
  each<parts>([&](int part) FACET_INLINED {
    V4 own[Pairs][some]{};
    for (int jz = 0; jz < nz; ++jz)
      for (int jy = 0; jy < ny; ++jy) {
        const double *at = from + jz * w.nodes.plane + jy * w.nodes.row;
        double by[Pairs];
        each<Pairs>([&](int p) FACET_INLINED {
          by[p] = weights.y.at[PairsOf[p][0]][jy];
          if constexpr (Pairs != 3) // of two axes
            by[p] *= weights.z.at[PairsOf[p][1]][jz];
        });
        each<some>([&](int v) FACET_INLINED {
          if (part * some + v >= W / 2)
            return;
          V4 node;
          load(node, at + 4 * (part * some + v));
          each<Pairs>([&](int p) FACET_INLINED { own[p][v] += by[p] * node; });
        });
      }
    each<some>([&](int v) FACET_INLINED {
      if (part * some + v < W / 2)
        each<Pairs>([&](int p) FACET_INLINED { sums[p][part * some + v] = own[p][v]; });
    });
  });
}

/// Sums over rows, then along x.
template <int W, int Order, int Pairs>
FACET_INLINE void interpolateOf(const SpreadWork &w, const Orders *derivatives, int count,
                                std::complex<double> *const *values) {
  PointWeights<W, Order> weights;
  std::array<int, 16> pair{}, order{};
  for (int d = 0; d < count; ++d)
    pair[d] = pairOf(derivatives[d]), order[d] = derivatives[d][0];
  for (std::int64_t i = 0; i < w.points.n; ++i) {
    weights.set(w, i);
    const double *from = nodesAt(w, i);
    const std::int64_t to = w.points.from[i];
    V4 x[Order + 1][W / 2];
    for (int o = 0; o <= Order; ++o)
      weights.x.twice(o, x[o]);
    for (int k = 0; k < w.transforms; ++k, from += w.nodes.transform) {
      V4 sums[Pairs][W / 2];
      sumRows<W, Order, Pairs>(w, weights, from, sums);
      for (int d = 0; d < count; ++d) {
        V4 sum{};
        each<W / 2>([&](int v) FACET_INLINED { sum += sums[pair[d]][v] * x[order[d]][v]; });
        values[k * count + d][to] = {sum[0] + sum[2], sum[1] + sum[3]};
      }
    }
  }
}

// A function for each even width W.
#define FACET_WIDTH(W)                                                                             \
  FACET_CLONES_V3 void spread##W(const SpreadWork &w,                                              \
                                 const std::complex<double> *const *strengths) {                   \
    spreadOf<W>(w, strengths);                                                                     \
  }                                                                                                \
  FACET_CLONES_V3 void value##W(const SpreadWork &w, const Orders *d, int count,                   \
                                std::complex<double> *const *values) {                             \
    interpolateOf<W, 0, 1>(w, d, count, values);                                                   \
  }                                                                                                \
  FACET_CLONES_V3 void slopes1_##W(const SpreadWork &w, const Orders *d, int count,                \
                                   std::complex<double> *const *values) {                          \
    interpolateOf<W, 2, 1>(w, d, count, values);                                                   \
  }                                                                                                \
  FACET_CLONES_V3 void slopes2_##W(const SpreadWork &w, const Orders *d, int count,                \
                                   std::complex<double> *const *values) {                          \
    interpolateOf<W, 2, 3>(w, d, count, values);                                                   \
  }                                                                                                \
  FACET_CLONES_V3 void slopes3_##W(const SpreadWork &w, const Orders *d, int count,                \
                                   std::complex<double> *const *values) {                          \
    interpolateOf<W, 2, 6>(w, d, count, values);                                                   \
  }
FACET_WIDTH(2)
FACET_WIDTH(4)
FACET_WIDTH(6)
FACET_WIDTH(8)
FACET_WIDTH(10)
FACET_WIDTH(12)
FACET_WIDTH(14)
FACET_WIDTH(16)
#undef FACET_WIDTH

#define FACET_WIDTHS(f) {f##2, f##4, f##6, f##8, f##10, f##12, f##14, f##16}
using Spread = void(const SpreadWork &, const std::complex<double> *const *);
using Interpolate = void(const SpreadWork &, const Orders *, int, std::complex<double> *const *);
constexpr int Widths = Window::Widest / 2;
constexpr std::array<Spread *, Widths> spreads FACET_WIDTHS(spread);
constexpr std::array<std::array<Interpolate *, Widths>, 4> interpolations{
    {FACET_WIDTHS(value), FACET_WIDTHS(slopes1_), FACET_WIDTHS(slopes2_), FACET_WIDTHS(slopes3_)}};
#undef FACET_WIDTHS

} // namespace

void spreadPoints(const SpreadWork &work, const std::complex<double> *const *strengths) {
  spreads[(work.width - 1) / 2](work, strengths);
}

void interpolatePoints(const SpreadWork &work, const Orders *derivatives, int count,
                       std::complex<double> *const *values) {
  constexpr Orders none{};
  const bool alone = count == 0;
  // Derivatives along x are sums over the same rows as the value.
  const bool along = std::all_of(derivatives, derivatives + count,
                                 [](const Orders &o) { return o[1] == 0 && o[2] == 0; });
  const int kind = alone ? 0 : along ? 1 : work.axes;
  interpolations[kind][(work.width - 1) / 2](work, alone ? &none : derivatives, alone ? 1 : count,
                                             values);
}

} // namespace facet::runtime
