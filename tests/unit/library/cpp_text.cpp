// cpp_text.cpp - C++ text made from IR: pack, finish, whole kernels, and what is refused.
#include "built.h"
#include "codegen/lower/cpp/emit.h"
#include <bit>
#include <gtest/gtest.h>

namespace {

using namespace facet;

const std::string lowered = test::kernelIr(
    "triangle { area: real, centroid: vec3 } grid product { x: real, y: real, z: cplx } "
    "params { kappa } "
    "pack t { %1 = component.z t.centroid  %2 = mul t.area, p.kappa  %3 = widen %1 "
    "yield w0 = %2, w1 = %3 }",
    "%1 = mul r.w0, q.z.re  yield re = %1, im = %1",
    "%1 = mul sum.re, q.z.im  %2 = mul q.x, p.kappa  %3 = div %1, %2  %4 = neg sum.im "
    "yield re = %3, im = %4");

bool has(const std::string &text, const std::string &part) {
  return text.find(part) != std::string::npos;
}

TEST(CppText, PackWritesNarrowAndWideRecords) {
  const std::string text = lower::cppPack(ir::read(lowered, "k.fir"), "pack_k", true);
  EXPECT_TRUE(has(text, "const double *c3 = columns[3]; // centroid.z")) << text;
  EXPECT_FALSE(has(text, "columns[1]")) << "an unused column is read:\n" << text;
  EXPECT_TRUE(has(text, "= c0[t] * p0;")) << text;
  EXPECT_TRUE(has(text, "w[t * 1 + 0] = (float)v1; // w0")) << text;
  EXPECT_TRUE(has(text, "wide[t * 1 + 0] = v2; // w1")) << text;
}

TEST(CppText, PackOfTheDoubleClassKeepsDoubles) {
  const std::string text = lower::cppPack(ir::read(lowered, "k.fir"), "pack_k", false);
  EXPECT_TRUE(has(text, "w[t * 1 + 0] = (double)v1;")) << text;
}

TEST(CppText, FinishHasALoopForRowsAndOneForPoints) {
  const std::string text = lower::cppFinish(ir::read(lowered, "k.fir"), "finish_k");
  EXPECT_TRUE(has(text, "sum0_re[k] * zi[k * szi];")) << text;
  EXPECT_TRUE(has(text, "const double p0 = params[0]; // kappa")) << text;
  EXPECT_TRUE(has(text, "finish_k_loop(q_re, im, 0, 0, 1, 0, 0, 1, n")) << text;
  EXPECT_TRUE(has(text, "finish_k_loop(q_re, im, 1, 1, 1, 0, 0, 1, n")) << text;
  EXPECT_FALSE(has(text, "q_re[1]")) << "q.y is not used:\n" << text;
}

TEST(CppText, ComplexValuesAreRefusedAfterThePasses) {
  const std::string complex =
      test::kernelIr("triangle { area: real } grid product { x: real, y: real, z: real }",
                     "yield t.area", "%1 = cis q.x  yield %1");
  EXPECT_REFUSED(lower::cppFinish(ir::read(complex, "k.fir"), "finish_k"), "'cis'");
}

TEST(CppText, LoweredOpsHaveNoNameInTheLanguage) {
  EXPECT_THROW(lower::cppKernel(ir::read(lowered, "k.fir")), ir::Error);
}

TEST(CppText, AKernelIsPrintedAsAKernelFile) {
  const std::string own =
      test::kernelIr("triangle { area: real, normal: vec3, contrast: real } "
                     "grid points { x: real, y: real, z: cplx } params { kappa }",
                     "%1 = mul t.area, t.contrast  %2 = dot q, t.normal  %3 = mul %1, %2  yield %3",
                     "%1 = mul p.kappa, sum  yield %1");
  const std::string text = lower::cppKernel(ir::read(own, "k.fir"));
  EXPECT_TRUE(has(text, "struct k_record : Triangle {\n  real contrast;\n};")) << text;
  EXPECT_TRUE(has(text, "struct FACET_KERNEL k {\n  using Grid = points<real, real, cplx>;"))
      << text;
  EXPECT_TRUE(has(text, "static cplx term(Grid::q q, const k_record &t) {")) << text;
  EXPECT_TRUE(has(text, "const cplx v2 = dot(q, t.normal);")) << text;
  EXPECT_TRUE(has(text, "static cplx finish(Grid::q q, cplx sum, Params p) {")) << text;
}

TEST(CppText, NumbersComeBackBitForBit) {
  for (const double value : {0.1, 1.0, 1e300, 5e-308, 3.141592653589793, 1.0 / 3}) {
    const std::string text = lower::cppNumber(value);
    EXPECT_EQ(std::bit_cast<std::uint64_t>(std::stod(text)), std::bit_cast<std::uint64_t>(value))
        << text;
  }
  EXPECT_EQ(lower::cppNumber(2), "2.0");
  EXPECT_EQ(lower::cppNumber(-2), "(-2.0)");
}

TEST(CppText, EveryOpIsALeafOrHasAForm) {
  for (const ir::OpInfo &op : ir::ops())
    EXPECT_TRUE(ir::isLeaf(op.op) || !lower::cppForm(op.op, lower::CppForm::Double).empty() ||
                !lower::cppForm(op.op, lower::CppForm::Language).empty())
        << op.spelling;
}

} // namespace
