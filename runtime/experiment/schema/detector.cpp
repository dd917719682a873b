// detector.cpp - [detector]: a calibration of pyFAI or the same numbers.
#include "runtime/experiment/detector/detector.h"
#include "runtime/experiment/schema/parts.h"
#include <cmath>
#include <fmt/format.h>

namespace facet::runtime::schema {
namespace {

void fromPoni(const TomlTable &t, const std::string &path, Scene &scene, DetectorPlace &to) {
  const Detector d = readPoni(path);
  to = {d.rows,       d.columns, d.pixel1, d.pixel2,
        d.distance,   d.poni1,   d.poni2,  {d.rot1, d.rot2, d.rot3},
        d.orientation};
  if (d.wavelength <= 0)
    return;
  if (scene.wavelength == 0)
    scene.wavelength = d.wavelength;
  if (std::abs(scene.wavelength / d.wavelength - 1) > 1e-4)
    t.fail(*t.find("poni"),
           fmt::format("the calibration is of {:.6g} nm, the beam has {:.6g} nm", d.wavelength,
                       scene.wavelength),
           "leave out wavelength and energy in [beam], or use another calibration");
}

void readPixels(const TomlTable &t, DetectorPlace &to) {
  double pixels[2] = {static_cast<double>(to.rows), static_cast<double>(to.columns)};
  readNumbers(t, "pixels", 2, pixels);
  for (const double n : pixels)
    if (!(n >= 0 && n < 1e9 && n == std::floor(n)))
      t.fail(*t.find("pixels"), fmt::format("{} is no number of pixels", n),
             "pixels = [1043, 981], rows and columns");
  to.rows = static_cast<std::int64_t>(pixels[0]);
  to.columns = static_cast<std::int64_t>(pixels[1]);
  if (const toml::node *size = t.find("pixel_size")) {
    double both[2] = {0, 0};
    if (size->is_number())
      both[0] = both[1] = *size->value<double>();
    else
      readNumbers(t, "pixel_size", 2, both);
    to.pixel1 = both[0], to.pixel2 = both[1];
  }
}

void need(const TomlTable &t, bool there, const char *what, const char *help) {
  if (!there)
    t.fail(t.toml(), fmt::format("the detector has no {}", what), help);
}

} // namespace

void readDetector(const TomlTable &t, const std::string &file, Scene &scene) {
  DetectorPlace &to = scene.detector.emplace();
  std::string poni;
  t.read("poni", poni);
  if (!poni.empty())
    fromPoni(t, beside(file, poni), scene, to);
  readPixels(t, to);
  t.read("distance", to.distance);
  need(t, to.rows > 0 && to.columns > 0, "pixels", "pixels = [1043, 981], rows and columns");
  need(t, to.pixel1 > 0, "pixel_size", "pixel_size = 172e-6, m");
  need(t, to.distance > 0, "distance", "distance = 2.0, m from the sample");
  readNumbers(t, "rotation", 3, to.rotation.data());
  t.readWhole("orientation", to.orientation);
  const bool centre = t.find("beam_centre") != nullptr;
  const bool foot = t.find("poni1") != nullptr || t.find("poni2") != nullptr;
  if (centre && (foot || !poni.empty()))
    t.fail(*t.find("beam_centre"), "the place of the detector is given twice",
           "beam_centre, or poni1 and poni2, or a .poni file");
  if (centre && to.rotation != std::array<double, 3>{})
    t.fail(*t.find("beam_centre"), "beam_centre is of a detector that is not turned",
           "give poni1 and poni2, m, with rotation");
  need(t, centre || foot || !poni.empty(), "place", "beam_centre = [row, column], in pixels");
  if (centre) {
    double pixel[2];
    readNumbers(t, "beam_centre", 2, pixel);
    to.poni1 = pixel[0] * to.pixel1;
    to.poni2 = pixel[1] * to.pixel2;
  }
  t.read("poni1", to.poni1);
  t.read("poni2", to.poni2);
  readChoice(t, "form", {"points", "small-angle", "auto"}, scene.form);
  try {
    check(detectorOf(to));
  } catch (const Error &e) {
    t.fail(t.toml(), e.what());
  }
}

} // namespace facet::runtime::schema
