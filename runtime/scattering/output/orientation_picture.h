// orientation_picture.h - pictures of the densities that a result's particles are averaged over.
#pragma once
#include "runtime/scattering/output/pictures.h"

namespace facet::runtime {

/// "orientation", "orientation_2".
inline bool isOrientation(const std::string &group) { return group.starts_with("orientation"); }

/// Draws the density of each particle that has one, PATH_orientation or PATH_orientation_2, with
/// the nodes of the average; returns the pictures' files. If `groups` are named, those of them that
/// begin so. Throws Error for a particle without a density that is named.
std::vector<std::string> writeOrientationPictures(const std::string &result,
                                                  const std::string &path,
                                                  const ResultPictures &pictures);

} // namespace facet::runtime
