// live.cpp - what a page holds so that a kernel runs in it.
#include "live.h"
#include <cmath>
#include <cstdint>
#include <facet/runtime/material.h>
#include <map>

namespace facet::page {
namespace {

/// Rows of wavelength (nm), delta and beta of silicon, in even factors. delta is about as
/// wavelength^2, so between rows a line in logarithms will do.
nlohmann::json silicon() {
  constexpr int steps = 120;
  const double first = 0.0125, last = 1.2; // nm, within 1 to 100 keV
  nlohmann::json rows;
  for (int k = 0; k <= steps; ++k) {
    const double wavelength = first * std::pow(last / first, double(k) / steps);
    const runtime::Material found = runtime::materialOf("Si", std::nullopt, wavelength);
    rows.push_back({wavelength, found.delta, found.beta});
  }
  return rows;
}

/// A binary STL of at most 65,536 corners with each corner once, a fifth of its bytes: their
/// number, their coordinates (f32), and three places of them a triangle (uint16), all
/// little-endian.
std::string indexed(std::string_view stl) {
  constexpr std::size_t head = 84, facet = 50, normal = 12, corner = 12;
  std::map<std::string_view, std::uint16_t> places;
  std::string corners, triangles;
  for (std::size_t at = head; at + facet <= stl.size(); at += facet)
    for (std::size_t k = 0; k < 3; ++k) {
      const std::string_view here = stl.substr(at + normal + k * corner, corner);
      const auto [found, isNew] = places.try_emplace(here, std::uint16_t(places.size()));
      if (isNew)
        corners += here;
      triangles.append(reinterpret_cast<const char *>(&found->second), sizeof(std::uint16_t));
    }
  const auto count = std::uint32_t(places.size());
  return std::string(reinterpret_cast<const char *>(&count), sizeof count) + corners + triangles;
}

} // namespace

void addLive(Page &page, const LiveKernel &kernel) {
  page.data["live"] = {{"silicon", silicon()}, {"refusal", kernel.refusal}};
  page.scripts.insert(page.scripts.begin(),
                      {"module.js", "mesh.js", "scale.js", "raster.js", "image.js",
                       "image_controls.js", "meshes.js", "pattern.js", "dwba.js",
                       "live_controls.js", "live.js"});
  if (!kernel.refusal.empty())
    return;
  page.blobs.emplace_back("module", kernel.module);
  page.blobs.emplace_back("gold", indexed(assetText("gold-nanoparticle.stl")));
}

} // namespace facet::page
