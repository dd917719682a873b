// oclgrind_test.cpp - sums of OpenCL under Oclgrind, an interpreter of OpenCL (Price and
// McIntosh-Smith, IWOCL 2015). It looks for races, places out of bounds and diverging barriers. It
// finds a barrier taken out, an index off by one, local memory that is too short.
#include "runtime/engine/device/device.h"
#include "runtime/engine/kernel/inside.h"
#include "tests/property/compare.h"
#include "tests/support/edit.h"
#include "tests/support/environment.h"
#include "tests/support/folder.h"
#include "tests/unit/library/values.h"
#include <dlfcn.h>
#include <facet/runtime/kernel.h>
#include <filesystem>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <iostream>
#include <regex>
#include <sstream>

namespace {

/// What a test spoils: the text (see edit.h), bytes of local memory.
struct Spoilt {
  std::string text;
  std::size_t missing = 0;
} spoilt;

/// Before anything asks for a device.
[[maybe_unused]] const int setUp = [] {
  setenv("FACET_OPENCL_LIBRARY", OCLGRIND, 1);
  setenv("OCLGRIND_DATA_RACES", "1", 1);
  setenv("OCLGRIND_MAX_ERRORS", "1000000", 1); // of all tests together
  return 0;
}();

template <class Function> Function oclgrinds(const char *name) {
  static void *const library = dlopen(OCLGRIND, RTLD_NOW);
  return reinterpret_cast<Function>(dlsym(library, name));
}

} // namespace

// Halide's runtime takes functions of OpenCL from the program first: these two of here, which hand
// on to Oclgrind.
extern "C" {
void *clCreateProgramWithSource(void *context, unsigned count, const char **texts,
                                const std::size_t *lengths, int *status) {
  using Create = void *(*)(void *, unsigned, const char **, const std::size_t *, int *);
  const auto create = oclgrinds<Create>("clCreateProgramWithSource");
  if (spoilt.text.empty())
    return create(context, count, texts, lengths, status);
  const std::string text = lengths ? std::string(texts[0], lengths[0]) : texts[0];
  try {
    const std::string other = facet::test::edited(text, spoilt.text);
    const char *const begin = other.c_str();
    return create(context, 1, const_cast<const char **>(&begin), nullptr, status);
  } catch (const std::runtime_error &wrong) {
    ADD_FAILURE() << wrong.what();
    return create(context, count, texts, lengths, status);
  }
}
int clSetKernelArg(void *kernel, unsigned index, std::size_t size, const void *value) {
  using Set = int (*)(void *, unsigned, std::size_t, const void *);
  const bool local = value == nullptr && size > spoilt.missing;
  return oclgrinds<Set>("clSetKernelArg")(kernel, index, local ? size - spoilt.missing : size,
                                          value);
}
}

namespace facet::test {
namespace {

/// Oclgrind writes what it finds to std::cerr; kept while this lives.
class Words {
public:
  Words() : before_(std::cerr.rdbuf(kept_.rdbuf())) {}
  ~Words() { std::cerr.rdbuf(before_); }
  Words(const Words &) = delete;
  Words &operator=(const Words &) = delete;
  std::string text() const { return kept_.str(); }

private:
  std::ostringstream kept_;
  std::streambuf *before_;
};

#define NEED_OCLGRIND()                                                                            \
  if (!std::filesystem::exists(OCLGRIND))                                                          \
  GTEST_SKIP() << "Oclgrind is not installed (Debian: oclgrind)"

/// Left behind at exit: Oclgrind's memory of a thread is gone before static objects are.
facet_device *queue() {
  static auto &queue = *new runtime::DeviceQueue(runtime::Device::open(FACET_OPENCL));
  return queue.get();
}

void make(const std::string &kernel, const std::vector<std::string> &options,
          const std::string &path) {
  std::vector<std::string> words{
      FACETC, fmt::format("{}/{}.cpp", KERNELS, kernel), "--emit=library", "--targets=opencl", "-o",
      path};
  words.insert(words.end(), options.begin(), options.end());
  if (const int code = runtime::spawn(words))
    throw std::runtime_error(fmt::format("facetc: exit code {}", code));
}

/// A kernel's library for OpenCL: of those that other tests use, or made now.
std::string libraryOf(const std::string &kernel, const Folder &folder) {
  const std::string known = openclLibrary(kernel), path = folder.path / (kernel + ".so");
  if (std::filesystem::exists(known))
    return known;
  make(kernel, {}, path);
  return path;
}

// plasmon_pole reads columns with an axis: tests/lit/run/device/oclgrind.test runs it.
const char *const kernels[] = {"born",  "closed",   "exact",    "layered", "surface",
                               "atoms", "magnetic", "resonant", "rough",   "value_at_risk"};
constexpr int inEachRun = 1, step = 5;

/// A whole block of records and a rest, where a call has blocks; a separable sum takes few at a
/// time.
int records(const facet_variant &variant) {
  const std::string knobs = variant.knobs, name = "block_t=";
  return variant.algorithm == FACET_DIRECT
             ? std::stoi(knobs.substr(knobs.find(name) + name.size())) + 3
             : 35;
}

class OclgrindSums : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Kernels, OclgrindSums,
                         testing::Range(0, fullTests() ? int{std::size(kernels)} : inEachRun),
                         [](const auto &info) { return std::string(kernels[info.param]); });

// Whole blocks of records and a rest, in a full run less than a block too. Every fifth sum of one
// kernel; all of all with FACET_FULL_TESTS=1.
TEST_P(OclgrindSums, AreCleanAndAgreeWithTheReference) {
  NEED_OCLGRIND();
  const Folder folder;
  const runtime::Kernel loaded = runtime::Kernel::load(libraryOf(kernels[GetParam()], folder));
  EXPECT_GT(loaded->variant_count, 0);
  for (int v = 0; v < loaded->variant_count; ++v) {
    if (!fullTests() && v % step != GetParam())
      continue;
    const facet_variant &variant = loaded->variants[v];
    ASSERT_EQ(variant.interface_, FACET_OPENCL);
    const double most = variant.klass == FACET_F64 ? 1e-12 : 5e-6;
    const Words words;
    EXPECT_LE(errorOf(*loaded, variant, records(variant), {1, 3, 17}, 35, queue()), most)
        << nameOf(variant);
    if (fullTests()) {
      EXPECT_LE(errorOf(*loaded, variant, 300, {2, 3, 17}, 35, queue()), most) << nameOf(variant);
      EXPECT_LE(errorOf(*loaded, variant, 7, {1, 1, 1}, 1, queue()), most) << nameOf(variant);
    }
    EXPECT_EQ(words.text(), "") << nameOf(variant);
  }
}

/// A way to spoil a sum of born; what Oclgrind says of it.
struct Mutation {
  const char *name, *algorithm;
  Spoilt how;
  const char *said;
};
class OclgrindMutations : public testing::TestWithParam<Mutation> {};

TEST_P(OclgrindMutations, AreFound) {
  NEED_OCLGRIND();
  const Mutation &mutation = GetParam();
  const Folder folder;
  const std::string path = folder.path / "spoilt.so";
  // Small blocks: what is spoilt in one is told of many times.
  make("born",
       {fmt::format("--algorithms={}", mutation.algorithm), "--class=f32", "--grid=product",
        "--q=real", "--knobs=block_t=8,tile_y=1,tile_z=1,block_y=4,block_z=8,unroll_t=2"},
       path);
  const runtime::Kernel kernel = runtime::Kernel::load(path);
  const facet_variant &variant = kernel->variants[0];
  ASSERT_EQ(variant.grid, FACET_PRODUCT);
  spoilt = mutation.how;
  const Words words;
  try {
    errorOf(*kernel, variant, 19, {1, 3, 17}, 1, queue());
  } catch (const std::runtime_error &) {
    // Some faults end the sum.
  }
  spoilt = {};
  EXPECT_TRUE(std::regex_search(words.text(), std::regex(mutation.said))) << words.text();
}

// In a separable sum the third barrier is behind its tables, and the sixth store fills that of z.
#define STORE_OF(number) number R"(|(\(\(__local float \*\)\w+\)\[\w+)\] = |$1+1] = )"
INSTANTIATE_TEST_SUITE_P(
    Sums, OclgrindMutations,
    testing::Values(
        Mutation{"BarrierOfDirect", "direct", {R"(1|barrier\([^)]*\);|)"}, "data race"},
        Mutation{"BarrierOfSeparable", "separable", {R"(3|barrier\([^)]*\);|)"}, "data race"},
        Mutation{"IndexOfDirect", "direct", {STORE_OF("1")}, "data race|Invalid write"},
        Mutation{"IndexOfSeparable", "separable", {STORE_OF("6")}, "data race|Invalid write"},
        Mutation{"ShortOfDirect", "direct", {"", 4}, "Invalid (read|write)"},
        Mutation{"ShortOfSeparable", "separable", {"", 4}, "Invalid (read|write)"}),
    [](const auto &info) { return std::string(info.param.name); });

} // namespace
} // namespace facet::test
