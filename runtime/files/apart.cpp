// apart.cpp - files compared by device and inode, or by name.
#include "runtime/files/apart.h"
#include <facet/runtime/error.h>
#include <filesystem>

namespace facet::runtime {
namespace {

namespace fs = std::filesystem;

bool same(const FileUse &a, const FileUse &b) {
  if (a.path.empty() || b.path.empty())
    return false;
  std::error_code one, two;
  if (fs::exists(a.path, one) && fs::exists(b.path, two))
    return fs::equivalent(a.path, b.path, one);
  const fs::path first = fs::weakly_canonical(fs::absolute(a.path, one), one),
                 second = fs::weakly_canonical(fs::absolute(b.path, two), two);
  return !one && !two && first == second;
}

} // namespace

void keepApart(const std::vector<FileUse> &inputs, const std::vector<FileUse> &outputs) {
  const char *const help = "write somewhere else; nothing was changed";
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    for (const FileUse &input : inputs)
      if (same(outputs[i], input))
        throw Error(outputs[i].path,
                    "is " + input.what + ": writing " + outputs[i].what + " there would destroy it",
                    help);
    for (std::size_t k = 0; k < i; ++k)
      if (same(outputs[i], outputs[k]))
        throw Error(outputs[i].path,
                    "cannot hold both " + outputs[k].what + " and " + outputs[i].what, help);
  }
}

} // namespace facet::runtime
