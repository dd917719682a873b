// compile.cpp - a kernel file to a loaded-ready library: from the cache, or by facetc.
#include "runtime/files/clock.h"
#include "runtime/files/files.h"
#include "runtime/files/json.h"
#include "runtime/files/places.h"
#include "runtime/kernel/asked.h"
#include "runtime/kernel/cache.h"
#include <filesystem>
#include <unistd.h>

namespace facet::runtime {
namespace {

// The manifest in the library lists what facetc has read: "files": [{"path": ..., "hash": ...}].
std::vector<std::string> filesRead(const std::string &library) {
  const Kernel kernel = Kernel::load(library);
  std::vector<std::string> result;
  const Json manifest = parseJson(kernel->manifest);
  if (manifest.is_object() && manifest.contains("files"))
    for (const auto &file : manifest["files"])
      if (file.is_object() && file.contains("path"))
        result.push_back(file["path"].get<std::string>());
  return result;
}

} // namespace

std::string cacheFolder() {
  for (const std::string &folder : {environment("FACET_CACHE"), cacheHome()})
    if (!folder.empty())
      return folder;
  return (std::filesystem::temp_directory_path() / ("facet-" + std::to_string(getuid()))).string();
}

// By content: a library says how it was made, and the same request makes the same library.
std::string schedulesFile(const std::string &json) {
  const Cache made(cacheFolder()); // the folder is there
  std::string path = cacheFolder() + "/schedules-" + hashText(json).substr(0, 16) + ".json";
  if (!std::filesystem::exists(path))
    writeText(path, json);
  return path;
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
                                   "-o",
                                   path};
    if (!request.kernel.empty())
      words.push_back("--kernel=" + request.kernel);
    if (!request.schedules.empty())
      words.push_back("--schedules=" + schedulesFile(request.schedules));
    const int code = spawn(words, true);
    if (code > 128)
      throw Error(file, "facetc died (signal " + std::to_string(code - 128) + ")",
                  "this is a fault of facetc: please report it with the kernel file", Exit::Failed);
    if (code != 0) // facetc has said why, with carets
      throw Error("", "", "", code == 2 ? Exit::Failed : Exit::BadInput);
    return filesRead(path);
  });
  result.seconds = watch.seconds();
  return result;
}

} // namespace facet::runtime
