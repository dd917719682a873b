// gradient.cpp - derivatives by the mesh: the kernels they need, the choice among ways to sum, the
// measured error.
#include "runtime/engine/derive/sums_adjoint.h"
#include "runtime/engine/derive/waves_adjoint.h"
#include "runtime/engine/kernel/inside.h"
#include "runtime/engine/sum/cut.h"
#include "runtime/engine/system/clock.h"
#include "runtime/engine/transform/nufft/transforms.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numbers>
#include <set>

namespace facet::runtime {

namespace {

constexpr double leastOfTransforms = 1e-14;
/// The share of the accuracy allowed at the compared records: others err more.
constexpr double allowed = 0.2;
/// Records that are compared, beside those with the largest derivatives: before a tolerance is
/// trusted, and in each run after.
constexpr std::int64_t atFirst = 128, later = 8;
/// Direct sums of fewer terms take less time than compiling another kernel.
constexpr double few = 1e8;
/// The share of the accuracy allowed for the sums at q that derivatives by transforms are compared
/// with if finish is not linear. The sums of the transforms themselves are so much less accurate
/// that their errors show.
constexpr double closer = 0.01;

/// Compiles and loads the kernel, or one made of it, in one class or "all".
Kernel derived(const std::string &file, const std::string &derive, const std::string &algorithms,
               const Grid &grid, const GradientOptions &options, const std::string &klass = "all") {
  const bool adjoint = derive.starts_with("adjoint");
  CompileRequest request;
  request.target = targetsFor(options.target).front();
  request.grid = adjoint || grid.kind == Grid::Kind::Points ? FACET_POINTS : FACET_PRODUCT;
  request.q = adjoint || !grid.complexQ() ? FACET_REAL_Q : FACET_COMPLEX_Q;
  request.kernel = options.kernel;
  request.algorithms = algorithms;
  request.klass = klass;
  request.derive = derive;
  return Kernel::load(compileKernel(file, request).library);
}

/// Where a column is largest, and whether it is finite.
struct Peak {
  double most = 0; // its largest modulus
  std::int64_t at = 0;
  bool finite = true;
};
Peak peakOf(const std::vector<double> &values) {
  constexpr std::size_t lanes = 8; // side by side
  std::array<double, lanes> most{}, off{};
  for (std::size_t i = 0; i < values.size(); ++i) {
    most[i % lanes] = std::max(most[i % lanes], std::abs(values[i]));
    off[i % lanes] += values[i] - values[i]; // not a number if it is not finite
  }
  Peak made;
  made.most = std::ranges::max(most);
  made.finite = std::ranges::all_of(off, [](double x) { return x == 0; });
  const auto largest = [&](double value) { return std::abs(value) == made.most; };
  made.at = std::ranges::find_if(values, largest) - values.begin();
  return made;
}

using Peaks = std::map<std::string, Peak>;
Peaks peaksOf(const ColumnGradient &gradient, Pool &pool) {
  std::vector<std::pair<const std::vector<double> *, Peak *>> each;
  Peaks made;
  for (const auto &[name, values] : gradient)
    each.emplace_back(&values, &made[name]);
  const auto one = [&](std::int64_t column, int) {
    const auto &[values, peak] = each[static_cast<std::size_t>(column)];
    *peak = peakOf(*values);
  };
  pool.run(std::ssize(each), one);
  return made;
}

/// Records to compare at: so many of a sequence from a number on, and where derivatives are
/// largest. The sequence comes to all parts of a mesh early, and is never in step with its rows, as
/// equal steps may be.
std::vector<std::int64_t> sampleOf(const Peaks &peaks, std::int64_t n, std::int64_t from,
                                   std::int64_t count) {
  std::set<std::int64_t> places;
  for (std::int64_t k = from; k < from + count; ++k) {
    const double turns = (static_cast<double>(k) + 0.5) / std::numbers::phi;
    places.insert(static_cast<std::int64_t>((turns - std::floor(turns)) * static_cast<double>(n)));
  }
  for (const auto &[name, peak] : peaks)
    if (peak.finite)
      places.insert(peak.at);
  return {places.begin(), places.end()};
}

/// The largest difference of a column at these records, relative to its largest number of all
/// records; infinite if one is not finite.
double errorOf(const ColumnGradient &gradient, const Peaks &peaks, const ColumnGradient &reference,
               const std::vector<std::int64_t> &places) {
  double worst = 0;
  for (const auto &[name, values] : gradient) {
    const Peak &peak = peaks.at(name);
    if (!peak.finite)
      return HUGE_VAL;
    double error = 0;
    for (std::size_t k = 0; k < places.size(); ++k)
      error = std::max(
          error, std::abs(values[static_cast<std::size_t>(places[k])] - reference.at(name)[k]));
    if (error > 0)
      worst = std::max(worst, error / peak.most);
  }
  return worst;
}

} // namespace

Kernel tangentKernel(const std::string &kernelFile, const Grid &grid,
                     const GradientOptions &options) {
  return derived(kernelFile, "tangent", "all", grid, options);
}

Kernel qTangentKernel(const std::string &kernelFile, const Grid &grid,
                      const GradientOptions &options, const std::string &axes) {
  return derived(kernelFile, axes.empty() ? "tangent-q" : "tangent-q-" + axes, "all", grid,
                 options);
}

struct Gradient::State {
  State(const std::string &kernelFile, const Grid &g, const Mesh &m, const GradientOptions &o)
      : file(kernelFile), grid(g), mesh(m), options(o),
        kernel(derived(file, "", "nufft?", grid, options)), // it is not summed itself
        pool(std::make_shared<Pool>(options.threads > 0 ? options.threads : usableThreads())),
        direct(kernel,
               derived(file, grid.complexQ() ? "adjoint" : "adjoint-real", "direct", grid, options,
                       className(options.klass)),
               grid, options.target, options.klass, pool) {
    check(grid);
    giveRoles(mesh, rolesOf(*kernel));
    direct.setMesh(mesh);
    direct.setLeave(options.leave);
    if (direct.readsSums())
      planSums();
  }

  std::string file;
  Grid grid;
  Mesh mesh;
  GradientOptions options;
  Kernel kernel;
  std::shared_ptr<Pool> pool;
  DirectAdjoint direct;
  std::optional<Kernel> tangent, sumsKernel;
  std::unique_ptr<WaveAdjoint> waves; // null unless transforms are looked at or taken
  std::unique_ptr<Plan> sums;         // direct sums of the term at each q; null if finish is linear
  std::unique_ptr<Plan> fastSums;     // the same, to `closer` of the accuracy; null until needed
  bool fastAreClose = true;           // fastSums meet their accuracy, as far as is known
  bool chosen = false;
  double tolerance = 0;      // of the transforms; 0: direct sums
  bool trusted = false;      // this tolerance met the contract at many records
  std::int64_t compared = 0; // records of the sequence of sampleOf() so far
  GradientRun last;

  PlanOptions planOptions() const {
    PlanOptions plan;
    plan.target = options.target;
    plan.threads = options.threads;
    return plan;
  }
  void planSums() {
    PlanOptions plan = planOptions();
    plan.algorithm = FACET_DIRECT;
    plan.klass = FACET_F64;
    sumsKernel = derived(file, "sums", "direct", grid, options, className(*plan.klass));
    sums = std::make_unique<Plan>(*sumsKernel, grid, mesh, plan);
  }

  /// The sums over records at each q, in f64; null if finish is linear.
  const std::vector<std::complex<double>> *directSums(const std::vector<double> &params) {
    return sums ? &sums->execute(params) : nullptr;
  }
  /// The same sums by what takes the least time; by direct sums if nothing else is as accurate.
  const std::vector<std::complex<double>> *closeSums(const std::vector<double> &params) {
    if (sums && !fastSums && fastAreClose && options.speed == 0) // a plan would measure speeds
      planFastSums(params);
    if (fastAreClose && fastSums)
      fastAreClose = executeToContract(*fastSums, params).met;
    return fastAreClose && fastSums ? &fastSums->values() : directSums(params);
  }
  void planFastSums(const std::vector<double> &params) {
    PlanOptions plan = planOptions();
    plan.params = params;
    plan.accuracy = std::max(closer * options.accuracy, mostAccuracy);
    try {
      fastSums = std::make_unique<Plan>(derived(file, "sums", "direct,nufft?", grid, options), grid,
                                        mesh, plan);
    } catch (const Error &) { // no way to sum is expected to be as accurate
      fastAreClose = false;
    }
  }

  void setMesh(const Mesh &m) {
    trusted = trusted && m.size() == mesh.size(); // else it is no step of the same mesh
    mesh = m;
    giveRoles(mesh, rolesOf(*kernel));
    direct.setMesh(mesh);
    if (sums)
      sums->setMesh(mesh);
    if (fastSums)
      fastSums->setMesh(mesh);
    if (waves)
      waves->setMesh(mesh);
  }

  void checkCotangent(const std::vector<std::complex<double>> &g) const {
    const std::size_t size = outputsOf(*kernel).size() * static_cast<std::size_t>(grid.size());
    if (g.size() != size)
      throw Error("the cotangent", fmt::format("has {} numbers, and F has {}", g.size(), size),
                  "give one for each q and output");
    const auto bad = std::ranges::find_if(g, [](const std::complex<double> &z) {
      return !std::isfinite(z.real()) || !std::isfinite(z.imag());
    });
    if (bad != g.end())
      throw Error("the cotangent", fmt::format("number {} is not finite", bad - g.begin()),
                  "give 0 where F does not count");
  }

  /// Makes `waves`. Returns why transforms cannot be taken; empty if they can.
  std::string makeWaves(const std::vector<double> &params) {
    if (!tangent)
      tangent = derived(file, "tangent", "nufft?", grid, options);
    if (findTransforms(*tangent, grid.complexQ() ? FACET_COMPLEX_Q : FACET_REAL_Q) == nullptr)
      return (*tangent)->no_nufft != nullptr ? (*tangent)->no_nufft : "it has no transforms";
    waves = std::make_unique<WaveAdjoint>(*tangent, direct.columnNames(), grid, pool);
    waves->setMesh(mesh);
    waves->setParams(params);
    const std::string why = waves->refusal(options.accuracy);
    if (!why.empty())
      waves.reset();
    return why;
  }

  ColumnGradient bySums(const std::vector<std::complex<double>> &g,
                        const std::vector<double> &params) {
    direct.setCotangent(g, directSums(params), params, false);
    return direct.columns();
  }
  /// Seconds that bySums() is expected to take; some numbers stand for the sums at q.
  double expectedBySums(const std::vector<std::complex<double>> &g,
                        const std::vector<double> &params) {
    if (options.speed > 0)
      return static_cast<double>(grid.size() * mesh.size()) / (options.speed * pool->active());
    const auto size = static_cast<std::size_t>(grid.size());
    const std::vector<std::complex<double>> some(sums ? size * outputsOf(**sumsKernel).size() : 0,
                                                 1);
    direct.setCotangent(g, sums ? &some : nullptr, params, false);
    return direct.expected() + (sums ? sums->choice().seconds : 0);
  }

  /// Chooses between direct sums and transforms.
  void choose(const std::vector<std::complex<double>> &g, const std::vector<double> &params) {
    const bool forced = options.algorithm.has_value();
    const double terms =
        options.calls * static_cast<double>(grid.size()) * static_cast<double>(mesh.size());
    if (forced ? *options.algorithm == FACET_DIRECT : terms < few) {
      last.reason = forced ? "forced" : "the problem is small";
      return;
    }
    const std::string why = makeWaves(params);
    if (forced && !why.empty())
      throw Error(std::string("kernel ") + kernel->name,
                  fmt::format("its derivatives cannot be summed by transforms: {}", why),
                  "leave out the algorithm, or take direct sums");
    last.reason = why.empty() ? "forced" : fmt::format("no transforms: {}", why);
    if (!why.empty())
      return;
    if (!forced) {
      const double bySums = expectedBySums(g, params);
      const double first =
          std::min(1.0, static_cast<double>(atFirst) / static_cast<double>(mesh.size()));
      const double byWaves = waves->expected(options.accuracy) + first * bySums;
      last.reason = fmt::format("direct {:.2g} s, transforms {:.2g} s expected", bySums, byWaves);
      if (bySums < byWaves)
        return waves.reset();
    }
    tolerance = options.accuracy;
  }

  ColumnGradient columns(const std::vector<std::complex<double>> &g,
                         const std::vector<double> &given) {
    const Stopwatch watch;
    checkCotangent(g);
    const std::vector<double> params = given.empty() ? likelyParameters(*kernel) : given;
    if (std::ssize(params) != kernel->param_count)
      throw Error(std::string("kernel ") + kernel->name,
                  fmt::format("takes {} parameters, got {}", kernel->param_count, params.size()),
                  "give the numbers of all of them");
    if (!chosen)
      choose(g, params);
    chosen = true;
    ColumnGradient made = tolerance > 0 ? byWaves(g, params) : bySums(g, params);
    last.algorithm = tolerance > 0 ? FACET_NUFFT : FACET_DIRECT;
    last.tolerance = tolerance;
    last.device = tolerance > 0 ? "" : direct.device();
    last.seconds = watch.seconds();
    return made;
  }

  /// Sums by transforms and measures the error; with less tolerance until the contract is met, at
  /// last by direct sums.
  ColumnGradient byWaves(const std::vector<std::complex<double>> &g,
                         const std::vector<double> &params) {
    waves->setParams(params);
    const ColumnGradient origin = ofOrigin(g, params);
    direct.setCotangent(g, closeSums(params), params, false);
    while (tolerance > 0 && waves->refusal(tolerance).empty()) {
      ColumnGradient made = waves->columns(g, tolerance);
      for (const auto &[name, values] : origin) {
        std::vector<double> &to = made[name];
        to.resize(values.size());
        std::ranges::transform(to, values, to.begin(), std::plus());
      }
      const Peaks peaks = peaksOf(made, *pool);
      const std::int64_t count = trusted ? later : atFirst;
      const std::vector<std::int64_t> places = sampleOf(peaks, mesh.size(), compared, count);
      compared += count;
      const ColumnGradient reference = direct.columns(&places);
      last.error = errorOf(made, peaks, reference, places);
      for (const auto &[name, values] : reference) // 0 for columns that F does not depend on
        made[name].resize(static_cast<std::size_t>(mesh.size()));
      trusted = last.error <= allowed * options.accuracy;
      if (trusted)
        return made;
      const double less = tolerance * std::min(0.1, 0.5 * allowed * options.accuracy / last.error);
      tolerance = tolerance == leastOfTransforms ? 0 : std::max(less, leastOfTransforms);
    }
    tolerance = 0;
    last.error = 0;
    last.reason = "transforms missed the accuracy";
    return bySums(g, params);
  }

  /// What q = 0 adds if `origin` sets F there; empty if it does not.
  ColumnGradient ofOrigin(const std::vector<std::complex<double>> &g,
                          const std::vector<double> &params) {
    if (!direct.hasOrigin())
      return {};
    direct.setCotangent(g, nullptr, params, true);
    return direct.columns();
  }
};

Gradient::Gradient(const std::string &kernelFile, const Grid &grid, const Mesh &mesh,
                   const GradientOptions &options)
    : state_(std::make_unique<State>(kernelFile, grid, mesh, options)) {}
Gradient::Gradient(Gradient &&) noexcept = default;
Gradient &Gradient::operator=(Gradient &&) noexcept = default;
Gradient::~Gradient() = default;

void Gradient::setMesh(const Mesh &mesh) { state_->setMesh(mesh); }
const GradientRun &Gradient::last() const { return state_->last; }

ColumnGradient Gradient::columns(const std::vector<std::complex<double>> &cotangent,
                                 const std::vector<double> &params) {
  return state_->columns(cotangent, params);
}

Corners Gradient::corners(const std::vector<std::complex<double>> &cotangent,
                          const std::vector<double> &params) {
  const ColumnGradient by = columns(cotangent, params);
  const Mesh &mesh = state_->mesh;
  Corners made(static_cast<std::size_t>(mesh.size()));
  constexpr std::int64_t some = 2048; // triangles
  const auto part = [&](std::int64_t task, int) {
    const std::int64_t first = task * some;
    byCorners(mesh, by, first, std::min(some, mesh.size() - first), made.data() + first);
  };
  state_->pool->run(quotientUp(mesh.size(), some), part, {},
                    seconds::ofRecord * static_cast<double>(mesh.size()));
  return made;
}

} // namespace facet::runtime
