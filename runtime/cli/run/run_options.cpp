// run_options.cpp - options to an experiment: they replace what a file says.
#include "runtime/cli/run/run_options.h"
#include "runtime/cli/run/schedules.h"
#include "runtime/planner/machine.h"
#include <algorithm>
#include <facet/runtime/error.h>
#include <facet/runtime/kernel.h>
#include <filesystem>
#include <fmt/format.h>
#include <limits>

namespace facet::cli {
using namespace facet::runtime;
namespace {

std::pair<std::string, double> nameAndNumber(const std::string &option, const std::string &text) {
  const std::size_t equals = text.find('=');
  try {
    std::size_t used = 0;
    const std::string number = equals == std::string::npos ? "" : text.substr(equals + 1);
    const double value = std::stod(number, &used);
    if (used == number.size())
      return {text.substr(0, equals), value};
  } catch (const std::logic_error &) { // said below
  }
  throw Error(option + " " + text, "not NAME=NUMBER", "e.g. " + option + " kappa=1.2");
}

/// An option given replaces what the file says.
void replace(std::string &to, const std::string &with) {
  if (!with.empty())
    to = with;
}

void applyParticle(const RunOptions &o, const std::string &command, Particle &p) {
  if (!o.mesh.empty() && !o.shape.empty())
    throw Error(command, "a particle has either a mesh or a shape, not both",
                "leave out --mesh or --shape");
  if (!o.mesh.empty()) {
    p.mesh = o.mesh;
    p.shape.clear();
  }
  if (!o.shape.empty()) {
    setShape(p, o.shape);
    p.mesh.clear();
  }
  if (!o.unit.empty() && !p.shape.empty())
    throw Error("--unit", "is of a mesh: a shape is in nm", "leave it out");
  if (!o.unit.empty())
    p.unit = parseUnit(o.unit);
  for (const std::string &text : o.columns) {
    const auto [name, value] = nameAndNumber("--column", text);
    p.columns[name] = value;
  }
  if (o.euler.size() == 3)
    p.orientation.euler = {{o.euler[0], o.euler[1], o.euler[2]}};
  if (p.mesh.empty() && p.shape.empty())
    throw Error(command, "no mesh", "--mesh FILE, or --shape torus,major=20,minor=8");
}

/// What only makes sense of one particle on one grid.
void checkScene(const RunOptions &o) {
  const std::pair<const char *, bool> given[] = {
      {"--mesh", !o.mesh.empty()},   {"--shape", !o.shape.empty()},
      {"--unit", !o.unit.empty()},   {"--column", !o.columns.empty()},
      {"--euler", !o.euler.empty()}, {"--points", !o.points.empty()},
      {"--qx", !o.qx.empty()},       {"--qy", !o.qy.empty()},
      {"--qz", !o.qz.empty()}};
  for (const auto &[option, there] : given)
    if (there)
      throw Error(option, "replaces one particle or grid: this file has more than these",
                  "change " + o.file);
}

void applyParameters(const RunOptions &o, Experiment &e) {
  for (const std::string &text : o.params) {
    const std::size_t equals = text.find('=');
    if (equals == 0 || equals == std::string::npos)
      throw Error("--param " + text, "not NAME=VALUE", "e.g. --param kappa=1.2 m=0,0,1");
    const std::string name = text.substr(0, equals);
    std::erase_if(e.parameters, [&](const auto &p) { return p.first == name; });
    e.parameters.emplace_back(name, parseParameter(text.substr(equals + 1), "--param " + text));
  }
}

/// --param takes all words that follow it: one without '=' is the file, if no other is named.
RunOptions withFile(RunOptions o) {
  const auto word = std::ranges::find_if(
      o.params, [](const std::string &text) { return text.find('=') == std::string::npos; });
  if (!o.file.empty() || word == o.params.end())
    return o;
  o.file = *word;
  o.params.erase(word);
  return o;
}

} // namespace

Experiment experimentOf(const RunOptions &given, const std::string &command) {
  const RunOptions o = withFile(given);
  Experiment e;
  const bool isFile = std::filesystem::path(o.file).extension() == ".toml";
  if (isFile)
    e = readExperiment(o.file);
  else
    e.kernel = o.file;
  if (e.isScene())
    checkScene(o);
  replace(e.kernel, o.kernel);
  if (e.kernel.empty())
    throw Error(command, "nothing to run", "give an experiment file (.toml) or a kernel");
  const std::string stem = std::filesystem::path(splitKernel(e.kernel).first).stem();
  if (!isFile) {
    e.title = stem;
    e.output = stem + ".h5";
  }
  applyParticle(o, command, e.particles[0]);
  if (!o.points.empty()) {
    e.points = o.points;
    e.axes = {};
  }
  const bool axes = !o.qx.empty() || !o.qy.empty() || !o.qz.empty();
  if (axes && !o.points.empty())
    throw Error(command, "a grid has axes or points, not both", "leave out --points or --qx, ...");
  if (axes)
    e.points.clear();
  if (!isFile && !axes && e.points.empty())
    throw Error(command, "no grid", "--qy -2:2:200 --qz 0:2:200, or --points FILE");
  replace(e.axes[0], o.qx);
  replace(e.axes[1], o.qy);
  replace(e.axes[2], o.qz);
  applyParameters(o, e);
  if (!(o.accuracy >= 0))
    throw Error("--accuracy", "is to be above 0", "e.g. --accuracy 1e-5");
  if (o.accuracy > 0)
    e.accuracy = o.accuracy;
  replace(e.algorithm, o.algorithm);
  replace(e.memory, o.memory);
  replace(e.klass, o.klass);
  replace(e.target, o.target);
  if (o.threads >= 0)
    e.threads = o.threads;
  checkThreads(e.threads);
  if (o.seed >= 0)
    e.seed = static_cast<std::uint64_t>(o.seed);
  replace(e.output, o.output);
  if (!o.output.empty() && o.picture.empty() && e.picture != "none")
    e.picture.clear(); // beside the output
  replace(e.picture, o.picture);
  return e;
}

std::shared_ptr<RunOptions> addProblemOptions(Command c) {
  const auto o = std::make_shared<RunOptions>();
  c.option("file", o->file, "experiment (.toml), or a kernel's file or name");
  c.option("--kernel", o->kernel,
           "kernel file (.cpp, .fir, .so; FILE:NAME where it holds several) or name");
  c.option("--mesh", o->mesh, "mesh file (STL, OBJ, PLY, HDF5, 7-column text)");
  c.option("--unit", o->unit, "one unit of the mesh file: nm, um, angstrom, or nm as a number");
  c.option("--shape", o->shape, "a shape instead: torus,major=20,minor=8 or box,size=20,30,10");
  c.option("--column", o->columns, "NAME=NUMBER: a constant column for the mesh").oneEach();
  c.option("--euler", o->euler, "rotation about z, y, z in degrees").takes(3);
  c.option("--qx", o->qx, "axis, nm^-1: 0.1, -2:2:500, log 0.01:5:200, 0:2:200+0.01i");
  c.option("--qy", o->qy, "axis");
  c.option("--qz", o->qz, "axis");
  c.option("--points", o->points,
           "a file of points instead: qx qy qz, then qx_im qy_im qz_im of complex ones");
  c.option("--param", o->params,
           "NAME=VALUE ...: parameters of the kernel, kappa=0.3 n=1.5+0.1i m=0,0,1");
  c.option("--accuracy", o->accuracy, "error allowed, relative to max|F|, 1e-2 to 1e-12 (1e-5)");
  c.option("--algorithm", o->algorithm, "auto, direct, separable or nufft (auto)");
  c.option("--memory", o->memory, "allowed: 8GB (most of what is free)");
  c.option("--class", o->klass, "f32, f32-careful or f64 (by accuracy)");
  c.option("--target", o->target,
           "a target of facet machines, cuda, opencl or auto (the best of this CPU)");
  c.option("--threads", o->threads, "0: all").range(0, std::numeric_limits<int>::max());
  addSchedulesOption(c, o->schedules);
  c.option("--seed", o->seed, "of the error sample (1)")
      .range(0, std::numeric_limits<std::int64_t>::max());
  return o;
}

} // namespace facet::cli
