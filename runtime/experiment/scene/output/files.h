// files.h - a scene's results: an HDF5 file with an NXdata group each, and pictures.
#pragma once
#include "runtime/experiment/scene/output/cuts.h"
#include "runtime/output/hdf5/nexus.h"

namespace facet::runtime {

/// I of each angle of incidence with the q and angles of its pixels, amplitudes where there are,
/// line cuts, and where it is from. Written under a temporary name. Throws Error.
void writeSceneFile(const Experiment &experiment, const SceneResult &result,
                    const std::vector<CutLine> &cuts, const nexus::Process &process,
                    const std::string &path);

/// A picture of each image and each cut; their files, the first is `path` where there is one image.
/// Throws Error.
std::vector<std::string> writeScenePictures(const Experiment &experiment, const SceneResult &result,
                                            const std::vector<CutLine> &cuts,
                                            const std::string &path);

} // namespace facet::runtime
