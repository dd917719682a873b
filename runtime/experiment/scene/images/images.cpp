// images.cpp - angles of incidence by values of a third axis, with names for each.
#include "runtime/experiment/scene/images/images.h"
#include <algorithm>
#include <facet/runtime/error.h>
#include <fmt/format.h>
#include <numbers>

namespace facet::runtime {
namespace {

constexpr double degree = std::numbers::pi / 180;

bool sees(const Pixels &pixels) {
  for (std::int64_t r = 0; r < pixels.rows(); ++r)
    for (std::int64_t c = 0; c < pixels.columns(); ++c)
      if (!pixels.at(r, c).behind)
        return true;
  return false;
}

// A row is computed as a whole, and a result has a group an image.
void checkSize(const Pixels &pixels, std::size_t angles) {
  constexpr double mostPixels = 1e9, mostImages = 1e4;
  constexpr std::int64_t mostColumns = 100000;
  const double rows = static_cast<double>(pixels.rows()),
               columns = static_cast<double>(pixels.columns());
  if (rows * columns > mostPixels || pixels.columns() > mostColumns)
    throw Error("image", fmt::format("{} x {} pixels are out of reach", rows, columns),
                fmt::format("{:.0e} pixels are the most, in rows of {}", mostPixels, mostColumns));
  const std::size_t slices = std::max<std::size_t>(pixels.thirdAxis().values.size(), 1);
  if (static_cast<double>(slices * angles) > mostImages)
    throw Error("image", fmt::format("{} images are out of reach", slices * angles),
                fmt::format("{} are the most: take fewer qx or alpha_i", mostImages));
}

} // namespace

std::vector<SceneView> viewsOf(const Experiment &e, const Stack &stack, double k, double half) {
  if (!e.isScene())
    throw Error("experiment", "has one particle on one grid: no images", "", Exit::Failed);
  std::vector<double> angles = e.alphaI;
  if (angles.empty())
    angles = {0};
  std::vector<SceneView> views;
  bool seen = false;
  for (std::size_t a = 0; a < angles.size(); ++a) {
    const Pixels pixels(e, stack, k, angles[a] * degree, half);
    checkSize(pixels, angles.size());
    seen = seen || sees(pixels); // what is behind depends on no third axis
    const std::string angle = angles.size() > 1 ? fmt::format("_{}", a + 1) : "";
    const std::string title = angles[a] > 0 ? fmt::format("alpha_i = {} deg", angles[a]) : "";
    const ImageAxis third = pixels.thirdAxis();
    const auto slices = static_cast<std::int64_t>(third.values.size());
    if (slices == 0)
      views.push_back({std::make_shared<Pixels>(pixels), angles[a], -1, angle, title});
    for (std::int64_t s = 0; s < slices; ++s)
      views.push_back(
          {std::make_shared<Pixels>(pixels.slice(s)), angles[a], s,
           fmt::format("{}_{}_{}", angle, third.name, s + 1),
           fmt::format("{}{}{} = {:.6g} {}", title, title.empty() ? "" : ", ", third.name,
                       third.values[static_cast<std::size_t>(s)], third.unit)});
  }
  if (!seen)
    throw Error(e.detector ? "detector" : "grid", "all of it is behind the sample: alpha_f < 0",
                "the horizon is distance x tan(alpha_i) above the direct beam");
  return views;
}

} // namespace facet::runtime
