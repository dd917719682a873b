// scene_file.cpp - the groups of a scene's result, what is known of pixels beside their intensity,
// rows written to them, and its cuts; a curve as a file of NXcanSAS.
#include "runtime/scattering/output/scene_file.h"
#include "runtime/engine/store/boxes.h"
#include "runtime/engine/store/lay_out.h"
#include "runtime/engine/system/pool.h"
#include "runtime/scattering/detector/detector.h"
#include "runtime/scattering/output/noise.h"
#include <algorithm>
#include <cmath>
#include <facet/runtime/curve.h>
#include <facet/runtime/error.h>
#include <fmt/format.h>
#include <limits>

namespace facet::runtime {
using namespace nexus;

Shape shapeOf(const Pixels &pixels) {
  if (pixels.rows() > 1 && pixels.columns() > 1)
    return {pixels.rows(), pixels.columns()};
  return {pixels.rows() * pixels.columns()};
}

namespace {

/// A curve as NXcanSAS 1.1, /entry/sasdata with Q, I and Idev, which points into the curve:
/// manual.nexusformat.org/classes/applications/NXcanSAS.html. SasView, silx, h5web and DAWN read
/// it. I_axes and Q_indices are for canSAS, axes for NeXus plots; Idev lies there as I_errors, too,
/// where h5web looks for errors.
File describe(const Curve &curve) {
  const std::string unit = curve.unit.empty() ? "arbitrary" : curve.unit;
  const Shape shape{std::ssize(curve.q)};
  Group data;
  data.name = "sasdata";
  data.title = curve.title.empty() ? curve.quantity : curve.title;
  data.attributes = {{"canSAS_class", "SASdata"},
                     {"I_axes", "Q"},
                     {"SILX_style",
                      R"({"axes_scale_types": ["log", "log"], "axes_scale_type": "log", )"
                      R"("signal_scale_type": "log"})"}};
  const auto signal = [&](const char *name, const std::vector<double> &values,
                          const std::string &what) {
    Signal made{name, Element::Real, shape, unit, what + " (" + unit + ")"};
    made.values = values.data();
    data.signals.push_back(std::move(made));
  };
  signal("I", curve.intensity, curve.quantity);
  data.axes = {"Q"};
  data.numbers = {{"Q", shape, curve.q.data(), "1/nm", "q (1/nm)"}};
  if (!curve.deviation.empty()) {
    data.signals[0].uncertainties = "Idev";
    signal("Idev", curve.deviation, "estimated error of " + curve.quantity);
    data.links = {{"sasdata/Idev", "I_errors"}};
  }
  return {curve.title, "sasdata", {std::move(data)}, true};
}

constexpr std::int64_t block = 1 << 18; // values held of an image

bool hasTwoAxes(const Pixels &pixels) { return pixels.rows() > 1 && pixels.columns() > 1; }

/// Rows as a box of the image.
tiled::DatasetBox boxOf(const Pixels &pixels, std::int64_t first, std::int64_t last) {
  if (hasTwoAxes(pixels))
    return {{first, 0}, {last, pixels.columns()}};
  return {{first * pixels.columns()}, {last * pixels.columns()}};
}

/// What lies beside the intensity of each pixel: always, if there are angles, or for detectors
/// only.
struct PixelDataset {
  const char *name, *unit, *what;
  double (*of)(const Pixels &, std::int64_t row, std::int64_t column);
  enum { Always, Angles, Detectors } where = Always;
};
template <std::size_t K> double qOf(const Pixels &pixels, std::int64_t row, std::int64_t column) {
  return pixels.at(row, column).q[K];
}
template <double PixelAngles::*Angle>
double angleOf(const Pixels &pixels, std::int64_t row, std::int64_t column) {
  return pixels.angle(Angle, row, column) / degree;
}
double lengthOfQ(const Pixels &pixels, std::int64_t row, std::int64_t column) {
  const auto q = pixels.at(row, column).q;
  return std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2]);
}
double solidAngleOf(const Pixels &pixels, std::int64_t row, std::int64_t column) {
  return pixels.at(row, column).solidAngle;
}
constexpr PixelDataset besides[] = {
    {"qx", "1/nm", "qx (1/nm)", qOf<0>},
    {"qy", "1/nm", "qy (1/nm)", qOf<1>},
    {"qz", "1/nm", "qz (1/nm)", qOf<2>},
    {"alpha_f", "deg", "angle above the surface (deg)", angleOf<&PixelAngles::alphaF>,
     PixelDataset::Angles},
    {"phi_f", "deg", "angle from the beam's plane, to the left (deg)", angleOf<&PixelAngles::phiF>,
     PixelDataset::Angles},
    {"two_theta", "deg", "angle from the direct beam (deg)", angleOf<&PixelAngles::twoTheta>,
     PixelDataset::Detectors},
    {"q", "1/nm", "|q| (1/nm)", lengthOfQ, PixelDataset::Detectors},
    {"solid_angle", "sr", "of a pixel (sr)", solidAngleOf, PixelDataset::Detectors},
};

Numbers ofPixels(const std::shared_ptr<const Pixels> &pixels, const Shape &shape,
                 const std::string &name, const PixelDataset &b, int threads) {
  Numbers numbers{name, shape, nullptr, b.unit, b.what};
  numbers.make = [pixels, of = b.of, threads](std::int64_t first, std::int64_t count, double *to) {
    const std::int64_t columns = pixels->columns();
    inParallel(static_cast<std::size_t>(count), threads, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const std::int64_t at = first + static_cast<std::int64_t>(i);
        to[i] = of(*pixels, at / columns, at % columns);
      }
    });
  };
  return numbers;
}

/// The numbers of that name in a group; null if there are none.
const Numbers *find(const Group &group, const std::string &name) {
  const auto found = std::ranges::find(group.numbers, name, &Numbers::name);
  return found != group.numbers.end() ? &*found : nullptr;
}

/// Adds to `group` numbers of this shape for all pixels of an image, unless an axis of the group,
/// or a value that all pixels have, tells them already.
void addBeside(const std::shared_ptr<const Pixels> &pixels, const Shape &shape, int threads,
               Group &group) {
  // Without a sample, plain q have no known angles.
  const bool angles = pixels->grazing() || !std::isnan(pixels->angle(&PixelAngles::alphaF, 0, 0));
  const auto known = pixels->geometry() != nullptr ? PixelDataset::Detectors
                     : angles                      ? PixelDataset::Angles
                                                   : PixelDataset::Always;
  for (const PixelDataset &b : besides)
    if (b.where <= known && find(group, b.name) == nullptr)
      group.numbers.push_back(ofPixels(pixels, shape, b.name, b, threads));
}

/// The image as a group SASdata of NXcanSAS, by links to `image` and its uncertainties. I, Qx and
/// Qy are along columns and rows (for a detector qy and qz). They are arrays, since one-dimensional
/// ones are read as a curve. `suffix`: that of the SceneView.
Group sasData(const std::shared_ptr<const Pixels> &pixels, const Group &image,
              const std::string &suffix, int threads) {
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
    const PixelDataset &b = besides[axes[k]]; // qx, qy or qz
    if (const Numbers *there = find(image, b.name);
        there != nullptr && there->shape == intensity.shape)
      data.links.push_back({image.name + "/" + b.name, names[k]});
    else
      data.numbers.push_back(ofPixels(pixels, intensity.shape, names[k], b, threads));
  }
  return data;
}

std::string groupOf(const LineCut &cut, const SceneView &view) {
  return "cut_" + cut.name + view.suffix;
}

/// What pixels have no value, and what a grid loses.
void addRemarks(const Pixels &pixels, Group &group) {
  if (pixels.grazing())
    group.attributes["behind_the_sample"] = "alpha_f < 0: NaN, never computed";
  if (pixels.masks())
    group.attributes["masked"] = "by the detector's mask: NaN, never computed";
  if (pixels.inFrame())
    group.attributes["missing_wedge"] = "no q of the Ewald sphere is there: NaN, never computed";
  if (!pixels.remark().empty())
    group.attributes["grid"] = pixels.remark();
}

} // namespace

/// Numbers of an image that are set aside: intensities, then errors.
std::int64_t SceneFile::asideOf(const SceneView &view) const {
  return view.pixels->rows() * view.pixels->columns() * (layout_.averaged ? 2 : 1);
}

SceneFile::SceneFile(const Experiment &experiment, SceneLayout layout)
    : layout_(std::move(layout)), noise_(experiment.noise),
      threads_(experiment.threads > 0 ? experiment.threads : usableThreads()) {
  tiled_.complete = [this](TiledResult &result) { complete(result); };
  if (layout_.curve) {
    addCurve(experiment.title);
    if (experiment.qUnit == "1/A")
      setPerAngstrom();
    return;
  }
  File &file = tiled_.file;
  file.title = experiment.title;
  file.plot = "image" + layout_.seen().at(0).suffix;
  for (const SceneView &view : layout_.seen())
    addImage(experiment, view);
  if (!layout_.specular.empty())
    addSpecular(experiment.title);
  for (const SceneView &view : layout_.images)
    before_.push_back(before_.back() + (layout_.blurs() ? asideOf(view) : 0));
  cuts_.resize(layout_.seen().size());
  for (std::size_t i = 0; i < layout_.seen().size(); ++i)
    addCuts(experiment, i);
  if (experiment.qUnit == "1/A")
    setPerAngstrom();
}

/// Numbers in 1/nm become such in 1/angstrom.
void SceneFile::setPerAngstrom() {
  constexpr double nanometre = 10; // angstrom
  for (Group &group : tiled_.file.groups)
    for (Numbers &numbers : group.numbers) {
      if (numbers.unit != "1/nm")
        continue;
      numbers.unit = "1/angstrom";
      if (const std::size_t at = numbers.longName.find("1/nm"); at != std::string::npos)
        numbers.longName.replace(at, std::string("1/nm").size(), "1/Å");
      if (numbers.values == nullptr) {
        numbers.make = [make = numbers.make](std::int64_t first, std::int64_t count, double *to) {
          make(first, count, to);
          std::for_each(to, to + count, [](double &value) { value /= nanometre; });
        };
        continue;
      }
      std::vector<double> &list =
          lists_.emplace_back(numbers.values, numbers.values + elements(numbers.shape));
      std::ranges::for_each(list, [](double &value) { value /= nanometre; });
      numbers.values = list.data();
    }
}

void SceneFile::addCurve(const std::string &title) {
  curve_.q = layout_.curve->q;
  curve_.intensity = curve_.deviation = std::vector<double>(curve_.q.size());
  curve_.title = title;
  curve_.quantity = layout_.quantity;
  curve_.unit = layout_.unit;
  tiled_.file = describe(curve_);
  for (Signal &signal : tiled_.file.groups[0].signals)
    signal.values = nullptr; // they are not known yet
  if (const auto &structure = layout_.curve->structure; !structure.empty()) {
    Group axes;
    axes.axes = {"Q"};
    axes.links = {{"sasdata/Q", "Q"}};
    tiled_.file.groups[0].numbers.push_back({SceneFile::structureName,
                                             {std::ssize(structure)},
                                             structure.data(),
                                             "1",
                                             "structure factor"});
    addStructure(axes, tiled_.file.groups[0]);
  }
  for (const SceneView &view : layout_.images)
    before_.push_back(before_.back() + numbersOfRow() * view.pixels->rows());
}

/// For each row, the sums by both rules and the largest |F|^2; the sum of F if it counts.
std::vector<double> SceneFile::sumsOf(std::size_t image, std::int64_t first, std::int64_t last,
                                      const UnitRows &rows) const {
  const Pixels &pixels = *layout_.images[image].pixels;
  const Band &band = *pixels.band();
  std::vector<double> numbers;
  for (std::int64_t row = first; row < last; ++row) {
    const std::int64_t point = row % pixels.rowsOfSphere() * pixels.columns();
    const std::int64_t at = (row - first) * pixels.columns();
    const SphereSums sums = SphereSums::of(
        band, point, rows.intensity.data() + at, std::min(pixels.columns(), band.points() - point),
        layout_.amplitude ? rows.amplitude.data() + at : nullptr);
    numbers.insert(numbers.end(), {sums.rule, sums.partner, sums.largest});
    if (layout_.amplitude)
      numbers.insert(numbers.end(), {sums.mean.real(), sums.mean.imag()});
  }
  return numbers;
}

Curve SceneFile::curve(const TiledResult &result, const std::vector<double> &errors) const {
  std::vector<double> numbers(static_cast<std::size_t>(aside()));
  result.read(result.dataset(asideName), {0}, {aside()}, numbers.data());
  std::vector<std::vector<std::vector<SphereSums>>> sums;
  auto from = numbers.begin();
  for (const SceneView &view : layout_.images) {
    const auto parts = static_cast<std::size_t>(view.pixels->rowsOfSphere());
    auto &spheres =
        sums.emplace_back(view.pixels->band()->spheres.size(), std::vector<SphereSums>(parts));
    for (auto &sphere : spheres)
      for (SphereSums &part : sphere) {
        part = {from[0], from[1], from[2]};
        if (layout_.amplitude)
          part.mean = {from[3], from[4]};
        from += numbersOfRow();
      }
  }
  return curveOf(*layout_.curve, sums, errors);
}

std::vector<double> SceneFile::intensityOfCurve(const TiledResult &result) const {
  return curve(result, std::vector<double>(layout_.curve->bands.size())).intensity;
}

const Curve &SceneFile::curveFrom(const TiledResult &result, const std::vector<double> &errors) {
  Curve found = curve(result, errors);
  curve_.intensity = std::move(found.intensity);
  curve_.deviation = std::move(found.deviation);
  curve_.directions = std::move(found.directions);
  return curve_;
}

std::vector<Signal> SceneFile::intensity(const Shape &shape, bool image, const char *errors) const {
  const std::string &unit = layout_.unit;
  const std::string label = unit.empty() || unit == "1"
                                ? layout_.quantity
                                : fmt::format("{} ({})", layout_.quantity, unit);
  std::vector<Signal> all{{"I", Element::Real, shape, unit, label, image}};
  if (layout_.hasErrors()) { // NAME_errors: the rule of NXdata
    all[0].uncertainties = image ? "" : "I_errors";
    all.push_back({"I_errors", Element::Real, shape, unit, errors, image});
  }
  return all;
}

/// A group with the axes of an image alone.
Group SceneFile::axesOf(const SceneView &view) {
  const Pixels &pixels = *view.pixels;
  Group group;
  if (view.slice > 0) { // all but qx is that of the angle's first slice
    group.axes = slices_.axes;
    for (const Numbers &numbers : slices_.numbers)
      if (numbers.name != "qx" && numbers.name != SceneFile::structureName)
        group.links.push_back({slices_.name + "/" + numbers.name, numbers.name});
    return group;
  }
  const auto add = [&](bool ofRows) {
    const ImageAxis &axis = axes_.emplace_back(pixels.axis(ofRows));
    group.axes.push_back(axis.name);
    group.numbers.push_back({axis.name,
                             {std::ssize(axis.values)},
                             axis.values.data(),
                             axis.unit,
                             fmt::format("{} ({})", axis.name, axis.unit)});
  };
  if (pixels.rows() > 1)
    add(true);
  if (pixels.columns() > 1 || pixels.rows() == 1)
    add(false);
  return group;
}

void SceneFile::addImage(const Experiment &experiment, const SceneView &view) {
  const Pixels &pixels = *view.pixels;
  const Shape shape = shapeOf(pixels);
  const bool image = hasTwoAxes(pixels);
  const Group axes = axesOf(view);
  Group group = axes;
  group.name = "image" + view.suffix;
  group.title = experiment.title + (view.title.empty() ? "" : ", " + view.title);
  group.attributes["SILX_style"] = R"({"signal_scale_type": "log"})";
  addRemarks(pixels, group);
  group.signals = intensity(shape, image, "difference to an average of half the order");
  const auto one = [&](const char *name, double value, const char *unit, const char *what) {
    group.numbers.push_back({name, {1}, &numbers_.emplace_back(value), unit, what});
  };
  if (view.slice >= 0)
    one("qx", pixels.at(0, 0).q[0], "1/nm", "qx (1/nm)");
  if (view.slice <= 0)
    addBeside(view.pixels, shape, threads_, group);
  if (view.slice <= 0 && pixels.grazing())
    one("alpha_i", view.alphaI, "deg", "angle of incidence (deg)");

  if (layout_.structure != nullptr)
    group.numbers.push_back(structureOf(view.pixels, shape));
  File &file = tiled_.file;
  const std::string path = "/entry/" + group.name + "/";
  sets_.push_back({path + "I", layout_.hasErrors() ? path + "I_errors" : "", ""});
  file.groups.push_back(group);
  if (view.slice == 0)
    slices_ = group;
  if (image && view.slice < 0) { // one of many slices is nothing that a detector sees
    file.canSas = true;
    file.groups.push_back(sasData(view.pixels, group, view.suffix, threads_));
  }
  addOthers(axes, group, view);
}

/// What an image has in groups of its own.
void SceneFile::addOthers(const Group &axes, const Group &image, const SceneView &view) {
  if (layout_.structure != nullptr)
    addStructure(axes, image);
  if (layout_.amplitude)
    addAmplitude(axes, image.title, view);
  if (layout_.terms)
    addTerms(axes, image.title, view);
  if (layout_.fresnel)
    addFresnel(axes, image.title, view);
  if (noise_)
    addNoise(axes, image.title, view);
}

/// Counts with noise, made of the intensity when all units are finished.
void SceneFile::addNoise(Group group, const std::string &title, const SceneView &view) {
  group.name = "counts" + view.suffix;
  group.title = title + ", with noise";
  group.attributes["SILX_style"] = R"({"signal_scale_type": "log"})";
  group.signals.push_back({"counts", Element::Real, shapeOf(*view.pixels), "1",
                           fmt::format("counts with Poisson noise, seed {}", *noise_),
                           hasTwoAxes(*view.pixels)});
  tiled_.file.groups.push_back(std::move(group));
}

void SceneFile::completeNoise(TiledResult &result, std::uint64_t seed) const {
  std::vector<double> values;
  for (std::size_t i = 0; i < layout_.seen().size(); ++i) {
    const Pixels &pixels = *layout_.seen()[i].pixels;
    const std::int64_t columns = pixels.columns(),
                       step = std::max<std::int64_t>(1, block / columns);
    const int dataset = result.dataset("/entry/counts" + layout_.seen()[i].suffix + "/counts");
    for (std::int64_t row = 0; row < pixels.rows(); row += step) {
      const std::int64_t end = std::min(row + step, pixels.rows());
      values.resize(static_cast<std::size_t>((end - row) * columns));
      read(result, i, row, end, values.data(), nullptr);
      for (std::size_t k = 0; k < values.size(); ++k)
        values[k] = poisson(values[k], seed, i, static_cast<std::uint64_t>(row * columns) + k);
      const tiled::DatasetBox box = boxOf(pixels, row, end);
      result.put(dataset, box.begin, box.end, values.data());
    }
  }
}

void SceneFile::addAmplitude(Group group, const std::string &title, const SceneView &view) {
  const std::string &name = layout_.amplitudeName;
  group.name = "amplitude" + view.suffix;
  group.title = title;
  group.signals.push_back({name, Element::Complex, shapeOf(*view.pixels), layout_.amplitudeUnit,
                           name, hasTwoAxes(*view.pixels)});
  std::erase_if(group.links, [&](const Link &link) {
    return std::ranges::find(group.axes, link.name) == group.axes.end();
  });
  sets_.back().amplitude = "/entry/" + group.name + "/" + name;
  tiled_.file.groups.push_back(std::move(group));
}

namespace {
/// Whether a slice's qx says where its pixels are in a cut.
bool ofQx(const LineCut &cut) {
  const auto is = [](const std::string &name) { return name == "q" || name == "q_ip"; };
  return is(cut.along) || is(cut.across);
}
} // namespace

void SceneFile::addCuts(const Experiment &experiment, std::size_t image) {
  const SceneView &view = layout_.seen()[image];
  for (std::size_t k = 0; k < experiment.cuts.size(); ++k) {
    const LineCut &cut = experiment.cuts[k];
    // Slices of one angle have the same qy, qz and angles of k_f at the same pixels, so one plan.
    const CutPlan &plan = *cuts_[image].emplace_back(
        view.slice > 0 && !ofQx(cut) ? cuts_[image - 1][k]
                                     : std::make_shared<CutPlan>(*view.pixels, cut));
    const Shape shape{std::ssize(plan.at)};
    Group &group = tiled_.file.groups.emplace_back();
    group.name = groupOf(cut, view);
    group.title =
        fmt::format("{}: {} at {} = {} {}{}{}", experiment.title, cut.along, cut.across, cut.at,
                    unitOfCut(cut.across), view.title.empty() ? "" : ", ", view.title);
    group.attributes["SILX_style"] =
        R"({"axes_scale_types": ["linear", "log"], "signal_scale_type": "log"})";
    group.signals = intensity(shape, false, "mean difference to an average of half the order");
    group.axes = {cut.along};
    group.numbers.push_back({cut.along, shape, plan.at.data(), unitOfCut(cut.along),
                             fmt::format("{} ({})", cut.along, unitOfCut(cut.along))});
  }
}

void SceneFile::write(TiledResult &result, std::int64_t unit, std::size_t image, std::int64_t first,
                      std::int64_t last, const UnitRows &rows) const {
  const auto write = [&](const std::string &name, const tiled::DatasetBox &box,
                         const auto &values) {
    if (name.empty() || values.empty())
      return;
    if (unit < 0)
      result.put(result.dataset(name), box.begin, box.end, values.data());
    else
      result.write(unit, result.dataset(name), box.begin, box.end, values.data());
  };
  if (layout_.curve) {
    const std::vector<double> sums = sumsOf(image, first, last, rows);
    const std::int64_t at = before_[image] + numbersOfRow() * first;
    write(asideName, {{at}, {at + std::ssize(sums)}}, sums);
    return;
  }
  const Sets &sets = sets_[image / std::max<std::size_t>(layout_.beams.size(), 1)];
  const auto aside = [&](std::int64_t from, const std::vector<double> &values) {
    const std::int64_t at = from + first * layout_.images[image].pixels->columns();
    write(asideName, {{at}, {at + std::ssize(values)}}, values);
  };
  if (layout_.blurs()) {
    aside(before_[image], rows.intensity);
    aside((before_[image] + before_[image + 1]) / 2, rows.errors);
  }
  const tiled::DatasetBox box = boxOf(*layout_.images[image].pixels, first, last);
  if (!layout_.blurs()) {
    write(sets.intensity, box, rows.intensity);
    write(sets.errors, box, rows.errors);
  }
  write(sets.amplitude, box, rows.amplitude);
  for (std::size_t k = 0; k < rows.terms.size(); ++k)
    write(sets.terms[k], box, rows.terms[k]);
  for (std::size_t k = 0; k < rows.out.size(); ++k)
    write(sets.out[k], box, rows.out[k]);
}

void SceneFile::read(const TiledResult &result, std::size_t image, std::int64_t first,
                     std::int64_t last, double *intensity, double *errors) const {
  const Sets &sets = sets_[image];
  const tiled::DatasetBox box = boxOf(*layout_.seen()[image].pixels, first, last);
  if (intensity != nullptr)
    result.read(result.dataset(sets.intensity), box.begin, box.end, intensity);
  if (errors != nullptr)
    result.read(result.dataset(sets.errors), box.begin, box.end, errors);
}

SharpImage SceneFile::recorded(const TiledResult &result, std::size_t image) const {
  return recordedOf(layout_, image, [&](std::size_t beam) {
    const Pixels &pixels = *layout_.images[beam].pixels;
    SharpImage sharp;
    std::int64_t at = before_[beam];
    const auto read = [&](std::vector<double> &to) {
      to.resize(static_cast<std::size_t>(pixels.rows() * pixels.columns()));
      result.read(result.dataset(asideName), {at}, {at + std::ssize(to)}, to.data());
      at += std::ssize(to);
    };
    read(sharp.intensity);
    if (layout_.averaged)
      read(sharp.errors);
    return sharp;
  });
}

void SceneFile::record(TiledResult &result) const {
  for (std::size_t i = 0; i < sets_.size() && layout_.blurs(); ++i) {
    const Pixels &pixels = *layout_.seen()[i].pixels;
    const tiled::DatasetBox box = boxOf(pixels, 0, pixels.rows());
    const SharpImage image = recorded(result, i);
    result.put(result.dataset(sets_[i].intensity), box.begin, box.end, image.intensity.data());
    if (!image.errors.empty())
      result.put(result.dataset(sets_[i].errors), box.begin, box.end, image.errors.data());
  }
}

void SceneFile::complete(TiledResult &result) const {
  const auto put = [&](const std::string &name, const std::vector<double> &values) {
    result.put(result.dataset("/entry/" + name), {0}, {std::ssize(values)}, values.data());
  };
  if (layout_.curve) {
    put("sasdata/I", curve_.intensity);
    put("sasdata/Idev", curve_.deviation);
  }
  if (noise_)
    completeNoise(result, *noise_);
  std::vector<double> values;
  for (std::size_t i = 0; i < cuts_.size(); ++i) {
    const SceneView &view = layout_.seen()[i];
    const std::int64_t columns = view.pixels->columns();
    for (const auto &plan : cuts_[i])
      for (const bool errors : {false, true}) {
        if (errors && sets_[i].errors.empty())
          continue;
        const auto rows = [&](std::int64_t first, std::int64_t last) {
          values.resize(static_cast<std::size_t>((last - first) * columns));
          read(result, i, first, last, errors ? nullptr : values.data(),
               errors ? values.data() : nullptr);
          return values.data();
        };
        put(groupOf(plan->cut, view) + (errors ? "/I_errors" : "/I"),
            plan->means(*view.pixels, std::max<std::int64_t>(1, block / columns), rows));
      }
  }
}

void writeNxcansas(const Curve &curve, const std::string &path) {
  const auto fits = [&](std::size_t size) { return size == 0 || size == curve.q.size(); };
  if (curve.q.empty() || curve.intensity.size() != curve.q.size() ||
      !fits(curve.deviation.size()) || !fits(curve.directions.size()))
    throw Error(path, "the curve's lists are empty or of unequal length", "", Exit::Failed);
  writeFile(path, describe(curve),
            {curve.provenance, curve.numbers, curve.experiment, curve.directions});
}

} // namespace facet::runtime
