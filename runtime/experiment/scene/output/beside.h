// beside.h - what a pixel has beside its intensity: q, angles, solid angle, made as it is written.
#pragma once
#include "runtime/experiment/scene/images/pixels.h"
#include "runtime/output/hdf5/nexus.h"
#include <memory>

namespace facet::runtime {

/// Numbers of this shape for all pixels of an image that no axis of `group` tells, nor a value that
/// all pixels have, added to it.
void addBeside(const std::shared_ptr<const Pixels> &pixels, const nexus::Shape &shape,
               nexus::Group &group);

/// The image as a group SASdata of NXcanSAS, by links to `image` and its uncertainties: I, Qx and
/// Qy along columns and rows (of a detector qy and qz), as arrays, since one-dimensional ones are
/// read as a curve. `suffix` as of a SceneView.
nexus::Group sasData(const std::shared_ptr<const Pixels> &pixels, const nexus::Group &image,
                     const std::string &suffix);

} // namespace facet::runtime
