// reflectivity.cpp - waves of a sample's layers over angles and heights, as a file.
#include "runtime/experiment/scene/reflectivity.h"
#include "runtime/experiment/detector/detector.h"
#include "runtime/experiment/physics/dwba.h"
#include "runtime/experiment/schema/schema.h"
#include "runtime/output/hdf5/lay_out.h"
#include <algorithm>
#include <cmath>
#include <facet/runtime/error.h>
#include <fmt/format.h>
#include <numbers>

namespace facet::runtime {
namespace {

using namespace nexus;

std::int64_t count(const std::vector<double> &values) {
  return static_cast<std::int64_t>(values.size());
}

Numbers anglesOf(const Reflectivity &r) {
  return {"alpha_i", {count(r.angles)}, r.angles.data(), "deg", "angle from the surface (deg)"};
}

Group overAngles(const Reflectivity &r, const std::string &name, std::vector<Signal> signals) {
  Group group{name, r.title, {}, std::move(signals), {"alpha_i"}, {anglesOf(r)}};
  group.attributes["SILX_style"] =
      R"({"axes_scale_types": ["linear", "log"], "signal_scale_type": "log"})";
  group.numbers.push_back({"qz", {count(r.qz)}, r.qz.data(), "1/nm", "qz (1/nm)"});
  return group;
}

File describe(const Reflectivity &r, std::vector<double> &squares,
              const std::vector<double> &layers) {
  const Shape angles{count(r.angles)}, byLayer{angles[0], count(layers)},
      byHeight{count(r.heights), angles[0]};
  File file{r.title, "reflectivity", {}};
  const auto add = [&](Group group, std::initializer_list<const void *> data) {
    auto at = data.begin();
    for (Signal &signal : group.signals)
      signal.values = *at++;
    file.groups.push_back(std::move(group));
  };
  add(overAngles(r, "reflectivity",
                 {{"R", Element::Real, angles, "1", "reflectivity"},
                  {"T", Element::Real, angles, "1", "part of the flux that enters the substrate"}}),
      {r.reflectivity.data(), r.transmittance.data()});
  add(overAngles(r, "amplitude",
                 {{"r", Element::Complex, angles, "1", "reflected amplitude"},
                  {"t", Element::Complex, angles, "1", "amplitude at the substrate's top"}}),
      {r.r.data(), r.t.data()});
  Group waves{"waves",
              r.title + ": waves at the top of each layer",
              {},
              {{"T", Element::Complex, byLayer, "1", "amplitude of the wave going down"},
               {"R", Element::Complex, byLayer, "1", "amplitude of the wave going up"},
               {"kz", Element::Complex, byLayer, "1/nm", "kz (1/nm)"}},
              {"alpha_i", "layer"},
              {anglesOf(r), {"layer", {count(layers)}, layers.data(), "1", "layer, from the top"}}};
  waves.lists["layer_names"] = r.layers;
  add(std::move(waves), {r.down.data(), r.up.data(), r.kz.data()});
  if (r.heights.empty())
    return file;
  squares.resize(r.psi.size());
  std::transform(r.psi.begin(), r.psi.end(), squares.begin(),
                 [](const std::complex<double> &psi) { return std::norm(psi); });
  const Numbers heights{
      "z", {count(r.heights)}, r.heights.data(), "nm", "height above the first interface (nm)"};
  Group field{"field",
              r.title + ": the field in the sample",
              {{"SILX_style", R"({"signal_scale_type": "log"})"}},
              {{"I", Element::Real, byHeight, "1", "|psi|^2", true}},
              {"z", "alpha_i"},
              {heights, anglesOf(r)}};
  Group psi = field;
  psi.name = "field_amplitude";
  psi.signals = {{"psi", Element::Complex, byHeight, "1", "psi", true}};
  add(std::move(field), {squares.data()});
  add(std::move(psi), {r.psi.data()});
  return file;
}

} // namespace

Reflectivity reflectivityOf(const Experiment &e, const std::vector<double> &angles,
                            const std::vector<double> &heights) {
  const Stack stack{e.layers};
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
  for (std::size_t l = 0; l < layers.size(); ++l)
    layers[l] = static_cast<double>(l);
  const File file = describe(r, squares, layers);
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
