// cache.cpp - compiled kernels are found again by content, and not when anything they depend on
// changed.
#include "runtime/engine/kernel/cache.h"
#include "fixture.h"
#include "tests/support/folder.h"
#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace facet::test {
namespace {
namespace fs = std::filesystem;

class CacheTest : public ::testing::Test {
protected:
  void SetUp() override {
    write("kernel.cpp", "#include \"part.h\"");
    write("part.h", "one");
    write("facetc", "compiler");
  }
  void write(const std::string &name, const std::string &text) const {
    std::ofstream(folder / name) << text;
  }
  std::string key(const CompileRequest &request = {"avx2"}) const {
    return Cache::key(folder / "kernel.cpp", folder / "facetc", request);
  }
  /// What a compile gives; `compiled` counts.
  std::string get() {
    const Cache cache(folder / "cache");
    if (std::string found = cache.find(key(), folder / "kernel.cpp"); !found.empty())
      return found;
    return cache.add(key(), folder / "kernel.cpp", [&](const std::string &path) {
      std::ofstream(path) << "library " << ++compiled;
      return std::vector<std::string>{folder / "kernel.cpp", folder / "part.h"};
    });
  }
  const Folder own;
  const fs::path &folder = own.path;
  std::atomic<int> compiled{0};
};

TEST_F(CacheTest, HitsTheSecondTime) {
  const std::string first = get();
  EXPECT_TRUE(fs::exists(first));
  EXPECT_EQ(get(), first);
  EXPECT_EQ(compiled, 1);
}

TEST_F(CacheTest, LeavesNothingWhereItCannotPutAnEntry) {
  const fs::path library = get();
  fs::remove(folder / "cache" / (key() + ".entry"));
  fs::remove(library);
  fs::create_directory(library); // over which no file can be renamed
  EXPECT_SAYS(get(), "the kernel cache cannot be written: Is a directory");
  for (const auto &file : fs::directory_iterator(folder / "cache"))
    EXPECT_EQ(file.path().string().find(std::to_string(getpid())), std::string::npos) << file;
}

TEST_F(CacheTest, MissesWhenTheKernelChanges) {
  get();
  write("kernel.cpp", "#include \"part.h\" // changed");
  get();
  EXPECT_EQ(compiled, 2);
}

TEST_F(CacheTest, MissesWhenAnIncludedFileChanges) {
  const std::string first = get();
  write("part.h", "two");
  EXPECT_NE(get(), first);
  EXPECT_EQ(compiled, 2);
}

TEST_F(CacheTest, MissesWhenTheLibraryIsCut) {
  std::ofstream(get(), std::ios::trunc) << "";
  get();
  EXPECT_EQ(compiled, 2);
}

TEST_F(CacheTest, MissesWhenOthersCanWriteTheLibrary) {
  const mode_t before = umask(0); // with which linkers make files for everybody
  const std::string first = get();
  umask(before);
  EXPECT_EQ(get(), first);
  EXPECT_EQ(compiled, 1);
  for (const fs::perms open : {fs::perms::group_write, fs::perms::others_write}) {
    const int count = compiled;
    fs::permissions(get(), open, fs::perm_options::add);
    get();
    EXPECT_EQ(compiled, count + 1);
  }
}

TEST_F(CacheTest, MissesWhenTheLibraryIsALink) {
  const std::string first = get();
  fs::rename(first, folder / "elsewhere.so");
  fs::create_symlink(folder / "elsewhere.so", first);
  get();
  EXPECT_EQ(compiled, 2);
}

TEST_F(CacheTest, MissesWhenTheLibraryIsOfAnotherUser) {
  if (geteuid() != 0)
    GTEST_SKIP() << "only root can give files away";
  ASSERT_EQ(chown(get().c_str(), 12345, getegid()), 0);
  get();
  EXPECT_EQ(compiled, 2);
}

TEST_F(CacheTest, MissesWhenBytesOfTheLibraryAreDamaged) {
  const std::string library = get();
  const auto size = fs::file_size(library);
  std::fstream(library, std::ios::in | std::ios::out).seekp(3).put('#');
  ASSERT_EQ(fs::file_size(library), size);
  get();
  EXPECT_EQ(compiled, 2);
}

TEST_F(CacheTest, AnEntryNamesNoOtherFolder) {
  const std::string library = get();
  write("planted.so", "library 1");
  std::ofstream(folder / "cache" / (key() + ".entry")) << hashFile(library) << " ../planted.so\n";
  EXPECT_TRUE(Cache(folder / "cache").find(key(), folder / "kernel.cpp").empty());
}

TEST_F(CacheTest, IsTheUsersAlone) {
  get();
  EXPECT_EQ(fs::status(folder / "cache").permissions(), fs::perms::owner_all);
  fs::create_directory_symlink(folder / "cache", folder / "link");
  EXPECT_THROW(Cache(folder / "link"), Error);
  for (const fs::perms others : {fs::perms::group_write, fs::perms::others_write}) {
    fs::permissions(folder / "cache", fs::perms::owner_all | others);
    EXPECT_THROW(Cache(folder / "cache"), Error);
  }
}

TEST_F(CacheTest, OfAnotherUserIsNotTaken) {
  if (geteuid() != 0)
    GTEST_SKIP() << "only root can give a folder away";
  get();
  ASSERT_EQ(chown((folder / "cache").c_str(), 1, 1), 0);
  EXPECT_THROW(Cache(folder / "cache"), Error);
}

TEST_F(CacheTest, KeyHoldsTheRequestAndTheCompiler) {
  const std::string before = key();
  EXPECT_NE(key({"avx512"}), before);
  EXPECT_NE(key({"avx2", FACET_POINTS}), before);
  EXPECT_NE(key({"avx2", FACET_PRODUCT, FACET_COMPLEX_Q}), before);
  EXPECT_NE(key({"avx2", FACET_PRODUCT, FACET_REAL_Q, "", "direct"}), before);
  write("facetc", "another compiler");
  EXPECT_NE(key(), before);
}

TEST_F(CacheTest, ACopyOfTheFolderHits) {
  get();
  fs::create_directory(folder / "copy");
  for (const char *name : {"kernel.cpp", "part.h"})
    fs::copy_file(folder / name, folder / "copy" / name);
  EXPECT_FALSE(Cache(folder / "cache").find(key(), folder / "copy/kernel.cpp").empty());
  write("copy/part.h", "another part");
  EXPECT_TRUE(Cache(folder / "cache").find(key(), folder / "copy/kernel.cpp").empty());
}

TEST_F(CacheTest, TwoThatWantTheSameCompileOnce) {
  std::thread other([&] { get(); });
  get();
  other.join();
  EXPECT_EQ(compiled, 1);
}

TEST_F(CacheTest, AFailedCompileLeavesNothing) {
  const Cache cache(folder / "cache");
  EXPECT_THROW(cache.add(key(), folder / "kernel.cpp",
                         [](const std::string &path) -> std::vector<std::string> {
                           std::ofstream(path) << "half";
                           throw Error("x", "y");
                         }),
               Error);
  for (const auto &entry : fs::directory_iterator(folder / "cache"))
    EXPECT_EQ(entry.path().extension(), ".lock");
}

} // namespace
} // namespace facet::test
