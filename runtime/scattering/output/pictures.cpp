// pictures.cpp - the groups of a result file that are drawn, each as what it is.
#include "runtime/scattering/output/pictures.h"
#include "runtime/engine/store/data_file.h"
#include "runtime/picture/figures.h"
#include "runtime/scattering/detector/detector.h"
#include "runtime/scattering/output/orientation_picture.h"
#include <algorithm>
#include <cmath>
#include <facet/runtime/curve.h>
#include <facet/runtime/error.h>
#include <filesystem>
#include <fmt/format.h>
#include <iterator>
#include <limits>
#include <map>
#include <numbers>
#include <numeric>

namespace facet::runtime {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t mostPixels = 2048;    // of an image, along a side
constexpr std::int64_t mostOfALine = 100000; // points of a curve

std::string valueLabel(const DataGroup &group) {
  const std::string unit = group.unit.empty() ? "arb. units" : group.unit;
  return unit == "1" ? group.quantity : fmt::format("{} ({})", group.quantity, unit);
}

constexpr double blank = std::numeric_limits<double>::quiet_NaN();

std::vector<double> centres(const Range &range, std::int64_t n) {
  std::vector<double> c(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < c.size(); ++i)
    c[i] = range.low +
           (range.high - range.low) * (static_cast<double>(i) + 0.5) / static_cast<double>(n);
  return c;
}

/// The value of the pixel that looks along the angles u, v, or at qy and qz; `k`: nm^-1.
double valueAt(const CoarseImage &image, const Geometry &geometry, double k, bool angles, double u,
               double v) {
  double alpha = v * degree, phi = u * degree;
  if (!angles) {
    const double sine = v / k - (geometry.grazing() ? std::sin(geometry.alphaI()) : 0);
    if (!(std::abs(sine) < 1))
      return blank;
    alpha = std::asin(sine);
    const double across = u / (k * std::cos(alpha));
    if (!(std::abs(across) < 1))
      return blank;
    phi = std::asin(across);
  }
  const auto place = geometry.find(alpha, phi);
  if (!place)
    return blank;
  const std::int64_t r = std::llround((*place)[0]), c = std::llround((*place)[1]);
  if (r < 0 || c < 0 || r >= geometry.detector().rows || c >= geometry.detector().columns)
    return blank;
  return image.at(r, c);
}

/// A detector's image over even steps of angles, or of qy and qz: each cell has the value of the
/// pixel that looks there, NaN if there is none. At most 1500 cells a side. `values`: of the plot.
ImagePlot mapped(const CoarseImage &image, const Geometry &geometry, double k, bool angles,
                 std::vector<double> &values) {
  constexpr std::int64_t mostCells = 1500;
  const Detector &detector = geometry.detector();
  Range x, y;
  for (std::int64_t r = 0; r < detector.rows; ++r)
    for (std::int64_t c = 0; c < detector.columns; ++c) {
      const auto i = static_cast<double>(r), j = static_cast<double>(c);
      if (angles) {
        x.add(geometry.angle(&PixelAngles::phiF, i, j) / degree);
        y.add(geometry.angle(&PixelAngles::alphaF, i, j) / degree);
      } else {
        const auto q = geometry.q(k, i, j);
        x.add(q[1]);
        y.add(q[2]);
      }
    }
  ImagePlot plot;
  plot.columns = std::min(detector.columns, mostCells);
  plot.rows = std::min(detector.rows, mostCells);
  plot.x = centres(x, plot.columns);
  plot.y = centres(y, plot.rows);
  plot.xLabel = angles ? "phi_f (degrees)" : "qy (nm⁻¹)";
  plot.yLabel = angles ? "alpha_f (degrees)" : "qz (nm⁻¹)";
  values.reserve(static_cast<std::size_t>(plot.rows * plot.columns));
  for (const double v : plot.y)
    for (const double u : plot.x)
      values.push_back(valueAt(image, geometry, k, angles, u, v));
  plot.values = values.data();
  return plot;
}

class PictureWriter {
public:
  PictureWriter(const std::string &result, const ResultPictures &pictures)
      : file_(result), pictures_(pictures), axes_(pictures.axes) {
    if (axes_ == "pixels")
      return;
    const bool asked = !axes_.empty();
    try {
      const Experiment e = readExperimentText(file_.experiment(), fs::path(result).filename());
      if (!e.detector || !(e.wavelength > 0))
        return;
      if (!asked)
        axes_ = e.pictureAxes;
      detector_ = e.detector;
      k_ = 2 * std::numbers::pi / e.wavelength;
    } catch (const Error &error) { // a table of objects is gone, or the file was cut down
      const std::string what = error.what();
      if (asked)
        throw Error(result,
                    "where its pixels look is not known: " + what.substr(0, what.find('\n')),
                    "draw it in pixels: --axes pixels");
    }
  }

  std::vector<std::string> write(const std::string &path) const {
    std::vector<std::string> files;
    for (const DataGroup *group : chosen()) {
      files.push_back(pictureOf(path, group->name));
      if (group->rows() > 1)
        drawImage(*group, files.back());
      else
        drawLine(*group, files.back());
    }
    return files;
  }

private:
  std::vector<const DataGroup *> chosen() const {
    std::vector<const DataGroup *> some;
    for (const std::string &name : pictures_.groups) {
      const auto found = std::ranges::find(file_.groups(), name, &DataGroup::name);
      if (found == file_.groups().end())
        throw Error(name, "the result has no such group to draw", "it has " + namesOf());
      some.push_back(&*found);
    }
    if (!some.empty())
      return some;
    // Slices have names that end in "_qx_NUMBER": three are drawn.
    std::map<std::string, std::vector<const DataGroup *>> slices;
    for (const DataGroup &group : file_.groups())
      slices[stemOf(group.name)].push_back(&group);
    for (const DataGroup &group : file_.groups()) {
      const auto &all = slices[stemOf(group.name)];
      if (group.name.starts_with("structure")) // if it is asked for
        continue;
      if (stemOf(group.name) == group.name || &group == all.front() || &group == all.back() ||
          &group == all[all.size() / 2])
        some.push_back(&group);
    }
    // Images before cuts.
    std::stable_partition(some.begin(), some.end(),
                          [](const DataGroup *g) { return !g->name.starts_with("cut_"); });
    return some;
  }

  static std::string stemOf(const std::string &name) {
    const std::size_t at = name.rfind("_qx_");
    return at != std::string::npos &&
                   name.find_first_not_of("0123456789", at + 4) == std::string::npos
               ? name.substr(0, at)
               : name;
  }

  std::string namesOf() const {
    std::string names;
    for (std::size_t i = 0; i < file_.groups().size(); ++i)
      names += i == 12 ? ", .." : i > 12 ? "" : (i > 0 ? ", " : "") + file_.groups()[i].name;
    return names;
  }

  void drawImage(const DataGroup &group, const std::string &path) const {
    const CoarseImage image = file_.read(group, group.signal, mostPixels);
    const DataAxis &x = group.axes[1], &y = group.axes[0];
    std::vector<double> values; // of a plot that is not the image as it is
    ImagePlot plot;
    if (detector_ && (axes_ == "angles" || axes_ == "q") && detector_->rows == group.rows() &&
        detector_->columns == group.columns()) {
      const auto alphaI = file_.number(group, "alpha_i");
      plot = mapped(image, alphaI ? Geometry(*detector_, *alphaI * degree) : Geometry(*detector_),
                    k_, axes_ == "angles", values);
    } else {
      plot.rows = image.rows;
      plot.columns = image.columns;
      plot.values = image.values.data();
      const bool pixels = axes_ == "pixels";
      plot.xLabel = pixels ? "detector column" : axisLabel(x.name, x.unit);
      plot.yLabel = pixels ? "detector row" : axisLabel(y.name, y.unit);
      plot.x = placesOf(x, image.columnStep, pixels);
      plot.y = placesOf(y, image.rowStep, pixels);
    }
    plot.title = titleOf(group);
    plot.label = valueLabel(group);
    writeImagePicture(plot, path, pictures_.options);
  }

  /// Empty if the picture counts pixels.
  static std::vector<double> placesOf(const DataAxis &axis, std::int64_t step, bool pixels) {
    if (!pixels && axis.unit != "pixels")
      return thinned(axis.values, step);
    if (step == 1)
      return {};
    std::vector<double> numbers(axis.values.size());
    std::iota(numbers.begin(), numbers.end(), 0.0);
    return thinned(numbers, step);
  }

  void drawLine(const DataGroup &group, const std::string &path) const {
    const CoarseImage line = file_.read(group, group.signal, mostOfALine);
    const bool canSas = group.name.rfind("sasdata", 0) == 0;
    Curve curve;
    curve.q = thinned(group.axes[0].values, line.columnStep);
    curve.intensity = line.values;
    if (!group.errors.empty())
      curve.deviation = file_.read(group, group.errors, mostOfALine).values;
    curve.title = titleOf(group);
    curve.quantity = group.quantity;
    curve.unit = group.unit;
    if (!canSas || group.axes[0].unit == "1/angstrom")
      curve.across = axisLabel(group.axes[0].name, group.axes[0].unit);
    curve.logAcross = canSas;
    writeCurvePicture(curve, path, pictures_.options);
  }

  std::string titleOf(const DataGroup &group) const {
    return pictures_.title.empty() ? group.title : pictures_.title;
  }

  DataFile file_;
  const ResultPictures &pictures_;
  std::string axes_;
  std::optional<Detector> detector_;
  double k_ = 0;
};

} // namespace

std::string axisLabel(const std::string &name, const std::string &unit) {
  if (unit == "1/nm")
    return name + " (nm⁻¹)";
  if (unit == "1/angstrom")
    return name + " (Å⁻¹)";
  if (unit == "deg")
    return name + " (degrees)";
  return unit == "pixels" ? "detector " + name : fmt::format("{} ({})", name, unit);
}

std::string pictureOf(const std::string &path, const std::string &group) {
  constexpr const char *beside[] = {"field", "counts", "structure", "gradient"};
  std::string suffix; // of "image": what follows; of "cut_NAME": "_NAME"
  if (group.starts_with("image"))
    suffix = group.substr(5);
  else if (group.starts_with("cut_"))
    suffix = group.substr(3);
  else if (std::ranges::any_of(beside, [&](const char *name) { return group.starts_with(name); }))
    suffix = "_" + group;
  const fs::path file(path);
  return (file.parent_path() / (file.stem().string() + suffix + file.extension().string()))
      .string();
}

ResultPictures picturesOf(const Experiment &e) {
  ResultPictures pictures;
  pictures.options.quantity = e.quantity;
  pictures.options.log = e.scale == "log";
  pictures.options.decades = e.decades;
  pictures.axes = e.pictureAxes;
  return pictures;
}

std::vector<std::string> writeResultPictures(const std::string &result, const std::string &path,
                                             const ResultPictures &pictures) {
  if (!holdsF(result)) {
    ResultPictures others = pictures;
    std::erase_if(others.groups, isOrientation);
    std::vector<std::string> files;
    if (pictures.groups.empty() || !others.groups.empty())
      files = PictureWriter(result, others).write(path);
    std::ranges::copy(writeOrientationPictures(result, path, pictures), std::back_inserter(files));
    return files;
  }
  Result f = readHdf5(result);
  if (!pictures.title.empty())
    f.title = pictures.title;
  return writePictures(f.output(), path, pictures.options);
}

// Slopes of meshes
// ---------------------------------------------------------------------------
namespace {

/// The numbers at the three vertices of each triangle, three for each vertex.
std::vector<std::array<Vec3, 3>> atCorners(const std::vector<double> &ofVertices,
                                           const std::vector<double> &faces) {
  std::vector<std::array<Vec3, 3>> corners(faces.size() / 3);
  for (std::size_t c = 0; c < faces.size(); ++c)
    for (std::size_t k = 0; k < 3; ++k)
      corners[c / 3][c % 3][k] = ofVertices.at(3 * static_cast<std::size_t>(faces[c]) + k);
  return corners;
}

} // namespace

std::vector<std::string> writeSlopePictures(const std::string &result, const std::string &picture) {
  const h5::Object entry = h5::Object(result).open("entry");
  std::vector<std::string> files;
  for (const std::string &name : entry.names()) {
    if (name != "gradient" && !name.starts_with("gradient_"))
      continue;
    const h5::Object group = entry.open(name), slope = group.open("slope");
    const std::vector<double> faces = group.open("faces").doubles();
    Mesh mesh;
    mesh.triangles = atCorners(group.open("vertices").doubles(), faces);
    const std::string unit = slope.attribute("units"), title = group.text("title");
    if (unit.empty() || title.empty()) // both are written with every result
      throw Error(result, fmt::format("/entry/{} cannot be read", name), "run it again",
                  Exit::Failed);
    const MeshSlopes slopes{atCorners(slope.doubles(), faces),
                            "dL by each vertex, outwards (" + unit + ")", title};
    files.push_back(pictureOf(picture, name));
    writeMeshPicture(mesh, files.back(), {}, &slopes);
  }
  return files;
}

} // namespace facet::runtime
