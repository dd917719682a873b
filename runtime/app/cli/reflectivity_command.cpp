// reflectivity_command.cpp - facet reflectivity: what the layers of an experiment do to a beam.
#include "runtime/app/cli/command/commands.h"
#include "runtime/app/jobs/prepare.h"
#include "runtime/app/jobs/terminal.h"
#include "runtime/scattering/output/pictures.h"
#include "runtime/scattering/output/reflectivity.h"
#include <algorithm>
#include <facet/runtime/error.h>
#include <filesystem>
#include <fmt/format.h>
#include <iterator>
#include <memory>

namespace facet::cli {
namespace {

using namespace facet::runtime;
namespace fs = std::filesystem;

struct ReflectivityOptions {
  std::string experiment, output, picture, angles, heights, title;
};

std::vector<double> axisOf(const std::string &option, const std::string &text,
                           const std::string &unit) {
  try {
    const Axis axis = parseAxis(axisIn(unit, text));
    if (axis.isComplex())
      throw Error(text, "is complex");
    return axis.re;
  } catch (const Error &e) {
    throw Error(option, e.what());
  }
}

void say(const Reflectivity &r, const ReflectivityOptions &o,
         const std::vector<std::string> &pictures) {
  const auto [low, high] = std::minmax_element(r.angles.begin(), r.angles.end());
  terminal::print("sample     {}\n", fmt::join(r.layers, " / "));
  terminal::print("angles     {}, {:.6g} to {:.6g} degrees\n", r.angles.size(), *low, *high);
  if (!r.heights.empty())
    terminal::print("field      at {} heights\n", r.heights.size());
  terminal::print("data       {}\n", o.output);
  for (const std::string &file : pictures)
    terminal::print("picture    {}\n", file);
}

/// The experiment's file, and the files it names if it is more than a beam and a sample.
std::vector<FileUse> namedBy(const std::string &experiment) {
  std::vector<FileUse> inputs{{"the experiment", experiment}};
  try {
    std::ranges::copy(inputsOf(readExperiment(experiment), "none"), std::back_inserter(inputs));
  } catch (const Error &) { // it has a beam and a sample alone
  }
  return inputs;
}

void reflectivityCommand(ReflectivityOptions o) {
  Experiment e = readBeamAndSample(o.experiment);
  if (!o.title.empty())
    e.title = o.title;
  const std::string stem = fs::path(o.experiment).stem().string() + "_reflectivity";
  if (o.output.empty())
    o.output = stem + ".h5";
  if (o.picture.empty())
    o.picture = fs::path(o.output).replace_extension(".png");
  if (o.angles.empty())
    o.angles = fmt::format("0:{:.3g}:1001", usualAngle(e));
  checkOutputs(namedBy(o.experiment),
               {{"the result", o.output}, {"the picture", o.picture == "none" ? "" : o.picture}});
  if (o.picture != "none")
    checkPicture(o.picture);
  const Reflectivity result =
      reflectivityOf(e, axisOf("--angles", o.angles, "deg"),
                     o.heights.empty() ? std::vector<double>{} : axisOf("--z", o.heights, "nm"));
  writeReflectivity(result, o.output);
  std::vector<std::string> pictures;
  if (o.picture != "none")
    pictures = writeResultPictures(o.output, o.picture, {});
  say(result, o, pictures);
}

} // namespace

void addReflectivityCommand(Command app) {
  Command c = app.command(
      "reflectivity", "what the layers of an experiment do to a beam: reflectivity, waves, field");
  const auto o = std::make_shared<ReflectivityOptions>();
  c.option("experiment", o->experiment, "an experiment (.toml) with [beam] and [sample]")
      .required();
  c.option("--angles", o->angles,
           "degrees from the surface, FROM:TO:N or a list (0 to eight critical angles, 1001)");
  c.option("--z", o->heights,
           "nm above the first interface, FROM:TO:N: the field |psi|^2 there, too");
  c.option("-o,--output", o->output, "HDF5 (EXPERIMENT_reflectivity.h5)");
  c.option("--picture", o->picture, "a .png, .svg or .pdf, or none (beside the data)");
  c.option("--title", o->title, "instead of the experiment's own");
  c.run([o] { reflectivityCommand(*o); });
}

} // namespace facet::cli
