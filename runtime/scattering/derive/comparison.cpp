// comparison.cpp - images of a result and of a file read, a scale and a background that fit best,
// residuals, their picture.
#include "runtime/scattering/derive/comparison.h"
#include "runtime/engine/store/data_file.h"
#include "runtime/picture/figures.h"
#include "runtime/scattering/derive/observation.h"
#include "runtime/scattering/output/pictures.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace facet::runtime {
namespace {

constexpr double notCompared = std::numeric_limits<double>::quiet_NaN();

/// The images of a result. Throws Error if there is none.
std::vector<DataGroup> comparedGroups(const DataFile &file, const std::string &path) {
  std::vector<DataGroup> images;
  for (const DataGroup &group : file.groups())
    if (group.name.starts_with("image") && group.shape.size() == 2)
      images.push_back(group);
  if (images.empty())
    throw Error(path, "has no image of two axes to compare",
                "a curve is compared in Python: facet.fit.compare");
  return images;
}

std::vector<double> readAll(const std::string &path, const DataGroup &group) {
  return h5::Object(path).open("entry/" + group.name + "/" + group.signal).doubles();
}

ComparedImage comparedImage(const DataGroup &group) {
  ComparedImage image;
  image.group = group.name;
  image.title = group.title;
  image.label = group.unit == "1"
                    ? "measured"
                    : fmt::format("measured ({})", group.unit.empty() ? "arb. units" : group.unit);
  image.rows = group.rows();
  image.columns = group.columns();
  for (const DataAxis &axis : group.axes) {
    image.axes.push_back(axisLabel(axis.name, axis.unit));
    image.places.push_back(axis.unit == "pixels" ? std::vector<double>() : axis.values);
  }
  return image;
}

/// Sums over all pixels that are compared, about the means of both images.
struct Moments {
  double weight = 0, theory = 0, measured = 0; // the latter two: means, then
  double squares = 0, products = 0;            // about them

  Moments(const Comparison &of, const std::vector<std::vector<double>> &weights) {
    const auto each = [&](const auto &use) {
      for (std::size_t i = 0; i < of.images.size(); ++i)
        for (std::size_t k = 0; k < weights[i].size(); ++k)
          if (weights[i][k] > 0)
            use(weights[i][k], of.images[i].theory[k], of.images[i].measured[k]);
    };
    each([&](double w, double t, double m) { weight += w, theory += w * t, measured += w * m; });
    theory /= weight, measured /= weight;
    each([&](double w, double t, double m) {
      squares += w * (t - theory) * (t - theory);
      products += w * (t - theory) * (m - measured);
    });
  }
};

void fitScale(const ComparisonOptions &options, const std::vector<std::vector<double>> &weights,
              const std::string &data, Comparison &to) {
  constexpr double rounding = 1e-14;
  const Moments m(to, weights);
  const double zero = m.weight * m.theory * m.theory; // of squares about 0
  const double squares = m.squares + (options.background ? 0 : zero);
  if (options.scale) {
    if (!(squares > rounding * (m.squares + zero)))
      throw Error(data, "no scale can be found: what was computed is 0, or the same everywhere",
                  "leave out --scale");
    to.scale = (m.products + (options.background ? 0 : m.weight * m.theory * m.measured)) / squares;
    to.scaleError = 1 / std::sqrt(squares);
  }
  if (options.background) {
    to.background = m.measured - to.scale * m.theory;
    to.backgroundError = std::hypot(1 / std::sqrt(m.weight), m.theory * to.scaleError);
  }
}

/// Sets theory and residuals by scale and background, and chi2.
void setResiduals(const std::vector<std::vector<double>> &weights, Comparison &to) {
  for (std::size_t i = 0; i < to.images.size(); ++i) {
    ComparedImage &image = to.images[i];
    image.residuals.assign(image.theory.size(), notCompared);
    for (std::size_t k = 0; k < image.theory.size(); ++k) {
      image.theory[k] = to.scale * image.theory[k] + to.background;
      if (!(weights[i][k] > 0)) {
        image.measured[k] = notCompared;
        ++to.leftOut;
        continue;
      }
      const double off = std::sqrt(weights[i][k]) * (image.theory[k] - image.measured[k]);
      image.residuals[k] = off;
      image.chi2 += off * off;
      ++image.points;
    }
    to.chi2 += image.chi2;
    to.points += image.points;
  }
}

} // namespace

Comparison compareImages(const std::string &result, const std::string &data,
                         const ComparisonOptions &options) {
  const std::vector<DataGroup> groups = comparedGroups(DataFile(result), result);
  std::vector<Observation::Image> images;
  for (const DataGroup &group : groups) {
    Observation::Image &image = images.emplace_back(group.name, group.shape);
    for (const DataAxis &axis : group.axes)
      image.numbers.push_back(
          {axis.name, {std::ssize(axis.values)}, axis.values.data(), axis.unit, axis.name});
  }
  const Observation observation(data, images);
  if (!observation.weighed() && !options.counts)
    throw Error(data, "has no sigma beside I, so nothing says how far off is too far",
                "write /entry/image/sigma, one of each pixel; or --counts, if they are counts");
  Comparison found;
  std::vector<std::vector<double>> weights;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    ComparedImage &image = found.images.emplace_back(comparedImage(groups[i]));
    image.theory = readAll(result, groups[i]);
    ObservedPixels pixels = observation.read(i, 0, std::ssize(image.theory));
    image.measured = std::move(pixels.intensity);
    std::vector<double> &own = weights.emplace_back(std::move(pixels.weights));
    for (std::size_t k = 0; k < own.size(); ++k) {
      if (!std::isfinite(image.theory[k]))
        own[k] = 0;
      else if (!observation.weighed() && own[k] > 0)
        own[k] = 1 / std::max(image.measured[k], 1.0);
    }
  }
  if (std::ranges::all_of(weights, [](const std::vector<double> &own) {
        return std::ranges::all_of(own, [](double weight) { return weight == 0; });
      }))
    throw Error(data, "no pixel of it can be compared: all are masked, or not finite here or there",
                "see mask and sigma");
  fitScale(options, weights, data, found);
  setResiduals(weights, found);
  return found;
}

std::vector<std::string> drawComparison(const Comparison &comparison, const std::string &path,
                                        const PictureOptions &options) {
  std::vector<std::string> files;
  for (const ComparedImage &image : comparison.images) {
    files.push_back(pictureOf(path, image.group));
    std::vector<double> shown = image.measured; // 0, where noise has gone below it, not blank
    for (double &value : shown)
      value = options.log && value < 0 ? 0 : value;
    ImagePlot measured{image.rows,    image.columns, shown.data(), image.places[1], image.places[0],
                       image.axes[1], image.axes[0], image.title,  image.label};
    measured.colours = coloursOf(measured, options);
    ImagePlot theory = measured, residuals = measured;
    theory.values = image.theory.data();
    theory.title = fmt::format("computed, χ² {:.3g} a pixel", image.chi2 / image.points);
    theory.label = "computed";
    residuals.values = image.residuals.data();
    residuals.title = "residuals";
    residuals.label = "(computed − measured) / σ";
    residuals.colours = coloursAround0(image.residuals, residuals.label);
    plot::draw(figureOf({measured, theory, residuals}, options), files.back());
  }
  return files;
}

} // namespace facet::runtime
