// state.h - what transforms keep from one execution to the next, shared by the sums and their
// adjoint. There are plans, nodes and their weights, and points as plans take them. There are the
// factors of a transform's strengths, and the q that are done together.
#pragma once
#include "runtime/engine/transform/nufft/layout.h"
#include "runtime/engine/transform/nufft/nonuniform.h"

namespace facet::runtime {

struct NufftState {
  using Complex = std::complex<double>;
  using Strengths = std::span<const Complex *const>;
  using Results = std::span<Complex *const>;
  using What = InterpolatedScalar::What;

  /// What a call keeps from one execution to the next.
  struct CallState {
    std::unique_ptr<Nonuniform> plan;
    std::vector<Chebyshev> nodes;             // of each interpolated scalar
    std::vector<std::vector<double>> weights; // of those along an axis of a product: [value][node]
    std::array<std::vector<double>, 3> targets; // type 3, fastest axis first; from the middle
    std::int64_t placed = 0;                    // the version of the points that the plan has
  };

  /// Transforms [first, last) of one call, by their flat numbers combination * K + k.
  struct Batch {
    const NufftCall &call;
    CallState &kept;
    std::int64_t first, last;
  };

  /// A factor cis(phase.c) e^{-decay.c} of the strengths, c the centred point.
  struct Factor {
    std::array<double, 3> phase{}, decay{};
  };

  Grid grid;
  NufftRequest request;
  NufftLayout layout;
  NufftParallel parallel = [](std::int64_t tasks, const std::function<void(std::int64_t)> &work) {
    for (std::int64_t task = 0; task < tasks; ++task)
      work(task);
  };

  std::array<AxisFacts, 3> facts;
  std::vector<std::size_t> transformAxes; // fastest first
  /// Derivatives that powers need from plans, along the axes of the transform; none without powers.
  std::vector<Orders> derivatives;
  /// For each axis of the request's slopes, in order: the axis, and which result of a plan, behind
  /// the value, is its derivative; 0: the weights of nodes have it.
  struct SlopeAt {
    std::size_t axis, result;
  };
  std::vector<SlopeAt> slopes;
  std::vector<CallState> kept; // one for each call

  std::array<double, 3> centre{};            // subtracted from the points; nm
  bool turned = false;                       // results are multiplied by cis(q.centre)
  bool direct = false;                       // plans write where results are wanted, and read there
  std::array<std::vector<Complex>, 3> turns; // product: factors of each value
  std::array<std::vector<double>, 3> scaled{};   // points as plans take them, fastest axis first
  std::int64_t version = 0;                      // of `scaled`
  std::vector<Complex> strengths, results, back; // back: an adjoint, as it is handed on

  NufftState(const Grid &grid, const NufftRequest &request);

  /// The arrays of each transform of a batch: in `strengths` one for each derivative, and in
  /// `results`.
  std::vector<Complex *> strengthsOf(const Batch &batch, std::int64_t points);
  std::vector<Complex *> resultsOf(const Batch &batch);

  bool isProduct() const { return grid.kind == Grid::Kind::Product; }
  /// Whether results of plans need no combining: they are in the grid's order.
  bool isDirect() const {
    const NufftCall &only = layout.calls.front();
    return layout.calls.size() == 1 && !isCombined(layout, only) && only.count == only.batch &&
           only.dim > 0 && layout.order.empty();
  }

  /// Makes the layout and what follows from the grid.
  void layOut();
  void findDerivatives();
  void findSlopes();
  /// How many results a plan has for each transform.
  std::int64_t resultsEach() const {
    return 1 + std::ranges::count(layout.calls.front().slopes, true);
  }

  /// The point of a list that is at a place of its order.
  std::int64_t pointAt(std::int64_t place) const {
    return layout.order.empty() ? place : layout.order[place];
  }
  void interpolate(const NufftCall &call, CallState &to) const;
  /// Makes the targets of a call of type 3.
  void makeTargets(const NufftCall &call, CallState &to) const;
  /// Lays out again if the points need it, and decides whether they are centred.
  void fit(const NufftPoints &points);
  void makeTurns();
  /// Sets `scaled`; the version stays if the points are as before, so that plans keep their order.
  void scalePoints(const NufftPoints &points);
  /// Makes the plan of a call, if it has one, ready for the points.
  void prepare(const NufftCall &call, CallState &to, const NufftPoints &points);
  /// Runs all batches of all calls, in order, each call prepared for the points.
  template <class Run> void eachBatch(const NufftPoints &points, const Run &run) {
    for (std::size_t c = 0; c < layout.calls.size(); ++c) {
      const NufftCall &call = layout.calls[c];
      prepare(call, kept[c], points);
      for (std::int64_t first = 0; first < call.count; first += call.batch)
        run(Batch{call, kept[c], first, std::min(first + call.batch, call.count)});
    }
  }

  /// A transform's node of each interpolated scalar; the last scalar's varies fastest.
  using Nodes = std::array<int, 8>;
  Nodes nodesAt(const NufftCall &call, std::int64_t combination) const;
  Factor factorOf(const Batch &batch, const Nodes &at) const;
  /// A power of q is a sum of derivatives, since these are about the middle of the q.
  struct Part {
    std::size_t derivative;
    double times;
  };
  std::vector<Part> partsOf(const NufftCall &call, const Factor &factor,
                            const NufftPowers &power) const;
  /// Nodes of the scalars that strengths read, at a combination.
  std::vector<double> scalarsAt(const Batch &batch, const Nodes &at) const;
  /// How many combinations with the same strengths follow each other.
  std::int64_t together(const NufftCall &call) const;

  /// A block of points, with cis(phase.c) and e^{-decay.c} of a combination.
  struct Block {
    std::int64_t first, n;
    const double *cos, *sin, *size;
  };
  /// Calls use(combination, block) for the combinations from `begin` on, which have these factors,
  /// in order for each block of points.
  void eachFactor(const NufftPoints &points, const std::vector<Factor> &factors, std::int64_t begin,
                  const std::function<void(std::int64_t, const Block &)> &use) const;

  /// q that are done together: a row of a product along z, or some of a list.
  struct Row {
    std::int64_t n = 0;
    std::int64_t first = 0;              // of a product: the first one in the grid's order,
    std::array<std::int64_t, 3> index{}; // and along each axis of the grid
    std::vector<std::int64_t> points{};  // of a list
    std::int64_t result = 0;             // where the results begin
    bool each = true;                    // a result for each, or one for all
    std::int64_t at(std::int64_t i) const { return points.empty() ? first + i : points[i]; }
  };
  /// How many rows a call has, and one of them.
  std::int64_t rows(const NufftCall &call) const;
  Row rowOf(const NufftCall &call, std::int64_t which) const;

  /// Lagrange polynomials of an interpolated scalar at the q of a row, [q][node]; step 0 if they
  /// are the same for all q. `made` keeps them if there is no table.
  struct Weights {
    const double *at;
    std::int64_t step;
    std::vector<double> made{};
  };
  Weights weightsOf(const Batch &batch, const Row &row, std::size_t s) const;
  /// The weights of all interpolated scalars.
  std::vector<Weights> weightsOf(const Batch &batch, const Row &row) const;
  /// The same weights, but those of the wave's nodes along `axis` are differentiated by q.
  std::vector<Weights> slopesOf(const Batch &batch, const Row &row, std::size_t axis,
                                std::vector<Weights> weights) const;
  /// The q [first, last) of a row to which a transform adds, with weights w[i]; none: first = last.
  struct Share {
    std::int64_t first, last;
  };
  Share shareOf(const Batch &batch, std::int64_t flat, const std::vector<Weights> &weights,
                std::vector<double> &w) const;
  /// cis(q.centre) at the q of a row.
  std::vector<Complex> turnsOf(const Row &row) const;
};

} // namespace facet::runtime
