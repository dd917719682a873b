// orientation_picture.cpp - a density of orientations on the sphere, with its nodes and director.
#include "runtime/scattering/output/orientation_picture.h"
#include "runtime/engine/store/data_file.h"
#include "runtime/picture/figures.h"
#include "runtime/scattering/sample/density.h"
#include <algorithm>
#include <facet/runtime/error.h>
#include <filesystem>
#include <fmt/format.h>

namespace facet::runtime {
namespace {

namespace fs = std::filesystem;

bool hasDensity(const Particle &particle) {
  const Average *average = findAverage(particle.orientation.average);
  return average != nullptr && *average->key != 0;
}

/// "maier-saupe, kappa 5".
std::string textOf(const Orientations &how) {
  return how.kappa       ? fmt::format("{}, kappa {:.4g}", how.average, *how.kappa)
         : how.sigma > 0 ? fmt::format("{}, sigma {:.4g} degrees", how.average, how.sigma)
                         : fmt::format("density of orientations: a {}", how.average);
}

/// The nodes of an average, each once: turns of a body about its own axis are not seen.
std::vector<Vec3> nodesOf(const Orientations &how, const AxisDensity &density,
                          const AngleCounts &counts) {
  constexpr int most = 256; // more are no dots
  std::vector<Vec3> nodes;
  if (counts.turn < 2 || counts.turn > most)
    return nodes;
  for (const Orientation &one : orientationsOf(*findAverage(how.average), counts, how, {}))
    if (const Vec3 u = density.seen(one.rotation);
        one.weight > 0 && (nodes.empty() || u != nodes.back()))
      nodes.push_back(u);
  return nodes;
}

SpherePlot plotOf(const Orientations &how, const AngleCounts &counts, const std::string &title) {
  const AxisDensity density(how);
  SpherePlot plot{[density](const Vec3 &u) { return density.at(u); },
                  nodesOf(how, density, counts),
                  {},
                  title.empty() ? textOf(how) : title,
                  density.ofTurns() ? "turns, by where x goes (1/rad)" : "density of axes (1/sr)"};
  const Matrix3 to = toDirector(how);
  plot.marks = {{Vec3{to[2], to[5], to[8]}, "director"}};
  return plot;
}

} // namespace

std::vector<std::string> writeOrientationPictures(const std::string &result,
                                                  const std::string &path,
                                                  const ResultPictures &pictures) {
  std::vector<std::string> files;
  const auto asked = [&](const std::string &name) {
    return std::ranges::find(pictures.groups, name) != pictures.groups.end();
  };
  Experiment e;
  try {
    e = readExperimentText(DataFile(result).experiment(), fs::path(result).filename());
  } catch (const Error &) { // a table of objects is gone, or the file was cut down
    if (std::ranges::none_of(pictures.groups, isOrientation))
      return files;
    throw;
  }
  const h5::Object process = h5::Object(result).open("entry").open("process");
  for (std::size_t p = 0; p < e.particles.size(); ++p) {
    const std::string name =
        e.particles.size() > 1 ? fmt::format("orientation_{}", p + 1) : "orientation";
    if (!hasDensity(e.particles[p])) {
      if (asked(name))
        throw Error(name, fmt::format("particle {} has no density of orientations", p + 1));
      continue;
    }
    if (!pictures.groups.empty() && !asked(name))
      continue;
    const auto count = [&](const char *what) {
      return static_cast<int>(
          process.numberAttribute(fmt::format("{}_of_particle_{}", what, p + 1)).value_or(0));
    };
    const fs::path file(path);
    files.push_back((file.parent_path() /
                     fmt::format("{}_{}{}", file.stem().string(), name, file.extension().string()))
                        .string());
    draw(figureOf(plotOf(e.particles[p].orientation,
                         {count("angles_of_a_turn"), count("nodes_of_a_tilt")}, pictures.title),
                  pictures.options),
         files.back());
  }
  return files;
}

} // namespace facet::runtime
