// jobs.cpp - the variants to tune, from names of kernels and what the kernels allow.
#include "runtime/cli/tune/tune.h"
#include "runtime/files/json.h"
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <unistd.h>

namespace facet::cli {
namespace {

using namespace facet::runtime;

Json manifestOf(const std::string &file, const std::string &name, const TuneOptions &o) {
  const std::string path =
      std::filesystem::temp_directory_path() / fmt::format("facet-manifest-{}.json", getpid());
  const std::string algorithms =
      o.algorithms.empty() ? "all" : fmt::format("{}", fmt::join(o.algorithms, ","));
  std::vector<std::string> command{findFacetc(),
                                   file,
                                   "--emit=manifest",
                                   "--targets=" + o.target,
                                   "--q=" + std::string(o.q == "complex" ? "cplx" : o.q),
                                   "--algorithms=" + algorithms,
                                   "-o",
                                   path};
  if (!o.grid.empty())
    command.push_back("--grid=" + o.grid);
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
  return std::ranges::find(list, word) != list.end();
}

/// The options are whole by now, but for the kernel's own grid and algorithms.
void add(std::vector<Job> &jobs, const std::string &kernel, const TuneOptions &o) {
  const auto [spec, name] = splitKernel(kernel);
  const std::string file = findKernel(spec);
  if (std::filesystem::path(file).extension() == ".so")
    throw Error(kernel, "a kernel library cannot be tuned: it is compiled",
                "give the kernel's source");
  const Json manifest = manifestOf(file, name, o);
  const std::string grid = o.grid.empty() ? manifest["grid"].value("kind", "product") : o.grid;
  const std::size_t before = jobs.size();
  for (const Json &variant : manifest["variants"]) {
    const std::string algorithm = variant.value("algorithm", ""),
                      klass = variant.value("class", "");
    if (variant.value("grid", "") != grid || variant.value("q", "") != o.q ||
        !has(o.classes, klass) || (!o.algorithms.empty() && !has(o.algorithms, algorithm)))
      continue;
    jobs.push_back({{.file = file,
                     .kernel = name,
                     .algorithm = algorithmByName(algorithm),
                     .klass = classByName(klass),
                     .target = o.target,
                     .grid = grid == "points" ? FACET_POINTS : FACET_PRODUCT,
                     .q = o.q == "complex" ? FACET_COMPLEX_Q : FACET_REAL_Q,
                     .exhaustive = o.exhaustive,
                     .limit = o.limit},
                    fmt::format("{}, {}, {}", manifest.value("name", spec), algorithm, klass)});
  }
  if (jobs.size() == before)
    throw Error(kernel,
                fmt::format("it has no sums for {} grids, {} q and class {}", grid, o.q,
                            fmt::join(o.classes, " or ")),
                "separable has product grids, and the classes f32 and f64");
}

} // namespace

std::vector<Job> jobsOf(const TuneOptions &options) {
  TuneOptions o = options;
  const std::string forced = forcedTarget(o.target);
  o.target = forced.empty() ? bestTarget() : forced;
  if (!o.grid.empty() && o.grid != "product" && o.grid != "points")
    throw Error("grid '" + o.grid + "'", "no such kind of grid", "known: product, points");
  if (o.q.empty())
    o.q = "real";
  if (o.q != "real" && o.q != "complex")
    throw Error("q '" + o.q + "'", "no such kind of q", "known: real, complex");
  for (const std::string &name : o.classes)
    classByName(name); // throws
  if (o.classes.empty())
    o.classes = {"f32", "f64"};
  for (const std::string &name : o.algorithms)
    if (algorithmByName(name) == FACET_NUFFT)
      throw Error("nufft", "transforms have no schedule to tune",
                  "tune direct or separable; facet machines --calibrate measures transforms");
  std::vector<Job> jobs;
  for (const std::string &kernel : o.kernels)
    add(jobs, kernel, o);
  if (!o.kernels.empty())
    return jobs;
  // The kernels people meet first, by the algorithms that are theirs.
  if (o.grid.empty())
    o.grid = "product";
  for (const auto &[kernel, algorithm] : {std::pair{"born", "direct"},
                                          {"born", "separable"},
                                          {"exact", "direct"},
                                          {"surface", "separable"}})
    if (options.algorithms.empty() || has(options.algorithms, algorithm)) {
      o.algorithms = {algorithm};
      add(jobs, kernel, o);
    }
  return jobs;
}

} // namespace facet::cli
