// spread_loops.cpp - the loops in which transforms spend their time, in vectors of 32 bytes, or of
// 64 where the processor has them. The window at a point is by Horner's rule for all nodes of an
// axis at once. Each width has a function, so that the rows under a window are written out: their
// nodes stay in registers, and so do their weights, for all planes and transforms. Reading takes
// long rows; adding to nodes does not gain by them.
#include "runtime/engine/transform/nufft/clones.h"
#include "runtime/engine/transform/nufft/spread_rows.h"

namespace facet::runtime {
namespace {

/// What the loops keep of a point: the weights of a row and those of rows and planes. The window of
/// an axis takes one or two long vectors. Rows may be short.
template <class T, int Width, int Bytes, int Axes> struct Point {
  static constexpr int Some = Lanes<T, Long>, Parts = Width > Some ? 2 : 1;
  using Lane = EachLane<T, Long>;
  V<T, Long> window[Axes][Parts];
  alignas(Long) T weights[Axes][Some * Parts];
  Row<T, rowOf<T>(Width), Bytes> x;
  V<T, Bytes> y[Width]{};

  FACET_INLINE static int axes(const SpreadWork<T> &) { return Axes; }
  FACET_INLINE void set(const SpreadWork<T> &w, std::int64_t i) {
    T t[Axes];
    each<Axes>([&](int d) FACET_INLINED { t[d] = static_cast<T>(2 * w.points.z[d][i] - 1); });
    if constexpr (Parts == 1)
      setAll(w, t);
    else
      setHalves(w, t);
    each<Axes>([&](int d) FACET_INLINED {
      each<Parts>([&](int p) FACET_INLINED { store(weights[d] + Some * p, window[d][p]); });
    });
    x.take(weights[0]);
    each<Width>([&](int j) FACET_INLINED { repeat<T, Bytes>(weights[1][j], y[j]); });
  }
  FACET_INLINE T z(int j) const { return weights[2][j]; }

private:
  FACET_INLINE void setAll(const SpreadWork<T> &w, const T *t) {
    each<Axes>([&](int d) FACET_INLINED { load(window[d][0], w.coefficients[0]); });
    for (int k = 1; k <= w.degree; ++k) {
      V<T, Long> c;
      load(c, w.coefficients[0] + k * Window::Padded);
      each<Axes>([&](int d) FACET_INLINED { window[d][0] = window[d][0] * t[d] + c; });
    }
  }
  /// As Weights does. The second part is the opposite of the first.
  FACET_INLINE void setHalves(const SpreadWork<T> &w, const T *t) {
    V<T, Long> sums[2][Axes];
    const auto add = [&](int of, int k) FACET_INLINED {
      V<T, Long> c;
      load(c, w.coefficients[0] + k * Window::Padded);
      each<Axes>([&](int d)
                     FACET_INLINED { sums[of][d] = k < 2 ? c : sums[of][d] * (t[d] * t[d]) + c; });
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
    each<Axes>([&](int d) FACET_INLINED {
      const V<T, Long> a = sums[0][d] * (even ? 1 : t[d]), b = sums[1][d] * (even ? t[d] : 1);
      window[d][0] = a + b;
      opposite(even ? a - b : b - a, window[d][Parts - 1], Lane());
    });
  }
  template <int... i>
  FACET_INLINE static void opposite(const V<T, Long> &from, V<T, Long> &to,
                                    std::integer_sequence<int, i...> /*lanes*/) {
    constexpr int last = Width - Some - 1;
    const V<T, Long> none{};
    to = __builtin_shufflevector(from, none, (i <= last ? last - i : Some + i)...);
  }
};

/// The same without long vectors, of any number of axes.
template <class T, int Width, int Bytes> struct Point<T, Width, Bytes, 0> {
  static constexpr int W = rowOf<T>(Width);
  PointWeights<T, W, 0, Bytes> weights;
  Row<T, W, Bytes> x;
  V<T, Bytes> y[Width]{};
  FACET_INLINE static int axes(const SpreadWork<T> &w) { return w.axes; }
  FACET_INLINE void set(const SpreadWork<T> &w, std::int64_t i) {
    weights.set(w, i);
    x.take(weights.x.at[0]);
    if (w.axes > 1)
      each<Width>([&](int j) FACET_INLINED { repeat<T, Bytes>(weights.y.at[0][j], y[j]); });
  }
  FACET_INLINE T z(int j) const { return weights.z.at[0][j]; }
};

template <class T, int Width, int Bytes, int Axes>
FACET_INLINE void spreadOf(const SpreadWork<T> &w, const std::complex<double> *const *strengths) {
  Point<T, Width, Bytes, Axes> point;
  const int axes = point.axes(w);
  const std::int64_t line = w.nodes.row;
  for (std::int64_t i = 0; i < w.points.n; ++i) {
    point.set(w, i);
    T *to = nodesAt(w, i, axes);
    const std::int64_t from = w.points.from[i];
    for (int k = 0; k < w.transforms; ++k, to += w.nodes.transform) {
      std::complex<double> strength = strengths[k][from];
      if constexpr (sizeof(T) < sizeof(double)) // for doubles scales are 1
        strength *= w.scales[k];
      V<T, Bytes> by;
      fill<T, Bytes>(by, static_cast<T>(strength.real()), static_cast<T>(strength.imag()),
                     EachLane<T, Bytes>());
      auto row = point.x;
      row.multiply(by);
      for (int jz = 0; jz < (axes > 2 ? w.width : 1); ++jz) { // not written out
        T *at = to + jz * w.nodes.plane;
        auto own = row;
        if (axes > 2) {
          repeat<T, Bytes>(point.z(jz), by);
          own.multiply(by);
        }
        if (axes > 1) {
          each<Width>([&](int j) FACET_INLINED { own.addTo(at + j * line, point.y[j]); });
        } else {
          repeat<T, Bytes>(1, by);
          own.addTo(at, by);
        }
      }
    }
  }
}

/// Sums over rows, in several chains of additions, then over planes, then along x.
template <class T, int Width, int Bytes, int Axes>
FACET_INLINE void valuesOf(const SpreadWork<T> &w, std::complex<double> *const *values) {
  using Nodes = Row<T, rowOf<T>(Width), Bytes>;
  constexpr int chains = std::min(Width, std::max(1, 4 / Nodes::Vectors));
  Point<T, Width, Bytes, Axes> point;
  const int axes = point.axes(w);
  const std::int64_t line = w.nodes.row;
  V<T, Bytes> one;
  repeat<T, Bytes>(1, one);
  for (std::int64_t i = 0; i < w.points.n; ++i) {
    point.set(w, i);
    const T *from = nodesAt(w, i, axes);
    const std::int64_t to = w.points.from[i];
    for (int k = 0; k < w.transforms; ++k, from += w.nodes.transform) {
      const auto plane = [&](const T *at, Nodes &own) FACET_INLINED {
        if (axes == 1)
          return own.add(one, at);
        Nodes others[chains];
        each<Width>([&](int j) FACET_INLINED {
          (j % chains == 0 ? own : others[j % chains]).add(point.y[j], at + j * line);
        });
        each<chains - 1>([&](int c) FACET_INLINED { own.add(one, others[c + 1]); });
      };
      Nodes all;
      if (axes < 3)
        plane(from, all);
      else
        for (int jz = 0; jz < w.width; ++jz) { // not written out
          Nodes own;
          plane(from + jz * w.nodes.plane, own);
          V<T, Bytes> by;
          repeat<T, Bytes>(point.z(jz), by);
          all.add(by, own);
        }
      T re, im;
      all.sum(point.x, re, im);
      values[k][to] = {re, im};
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
          load(node, at + Lanes<T, Short> * (part * some + v));
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
FACET_INLINE void slopesOf(const SpreadWork<T> &w, const Orders *derivatives, int count,
                           std::complex<double> *const *values) {
  constexpr int vectors = W / NodesTogether<T>;
  PointWeights<T, W, Order> weights;
  Row<T, W, Short> x[Order + 1];
  std::array<int, 16> pair{}, order{};
  for (int d = 0; d < count; ++d)
    pair[d] = pairOf(derivatives[d]), order[d] = derivatives[d][0];
  for (std::int64_t i = 0; i < w.points.n; ++i) {
    weights.set(w, i);
    const T *from = nodesAt(w, i, w.axes);
    const std::int64_t to = w.points.from[i];
    for (int o = 0; o <= Order; ++o)
      x[o].take(weights.x.at[o]);
    for (int k = 0; k < w.transforms; ++k, from += w.nodes.transform) {
      V<T> sums[Pairs][vectors];
      sumRows<T, W, Order, Pairs>(w, weights, from, sums);
      for (int d = 0; d < count; ++d) {
        V<T> sum{};
        each<vectors>([&](int v) FACET_INLINED { sum += sums[pair[d]][v] * x[order[d]].whole[v]; });
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

// A function for each width: of values, in short and in long vectors; and for each even one of
// derivatives in one, two, three dimensions.
#define FACET_VALUES(T, width)                                                                     \
  FACET_CLONES_V3 void T##Spread##width(const SpreadWork<T> &w,                                    \
                                        const std::complex<double> *const *strengths) {            \
    spreadOf<T, width, Short, 0>(w, strengths);                                                    \
  }                                                                                                \
  FACET_CLONES_V3 void T##Value##width(const SpreadWork<T> &w,                                     \
                                       std::complex<double> *const *values) {                      \
    valuesOf<T, width, Short, 0>(w, values);                                                       \
  }
#ifdef FACET_V4
#define FACET_LONG(T, width, axes)                                                                 \
  FACET_V4 void T##Spread##axes##_##width(const SpreadWork<T> &w,                                  \
                                          const std::complex<double> *const *strengths) {          \
    spreadOf<T, width, Short, axes>(w, strengths);                                                 \
  }                                                                                                \
  FACET_V4 void T##Value##axes##_##width(const SpreadWork<T> &w,                                   \
                                         std::complex<double> *const *values) {                    \
    valuesOf<T, width, Long, axes>(w, values);                                                     \
  }
#else
#define FACET_LONG(T, width, axes)
#endif
#define FACET_SLOPES(W, axes, pairs)                                                               \
  FACET_CLONES_V3 void slopes##axes##_##W(const SpreadWork<double> &w, const Orders *d, int count, \
                                          std::complex<double> *const *values) {                   \
    slopesOf<double, W, 2, pairs>(w, d, count, values);                                            \
  }
#define FACET_WIDTH(width)                                                                         \
  FACET_VALUES(float, width)                                                                       \
  FACET_VALUES(double, width)                                                                      \
  FACET_LONG(float, width, 2)                                                                      \
  FACET_LONG(float, width, 3)                                                                      \
  FACET_LONG(double, width, 2)                                                                     \
  FACET_LONG(double, width, 3)
#define FACET_EVEN(W) FACET_SLOPES(W, 1, 1) FACET_SLOPES(W, 2, 3) FACET_SLOPES(W, 3, 6)
FACET_WIDTH(2)
FACET_WIDTH(3)
FACET_WIDTH(4)
FACET_WIDTH(5)
FACET_WIDTH(6)
FACET_WIDTH(7)
FACET_WIDTH(8)
FACET_WIDTH(9)
FACET_WIDTH(10)
FACET_WIDTH(11)
FACET_WIDTH(12)
FACET_WIDTH(13)
FACET_WIDTH(14)
FACET_WIDTH(15)
FACET_WIDTH(16)
FACET_EVEN(2)
FACET_EVEN(4)
FACET_EVEN(6)
FACET_EVEN(8)
FACET_EVEN(10)
FACET_EVEN(12)
FACET_EVEN(14)
FACET_EVEN(16)

#define FACET_EVENS(f) {f##2, f##4, f##6, f##8, f##10, f##12, f##14, f##16}
#define FACET_ALL(f)                                                                               \
  {f##2, f##3, f##4, f##5, f##6, f##7, f##8, f##9, f##10, f##11, f##12, f##13, f##14, f##15, f##16}
using Slopes = void(const SpreadWork<double> &, const Orders *, int, std::complex<double> *const *);
constexpr std::array<std::array<Slopes *, Window::Widest / 2>, 3> slopes{
    {FACET_EVENS(slopes1_), FACET_EVENS(slopes2_), FACET_EVENS(slopes3_)}};

/// The functions of values: for each number of axes, for each width.
template <class T> struct Functions {
  using Spread = void(const SpreadWork<T> &, const std::complex<double> *const *);
  using Value = void(const SpreadWork<T> &, std::complex<double> *const *);
  Spread *spread[3][Window::Widest - Window::Narrowest + 1];
  Value *value[3][Window::Widest - Window::Narrowest + 1];
};
#define FACET_SHORT(f) {FACET_ALL(f), FACET_ALL(f), FACET_ALL(f)}
constexpr Functions<double> ofDoubles{FACET_SHORT(doubleSpread), FACET_SHORT(doubleValue)};
constexpr Functions<float> ofFloats{FACET_SHORT(floatSpread), FACET_SHORT(floatValue)};
#undef FACET_SHORT
#ifdef FACET_V4
#define FACET_BOTH(f) {FACET_ALL(f), FACET_ALL(f##2_), FACET_ALL(f##3_)}
constexpr Functions<double> longDoubles{FACET_BOTH(doubleSpread), FACET_BOTH(doubleValue)};
constexpr Functions<float> longFloats{FACET_BOTH(floatSpread), FACET_BOTH(floatValue)};
#undef FACET_BOTH
bool hasLong() {
  static const bool has = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                          __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  return has;
}
#else
constexpr const Functions<double> &longDoubles = ofDoubles;
constexpr const Functions<float> &longFloats = ofFloats;
bool hasLong() { return false; }
#endif
const Functions<double> &functionsOf(const SpreadWork<double> &work) {
  return work.longVectors && hasLong() ? longDoubles : ofDoubles;
}
const Functions<float> &functionsOf(const SpreadWork<float> &work) {
  return work.longVectors && hasLong() ? longFloats : ofFloats;
}
#undef FACET_ALL
#undef FACET_EVENS
#undef FACET_EVEN
#undef FACET_WIDTH
#undef FACET_LONG
#undef FACET_SLOPES
#undef FACET_VALUES

} // namespace

void spreadPoints(const SpreadWork<double> &work, const std::complex<double> *const *strengths) {
  functionsOf(work).spread[work.axes - 1][work.width - Window::Narrowest](work, strengths);
}
void spreadPoints(const SpreadWork<float> &work, const std::complex<double> *const *strengths) {
  functionsOf(work).spread[work.axes - 1][work.width - Window::Narrowest](work, strengths);
}

void interpolatePoints(const SpreadWork<double> &work, const Orders *derivatives, int count,
                       std::complex<double> *const *values) {
  if (count == 0)
    return functionsOf(work).value[work.axes - 1][work.width - Window::Narrowest](work, values);
  // Derivatives along x are sums over the same rows as the value.
  const bool along = std::all_of(derivatives, derivatives + count,
                                 [](const Orders &o) { return o[1] == 0 && o[2] == 0; });
  slopes[along ? 0 : work.axes - 1][(work.width - 1) / 2](work, derivatives, count, values);
}
void interpolatePoints(const SpreadWork<float> &work, const Orders *, int,
                       std::complex<double> *const *values) {
  functionsOf(work).value[work.axes - 1][work.width - Window::Narrowest](work, values);
}

} // namespace facet::runtime
