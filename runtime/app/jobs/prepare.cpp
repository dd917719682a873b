// prepare.cpp - what a run and a plan need first: tuned knobs, files.
#include "runtime/app/jobs/prepare.h"
#include "runtime/engine/kernel/inside.h"
#include "runtime/scattering/output/pictures.h"
#include <algorithm>
#include <facet/runtime/output.h>
#include <fmt/format.h>

namespace facet::cli {
using namespace facet::runtime;

Schedules schedulesFor(const std::string &asked, bool devices, Listener &listener) {
  return schedulesHere(asked, [&](const std::string &text) { listener.warn(text); }, devices);
}

std::vector<FileUse> inputsOf(const Experiment &e, const std::string &schedules) {
  std::vector<FileUse> files{{"the kernel", findKernel(splitKernel(e.kernel).first)},
                             {"the list of q", e.points},
                             {"the weights", e.weights},
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
      const PendingFile trial(file.path); // throws
}

void checkOutputs(const Experiment &e, const std::string &schedules, const std::string &timeline,
                  const std::string &observed) {
  const std::string picture = e.picture == "none" ? "" : e.picture;
  std::vector<FileUse> inputs = inputsOf(e, schedules);
  inputs.push_back({"the observed image", observed});
  checkOutputs(inputs, {{"the result", e.output},
                        {"the picture", picture},
                        {"the picture of slopes",
                         picture.empty() || observed.empty() ? "" : pictureOf(picture, "gradient")},
                        {"the timeline", timeline}});
  for (const std::string &file : {picture, timeline})
    if (!file.empty())
      checkPicture(file);
}

} // namespace facet::cli
