// waves_adjoint.cpp - the adjoint of a kernel by transforms, in four steps. First the transforms
// that finish reads if it is not linear. Then the cotangent times what F changes by with each of
// the others, their adjoint, and its numbers times the strengths of each column.
#include "runtime/engine/derive/waves_adjoint.h"
#include "runtime/engine/derive/slopes.h"
#include "runtime/engine/sum/nodes/nodes.h"
#include "runtime/engine/sum/sums.h"
#include "runtime/engine/system/budget.h"
#include <algorithm>
#include <cmath>
#include <facet/runtime/error.h>
#include <numeric>
#include <optional>

namespace facet::runtime {
namespace {

using Complex = std::complex<double>;
using Values = std::vector<Complex>;

} // namespace

struct WaveAdjoint::State {
  State(const Kernel &kernel, const std::vector<std::string> &columns, const Grid &g,
        std::shared_ptr<Pool> threads)
      : tangent(kernel), grid(g), pool(std::move(threads)),
        form(*findTransforms(tangent, kindOf(grid))), records(*tangent),
        zeros(tangent->origin != nullptr ? zeroPoints(grid) : std::vector<std::int64_t>{}),
        work{tangent, grid, records, *pool, params, zeros, silent} {
    for (int c = 0; c < tangent->column_count; ++c)
      for (const std::string &name : columns)
        if (tangent->columns[c] == "d_" + name)
          directions.push_back({static_cast<std::size_t>(c), name});
    std::set<std::string> still;
    for (const Direction &d : directions)
      still.insert("d_" + d.name);
    records.setZero(std::move(still));
  }

  /// A column d_NAME of the tangent kernel.
  struct Direction {
    std::size_t place; // among the kernel's columns
    std::string name;  // NAME
  };

  const Kernel &tangent;
  Grid grid;
  std::shared_ptr<Pool> pool;
  const facet_transforms &form;
  Records records;
  std::vector<double> params; // of the tangent kernel
  std::vector<std::int64_t> zeros;
  std::function<void(double, double)> silent;
  SumContext work;
  std::vector<Direction> directions;
  std::unique_ptr<WaveRecords> waves;
  Mesh corners;     // if records are nodes of triangles
  double ruled = 0; // the tolerance of the rules; 0: there are none
  std::shared_ptr<const NodeRules> rules;
  std::vector<std::int64_t> owners;          // the triangle of each node
  std::optional<Slopes> slopes;              // of the parameters; of the records, if some sums stay
  double slopesAt = 0;                       // the tolerance of the sums that stay
  std::map<int, NufftTransforms> transforms, // of each wave: of what changes with the columns
      forward;                               // of the kernel itself

  /// Waves take places as they are, so no frame is looked for if it would be for waves only.
  void setMesh(const Mesh &mesh) {
    if (form.totals > 0)
      records.setMesh(mesh, pool.get());
    else
      records.setMesh(mesh, Frame(), pool.get());
    if (form.nodes != 0)
      corners = mesh;
    ruled = 0;
    changed();
  }

  void setParams(const std::vector<double> &values) {
    std::vector<double> all = values;
    all.resize(static_cast<std::size_t>(tangent->param_count), 0.0);
    if (all == params)
      return;
    params = all;
    slopes.reset();
    changed();
  }

  void changed() {
    if (!waves)
      waves = std::make_unique<WaveRecords>(work, form);
    waves->setRules(rules);
    if (slopesAt > 0)
      slopes.reset();
  }

  /// Whether a transform is one of the kernel itself: its strengths are not 0 while nothing
  /// changes.
  bool stays(int j) const { return waves->size(j) != 0; }
  /// The transforms of a wave that stay, or those that do not.
  std::vector<int> ofWave(int wave, bool staying) const {
    std::vector<int> some = waves->of(wave);
    std::erase_if(some, [&](int j) { return stays(j) != staying; });
    return some;
  }

  /// Rules of nodes for a tolerance, and the triangle of each node.
  void setRules(double tolerance) {
    if (form.nodes == 0 || ruled == tolerance)
      return;
    ruled = tolerance;
    rules = std::make_shared<const NodeRules>(corners, shellsOfDerivatives(grid, tolerance));
    owners.clear();
    for (std::int64_t t = 0; t < rules->triangles(); ++t)
      owners.resize(static_cast<std::size_t>(rules->nodesBefore(t + 1)), t);
    changed();
  }

  TransformOptions how(double tolerance) const {
    TransformOptions made;
    made.tolerance = made.accuracy = tolerance;
    made.threads = pool->active();
    return made;
  }

  /// The request for what changes; without slopes it has as many transforms as there may be.
  NufftRequest request(int wave, double tolerance) const {
    NufftRequest made = requestOf(*waves, wave, grid, how(tolerance));
    made.transforms = static_cast<int>(slopes ? slopes->waves[static_cast<std::size_t>(wave)].size()
                                              : ofWave(wave, false).size());
    if (slopes)
      made.powers = powers(wave);
    if (!made.scalars.empty())
      made.scalars = scalars(wave);
    return made;
  }
  /// Powers of q that the transforms of a wave are multiplied by; none if 1 is the only one.
  std::vector<NufftPowers> powers(int wave) const {
    std::vector<NufftPowers> all{{}};
    for (const SharedTransform &of : slopes->waves[static_cast<std::size_t>(wave)])
      for (const SharedTransform::Member &member : of.transforms)
        if (std::ranges::find(all, member.power) == all.end())
          all.push_back(member.power);
    return all.size() > 1 ? all : std::vector<NufftPowers>{};
  }
  /// Axes that have powers: real ones that vary. On an axis of nodes q.r is interpolated, so that
  /// it has none.
  PowerAxes powerAxes(int wave, double tolerance) const {
    PowerAxes axes{};
    if (!waves->hasPoints(wave) || ofWave(wave, false).empty())
      return axes;
    const NufftLayout layout = layOutNufft(grid, request(wave, tolerance));
    for (std::size_t d = 0; d < 3 && layout.possible(); ++d) {
      const Axis &q = grid.axes[d];
      axes[d] = layout.axes[d] != NufftAxis::Nodes && !q.isComplex() &&
                std::ranges::any_of(q.re, [&](double value) { return value != q.re.front(); });
    }
    return axes;
  }
  /// The request for what stays.
  NufftRequest forwardRequest(int wave, double tolerance) const {
    NufftRequest made = requestOf(*waves, wave, grid, how(tolerance));
    made.transforms = static_cast<int>(ofWave(wave, true).size());
    return made;
  }
  /// All requests with transforms in them.
  std::vector<NufftRequest> requests(double tolerance) const {
    std::vector<NufftRequest> all;
    for (int wave = 0; wave < form.waves; ++wave)
      for (const NufftRequest &each : {request(wave, tolerance), forwardRequest(wave, tolerance)})
        if (each.transforms > 0)
          all.push_back(each);
    return all;
  }

  /// The scalars with as many nodes as the strengths of any column need. A column is set to 1 for
  /// that: with the mesh as it is, these strengths are 0.
  std::vector<NufftScalar> scalars(int wave) const {
    const std::vector<NufftScalar> all = scalarsOf(form, grid, params, *pool);
    const SampledRecords still = sampledRecords(waves->source());
    const auto samples = std::make_shared<std::vector<SampledRecords>>(directions.size(), still);
    std::vector<std::vector<NufftScalar>> each;
    for (std::size_t d = 0; d < directions.size(); ++d) {
      std::ranges::fill((*samples)[d].columns[directions[d].place], 1.0);
      each.push_back(countedScalars(form, wave, all, params, (*samples)[d]));
    }
    std::vector<NufftScalar> most = each.front();
    for (std::size_t s = 0; s < most.size(); ++s)
      most[s].count = [each, samples, s](double low, double high, double tolerance) {
        int nodes = 1;
        for (const std::vector<NufftScalar> &own : each) {
          const int needed = own[s].count(low, high, tolerance);
          nodes = needed == 0 || nodes == 0 ? 0 : std::max(nodes, needed);
        }
        return nodes;
      };
    return most;
  }

  NufftTransforms &transformsOf(std::map<int, NufftTransforms> &all, int wave,
                                const NufftRequest &wanted) {
    if (const auto known = all.find(wave); known != all.end()) {
      known->second.expect(wanted);
      return known->second;
    }
    NufftTransforms &made = all.emplace(wave, NufftTransforms(grid, wanted)).first->second;
    made.setParallel([this](std::int64_t tasks, const std::function<void(std::int64_t)> &task) {
      pool->run(tasks, [&](std::int64_t i, int) { task(i); });
    });
    return made;
  }

  ColumnGradient columns(const Values &g, double tolerance) {
    prepare(tolerance);
    ColumnGradient gradient;
    for (const Direction &d : directions)
      gradient[d.name].assign(static_cast<std::size_t>(waves->source().size()), 0.0);
    for (int wave = 0; wave < form.waves; ++wave)
      if (!slopes->waves[static_cast<std::size_t>(wave)].empty())
        addWave(wave, g, tolerance, gradient);
    addTotals(g, gradient);
    if (rules)
      for (auto &[name, values] : gradient)
        values = ofTriangles(values);
    return gradient;
  }

  void addWave(int wave, const Values &g, double tolerance, ColumnGradient &gradient) {
    std::vector<Values> in;
    for (const SharedTransform &of : slopes->waves[static_cast<std::size_t>(wave)])
      in.push_back(of.slope.cotangent(g, *pool));
    std::vector<const Complex *> at;
    for (const Values &values : in)
      at.push_back(values.data());
    const auto take = [&](std::span<const double> u, std::span<const Complex *const> back) {
      add(wave, u, back, gradient);
    };
    transformsOf(transforms, wave, request(wave, tolerance)).adjoint(waves->points(wave), at, take);
  }

  /// Adds up the values over the nodes of each triangle.
  std::vector<double> ofTriangles(const std::vector<double> &nodes) const {
    std::vector<double> made(static_cast<std::size_t>(records.size()));
    for (std::size_t k = 0; k < nodes.size(); ++k)
      made[static_cast<std::size_t>(owners[k])] += nodes[k];
    return made;
  }

  /// Makes points and strengths.
  void fill(double tolerance) {
    setRules(tolerance);
    waves->fill(true);
  }
  /// Makes slopes too.
  void prepare(double tolerance) {
    fill(tolerance);
    if (slopesAt > 0 ? slopesAt != tolerance : someStay())
      slopes.reset();
    if (slopes)
      return;
    std::vector<PowerAxes> axes;
    for (int wave = 0; wave < form.waves; ++wave)
      axes.push_back(powerAxes(wave, tolerance));
    slopes = slopesOf(work, form, fixedSums(tolerance), axes);
    slopesAt = someStay() ? tolerance : 0;
  }
  /// Makes what an estimate needs: slopes too, unless they take transforms.
  void prepareEstimate(double tolerance) {
    fill(tolerance);
    if (!someStay())
      prepare(tolerance);
  }
  bool someStay() const {
    bool some = false;
    for (int j = 0; j < form.transforms; ++j)
      some |= stays(j);
    for (int k = 0; k < form.totals; ++k)
      some |= totalStays(k);
    return some;
  }
  bool totalStays(int k) const { // numbers() has sums, then sums of moduli
    return waves->totals().numbers()[static_cast<std::size_t>(2 * form.totals + k)] != 0;
  }

  FixedSums fixedSums(double tolerance) {
    FixedSums made;
    made.transforms.resize(static_cast<std::size_t>(form.transforms));
    for (int wave = 0; wave < form.waves; ++wave)
      if (const std::vector<int> own = ofWave(wave, true); !own.empty())
        sumForward(wave, own, tolerance, made);
    if (form.totals > 0)
      made.totals.assign(waves->totals().values(), waves->totals().values() + 2 * form.totals);
    for (int k = 0; k < form.totals; ++k)
      made.total.push_back(totalStays(k));
    return made;
  }

  void sumForward(int wave, const std::vector<int> &own, double tolerance, FixedSums &made) {
    const auto nq = static_cast<std::size_t>(grid.size());
    const auto to = [&](int j) -> std::vector<double> & {
      return made.transforms[static_cast<std::size_t>(j)];
    };
    std::vector<int> summed = waves->hasPoints(wave) ? own : waves->of(wave);
    std::vector<double *> out;
    for (const int j : summed)
      to(j).resize(static_cast<std::size_t>(form.parts[j]) * nq);
    for (const int j : summed)
      out.push_back(to(j).data());
    if (waves->hasPoints(wave))
      return transformForward(wave, own, tolerance, out);
    sumLowRank(*waves, wave, grid, how(tolerance), *pool, out);
    for (const int j : ofWave(wave, false))
      to(j).clear();
  }

  void transformForward(int wave, const std::vector<int> &own, double tolerance,
                        const std::vector<double *> &out) {
    NufftTransforms &made = transformsOf(forward, wave, forwardRequest(wave, tolerance));
    const bool kept = made.layout().request.scalars.empty();
    const std::vector<int> all = waves->of(wave);
    const auto n = static_cast<std::size_t>(waves->source().size());
    std::vector<double> room(kept ? 0 : 2 * all.size() * n);
    std::vector<double *> refilled;
    std::vector<const Complex *> strengths;
    std::vector<Complex *> results;
    for (std::size_t k = 0; k < all.size(); ++k) {
      refilled.push_back(kept ? nullptr : room.data() + 2 * k * n);
      if (stays(all[k]))
        strengths.push_back(
            reinterpret_cast<const Complex *>(kept ? waves->strengths(all[k]) : refilled[k]));
    }
    for (double *to : out)
      results.push_back(reinterpret_cast<Complex *>(to));
    const auto at = [&](std::span<const double> u) {
      if (!kept)
        waves->strengthsAt(wave, u, refilled);
      return std::span<const Complex *const>(strengths);
    };
    made.execute(waves->points(wave), at, results);
  }

  /// Adds the derivatives through the sums of the records alone.
  void addTotals(const Values &g, ColumnGradient &gradient) const {
    Values cotangents;
    for (const Slope &slope : slopes->totals) {
      const Values at = slope.linear.empty() ? Values() : slope.cotangent(g, *pool);
      cotangents.push_back(std::accumulate(at.begin(), at.end(), Complex(0)));
    }
    if (cotangents.empty())
      return;
    const auto some = [&](std::int64_t task, int) {
      Source::Part part;
      waves->source().read(task, false, part);
      for (const Direction &d : directions)
        addTotals(d, part, cotangents, gradient.at(d.name).data() + part.first);
    };
    pool->run(waves->source().parts(), some, {},
              seconds::ofRecord *
                  static_cast<double>(waves->source().size() * std::ssize(directions)));
  }

  void addTotals(const Direction &d, const Source::Part &part, const Values &cotangents,
                 double *to) const {
    const double one = 1;
    Values own(cotangents.size());
    std::vector<double> sizes(cotangents.size());
    for (std::int64_t t = 0; t < part.count; ++t) {
      std::vector<const double *> columns;
      for (const double *column : part.columns)
        columns.push_back(column + t);
      columns[d.place] = &one;
      form.totals_fn(columns.data(), 1, params.data(), reinterpret_cast<double *>(own.data()),
                     sizes.data());
      for (std::size_t k = 0; k < own.size(); ++k)
        to[t] += 2 * (std::conj(cotangents[k]) * own[k]).real();
    }
  }

  /// Adds 2 Re of conj(back) times the strengths of each column.
  void add(int wave, std::span<const double> u, std::span<const Complex *const> back,
           ColumnGradient &gradient) const {
    const std::vector<double> values = withScalars(form, wave, params, u);
    std::vector<double *> to;
    for (const Direction &d : directions)
      to.push_back(gradient[d.name].data());
    const auto one = [&](std::int64_t task, int) {
      Source::Part part;
      waves->source().read(task, false, part);
      addPart(wave, values, part, back, to);
    };
    pool->run(waves->source().parts(), one, {},
              seconds::ofRecord *
                  static_cast<double>(waves->source().size() * std::ssize(directions)));
  }

  void addPart(int wave, const std::vector<double> &values, const Source::Part &part,
               std::span<const Complex *const> back, const std::vector<double *> &to) const {
    constexpr std::int64_t some = 128; // records: their strengths stay in the nearest cache
    const std::vector<NufftPowers> all = powers(wave);
    const std::vector<double> ones(some, 1.0);
    const auto room = std::make_unique_for_overwrite<double[]>(
        some * static_cast<std::size_t>(3 * form.waves + 2 * form.transforms));
    std::vector<double *> points, b;
    for (int k = 0; k < 3 * form.waves; ++k)
      points.push_back(room.get() + k * some);
    for (int j = 0; j < form.transforms; ++j)
      b.push_back(room.get() + (3 * form.waves + 2 * j) * some);
    const facet_waves_fn fill =
        form.refill != nullptr && form.refill[wave] != nullptr ? form.refill[wave] : form.fill;
    for (std::int64_t first = 0; first < part.count; first += some) {
      const std::int64_t n = std::min(some, part.count - first), at = part.first + first;
      std::vector<const double *> columns = part.columns;
      for (const double *&column : columns)
        column += first;
      for (std::size_t d = 0; d < directions.size(); ++d) {
        const double *still = std::exchange(columns[directions[d].place], ones.data());
        fill(columns.data(), n, values.data(), points.data(), b.data());
        columns[directions[d].place] = still;
        addProducts(wave, all, b, back, at, n, to[d] + at);
      }
    }
  }

  /// The same for some records, those from `at` on.
  void addProducts(int wave, const std::vector<NufftPowers> &all, const std::vector<double *> &b,
                   std::span<const Complex *const> back, std::int64_t at, std::int64_t n,
                   double *to) const {
    const std::vector<SharedTransform> &own = slopes->waves[static_cast<std::size_t>(wave)];
    for (std::size_t k = 0; k < own.size(); ++k)
      for (const SharedTransform::Member &member : own[k].transforms) {
        const std::size_t power = std::ranges::find(all, member.power) - all.begin();
        const std::size_t place = all.empty() ? k : k * all.size() + power;
        addProducts(member, b[static_cast<std::size_t>(member.transform)], back[place] + at, n, to);
      }
  }

  void addProducts(const SharedTransform::Member &of, const double *from, const Complex *back,
                   std::int64_t n, double *to) const {
    const Complex f = of.times;
    if (areZero(from, form.parts[of.transform] * n)) // true for most columns and transforms
      return;
    if (form.parts[of.transform] == 1)
      for (std::int64_t t = 0; t < n; ++t)
        to[t] += 2 * from[t] * (back[t].real() * f.real() + back[t].imag() * f.imag());
    else
      for (std::int64_t t = 0; t < n; ++t) {
        const double re = f.real() * from[2 * t] - f.imag() * from[2 * t + 1];
        const double im = f.real() * from[2 * t + 1] + f.imag() * from[2 * t];
        to[t] += 2 * (back[t].real() * re + back[t].imag() * im);
      }
  }

  std::string refusal(double tolerance) {
    if (form.mixed != nullptr)
      return "a condition of q and the record chooses between its terms";
    prepareEstimate(tolerance);
    for (const NufftRequest &each : requests(tolerance))
      if (const NufftLayout layout = layOutNufft(grid, each); !layout.possible())
        return layout.refusal;
    return "";
  }

  double expected(double tolerance) {
    prepareEstimate(tolerance);
    double all = 0;
    for (const NufftRequest &each : requests(tolerance)) {
      const NufftLayout layout = layOutNufft(grid, each);
      all += layout.possible() ? nufftCost(layout, {}).execute() : HUGE_VAL;
    }
    const double fill =
        seconds::ofRecord * static_cast<double>(waves->source().size() * std::ssize(directions));
    return all + fill / pool->active();
  }
};

WaveAdjoint::WaveAdjoint(const Kernel &tangent, const std::vector<std::string> &columns,
                         const Grid &grid, std::shared_ptr<Pool> pool)
    : state_(std::make_unique<State>(tangent, columns, grid, std::move(pool))) {}
WaveAdjoint::~WaveAdjoint() = default;
std::string WaveAdjoint::refusal(double tolerance) { return state_->refusal(tolerance); }
void WaveAdjoint::setMesh(const Mesh &mesh) { state_->setMesh(mesh); }
void WaveAdjoint::setParams(const std::vector<double> &params) { state_->setParams(params); }
ColumnGradient WaveAdjoint::columns(const Values &g, double tolerance) {
  return state_->columns(g, tolerance);
}
double WaveAdjoint::expected(double tolerance) { return state_->expected(tolerance); }

} // namespace facet::runtime
