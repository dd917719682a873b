// fft.cpp - one axis after the other, along the lines that are not zero and are wanted later.
#include "runtime/engine/transform/nufft/fft.h"
#include "runtime/engine/transform/ducc/lines.h"
#include <algorithm>
#include <span>

namespace facet::runtime {
namespace {

using Lines = void(void *, const FacetLines *);

/// The function for this processor.
Lines *linesHere() {
#if defined(FACET_LINES_V3)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return facetLinesV3;
#endif
  return facetLines;
}

/// A stretch of nodes, not around the end of the ring.
struct Stretch {
  std::int64_t first, count;
};
std::vector<Stretch> stretchesOf(const Ring &ring, std::int64_t n) {
  if (ring.count >= n)
    return {{0, n}};
  const std::int64_t first = (ring.first % n + n) % n, until = first + ring.count;
  if (until <= n)
    return {{first, ring.count}};
  return {{0, until - n}, {first, n - first}};
}

/// The order of axes in which the lines that are transformed have the fewest numbers in all. Less
/// may be wanted of an axis than is not zero: then it leaves less to be done along the next. An
/// axis of which more is wanted leaves more.
std::array<int, 3> orderOf(int axes, const std::array<std::int64_t, 3> &n,
                           const std::array<Ring, 3> &in, const std::array<Ring, 3> &out) {
  std::array<int, 3> order{0, 1, 2}, best = order;
  std::int64_t least = INT64_MAX;
  const std::span some(order.data(), static_cast<std::size_t>(axes));
  do {
    std::int64_t numbers = 0;
    for (std::size_t turn = 0; turn < some.size(); ++turn) {
      std::int64_t lines = n[some[turn]];
      for (std::size_t other = 0; other < some.size(); ++other)
        lines *= other == turn ? 1 : (other < turn ? out : in)[some[other]].count;
      numbers += lines;
    }
    if (numbers < least)
      least = numbers, best = order;
  } while (std::ranges::next_permutation(some).found);
  return best;
}

} // namespace

template <class T>
void transformGrids(std::complex<T> *grids, int count, int axes,
                    const std::array<std::int64_t, 3> &n, const std::array<Ring, 3> &in,
                    const std::array<Ring, 3> &out, int sign, const NufftParallel &parallel) {
  static Lines *const lines = linesHere();
  const std::array<std::int64_t, 3> step{1, n[0], n[0] * n[1]};
  const std::int64_t size = step[2] * n[2];
  std::array<Ring, 3> now = in; // of each axis: what is not zero yet, or what is still wanted
  const std::array<int, 3> order = orderOf(axes, n, in, out);
  for (const int axis : std::span(order).first(axes)) {
    const std::array<int, 2> others{axis == 0 ? 1 : 0, axis == 2 ? 1 : 2};
    std::vector<std::pair<std::int64_t, FacetLines>> tasks; // and their first node
    const auto stretches = [&](int d) {
      return d < axes ? stretchesOf(now[d], n[d]) : std::vector<Stretch>{{0, 1}};
    };
    const std::int64_t some = std::max<std::int64_t>(8, 16384 / n[axis] / 8 * 8); // lines of a task
    for (const Stretch &a : stretches(others[0]))
      for (const Stretch &b : stretches(others[1])) {
        const std::int64_t rows = std::max<std::int64_t>(1, some / a.count);
        for (std::int64_t j = 0; j < b.count; j += rows)
          for (std::int64_t i = 0; i < a.count; i += some)
            tasks.push_back({(a.first + i) * step[others[0]] + (b.first + j) * step[others[1]],
                             {n[axis],
                              step[axis],
                              {std::min(some, a.count - i), std::min(rows, b.count - j)},
                              {step[others[0]], step[others[1]]},
                              sign,
                              sizeof(T) == sizeof(float),
                              {in[axis].first, in[axis].count},
                              {out[axis].first, out[axis].count}}});
      }
    parallel(std::ssize(tasks) * count, [&](std::int64_t task) {
      const auto &[first, what] = tasks[task / count];
      lines(grids + task % count * size + first, &what);
    });
    now[axis] = out[axis];
  }
}

template void transformGrids(std::complex<float> *, int, int, const std::array<std::int64_t, 3> &,
                             const std::array<Ring, 3> &, const std::array<Ring, 3> &, int,
                             const NufftParallel &);
template void transformGrids(std::complex<double> *, int, int, const std::array<std::int64_t, 3> &,
                             const std::array<Ring, 3> &, const std::array<Ring, 3> &, int,
                             const NufftParallel &);

} // namespace facet::runtime
