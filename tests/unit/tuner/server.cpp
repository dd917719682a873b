// server.cpp - the compiler of candidates as the tuner sees it: its answers, its death, its
// silence; by scripts in its place.
#include "runtime/engine/tune/server.h"
#include "tests/support/folder.h"
#include "tests/unit/run/refusal.h"
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

namespace facet::runtime {
namespace {

namespace fs = std::filesystem;

class ServerTest : public ::testing::Test {
protected:
  /// A program that reads requests with this shell script.
  std::string program(const std::string &script) const {
    const fs::path file = folder / "facetc";
    std::ofstream(file) << "#!/bin/sh\n" << script;
    fs::permissions(file, fs::perms::owner_all);
    return file;
  }
  /// The message of the Error at the first answer.
  std::string refusal(const std::string &script, double timeout = 900) const {
    return test::refusal([&] {
      CandidateServer server(program(script), "", {}, 1, folder);
      server.ask(1, "", "x.so");
      server.next(timeout);
    });
  }
  const test::Folder own;
  const fs::path &folder = own.path;
};

TEST_F(ServerTest, AnswersComeInAnyOrder) {
  CandidateServer server(program("echo \"$1\" > " + (folder / "option").string() +
                                 "; read a; read b\n"
                                 "echo '{\"id\": 2, \"error\": \"\"}'\n"
                                 "echo '{\"id\": 1, \"error\": \"no\"}'\n"
                                 "read c\n"),
                         "", {}, 3, folder);
  server.ask(1, "tile_y=1", "1.so");
  server.ask(2, "tile_y=2", "2.so");
  EXPECT_EQ(server.pending(), 2);
  EXPECT_EQ(server.next(900).id, 2);
  const auto answer = server.next(900);
  EXPECT_EQ(answer.id, 1);
  EXPECT_EQ(answer.error, "no");
  EXPECT_EQ(server.pending(), 0);
  std::string option;
  std::ifstream(folder / "option") >> option;
  EXPECT_EQ(option, "--serve=3");
}

TEST_F(ServerTest, RequestsCarryTheVariantInFacetcsWords) {
  const fs::path got = folder / "got";
  {
    CandidateServer server(program("read a; echo \"$a\" > " + got.string() +
                                   "; echo '{\"id\": 7, \"error\": \"\"}'; read b\n"),
                           "k.cpp", {"born", "", "direct", "f32", "avx2", "product", "real"}, 1,
                           folder);
    server.ask(7, "tile_y=2", "7.so");
    server.next(900);
  }
  std::string line;
  std::ifstream file(got);
  std::getline(file, line);
  EXPECT_EQ(line,
            R"({"id":7,"file":"k.cpp","knobs":"tile_y=2","output":"7.so","kernel":"born",)"
            R"("algorithm":"direct","class":"f32","target":"avx2","grid":"product","q":"real"})");
}

TEST_F(ServerTest, ItsEndIsAClearError) {
  EXPECT_NE(refusal("read a; exit 3").find("ended (exit code 3)"), std::string::npos);
  EXPECT_NE(refusal("read a; kill -SEGV $$").find("died (signal 11)"), std::string::npos);
  EXPECT_NE(refusal("read a; echo hello; read b").find("what is no answer"), std::string::npos);
  EXPECT_NE(refusal("read a; echo '{\"id\": 1}'; read b").find("what is no answer"),
            std::string::npos);
}

TEST_F(ServerTest, SilenceIsNotWaitedForWithoutEnd) {
  EXPECT_NE(refusal("read a; read b", 0.05).find("no candidate was compiled in time"),
            std::string::npos);
}

TEST_F(ServerTest, AskingTheDeadIsAnErrorNoSignal) {
  CandidateServer server(program("exit 0"), "", {}, 1, folder);
  EXPECT_THROW(
      {
        for (int k = 0; k < 100000; ++k)
          server.ask(k, "", "");
      },
      Error);
}

TEST_F(ServerTest, AProgramThatIsNotThereIsNamed) {
  EXPECT_SAYS(CandidateServer((folder / "none").string(), "", {}, 1, folder),
              "none: cannot be started");
}

} // namespace
} // namespace facet::runtime
