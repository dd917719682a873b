// tensor.cpp - sums written for tensor cores, run on this CPU in emulated warps, against the IR.
#include "codegen/lower/tensor/tensor.h"
#include "../../kernels.h"
#include "../../sum_check.h"
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

namespace facet::test {
namespace {

/// A phase alone: two row factors.
const std::string Surface = exampleIr("surface");

lower::SumKernel sumOf(const std::string &text, bool complexQ) {
  lower::SumKernel sum;
  sum.variant = {ir::GridKind::Product, complexQ, passes::Class::F64, passes::Algorithm::Separable};
  sum.kernel = passes::run(ir::read(text, "test"), sum.variant);
  return sum;
}

/// The emitted text as a shared object for this CPU, with the fragments of `arch`.
class Emulated {
public:
  using Sum = void (*)(const double *records, const double *x, const double *y, const double *z,
                       const double *zIm, int count, int nx, int ny, int nz, double *re,
                       double *im);

  Emulated(const lower::SumKernel &sum, int arch) {
    // A name of its own: a library of the same name that is still loaded would be taken instead.
    static int made = 0;
    folder = std::filesystem::temp_directory_path() /
             fmt::format("facet-tensor-{}-{}", getpid(), ++made);
    std::filesystem::create_directories(folder);
    const auto source = folder / "sum.cpp", object = folder / "sum.so";
    std::ofstream(source) << "#include \"emulate.h\"\n"
                          << lower::tensor::cuda(sum.kernel, "kernel").text
                          << fmt::format(R"(
extern "C" void sum(const double *narrow, const double *x, const double *y, const double *z,
                    const double *z_im, int records, int nx, int ny, int nz, double *re,
                    double *im) {{
  (void)z_im;
  emulate::launch({{(nx * ny + row_tile - 1) / row_tile, (nz + z_tile - 1) / z_tile}}, threads,
                  [&] {{ kernel(narrow, x, y, z,{} records, nx, ny, nz, re, im); }});
}}
)",
                                         sum.variant.complexQ ? " z_im," : "");
    const std::string command =
        fmt::format("'{}' -std=c++17 -O1 -Wall -Wno-unknown-pragmas -Werror -shared -fPIC "
                    "-D__CUDA_ARCH__={} -I'{}' '{}' -o '{}'",
                    FACET_TEST_CXX, arch, FACET_TEST_FOLDER, source.string(), object.string());
    if (std::system(command.c_str()) != 0) // NOLINT(cert-env33-c)
      return;
    library = dlopen(object.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library)
      function = reinterpret_cast<Sum>(dlsym(library, "sum"));
  }
  Emulated(const Emulated &) = delete;
  Emulated &operator=(const Emulated &) = delete;
  ~Emulated() {
    if (library)
      dlclose(library);
    std::filesystem::remove_all(folder);
  }
  Sum function = nullptr;

private:
  std::filesystem::path folder;
  void *library = nullptr;
};

/// max|F - Fref| / N; nothing but the sums may be written, and all of them.
double errorOf(const lower::SumKernel &sum, Emulated::Sum function, const Expected &expected) {
  const auto [nt, nx, ny, nz] = expected.size;
  const auto total = static_cast<std::size_t>(nx * ny * nz);
  constexpr double untouched = 12345;
  std::vector<double> re(total + 1, NAN), im(total + 1, NAN);
  re[total] = im[total] = untouched;
  const Records records = packRecords(sum, expected.mesh);
  const Grid &grid = expected.grid;
  function(records.narrow64.data(), grid.re[0].data(), grid.re[1].data(), grid.re[2].data(),
           grid.im[2].data(), nt, nx, ny, nz, re.data(), im.data());
  EXPECT_EQ(re[total], untouched);
  EXPECT_EQ(im[total], untouched);
  re.pop_back(), im.pop_back();
  EXPECT_TRUE(std::ranges::none_of(re, [](double a) { return std::isnan(a); }));
  EXPECT_TRUE(std::ranges::none_of(im, [](double a) { return std::isnan(a); }));

  const auto rows = static_cast<std::size_t>(ny), width = static_cast<std::size_t>(nz);
  return worstOf(sum.kernel, false, expected, [&](std::size_t x, std::size_t y, std::size_t z) {
    const std::size_t at = (x * rows + y) * width + z;
    return ir::Complex{re[at], im[at]};
  });
}

using Case = std::tuple<std::string, bool, int>;
class Tensor : public testing::TestWithParam<Case> {};

TEST_P(Tensor, SumsAreRightForOddSizes) {
  const auto &[text, complexQ, arch] = GetParam();
  const lower::SumKernel sum = sumOf(text, complexQ);
  const Emulated emulated(sum, arch);
  ASSERT_NE(emulated.function, nullptr);
  const ir::Kernel source = sourceFor(text, {ir::GridKind::Product, complexQ, passes::Class::F64});
  // One of everything; ends within a table, a block of rows and of z; more than one block of each.
  for (const Size &size : {Size{1, 1, 1, 1}, Size{4, 1, 128, 64}, Size{9, 3, 43, 67}})
    EXPECT_LE(errorOf(sum, emulated.function, expect(source, sum.variant, size, 100, 200)), 1e-12)
        << fmt::format("nt {}, {} x {} x {}", size.nt, size.nx, size.ny, size.nz);
}

INSTANTIATE_TEST_SUITE_P(Kernels, Tensor,
                         testing::Values(Case{Born, false, 800}, Case{Born, true, 900},
                                         Case{Closed, true, 800}, Case{Surface, false, 900}));

TEST(TensorProducts, OfNoRecordsAreZero) {
  const lower::SumKernel sum = sumOf(Surface, false);
  const Emulated emulated(sum, 900);
  ASSERT_NE(emulated.function, nullptr);
  const double axis[2] = {0.5, 1}, none[1] = {};
  double re[4] = {1, 1, 1, 1}, im[4] = {1, 1, 1, 1};
  emulated.function(none, axis, axis, axis, none, 0, 1, 2, 2, re, im);
  for (int k = 0; k < 4; ++k) {
    EXPECT_EQ(re[k], 0);
    EXPECT_EQ(im[k], 0);
  }
}

TEST(TensorProducts, HaveARowFactorForEachOfTwoComplexWaves) {
  EXPECT_EQ(lower::tensor::products(sumOf(Born, true).kernel.term).rows.size(), 4U);
  EXPECT_EQ(lower::tensor::products(sumOf(Surface, true).kernel.term).rows.size(), 2U);
}

TEST(TensorProducts, RefuseMoreThanSumsAndProductsOfRowsAndColumns) {
  ir::Kernel kernel =
      ir::read(kernelIr("triangle { area: real } grid product { x: real, y: real, z: real }",
                        "%1 = mul q.x, q.z  %2 = sqrt %1  %3 = mul t.area, %2  yield %3"),
               "test");
  ir::annotate(kernel);
  EXPECT_REFUSED(lower::tensor::products(kernel.term), "'sqrt' of x or y and z");
}

} // namespace
} // namespace facet::test
