// cache.cpp - compiled kernels on disk: keys, look-up, and one compiler at a time for a key.
#include "runtime/kernel/cache.h"
#include "runtime/files/file_lock.h"
#include "runtime/files/hash.h"
#include "runtime/kernel/asked.h"
#include <filesystem>
#include <fstream>
#include <sstream>
#include <sys/stat.h>
#include <unistd.h>

namespace facet::runtime {
namespace fs = std::filesystem;
namespace {

bool readAll(const std::string &path, std::string &text) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    return false;
  std::ostringstream bytes;
  bytes << file.rdbuf();
  text = std::move(bytes).str();
  return true;
}

// A file is listed as seen from the kernel's folder, so that a copy of that folder finds its entry
// too.
std::string seenFrom(const fs::path &kernelFile, const fs::path &file) {
  return fs::absolute(file).lexically_normal().lexically_relative(
      fs::absolute(kernelFile).lexically_normal().parent_path());
}

} // namespace

std::string hashText(const std::string &text) {
  Hash hash;
  hash.add(text);
  return hash.hex();
}

std::string hashFile(const std::string &path) {
  std::string text;
  if (!readAll(path, text))
    return "";
  return hashText(text);
}

Cache::Cache(const std::string &folder) : folder_(folder) {
  std::error_code failed;
  fs::create_directories(folder_, failed);
  if (failed || access(folder_.c_str(), W_OK) != 0)
    throw Error(folder_, "the kernel cache cannot be written",
                "set FACET_CACHE to a folder you can write", Exit::Failed);
}

std::string Cache::key(const std::string &kernelFile, const std::string &facetc,
                       const CompileRequest &request) {
  std::string text;
  if (!readAll(kernelFile, text))
    throw Error(kernelFile, "cannot be read");
  struct stat compiler{};
  if (stat(facetc.c_str(), &compiler) != 0)
    throw Error(facetc, "cannot be read", "", Exit::Failed);
  Hash hash;
  for (const std::string &field :
       {text, fs::path(kernelFile).extension().string(), std::to_string(FACET_ABI_VERSION),
        // facetc by size and time: hashing its bytes would take longer than the run.
        std::to_string(compiler.st_size), std::to_string(compiler.st_mtim.tv_sec),
        std::to_string(compiler.st_mtim.tv_nsec), targetList(request.target),
        gridName(request.grid), qName(request.q), request.kernel, request.algorithms,
        request.schedules})
    hash.field(field);
  return hash.hex();
}

std::string Cache::find(const std::string &key, const std::string &kernelFile) const {
  const fs::path base = fs::absolute(kernelFile).lexically_normal().parent_path();
  std::ifstream entry(folder_ + "/" + key + ".entry");
  std::string library;
  std::uintmax_t size = 0;
  if (!(entry >> size >> library))
    return "";
  library = folder_ + "/" + library;
  std::error_code gone;
  if (fs::file_size(library, gone) != size || gone)
    return "";
  for (std::string hash, file; entry >> hash && entry.get() && std::getline(entry, file);)
    if (hashFile(base / file) != hash)
      return "";
  return library;
}

std::string
Cache::add(const std::string &key, const std::string &kernelFile,
           const std::function<std::vector<std::string>(const std::string &)> &compile) const {
  const FileLock lock(folder_ + "/" + key + ".lock", "set FACET_CACHE to a folder you can write");
  if (std::string other = find(key, kernelFile); !other.empty())
    return other;
  const std::string temporary = folder_ + "/" + key + "." + std::to_string(getpid());
  const std::string objectName = temporary + ".so";
  std::vector<std::string> files;
  try {
    files = compile(objectName);
  } catch (...) {
    std::error_code none;
    fs::remove(objectName, none);
    throw;
  }
  // The library's name holds the content it was made from: a library in use is never overwritten.
  Hash content;
  std::ostringstream lines;
  for (const std::string &file : files) {
    const std::string hash = hashFile(file);
    if (hash.empty() || fs::equivalent(file, kernelFile))
      continue;
    content.field(hash);
    lines << hash << ' ' << seenFrom(kernelFile, file) << '\n';
  }
  const std::string name = key + "-" + content.hex().substr(0, 8) + ".so";
  std::ofstream entry(temporary);
  entry << fs::file_size(objectName) << ' ' << name << '\n' << lines.str();
  entry.close();
  if (!entry)
    throw Error(folder_, "the kernel cache cannot be written (disk full?)", "", Exit::Failed);
  fs::rename(objectName, folder_ + "/" + name);
  fs::rename(temporary, folder_ + "/" + key + ".entry");
  return folder_ + "/" + name;
}

} // namespace facet::runtime
