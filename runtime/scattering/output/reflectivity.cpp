// reflectivity.cpp - waves of a sample's layers over angles and heights, as a file.
#include "runtime/scattering/output/reflectivity.h"
#include "runtime/engine/store/lay_out.h"
#include "runtime/scattering/detector/detector.h"
#include "runtime/scattering/experiment/schema.h"
#include "runtime/scattering/sample/layers.h"
#include <algorithm>
#include <cmath>
#include <facet/runtime/error.h>
#include <fmt/format.h>
#include <numbers>
#include <numeric>

namespace facet::runtime {
namespace {

using namespace nexus;

template <class T>
Signal signal(const char *name, const Shape &shape, const std::vector<T> &values, const char *what,
              bool image = false, const char *unit = "1") {
  return {name,  std::is_same_v<T, double> ? Element::Real : Element::Complex,
          shape, unit,
          what,  image,
          {},    values.data()};
}

Numbers numbers(const char *name, const std::vector<double> &values, const char *unit,
                const char *what) {
  return {name, {std::ssize(values)}, values.data(), unit, what};
}

Group groupOf(const char *name, const std::string &title, const char *style,
              std::vector<Signal> signals, const std::vector<Numbers> &axes) {
  Group group{name, title, {}, std::move(signals), {}, axes};
  if (style != nullptr)
    group.attributes["SILX_style"] = style;
  for (const Numbers &axis : axes)
    group.axes.push_back(axis.name);
  return group;
}

File describe(const Reflectivity &r, const std::vector<double> &layers,
              const std::vector<double> &squares) {
  const std::int64_t n = std::ssize(r.angles);
  const Shape byAngle{n}, byLayer{n, std::ssize(layers)}, byHeight{std::ssize(r.heights), n};
  const Numbers alpha = numbers("alpha_i", r.angles, "deg", "angle from the surface (deg)"),
                z = numbers("z", r.heights, "nm", "height above the first interface (nm)");
  File file{r.title, "reflectivity", {}};
  const char *style = R"({"axes_scale_types": ["linear", "log"], "signal_scale_type": "log"})";
  file.groups = {
      groupOf("reflectivity", r.title, style,
              {signal("R", byAngle, r.reflectivity, "reflectivity"),
               signal("T", byAngle, r.transmittance, "part of the flux that enters the substrate")},
              {alpha}),
      groupOf("amplitude", r.title, style,
              {signal("r", byAngle, r.r, "reflected amplitude"),
               signal("t", byAngle, r.t, "amplitude at the substrate's top")},
              {alpha})};
  for (Group &group : file.groups)
    group.numbers.push_back(numbers("qz", r.qz, "1/nm", "qz (1/nm)"));
  Group &waves = file.groups.emplace_back(
      groupOf("waves", r.title + ": waves at the top of each layer", nullptr,
              {signal("T", byLayer, r.down, "amplitude of the wave going down"),
               signal("R", byLayer, r.up, "amplitude of the wave going up"),
               signal("kz", byLayer, r.kz, "kz (1/nm)", false, "1/nm")},
              {alpha, numbers("layer", layers, "1", "layer, from the top")}));
  waves.lists["layer_names"] = r.layers;
  if (r.heights.empty())
    return file;
  style = R"({"signal_scale_type": "log"})";
  const std::string title = r.title + ": the field in the sample";
  file.groups.push_back(groupOf("field", title, style,
                                {signal("I", byHeight, squares, "|psi|^2", true)}, {z, alpha}));
  file.groups.push_back(groupOf("field_amplitude", title, style,
                                {signal("psi", byHeight, r.psi, "psi", true)}, {z, alpha}));
  return file;
}

} // namespace

Reflectivity reflectivityOf(const Experiment &e, const std::vector<double> &angles,
                            const std::vector<double> &heights) {
  const Stack stack{e.layers, e.probe == "neutrons"};
  const double k = 2 * std::numbers::pi / e.wavelength;
  Reflectivity result;
  result.title = e.title;
  result.experiment = schema::layersToToml(e);
  for (std::size_t l = 0; l < stack.layers.size(); ++l)
    result.layers.push_back(stack.layers[l].name.empty() ? stack.title(l) : stack.layers[l].name);
  result.angles = angles;
  result.heights = heights;
  constexpr double most = 5e7;
  if (const double all = static_cast<double>(angles.size()) * static_cast<double>(heights.size());
      all > most)
    throw Error("--z", fmt::format("a field at {:.3g} places is out of reach", all),
                fmt::format("take fewer angles or heights, {:.0e} together", most));
  result.psi.resize(angles.size() * heights.size());
  for (std::size_t i = 0; i < angles.size(); ++i) {
    if (!(angles[i] >= 0 && angles[i] <= 90))
      throw Error("angles", fmt::format("{} degrees is not 0 to 90 from the surface", angles[i]));
    const double alpha = angles[i] * degree;
    const std::vector<Wave> all = waves(stack, k, alpha);
    result.qz.push_back(2 * all[0].kz.real());
    result.r.push_back(all[0].reflected);
    result.t.push_back(all.back().transmitted);
    result.reflectivity.push_back(std::norm(all[0].reflected));
    result.transmittance.push_back(transmittance(all));
    if (!std::isfinite(result.reflectivity.back()) || !std::isfinite(result.transmittance.back()))
      throw Error("sample", fmt::format("the waves at {} degrees are not finite", angles[i]),
                  "factors of roughness are for kz times the roughness (nm) of about 1 or less",
                  Exit::Failed);
    for (const Wave &wave : all) {
      result.kz.push_back(wave.kz);
      result.down.push_back(wave.transmitted);
      result.up.push_back(wave.reflected);
    }
    const auto psi = field(stack, k, alpha, heights);
    for (std::size_t h = 0; h < heights.size(); ++h)
      result.psi[h * angles.size() + i] = psi[h];
  }
  return result;
}

double usualAngle(const Experiment &e) {
  const std::vector<Layer> &layers = e.layers;
  double step = 0;
  for (const Layer &l : layers)
    step = std::max(step, l.delta - layers[0].delta);
  return step > 0 ? std::min(90.0, 8 * std::sqrt(2 * step) / degree) : 2;
}

void writeReflectivity(const Reflectivity &r, const std::string &path) {
  std::vector<double> layers(r.layers.size()), squares;
  std::iota(layers.begin(), layers.end(), 0.0);
  for (const std::complex<double> psi : r.psi)
    squares.push_back(std::norm(psi));
  const File file = describe(r, layers, squares);
  const auto bytes =
      static_cast<std::int64_t>(r.angles.size() * (88 + 48 * layers.size()) + 24 * r.psi.size());
  h5::writeFile(path, bytes, [&](hid_t root) {
    layOut(root, file, Storage::Whole, {});
    writeProcess(root, {{{"theory", "Parratt's recursion, roughness of Nevot and Croce"}},
                        {{"angles", static_cast<double>(r.angles.size())}},
                        r.experiment});
  });
}

} // namespace facet::runtime
