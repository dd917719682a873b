// refused.cpp - what is not resumed, not overwritten, not written: each with its message.
#include "runs.h"
#include "runtime/engine/store/journal.h"
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>

namespace {
/// The number of the next file that this process opens.
rlim_t nextFile() {
  const Descriptor next("/dev/null", O_RDONLY);
  return static_cast<rlim_t>(next.get());
}

/// While one lives, this process can open no further file.
class NoMoreFiles : Limit {
public:
  NoMoreFiles() : Limit(RLIMIT_NOFILE, nextFile()) {}
};
} // namespace

TEST_F(Tiled, AnotherIdentityIsNamed) {
  run.partly(6);
  const Identity before = run.identity;
  run.options.parts = {{"facet", "version of facet", "that version"}};
  const char *const parts[][3] = {
      {"kernel", "k2", "the kernel is not that of the stopped run (k2, then k1)"},
      {"mesh", "m2", "the mesh is not"},
      {"grid", "g2", "the grid is not"},
      {"plan", R"({"tile":[1,4,10]})", "the plan is not"},
      {"facet", "9.0", "the version of facet is not"},
      {"detector", "x", "the detector is not"}};
  for (const auto &[name, value, says] : parts) {
    run.identity = before;
    run.identity[name] = value;
    EXPECT_SAYS(run.resume(), std::string("a.h5: cannot resume: ") + says);
    EXPECT_SAYS(run.resume(), "or begin anew with --overwrite");
  }
  run.identity["facet"] = "9.0";
  EXPECT_SAYS(run.resume(), "the version of facet is not"); // its own words come before others
  EXPECT_SAYS(run.resume(), "help: resume with that version, or begin anew with --overwrite");
  run.identity = before;
  run.units = 24;
  EXPECT_SAYS(run.resume(), "the units is not");
  run.units = 12;
  EXPECT_EQ(run.resume().finished(), 6); // refusals have changed nothing
}

TEST_F(Tiled, OfALongPlanItShowsWhereItDiffers) {
  const std::string start = R"({"target":"avx512","class":"f32","algorithm":"separable",)";
  run.identity["plan"] = start + R"("tile":[1,2,10],"nodes":false,"centre":[0.1,0.2,0.3]})";
  run.partly(1);
  run.identity["plan"] = start + R"("tile":[1,4,10],"nodes":false,"centre":[0.1,0.2,0.3]})";
  const std::string text = refusal([&] { run.resume(); });
  EXPECT_HAS(text, "4,10],");
  EXPECT_EQ(text.find("avx512"), std::string::npos) << text;
}

TEST_F(Tiled, FinishedUnitsAreNotLostSilently) {
  run.partly(6);
  EXPECT_SAYS(run.create(), "was stopped with 6 of 12 units finished\n  help: go on with it by "
                            "--resume, or discard it by --overwrite");
  EXPECT_EQ(findResult(run.path).done, 6);
  EXPECT_EQ(findResult(run.path).identity.at("plan"), run.identity.at("plan"));
  run.options.overwrite = true;
  run.whole();
  EXPECT_EQ(files(), 1U);
}

TEST_F(Tiled, AJournalThatCannotBeReadIsNotTakenForNone) {
  run.partly(6);
  const std::string journal = tiled::journalOf(run.path, 0), kept = path("kept");
  std::filesystem::rename(journal, kept);
  std::filesystem::create_symlink(journal, journal);
  EXPECT_SAYS(run.resume(), "a.h5.journal.0: cannot be read: ");
  EXPECT_SAYS(run.create(), "a.h5.journal.0: cannot be read: ");
  std::filesystem::rename(kept, journal);
  EXPECT_EQ(run.resume().finished(), 6);
}

TEST_F(Tiled, AResultThatCannotBeLookedAtIsNotTakenForNone) {
  run.partly(6);
  const std::string part = run.path + ".part", kept = path("kept");
  std::filesystem::rename(part, kept);
  std::filesystem::create_symlink(part, part);
  EXPECT_SAYS(run.create(), "a.h5.part: cannot be looked at: ");
  std::filesystem::rename(kept, part);
  EXPECT_EQ(run.resume().finished(), 6);
}

TEST_F(Tiled, AFolderThatCannotBeListedIsNotTakenForEmpty) {
  run.partly(6);
  {
    const NoMoreFiles none;
    EXPECT_SAYS(run.create(), "a.h5: its folder cannot be listed, so that a stopped run is not "
                              "found: Too many open files");
    EXPECT_SAYS(run.resume(), "a.h5: its folder cannot be listed");
  }
  EXPECT_EQ(run.resume().finished(), 6);
}

TEST_F(Tiled, AJournalIsRemovedWhereTheFolderCannotBeListed) {
  run.partly(6);
  {
    const NoMoreFiles none;
    tiled::removeJournals(run.path);
  }
  EXPECT_TRUE(tiled::journalsOf(run.path).empty());
}

TEST_F(Tiled, TwoRunsDoNotWriteOneResult) {
  TiledResult first = run.create();
  for (std::int64_t unit = 0; unit < 2; ++unit) {
    EXPECT_SAYS(run.create(), "another run is writing this result");
    EXPECT_SAYS(run.resume(), "another run is writing this result");
    run.compute(first, unit);
  }
}

TEST_F(Tiled, AFullDiskIsFoundBeforeTheFirstUnit) {
  run.grid.axes[1] = parseAxis("0:1:4000");
  {
    const FullDisk full(500'000);
    EXPECT_SAYS(run.create(), "a.h5: cannot write: File too large");
  }
  EXPECT_EQ(files(), 0U);
}

TEST_F(Tiled, AFullDiskWhileCompressingKeepsTheUnits) {
  {
    TiledResult result = run.create();
    run.computeAll(result);
    const FullDisk full(1000);
    const std::string text = refusal([&] { result.finalise(SmallRun::process(), true); });
    EXPECT_HAS(text, "a.h5: cannot write: ");
    EXPECT_HAS(text, "all units are kept in " + run.path + ".part: go on with --resume");
    EXPECT_EQ(text.find("no partial file"), std::string::npos) << text;
  }
  run.resume().finalise(SmallRun::process()); // nothing is computed again
}

TEST_F(Tiled, ASmallFileSystemThatIsFullIsFoundBeforeTheFirstUnit) {
  // In a name space of its own, if the system allows one.
  const int status = inChild([&] {
    if (unshare(geteuid() == 0 ? CLONE_NEWNS : CLONE_NEWUSER | CLONE_NEWNS) != 0 ||
        mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        mount("none", folder.c_str(), "tmpfs", 0, "size=1m") != 0)
      _exit(77);
    run.grid.axes[1] = parseAxis("0:1:4000");
    const std::string text = refusal([&] { run.create(); });
    const bool good =
        text.find("a.h5: cannot write: No space left") != std::string::npos && files() == 0;
    if (!good)
      std::fprintf(stderr, "%s\n", text.c_str());
    _exit(good ? 0 : 1);
  });
  if (status == 77)
    GTEST_SKIP() << "no file system can be mounted here";
  EXPECT_EQ(status, 0);
}

TEST_F(Tiled, AFolderThatIsNotThereOrNotWritable) {
  EXPECT_SAYS(SmallRun(path("no/a.h5")).create(), "no/a.h5: cannot write: No such file");
  std::filesystem::permissions(folder, std::filesystem::perms(0555));
  const int status = inChild([&] {
    if (geteuid() == 0 && seteuid(65534) != 0)
      _exit(77);
    const std::string text = refusal([&] { run.create(); });
    _exit(text.find("a.h5: cannot write: Permission denied") != std::string::npos ? 0 : 1);
  });
  std::filesystem::permissions(folder, std::filesystem::perms(0755));
  EXPECT_EQ(status, 0);
  EXPECT_EQ(files(), 0U);
}

TEST_F(Tiled, HashesTellMeshesAndGridsApart) {
  Mesh a = makeMesh("box"), b = a;
  b.triangles[3][1][2] += 1e-9;
  EXPECT_NE(hashOf(a), hashOf(b));
  b = a;
  b.name = "other";
  EXPECT_EQ(hashOf(a), hashOf(b));
  b.columns["contrast"].assign(12, 1);
  EXPECT_NE(hashOf(a), hashOf(b));
  EXPECT_EQ(hashOf(*blocksOf(std::make_shared<const Mesh>(b))), hashOf(b));
  std::vector<double> numbers(static_cast<std::size_t>(3 * b.size()), 1.0);
  const std::string without = hashOf(b);
  b.tables["w"] = AxisTable(3, b.size(), numbers);
  const std::string with = hashOf(b);
  EXPECT_NE(with, without);
  EXPECT_EQ(hashOf(*blocksOf(std::make_shared<const Mesh>(b))), with);
  numbers.back() = 2;
  b.tables["w"] = AxisTable(3, b.size(), numbers);
  EXPECT_NE(hashOf(b), with);
  Grid g = smallGrid(), h = g;
  h.axes[2].im.assign(10, 0.01);
  EXPECT_NE(hashOf(g), hashOf(h));
}

/// Somebody's file, behind a link of each kind.
class TiledLinks : public Tiled {
protected:
  void expectRefused(const std::string &name) {
    for (const bool symbolic : {true, false}) {
      const std::string victim = write("victim", "somebody's");
      if (symbolic)
        std::filesystem::create_symlink(victim, name);
      else
        std::filesystem::create_hard_link(victim, name);
      EXPECT_SAYS(run.create(), name + ": is there, and is a link or no file of facet's own");
      EXPECT_SAYS(run.resume(), name + ": is there, and is a link or no file of facet's own");
      EXPECT_EQ(bytes("victim"), "somebody's");
      EXPECT_TRUE(std::filesystem::exists(name));
      std::filesystem::remove(name);
    }
  }
};

TEST_F(TiledLinks, AreNotWrittenThroughBesideAResult) {
  expectRefused(run.path + ".journal.0");
  expectRefused(run.path + ".part");
  ASSERT_EQ(mkfifo((run.path + ".journal.0").c_str(), 0600), 0);
  EXPECT_SAYS(run.create(), "journal.0: is ");
}

TEST_F(TiledLinks, OfAStoppedRunAreNotWrittenThrough) {
  run.partly(3);
  const std::string part = run.path + ".part";
  std::filesystem::rename(part, path("moved"));
  std::filesystem::create_symlink(path("moved"), part);
  const std::string before = bytes("moved");
  EXPECT_SAYS(run.resume(), part + ": is there, and is a link");
  EXPECT_EQ(bytes("moved"), before);
}

TEST_F(Tiled, AFileThatOnlyHasTheNameOfAJournalIsKept) {
  const std::string name = write("a.h5.journal.0", "notes of a person\n");
  EXPECT_SAYS(run.create(), "is there, and is no journal of facet's\n  help: move it away");
  EXPECT_EQ(bytes("a.h5.journal.0"), "notes of a person\n");
}
