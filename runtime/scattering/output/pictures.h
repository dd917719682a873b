// pictures.h - pictures of a result file: F on a grid; images in pixels, angles or q, cuts, curves;
// meshes with their slopes.
//
// Held in memory: F; else one image, of at most 2048 x 2048 means of its pixels, and a band of
// rows.
#pragma once
#include <facet/runtime/experiment.h>
#include <facet/runtime/output.h>
#include <string>
#include <vector>

namespace facet::runtime {

struct ResultPictures {
  PictureOptions options; // its quantity is of F
  std::string axes;       // of a detector: "pixels", "angles", "q"; "": as the experiment has it
  /// Names of groups to draw, "image_2", or "orientation" for a density. Empty: all, but with a
  /// third axis only the images and cuts at its first, middle and last value.
  std::vector<std::string> groups;
  std::string title; // instead of the result's own
};

/// The label of an axis for people: "qy (nm⁻¹)".
std::string axisLabel(const std::string &name, const std::string &unit);

/// The pictures that an experiment asks for.
ResultPictures picturesOf(const Experiment &experiment);

/// Where the picture of a group of a result goes: PATH for "image", PATH_2 for "image_2", PATH_NAME
/// for "cut_NAME"; PATH_counts, PATH_gradient_2 beside it.
std::string pictureOf(const std::string &path, const std::string &group);

/// Draws a complete result and returns the pictures' files: `path` for F, a single image or a
/// curve, else PATH_2, PATH_qx_17, PATH_CUT, PATH_CUT_2; for a sweep as writePictures(). Throws
/// Error, also for a file without such groups.
std::vector<std::string> writeResultPictures(const std::string &result, const std::string &path,
                                             const ResultPictures &pictures);

/// Draws what a number changes by with the vertices of a complete result's meshes (facet run
/// --gradient-of), each group of derivatives; returns the pictures' files. Throws Error.
std::vector<std::string> writeSlopePictures(const std::string &result, const std::string &picture);

} // namespace facet::runtime
