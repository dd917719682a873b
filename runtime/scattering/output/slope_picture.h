// slope_picture.h - pictures of what a number changes by with the vertices of a result's meshes.
#pragma once
#include <string>
#include <vector>

namespace facet::runtime {

/// Where the picture of a group of derivatives goes, beside the picture of its result:
/// "out_gradient.png".
std::string slopePictureOf(const std::string &picture, const std::string &group);
/// Draws each group of derivatives of a complete result (facet run --gradient-of); returns the
/// pictures' files. Throws Error.
std::vector<std::string> writeSlopePictures(const std::string &result, const std::string &picture);

} // namespace facet::runtime
