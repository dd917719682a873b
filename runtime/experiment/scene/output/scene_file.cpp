// scene_file.cpp - the groups of a scene's result, what of pixels lies beside their intensity, rows
// written to them, and its cuts.
#include "runtime/experiment/scene/output/scene_file.h"
#include "runtime/experiment/detector/geometry.h"
#include "runtime/experiment/scene/tile.h"
#include "runtime/output/hdf5/lay_out.h"
#include "runtime/output/tiled/boxes.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <thread>

namespace facet::runtime {
using namespace nexus;

namespace {

constexpr std::int64_t block = 1 << 18; // values held of an image

bool hasTwoAxes(const Pixels &pixels) { return pixels.rows() > 1 && pixels.columns() > 1; }

Shape shapeOf(const Pixels &pixels) {
  if (hasTwoAxes(pixels))
    return {pixels.rows(), pixels.columns()};
  return {pixels.rows() * pixels.columns()};
}

/// Rows as a box of the image.
tiled::Box boxOf(const Pixels &pixels, std::int64_t first, std::int64_t last) {
  if (hasTwoAxes(pixels))
    return {{first, 0}, {last, pixels.columns()}};
  return {{first * pixels.columns()}, {last * pixels.columns()}};
}

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

/// Numbers of this shape for all pixels of an image that no axis of `group` tells, nor a value that
/// all pixels have, added to it.
void addBeside(const std::shared_ptr<const Pixels> &pixels, const Shape &shape, Group &group) {
  const auto add = [&](const Beside &b) {
    if (!holds(group, b.name))
      group.numbers.push_back(ofPixels(pixels, shape, b.name, b));
  };
  for (const Beside &b : qOfPixels)
    add(b);
  // Without a sample, plain q have no known angles.
  if (pixels->geometry() != nullptr || pixels->grazing() || !std::isnan(pixels->at(0, 0).alphaF))
    for (const Beside &b : anglesOfPixels)
      add(b);
  if (pixels->geometry() != nullptr)
    for (const Beside &b : ofDetectors)
      add(b);
}

/// The image as a group SASdata of NXcanSAS, by links to `image` and its uncertainties: I, Qx and
/// Qy along columns and rows (of a detector qy and qz), as arrays, since one-dimensional ones are
/// read as a curve. `suffix` as of a SceneView.
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

} // namespace

struct SceneFile::Axes {
  std::vector<std::string> names;
  std::vector<Numbers> numbers;
  std::vector<Link> links; // instead of numbers
};

SceneFile::SceneFile(const Experiment &experiment, SceneLayout layout)
    : layout_(std::move(layout)) {
  tiled_.complete = [this](TiledResult &result) { complete(result); };
  if (layout_.curve) {
    addCurve(experiment.title);
    return;
  }
  File &file = tiled_.file;
  file.title = experiment.title;
  file.plot = "image" + layout_.images.at(0).suffix;
  for (const SceneView &view : layout_.images)
    addImage(experiment, view);
  cuts_.resize(layout_.images.size());
  for (std::size_t i = 0; i < layout_.images.size(); ++i)
    addCuts(experiment, i);
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
  for (const SceneView &view : layout_.images)
    rowsBefore_.push_back(rowsBefore_.back() + view.pixels->rows());
}

/// For each row the sums by both rules, and the largest |F|^2.
void SceneFile::writeSums(TiledResult &result, std::int64_t unit, std::size_t image,
                          std::int64_t first, std::int64_t last, const double *squares) const {
  const Pixels &pixels = *layout_.images[image].pixels;
  const Band &band = *pixels.band();
  std::vector<double> numbers;
  for (std::int64_t row = first; row < last; ++row) {
    const std::int64_t point = row % pixels.rowsOfSphere() * pixels.columns();
    const SphereSums sums = SphereSums::of(band, point, squares + (row - first) * pixels.columns(),
                                           std::min(pixels.columns(), band.points() - point));
    numbers.insert(numbers.end(), {sums.rule, sums.partner, sums.largest});
  }
  const int dataset = result.dataset(asideName);
  const std::int64_t at = 3 * (rowsBefore_[image] + first), end = at + std::ssize(numbers);
  if (unit < 0)
    result.put(dataset, {at}, {end}, numbers.data());
  else
    result.write(unit, dataset, {at}, {end}, numbers.data());
}

const Curve &SceneFile::curveFrom(const TiledResult &result, const std::vector<double> &errors) {
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
        from += 3;
      }
  }
  Curve found = curveOf(curve_.q, layout_.curve->bands, sums, errors);
  curve_.intensity = std::move(found.intensity);
  curve_.deviation = std::move(found.deviation);
  curve_.directions = std::move(found.directions);
  return curve_;
}

std::string SceneFile::label() const {
  return layout_.unit.empty() || layout_.unit == "1"
             ? layout_.quantity
             : fmt::format("{} ({})", layout_.quantity, layout_.unit);
}

SceneFile::Axes SceneFile::axesOf(const SceneView &view) {
  const Pixels &pixels = *view.pixels;
  Axes axes;
  if (view.slice > 0) { // all but qx is that of the angle's first slice
    axes.names = slices_.axes;
    for (const Numbers &numbers : slices_.numbers)
      if (numbers.name != "qx")
        axes.links.push_back({slices_.name + "/" + numbers.name, numbers.name});
    return axes;
  }
  const auto add = [&](ImageAxis axis) {
    const ImageAxis &kept = axes_.emplace_back(std::move(axis));
    axes.names.push_back(kept.name);
    axes.numbers.push_back({kept.name,
                            {static_cast<std::int64_t>(kept.values.size())},
                            kept.values.data(),
                            kept.unit,
                            fmt::format("{} ({})", kept.name, kept.unit)});
  };
  if (pixels.rows() > 1)
    add(pixels.rowValues());
  if (pixels.columns() > 1 || pixels.rows() == 1)
    add(pixels.columnValues());
  return axes;
}

void SceneFile::addImage(const Experiment &experiment, const SceneView &view) {
  const Pixels &pixels = *view.pixels;
  const Shape shape = shapeOf(pixels);
  const bool image = hasTwoAxes(pixels);
  Group group;
  group.name = "image" + view.suffix;
  group.title = experiment.title + (view.title.empty() ? "" : ", " + view.title);
  group.attributes["SILX_style"] = R"({"signal_scale_type": "log"})";
  if (pixels.grazing())
    group.attributes["behind_the_sample"] = "alpha_f < 0: NaN, never computed";
  if (!pixels.remark().empty())
    group.attributes["grid"] = pixels.remark();
  group.signals.push_back({"I", Element::Real, shape, layout_.unit, label(), image});
  if (layout_.averaged) { // NAME_errors: the rule of NXdata
    group.signals[0].uncertainties = image ? "" : "I_errors";
    group.signals.push_back({"I_errors", Element::Real, shape, layout_.unit,
                             "difference to an average of half the order", image});
  }
  const Axes axes = axesOf(view);
  group.axes = axes.names;
  group.numbers = axes.numbers;
  group.links = axes.links;
  const auto one = [&](const char *name, double value, const char *unit, const char *what) {
    group.numbers.push_back({name, {1}, &numbers_.emplace_back(value), unit, what});
  };
  if (view.slice >= 0)
    one("qx", pixels.at(0, 0).q[0], "1/nm", "qx (1/nm)");
  if (view.slice <= 0)
    addBeside(view.pixels, shape, group);
  if (view.slice <= 0 && pixels.grazing())
    one("alpha_i", view.alphaI, "deg", "angle of incidence (deg)");

  File &file = tiled_.file;
  Sets &sets = sets_.emplace_back();
  const std::string path = "/entry/" + group.name + "/";
  sets.intensity = path + "I";
  sets.errors = layout_.averaged ? path + "I_errors" : "";
  file.groups.push_back(group);
  if (view.slice == 0)
    slices_ = group;
  if (image && view.slice < 0) { // one of many slices is nothing that a detector sees
    file.canSas = true;
    file.groups.push_back(sasData(view.pixels, group, view.suffix));
  }
  if (!layout_.amplitude)
    return;
  Group amplitude;
  amplitude.name = "amplitude" + view.suffix;
  amplitude.title = group.title;
  amplitude.signals.push_back({layout_.amplitudeName, Element::Complex, shape,
                               layout_.amplitudeUnit, layout_.amplitudeName, image});
  amplitude.axes = axes.names;
  amplitude.numbers = axes.numbers;
  for (const Link &link : axes.links)
    if (std::find(axes.names.begin(), axes.names.end(), link.name) != axes.names.end())
      amplitude.links.push_back(link);
  sets.amplitude = "/entry/" + amplitude.name + "/" + layout_.amplitudeName;
  file.groups.push_back(std::move(amplitude));
}

void SceneFile::addCuts(const Experiment &experiment, std::size_t image) {
  const SceneView &view = layout_.images[image];
  const std::vector<LineCut> &cuts = experiment.cuts;
  for (std::size_t k = 0; k < cuts.size(); ++k) {
    const LineCut &cut = cuts[k];
    // Slices of one angle have the same qy, qz and angles of k_f at the same pixels.
    PlacedCut placed{view.slice > 0 ? cuts_[image - 1][k].plan
                                    : std::make_shared<CutPlan>(*view.pixels, cut),
                     "cut_" + cut.name + view.suffix};
    const CutPlan &plan = *placed.plan;
    Group group;
    group.name = placed.group;
    group.title =
        fmt::format("{}: {} at {} = {} {}{}{}", experiment.title, cut.along, cut.across, cut.at,
                    unitOfCut(cut.across), view.title.empty() ? "" : ", ", view.title);
    group.attributes["SILX_style"] =
        R"({"axes_scale_types": ["linear", "log"], "signal_scale_type": "log"})";
    const Shape shape{static_cast<std::int64_t>(plan.at.size())};
    group.signals.push_back({"I", Element::Real, shape, layout_.unit, label()});
    if (layout_.averaged) {
      group.signals[0].uncertainties = "I_errors";
      group.signals.push_back({"I_errors", Element::Real, shape, layout_.unit,
                               "mean difference to an average of half the order"});
    }
    group.axes = {cut.along};
    group.numbers.push_back({cut.along, shape, plan.at.data(), plan.unit,
                             fmt::format("{} ({})", cut.along, plan.unit)});
    tiled_.file.groups.push_back(std::move(group));
    cuts_[image].push_back(std::move(placed));
  }
}

void SceneFile::write(TiledResult &result, std::int64_t unit, std::size_t image, std::int64_t first,
                      std::int64_t last, const Rows &rows) const {
  if (layout_.curve) {
    writeSums(result, unit, image, first, last, rows.intensity);
    return;
  }
  const Sets &sets = sets_[image];
  const tiled::Box box = boxOf(*layout_.images[image].pixels, first, last);
  const auto write = [&](const std::string &name, const void *values) {
    if (name.empty() || values == nullptr)
      return;
    if (unit < 0)
      result.put(result.dataset(name), box.begin, box.end, values);
    else
      result.write(unit, result.dataset(name), box.begin, box.end, values);
  };
  write(sets.intensity, rows.intensity);
  write(sets.errors, rows.errors);
  write(sets.amplitude, rows.amplitude);
}

void SceneFile::read(const TiledResult &result, std::size_t image, std::int64_t first,
                     std::int64_t last, double *intensity, double *errors) const {
  const Sets &sets = sets_[image];
  const tiled::Box box = boxOf(*layout_.images[image].pixels, first, last);
  if (intensity != nullptr)
    result.read(result.dataset(sets.intensity), box.begin, box.end, intensity);
  if (errors != nullptr)
    result.read(result.dataset(sets.errors), box.begin, box.end, errors);
}

void SceneFile::complete(TiledResult &result) const {
  if (layout_.curve)
    for (const auto &[name, values] :
         {std::pair{"I", &curve_.intensity}, {"Idev", &curve_.deviation}})
      result.put(result.dataset(std::string("/entry/sasdata/") + name), {0}, {std::ssize(*values)},
                 values->data());
  std::vector<double> values;
  for (std::size_t i = 0; i < cuts_.size(); ++i) {
    const Pixels &pixels = *layout_.images[i].pixels;
    const std::int64_t columns = pixels.columns();
    const std::int64_t step = std::max<std::int64_t>(1, block / columns);
    for (const PlacedCut &cut : cuts_[i])
      for (const auto &[name, of] :
           {std::pair{"I", sets_[i].intensity}, {"I_errors", sets_[i].errors}}) {
        if (of.empty())
          continue;
        CutSums sums(*cut.plan);
        for (std::int64_t row = cut.plan->firstRow; row < cut.plan->lastRow; row += step) {
          const std::int64_t end = std::min(row + step, cut.plan->lastRow);
          const tiled::Box box = boxOf(pixels, row, end);
          values.resize(static_cast<std::size_t>((end - row) * columns));
          result.read(result.dataset(of), box.begin, box.end, values.data());
          for (std::int64_t r = row; r < end; ++r)
            sums.add(pixels, r, values.data() + (r - row) * columns);
        }
        const std::vector<double> means = sums.means();
        result.put(result.dataset("/entry/" + cut.group + "/" + name), {0},
                   {static_cast<std::int64_t>(means.size())}, means.data());
      }
  }
}

} // namespace facet::runtime
