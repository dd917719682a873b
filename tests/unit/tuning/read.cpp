// read.cpp - schedule files are read and merged, hold where they were tuned, and are refused
// with their line.
#include "entries.h"
#include "tests/support/opencl.h"
#include <csignal>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace facet::test {
namespace {

TEST_F(SchedulesTest, AMissingFileHasNoEntries) {
  EXPECT_TRUE(read().empty());
  EXPECT_EQ(refused, "");
}

TEST_F(SchedulesTest, WhatIsWrittenIsRead) {
  const TunedEntry entry = tunedHere();
  mergeSchedules(file, {entry});
  const std::vector<TunedEntry> entries = read();
  EXPECT_EQ(refused, "");
  ASSERT_EQ(entries.size(), 1U);
  EXPECT_TRUE(entries[0].key.sameVariant(entry.key));
  EXPECT_EQ(entries[0].key.kernel, "born");
  EXPECT_EQ(entries[0].knobs, entry.knobs);
  EXPECT_DOUBLE_EQ(entries[0].throughput, entry.throughput);
  EXPECT_DOUBLE_EQ(entries[0].before, entry.before);
  EXPECT_EQ(entries[0].cpu, entry.cpu);
  EXPECT_EQ(entries[0].facet, entry.facet);
  EXPECT_EQ(entries[0].halide, entry.halide);
  EXPECT_EQ(entries[0].date, entry.date);
  EXPECT_EQ(entries[0].line, 3);
}

TEST_F(SchedulesTest, OddTextsComeBack) {
  TunedEntry entry = tunedHere();
  entry.cpu = "a \"quoted\" \\ name\twith a tab";
  mergeSchedules(file, {entry});
  const std::vector<TunedEntry> entries = read();
  ASSERT_EQ(entries.size(), 1U) << refused;
  EXPECT_EQ(entries[0].cpu, entry.cpu);
}

struct Wrong {
  const char *from, *to, *says;
};
const Wrong wrongs[] = {
    {"tile_y = 6", "tile_y = 99", "schedule 1 is not used: tile_y=99: legal are 1 to 16"},
    {"tile_y = 6", "tile_y = 99999999999", "tile_y=99999999999: legal are"},
    {"tile_y = 6", "tile_y = 1.5", "tile_y is to be a whole number"},
    {"tile_y = 6", "tile_y = \"6\"", "tile_y is to be a whole number"},
    {"tile_y = 6", "tile_w = 6", "no knob 'tile_w': did you mean 'tile_y'?"},
    {"tile_y = 6", "tile_layout = 1", "tile_layout"},
    {"vector_bytes = 0", "vector_bytes = 256", "vector_bytes=256: the target's vectors have 32"},
    {"target = \"avx2\"", "target = \"avx3\"", "target = \"avx3\": did you mean 'avx2'?"},
    {"class = \"f32\"", "class = \"f16\"", "class = \"f16\": known: f32, f32-careful, f64"},
    {"algorithm = \"direct\"", "algorithm = \"nufft\"", "known: direct, separable"},
    {"grid = \"product\"", "grid = \"cube\"", "known: product, points"},
    {"q = \"real\"", "q = 3", "'q' is to be a text"},
    {"shape = ", "form = ", "it has no 'shape'"},
    {"cpu = ", "machine = ", "it has no 'cpu'"},
    {"facet = ", "version = ", "it has no 'facet'"},
    {"halide = ", "compiler = ", "it has no 'halide'"},
    {"date = ", "day = ", "it has no 'date'"},
    {"knobs = ", "numbers = ", "it has no table 'knobs'"},
    {"throughput = ", "throughput = \"many\" # ", "'throughput' is to be a number"},
    {"before = ", "behind = ", "unknown word 'behind'"},
    {"before = 5.0000e+09", "tile_y = 4", "unknown word 'tile_y': knobs belong in knobs"},
};

TEST_F(SchedulesTest, AnEntryThatCannotBeUsedIsRefusedWithItsLine) {
  for (const Wrong &wrong : wrongs) {
    SCOPED_TRACE(wrong.to);
    writeWith(wrong.from, wrong.to);
    EXPECT_TRUE(read().empty());
    EXPECT_HAS(refused, wrong.says);
    EXPECT_HAS(refused, "schedules.toml:");
  }
}

TEST_F(SchedulesTest, KnobsThatFacetHasNoMoreAreLeftOutSilentlyWhereTheyAskedForNothing) {
  writeWith("tile_y = 6", "tile_y = 6, unit_y = 0, unit_t = 0");
  EXPECT_EQ(read().size(), 1U);
  EXPECT_EQ(refused, "");
}

TEST_F(SchedulesTest, AFileOfSomethingElseIsRefusedWhole) {
  write("[run]\nthreads = 2\n");
  EXPECT_TRUE(read().empty());
  EXPECT_HAS(refused, "'run' does not belong in a schedule file");
}

TEST_F(SchedulesTest, AFolderIsRefused) {
  fs::create_directory(file);
  EXPECT_TRUE(read().empty());
  EXPECT_HAS(refused, "cannot be read");
}

TEST_F(SchedulesTest, TheSameVariantIsReplaced) {
  mergeSchedules(file, {tunedHere("f32", 6), tunedHere("f64", 6)});
  mergeSchedules(file, {tunedHere("f32", 8)});
  const std::vector<TunedEntry> entries = read();
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_EQ(entries[0].key.klass, "f64");
  EXPECT_EQ(entries[0].knobs.tileY, 6);
  EXPECT_EQ(entries[1].knobs.tileY, 8);
}

TEST_F(SchedulesTest, OtherMachinesAndVersionsAreKept) {
  TunedEntry cpu = tunedHere();
  cpu.cpu = "another";
  TunedEntry version = tunedHere();
  version.facet = "0.0.1";
  mergeSchedules(file, {cpu, version});
  mergeSchedules(file, {tunedHere()});
  EXPECT_EQ(read().size(), 3U);
}

TEST_F(SchedulesTest, CommentsAndWhatCannotBeUsedAreKept) {
  write("# mine\n\n[[schedule]]\nkernel = \"later\" # a word of a later version\nwords = 3\n");
  mergeSchedules(file, {tunedHere()});
  mergeSchedules(file, {tunedHere()});
  EXPECT_EQ(read().size(), 1U);
  EXPECT_HAS(text(), "# mine\n\n[[schedule]]\nkernel = \"later\" # a word of a later version");
}

TEST_F(SchedulesTest, SeveralProcessesAtOnceLoseNothing) {
  constexpr int processes = 4, each = 5;
  std::vector<pid_t> children;
  for (int p = 0; p < processes; ++p)
    if (const pid_t child = fork(); child == 0) {
      for (int k = 0; k < each; ++k) {
        TunedEntry entry = tunedHere();
        entry.key.shape = std::to_string(p * each + k);
        mergeSchedules(file, {entry});
      }
      _exit(0);
    } else {
      children.push_back(child);
    }
  for (const pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(read().size(), static_cast<std::size_t>(processes * each));
  EXPECT_EQ(refused, "");
}

TEST_F(SchedulesTest, ADamagedFileIsLeftAsItIs) {
  write("not = = TOML\n");
  EXPECT_SAYS(mergeSchedules(file, {tunedHere()}), "schedules.toml:1: not TOML");
  EXPECT_SAYS(checkSchedulesWritable(file), "mend the file, or remove it");
  EXPECT_EQ(text(), "not = = TOML\n");
}

TEST_F(SchedulesTest, EntriesWrittenInAnotherWayAreLeftAsTheyAre) {
  write("schedule = [ { kernel = \"born\" } ]\n");
  EXPECT_SAYS(mergeSchedules(file, {tunedHere()}), "[[schedule]] on a line");
  EXPECT_EQ(text(), "schedule = [ { kernel = \"born\" } ]\n");
}

TEST_F(SchedulesTest, AFullDiskLeavesTheOldFile) {
  mergeSchedules(file, {tunedHere()});
  const std::string before = text();
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit limit{};
  getrlimit(RLIMIT_FSIZE, &limit);
  const rlimit small{before.size() + 10, limit.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  const std::string said = refusal([&] { mergeSchedules(file, {tunedHere("f64")}); });
  setrlimit(RLIMIT_FSIZE, &limit);
  EXPECT_HAS(said, "schedules.toml: cannot write: ");
  EXPECT_HAS(said, "no partial file was left");
  EXPECT_EQ(text(), before);
  for (const auto &entry : fs::directory_iterator(folder))
    EXPECT_EQ(entry.path().string().find(".part"), std::string::npos) << entry.path();
}

TEST_F(SchedulesTest, AFolderThatCannotBeWrittenIsSaid) {
  const std::string at = "/proc/facet/schedules.toml";
  for (const std::string &said : {refusal([&] { mergeSchedules(at, {tunedHere()}); }),
                                  refusal([&] { checkSchedulesWritable(at); })}) {
    EXPECT_HAS(said, "/proc/facet: the folder cannot be made");
    EXPECT_HAS(said, "-o FILE");
  }
}

TEST_F(SchedulesTest, AFolderOfOthersIsSaid) {
  if (geteuid() == 0)
    GTEST_SKIP() << "root writes everywhere";
  fs::permissions(folder, fs::perms::owner_read | fs::perms::owner_exec);
  EXPECT_SAYS(checkSchedulesWritable(file), "cannot be written: Permission denied");
}

TEST_F(SchedulesTest, TheFolderIsMade) {
  mergeSchedules(folder / "new/facet/schedules.toml", {tunedHere()});
  EXPECT_TRUE(fs::exists(folder / "new/facet/schedules.toml"));
}

TEST_F(SchedulesTest, ALinkStaysOne) {
  std::ofstream(folder / "real.toml") << "# real\n";
  fs::create_symlink(folder / "real.toml", file);
  mergeSchedules(file, {tunedHere()});
  EXPECT_TRUE(fs::is_symlink(file));
  EXPECT_EQ(read().size(), 1U);
}

TEST_F(SchedulesTest, WhatWasTunedHereHolds) {
  mergeSchedules(file, {tunedHere()});
  const Schedules here = schedulesHere(file, {});
  ASSERT_EQ(here.held.size(), 1U);
  EXPECT_EQ(here.held[0].from, "tuned on " + tunedHere().date);
  ASSERT_NE(here.find(tunedHere().key), nullptr);
  TunedKey other = tunedHere().key;
  other.kernel = "another name";
  EXPECT_NE(here.find(other), nullptr);
  other.shape = "another";
  EXPECT_EQ(here.find(other), nullptr);
}

TEST_F(SchedulesTest, OfADeviceHoldOnThatDeviceWhateverTheCpu) {
  TunedEntry own = tunedHere("f32"), other = tunedHere("f64");
  own.key.target = other.key.target = "opencl";
  own.knobs.blockY = 8;
  sign(own);
  FACET_NEED_OPENCL(!own.device.empty(), "no signature");
  own.cpu = "VendorOther 1 2 3";
  other.device = "GPU, OpenCL 9, 1.0";
  mergeSchedules(file, {own, other});
  const std::vector<TunedEntry> held = schedulesHere(file, {}).held;
  ASSERT_EQ(held.size(), 1U);
  EXPECT_EQ(held[0].key.klass, "f32");
  EXPECT_EQ(held[0].knobs.blockY, 8);
  EXPECT_HAS(schedulesJson(held), "\"block_y\": 8");
  EXPECT_EQ(scheduleFiles(file)[0].entries[1].refusal, "of another device, GPU, OpenCL 9, 1.0");
  EXPECT_TRUE(schedulesHere(file, {}, false).held.empty()) << "no driver is asked";
  mergeSchedules(file, {own});
  EXPECT_EQ(read().size(), 2U) << "in the place of the same device's";
}

TEST_F(SchedulesTest, KnobsAndWordsOfDevicesAreOfTheirTargetsAlone) {
  TunedEntry entry = tunedHere();
  entry.key.target = "opencl";
  entry.device = "GPU, OpenCL 9, 1.0";
  mergeSchedules(file, {entry});
  const std::string good = text();
  const auto without = [&](const std::string &from, const std::string &to) {
    std::string all = good;
    write(all.replace(all.find(from), from.size(), to));
    read();
    return refused;
  };
  EXPECT_HAS(without("device = ", "# "), "it has no 'device'");
  EXPECT_HAS(without("block_z", "vector_bytes"),
             "vector_bytes is no knob of direct sums of devices");
  EXPECT_HAS(without("\"opencl\"", "\"avx2\""), "no knob of direct sums\n");
}

TEST_F(SchedulesTest, TunedAgainIsNotStale) {
  TunedEntry old = tunedHere();
  old.facet = "0.0.1";
  mergeSchedules(file, {old, tunedHere()});
  const Schedules here = schedulesHere(file, {});
  EXPECT_EQ(here.held.size(), 1U);
  EXPECT_TRUE(here.stale.empty());
}

TEST_F(SchedulesTest, ShippedProfilesAreRefusedForTheirCpuAlone) {
  for (const auto &entry : fs::directory_iterator(MACHINES)) {
    if (entry.path().extension() != ".toml")
      continue;
    SCOPED_TRACE(entry.path());
    for (const ScheduleFile &shipped : scheduleFiles(entry.path())) {
      EXPECT_TRUE(shipped.refused.empty()) << shipped.refused.front();
      EXPECT_FALSE(shipped.entries.empty());
      for (const TunedEntry &one : shipped.entries)
        EXPECT_TRUE(one.refusal.empty() || one.refusal.starts_with("of another CPU"))
            << one.key.text() << ": " << one.refusal;
    }
  }
}

} // namespace
} // namespace facet::test
