// cuda_test.cpp - every sum of a CUDA library of every example kernel and of operations.cpp,
// launched through a driver that interprets its PTX, against the reference the library carries.
// (Two kernels compile for long: they have one kind of q.) Every instruction of the texts is met.
// The interpreter finds a barrier taken out, an index off by one, shared memory that is too short.
#include "runtime/engine/device/device.h"
#include "runtime/engine/kernel/inside.h"
#include "tests/gpu/interpreter/text.h"
#include "tests/support/environment.h"
#include "tests/support/folder.h"
#include "tests/unit/library/values.h"
#include "tests/unit/run/device/environment.h"
#include <dlfcn.h>
#include <facet/runtime/kernel.h>
#include <filesystem>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <regex>
#include <set>

namespace facet::test {
namespace {

// Before anything asks for a device; FACET_CUDA_LIBRARY=libcuda.so.1 has a GPU sum what agrees with
// the reference.
[[maybe_unused]] const int setUp = [] {
  setenv("FACET_CUDA_LIBRARY", DRIVER, 0);
  setenv("FACET_NVCC", NVCC, 1);
  setenv("FACET_TEST_PYTHON", PYTHON, 1);
  return 0;
}();

// plasmon_pole reads columns with an axis: tests/lit/run/device/cuda.test runs it.
const char *const kernels[] = {"atoms",   "born",     "closed",       "exact",
                               "layered", "magnetic", "operations",   "resonant",
                               "rough",   "surface",  "value_at_risk"};

/// As in CMakeLists.txt: sums of complex q of one, of real q of the other, by --full all of both.
const std::set<std::string> longOnes{"magnetic", "resonant"};

std::string libraryOf(const std::string &kernel) {
  const char *which = longOnes.count(kernel) && fullTests() ? "_all" : "";
  return fmt::format("{}/{}_cuda{}.so", FACET_TEST_KERNELS, kernel, which);
}

facet_device *queue() {
  static runtime::DeviceQueue queue(runtime::Device::open(FACET_CUDA));
  return queue.get();
}

class CudaSums : public testing::TestWithParam<const char *> {};
INSTANTIATE_TEST_SUITE_P(Kernels, CudaSums, testing::ValuesIn(kernels),
                         [](const auto &info) { return std::string(info.param); });

// Whole blocks of records and a rest, and less than a block; a device's own functions off by all
// that they may be, to both sides.
TEST_P(CudaSums, AgreeWithTheReference) {
  const runtime::Kernel loaded = runtime::Kernel::load(libraryOf(GetParam()));
  EXPECT_GT(loaded->variant_count, 0);
  for (int v = 0; v < loaded->variant_count; ++v) {
    const facet_variant &variant = loaded->variants[v];
    ASSERT_EQ(variant.interface_, FACET_CUDA);
    const double most = variant.klass == FACET_F64 ? 1e-12 : 5e-6;
    for (const char *sign : {"1", "-1"}) {
      const Environment off("FAKE_CUDA_APPROXIMATION", sign);
      EXPECT_LE(errorOf(*loaded, variant, 300, {2, 3, 17}, 35, queue()), most) << nameOf(variant);
      EXPECT_LE(errorOf(*loaded, variant, 7, {1, 1, 1}, 1, queue()), most) << nameOf(variant);
      if (std::string(variant.knobs).find("hardware=1") == std::string::npos)
        break;
    }
  }
}

/// The texts of PTX that a library holds.
std::vector<std::string> textsOf(const std::string &path) {
  const std::string bytes = textOf(path);
  std::vector<std::string> texts;
  for (std::size_t at = 0; (at = bytes.find("\n.version ", at)) != std::string::npos;) {
    texts.emplace_back(bytes.c_str() + at); // to its zero
    at += texts.back().size();
  }
  return texts;
}

/// A library of born's separable sums in f64 on tensor cores.
std::string tensorLibrary(const Folder &folder, const char *capability) {
  const Environment asked("FACET_TEST_CAPABILITY", capability);
  const std::string path = folder.path / (std::string("tensor") + capability + ".so");
  if (const int code =
          runtime::spawn({FACETC, KERNELS "/born.cpp", "--emit=library", "--targets=cuda-sm_80",
                          "--algorithms=separable", "--class=f64", "--knobs=tensor=1", "-o", path}))
    throw std::runtime_error(fmt::format("facetc: exit code {}", code));
  return path;
}

TEST(CudaTexts, AreOfInstructionsThatAreInTheTable) {
  const Folder folder;
  std::vector<std::string> libraries{libraryOf("plasmon_pole"), tensorLibrary(folder, "80"),
                                     tensorLibrary(folder, "90")};
  for (const char *kernel : kernels)
    libraries.push_back(libraryOf(kernel));
  std::set<std::string> met;
  for (const std::string &library : libraries) {
    const std::vector<std::string> texts = textsOf(library);
    EXPECT_FALSE(texts.empty()) << library;
    for (const std::string &text : texts)
      for (const std::string &spelling : ptx::spellings(text)) {
        met.insert(spelling);
        EXPECT_NE(ptx::find(spelling), nullptr) << spelling << " in " << library;
      }
  }
  for (const std::string &known : ptx::known())
    EXPECT_EQ(met.count(known), 1U)
        << known << " is in instructions.def and in no text: take it out";
}

/// A way to spoil a sum; what the interpreter says of it.
struct Mutation {
  const char *name, *kernel;
  facet_algorithm algorithm;
  const char *edit; // FAKE_CUDA_EDIT; "": shared memory is 4 bytes short
  const char *said;
};
class CudaMutations : public testing::TestWithParam<Mutation> {};

const facet_variant *variantOf(const runtime::Kernel &kernel, facet_algorithm algorithm) {
  for (int v = 0; v < kernel->variant_count; ++v)
    if (kernel->variants[v].algorithm == algorithm && kernel->variants[v].grid == FACET_PRODUCT &&
        kernel->variants[v].q == FACET_REAL_Q)
      return &kernel->variants[v];
  return nullptr;
}

std::string driversWords() {
  auto *driver = dlopen(DRIVER, RTLD_NOW | RTLD_NOLOAD);
  return reinterpret_cast<const char *(*)()>(dlsym(driver, "facet_ptx_fault"))();
}

TEST_P(CudaMutations, AreFound) {
  const Mutation &mutation = GetParam();
  const Folder folder; // a copy, since modules are loaded once
  const std::string path = folder.path / "spoilt.so";
  std::filesystem::copy_file(libraryOf(mutation.kernel), path);
  const runtime::Kernel kernel = runtime::Kernel::load(path);
  const facet_variant *variant = variantOf(kernel, mutation.algorithm);
  ASSERT_NE(variant, nullptr);
  const auto run = [&] { return errorOf(*kernel, *variant, 300, {2, 3, 17}, 35, queue()); };
  const Environment edit("FAKE_CUDA_EDIT", mutation.edit);
  const Environment shortened("FAKE_CUDA_SHORTER", *mutation.edit ? "0" : "4");
  EXPECT_THROW(run(), std::runtime_error);
  const std::string words = driversWords();
  EXPECT_TRUE(std::regex_search(words, std::regex(mutation.said))) << words;
  EXPECT_NE(words.find("\n  kernel "), std::string::npos) << words;
  EXPECT_NE(std::string(queue()->message).find("CUDA_ERROR_LAUNCH_FAILED"), std::string::npos)
      << queue()->message;
}

// In a separable sum the third barrier is behind its tables, the fourth behind their use; others
// could go.
INSTANTIATE_TEST_SUITE_P(
    Sums, CudaMutations,
    testing::Values(
        Mutation{"BarrierOfDirect", "born", FACET_DIRECT, R"(1|bar\.sync\s+0;|)",
                 "shared memory.*race"},
        Mutation{"SecondBarrierOfDirect", "born", FACET_DIRECT, R"(2|bar\.sync\s+0;|)",
                 "shared memory.*race"},
        Mutation{"BarrierOfSeparable", "born", FACET_SEPARABLE, R"(3|bar\.sync\s+0;|)",
                 "shared memory.*race"},
        Mutation{"SecondBarrierOfSeparable", "born", FACET_SEPARABLE, R"(4|bar\.sync\s+0;|)",
                 "shared memory.*race"},
        Mutation{"IndexOfDirect", "born", FACET_DIRECT, R"(1|(st\.shared\.b32\s+\[%rd\d+)\]|$1+4])",
                 "shared memory.*(never written|out of bounds)"},
        Mutation{"IndexOfSeparable", "born", FACET_SEPARABLE,
                 R"(1|(st\.shared\.b32\s+\[%rd\d+)\]|$1+4])",
                 "shared memory.*(race|never written|out of bounds)"},
        Mutation{"RecordOfDirect", "born", FACET_DIRECT,
                 R"(1|(ld\.global\.nc\.b32\s+%r\d+, \[%rd\d+)\]|$1+-4])",
                 "global memory, out of bounds"},
        Mutation{"SumOfDirect", "born", FACET_DIRECT, R"(1|(st\.global\.b64\s+\[%rd\d+)\]|$1+8])",
                 "global memory.*(race|never written|out of bounds)"},
        Mutation{"ShortOfDirect", "born", FACET_DIRECT, "", "shared memory, out of bounds"},
        Mutation{"ShortOfSeparable", "born", FACET_SEPARABLE, "", "shared memory, out of bounds"}),
    [](const auto &info) { return std::string(info.param.name); });

} // namespace
} // namespace facet::test
