// detector.cpp - [detector]: a calibration of pyFAI or the same numbers.
#include "runtime/experiment/detector/detector.h"
#include "runtime/experiment/schema/forms.h"
#include <cmath>
#include <fmt/format.h>

namespace facet::runtime::schema {

// Read first: other keys replace what it says.
void readPoniKey(const Entry &at, Detector &to) { to = readPoni(at.path()); }

void readPixels(const Entry &at, Detector &to) {
  const std::vector<double> pixels = readNumbers(at, 2);
  for (const double n : pixels)
    if (!(n >= 0 && n < 1e9 && n == std::floor(n)))
      at.fail(fmt::format("{} is no number of pixels", n),
              "pixels = [1043, 981], rows and columns");
  to.rows = static_cast<std::int64_t>(pixels[0]);
  to.columns = static_cast<std::int64_t>(pixels[1]);
}

std::string writePixels(const Detector &from) {
  return fmt::format("[{}, {}]", from.rows, from.columns);
}

void readPixelSize(const Entry &at, Detector &to) {
  std::vector<double> both;
  if (at.node.is_number())
    both.assign(2, *at.node.value<double>());
  else
    both = readNumbers(at, 2);
  to.pixel1 = both[0], to.pixel2 = both[1];
}

std::string writePixelSize(const Detector &from) {
  return text(std::array{from.pixel1, from.pixel2});
}

void readBeamCentre(const Entry &at, Detector &to) {
  const std::vector<double> pixel = readNumbers(at, 2);
  to.poni1 = pixel[0] * to.pixel1;
  to.poni2 = pixel[1] * to.pixel2;
}

void checkDetector(const Source &from, Detector &to) {
  const auto need = [&](bool there, const char *what, const char *help) {
    if (!there)
      from.fail(from.toml, fmt::format("the detector has no {}", what), help);
  };
  need(to.rows > 0 && to.columns > 0, "pixels", "pixels = [1043, 981], rows and columns");
  need(to.pixel1 > 0, "pixel_size", "pixel_size = 172e-6, m");
  need(to.distance > 0, "distance", "distance = 2.0, m from the sample");
  const toml::node *centre = from.find("beam_centre"), *poni = from.find("poni");
  const bool foot = from.has({"poni1", "poni2"});
  if (centre != nullptr && (foot || poni != nullptr))
    from.fail(*centre, "the place of the detector is given twice",
              "beam_centre, or poni1 and poni2, or a .poni file");
  if (centre != nullptr && to.rotation != std::array<double, 3>{})
    from.fail(*centre, "beam_centre is of a detector that is not turned",
              "give poni1 and poni2, m, with rotation");
  need(centre != nullptr || foot || poni != nullptr, "place",
       "beam_centre = [row, column], in pixels");
  try {
    check(to);
  } catch (const Error &e) {
    from.fail(from.toml, e.what());
  }
}

} // namespace facet::runtime::schema
