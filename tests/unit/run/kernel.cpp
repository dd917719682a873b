// kernel.cpp - kernel libraries are loaded, refused with a reason, and targets chosen.
#include "fixture.h"

namespace facet::test {
namespace {

struct Environment {
  Environment(const char *name, const std::string &value) : name(name) {
    setenv(name, value.c_str(), 1);
  }
  ~Environment() { unsetenv(name); }
  const char *name;
};

TEST(Kernel, LoadsALibrary) {
  const Kernel kernel = fixture();
  EXPECT_STREQ(kernel->name, "fixture");
  EXPECT_EQ(kernel.compiledTargets(), std::vector<std::string>{"sse41"});
  EXPECT_NE(kernel.find("sse41", FACET_F64, FACET_POINTS, FACET_COMPLEX_Q), nullptr);
  EXPECT_EQ(kernel.find("avx2", FACET_F64, FACET_POINTS, FACET_COMPLEX_Q), nullptr);
}

TEST(Kernel, TellsAlgorithmsApart) {
  const Kernel direct = fixture();
  facet_kernel_description both = *direct;
  facet_variant variants[] = {direct->variants[0], direct->variants[0]};
  variants[0].algorithm = FACET_SEPARABLE;
  facet_transforms transforms[1]{};
  transforms[0].q = FACET_COMPLEX_Q;
  both.variants = variants;
  both.variant_count = 2;
  both.transforms = transforms;
  both.transforms_count = 1;
  const Kernel kernel(&both);
  const facet_variant &v = variants[0];
  EXPECT_EQ(kernel.find(v.target, v.klass, v.grid, v.q), &variants[1]);
  EXPECT_EQ(kernel.find(v.target, v.klass, v.grid, v.q, FACET_SEPARABLE), &variants[0]);
  EXPECT_EQ(kernel.transforms(FACET_COMPLEX_Q), &transforms[0]);
  EXPECT_EQ(kernel.transforms(FACET_REAL_Q), nullptr);
  EXPECT_EQ(algorithmByName("nufft"), FACET_NUFFT);
  EXPECT_HAS(refusal([] { algorithmByName("nuft"); }), "did you mean 'nufft'?");
}

TEST(Kernel, RefusesAnotherAbi) {
  EXPECT_HAS(refusal([] { fixture("abi"); }), "kernel library with ABI 99, this facet speaks ABI " +
                                                  std::to_string(FACET_ABI_VERSION));
}

TEST(Kernel, RefusesWhatIsNoKernelLibrary) {
  EXPECT_HAS(refusal([] { Kernel::load("/nonexistent.so"); }), "no such file");
  EXPECT_HAS(refusal([] { Kernel::load("/proc/cpuinfo"); }), "not a kernel library");
}

TEST(Kernel, NamesParameters) {
  const Kernel kernel = fixture();
  EXPECT_EQ(kernel.parameters({{"kappa", 2.5}}), std::vector<double>{2.5});
  EXPECT_HAS(refusal([&] { kernel.parameters({}); }), "parameter 'kappa' has no value");
  EXPECT_HAS(refusal([&] { kernel.parameters({{"kapa", 1}}); }), "did you mean 'kappa'?");
}

TEST(Targets, ForcedByTheEnvironment) {
  const Environment forced("FACET_TARGET", "sse41");
  EXPECT_EQ(forcedTarget(), "sse41");
  EXPECT_EQ(fixture().chooseTarget(""), "sse41");
}

TEST(Targets, UnknownNameIsAnErrorThatNamesTheNearest) {
  const Environment forced("FACET_TARGET", "axv2");
  EXPECT_HAS(refusal([] { forcedTarget(); }), "did you mean 'avx2'?");
}

TEST(Targets, NotInTheLibraryIsAnErrorThatNamesWhatIs) {
  if (bestTarget() == "sse41")
    GTEST_SKIP() << "this CPU has one target only";
  EXPECT_HAS(refusal([] { fixture().chooseTarget(bestTarget()); }), "it holds: sse41");
}

TEST(Targets, NoTargetIsForcedWhereNobodyAsks) { EXPECT_EQ(forcedTarget(), ""); }

} // namespace
} // namespace facet::test
