// scratch.h - a folder for a test's files, and the message of an Error.
#pragma once
#include <facet/runtime/error.h>
#include <filesystem>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>

/// A fresh folder, removed at the end.
class Scratch : public testing::Test {
protected:
  Scratch() {
    const auto *info = testing::UnitTest::GetInstance()->current_test_info();
    folder = std::filesystem::temp_directory_path() /
             (std::string("facet-") + info->name() + "-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder);
  }
  ~Scratch() override { std::filesystem::remove_all(folder); }
  std::string path(const std::string &name) const { return (folder / name).string(); }
  std::string write(const std::string &name, const std::string &bytes) const {
    std::ofstream(path(name), std::ios::binary) << bytes;
    return path(name);
  }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder),
                                                  std::filesystem::directory_iterator()));
  }
  std::filesystem::path folder;
};

/// What an Error says; "no error" where nothing is thrown.
inline std::string message(const std::function<void()> &action) {
  try {
    action();
  } catch (const facet::runtime::Error &error) {
    return error.what();
  }
  return "no error";
}

inline void expectSays(const std::function<void()> &action, const std::string &part) {
  std::string text = message(action);
  EXPECT_NE(text.find(part), std::string::npos) << "'" << text << "' lacks '" << part << "'";
}
