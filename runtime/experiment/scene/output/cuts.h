// cuts.h - line cuts through a scene's images.
#pragma once
#include "runtime/experiment/scene/compute.h"

namespace facet::runtime {

struct CutLine {
  std::string name, along, unit; // of its group; the coordinate and its unit
  std::string title;
  std::vector<double> at, intensity; // places along, ascending; means over the pixels of the band
};

/// The mean intensity over the pixels of each cut's band, by equal steps along it, for every
/// image. A band without a width takes the pixels nearest to it.
std::vector<CutLine> lineCuts(const Experiment &experiment, const SceneResult &result);
/// Before anything is computed: throws Error for a cut that meets no pixel.
void checkCuts(const Experiment &experiment, const SceneResult &result);

/// "alpha_i = 0.2 deg", "" in transmission; and what is added to names where there are several.
std::string titleOf(const SceneImage &image);
std::string suffixOf(const SceneResult &result, const SceneImage &image);

} // namespace facet::runtime
