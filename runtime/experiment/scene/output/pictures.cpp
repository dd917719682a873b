// pictures.cpp - a scene's images in pixels, angles or q, and its line cuts, as pictures.
#include "runtime/experiment/scene/output/files.h"
#include <algorithm>
#include <cmath>
#include <facet/runtime/curve.h>
#include <facet/runtime/error.h>
#include <facet/runtime/image.h>
#include <filesystem>
#include <fmt/format.h>
#include <limits>
#include <numbers>
#include <optional>

namespace facet::runtime {
namespace {

namespace fs = std::filesystem;

constexpr double degree = std::numbers::pi / 180;
constexpr std::int64_t mostCells = 1500; // of a picture that is not in pixels, along a side

/// For people: "qy (nm⁻¹)".
std::string axisLabel(const std::string &name, const std::string &unit) {
  if (unit == "1/nm")
    return name + " (nm⁻¹)";
  if (unit == "deg")
    return name + " (degrees)";
  return "detector " + name;
}

std::string valueLabel(const SceneResult &result) {
  static const std::pair<const char *, const char *> powers[] = {
      {"^2", "²"}, {"^3", "³"}, {"^4", "⁴"}, {"^6", "⁶"}};
  std::string unit = result.unit;
  for (const auto &[plain, raised] : powers)
    if (const std::size_t at = unit.find(plain); at != std::string::npos)
      unit.replace(at, 2, raised);
  if (result.unit.empty())
    unit = "arb. units";
  std::string quantity = result.quantity == "|F|^2" ? "|F|²" : result.quantity;
  return result.unit == "1" ? quantity : fmt::format("{} ({})", quantity, unit);
}

struct Span {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  void add(double v) {
    low = std::min(low, v);
    high = std::max(high, v);
  }
  std::vector<double> centres(std::int64_t n) const {
    std::vector<double> c(static_cast<std::size_t>(n));
    for (std::size_t i = 0; i < c.size(); ++i)
      c[i] = low + (high - low) * (static_cast<double>(i) + 0.5) / static_cast<double>(n);
    return c;
  }
};

/// A detector's image over even steps of angles or of qy and qz: the pixel that looks there.
class Mapped {
public:
  Mapped(const SceneImage &image, bool angles) : pixels_(*image.pixels), angles_(angles) {
    Span x, y;
    for (std::int64_t r = 0; r < pixels_.rows(); ++r)
      for (std::int64_t c = 0; c < pixels_.columns(); ++c) {
        const Look look = pixels_.at(r, c);
        x.add(angles ? look.phiF / degree : look.q[1]);
        y.add(angles ? look.alphaF / degree : look.q[2]);
      }
    plot.columns = std::min(pixels_.columns(), mostCells);
    plot.rows = std::min(pixels_.rows(), mostCells);
    plot.x = x.centres(plot.columns);
    plot.y = y.centres(plot.rows);
    plot.xLabel = angles ? axisLabel("phi_f", "deg") : axisLabel("qy", "1/nm");
    plot.yLabel = angles ? axisLabel("alpha_f", "deg") : axisLabel("qz", "1/nm");
    for (const double v : plot.y)
      for (const double u : plot.x)
        values_.push_back(valueAt(image, u, v));
    plot.values = values_.data();
  }
  Mapped(const Mapped &) = delete;
  Mapped &operator=(const Mapped &) = delete;
  ~Mapped() = default;

  ImagePlot plot;

private:
  double valueAt(const SceneImage &image, double u, double v) const {
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    double alpha = v * degree, phi = u * degree;
    if (!angles_) {
      const double sine = v / pixels_.k() - (pixels_.grazing() ? std::sin(pixels_.alphaI()) : 0);
      if (!(std::abs(sine) < 1))
        return none;
      alpha = std::asin(sine);
      const double across = u / (pixels_.k() * std::cos(alpha));
      if (!(std::abs(across) < 1))
        return none;
      phi = std::asin(across);
    }
    const auto place = pixels_.geometry()->find(alpha, phi);
    if (!place)
      return none;
    const auto r = static_cast<std::int64_t>(std::lround((*place)[0])),
               c = static_cast<std::int64_t>(std::lround((*place)[1]));
    if (r < 0 || c < 0 || r >= pixels_.rows() || c >= pixels_.columns())
      return none;
    return image.intensity[static_cast<std::size_t>(r * pixels_.columns() + c)];
  }

  const Pixels &pixels_;
  bool angles_;
  std::vector<double> values_;
};

void drawImage(const SceneResult &result, const SceneImage &image, const std::string &axes,
               const std::string &title, const PictureOptions &options, const std::string &path) {
  const Pixels &pixels = *image.pixels;
  std::optional<Mapped> mapped;
  ImagePlot plot;
  if (pixels.geometry() != nullptr && (axes == "angles" || axes == "q")) {
    plot = mapped.emplace(image, axes == "angles").plot;
  } else {
    const ImageAxis x = pixels.columnValues(), y = pixels.rowValues();
    plot.rows = pixels.rows();
    plot.columns = pixels.columns();
    plot.values = image.intensity.data();
    plot.xLabel = axisLabel(x.name, x.unit);
    plot.yLabel = axisLabel(y.name, y.unit);
    if (x.unit != "pixels" && axes != "pixels") {
      plot.x = x.values;
      plot.y = y.values;
    } else if (axes == "pixels") {
      plot.xLabel = "detector column";
      plot.yLabel = "detector row";
    }
  }
  plot.title = title;
  plot.label = valueLabel(result);
  writeImagePicture(plot, path, options);
}

void drawLine(const std::string &along, const std::string &unit, const std::vector<double> &at,
              const std::vector<double> &intensity, const SceneResult &result,
              const std::string &title, const PictureOptions &options, const std::string &path) {
  Curve curve;
  curve.q = at;
  curve.intensity = intensity;
  curve.title = title;
  curve.quantity = result.quantity;
  curve.unit = result.unit;
  curve.across = axisLabel(along, unit);
  curve.logAcross = false;
  writeCurvePicture(curve, path, options);
}

std::string named(const std::string &path, const std::string &suffix) {
  const fs::path file(path);
  return (file.parent_path() / (file.stem().string() + suffix + file.extension().string()))
      .string();
}

} // namespace

std::vector<std::string> writeScenePictures(const Experiment &e, const SceneResult &result,
                                            const std::vector<CutLine> &cuts,
                                            const std::string &path) {
  PictureOptions options;
  options.log = e.scale == "log";
  options.decades = e.decades;
  std::vector<std::string> files;
  for (const SceneImage &image : result.images) {
    const std::string file = named(path, suffixOf(result, image));
    const std::string title = e.title + (image.alphaI > 0 ? ", " + titleOf(image) : "");
    if (image.pixels->rows() > 1 && image.pixels->columns() > 1) {
      drawImage(result, image, e.scene->pictureAxes, title, options, file);
    } else {
      const ImageAxis axis =
          image.pixels->rows() > 1 ? image.pixels->rowValues() : image.pixels->columnValues();
      drawLine(axis.name, axis.unit, axis.values, image.intensity, result, title, options, file);
    }
    files.push_back(file);
  }
  for (const CutLine &cut : cuts) {
    const std::string file = named(path, cut.name.substr(3)); // "_NAME"
    drawLine(cut.along, cut.unit, cut.at, cut.intensity, result, cut.title, options, file);
    files.push_back(file);
  }
  return files;
}

} // namespace facet::runtime
