// sphere.cpp - values on a sphere as two hemispheres, in Lambert's equal-area projection.
#include "runtime/engine/records/geometry.h"
#include "runtime/picture/figures.h"
#include <algorithm>
#include <cmath>
#include <facet/runtime/error.h>
#include <fmt/format.h>
#include <numbers>

namespace facet::runtime {
namespace {

using namespace plot;

constexpr double ballRoom = 1.15; // of the panel, where the ball's radius is 1
constexpr Colour onDark{185, 185, 185}, onBright{60, 60, 60}, markColour{200, 30, 30};

/// J. H. Lambert, Beytrage zum Gebrauche der Mathematik (1772): a hemisphere in a disc of radius 1
/// whose areas are in proportion. `upper`: seen from +z, x to the right; else from -z, x to the
/// left, so that y is up in both.
std::array<double, 2> placeOf(const Vec3 &u, bool upper) {
  const double r = 1 / std::sqrt(1 + std::abs(u[2]));
  return {(upper ? 1 : -1) * r * u[0], r * u[1]};
}
Vec3 directionAt(double x, double y, bool upper) {
  const double square = x * x + y * y, r = std::sqrt(2 - square), z = 1 - square;
  return {(upper ? 1 : -1) * r * x, r * y, upper ? z : -z};
}

Image ballOf(const SpherePlot &plot, bool upper, const Scale &colours) {
  return {[value = plot.value, upper, colours](int width, int height) {
    Raster raster(width, height);
    raster.cover.assign(raster.pixels.size(), 0);
    for (int j = 0; j < height; ++j)
      for (int i = 0; i < width; ++i) {
        const double x = ballRoom * (2 * (i + 0.5) / width - 1),
                     y = ballRoom * (1 - 2 * (j + 0.5) / height);
        if (x * x + y * y > 1)
          continue;
        const double v = value(directionAt(x, y, upper));
        raster.at(i, j) = std::isfinite(v) ? colours.colour(v) : noColour;
        raster.cover[static_cast<std::size_t>(j) * static_cast<std::size_t>(width) +
                     static_cast<std::size_t>(i)] = 255;
      }
    return raster;
  }};
}

/// A small circle about z, at this height, or a meridian at this angle.
void addCircle(Panel &panel, double z, bool upper, Colour colour, double width) {
  Line line{{}, {}, colour, width};
  for (int k = 0; k <= 180; ++k) {
    const double a = 2 * std::numbers::pi * k / 180, r = std::sqrt(1 - z * z);
    const auto [x, y] = placeOf({r * std::cos(a), r * std::sin(a), z}, upper);
    line.x.push_back(x);
    line.y.push_back(y);
  }
  panel.add(std::move(line));
}

void addBall(Panel &panel, const SpherePlot &plot, bool upper, const Scale &colours) {
  panel.add(ballOf(plot, upper, colours));
  for (const double degrees : {30.0, 60.0})
    addCircle(panel, std::cos(degrees * std::numbers::pi / 180), upper, grey, 0.8);
  panel.add(Line{{-1, 1}, {0, 0}, grey, 0.8});
  panel.add(Line{{0, 0}, {-1, 1}, grey, 0.8});
  const double radius = std::clamp(
      0.12 * panel.box.width / std::sqrt(1.0 + static_cast<double>(plot.dots.size())), 0.8, 3.5);
  for (const Vec3 &u : plot.dots)
    if ((u[2] >= 0) == upper) {
      const auto [x, y] = placeOf(u, upper);
      panel.add(Disc{x, y, radius, colours.part(plot.value(u)) > 0.5 ? onBright : onDark});
    }
  addCircle(panel, 0, upper, black, 1.6);
  for (const auto &[u, name] : plot.marks)
    if (std::abs(u[2]) < 1e-9 || (u[2] > 0) == upper) {
      const auto [x, y] = placeOf(u, upper);
      panel.add(Disc{x, y, 8, white});
      panel.add(Disc{x, y, 6, markColour});
      panel.add(Text{.x = x,
                     .y = y,
                     .text = name,
                     .size = 0.9,
                     .align = 0,
                     .colour = markColour,
                     .dx = 14,
                     .dy = y > 0.7 ? -10.0 : 6.0,
                     .halo = true});
    }
  const auto name = [&](const Vec3 &axis, const char *letter, double dx, double dy) {
    const auto [x, y] = placeOf(axis, upper);
    if (std::ranges::none_of(plot.marks, [&](const auto &m) { return dot(m.first, axis) > 0.95; }))
      panel.add(Text{.x = x, .y = y, .text = letter, .dx = dx, .dy = dy});
  };
  name({1, 0, 0}, "x", upper ? 16 : -16, 8);
  name({0, 1, 0}, "y", 0, -12);
}

} // namespace

plot::Figure figureOf(const SpherePlot &plot, const PictureOptions &options) {
  Figure figure{.width = options.width, .height = options.height};
  const double unit = figure.unit(), bar = 190 * unit, side = 30 * unit, between = 70 * unit,
               above = 130 * unit, below = 50 * unit;
  const bool tall = options.height > 1.2 * options.width; // one above the other
  const int beside = tall ? 1 : 2, over = 3 - beside;
  const double roomX = options.width - bar - 2 * side - (beside - 1) * between,
               roomY = options.height - above - below - (over - 1) * above;
  const double size = std::floor(std::min(roomX / beside, roomY / over));
  figure.width = static_cast<int>(options.width - roomX + beside * size);
  figure.height = static_cast<int>(options.height - roomY + over * size);
  figure.font = Figure{.width = options.width, .height = options.height}.pixelsOfText();
  double most = 0;
  for (int upper = 0; upper < 2; ++upper) // as fine as the picture is
    for (int j = -200; j <= 200; ++j)
      for (int i = -200; i <= 200; ++i)
        if (i * i + j * j <= 200 * 200)
          if (const double v = plot.value(directionAt(i / 200.0, j / 200.0, upper != 0));
              std::isfinite(v))
            most = std::max(most, v);
  const Scale colours{withRaised(plot.label), 0, most > 0 ? most : 1};
  Panel page = figure.page();
  addHeading(figure, page, 40 * unit, plot.title, 1.2);
  figure.panels = {page};
  for (const bool upper : {true, false}) {
    Panel panel{.box = {upper || tall ? side : size + side + between,
                        upper || !tall ? above : 2 * above + size, size, size},
                .x = {"", -ballRoom, ballRoom},
                .y = {"", -ballRoom, ballRoom},
                .title = upper ? "seen from +z" : "seen from -z",
                .frame = Frame::Without,
                .size = 0.85};
    addBall(panel, plot, upper, colours);
    if (!upper)
      panel.colours = colours;
    figure.panels.push_back(std::move(panel));
  }
  return figure;
}

} // namespace facet::runtime
