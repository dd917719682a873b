// gradient.cpp - the adjoint of a kernel carried out: a direct sum whose points are the records of the mesh and whose records are
// the q of the grid, each with its cotangent.
#include "runtime/kernel/inside.h"
#include "runtime/plan/grid/points.h"
#include "runtime/plan/sums/sums.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <facet/runtime/gradient.h>
#include <fmt/format.h>
#include <numeric>

namespace facet::runtime {

namespace {

/// The library of the kernel, or of one made of it.
Kernel derived(const std::string &file, const std::string &derive, const Grid &grid,
               const GradientOptions &options) {
  const bool adjoint = derive.starts_with("adjoint");
  CompileRequest request;
  request.target = options.target.empty() ? bestTarget() : options.target;
  request.grid = adjoint || grid.kind == Grid::Kind::Points ? FACET_POINTS : FACET_PRODUCT;
  request.q = adjoint || !grid.complexQ() ? FACET_REAL_Q : FACET_COMPLEX_Q;
  request.kernel = options.kernel;
  request.algorithms = derive == "tangent" ? "all" : "direct"; // which plans choose of
  request.derive = derive;
  return Kernel::load(compileKernel(file, request).library);
}

} // namespace

Kernel tangentKernel(const std::string &kernelFile, const Grid &grid,
                     const GradientOptions &options) {
  return derived(kernelFile, "tangent", grid, options);
}

struct Gradient::State {
  State(const std::string &file, const Grid &g, const Mesh &m, const GradientOptions &o)
      : grid(g), mesh(m), options(o), kernel(derived(file, "", grid, options)),
        adjoint(derived(file, grid.complexQ() ? "adjoint" : "adjoint-real", grid, options)),
        records(*adjoint), pool(options.threads > 0 ? options.threads : usableThreads()) {
    check(grid);
    variant = findVariant(adjoint, adjoint.chooseTarget(options.target), options.klass,
                          FACET_POINTS, FACET_REAL_Q, FACET_DIRECT);
    if (variant == nullptr)
      throw Error(whereIs(adjoint),
                  fmt::format("holds no sum of class {}", className(options.klass)),
                  "this is a fault of facet", Exit::Failed);
    if (kernel->origin != nullptr)
      zeros = zeroPoints(grid);
    points();
    needSums(file);
  }

  Grid grid;
  Mesh mesh;
  GradientOptions options;
  Kernel kernel, adjoint;
  Grid list; // as many points as the mesh has records; q means nothing there
  Mesh qs;   // the q as records; tables: the mesh's columns
  Records records;
  Pool pool;
  std::vector<double> params;
  std::vector<std::int64_t> zeros; // q = 0 exactly
  std::vector<std::int64_t> all;   // points, which sums are not to judge: see mustBeFinite
  const facet_variant *variant = nullptr;
  std::unique_ptr<Plan> sums; // of the term at each q; null where finish is linear

  /// The mesh's columns, padded as points are.
  void points() {
    const std::int64_t n = mesh.size();
    if (n == 0)
      throw Error(mesh.name, "the mesh is empty", "a sum needs at least one record");
    list.kind = Grid::Kind::Points;
    for (Axis &axis : list.axes)
      axis.re.assign(static_cast<std::size_t>(n), 0.0);
    all.resize(static_cast<std::size_t>(n));
    std::iota(all.begin(), all.end(), 0);
    const auto padded = static_cast<std::size_t>(roundUp(n, variant->pad[0]));
    for (int c = 0; c < adjoint->axis_column_count; ++c) {
      const std::string name = adjoint->axis_columns[c].name;
      std::vector<double> values = column(mesh, name);
      values.resize(padded, values.back());
      qs.tables[name] = AxisTable(1, static_cast<std::int64_t>(padded), std::move(values));
    }
    qs.name = "the cotangent";
  }

  void needSums(const std::string &file) {
    for (int c = 0; c < adjoint->column_count; ++c)
      if (std::strncmp(adjoint->columns[c], "sum", 3) == 0) {
        PlanOptions plan;
        plan.algorithm = FACET_DIRECT;
        plan.klass = FACET_F64;
        plan.target = options.target;
        plan.threads = options.threads;
        sums = std::make_unique<Plan>(derived(file, "sums", grid, options), grid, mesh, plan);
        return;
      }
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

  /// The q as records.
  void setQ(const std::vector<std::complex<double>> &g) {
    const std::int64_t n = grid.size();
    std::vector<std::int64_t> taken;
    std::complex<double> atZero = 0;
    for (std::int64_t i = 0; i < n; ++i)
      if (std::ranges::binary_search(zeros, i))
        atZero += g[static_cast<std::size_t>(i)];
      else
        taken.push_back(i);
    if (kernel->origin != nullptr) {
      params.push_back(atZero.real());
      params.push_back(atZero.imag());
    }
    if (taken.empty())
      taken.push_back(-1); // one q, whose cotangent is 0
    for (int c = 0; c < adjoint->column_count; ++c)
      qs.columns[adjoint->columns[c]] = columnOf(adjoint->columns[c], taken, g);
  }

  std::vector<double> columnOf(const std::string &name, const std::vector<std::int64_t> &taken,
                               const std::vector<std::complex<double>> &g) const {
    const bool imaginary = name.ends_with(".im");
    const auto of = [&](std::int64_t i) -> std::complex<double> {
      if (i < 0)
        return name.starts_with("q.") ? 1 : 0;
      if (name.starts_with("q."))
        return grid.at(i)[static_cast<std::size_t>(name[2] - 'x')];
      const bool sum = name.starts_with("sum");
      const std::int64_t k = std::stol(name.substr(std::strlen(sum ? "sum" : "cotangent")));
      return (sum ? sums->values() : g)[static_cast<std::size_t>(k * grid.size() + i)];
    };
    std::vector<double> values;
    for (const std::int64_t i : taken)
      values.push_back(imaginary ? of(i).imag() : of(i).real());
    return values;
  }

  ColumnGradient columns(const std::vector<std::complex<double>> &g,
                         const std::vector<double> &given) {
    checkCotangent(g);
    params = given.empty() ? likelyParameters(*kernel) : given;
    if (std::ssize(params) != kernel->param_count)
      throw Error(std::string("kernel ") + kernel->name,
                  fmt::format("takes {} parameters, got {}", kernel->param_count, params.size()),
                  "give the numbers of all of them");
    if (sums)
      sums->execute(params);
    setQ(g);
    records.setMesh(qs);
    const std::function<void(double, double)> silent;
    const Work work{adjoint, list, records, pool, params, all, silent};
    Sums adjointSums(work, *variant);
    adjointSums.sum();
    const auto size = static_cast<std::size_t>(list.size());
    std::vector<std::complex<double>> made(outputsOf(*adjoint).size() * size);
    adjointSums.finish(made.data());
    ColumnGradient gradient;
    const std::complex<double> *at = made.data();
    for (const facet_output &output : outputsOf(*adjoint)) {
      std::vector<double> &values = gradient[output.name];
      for (std::size_t t = 0; t < size; ++t)
        values.push_back((at++)->real());
      mustBeFinite(output.name, values);
    }
    return gradient;
  }

  void mustBeFinite(const std::string &name, const std::vector<double> &values) const {
    const auto bad =
        std::ranges::find_if(values, [](double value) { return !std::isfinite(value); });
    if (bad != values.end())
      throw Error(std::string("kernel ") + kernel->name,
                  fmt::format("its derivative by column '{}' is not finite at record {}", name,
                              bad - values.begin()),
                  "F is not finite at a q, or has no derivative there: a root or a modulus of 0");
  }
};

Gradient::Gradient(const std::string &kernelFile, const Grid &grid, const Mesh &mesh,
                   const GradientOptions &options)
    : state_(std::make_unique<State>(kernelFile, grid, mesh, options)) {}
Gradient::Gradient(Gradient &&) noexcept = default;
Gradient &Gradient::operator=(Gradient &&) noexcept = default;
Gradient::~Gradient() = default;

ColumnGradient Gradient::columns(const std::vector<std::complex<double>> &cotangent,
                                 const std::vector<double> &params) {
  return state_->columns(cotangent, params);
}

Corners Gradient::corners(const std::vector<std::complex<double>> &cotangent,
                          const std::vector<double> &params) {
  return byCorners(state_->mesh, columns(cotangent, params));
}

} // namespace facet::runtime
