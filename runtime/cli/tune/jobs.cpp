// jobs.cpp - the variants to tune, from names of kernels and what the kernels allow.
#include "runtime/cli/tune/tune.h"
#include "runtime/files/json.h"
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <unistd.h>

namespace facet::cli {
namespace {

using namespace facet::runtime;

/// One of the default set: the kernels people meet first, by the algorithms that are theirs.
struct Default {
  const char *kernel;
  facet_algorithm algorithm;
};
constexpr Default defaults[] = {{"born", FACET_DIRECT},
                                {"born", FACET_SEPARABLE},
                                {"exact", FACET_DIRECT},
                                {"surface", FACET_SEPARABLE}};

struct Words {
  std::string kernel;
  std::vector<std::string> algorithms; // empty: all that the kernel allows
  std::vector<std::string> classes;
  std::string target, grid, q;
};

Json manifestOf(const std::string &file, const std::string &name, const Words &words) {
  const std::string path =
      std::filesystem::temp_directory_path() / fmt::format("facet-manifest-{}.json", getpid());
  std::vector<std::string> command{findFacetc(),
                                   file,
                                   "--emit=manifest",
                                   "--targets=" + words.target,
                                   "--q=" + std::string(words.q == "complex" ? "cplx" : words.q),
                                   "-o",
                                   path};
  command.push_back("--algorithms=" + (words.algorithms.empty()
                                           ? "all"
                                           : fmt::format("{}", fmt::join(words.algorithms, ","))));
  if (!words.grid.empty())
    command.push_back("--grid=" + words.grid);
  if (!name.empty())
    command.push_back("--kernel=" + name);
  const int code = spawn(command, true);
  if (code > 128)
    throw Error("facetc", fmt::format("died (signal {})", code - 128), "", Exit::Failed);
  if (code != 0) // it has said why
    throw Error("", "", "", code == 2 ? Exit::Failed : Exit::BadInput);
  std::ifstream in(path);
  const Json json = parseJson({std::istreambuf_iterator<char>(in), {}});
  std::filesystem::remove(path);
  if (!json.is_object() || !json.contains("variants"))
    throw Error(file, "facetc wrote a manifest that cannot be read", "", Exit::Failed);
  return json;
}

bool has(const std::vector<std::string> &list, const std::string &word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

void add(std::vector<Job> &jobs, const Words &words) {
  const auto [spec, name] = splitKernel(words.kernel);
  const std::string file = findKernel(spec);
  if (std::filesystem::path(file).extension() == ".so")
    throw Error(words.kernel, "a kernel library cannot be tuned: it is compiled",
                "give the kernel's source");
  const Json manifest = manifestOf(file, name, words);
  std::string grid = words.grid;
  if (grid.empty())
    grid = manifest["grid"].value("kind", "product");
  std::size_t found = 0;
  for (const Json &variant : manifest["variants"]) {
    const std::string algorithm = variant.value("algorithm", ""),
                      klass = variant.value("class", "");
    if (variant.value("grid", "") != grid || variant.value("q", "") != words.q ||
        !has(words.classes, klass) ||
        (!words.algorithms.empty() && !has(words.algorithms, algorithm)))
      continue;
    ++found;
    Job job;
    job.request.file = file;
    job.request.kernel = name;
    job.request.algorithm = algorithmByName(algorithm);
    job.request.klass = classByName(klass);
    job.request.target = words.target;
    job.request.grid = grid == "points" ? FACET_POINTS : FACET_PRODUCT;
    job.request.q = words.q == "complex" ? FACET_COMPLEX_Q : FACET_REAL_Q;
    job.name = fmt::format("{}, {}, {}", manifest.value("name", spec), algorithm, klass);
    jobs.push_back(job);
  }
  if (found == 0)
    throw Error(words.kernel,
                fmt::format("it has no sums for {} grids, {} q and class {}", grid, words.q,
                            fmt::join(words.classes, " or ")),
                "separable has product grids, and the classes f32 and f64");
}

} // namespace

std::vector<Job> jobsOf(const TuneOptions &options) {
  Words words;
  const std::string forced = forcedTarget(options.target);
  words.target = forced.empty() ? bestTarget() : forced;
  words.grid = options.grid;
  if (!words.grid.empty() && words.grid != "product" && words.grid != "points")
    throw Error("grid '" + words.grid + "'", "no such kind of grid", "known: product, points");
  words.q = options.q.empty() ? "real" : options.q;
  if (words.q != "real" && words.q != "complex")
    throw Error("q '" + words.q + "'", "no such kind of q", "known: real, complex");
  words.classes = options.classes;
  for (const std::string &name : options.classes)
    classByName(name); // throws
  if (words.classes.empty())
    words.classes = {"f32", "f64"};
  for (const std::string &name : options.algorithms)
    if (algorithmByName(name) == FACET_NUFFT)
      throw Error("nufft", "transforms have no schedule to tune",
                  "tune direct or separable; facet machines --calibrate measures transforms");
  std::vector<Job> jobs;
  if (options.kernels.empty())
    for (const Default &one : defaults) {
      const std::string algorithm = algorithmName(one.algorithm);
      if (!options.algorithms.empty() && !has(options.algorithms, algorithm))
        continue;
      words.kernel = one.kernel;
      words.algorithms = {algorithm};
      words.grid = options.grid.empty() ? "product" : options.grid;
      add(jobs, words);
    }
  for (const std::string &kernel : options.kernels) {
    words.kernel = kernel;
    words.algorithms = options.algorithms;
    add(jobs, words);
  }
  return jobs;
}

} // namespace facet::cli
