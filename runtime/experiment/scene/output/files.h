// files.h - a computed scene as a result file.
#pragma once
#include "runtime/experiment/scene/compute.h"
#include "runtime/experiment/scene/output/scene_file.h"

namespace facet::runtime {

/// Everything of a SceneFile, an image a unit, to the experiment's output. Throws Error.
void writeSceneFile(const Experiment &experiment, const SceneResult &result,
                    const nexus::Process &process);

} // namespace facet::runtime
