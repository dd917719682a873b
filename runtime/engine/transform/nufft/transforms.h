// transforms.h - sums of waves at every q of a grid by Fourier transforms: laid out, priced,
// executed.
//
// Given points r_t (nm) and K arrays of complex strengths b_k(t):
//   T_k(q) = sum_t b_k(t) e^{i q.r_t}   for every q (nm^-1, real or complex) of a grid.
// An axis (of a product) or a component (of a list) is treated in one of three ways, the cheapest:
//   Transform  it is an axis of the transforms: type 1 if all these axes are uniform,
//              else type 3;
//   Planes     one transform for each of its values, the wave along it a factor of the strengths
//              (exact, complex values too); axes of one value are always that;
//   Nodes      its wave is interpolated (an axis along which q.r varies little).
// A factor that depends on q through one real scalar u(q) is interpolated in u. Its values at a few
// Chebyshev nodes u_r of the range go into the strengths of one transform each. These are added
// with the Lagrange polynomials l_r(u(q)). Such factors are:
// - the wave of an axis with Nodes;
// - e^{-Im q.r} along each axis with a varying imaginary part;
// - strengths b_k(t; u(q)) of a kernel.
//
// A scalar of wide range may be cut into bands of q, a call each, but only one of them. Planes are
// the same with a node at each value. Constant imaginary parts go into the strengths.
#pragma once
#include <array>
#include <complex>
#include <cstdint>
#include <facet/runtime/grid.h>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace facet::runtime {

/// Seconds that a unit of each step takes; the members are those of constants.def.
struct NufftConstants {
#define FACET_NUFFT_CONSTANT(name, seconds, meaning) double name = seconds;
#include "constants.def"
};
/// Measures them on one thread, in about 0.2 s.
NufftConstants measureNufftConstants();

/// Calls work(0 .. tasks - 1), in any order, on any threads, and returns when all are done.
using NufftParallel =
    std::function<void(std::int64_t tasks, const std::function<void(std::int64_t)> &work)>;

/// A real scalar u(q) on which strengths depend: b_k(t; u(q)).
struct NufftScalar {
  std::string name;                                  // "norm2(q)"
  std::shared_ptr<const std::vector<double>> values; // u at each q of the grid, in its order
  double low = 0, high = 0;                          // their range
  /// How many nodes of [low, high] interpolate the strengths to within the tolerance, relative to
  /// the largest of each record; 0: more than 64.
  std::function<int(double low, double high, double tolerance)> count{};
};

/// q_x^i q_y^j q_z^l, of degree 2 at most.
using NufftPowers = std::array<std::uint8_t, 3>;

struct NufftRequest {
  std::array<double, 3> half{}; // half extents of the points' bounding box, nm
  std::int64_t records = 0;     // points, nt
  int transforms = 1;           // K
  /// |error of T_k(q)| <= tolerance * |e^{i q.middle}| e^{sum_d |Im q_d| half_d} sum_t |b_k(t)|,
  /// with the middle of the points' box, beside the rounding of phases in double (1e-16 |q.r|).
  /// Tests check this. For hundreds of points and more the error is about tolerance / 5 of the
  /// largest |T_k| of the grid. That holds if the grid has the strongest waves: stronger waves
  /// outside leak in at that level. At least 1e-14.
  double tolerance = 1e-6;
  /// The error allowed for interpolation between nodes, if it is less than `tolerance` leaves for
  /// it; 0: as much as that. The error is no noise: it changes each wave smoothly, so that sums of
  /// waves err by about as much relative to themselves, however small they are beside sum|b|.
  double nodeTolerance = 0;
  int threads = 1;
  /// Whether grids have floats. Then an adjoint's scalar products equal those of the transform to
  /// single precision only. With powers or slopes they have doubles. Refused where rounding is far
  /// above the tolerance.
  bool floats = false;
  bool wave = true; // false: all points are 0, and T_k(q) = sum_t b_k(t; u(q)), without waves
  std::vector<NufftScalar> scalars{}; // that the strengths read
  /// Powers of q that adjoints are multiplied by, along axes that are real; none: 1. Derivatives of
  /// the same transforms at the points give them.
  std::vector<NufftPowers> powers{};
  /// Axes by whose real part `execute` also differentiates results: axes of transforms of type 3,
  /// and those with Nodes. Errors are like those of T_k, but relative to half the extent of the
  /// points along the axis times sum_t |b_k(t)|, as if the points' middle were 0.
  std::array<bool, 3> slopes{};
  int slopeCount() const { return slopes[0] + slopes[1] + slopes[2]; }
  double memory = 0;   // bytes allowed beside points, strengths and results; 0: no limit
  double together = 0; // bytes of strengths and results that are made at a time; 0: no limit
};

/// A scalar of q in which transforms are interpolated.
struct InterpolatedScalar {
  /// What depends on it. Strength: the strengths, by request.scalars[index]; Plane: the whole wave
  /// along the axis `index`, with a node at each value; Wave: e^{i u c}, u = Re q there and c the
  /// component `index` of a point; Decay: e^{-u c}, u = Im q there.
  enum class What : std::uint8_t { Strength, Plane, Wave, Decay } what = What::Strength;
  std::size_t index = 0;
  double low = 0, high = 0; // its range
  int nodes = 1;
  bool operator==(const InterpolatedScalar &) const = default;
};

enum class NufftAxis : std::uint8_t { Planes, Nodes, Transform };

/// Transforms of the same shape, one plan.
struct NufftCall {
  int type = 1, dim = 1;                      // dim 0: plain sums
  std::array<std::int64_t, 3> modes{1, 1, 1}; // fastest first; type 3: {targets, 1, 1}
  std::array<std::int64_t, 3> fine{1, 1, 1};  // the upsampled grid the points are spread to
  std::array<std::int64_t, 3> inner{1, 1, 1}; // type 3: the grid of its inner type 2
  int width = 0;                              // of the window, nodes of the fine grid
  bool single = false;                        // fine grids have floats, not doubles
  double rounding = 0;                        // then: of sums of many waves, relative to sum |b|
  double upsampling = 2;                      // nodes of the fine grid per mode
  double eps = 0;                             // error that its windows may make
  int degree = 0;                             // the highest degree of powers
  std::array<bool, 3>
      slopes{}; // axes of the transform, fastest first, by which results are differentiated
  /// For each axis of the transform: q of mode 0 (type 1) or of the middle (type 3), which
  /// strengths are turned to; and for type 3 the most by which waves differ from it.
  std::array<double, 3> middle{}, largest{};
  std::int64_t count = 0; // transforms in all: K and all nodes, multiplied
  int batch = 0;          // transforms of one execution
  /// The q of this call: the first one along each axis and their numbers; for a list {n, 1, 1},
  /// places in NufftLayout::order.
  std::array<std::int64_t, 3> first{}, n{1, 1, 1};
  /// What is interpolated over these q, in the order of What; the last one's nodes vary fastest
  /// from transform to transform.
  std::vector<InterpolatedScalar> interpolated{};
  /// The product of the nodes of all that are of a kind.
  std::int64_t nodesOf(InterpolatedScalar::What what) const {
    std::int64_t nodes = 1;
    for (const InterpolatedScalar &u : interpolated)
      nodes *= u.what == what ? u.nodes : 1;
    return nodes;
  }
  bool operator==(const NufftCall &) const = default;
};

/// How the transforms of a grid are done. Cheap to make, without points or strengths.
struct NufftLayout {
  std::string refusal, help; // why it cannot be done and what to do; empty: it can
  std::array<NufftAxis, 3> axes{};
  std::array<std::int64_t, 3> extents{}; // of the grid; a list: {n, 1, 1}
  std::vector<NufftCall> calls;          // one, or one for each band of a scalar's range
  std::vector<std::int64_t> order;       // a list with bands: its points by the scalar; else empty
  double memory = 0; // bytes at the largest, beside points, strengths and results
  NufftRequest request;

  bool possible() const { return refusal.empty(); }
  /// Whether errors hold sums at the same q: of type 3, or between nodes.
  bool errsInside() const;
  /// What sums of many waves err by rounding in floats, relative to sum |b|; 0 in double.
  double rounding() const;
  /// Whether both do the same, whatever their requests.
  bool doesAs(const NufftLayout &other) const {
    return refusal == other.refusal && axes == other.axes && calls == other.calls &&
           order == other.order;
  }
  /// "type 1, 2-D, 500 x 500, 24 transforms: 3 x 8 nodes of Im q.z".
  std::string text() const;
};

/// The layout of least cost by default constants, which is the same on any machine. Never throws
/// for what the request wants: NufftLayout::refusal says why not (for memory, what it would need).
/// `grid` is checked (runtime::check).
NufftLayout layOutNufft(const Grid &grid, const NufftRequest &request);

/// Seconds of one execution on the request's threads, and what only the first one pays.
struct NufftCost {
  double shared = 0, alone = 0; // steps that threads share, and those of one thread
  double plan = 0;              // windows, new memory
  double execute() const { return shared + alone; }
  double first() const { return execute() + plan; }
};
NufftCost nufftCost(const NufftLayout &layout, const NufftConstants &constants);

/// K arrays of strengths, a number for each point, at values of the request's scalars. They may be
/// the same arrays each time.
using NufftStrengthsAt =
    std::function<std::span<const std::complex<double> *const>(std::span<const double> u)>;

struct NufftPoints {
  std::int64_t n = 0;
  std::array<const double *, 3> at{}; // x, y, z; nm
};

struct NufftState;

/// Takes back[k](t) at values u of the request's scalars: K arrays, or K times the number of
/// powers, with a number for each point.
using NufftTake = std::function<void(std::span<const double> u,
                                     std::span<const std::complex<double> *const> back)>;

/// The transforms of one grid; their plans are kept from one execution to the next.
class NufftTransforms {
public:
  /// Throws Error if the layout is refused.
  NufftTransforms(const Grid &grid, const NufftRequest &request);
  NufftTransforms(NufftTransforms &&) noexcept;
  NufftTransforms &operator=(NufftTransforms &&) noexcept;
  ~NufftTransforms();

  /// Announces points of another request: from now on the transforms are what they would be if they
  /// had been made for it. Plans are kept if they are the same.
  void expect(const NufftRequest &request);
  /// Sets what carries out all work that threads can share.
  void setParallel(NufftParallel parallel);
  /// out[k][i] = T_k(q of flat index i, z fastest), k < K. strengths[k]: points.n values. If the
  /// request has slopes, out[k * (1 + slopes)] is T_k, and behind it are its derivatives by Re q
  /// along each of these axes. Points beyond the request's half extents, or more points than its
  /// records, are laid out again. Throws Error if the new layout is refused.
  void execute(const NufftPoints &points, const NufftStrengthsAt &strengths,
               std::span<std::complex<double> *const> out);
  /// The same for strengths without scalars.
  void execute(const NufftPoints &points, std::span<const std::complex<double> *const> strengths,
               std::span<std::complex<double> *const> out) {
    execute(points, [&](std::span<const double>) { return strengths; }, out);
  }
  /// The adjoint: with in[k][i] a number for each q of the grid,
  ///   back[k](t) = sum over q of conj(e^{i q.r_t}) in[k][q],
  /// and, if the request has powers, back[k * powers + p] with in[k][q] times power p of q, so that
  /// the sum over q and k of conj(in) T is that of conj(back) b over points. If strengths read
  /// scalars, `take` gets one set for each u at which `execute` needs strengths, weighted by
  /// interpolation, so that their sums over u are equal. Plans and errors are those of `execute`.
  void adjoint(const NufftPoints &points, std::span<const std::complex<double> *const> in,
               const NufftTake &take);
  const NufftLayout &layout() const;

private:
  std::unique_ptr<NufftState> state_;
};

} // namespace facet::runtime
