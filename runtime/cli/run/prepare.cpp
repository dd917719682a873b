// prepare.cpp - what a run and a plan need first: tuned knobs, the kernel's library, options.
#include "runtime/cli/run/prepare.h"
#include "runtime/cli/input/sanity.h"
#include "runtime/kernel/asked.h"
#include <algorithm>
#include <cstdio>
#include <facet/runtime/output.h>
#include <filesystem>
#include <fmt/format.h>
#include <unistd.h>

namespace facet::cli {
using namespace facet::runtime;
namespace fs = std::filesystem;
namespace {

void checkWritable(const std::string &file) {
  const fs::path folder = fs::absolute(file).parent_path();
  if (!fs::is_directory(folder))
    throw Error(file, fmt::format("there is no folder {}", folder.string()),
                "make it first, or write "
                "somewhere else");
  if (fs::exists(file) && !fs::is_regular_file(file)) // a rename would replace even /dev/null
    throw Error(file, "is there, and is no file that a result could replace",
                "write somewhere else with -o FILE");
  const std::string trial = (folder / fmt::format(".facet-{}", getpid())).string();
  std::FILE *out = std::fopen(trial.c_str(), "w");
  if (out == nullptr)
    throw Error(file, fmt::format("the folder {} cannot be written", folder.string()),
                "write somewhere else with -o FILE");
  std::fclose(out);
  std::remove(trial.c_str());
}

/// On standard error: this kernel was tuned in another shape, or by other versions.
void sayUnused(const Schedules &all, const Kernel &kernel, const std::string &file) {
  const auto here = [&](const Tuned &t) { return t.key.shape == kernel->shape; };
  if (std::ranges::any_of(all.held, here))
    return;
  if (const auto old = std::ranges::find_if(all.stale, here); old != all.stale.end()) {
    fmt::print(stderr, "facet: {}: knobs of {} are not used: {}\n  help: facet tune {}\n",
               kernel->name, old->date, old->refusal, file);
    return;
  }
  const auto other = std::ranges::find_if(
      all.held, [&](const Tuned &t) { return !t.shipped && t.key.kernel == kernel->name; });
  if (other != all.held.end())
    fmt::print(stderr,
               "facet: {} was tuned in another shape on {}: its defaults are used\n"
               "  help: facet tune {}\n",
               kernel->name, other->date, file);
}

} // namespace

facet_grid_kind gridByName(const std::string &name) {
  if (name != "product" && name != "points")
    throw Error("grid '" + name + "'", "no such kind of grid", "known: product, points");
  return name == "points" ? FACET_POINTS : FACET_PRODUCT;
}

facet_q_kind qByName(const std::string &name) {
  if (name != "real" && name != "complex" && name != "cplx")
    throw Error("q '" + name + "'", "no such kind of q", "known: real, complex");
  return name == "real" ? FACET_REAL_Q : FACET_COMPLEX_Q;
}

Schedules schedulesFor(const std::string &asked, bool devices) {
  return schedulesHere(asked, [](const std::string &text) { warn(text); }, devices);
}

std::string jsonOf(const Schedules &schedules, const std::string &targets, const std::string &q) {
  const std::string list = "," + targets + ",";
  std::vector<Tuned> some = schedules.held;
  std::erase_if(some, [&](const Tuned &t) {
    return (!targets.empty() && list.find("," + t.key.target + ",") == std::string::npos) ||
           (!q.empty() && t.key.q != q);
  });
  return schedulesJson(some);
}

void addSchedulesOption(Command command, std::string &to) {
  command.option("--schedules", to,
                 "a file of tuned knobs, or none (yours, and those that come with facet)");
}

void compile(const std::vector<std::string> &words, bool quiet) {
  if (const int code = spawn(words, quiet); code > 128)
    throw Error("facetc", fmt::format("died (signal {})", code - 128), "", Exit::Failed);
  else if (code != 0)
    throw Error("", "", "", code == 2 ? Exit::Failed : Exit::BadInput);
}

// A short z axis pads badly as a product: known without compiling if it is shorter than half a
// vector, else from the product variant's padding.
Kernel kernelFor(const Experiment &e, const Grid &grid, const std::string &schedules,
                 UsedKernel &used) {
  const auto [spec, name] = splitKernel(e.kernel);
  const std::string file = findKernel(spec);
  used.path = file;
  if (const std::string remark = targetRemark(e.target); !remark.empty())
    fmt::print(stderr, "facet: {}\n", remark);
  if (fs::path(file).extension() == ".so")
    return Kernel::load(file);
  CompileRequest request;
  request.kernel = name;
  request.target = forcedTarget(e.target);
  if (request.target.empty())
    request.target = bestTarget();
  request.q = grid.complexQ() ? FACET_COMPLEX_Q : FACET_REAL_Q;
  const Schedules tuned = schedulesFor(schedules, isDeviceTarget(request.target));
  request.schedules = jsonOf(tuned, targetList(request.target), qName(request.q));
  const bool points = grid.kind == Grid::Kind::Points;
  const bool separable = e.algorithm == "separable"; // asks for the product, however short
  request.grid = points || (grid.extents()[2] < 8 && !separable) ? FACET_POINTS : FACET_PRODUCT;
  const bool terminal = isatty(STDERR_FILENO) != 0;
  if (terminal)
    request.compiling = [&] {
      fmt::print(stderr, "compiling {} for {} ...\r", e.kernel, request.target);
    };
  const auto get = [&] {
    const Compiled compiled = compileKernel(file, request);
    used.compiled = used.compiled || !compiled.hit;
    used.seconds += compiled.seconds;
    if (terminal && !compiled.hit)
      fmt::print(stderr, "\x1b[K");
    return Kernel::load(compiled.library);
  };
  Kernel kernel = get();
  if (request.grid == FACET_PRODUCT && !separable && prefersPoints(kernel, grid)) {
    request.grid = FACET_POINTS;
    kernel = get();
  }
  sayUnused(tuned, kernel, e.kernel);
  return kernel;
}

ColumnRoles rolesFor(const Particle &particle, const Kernel &kernel) {
  if (particle.orientation.fixed())
    checkTurns(*kernel);
  return rolesOf(*kernel);
}

std::vector<FileUse> inputsOf(const Experiment &e, const std::string &schedules) {
  std::vector<FileUse> files{{"the kernel", findKernel(splitKernel(e.kernel).first)},
                             {"the list of q", e.points},
                             {"the file of schedules", schedules == "none" ? "" : schedules}};
  for (const std::string &file : e.files)
    files.push_back({"a file of the experiment", file});
  for (const Particle &particle : e.particles)
    files.push_back(
        {&particle == &e.particles[0] ? "the mesh" : "a particle's mesh", particle.mesh});
  return files;
}

void checkOutputs(const std::vector<FileUse> &inputs, const std::vector<FileUse> &outputs) {
  keepApart(inputs, outputs);
  for (const FileUse &file : outputs)
    if (!file.path.empty())
      checkWritable(file.path);
}

void checkOutputs(const Experiment &e, const std::string &schedules, const std::string &timeline) {
  const std::string picture = e.picture == "none" ? "" : e.picture;
  checkOutputs(inputsOf(e, schedules),
               {{"the result", e.output}, {"the picture", picture}, {"the timeline", timeline}});
  for (const std::string &file : {picture, timeline})
    if (!file.empty())
      checkPicture(file);
}

PlanOptions planOptions(const Experiment &e, const Kernel &kernel) {
  PlanOptions options;
  if (e.algorithm != "auto" && !e.algorithm.empty())
    options.algorithm = algorithmByName(e.algorithm);
  options.accuracy = e.accuracy;
  options.target = e.target;
  options.threads = e.threads;
  options.seed = e.seed;
  if (!e.klass.empty())
    options.klass = classByName(e.klass);
  if (!e.memory.empty())
    options.memory = parseBytes(e.memory);
  options.params = kernel.parameters(e.parameters);
  if (isatty(STDERR_FILENO) != 0)
    options.say = [](const std::string &text) { fmt::print(stderr, "facet: {}\n", text); };
  return options;
}

} // namespace facet::cli
