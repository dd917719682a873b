// reader.cpp - what cannot be read to its end is an error, and no shorter file.
#include "runtime/files/reader.h"
#include "runtime/files/text.h"
#include "scratch.h"

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
