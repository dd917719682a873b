// cache.h - compiled kernels kept on disk, found again by content.
//
// An entry ("KEY.entry") is a text file: the hash of the library's bytes and its name, then a line
// for each file that was read when it was compiled. A line has the file and its hash. KEY covers
// the kernel file's own bytes, facetc and the request. So a hit is found without parsing: hash the
// kernel file, open the entry, hash the files it lists (as ccache does).
#pragma once
#include <cstdint>
#include <facet/runtime/kernel.h>
#include <functional>
#include <string>
#include <vector>

namespace facet::runtime {

class Cache {
public:
  /// Makes the folder, for this user alone, if it is not there. Throws Error (Failed) if it cannot,
  /// and for a folder that is a link, of another user, or open to others for writing.
  explicit Cache(const std::string &folder);

  /// The key of a request: 32 hex digits.
  static std::string key(const std::string &kernelFile, const std::string &facetc,
                         const CompileRequest &request);
  /// The library; "" if there is none that fits the files as they are now. It has the bytes it had
  /// when it was kept, and only this user (and root) can have written it.
  std::string find(const std::string &key, const std::string &kernelFile) const;
  /// Runs `compile(path)`, which writes the library and returns the files read, and keeps the
  /// result. Another process that compiles the same key is waited for, and its result taken.
  std::string
  add(const std::string &key, const std::string &kernelFile,
      const std::function<std::vector<std::string>(const std::string &)> &compile) const;

  /// What the cache holds: compiled kernels, and the bytes of all its files.
  struct Content {
    int kernels = 0;
    std::uintmax_t bytes = 0;
  };
  Content content() const;
  /// Removes its files, and nothing else that lies in the folder. Runs that use a library keep it.
  Content clear() const;

private:
  Content visit(bool remove) const;
  std::string folder_;
};

/// Hash of a file's bytes, 32 hex digits (FNV-1a, 128 bits); "" if it cannot be read.
std::string hashFile(const std::string &path);
/// The same of a text.
std::string hashText(const std::string &text);

} // namespace facet::runtime
