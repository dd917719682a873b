// profile.cpp - the machine profile: kept, used if it fits, and never in the way of a run.
#include "runtime/engine/plan/profile.h"
#include "fixture.h"
#include "runtime/engine/system/kept.h"
#include "runtime/engine/system/machine.h"
#include "tests/support/folder.h"
#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace facet::test {
namespace {

/// A file of this test's own, gone afterwards.
struct ProfileFile {
  std::string path =
      (std::filesystem::temp_directory_path() / ("facet-profile-" + std::to_string(getpid())))
          .string();
  explicit ProfileFile(const std::string &text = "") {
    if (!text.empty())
      std::ofstream(path) << text;
  }
  ~ProfileFile() { std::filesystem::remove(path); }
};

Speed never() {
  ADD_FAILURE() << "measured";
  return {};
}

TEST(Profile, KeepsWhatWasMeasured) {
  const ProfileFile file;
  Profile first(file.path);
  EXPECT_EQ(first.speed("a b", [] { return Speed{1e-3, 2e-9}; }, {}), (Speed{1e-3, 2e-9}));
  first.save();
  Profile second(file.path);
  EXPECT_EQ(second.speed("a b", never, {}), (Speed{1e-3, 2e-9}));
  EXPECT_EQ(second.date(), today());
}

TEST(Profile, OfAnotherMachineIsNotUsed) {
  const ProfileFile file("cpu = \"an abacus\"\nfacet = \"0.1.0\"\n[speed]\n\"a\" = [1.0, 1.0]\n");
  Profile profile(file.path);
  EXPECT_FALSE(profile.knows("a"));
  EXPECT_HAS(profile.problem(), "of another CPU");
}

TEST(Profile, OfAnotherVersionIsNotUsed) {
  const ProfileFile file("cpu = '" + cpuId() + "'\nfacet = \"0.0.0\"\n");
  EXPECT_HAS(Profile(file.path).problem(), "of another version");
}

TEST(Profile, ThatIsDamagedIsNotUsed) {
  const ProfileFile file("cpu = \n");
  EXPECT_HAS(Profile(file.path).problem(), ":1: not TOML");
}

TEST(Profile, ThatIsFixedMeasuresNothing) {
  const std::string text = "fixed = true\n[speed]\n\"a\" = [1.0, 2.0]\n";
  const ProfileFile file(text);
  Profile profile(file.path);
  EXPECT_EQ(profile.speed("a", never, {}), (Speed{1, 2}));
  EXPECT_EQ(profile.speed("b", never, {3, 4}), (Speed{3, 4}));
  EXPECT_EQ(profile.nufft({}).phase, NufftConstants{}.phase);
  profile.save();
  EXPECT_EQ(textOf(file.path), text);
}

TEST(Profile, ThatCannotBeWrittenIsNoError) {
  for (const char *path : {"", "/dev/null/machine.toml"}) {
    Profile profile(path);
    profile.speed("a", [] { return Speed{1, 1}; }, {});
    profile.save();
  }
}

TEST(Profile, IsWhereTheEnvironmentSays) { EXPECT_EQ(profilePath(), FIXED_PROFILE); }

/// A file is known by its stamp; one that was just written has none yet, since a second change
/// could bear the same time.
TEST(FileCache, IsWhatWasReadOfAFileThatIsUnchanged) {
  const ProfileFile link;
  int read = 0;
  FileCache<int> kept;
  const auto get = [&] { return *kept.get(link.path, [&] { return ++read; }); };
  std::filesystem::create_symlink("/bin/sh", link.path);
  EXPECT_EQ(get(), 1);
  EXPECT_EQ(get(), 1);
  std::filesystem::remove(link.path);
  std::filesystem::create_symlink(FIXED_PROFILE, link.path);
  EXPECT_EQ(get(), 2);
  EXPECT_EQ(get(), 2);
  std::filesystem::remove(link.path);
  EXPECT_EQ(get(), 3);
  std::ofstream(link.path) << "new";
  EXPECT_EQ(get(), 4);
  EXPECT_EQ(get(), 5);
}

TEST(Machine, IsKnown) {
  EXPECT_NE(cpuId(), "");
  EXPECT_GT(freeMemory(), 1e8);
  EXPECT_GE(usableThreads(), 1);
}

} // namespace
} // namespace facet::test
