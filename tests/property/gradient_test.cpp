// gradient_test.cpp - derivatives by all corners against those along a direction, and these against
// differences of F; finite where F is; the same bits on any number of threads; what is refused.
#include "runtime/engine/sum/points.h"
#include "tests/unit/run/refusal.h"
#include <facet/runtime/gradient.h>
#include <facet/runtime/mesh.h>
#include <facet/runtime/plan.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <random>

namespace facet::runtime {
namespace {

using Values = std::vector<std::complex<double>>;
struct Draw {
  std::mt19937_64 engine{1};
  double operator()() { return static_cast<double>(engine() >> 11) * 0x1p-52 - 1; }
  Values values(std::size_t n) {
    Values made(n);
    for (std::complex<double> &z : made) {
      const double re = (*this)();
      z = {re, (*this)()};
    }
    return made;
  }
  Corners corners(const Mesh &mesh) {
    Corners made(mesh.triangles.size());
    for (auto &triangle : made)
      for (Vec3 &v : triangle)
        for (double &x : v)
          x = (*this)();
    return made;
  }
};

/// The largest modulus.
template <class T> double largestOf(const std::vector<T> &values) {
  double largest = 0;
  for (const T &z : values)
    largest = std::max(largest, std::abs(z));
  return largest;
}

/// By the largest of each column.
void expectNear(const ColumnGradient &found, const ColumnGradient &wanted, double tolerance) {
  for (const auto &[name, values] : wanted) {
    ASSERT_TRUE(found.contains(name)) << name;
    const double most = tolerance * largestOf(values);
    for (std::size_t t = 0; t < values.size(); ++t)
      EXPECT_LE(std::abs(found.at(name).at(t) - values[t]), most) << name;
  }
}

std::string example(const std::string &name) { return std::string(KERNELS) + "/" + name + ".cpp"; }

/// A file of this name with the text after the includes.
std::string kernelFile(const std::string &name, const std::string &text) {
  const std::string path =
      (std::filesystem::temp_directory_path() / ("facet_" + name + ".cpp")).string();
  std::ofstream(path) << "#include <facet/dsl.h>\nusing namespace facet;\n" << text;
  return path;
}

/// F is not linear in its sums and has named outputs, one real; its tangent has ten components.
std::string nonlinear() {
  return kernelFile("nonlinear", R"(
struct Parts { cplx a; real b; cvec3 m; };
struct Out { cplx f; real size; };
struct FACET_KERNEL nonlinear {
  using Grid = product<real, real, cplx>;
  struct Params { real kappa = 0.5; };
  static Parts term(Grid::q q, const Triangle &t, const Params &p) {
    const real u = re(dot(q, t.edge1));
    return {t.area * mean_cis(q, t) * sinc(p.kappa * u), t.area * max(t.normal.z, 0) * u, cis(u) * t.normal};
  }
  static Out finish(Grid::q q, const Parts &s, const Params &p) {
    return {norm2(s.a) * s.a + p.kappa * conj(s.a) * s.b, abs(s.a) * s.b + norm2(s.m)};
  }
};
)");
}

Grid productGrid(bool complexQ, bool zero) {
  Grid grid;
  grid.axes = {linspace(-0.4, 0.6, 4), linspace(zero ? 0 : 0.1, 0.9, 3),
               linspace(zero ? 0 : 0.2, 1.1, 5)};
  if (zero)
    grid.axes[0] = linspace(-0.5, 0.5, 5);
  if (complexQ)
    grid.axes[2].im.assign(5, 0.03);
  return grid;
}

/// A library with direct sums in f64 alone, or with others, which is soon compiled.
Kernel directKernel(const std::string &file, const std::string &derive, const Grid &grid,
                    const std::string &algorithms = "direct") {
  CompileRequest request;
  request.target = bestTarget();
  request.grid = grid.kind == Grid::Kind::Product ? FACET_PRODUCT : FACET_POINTS;
  request.q = grid.complexQ() ? FACET_COMPLEX_Q : FACET_REAL_Q;
  request.algorithms = algorithms;
  request.klass = "f64";
  request.derive = derive;
  return Kernel::load(compileKernel(file, request).library);
}

Values inDouble(const Kernel &kernel, const Grid &grid, const Mesh &mesh,
                const std::vector<double> &params) {
  PlanOptions options;
  options.algorithm = FACET_DIRECT;
  options.klass = FACET_F64;
  return Plan(kernel, grid, mesh, options).execute(params);
}

Values changeOf(const std::string &file, const Grid &grid, const Mesh &mesh, const Corners &along,
                std::vector<double> params) {
  params.resize(2 * params.size()); // which do not change
  return inDouble(directKernel(file, "tangent", grid), grid, changing(mesh, along), params);
}

Values valuesOf(const std::string &file, const Grid &grid, Mesh mesh, const Corners &along,
                double by, const std::vector<double> &params) {
  for (std::size_t t = 0; t < along.size(); ++t)
    for (std::size_t c = 0; c < 3; ++c)
      for (std::size_t k = 0; k < 3; ++k)
        mesh.triangles[t][c][k] += by * along[t][c][k];
  return inDouble(directKernel(file, "", grid), grid, mesh, params);
}

/// <J v, g> = <v, J* g>, relative to the sum of what is added.
void expectAdjoint(const std::string &file, const Grid &grid, const Mesh &mesh,
                   const std::vector<double> &params = {}) {
  Draw draw;
  const Corners along = draw.corners(mesh);
  const Values change = changeOf(file, grid, mesh, along, params), g = draw.values(change.size());
  const Corners gradient = Gradient(file, grid, mesh).corners(g, params);
  double forward = 0, back = 0, size = 0;
  for (std::size_t k = 0; k < g.size(); ++k) {
    const double part = 2 * (std::conj(g[k]) * change[k]).real();
    ASSERT_TRUE(std::isfinite(part));
    forward += part;
    size += std::abs(part);
  }
  for (std::size_t t = 0; t < along.size(); ++t)
    for (std::size_t c = 0; c < 3; ++c)
      for (std::size_t k = 0; k < 3; ++k) {
        back += gradient[t][c][k] * along[t][c][k];
        size += std::abs(gradient[t][c][k] * along[t][c][k]);
      }
  EXPECT_GT(size, 0);
  EXPECT_LE(std::abs(forward - back), 1e-12 * size) << file;
}

Mesh box(int n = 2) { return makeMesh("box", {{"size", {3, 4, 5}}, {"n", {double(n)}}}); }

TEST(Gradient, IsTheAdjointOfTheChange) {
  expectAdjoint(example("born"), productGrid(false, false), box());
  for (const bool complexQ : {false, true})
    expectAdjoint(example("exact"), productGrid(complexQ, false), box());
}

TEST(Gradient, IsTheAdjointWhereFinishIsNotLinear) {
  const Mesh mesh = makeMesh("sphere", {{"radius", {3}}, {"n", {4}}});
  expectAdjoint(nonlinear(), productGrid(true, false), mesh, {0.7});
}

TEST(Gradient, TakesOriginAtZeroAndListsOfPoints) {
  expectAdjoint(example("exact"), productGrid(false, true), box());
  Grid list;
  list.kind = Grid::Kind::Points;
  // 0; along a normal; along an edge and a diagonal; tiny; without a square.
  list.axes[0].re = {0, 0, 0.7, 0.5, 1e-7, 1.0};
  list.axes[1].re = {0, 0, 0, 0.5, 0, 0};
  list.axes[2].re = {0, 0.8, 0, 0, 2e-7, 0};
  expectAdjoint(example("exact"), list, box());
  list.axes[2].im = {0, 0, 0, 0, 0, 1.0};
  expectAdjoint(example("exact"), list, box());
}

/// `change` is the derivative of `at(by)` at 0.
template <class At> void expectIsChangeOf(const At &at, const Values &change) {
  const double h = 1e-4;
  const Values far = at(2 * h), near = at(h), back = at(-h), last = at(-2 * h);
  const double largest = largestOf(change);
  EXPECT_GT(largest, 0);
  for (std::size_t k = 0; k < change.size(); ++k)
    EXPECT_LE(std::abs((8.0 * (near[k] - back[k]) - (far[k] - last[k])) / (12 * h) - change[k]),
              1e-8 * largest)
        << k;
}

TEST(Change, IsTheDifferenceOfF) {
  for (const auto &[file, params] :
       {std::pair<std::string, std::vector<double>>{example("exact"), {}}, {nonlinear(), {0.7}}}) {
    Draw draw;
    const Mesh mesh =
        rotated(box(1), {0.36, 0.48, -0.8, -0.8, 0.6, 0, 0.48, 0.64, 0.6}); // no kink is near
    const Grid grid = productGrid(true, false);
    const Corners along = draw.corners(mesh);
    SCOPED_TRACE(file);
    expectIsChangeOf([&](double by) { return valuesOf(file, grid, mesh, along, by, params); },
                     changeOf(file, grid, mesh, along, params));
  }
}

/// By q, on a mesh far from the origin: F is differentiated about the origin in any case.
TEST(Change, ByQIsTheDifferenceOfF) {
  Mesh mesh = box(1);
  for (auto &triangle : mesh.triangles)
    for (Vec3 &v : triangle)
      v[1] += 30;
  const Vec3 along = {0.3, -0.7, 0.5};
  for (Grid grid : {productGrid(false, false), productGrid(true, false)}) {
    const Values change = inDouble(directKernel(example("exact"), "tangent-q", grid), grid, mesh,
                                   {along.begin(), along.end()});
    const Kernel kernel = directKernel(example("exact"), "", grid);
    const auto at = [&](double by) {
      Grid moved = grid;
      for (std::size_t k = 0; k < 3; ++k)
        for (double &q : moved.axes[k].re)
          q += by * along[k];
      return inDouble(kernel, moved, mesh, {});
    };
    expectIsChangeOf(at, change);
  }
}

/// Derivatives of born by q on a list, by transforms, against direct sums; returns how.
std::string expectTransformed(const Mesh &mesh) {
  Grid grid;
  grid.kind = Grid::Kind::Points;
  Draw draw;
  for (int i = 0; i < 3000; ++i)
    for (std::size_t k = 0; k < 3; ++k)
      grid.axes[k].re.push_back(k == 0 ? 0.02 * draw() : 1 + draw() * 0.9);
  const Kernel kernel = directKernel(example("born"), "tangent-q-xz", grid, "direct,nufft");
  PlanOptions options;
  options.algorithm = FACET_NUFFT;
  options.accuracy = 1e-7;
  Plan plan(kernel, grid, mesh, options);
  const Values found = plan.execute({}), wanted = inDouble(kernel, grid, mesh, {});
  EXPECT_EQ(found.size(), 6000U);
  for (std::size_t first = 0; first < found.size(); first += 3000) {
    const auto own = wanted.begin() + static_cast<std::ptrdiff_t>(first);
    const double most = 1e-7 * largestOf(Values(own, own + 3000));
    for (std::size_t i = first; i < first + 3000; ++i)
      EXPECT_LE(std::abs(found[i] - wanted[i]), most) << i;
  }
  return plan.choice().detail;
}

/// Strengths times coordinates are no transforms of their own, but where a speck lies far off.
TEST(Change, ByAxesOfQTakesTransformsOfFAlone) {
  Mesh mesh = makeMesh("sphere", {{"radius", {4}}, {"n", {16}}});
  for (auto &triangle : mesh.triangles)
    for (Vec3 &v : triangle)
      v = {v[0] + 30, v[1] - 8, 1.2 * v[2]};
  const std::string detail = expectTransformed(mesh);
  EXPECT_NE(detail.find("transforms: 3 x "), std::string::npos) << detail;
  for (Vec3 &v : mesh.triangles[0])
    v = {30 + 1e-3 * v[1], -8 + 1e-3 * v[2], 300 + 1e-3 * v[0]};
  const std::string far = expectTransformed(mesh);
  EXPECT_NE(far.find("transforms: 6 x "), std::string::npos) << far;
}

TEST(Change, ByQIsNaNAtZero) {
  const Grid grid = productGrid(false, true);
  const Kernel kernel = directKernel(example("exact"), "tangent-q", grid);
  const Values f = inDouble(kernel, grid, box(1), {0.3, -0.7, 0.5});
  EXPECT_EQ(std::ranges::count_if(f, [](auto z) { return std::isnan(z.real()); }), 1);
}

TEST(Gradient, HasTheSameBitsOnAnyThreadsAndIsNearInF32) {
  Draw draw;
  const Mesh mesh = makeMesh("sphere", {{"radius", {4}}, {"n", {6}}});
  const Grid grid = productGrid(false, false);
  const Values g = draw.values(static_cast<std::size_t>(grid.size()));
  GradientOptions options;
  options.threads = 1;
  const ColumnGradient one = Gradient(example("exact"), grid, mesh, options).columns(g);
  options.threads = 3;
  EXPECT_EQ(Gradient(example("exact"), grid, mesh, options).columns(g), one);
  options.klass = FACET_F32;
  expectNear(Gradient(example("exact"), grid, mesh, options).columns(g), one, 1e-5);
}

/// Linear in its sum and the sum's conjugate, two outputs, one wave, sums of the records alone.
std::string conjugated() {
  return kernelFile("conjugated", R"(
struct Out { cplx f; cplx g; };
struct FACET_KERNEL conjugated {
  using Grid = product<real, real, cplx>;
  static cplx term(Grid::q q, const Triangle &t) {
    return t.area * dot(q, t.normal) * cism1(dot(q, t.centroid));
  }
  static Out finish(Grid::q q, cplx s) { return {s * q.x, conj(s) * q.z + 2 * s}; }
};
)");
}

Mesh atoms() {
  Draw draw;
  Mesh mesh;
  mesh.name = "atoms";
  for (int t = 0; t < 200; ++t) {
    for (const char *k : {"x", "y", "z"})
      mesh.columns[std::string("place.") + k].push_back(5 * draw());
    for (const char *k : {"1", "2", "3", "4", "5"}) {
      mesh.columns[std::string("a") + k].push_back(2 + draw());
      mesh.columns[std::string("b") + k].push_back(0.02 + 0.01 * draw());
    }
    mesh.columns["c"].push_back(draw());
    mesh.columns["B"].push_back(0.01 + 0.005 * draw());
  }
  return mesh;
}

GradientOptions by(facet_algorithm algorithm, double accuracy = 1e-5, int threads = 0) {
  GradientOptions options;
  options.algorithm = algorithm;
  options.accuracy = accuracy;
  options.threads = threads;
  return options;
}

/// Transforms give what direct sums give, to their contract.
void expectLikeDirect(const std::string &file, const Grid &grid, const Mesh &mesh,
                      std::size_t outputs = 1) {
  SCOPED_TRACE(file);
  constexpr double accuracy = 1e-9;
  Gradient direct(file, grid, mesh, by(FACET_DIRECT)),
      waves(file, grid, mesh, by(FACET_NUFFT, accuracy));
  Draw draw;
  const Values g = draw.values(outputs * static_cast<std::size_t>(grid.size()));
  const ColumnGradient found = waves.columns(g), reference = direct.columns(g);
  EXPECT_EQ(waves.last().algorithm, FACET_NUFFT);
  EXPECT_LE(waves.last().error, accuracy);
  EXPECT_GT(waves.last().error, 0);
  expectNear(found, reference, accuracy);
}

TEST(Gradient, ByTransformsIsThatByDirectSums) {
  const Mesh mesh = makeMesh("sphere", {{"radius", {3}}, {"n", {6}}});
  Mesh weighted = mesh;
  Draw draw;
  for (std::int64_t t = 0; t < mesh.size(); ++t)
    weighted.columns["contrast"].push_back(draw());
  Grid plane = productGrid(false, false);
  plane.axes[0] = linspace(0.1, 0.1, 1);
  for (const Grid &grid : {productGrid(false, false), plane, pointsOf(plane)})
    expectLikeDirect(example("born"), grid, mesh);
  expectLikeDirect(example("closed"), productGrid(false, true), mesh);
  expectLikeDirect(example("layered"), pointsOf(productGrid(true, false)), weighted);
  expectLikeDirect(conjugated(), productGrid(true, false), mesh, 2);
  expectLikeDirect(example("exact"), productGrid(true, true), mesh);
  expectLikeDirect(example("atoms"), productGrid(false, false), atoms());
}

TEST(Gradient, ByTransformsMeetsTheContractAtEveryRecord) {
  // Few records have the largest errors: near the ends of windows, and the largest with a rule.
  const Mesh torus =
      makeMesh("torus", {{"major", {30}}, {"minor", {12}}, {"around", {39}}, {"tube", {38}}});
  Grid plane, cube;
  plane.axes = {linspace(0.1, 0.1, 1), linspace(-2, 2, 40), linspace(0, 2, 40)};
  cube.axes = {linspace(-1.5, 1.5, 12), linspace(-1.5, 1.5, 12), linspace(0, 1.5, 12)};
  for (const auto &[name, grid] : {std::pair("born", plane), {"born", cube}}) {
    const std::string file = example(name);
    const Values g = inDouble(directKernel(file, "", grid), grid, torus, {});
    const ColumnGradient reference = Gradient(file, grid, torus, by(FACET_DIRECT)).columns(g);
    for (const double accuracy : {1e-6, 1e-7, 1e-8}) {
      SCOPED_TRACE(fmt::format("{} {}", file, accuracy));
      Gradient waves(file, grid, torus, by(FACET_NUFFT, accuracy));
      expectNear(waves.columns(g), reference, accuracy);
      EXPECT_EQ(waves.last().algorithm, FACET_NUFFT);
    }
  }
}

/// Products of sums and conjugates, of two waves and one sum of the records; two outputs.
std::string products(const std::string &wave) {
  return kernelFile(
      "products", R"(
struct Parts { cplx a; cplx b; real c; };
struct Out { cplx f; real size; };
struct FACET_KERNEL products {
  using Grid = product<real, real, cplx>;
  static Parts term(Grid::q q, const Triangle &t) {
    return {t.area * )" +
                      wave +
                      R"(, dot(q, t.normal) * cis(dot(q, t.vertex0)), t.area * max(t.normal.z, 0)};
  }
  static Out finish(Grid::q q, const Parts &s) {
    return {norm2(s.a) * s.a + 0.5 * conj(s.a) * s.b, norm2(s.b) + s.c * re(s.a)};
  }
};
)");
}

/// An intensity of waves whose strengths depend on a scalar of q; a column is called as changes
/// are.
std::string damped() {
  return kernelFile("damped", R"(
struct Soft : Triangle { real d_sigma; };
struct FACET_KERNEL damped {
  using Grid = product<real, real, cplx>;
  static cplx term(Grid::q q, const Soft &t) {
    return t.area * exp(-0.5 * t.d_sigma * t.d_sigma * norm2(q)) * cis(dot(q, t.centroid));
  }
  static real finish(Grid::q q, cplx sum) { return norm2(sum) / (1 + norm2(q)); }
};
)");
}

/// Worth on markets, and a function of it that is not linear.
std::string worth() {
  return kernelFile("worth", R"(
struct Bond { real amount; real years; };
struct Out { real worth; real loss; };
struct FACET_KERNEL worth {
  using Grid = points<real, real, real>;
  static real term(Grid::q q, const Bond &t) { return t.amount * (q.y * exp(-q.z * t.years) + q.x); }
  static Out finish(Grid::q q, real sum) { return {sum, exp(-0.01 * sum * q.x)}; }
};
)");
}

/// A complex sum of the records alone, beside a wave: its cotangent is complex too.
std::string phased() {
  return kernelFile("phased", R"(
struct Parts { cplx a; cplx c; };
struct FACET_KERNEL phased {
  using Grid = product<real, real, cplx>;
  static Parts term(Grid::q q, const Triangle &t) {
    return {t.area * cis(dot(q, t.centroid)), t.area * cis(0.3 * t.centroid.x)};
  }
  static cplx finish(Grid::q q, const Parts &s) { return s.a * s.c + q.y * conj(s.c) * s.a; }
};
)");
}

/// Derivatives by all columns grow with c: one record may have the largest by far.
std::string squares() {
  return kernelFile("squares", R"(
struct Spot { vec3 place; real c; };
struct FACET_KERNEL squares {
  using Grid = product<real, real, real>;
  static cplx term(Grid::q q, const Spot &t) { return t.c * t.c * cis(dot(q, t.place)); }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
)");
}

/// The record with the largest derivatives is compared, though no sequence comes to it.
TEST(Gradient, ByTransformsIsComparedWhereDerivativesAreLargest) {
  Draw draw;
  Mesh spots = atoms();
  spots.columns["c"].assign(200, 1e-3);
  spots.columns["c"][101] = 1; // not of the first 128 of the sequence
  const Grid grid = productGrid(false, false);
  Gradient direct(squares(), grid, spots, by(FACET_DIRECT)),
      waves(squares(), grid, spots, by(FACET_NUFFT, 1e-6));
  const Values g = draw.values(static_cast<std::size_t>(grid.size()));
  const ColumnGradient found = waves.columns(g), reference = direct.columns(g);
  double worst = 0;
  for (const auto &[name, values] : reference)
    for (std::size_t t = 0; t < values.size(); ++t)
      worst = std::max(worst, std::abs(found.at(name)[t] - values[t]) / largestOf(values));
  EXPECT_GT(worst, 0);
  EXPECT_GE(waves.last().error, 0.99 * worst);
}

TEST(Gradient, ByTransformsWhereFinishIsNotLinear) {
  Mesh mesh = makeMesh("sphere", {{"radius", {3}}, {"n", {6}}});
  Grid plane = productGrid(true, false); // where transforms are multiples of each other
  plane.axes[0] = linspace(0.1, 0.1, 1);
  for (const Grid &grid : {productGrid(true, false), plane, pointsOf(plane)})
    expectLikeDirect(products("cis(dot(q, t.centroid))"), grid, mesh, 2);
  expectLikeDirect(products("mean_cis(q, t)"), productGrid(true, true), mesh, 2);
  expectLikeDirect(phased(), productGrid(true, false), mesh);
  Draw draw;
  for (std::int64_t t = 0; t < mesh.size(); ++t)
    mesh.columns["d_sigma"].push_back(0.4 + 0.2 * draw());
  expectLikeDirect(damped(), productGrid(true, false), mesh);
}

Mesh bonds(int n) {
  Draw draw;
  Mesh mesh;
  mesh.name = "bonds";
  for (int t = 0; t < n; ++t) {
    mesh.columns["amount"].push_back(1 + 0.5 * draw());
    mesh.columns["foreign"].push_back(draw() > 0 ? 1 : 0);
    mesh.columns["years"].push_back(8 + 7 * draw());
  }
  return mesh;
}

/// Sums without waves: nodes of an interpolation, and no transform.
TEST(Gradient, ByNodesOfAScalarIsThatByDirectSums) {
  Grid markets;
  markets.kind = Grid::Kind::Points;
  Draw draw;
  for (int k = 0; k < 3000; ++k) {
    markets.axes[0].re.push_back(1 + 0.1 * draw());
    markets.axes[1].re.push_back(1 + 0.1 * draw());
    markets.axes[2].re.push_back(0.03 + 0.03 * draw());
  }
  expectLikeDirect(example("value_at_risk"), markets, bonds(200));
  expectLikeDirect(worth(), markets, bonds(200), 2);
  Grid product = productGrid(false, false);
  product.axes[2] = linspace(0, 0.06, 40);
  expectLikeDirect(worth(), product, bonds(50), 2);
}

/// Where finish is not linear the sums follow the mesh, the parameters and the tolerance.
TEST(Gradient, ByTransformsOfSumsFollowsTheMesh) {
  const Mesh mesh = makeMesh("sphere", {{"radius", {3}}, {"n", {6}}}), other = box(3);
  const Grid grid = productGrid(true, false);
  const std::string file = products("cis(dot(q, t.centroid))");
  Draw draw;
  const Values g = draw.values(2 * static_cast<std::size_t>(grid.size()));
  Gradient one(file, grid, mesh, by(FACET_NUFFT, 1e-6, 1)),
      moved(file, grid, other, by(FACET_NUFFT, 1e-6, 3));
  const ColumnGradient first = one.columns(g);
  EXPECT_NE(moved.columns(g), first);
  moved.setMesh(mesh);
  expectNear(moved.columns(g), first, 1e-6); // the other mesh may have asked for less tolerance
}

TEST(Gradient, OfManyTermsIsByWhatIsExpectedToBeFaster) {
  const Mesh mesh = makeMesh("sphere", {{"radius", {3}}, {"n", {16}}});
  Grid grid = productGrid(false, false);
  grid.axes[0] = linspace(0.1, 0.1, 1);
  grid.axes[1] = linspace(-1, 1, 250);
  grid.axes[2] = linspace(0.1, 1, 100'000'000 / (250 * mesh.size()) + 1);
  Draw draw;
  GradientOptions options;
  options.accuracy = 1e-6;
  Gradient gradient(example("born"), grid, mesh, options);
  gradient.columns(draw.values(static_cast<std::size_t>(grid.size())));
  EXPECT_PRED_FORMAT2(::testing::IsSubstring, "transforms", gradient.last().reason);
  EXPECT_LE(gradient.last().error, 1e-6);
}

TEST(Gradient, ByTransformsFollowsMeshesAndParametersAndHasTheSameBitsOnAnyThreads) {
  const Mesh mesh = makeMesh("sphere", {{"radius", {3}}, {"n", {6}}}), other = box(3);
  const Grid grid = productGrid(false, false);
  Draw draw;
  const Values g = draw.values(static_cast<std::size_t>(grid.size()));
  Gradient one(example("born"), grid, mesh, by(FACET_NUFFT, 1e-6, 1));
  Gradient three(example("born"), grid, other, by(FACET_NUFFT, 1e-6, 3));
  const ColumnGradient first = one.columns(g);
  EXPECT_NE(three.columns(g), first);
  three.setMesh(mesh);
  EXPECT_EQ(three.columns(g), first);
}

TEST(Gradient, RefusesWhatItCannotTake) {
  const Mesh mesh = box(1);
  Gradient gradient(example("exact"), productGrid(false, false), mesh);
  EXPECT_SAYS(gradient.columns(Values(3)), "has 3 numbers, and F has 60");
  Values bad(60);
  bad[7] = std::nan("");
  EXPECT_SAYS(gradient.columns(bad), "number 7 is not finite");
  EXPECT_SAYS(gradient.columns(Values(60), {1.0}), "takes 0 parameters, got 1");
  // born divides by q.q: F itself is not finite there.
  Grid singular = productGrid(false, true);
  singular.axes[2].im.assign(5, 0);
  singular.axes[0] = linspace(1, 1, 1);
  singular.axes[1] = linspace(0, 0, 1);
  singular.axes[2] = {{0}, {1}};
  Gradient undefined(example("born"), singular, mesh);
  EXPECT_SAYS(undefined.columns({1.0}), "is not finite at record 0");
  EXPECT_SAYS(byCorners(Mesh(), {}), "has no corners");
  EXPECT_SAYS(byCorners(mesh, {{"area", {1.0}}}), "there are 1 derivatives by area");
  EXPECT_SAYS(changing(mesh, Corners(1)), "there are 1 triples of corners");
  Mesh rough = mesh;
  rough.columns["sigma"].assign(static_cast<std::size_t>(mesh.size()), 0.3);
  Gradient byWaves(example("rough"), productGrid(false, false), rough, by(FACET_NUFFT));
  for (int again = 0; again < 2; ++again)
    EXPECT_SAYS(byWaves.columns(Values(60)), "its derivatives cannot be summed by transforms");
  CompileRequest request;
  request.derive = "adjoint-real";
  request.grid = FACET_POINTS;
  request.algorithms = "direct";
  request.klass = "f64"; // as Gradient asks for it
  request.target = bestTarget();
  const Kernel adjoint = Kernel::load(compileKernel(example("exact"), request).library);
  Grid list;
  list.kind = Grid::Kind::Points;
  for (Axis &axis : list.axes)
    axis.re = {1};
  EXPECT_SAYS(Plan(adjoint, list, mesh), "it is the adjoint of a kernel, and no plan sums it");
}

} // namespace
} // namespace facet::runtime
