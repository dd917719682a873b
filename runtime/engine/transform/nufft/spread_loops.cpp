// spread_loops.cpp - the loops in which transforms spend their time, in vectors of 32 bytes.
// The window at a point is by Horner's rule for all nodes of an axis at once. Rows of nodes have
// two complex numbers a vector, or four of floats. Each even width has a function, for floats each
// multiple of four, so that rows stay in registers.
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

template <class T> struct Vectors {
  using V [[gnu::vector_size(32)]] = T;
};
template <class T> using V = typename Vectors<T>::V;
template <class T> constexpr int Lanes = 32 / sizeof(T);

template <class T> FACET_INLINE void load(V<T> &v, const T *from) {
  std::memcpy(&v, from, sizeof v);
}
template <class T> FACET_INLINE void store(T *to, const V<T> &v) { std::memcpy(to, &v, sizeof v); }

template <class T> constexpr int vectors(int nodes) { return (nodes + Lanes<T> - 1) / Lanes<T>; }

/// Calls use(0), .., use(N - 1), each written out, so that the numbers they work on stay in
/// registers.
template <class Use, int... i>
FACET_INLINE void writtenOut(std::integer_sequence<int, i...>, const Use &use) {
  (use(i), ...);
}
template <int N, class Use> FACET_INLINE void each(const Use &use) {
  writtenOut(std::make_integer_sequence<int, N>(), use);
}

FACET_INLINE void reverse(V<double> &v) { v = __builtin_shufflevector(v, v, 3, 2, 1, 0); }
FACET_INLINE void reverse(V<float> &v) {
  v = __builtin_shufflevector(v, v, 7, 6, 5, 4, 3, 2, 1, 0);
}

/// Takes each number twice, those in the first half of a vector, or the second.
FACET_INLINE void takeTwice(V<double> &v, bool second) {
  v = second ? __builtin_shufflevector(v, v, 2, 2, 3, 3)
             : __builtin_shufflevector(v, v, 0, 0, 1, 1);
}
FACET_INLINE void takeTwice(V<float> &v, bool second) {
  v = second ? __builtin_shufflevector(v, v, 4, 4, 5, 5, 6, 6, 7, 7)
             : __builtin_shufflevector(v, v, 0, 0, 1, 1, 2, 2, 3, 3);
}

/// Takes a complex number as often as there is room.
FACET_INLINE void fill(V<double> &v, double re, double im) { v = V<double>{re, im, re, im}; }
FACET_INLINE void fill(V<float> &v, float re, float im) {
  v = V<float>{re, im, re, im, re, im, re, im};
}

/// The window, and its first two derivatives by the point's place, at the nodes of an axis.
template <class T, int W, int Order> struct Weights {
  alignas(32) T at[Order + 1][Lanes<T> * vectors<T>(W)];

  /// The window is even: a node's polynomial of t is the opposite node's polynomial of -t. So sums
  /// of even and of odd powers for half of the nodes give the other half, too. Few nodes are
  /// one vector either way.
  FACET_INLINE void set(const SpreadWork<T> &w, double z) {
    const auto t = static_cast<T>(2 * z - 1);
    if constexpr (W > Lanes<T>)
      setHalves(w, t);
    else
      setAll(w, t);
  }
  FACET_INLINE void setAll(const SpreadWork<T> &w, T t) {
    V<T> p[Order + 1];
    each<Order + 1>([&](int order) FACET_INLINED { load<T>(p[order], w.coefficients[order]); });
    for (int k = 1; k <= w.degree; ++k)
      each<Order + 1>([&](int order) FACET_INLINED {
        V<T> c;
        load<T>(c, w.coefficients[order] + k * Window::Padded);
        p[order] = p[order] * t + c;
      });
    each<Order + 1>([&](int order) FACET_INLINED { store<T>(at[order], p[order]); });
  }
  FACET_INLINE void setHalves(const SpreadWork<T> &w, T t) {
    constexpr int half = vectors<T>(W / 2);
    V<T> p[2][Order + 1][half]; // 0: powers even or odd as the degree is; 1: the others
    // All sums run side by side: each is a chain of additions that wait for one another.
    const auto all = [&](const auto &use) FACET_INLINED {
      each<Order + 1>([&](int order) FACET_INLINED {
        each<half>([&](int i) FACET_INLINED { use(order, i); });
      });
    };
    const auto add = [&](int of, int k) FACET_INLINED {
      all([&](int order, int i) FACET_INLINED {
        V<T> c;
        load<T>(c, w.coefficients[order] + k * Window::Padded + Lanes<T> * i);
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
    const T first = even ? 1 : t, second = even ? t : 1;
    all([&](int order, int i) FACET_INLINED {
      const V<T> a = p[0][order][i] * first, b = p[1][order][i] * second;
      store<T>(at[order] + Lanes<T> * i, a + b);
      V<T> opposite = even == (order != 1) ? a - b : b - a; // slopes change their sign
      reverse(opposite);
      store<T>(at[order] + w.width - Lanes<T> * (i + 1), opposite);
    });
  }
  /// Takes each weight twice, for re and im.
  FACET_INLINE void twice(int order, V<T> *to) const {
    each<W / NodesTogether<T>>([&](int i) FACET_INLINED {
      load<T>(to[i], at[order] + i / 2 * Lanes<T>);
      takeTwice(to[i], i % 2 != 0);
    });
  }
};

/// The window of an axis that the grid does not have. The node that makes an odd width even keeps
/// its 0.
template <class T, int W, int Order> FACET_INLINE void setOne(Weights<T, W, Order> &weights) {
  std::memset(weights.at, 0, sizeof weights.at);
  weights.at[0][0] = 1;
}

/// The weights of a point, along all axes.
template <class T, int W, int Order> struct PointWeights {
  Weights<T, W, Order> x, y, z;
  FACET_INLINE void set(const SpreadWork<T> &w, std::int64_t i) {
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

template <class T> FACET_INLINE T *nodesAt(const SpreadWork<T> &w, std::int64_t i) {
  const Nodes<T> &n = w.nodes;
  T *at = n.values + 2 * (w.points.node[0][i] - n.first[0]);
  if (w.axes > 1)
    at += (w.points.node[1][i] - n.first[1]) * n.row;
  if (w.axes > 2)
    at += (w.points.node[2][i] - n.first[2]) * n.plane;
  return at;
}

template <class T, int W>
FACET_INLINE void spreadOf(const SpreadWork<T> &w, const std::complex<double> *const *strengths) {
  PointWeights<T, W, 0> weights;
  const int ny = w.axes > 1 ? w.width : 1, nz = w.axes > 2 ? w.width : 1;
  const std::int64_t line = w.nodes.row, plane = w.nodes.plane;
  for (std::int64_t i = 0; i < w.points.n; ++i) {
    weights.set(w, i);
    T *to = nodesAt(w, i);
    const std::int64_t from = w.points.from[i];
    constexpr int vectors = W / NodesTogether<T>;
    V<T> x[vectors];
    weights.x.twice(0, x);
    for (int k = 0; k < w.transforms; ++k, to += w.nodes.transform) {
      std::complex<double> strength = strengths[k][from];
      if constexpr (sizeof(T) < sizeof(double)) // for doubles scales are 1
        strength *= w.scales[k];
      V<T> b, row[vectors];
      fill(b, static_cast<T>(strength.real()), static_cast<T>(strength.imag()));
      each<vectors>([&](int v) FACET_INLINED { row[v] = b * x[v]; });
      for (int jz = 0; jz < nz; ++jz)
        for (int jy = 0; jy < ny; ++jy) {
          const T by = weights.z.at[0][jz] * weights.y.at[0][jy];
          T *at = to + jz * plane + jy * line;
          each<vectors>([&](int v) FACET_INLINED {
            V<T> sum;
            load<T>(sum, at + Lanes<T> * v);
            store<T>(at + Lanes<T> * v, sum + by * row[v]);
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
template <class T, int W, int Order, int Pairs>
FACET_INLINE void sumRows(const SpreadWork<T> &w, const PointWeights<T, W, Order> &weights,
                          const T *from, V<T> (&sums)[Pairs][W / NodesTogether<T>]) {
  constexpr int most = Pairs == 1   ? 8
                       : Pairs == 3 ? 4
                                    : 2,
                all = W / NodesTogether<T>, parts = (all + most - 1) / most,
                some = (all + parts - 1) / parts;
  const int ny = w.axes > 1 ? w.width : 1, nz = w.axes > 2 ? w.width : 1;
  each<parts>([&](int part) FACET_INLINED {
    V<T> own[Pairs][some]{};
    for (int jz = 0; jz < nz; ++jz)
      for (int jy = 0; jy < ny; ++jy) {
        const T *at = from + jz * w.nodes.plane + jy * w.nodes.row;
        T by[Pairs];
        each<Pairs>([&](int p) FACET_INLINED {
          by[p] = weights.y.at[PairsOf[p][0]][jy];
          if constexpr (Pairs != 3) // of two axes
            by[p] *= weights.z.at[PairsOf[p][1]][jz];
        });
        each<some>([&](int v) FACET_INLINED {
          if (part * some + v >= all)
            return;
          V<T> node;
          load<T>(node, at + Lanes<T> * (part * some + v));
          each<Pairs>([&](int p) FACET_INLINED { own[p][v] += by[p] * node; });
        });
      }
    each<some>([&](int v) FACET_INLINED {
      if (part * some + v < all)
        each<Pairs>([&](int p) FACET_INLINED { sums[p][part * some + v] = own[p][v]; });
    });
  });
}

/// Sums over rows, then along x.
template <class T, int W, int Order, int Pairs>
FACET_INLINE void interpolateOf(const SpreadWork<T> &w, const Orders *derivatives, int count,
                                std::complex<double> *const *values) {
  constexpr int vectors = W / NodesTogether<T>;
  PointWeights<T, W, Order> weights;
  std::array<int, 16> pair{}, order{};
  for (int d = 0; d < count; ++d)
    pair[d] = pairOf(derivatives[d]), order[d] = derivatives[d][0];
  for (std::int64_t i = 0; i < w.points.n; ++i) {
    weights.set(w, i);
    const T *from = nodesAt(w, i);
    const std::int64_t to = w.points.from[i];
    V<T> x[Order + 1][vectors];
    for (int o = 0; o <= Order; ++o)
      weights.x.twice(o, x[o]);
    for (int k = 0; k < w.transforms; ++k, from += w.nodes.transform) {
      V<T> sums[Pairs][vectors];
      sumRows<T, W, Order, Pairs>(w, weights, from, sums);
      for (int d = 0; d < count; ++d) {
        V<T> sum{};
        each<vectors>([&](int v) FACET_INLINED { sum += sums[pair[d]][v] * x[order[d]][v]; });
        T re = sum[0], im = sum[1];
        each<NodesTogether<T> - 1>([&](int v) FACET_INLINED {
          re += sum[2 * v + 2];
          im += sum[2 * v + 3];
        });
        values[k * count + d][to] = {re, im};
      }
    }
  }
}

// A function for each width W: of values alone, and of derivatives in one, two, three dimensions.
#define FACET_VALUES(T, W)                                                                         \
  FACET_CLONES_V3 void T##Spread##W(const SpreadWork<T> &w,                                        \
                                    const std::complex<double> *const *strengths) {                \
    spreadOf<T, W>(w, strengths);                                                                  \
  }                                                                                                \
  FACET_CLONES_V3 void T##Value##W(const SpreadWork<T> &w, const Orders *d, int count,             \
                                   std::complex<double> *const *values) {                          \
    interpolateOf<T, W, 0, 1>(w, d, count, values);                                                \
  }
#define FACET_SLOPES(W, axes, pairs)                                                               \
  FACET_CLONES_V3 void slopes##axes##_##W(const SpreadWork<double> &w, const Orders *d, int count, \
                                          std::complex<double> *const *values) {                   \
    interpolateOf<double, W, 2, pairs>(w, d, count, values);                                       \
  }
#define FACET_WIDTH(W)                                                                             \
  FACET_VALUES(double, W)                                                                          \
  FACET_SLOPES(W, 1, 1)                                                                            \
  FACET_SLOPES(W, 2, 3)                                                                            \
  FACET_SLOPES(W, 3, 6)
FACET_WIDTH(2)
FACET_WIDTH(4)
FACET_WIDTH(6)
FACET_WIDTH(8)
FACET_WIDTH(10)
FACET_WIDTH(12)
FACET_WIDTH(14)
FACET_WIDTH(16)
FACET_VALUES(float, 4)
FACET_VALUES(float, 8)
FACET_VALUES(float, 12)
FACET_VALUES(float, 16)
#undef FACET_WIDTH
#undef FACET_SLOPES
#undef FACET_VALUES

#define FACET_WIDTHS(f) {f##2, f##4, f##6, f##8, f##10, f##12, f##14, f##16}
#define FACET_FOURS(f) {f##4, f##8, f##12, f##16}
template <class T> using Spread = void(const SpreadWork<T> &, const std::complex<double> *const *);
template <class T>
using Interpolate = void(const SpreadWork<T> &, const Orders *, int, std::complex<double> *const *);
constexpr int Widths = Window::Widest / 2, Fours = Window::Widest / 4;
constexpr std::array<Spread<double> *, Widths> spreads FACET_WIDTHS(doubleSpread);
constexpr std::array<Spread<float> *, Fours> spreadsOfFloats FACET_FOURS(floatSpread);
constexpr std::array<std::array<Interpolate<double> *, Widths>, 4> interpolations{
    {FACET_WIDTHS(doubleValue), FACET_WIDTHS(slopes1_), FACET_WIDTHS(slopes2_),
     FACET_WIDTHS(slopes3_)}};
constexpr std::array<Interpolate<float> *, Fours> interpolationsOfFloats FACET_FOURS(floatValue);
#undef FACET_FOURS
#undef FACET_WIDTHS

constexpr Orders valueAlone{};

} // namespace

void spreadPoints(const SpreadWork<double> &work, const std::complex<double> *const *strengths) {
  spreads[(work.width - 1) / 2](work, strengths);
}
void spreadPoints(const SpreadWork<float> &work, const std::complex<double> *const *strengths) {
  spreadsOfFloats[(work.width - 1) / 4](work, strengths);
}

void interpolatePoints(const SpreadWork<double> &work, const Orders *derivatives, int count,
                       std::complex<double> *const *values) {
  const bool alone = count == 0;
  // Derivatives along x are sums over the same rows as the value.
  const bool along = std::all_of(derivatives, derivatives + count,
                                 [](const Orders &o) { return o[1] == 0 && o[2] == 0; });
  const int kind = alone ? 0 : along ? 1 : work.axes;
  interpolations[kind][(work.width - 1) / 2](work, alone ? &valueAlone : derivatives,
                                             alone ? 1 : count, values);
}
void interpolatePoints(const SpreadWork<float> &work, const Orders *, int,
                       std::complex<double> *const *values) {
  interpolationsOfFloats[(work.width - 1) / 4](work, &valueAlone, 1, values);
}

} // namespace facet::runtime
