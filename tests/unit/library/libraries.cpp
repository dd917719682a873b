// libraries.cpp - kernel libraries built, loaded and compared: sums with the reference they carry,
// that reference with the same file compiled by g++, .fir with .cpp, and what is refused.
#include "built.h"
#include "tests/support/environment.h"
#include <cfloat>
#include <gtest/gtest.h>

namespace {

using namespace facet;
using namespace facet::test;

const std::string kernels = KERNELS;

class Libraries : public testing::TestWithParam<const char *> {};

TEST_P(Libraries, EveryVariantAgreesWithTheReference) {
  const Folder folder;
  const Loaded loaded = buildAndLoad(requestFor(fileOf(GetParam())), folder);
  const auto &kernel = *loaded.kernel;
  EXPECT_EQ(kernel.abi, FACET_ABI_VERSION);
  EXPECT_EQ(kernel.size, sizeof(facet_kernel_description));
  EXPECT_STREQ(kernel.name, GetParam());
  for (int v = 0; v < kernel.variant_count; ++v) {
    const facet_variant &variant = kernel.variants[v];
    EXPECT_LE(errorOf(kernel, variant, 1021), // three blocks, the last one not full
              variant.klass == FACET_F64 ? 1e-12 : 5e-6)
        << "class " << variant.klass << " grid " << variant.grid << " q " << variant.q;
  }
}
// tests/property/matrix_test.cpp sums the examples in every variant: these by --full.
INSTANTIATE_TEST_SUITE_P(Examples, Libraries,
                         testing::ValuesIn(firstOf<const char *>(
                             6, {"born", "scatterers", "chosen", "real_term", "shifted", "total",
                                 "closed", "layered", "magnetic", "atoms", "resonant"})),
                         [](const auto &info) { return info.param; });

/// A library with one cheap variant: the tests below look at the rest of it.
lower::LibraryRequest smallRequest(const std::string &file) {
  lower::LibraryRequest request = requestFor(file);
  request.grids = {ir::GridKind::Points};
  request.complexQ = {false};
  request.classes = {passes::Class::F32};
  return request;
}

/// Largest relative difference of two references on random data, values, sums and factors alike.
double compareReferences(const facet_kernel_description &kernel, facet_reference_fn a,
                         facet_reference_fn b) {
  const int nt = 50;
  const int n = 20;
  const auto data = randomColumns(kernel, nt);
  const auto columns = pointers(data);
  const Axes axes = randomAxes(kernel, true, {n, n, n});
  std::vector<double> q;
  for (int k = 0; k < n; ++k)
    for (int j = 0; j < 3; ++j) {
      q.push_back(axes.re[j][k]);
      q.push_back(axes.im[j].empty() ? 0 : axes.im[j][k]);
    }
  // F, sums and factors of each side.
  const int outputs = kernel.output_count, sums = 2 * n * outputs, factors = sums + n;
  std::vector<double> out[2];
  for (auto &values : out)
    values.resize(static_cast<std::size_t>(factors + n * outputs));
  const std::vector<double> params(kernel.param_count, 1.1);
  int side = 0;
  for (const facet_reference_fn reference : {a, b}) {
    double *to = out[side++].data();
    reference(q.data(), n, columns.data(), nt, params.data(), to, to + sums, to + factors);
  }
  double worst = 0;
  const double *x = out[0].data(), *y = out[1].data();
  for (int k = 0; k < n * outputs; ++k) {
    const int sum = sums + k / outputs, factor = factors + k;
    for (const int j : {2 * k, 2 * k + 1})
      worst = std::max(worst, std::abs(x[j] - y[j]) / (y[sum] * y[factor]));
    for (const int j : {sum, factor})
      worst = std::max(worst, std::abs(x[j] - y[j]) / y[j]);
  }
  return worst;
}

TEST(Reference, EqualsTheSameFileCompiledByTheProjectsCompiler) {
  const Folder folder;
  const Loaded born = buildAndLoad(smallRequest(kernels + "/born.cpp"), folder);
  EXPECT_LE(compareReferences(*born.kernel, born.kernel->reference, bornByGcc), 8 * DBL_EPSILON);
  const Loaded closed = buildAndLoad(smallRequest(kernels + "/closed.cpp"), folder);
  EXPECT_LE(compareReferences(*closed.kernel, closed.kernel->reference, closedByGcc),
            8 * DBL_EPSILON);
  // The comparison can fail: another kernel's reference is no match.
  EXPECT_GT(compareReferences(*born.kernel, born.kernel->reference, closedByGcc), 1e-3);
}

TEST(Reference, OriginIsTheCompensatedSum) {
  const Folder folder;
  const Loaded closed = buildAndLoad(smallRequest(kernels + "/closed.cpp"), folder);
  const auto data = randomColumns(*closed.kernel, 100);
  double here[2] = {};
  double there[2] = {};
  ASSERT_NE(closed.kernel->origin, nullptr);
  closed.kernel->origin(pointers(data).data(), 100, nullptr, here);
  closedOriginByGcc(pointers(data).data(), 100, nullptr, there);
  EXPECT_NEAR(here[0], there[0], 1e-13);
  EXPECT_EQ(here[1], 0);
}

TEST(Reference, OfFirEqualsThatOfTheKernelFile) {
  for (const char *name :
       {"closed", "exact", "layered", "magnetic", "surface", "scatterers", "chosen"}) {
    const Folder folder;
    const Folder other;
    lower::LibraryRequest request = smallRequest(fileOf(name));
    const Loaded fromCpp = buildAndLoad(request, folder);
    request.kernel = ir::read(ir::print(request.kernel), "kernel.fir");
    request.source = "kernel.fir";
    const Loaded fromFir = buildAndLoad(request, other);
    EXPECT_LE(
        compareReferences(*fromCpp.kernel, fromCpp.kernel->reference, fromFir.kernel->reference),
        8 * DBL_EPSILON)
        << name;
  }
}

TEST(Translation, IsFoundByEvaluation) {
  const auto of = [](const std::string &name) {
    return lower::translationOf(requestFor(fileOf(name)).kernel);
  };
  EXPECT_EQ(of("born"), FACET_TRANSLATE_ALWAYS);
  EXPECT_EQ(of("surface"), FACET_TRANSLATE_ALWAYS);
  EXPECT_EQ(of("scatterers"), FACET_TRANSLATE_ALWAYS);
  EXPECT_EQ(of("atoms"), FACET_TRANSLATE_ALWAYS);
  EXPECT_EQ(of("closed"), FACET_TRANSLATE_CLOSED);
  EXPECT_EQ(of("exact"), FACET_TRANSLATE_CLOSED);
  EXPECT_EQ(of("layered"), FACET_TRANSLATE_NO); // its contrasts may differ on one surface
  EXPECT_EQ(of("magnetic"), FACET_TRANSLATE_NO);
  EXPECT_EQ(of("resonant"), FACET_TRANSLATE_NO);
  EXPECT_EQ(of("lit"), FACET_TRANSLATE_NO); // compares positions, which the trials do not show
}

TEST(Refusals, SayWhatToDo) {
  const auto expect = [](const char *said,
                         const std::function<void(lower::LibraryRequest &)> &ask) {
    lower::LibraryRequest request = smallRequest(kernels + "/born.cpp");
    ask(request);
    const Folder folder;
    EXPECT_REFUSED(buildAndLoad(request, folder), said);
  };
  expect("unknown target 'avx1024'; there are sse41",
         [](auto &request) { request.targets = {"avx1024"}; });
  expect("at least one target", [](auto &request) { request.classes = {}; });
  expect("make a component of its Grid cplx", [](auto &request) {
    for (auto &axis : request.kernel.axes)
      axis.type = ir::Type::Real;
    request.complexQ = {true};
  });
  expect("reference of kernel 'born' does not compile:\nbroken",
         [](auto &request) { request.compileCpp = [](const auto &...) { return "broken"; }; });
}

} // namespace
