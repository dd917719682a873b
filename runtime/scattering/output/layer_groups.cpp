// layer_groups.cpp - what waves in layers have of their own in a scene's file: amplitudes of the
// four channels, waves at the particles' height, the beam that is reflected.
#include "runtime/scattering/output/scene_file.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace facet::runtime {
using namespace nexus;
namespace {

/// In the order of Channels.
constexpr std::pair<const char *, const char *> channelNames[] = {
    {"TT", "T_i T_f F: as it comes, as it goes"},
    {"TR", "T_i R_f F: reflected on the way out"},
    {"RT", "R_i T_f F: reflected on the way in"},
    {"RR", "R_i R_f F: reflected on both"}};

/// A group with the axes of an image and nothing else that is linked.
Group groupFor(Group axes, const std::string &name, const std::string &title,
               const SceneView &view) {
  axes.name = name + view.suffix;
  axes.title = title;
  std::erase_if(axes.links, [&](const Link &link) {
    return std::ranges::find(axes.axes, link.name) == axes.axes.end();
  });
  return axes;
}

} // namespace

void SceneFile::addTerms(Group axes, const std::string &title, const SceneView &view) {
  const Shape shape = shapeOf(*view.pixels);
  Group group = groupFor(std::move(axes), "terms", title, view);
  for (std::size_t k = 0; k < std::size(channelNames); ++k) {
    const auto &[name, what] = channelNames[k];
    group.signals.push_back(
        {name, Element::Complex, shape, layout_.amplitudeUnit, what, shape.size() == 2});
    sets_.back().terms[k] = "/entry/" + group.name + "/" + name;
  }
  tiled_.file.groups.push_back(std::move(group));
}

void SceneFile::addFresnel(Group axes, const std::string &title, const SceneView &view) {
  const Shape shape = shapeOf(*view.pixels);
  Group group = groupFor(std::move(axes), "fresnel", title, view);
  const char *const out[] = {"T_f", "R_f"}, *const in[] = {"T_i", "R_i"};
  const char *const what[] = {"wave towards the substrate", "wave that is reflected"};
  const std::size_t image = sets_.size() - 1;
  for (std::size_t k = 0; k < 2; ++k) {
    group.signals.push_back({out[k], Element::Complex, shape, "1",
                             fmt::format("{} at alpha_f", what[k]), shape.size() == 2});
    sets_.back().out[k] = "/entry/" + group.name + "/" + out[k];
  }
  for (std::size_t k = 0; k < 2; ++k) {
    Signal one{in[k], Element::Complex, {1}, "1", fmt::format("{} at alpha_i", what[k])};
    one.values = &layout_.fresnel->in[image][k];
    group.signals.push_back(std::move(one));
  }
  group.numbers.push_back({"z",
                           {1},
                           &layout_.fresnel->height,
                           "nm",
                           "height of the particles' middle above the top of their layer (nm)"});
  tiled_.file.groups.push_back(std::move(group));
}

void SceneFile::addSpecular(const std::string &title) {
  const std::vector<SpecularBeam> &beams = layout_.specular;
  const Shape shape{std::ssize(beams)};
  Group group; // without axes: it is no curve to draw
  group.name = "specular";
  group.title =
      title.empty() ? "the beam that is reflected" : title + ", the beam that is reflected";
  const auto add = [&](const char *name, double SpecularBeam::*of, const char *unit,
                       const char *what) {
    std::vector<double> &list = lists_.emplace_back();
    for (const SpecularBeam &beam : beams)
      list.push_back(beam.*of);
    if (std::ranges::all_of(list, [](double x) { return std::isnan(x); }))
      return;
    if (group.signals.empty()) {
      Signal signal{name, Element::Real, shape, unit, what};
      signal.values = list.data();
      group.signals.push_back(std::move(signal));
    } else {
      group.numbers.push_back({name, shape, list.data(), unit, what});
    }
  };
  add("R", &SpecularBeam::reflectivity, "1", "reflectivity");
  add("alpha_i", &SpecularBeam::alphaI, "deg", "angle of incidence (deg)");
  add("row", &SpecularBeam::row, "pixels", "where it meets the detector, centres at whole numbers");
  add("column", &SpecularBeam::column, "pixels", "the same");
  add("photons", &SpecularBeam::photons, "1", "of the flux in its time");
  tiled_.file.groups.push_back(std::move(group));
}

} // namespace facet::runtime
