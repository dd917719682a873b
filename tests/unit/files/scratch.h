// scratch.h - a folder for a test's files, a disk that is full, and the message of an Error.
#pragma once
#include "tests/support/folder.h"
#include "tests/unit/run/refusal.h"
#include <csignal>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <sys/resource.h>
#include <unistd.h>

using facet::test::refusal;

/// A folder for each test.
class Scratch : public testing::Test {
protected:
  std::string path(const std::string &name) const { return (folder / name).string(); }
  std::string write(const std::string &name, const std::string &bytes) const {
    std::ofstream(path(name), std::ios::binary) << bytes;
    return path(name);
  }
  std::string bytes(const std::string &name) const { return facet::test::textOf(path(name)); }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder),
                                                  std::filesystem::directory_iterator()));
  }

private:
  const facet::test::Folder made_;

protected:
  const std::filesystem::path &folder = made_.path;
};

/// While it lives, this process has no more of a resource (setrlimit).
class Limit {
public:
  Limit(__rlimit_resource resource, rlim_t most) : resource_(resource) {
    getrlimit(resource, &before_);
    const rlimit limit{most, before_.rlim_max};
    setrlimit(resource, &limit);
  }
  Limit(const Limit &) = delete;
  Limit &operator=(const Limit &) = delete;
  ~Limit() { setrlimit(resource_, &before_); }

private:
  __rlimit_resource resource_;
  rlimit before_{};
};

/// While it lives no file may grow beyond so many bytes: a disk that is full.
class FullDisk : Limit {
public:
  explicit FullDisk(rlim_t bytes) : Limit(RLIMIT_FSIZE, bytes) { std::signal(SIGXFSZ, SIG_IGN); }
};
