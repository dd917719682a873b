// cache.cpp - compiled kernels on disk: keys, look-up, one compiler at a time for a key. A kernel
// file becomes a library that can be loaded, from the cache or by facetc.
#include "runtime/engine/kernel/cache.h"
#include "runtime/engine/kernel/inside.h"
#include "runtime/engine/system/clock.h"
#include "runtime/engine/system/files.h"
#include "runtime/engine/system/hash.h"
#include "runtime/engine/system/json.h"
#include "runtime/engine/system/kept.h"
#include "runtime/engine/system/places.h"
#include "runtime/engine/system/reader.h"
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <regex>
#include <sstream>
#include <sys/stat.h>
#include <unistd.h>

namespace facet::runtime {
namespace fs = std::filesystem;
namespace {

bool synced(const std::string &path) {
  const Descriptor file(path, O_RDONLY);
  return file && fsync(file.get()) == 0;
}

/// A file that goes with this object.
struct TemporaryFile {
  std::string path;
  ~TemporaryFile() { std::remove(path.c_str()); }
};

// Whether nobody but this user, and root, can have written it.
bool isOwn(const struct stat &status) {
  return (status.st_uid == geteuid() || status.st_uid == 0) &&
         (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

// A file is listed as seen from the kernel's folder, so that a copy of that folder finds its entry
// too.
std::string seenFrom(const fs::path &kernelFile, const fs::path &file) {
  return fs::absolute(file).lexically_normal().lexically_relative(
      fs::absolute(kernelFile).lexically_normal().parent_path());
}

// The manifest in the library lists what facetc has read: "files": [{"path": ..., "hash": ...}].
std::vector<std::string> filesRead(const std::string &library) {
  const Kernel kernel = Kernel::load(library);
  std::vector<std::string> result;
  const auto manifest = parseJson(kernel->manifest);
  if (manifest.is_object() && manifest.contains("files"))
    for (const auto &file : manifest["files"])
      if (file.is_object() && file.contains("path"))
        result.push_back(file["path"].get<std::string>());
  return result;
}

} // namespace

std::string hashText(const std::string &text) {
  Hash hash;
  hash.add(text);
  return hash.hex();
}

std::string hashFile(const std::string &path) {
  static FileCache<std::string> kept; // kernels are looked for by each call from Python
  return *kept.get(path, [&] {
    std::string text;
    return readFile(path, text) ? hashText(text) : "";
  });
}

Cache::Cache(const std::string &folder) : folder_(folder) {
  const char *help = "set FACET_CACHE to a folder of your own";
  std::error_code failed;
  fs::create_directories(fs::path(folder_).parent_path(), failed);
  const bool made = mkdir(folder_.c_str(), 0700) == 0;
  if ((!made && errno != EEXIST) || access(folder_.c_str(), W_OK) != 0)
    throw Error(folder_, "the kernel cache cannot be written", help, Exit::Failed);
  // What lies in the cache is run: nobody else may have put it there.
  struct stat status{};
  if (lstat(folder_.c_str(), &status) != 0 || !S_ISDIR(status.st_mode))
    throw Error(folder_, "the kernel cache is no folder, but a link or a file", help, Exit::Failed);
  if (status.st_uid != geteuid() || !isOwn(status))
    throw Error(folder_, "the kernel cache is not yours alone: others can put programs there", help,
                Exit::Failed);
}

std::string Cache::key(const std::string &kernelFile, const std::string &facetc,
                       const CompileRequest &request) {
  std::string text;
  if (!readFile(kernelFile, text))
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
        gridName(request.grid), qName(request.q), request.kernel, request.algorithms, request.klass,
        request.derive, request.schedules})
    hash.field(field);
  return hash.hex();
}

std::string Cache::find(const std::string &key, const std::string &kernelFile) const {
  const fs::path base = fs::absolute(kernelFile).lexically_normal().parent_path();
  FileReader entry(folder_ + "/" + key + ".entry");
  std::string content, library;
  if (!(entry >> content >> library) || library.find('/') != std::string::npos)
    return "";
  library = folder_ + "/" + library;
  struct stat status{}; // a file that was copied there by another, or opened to others, is not run
  if (lstat(library.c_str(), &status) != 0 || !S_ISREG(status.st_mode) || !isOwn(status) ||
      hashFile(library) != content)
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
  const TemporaryFile object{objectName}, listed{temporary}; // unless they get their names
  const std::vector<std::string> files = compile(objectName);
  chmod(objectName.c_str(), 0700); // whatever the umask: find() takes none that others can write
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
  const auto cannotBeWritten = [this](int error) {
    throw Error(folder_,
                fmt::format("the kernel cache cannot be written: {}",
                            error == 0 ? "is the disk full?" : std::strerror(error)),
                "free some space, or set FACET_CACHE to a folder elsewhere", Exit::Failed);
  };
  std::ofstream entry(temporary);
  entry << hashFile(objectName) << ' ' << name << '\n' << lines.str();
  entry.close();
  // On the disk before they get their names: a machine that loses power leaves whole files or none.
  errno = 0;
  if (!entry || !synced(objectName) || !synced(temporary))
    cannotBeWritten(errno);
  for (const auto &[from, to] : {std::pair(objectName, name), std::pair(temporary, key + ".entry")})
    if (std::rename(from.c_str(), (folder_ + "/" + to).c_str()) != 0)
      cannotBeWritten(errno);
  return folder_ + "/" + name;
}

Cache::Content Cache::content() const { return visit(false); }
Cache::Content Cache::clear() const { return visit(true); }

Cache::Content Cache::visit(bool remove) const {
  static const std::regex own(
      "[0-9a-f]{32}(-[0-9a-f]{8})?\\.(entry|lock|so)|schedules-[0-9a-f]{16}\\.json");
  Content found;
  for (const fs::directory_entry &file : fs::directory_iterator(folder_)) {
    std::error_code gone; // by another process, meanwhile
    const fs::path path = file.path();
    if (!std::regex_match(path.filename().string(), own) || !file.is_regular_file(gone))
      continue;
    const std::uintmax_t size = file.file_size(gone);
    if (gone || (remove && !fs::remove(path, gone)))
      continue;
    found.bytes += size;
    found.kernels += path.extension() == ".so" ? 1 : 0;
  }
  return found;
}

std::string cacheFolder() {
  for (const std::string &folder : {environment("FACET_CACHE"), cacheHome()})
    if (!folder.empty())
      return folder;
  return (fs::temp_directory_path() / ("facet-" + std::to_string(getuid()))).string();
}

// By content: a library says how it was made, and the same request makes the same library.
std::string schedulesFile(const std::string &json) {
  const Cache made(cacheFolder()); // the folder is there
  std::string path = cacheFolder() + "/schedules-" + hashText(json).substr(0, 16) + ".json";
  if (!fs::exists(path))
    writeText(path, json);
  return path;
}

namespace {
bool speaks = false; // facetc, on standard error
}
void facetcSpeaks() { speaks = true; }

void runFacetc(const std::vector<std::string> &words, bool quiet) {
  std::string said;
  const int code = spawn(words, quiet, speaks ? nullptr : &said);
  if (code == 128 + SIGPIPE) // whoever reads it has read enough
    throw Error("", "", "", Exit::Failed);
  if (code > 128)
    throw Error(words.at(1), "facetc died (signal " + std::to_string(code - 128) + ")",
                "this is a fault of facetc: please report it with the kernel file", Exit::Failed);
  if (code != 0) // facetc has said why, with carets
    throw Error("", said, "", code == 2 ? Exit::Failed : Exit::BadInput);
  if (!said.empty()) // warnings
    std::fprintf(stderr, "%s\n", shown(said).c_str());
}

Compiled compileKernel(const std::string &file, const CompileRequest &request) {
  const Stopwatch watch;
  const std::string facetc = findFacetc();
  const Cache cache(cacheFolder());
  const std::string key = Cache::key(file, facetc, request);
  Compiled result{cache.find(key, file), true, 0};
  if (!result.library.empty())
    return result;
  result.library = cache.add(key, file, [&](const std::string &path) {
    result.hit = false;
    if (request.compiling)
      request.compiling();
    std::vector<std::string> words{facetc,
                                   file,
                                   "--emit=library",
                                   "--targets=" + targetList(request.target),
                                   "--grid=" + gridName(request.grid),
                                   request.q == FACET_REAL_Q ? "--q=real" : "--q=cplx",
                                   "--algorithms=" + request.algorithms,
                                   "--class=" + request.klass,
                                   "-o",
                                   path};
    if (!request.kernel.empty())
      words.push_back("--kernel=" + request.kernel);
    if (!request.derive.empty())
      words.push_back("--derive=" + request.derive);
    if (!request.schedules.empty())
      words.push_back("--schedules=" + schedulesFile(request.schedules));
    runFacetc(words, true);
    return filesRead(path);
  });
  result.seconds = watch.seconds();
  return result;
}

} // namespace facet::runtime
