// reader.cpp - what cannot be read to its end is an error, and no shorter file.
#include "runtime/files/reader.h"
#include "runtime/files/hdf5.h"
#include "runtime/files/text.h"
#include "scratch.h"
#include <facet/runtime/grid.h>
#include <facet/runtime/mesh.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

using namespace facet::runtime;
using Reader = Scratch;

TEST_F(Reader, ReadsAFile) {
  std::string text = "before";
  EXPECT_TRUE(readFile(write("a.txt", "one\ntwo"), text));
  EXPECT_EQ(text, "one\ntwo");
  EXPECT_TRUE(readFile(write("none.txt", ""), text));
  EXPECT_EQ(text, "");
}

TEST_F(Reader, SaysThatAFileCannotBeOpened) {
  std::string text = "before";
  EXPECT_FALSE(readFile(path("a.txt"), text));
  EXPECT_EQ(text, "");
}

// Of this file the system refuses the first bytes: no process has memory there.
TEST_F(Reader, ThrowsWhereReadingFails) {
  std::string text;
  EXPECT_SAYS(readFile("/proc/self/mem", text),
              "/proc/self/mem: cannot be read: Input/output error");
  EXPECT_SAYS(readTable("/proc/self/mem"), "/proc/self/mem: cannot be read: Input/output error");
  EXPECT_SAYS(readFile(folder.string(), text), "cannot be read: Is a directory");
}

TEST_F(Reader, NumbersOfAnotherHdf5File) {
  const std::vector<double> values{1, 2, 3};
  h5::writeFile(path("a.h5"), 24, [&](hid_t file) {
    h5::writeAll(file, "x", H5T_NATIVE_DOUBLE, {3}, values.data());
  });
  h5::writeFile(path("b.h5"), 24, [&](hid_t file) {
    const h5::Handle list = h5::datasetProperties(), space = h5::spaceOf({3});
    h5::must(H5Pset_virtual(list, space, "a.h5", "/x", space));
    h5::must(h5::Handle(
        H5Dcreate2(file, "y", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, list, H5P_DEFAULT), H5Dclose));
  });
  EXPECT_EQ(h5::Object(path("b.h5")).open("y").doubles(), values);
  const Descriptor other(path("a.h5"), O_RDWR);
  ASSERT_EQ(flock(other.get(), LOCK_EX), 0);
  EXPECT_SAYS(h5::Object(path("b.h5")).open("y").doubles(), "another program is writing");
}

TEST_F(Reader, AnHdf5FileThatIsBeingWrittenIsRefused) {
  const double value = 3;
  h5::writeFile(path("a.h5"), 8,
                [&](hid_t file) { h5::writeAll(file, "x", H5T_NATIVE_DOUBLE, {}, &value); });
  const Descriptor other(path("a.h5"), O_RDWR);
  ASSERT_EQ(flock(other.get(), LOCK_EX), 0);
  EXPECT_SAYS(h5::Object(path("a.h5")), "a.h5: another program is writing this file");
  flock(other.get(), LOCK_UN);
  EXPECT_EQ(h5::Object(path("a.h5")).open("x").doubles(), std::vector<double>{3});
}

// A reader would wait for the pipe, and read the device for ever.
TEST_F(Reader, RefusesWhatMayHaveNoEnd) {
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  std::filesystem::create_symlink("/dev/zero", path("link"));
  std::string text;
  for (const std::string &endless : {path("pipe"), path("link"), std::string("/dev/zero")}) {
    const std::string said = "is no file but a device, a pipe or a socket";
    EXPECT_SAYS(readFile(endless, text), said);
    EXPECT_SAYS(readTable(endless), said);
    EXPECT_SAYS(readGrid(endless), said);
    EXPECT_SAYS(readMesh(endless), said);
    EXPECT_SAYS(h5::Object{endless}, said);
  }
}

TEST_F(Reader, BoundsTextsAndLines) {
  const std::string whole = write("long.txt", std::string(1000, ' '));
  std::string text;
  std::filesystem::resize_file(whole, std::uintmax_t{1} << 40);
  EXPECT_SAYS(readFile(whole, text), "is larger than 64 MB");
  EXPECT_SAYS(readTable(whole), "a line of it is longer than 16 MB");
}

TEST(Shown, WhatSteersATerminalIsText) {
  const std::pair<std::string, std::string> cases[] = {
      {"a\tb\n", "a\tb\n"},
      {"\x1b[31m", "\\u001b[31m"},
      {std::string("a\0b", 3), "a\\u0000b"},
      {"\r\b\x7f", "\\u000d\\u0008\\u007f"},
      {"\u00c5, \u4e00, \U0001f600", "\u00c5, \u4e00, \U0001f600"},
      {"\xc2\x9b", "\\u009b"},              // CSI of eight bits
      {"\u202ea\u2066", "\\u202ea\\u2066"}, // turn the direction
      {"\x9b\xff", "\\x9b\\xff"},
      {"\xc0\x9b", "\\xc0\\x9b"},          // overlong
      {"\xed\xa0\x80", "\\xed\\xa0\\x80"}, // half of a pair
      {"\xe4\xb8", "\\xe4\\xb8"},          // cut off
  };
  for (const auto &[text, safe] : cases) {
    EXPECT_EQ(shown(text), safe);
    EXPECT_EQ(shown(safe), safe);
  }
  EXPECT_STREQ(Error("a\x1b", std::string("b\0c", 3), "d").what(),
               "a\\u001b: b\\u0000c\n  help: d");
}

// Of a dataset that is made of itself HDF5 makes calls without end.
TEST_F(Reader, WhatCrashesHdf5IsAMessage) {
  h5::writeFile(path("a.h5"), 24, [&](hid_t file) {
    const h5::Handle list = h5::datasetProperties(), space = h5::spaceOf({3});
    h5::must(H5Pset_virtual(list, space, ".", "/x", space));
    h5::must(h5::Handle(
        H5Dcreate2(file, "x", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, list, H5P_DEFAULT), H5Dclose));
  });
  for (int twice = 0; twice < 2; ++twice)
    EXPECT_SAYS(h5::Object(path("a.h5")), "a.h5: HDF5 crashes when it reads /x of it");
}
