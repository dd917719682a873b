// live.cpp - what a page holds so that a kernel runs in it.
#include "live.h"
#include <cmath>
#include <facet/runtime/material.h>

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
  page.blobs.emplace_back("gold-nanoparticle.stl", assetText("gold-nanoparticle.stl"));
}

} // namespace facet::page
