// spread_rows.h - vectors of numbers, the window at a point, and the rows of nodes under it: what
// the loops of spread_loops.cpp are made of. Included there alone.
#pragma once
#include "runtime/engine/transform/nufft/spread_loops.h"
#include "runtime/engine/transform/nufft/window.h"
#include <algorithm>
#include <cstring>
#include <type_traits>
#include <utility>

#define FACET_INLINE [[gnu::always_inline]] inline
#define FACET_INLINED __attribute__((always_inline))

namespace facet::runtime {
namespace {

constexpr int Short = 32, Long = 64; // bytes of a vector

template <class T, int Bytes> struct Vectors {
  using V [[gnu::vector_size(Bytes)]] = T;
};
template <class T, int Bytes = Short> using V = typename Vectors<T, Bytes>::V;
template <class T, int Bytes> constexpr int Lanes = Bytes / sizeof(T);

template <class Vector, class T> FACET_INLINE void load(Vector &v, const T *from) {
  std::memcpy(&v, from, sizeof v);
}
template <class Vector, class T> FACET_INLINE void store(T *to, const Vector &v) {
  std::memcpy(to, &v, sizeof v);
}

/// How many nodes a row has for a window of a width.
template <class T> constexpr int rowOf(int width) {
  constexpr int some = NodesTogether<T>;
  return (width + some - 1) / some * some;
}

/// Calls use(0), .., use(N - 1), each written out, so that the numbers they work on stay in
/// registers.
template <class Use, int... i>
FACET_INLINE void writtenOut(std::integer_sequence<int, i...>, const Use &use) {
  (use(i), ...);
}
template <int N, class Use> FACET_INLINE void each(const Use &use) {
  writtenOut(std::make_integer_sequence<int, N>(), use);
}

template <class T, int Bytes> using EachLane = std::make_integer_sequence<int, Lanes<T, Bytes>>;

template <class T, int Bytes, int... i>
FACET_INLINE void reverse(V<T, Bytes> &v, std::integer_sequence<int, i...> /*lanes*/) {
  v = __builtin_shufflevector(v, v, (Lanes<T, Bytes> - 1 - i)...);
}
/// Takes each number twice, for re and im.
template <class T, int Bytes, int... i>
FACET_INLINE void takeTwice(const V<T, Bytes / 2> &from, V<T, Bytes> &to,
                            std::integer_sequence<int, i...> /*lanes*/) {
  to = __builtin_shufflevector(from, from, (i / 2)...);
}
/// Takes a complex number as often as there is room.
template <class T, int Bytes, int... i>
FACET_INLINE void fill(V<T, Bytes> &v, T re, T im, std::integer_sequence<int, i...> /*lanes*/) {
  const V<T, 16> one{re, im};
  v = __builtin_shufflevector(one, one, (i % 2)...);
}
template <class T, int Bytes> FACET_INLINE void repeat(T number, V<T, Bytes> &to) {
  to = number + V<T, Bytes>{};
}
/// Takes the first numbers.
template <class T, int Bytes, int... i>
FACET_INLINE void takeFirst(const V<T, Bytes> &from, V<T, Short> &to,
                            std::integer_sequence<int, i...> /*lanes of `to`*/) {
  to = __builtin_shufflevector(from, from, i...);
}
/// Adds the second half of a vector to the first.
template <class T, int Bytes, int... i>
FACET_INLINE void addHalves(const V<T, Bytes> &from, V<T, Bytes / 2> &to,
                            std::integer_sequence<int, i...> /*lanes of `to`*/) {
  to = __builtin_shufflevector(from, from, i...) +
       __builtin_shufflevector(from, from, (i + Lanes<T, Bytes / 2>)...);
}
/// Adds complex numbers to re and im.
template <class T, int Bytes> FACET_INLINE void addAll(const V<T, Bytes> &v, T &re, T &im) {
  if constexpr (Bytes > 16) {
    V<T, Bytes / 2> half;
    addHalves<T, Bytes>(v, half, EachLane<T, Bytes / 2>());
    addAll<T, Bytes / 2>(half, re, im);
  } else {
    each<Lanes<T, Bytes> / 2>([&](int i) FACET_INLINED { re += v[2 * i], im += v[2 * i + 1]; });
  }
}

/// The window, and its first two derivatives by the point's place, at the nodes of an axis.
template <class T, int W, int Order, int Bytes> struct Weights {
  using Vector = V<T, Bytes>;
  static constexpr int Some = Lanes<T, Bytes>;
  static constexpr int vectors(int nodes) { return (nodes + Some - 1) / Some; }
  alignas(Bytes) T at[Order + 1][Some * vectors(W)];

  /// The window is even: a node's polynomial of t is the opposite node's polynomial of -t. So sums
  /// of even and of odd powers for half of the nodes give the other half, too. Few nodes are
  /// one vector either way.
  FACET_INLINE void set(const SpreadWork<T> &w, double z) {
    const auto t = static_cast<T>(2 * z - 1);
    if constexpr (W > Some)
      setHalves(w, t);
    else
      setAll(w, t);
  }
  FACET_INLINE void setAll(const SpreadWork<T> &w, T t) {
    Vector p[Order + 1];
    each<Order + 1>([&](int order) FACET_INLINED { load(p[order], w.coefficients[order]); });
    for (int k = 1; k <= w.degree; ++k)
      each<Order + 1>([&](int order) FACET_INLINED {
        Vector c;
        load(c, w.coefficients[order] + k * Window::Padded);
        p[order] = p[order] * t + c;
      });
    each<Order + 1>([&](int order) FACET_INLINED { store(at[order], p[order]); });
  }
  FACET_INLINE void setHalves(const SpreadWork<T> &w, T t) {
    constexpr int half = vectors(W / 2);
    Vector p[2][Order + 1][half]; // 0: powers even or odd as the degree is; 1: the others
    // All sums run side by side: each is a chain of additions that wait for one another.
    const auto all = [&](const auto &use) FACET_INLINED {
      each<Order + 1>([&](int order) FACET_INLINED {
        each<half>([&](int i) FACET_INLINED { use(order, i); });
      });
    };
    const auto add = [&](int of, int k) FACET_INLINED {
      all([&](int order, int i) FACET_INLINED {
        Vector c;
        load(c, w.coefficients[order] + k * Window::Padded + Some * i);
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
      const Vector a = p[0][order][i] * first, b = p[1][order][i] * second;
      store(at[order] + Some * i, a + b);
      Vector opposite = even == (order != 1) ? a - b : b - a; // slopes change their sign
      reverse<T, Bytes>(opposite, EachLane<T, Bytes>());
      store(at[order] + w.width - Some * (i + 1), opposite);
    });
  }
};

/// The window of an axis that the grid does not have. The node that makes an odd width even keeps
/// its 0.
template <class Axis> FACET_INLINE void setOne(Axis &weights) {
  std::memset(weights.at, 0, sizeof weights.at);
  weights.at[0][0] = 1;
}

/// The weights of a point, along all axes.
template <class T, int W, int Order, int Bytes = Short> struct PointWeights {
  Weights<T, W, Order, Bytes> x, y, z;
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

template <class T> FACET_INLINE T *nodesAt(const SpreadWork<T> &w, std::int64_t i, int axes) {
  const Nodes<T> &n = w.nodes;
  T *at = n.values + 2 * (w.points.node[0][i] - n.first[0]);
  if (axes > 1)
    at += (w.points.node[1][i] - n.first[1]) * n.row;
  if (axes > 2)
    at += (w.points.node[2][i] - n.first[2]) * n.plane;
  return at;
}

/// Nodes of a row, or their weights: vectors of `Bytes`, and a short one for what is left.
template <class T, int W, int Bytes> struct Row {
  using Number = V<T, Bytes>; // the same one in each place, or the same complex one
  static constexpr int Some = Bytes / (2 * static_cast<int>(sizeof(T))), Whole = W / Some;
  static constexpr bool Rest = W % Some != 0;
  static constexpr int Vectors = Whole + Rest;
  Number whole[std::max(Whole, 1)]{};
  V<T, Short> rest{};

  /// Calls use(vector, the place of its first number, `by` as long as it, the vector of `other`).
  template <class Use, class... Other>
  FACET_INLINE void eachVector(const Number &by, const Use &use, Other &...other) {
    each<Whole>([&](int i) FACET_INLINED { use(whole[i], 2 * Some * i, by, other.whole[i]...); });
    if constexpr (Rest) {
      V<T, Short> some;
      takeFirst<T, Bytes>(by, some, EachLane<T, Short>());
      use(rest, 2 * Some * Whole, some, other.rest...);
    }
  }
  /// Takes the weight of each node twice, for re and im.
  FACET_INLINE void take(const T *weights) {
    eachVector(Number{}, [&](auto &v, int at, const auto &) FACET_INLINED {
      V<T, sizeof v / 2> some;
      load(some, weights + at / 2);
      takeTwice<T, sizeof v>(some, v, EachLane<T, sizeof v>());
    });
  }
  FACET_INLINE void multiply(const Number &by) {
    eachVector(by, [](auto &v, int, const auto &b) FACET_INLINED { v *= b; });
  }
  /// Adds nodes times a number.
  FACET_INLINE void add(const Number &by, const T *nodes) {
    eachVector(by, [&](auto &v, int at, const auto &b) FACET_INLINED {
      std::remove_reference_t<decltype(v)> node;
      load(node, nodes + at);
      v += b * node;
    });
  }
  FACET_INLINE void add(const Number &by, Row &other) {
    eachVector(by, [](auto &v, int, const auto &b, auto &o) FACET_INLINED { v += b * o; }, other);
  }
  /// Adds these, times a number, to nodes.
  FACET_INLINE void addTo(T *nodes, const Number &by) {
    eachVector(by, [&](auto &v, int at, const auto &b) FACET_INLINED {
      std::remove_reference_t<decltype(v)> sum;
      load(sum, nodes + at);
      sum += b * v;
      store(nodes + at, sum);
    });
  }
  /// The sum of complex nodes times weights.
  FACET_INLINE void sum(Row &weights, T &re, T &im) {
    Number all{};
    V<T, Short> some{};
    eachVector(
        Number{},
        [&](auto &v, int, const auto &, auto &w) FACET_INLINED {
          if constexpr (sizeof v == Bytes)
            all += v * w;
          else
            some += v * w;
        },
        weights);
    re = im = 0;
    addAll<T, Bytes>(all, re, im);
    if constexpr (Rest)
      addAll<T, Short>(some, re, im);
  }
};

} // namespace
} // namespace facet::runtime
