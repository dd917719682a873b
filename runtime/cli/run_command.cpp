// run_command.cpp - facet run: an experiment file, or the same things as options.
#include "runtime/cli/commands.h"
#include "runtime/cli/run.h"
#include "runtime/cli/timings.h"
#include <facet/runtime/error.h>
#include <filesystem>
#include <fmt/format.h>
#include <memory>

namespace facet::cli {
namespace {

using namespace facet::runtime;

struct Options {
  std::string file, kernel, mesh, unit, shape, qx, qy, qz, points, klass, target, output, picture;
  std::vector<std::string> params, columns;
  std::vector<double> euler;
  double accuracy = 0;
  int threads = -1;
  std::int64_t seed = -1;
  bool timings = false;
};

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

void applyParticle(const Options &o, Experiment &e) {
  if (!o.mesh.empty()) {
    e.mesh = o.mesh;
    e.shape.clear();
  }
  if (!o.shape.empty()) {
    setShape(e, o.shape);
    e.mesh.clear();
  }
  if (!o.unit.empty())
    e.unit = parseUnit(o.unit);
  for (const std::string &text : o.columns) {
    const auto [name, value] = nameAndNumber("--column", text);
    e.columns[name] = value;
  }
  if (o.euler.size() == 3)
    e.euler = {o.euler[0], o.euler[1], o.euler[2]};
  if (e.mesh.empty() && e.shape.empty())
    throw Error("facet run", "no mesh", "--mesh FILE, or --shape torus,major=20,minor=8");
}

Experiment experimentOf(const Options &o) {
  Experiment e;
  const bool isFile = std::filesystem::path(o.file).extension() == ".toml";
  if (isFile)
    e = readExperiment(o.file);
  else
    e.kernel = o.file;
  replace(e.kernel, o.kernel);
  if (e.kernel.empty())
    throw Error("facet run", "nothing to run", "give an experiment file (.toml) or a kernel");
  const std::string stem = std::filesystem::path(splitKernel(e.kernel).first).stem();
  if (!isFile) {
    e.title = stem;
    e.output = stem + ".h5";
  }
  applyParticle(o, e);
  if (!o.points.empty())
    e.points = o.points;
  const bool axes = !o.qx.empty() || !o.qy.empty() || !o.qz.empty();
  if (axes && !o.points.empty())
    throw Error("facet run", "a grid has axes or points, not both",
                "leave out --points or --qx, ...");
  if (axes)
    e.points.clear();
  if (!isFile && !axes && e.points.empty())
    throw Error("facet run", "no grid", "--qy -2:2:200 --qz 0:2:200, or --points FILE");
  replace(e.axes[0], o.qx);
  replace(e.axes[1], o.qy);
  replace(e.axes[2], o.qz);
  for (const std::string &text : o.params) {
    const auto [name, value] = nameAndNumber("--param", text);
    std::erase_if(e.parameters, [&, n = name](const auto &p) { return p.first == n; });
    e.parameters.emplace_back(name, value);
  }
  if (o.accuracy < 0)
    throw Error("--accuracy", "is to be above 0", "e.g. --accuracy 1e-5");
  if (o.accuracy > 0)
    e.accuracy = o.accuracy;
  replace(e.klass, o.klass);
  replace(e.target, o.target);
  if (o.threads >= 0)
    e.threads = o.threads;
  if (o.seed >= 0)
    e.seed = static_cast<std::uint64_t>(o.seed);
  replace(e.output, o.output);
  if (!o.output.empty() && o.picture.empty() && e.picture != "none")
    e.picture.clear(); // beside the output
  replace(e.picture, o.picture);
  return e;
}

void runCommand(const Options &o) {
  if (o.timings || std::getenv("FACET_TRACE") != nullptr)
    printStages();
  const RunResult result = run(experimentOf(o));
  report(result);
  if (!result.measured.met)
    throw Error(result.data,
                fmt::format("the accuracy asked for was missed: {:.1e} of max|F|, {:.0e} asked; "
                            "the file is kept",
                            result.measured.error, result.measured.contract),
                "ask for less (--accuracy), or leave out --class; where f64 misses, the kernel "
                "library and its source disagree",
                Exit::ContractMissed);
}

} // namespace

void addRunCommand(CLI::App &app) {
  const auto o = std::make_shared<Options>();
  CLI::App *c = app.add_subcommand("run", "compute F on a grid of q: an HDF5 file and a picture");
  c->add_option("file", o->file, "experiment (.toml), or a kernel's file or name");
  c->add_option("--kernel", o->kernel,
                "kernel file (.cpp, .fir, .so; FILE:NAME where it holds several) or name");
  c->add_option("--mesh", o->mesh, "mesh file (STL, OBJ, PLY, HDF5, 7-column text)");
  c->add_option("--unit", o->unit,
                "one unit of the mesh file: nm, um, angstrom, or nm as a number");
  c->add_option("--shape", o->shape, "a shape instead: torus,major=20,minor=8");
  c->add_option("--column", o->columns, "NAME=NUMBER: a constant column for the mesh")
      ->allow_extra_args(false);
  c->add_option("--euler", o->euler, "rotation about z, y, z in degrees")->expected(3);
  c->add_option("--qx", o->qx, "axis, nm^-1: 0.1, -2:2:500, log 0.01:5:200, 0:2:200+0.01i");
  c->add_option("--qy", o->qy, "axis");
  c->add_option("--qz", o->qz, "axis");
  c->add_option("--points", o->points, "a file of points q instead of axes");
  c->add_option("--param", o->params, "NAME=NUMBER: a run-time parameter of the kernel")
      ->allow_extra_args(false);
  c->add_option("--accuracy", o->accuracy, "error allowed, relative to max|F| (1e-5)");
  c->add_option("--class", o->klass, "f32, f32-careful or f64 (by accuracy)");
  c->add_option("--target", o->target, "a target of facet machines (the best)");
  c->add_option("--threads", o->threads, "0: all");
  c->add_option("--seed", o->seed, "of the error sample (1)");
  c->add_option("-o,--output", o->output, "HDF5 file");
  c->add_option("--picture", o->picture, "PNG or SVG file, or none (beside the output)");
  c->add_flag("--timings", o->timings, "print the time each stage is reached");
  c->callback([o] { runCommand(*o); });
}

} // namespace facet::cli
