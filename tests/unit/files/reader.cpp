// reader.cpp - what cannot be read to its end is an error, and no shorter file.
#include "runtime/engine/system/reader.h"
#include "runtime/engine/store/hdf5.h"
#include "runtime/engine/system/text.h"
#include "scratch.h"
#include <atomic>
#include <chrono>
#include <facet/runtime/grid.h>
#include <facet/runtime/mesh.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <thread>

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

// The system refuses the first bytes of this file: no process has memory there.
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

// For a dataset that is made of itself HDF5 makes calls without end.
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

// The first string is damaged, which crashes HDF5, and the second attribute such that none can be
// listed, and a child tries no string; listing may crash, too.
TEST_F(Reader, WhatCannotBeListedIsAMessage) {
  h5::writeFile(path("a.h5"), 24, [&](hid_t file) {
    const h5::Handle group = h5::makeGroup(file, "g", "NXdata");
    h5::attribute(group, "first", std::string("text"));
    h5::attribute(group, "second", 1.0);
  });
  EXPECT_EQ(h5::Object(path("a.h5")).open("g").attribute("first"), "text");
  std::string bytes;
  ASSERT_TRUE(readFile(path("a.h5"), bytes));
  const std::size_t heap = bytes.find("GCOL"), second = bytes.find(std::string("second\0", 7));
  const std::string address(reinterpret_cast<const char *>(&heap), sizeof heap);
  const std::size_t use = bytes.find(address, bytes.find(std::string("first\0", 6)));
  ASSERT_LT(use, bytes.size());
  ASSERT_LT(second, bytes.size());
  bytes[use + sizeof heap + 3] = '\x80'; // the number of the string in the heap
  bytes[second - 8] = 77;                // a version
  EXPECT_SAYS(h5::Object(write("b.h5", bytes)).open("g").attribute("first"), "b.h5: HDF5 c");
}

herr_t staysWithin(hid_t, const char *, const H5L_info_t *, void *) {
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
  return 0;
}

// A child that is made while another thread is within HDF5 waits for that thread's lock, to no end.
TEST_F(Reader, FilesAreTriedWhileOtherThreadsRead) {
  const auto make = [&](const std::string &name) {
    h5::writeFile(path(name), 24, [](hid_t file) {
      const double values[] = {1, 2, 3};
      h5::writeAll(file, "x", H5T_NATIVE_DOUBLE, {3}, values);
    });
    return path(name);
  };
  std::atomic<bool> done = false;
  const h5::Handle file(H5Fopen(make("a.h5").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  std::thread other([&] {
    while (!done) {
      H5Literate(file, H5_INDEX_NAME, H5_ITER_INC, nullptr, staysWithin, nullptr);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  });
  for (const char *name : {"b.h5", "c.h5", "d.h5", "e.h5"}) {
    const std::string made = make(name);
    std::this_thread::sleep_for(std::chrono::milliseconds(3)); // the other is within by now
    EXPECT_NO_THROW(EXPECT_EQ(h5::Object(made).open("x").doubles().size(), 3U)) << name;
  }
  done = true;
  other.join();
}
