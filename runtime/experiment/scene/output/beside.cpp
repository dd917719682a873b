// beside.cpp - q, angles and solid angle of pixels as numbers of a group.
#include "runtime/experiment/scene/output/beside.h"
#include "runtime/experiment/scene/tile.h"
#include <algorithm>
#include <cmath>
#include <numbers>
#include <thread>

namespace facet::runtime {
namespace {

using namespace nexus;

constexpr double degree = std::numbers::pi / 180;

using Pick = double (*)(const Look &);
struct Beside {
  const char *name, *unit, *what;
  Pick of;
};
constexpr Beside qOfPixels[] = {
    {"qx", "1/nm", "qx (1/nm)", [](const Look &l) { return l.q[0]; }},
    {"qy", "1/nm", "qy (1/nm)", [](const Look &l) { return l.q[1]; }},
    {"qz", "1/nm", "qz (1/nm)", [](const Look &l) { return l.q[2]; }},
};
constexpr Beside anglesOfPixels[] = {
    {"alpha_f", "deg", "angle above the surface (deg)",
     [](const Look &l) { return l.alphaF / degree; }},
    {"phi_f", "deg", "angle from the beam's plane, to the left (deg)",
     [](const Look &l) { return l.phiF / degree; }},
};
constexpr Beside ofDetectors[] = {
    {"two_theta", "deg", "angle from the direct beam (deg)",
     [](const Look &l) { return l.twoTheta / degree; }},
    {"q", "1/nm", "|q| (1/nm)", [](const Look &l) { return std::hypot(l.q[0], l.q[1], l.q[2]); }},
    {"solid_angle", "sr", "of a pixel (sr)", [](const Look &l) { return l.solidAngle; }},
};

Numbers ofPixels(const std::shared_ptr<const Pixels> &pixels, const Shape &shape,
                 const std::string &name, const Beside &b) {
  Numbers numbers{name, shape, nullptr, b.unit, b.what};
  numbers.make = [pixels, of = b.of](std::int64_t first, std::int64_t count, double *to) {
    const std::int64_t columns = pixels->columns();
    const auto threads = static_cast<int>(std::thread::hardware_concurrency());
    inParallel(static_cast<std::size_t>(count), threads, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const std::int64_t at = first + static_cast<std::int64_t>(i);
        to[i] = of(pixels->at(at / columns, at % columns));
      }
    });
  };
  return numbers;
}

bool holds(const Group &group, const std::string &name) {
  return std::any_of(group.numbers.begin(), group.numbers.end(),
                     [&](const Numbers &n) { return n.name == name; });
}

} // namespace

void addBeside(const std::shared_ptr<const Pixels> &pixels, const Shape &shape, Group &group) {
  const auto add = [&](const Beside &b) {
    if (!holds(group, b.name))
      group.numbers.push_back(ofPixels(pixels, shape, b.name, b));
  };
  for (const Beside &b : qOfPixels)
    add(b);
  // Of plain q without a sample angles are not known.
  if (pixels->geometry() != nullptr || pixels->grazing() || !std::isnan(pixels->at(0, 0).alphaF))
    for (const Beside &b : anglesOfPixels)
      add(b);
  if (pixels->geometry() != nullptr)
    for (const Beside &b : ofDetectors)
      add(b);
}

Group sasData(const std::shared_ptr<const Pixels> &pixels, const Group &image,
              const std::string &suffix) {
  const Signal &intensity = image.signals[0];
  Group data;
  data.name = "sasdata" + suffix;
  data.title = image.title;
  data.attributes["canSAS_class"] = "SASdata";
  data.lists["I_axes"] = {"Qx", "Qy"};
  data.indices["Q_indices"] = {0, 1};
  const bool errors = image.signals.size() > 1;
  data.links.push_back({image.name + "/I", "I", errors ? "Idev" : ""});
  if (errors)
    data.links.push_back({image.name + "/I_errors", "Idev"});
  const int axes[] = {pixels->product() ? pixels->columnAxis() : 1,
                      pixels->product() ? pixels->rowAxis() : 2};
  const char *const names[] = {"Qx", "Qy"};
  for (int k = 0; k < 2; ++k) {
    const Beside &b = qOfPixels[axes[k]];
    const auto there = std::find_if(image.numbers.begin(), image.numbers.end(),
                                    [&](const Numbers &n) { return n.name == b.name; });
    if (there != image.numbers.end() && there->shape == intensity.shape)
      data.links.push_back({image.name + "/" + b.name, names[k]});
    else
      data.numbers.push_back(ofPixels(pixels, intensity.shape, names[k], b));
  }
  return data;
}

} // namespace facet::runtime
