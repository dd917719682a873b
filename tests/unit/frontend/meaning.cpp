// meaning.cpp - the IR read from a kernel file gives, evaluated at random points, what the same
// file gives when it is compiled. So the language judges the lowering of every word of the
// language.
#include "codegen/frontend/frontend.h"
#include "codegen/ir/evaluate.h"
#include "tests/support/folder.h"
#include <dlfcn.h>
#include <gtest/gtest.h>

using namespace facet;
using facet::test::Folder;

namespace {

/// C++ that calls the kernel: q and the columns in, term and finish out.
std::string caller(const ir::Kernel &kernel, const std::string &file) {
  std::string text =
      "#include \"" + file + "\"\nusing K = " + kernel.name + ";\n" +
      "template <class Q, class R, class... P> R recordOf(facet::cplx (*)(Q, const R "
      "&, P...));\ntemplate <class Q, class R, class... P> R recordOf(facet::real "
      "(*)(Q, const R &, P...));\n" +
      "static void put(double *o, facet::cplx z) { o[0] = z.re; o[1] = z.im; }\n" +
      "static void set(facet::real &a, const double *q) { a = q[0]; }\n" +
      "static void set(facet::cplx &a, const double *q) { a = {q[0], q[1]}; }\n" +
      "extern \"C\" void run(const double *q, const double *c, const double *p, const "
      "double *s, double *o) {\n  K::Grid::q at; set(at.x, q); set(at.y, q + 2); "
      "set(at.z, q + 4);\n  decltype(recordOf(&K::term)) t;\n";
  int k = 0;
  for (const ir::Field &field : kernel.fields)
    if (field.type == ir::Type::Vec3)
      for (const char *axis : {".x", ".y", ".z"})
        text += "  t." + field.name + axis + " = c[" + std::to_string(k++) + "];\n";
    else
      text += "  t." + field.name + " = c[" + std::to_string(k++) + "];\n";
  std::string last;
  if (!kernel.params.empty()) {
    text += "  K::Params par;\n";
    int n = 0;
    for (const std::string &slot : ir::slots(kernel))
      text += "  par." + slot + " = p[" + std::to_string(n++) + "];\n";
    last = ", par";
  }
  return text + "  put(o, K::term(at, t" + last +
         ")); put(o + 2, K::finish(at, facet::cplx(s[0], "
         "s[1])" +
         last + "));\n}\n";
}

using Run = void (*)(const double *, const double *, const double *, const double *, double *);

/// Compiles and loads the caller; it stays loaded.
Run load(const Folder &folder, const ir::Kernel &kernel, const std::string &file,
         const std::string &text) {
  const std::string object = folder.path / (kernel.name + ".o");
  const std::string library = folder.path / (kernel.name + ".so");
  EXPECT_EQ(frontend::compileObject(caller(kernel, file), kernel.name, object, {{file, text}}), "");
  EXPECT_EQ(std::system(("c++ -shared -o " + library + " " + object).c_str()), 0);
  void *handle = dlopen(library.c_str(), RTLD_NOW);
  EXPECT_NE(handle, nullptr);
  return handle ? reinterpret_cast<Run>(dlsym(handle, "run")) : nullptr;
}

void expectSame(const std::string &file) {
  const Folder folder;
  const frontend::FileKernels parsed = frontend::parse(file);
  ASSERT_EQ(parsed.errors, 0);
  ASSERT_EQ(parsed.kernels.size(), 1u);
  const ir::Kernel &kernel = parsed.kernels[0];
  ir::verify(kernel);
  const Run run = load(folder, kernel, file, parsed.text);
  ASSERT_NE(run, nullptr);
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const ir::Point point = ir::randomPoint(kernel, seed);
    std::vector<double> columns, params;
    for (const ir::Field &field : kernel.fields)
      for (int k = 0; k < (field.type == ir::Type::Vec3 ? 3 : 1); ++k)
        columns.push_back(point.record.at(field.name)[static_cast<std::size_t>(k)].real());
    for (const std::string &name : ir::slots(kernel))
      params.push_back(point.params.at(name));
    double q[6], sum[2] = {point.sum.real(), point.sum.imag()}, out[4];
    for (std::size_t k = 0; k < 3; ++k)
      q[2 * k] = point.q[k].real(), q[2 * k + 1] = point.q[k].imag();
    run(q, columns.data(), params.data(), sum, out);
    const ir::Complex term(out[0], out[1]), finish(out[2], out[3]);
    EXPECT_LE(std::abs(term - ir::evaluateTerm(kernel, point).front()),
              1e-12 * (1 + std::abs(term)))
        << "term, seed " << seed;
    EXPECT_LE(std::abs(finish - ir::evaluateFinish(kernel, point).front()),
              1e-12 * (1 + std::abs(finish)))
        << "finish, seed " << seed;
  }
}

} // namespace

TEST(Meaning, OfTheExampleKernels) {
  for (const char *name : {"born", "surface", "closed", "exact", "layered", "rough", "atoms"})
    expectSame(std::string(FACET_SOURCE "/examples/kernels/") + name + ".cpp");
}

namespace {
/// Every word of the language.
constexpr const char *words = R"(#include <facet/dsl.h>
using namespace facet;
constexpr real tenth = 0.1;
struct FACET_KERNEL words {
  using Grid = product<real, real, cplx>;
  struct Params { real kappa, sigma = 2; cplx n; vec3 m = vec3(0, 0, 1); cvec3 e; mat3 r; };
  static constexpr mat3 turn{{0.6, -0.8, 0}, {0.8, 0.6, 0}, {0, 0, 1}};
  static mat3 mixed(mat3 a, mat3 b) { return a * b - transpose(a) / 4 + 2 * b * tenth; }
  static cplx matrices(Grid::q q, const Triangle &t, const Params &p) {
    const mat3 a = outer(t.normal, t.edge1) + mat3(t.edge1, vec3(0, 1, 2), p.r.y), none = mat3();
    const mat3 b = t.area > 1 ? mixed(a, -p.r) : mixed(turn, +a);
    return dot(b * q, a * t.normal) + dot(none * t.edge2 + turn * conj(q), t.edge2) + a.x.y + b.z.x;
  }
  static constexpr cplx index{0.75, 0.25};
  static constexpr vec3 beam{0, 0, -1};
  static constexpr int n = 3;
  static cplx vectors(Grid::q q, const Triangle &t) {
    const vec3 u = cross(t.edge1, t.edge2) / 2 - t.centroid * tenth + beam, w = -u + 2 * t.normal;
    const cvec3 v = q * index + u, h = cross(conj(q), w), r = cvec3(re(h)) - im(h);
    return dot(u, w) + dot(v, w) + dot(w, v) + dot(v, h) + norm(u) + norm2(h) + norm(h) + r.y +
           (w * i).z + (v / index).x + u.x + vec3(t.area, 1, 2).z + dot(t.area > 1 ? v : h, u);
  }
  static real raised(real x, real c) { return pow(x, c); } // of a constant where it is called
  static cplx scalars(Grid::q q, const Triangle &t) {
    const real a = t.area, b = dot(t.normal, t.centroid);
    const cplx z = q.z, negative = -a;
    const bool low = a < 1, odd = b != 2 && !(b >= 1 || low);
    return sqrt(a) + sqrt(z) + sqrt(negative) + exp(-a) + exp(z) + expm1(b / 10) + sin(a) + cos(b) +
           sin(z) + cos(z) + abs(b) + abs(z) + conj(z) + re(z) * im(z) + z.re + norm2(z) +
           min(a, b) + max(a, b) + cis(b) + cis(z) + cism1(b) + cism1(z) + pi + n * 2 - 1 +
           (low ? z : odd ? cplx(a, b) : i) + select(odd, a, b) + 1 / z + z / a + a / z +
           log(a + 1) + erf(b) + erfc(b) + atan2(b, a) + sinc(b) + sinc(z) + sinc(z / 1e6) +
           pow(a, 3) + pow(b, -2) + pow(a, 1.5) + pow(a + 1, 0.3) + raised(a, -1 - tenth) +
           (a > b ? 1 : 2) * 3 + re(a) + im(a) + conj(a) + norm2(a) + real(n) / 2 + cplx(7) + (+a);
  }
  static cplx means(Grid::q q, const Triangle &t) {
    return mean_cis(q, t) + mean_cism1(q, t) + mean_cis(dot(q, t.vertex0), q.x, 1) +
           mean_cism1(q.x, q.y, 1) + mean_cis(dot(q, t.vertex0), q.x) + mean_cism1(q.x, q.y);
  }
  static cplx term(Grid::q q, const Triangle &t, const Params &p) {
    return p.kappa * vectors(q, t) + scalars(q, t) - means(q, t) / p.sigma + matrices(q, t, p) +
           p.n * dot(p.m, t.normal) + dot(cross(q, p.e), p.m) * p.m.y + p.e.z.im - p.n.re;
  }
  static cplx finish(Grid::q q, cplx sum, Params p) {
    return -i * sum / (norm2(q) + p.kappa) * exp(-p.sigma) + q.x * q.y + dot(p.e, q) / p.n;
  }
};
)";
} // namespace

TEST(Meaning, OfEveryWordOfTheLanguage) {
  const Folder folder;
  expectSame(folder.write("words.cpp", words));
}

TEST(Meaning, OfRecordsOfTheirOwnOnPoints) {
  const Folder folder;
  expectSame(folder.write("atoms.cpp", R"(#include <facet/dsl.h>
using namespace facet;
struct Atom { vec3 place; real charge; };
struct FACET_KERNEL atoms {
  using Grid = points<>;
  static cplx term(Grid::q q, const Atom &a) { return a.charge * cis(dot(q, a.place)); }
  static real finish(Grid::q q, cplx sum) { return norm2(sum); }
};
)"));
}
