// kept.h - what was read of files, kept while they are unchanged.
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace facet::runtime {

/// By which a file is known to be unchanged: device, inode, size, time of its last change (ns).
using FileStamp = std::array<std::int64_t, 4>;
/// Nothing if there is no file, or if it changed so lately that a second change could bear the same
/// time.
std::optional<FileStamp> stampOf(const std::string &path);

/// What `read` made of each file. For several threads.
template <class Value> class FileCache {
public:
  template <class Read>
  std::shared_ptr<const Value> get(const std::string &path, const Read &read) {
    const auto now = stampOf(path);
    const std::lock_guard lock(mutex_);
    auto &[stamp, value] = all_[path];
    if (!now || stamp != now) {
      value = std::make_shared<const Value>(read());
      stamp = now;
    }
    return value;
  }

private:
  std::mutex mutex_;
  std::map<std::string, std::pair<std::optional<FileStamp>, std::shared_ptr<const Value>>> all_;
};

} // namespace facet::runtime
