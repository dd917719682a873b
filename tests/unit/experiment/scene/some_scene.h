// some_scene.h - small scenes, and numbers to write for them.
#pragma once
#include "runtime/scattering/output/scene_file.h"
#include <numbers>

namespace scenes {
using namespace facet::runtime;

inline const char *const head = R"(title = "A box"
kernel = "exact"
[beam]
wavelength = 0.124
)";
inline const char *const sample = R"(alpha_i = [0.2, 0.4]
[sample]
layers = [{ name = "vacuum" }, { name = "Si", delta = 4.8857e-6, beta = 7.391e-8 }]
)";
inline const char *const box = R"([particle]
shape = { type = "box", size = [20, 30, 10] }
delta = 2.97e-5
)";
inline const char *const detector = R"([detector]
pixels = [8, 6]
pixel_size = 0.01
distance = 2
beam_centre = [1, 3]
)";
inline const char *const cuts = R"([output]
curves = [{ name = "row", along = "qy", row = 4 }, { name = "rod", along = "qz", column = 2, width = 2.5 }]
)";
inline const char *const threeAxes = R"([grid]
qx = [-0.1, 0, 0.2]
qy = { from = -1, to = 1, n = 4 }
qz = { from = 0.2, to = 2, n = 5 }
)";

inline SceneLayout layoutOf(const Experiment &e) {
  SceneLayout layout;
  const double k = 2 * std::numbers::pi / e.wavelength;
  layout.images = viewsOf(e, {e.layers}, k, 10);
  layout.quantity = "dsigma/dOmega";
  layout.unit = "nm^2";
  layout.amplitudeName = "Phi";
  layout.amplitudeUnit = "nm^3";
  return layout;
}
inline Experiment experiment(const std::string &text) {
  return readExperimentText(text, "scene.toml");
}

/// What is written at a pixel.
inline double value(std::size_t image, std::int64_t row, std::int64_t column) {
  return 1000.0 * static_cast<double>(image + 1) + 10 * static_cast<double>(row) +
         0.1 * static_cast<double>(column * column);
}

/// Rows [first, last) of an image as a unit.
inline void writeRows(const SceneFile &file, TiledResult &result, std::int64_t unit,
                      std::size_t image, std::int64_t first, std::int64_t last) {
  const std::int64_t columns = file.layout().images[image].pixels->columns();
  std::vector<double> values, errors;
  std::vector<std::complex<double>> amplitude;
  for (std::int64_t r = first; r < last; ++r)
    for (std::int64_t c = 0; c < columns; ++c) {
      values.push_back(value(image, r, c));
      errors.push_back(0.5 * values.back());
      amplitude.emplace_back(values.back(), -1);
    }
  file.write(result, unit, image, first, last, {values, errors, amplitude});
  result.finishUnit(unit);
}

} // namespace scenes
