// plan_file.cpp - a decision that the first writes and the others read.
#include "runtime/engine/run/plan_file.h"
#include "runtime/engine/system/files.h"
#include "runtime/engine/system/reader.h"
#include <cerrno>
#include <cstring>
#include <facet/runtime/error.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

namespace facet::runtime {

std::string readPlan(const std::string &file) {
  std::string text;
  if (!readFile(file, text) && errno != ENOENT)
    throw Error(file, fmt::format("cannot be read: {}", std::strerror(errno)),
                "shares of a run follow the plan there", Exit::Failed);
  return text;
}

std::string agreedPlan(const std::string &file, const std::string &own) {
  if (const std::string there = readPlan(file); !there.empty())
    return there;
  PendingFile pending(file);
  const Descriptor to(pending.temporary(), O_RDWR);
  pending.must(static_cast<bool>(to));
  pending.check(writeAt(to.get(), own.data(), std::ssize(own), 0));
  pending.must(fsync(to.get()) == 0);
  // A link, unlike a rename, leaves what another has put there. Where there are no links, the last
  // wins instead, and merging the shares finds those by another plan.
  if (link(pending.temporary().c_str(), file.c_str()) != 0 && errno != EEXIST)
    pending.commit();
  return readPlan(file);
}

} // namespace facet::runtime
