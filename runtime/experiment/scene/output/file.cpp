// file.cpp - a scene's results as an HDF5 file.
#include "runtime/experiment/scene/output/files.h"
#include "runtime/output/hdf5/lay_out.h"
#include <cmath>
#include <fmt/format.h>
#include <numbers>

namespace facet::runtime {
namespace {

using namespace nexus;

constexpr double degree = std::numbers::pi / 180;
constexpr std::int64_t block = 1 << 18; // values computed at once of what lies beside I

/// What a pixel has beside its intensity.
struct Beside {
  const char *name, *unit, *what;
  double (*of)(const Look &);
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
constexpr Beside solidAngle = {"solid_angle", "sr", "of a pixel (sr)",
                               [](const Look &l) { return l.solidAngle; }};

class Described {
public:
  Described(const Experiment &e, const SceneResult &result, const std::vector<CutLine> &cuts)
      : result_(result) {
    axes_.reserve(2 * result.images.size());
    angles_.reserve(result.images.size());
    file.title = e.title;
    file.plot = "image" + suffixOf(result, result.images[0]);
    for (const SceneImage &image : result.images)
      add(e, image);
    for (const CutLine &cut : cuts)
      add(cut);
  }

  void fill(const Group &group, const Signal &signal, hid_t data) const {
    const auto found = images_.find(group.name);
    if (found == images_.end())
      return writeBox(data, signal, Shape(1, 0), signal.shape,
                      lines_.at(group.name)->intensity.data());
    const SceneImage &image = *found->second;
    const Shape none(signal.shape.size(), 0);
    if (signal.name == "I")
      return writeBox(data, signal, none, signal.shape, image.intensity.data());
    if (signal.element == Element::Complex)
      return writeBox(data, signal, none, signal.shape, image.amplitude.data());
    fillBeside(image, signal, data);
  }

  File file;

private:
  void add(const Experiment &e, const SceneImage &image) {
    const Pixels &pixels = *image.pixels;
    const std::string suffix = suffixOf(result_, image);
    Group group;
    group.name = "image" + suffix;
    group.title = e.title + (image.alphaI > 0 ? ", " + titleOf(image) : "");
    group.attributes["SILX_style"] = R"({"signal_scale_type": "log"})";
    if (pixels.grazing())
      group.attributes["behind_the_sample"] = "alpha_f < 0: NaN, never computed";
    if (!pixels.remark().empty())
      group.attributes["grid"] = pixels.remark();
    const bool image2 = pixels.rows() > 1 && pixels.columns() > 1;
    const Shape shape =
        image2 ? Shape{pixels.rows(), pixels.columns()} : Shape{pixels.rows() * pixels.columns()};
    group.signals.push_back({"I", Element::Real, shape, result_.unit, label(), image2});
    std::vector<Numbers> axes;
    if (image2 || pixels.rows() > 1)
      addAxis(pixels.rowValues(), axes, group);
    if (image2 || pixels.rows() == 1)
      addAxis(pixels.columnValues(), axes, group);
    const auto beside = [&](const Beside &b) {
      for (const Numbers &axis : axes)
        if (axis.name == b.name)
          return;
      group.signals.push_back({b.name, Element::Real, shape, b.unit, b.what});
    };
    for (const Beside &b : qOfPixels)
      beside(b);
    if (pixels.geometry() != nullptr || pixels.grazing())
      for (const Beside &b : anglesOfPixels)
        beside(b);
    if (pixels.geometry() != nullptr)
      beside(solidAngle);
    if (pixels.grazing()) {
      angles_.push_back(image.alphaI);
      group.numbers.push_back({"alpha_i", {1}, &angles_.back(), "deg", "angle of incidence (deg)"});
    }
    images_[group.name] = &image;
    file.groups.push_back(group);
    if (image.amplitude.empty())
      return;
    Group amplitude;
    amplitude.name = "amplitude" + suffix;
    amplitude.title = group.title;
    amplitude.signals.push_back({result_.amplitudeName, Element::Complex, shape,
                                 result_.amplitudeUnit, result_.amplitudeName, image2});
    amplitude.axes = group.axes;
    amplitude.numbers = axes;
    images_[amplitude.name] = &image;
    file.groups.push_back(std::move(amplitude));
  }

  void add(const CutLine &cut) {
    Group group;
    group.name = cut.name;
    group.title = cut.title;
    group.attributes["SILX_style"] =
        R"({"axes_scale_types": ["linear", "log"], "signal_scale_type": "log"})";
    const Shape shape{static_cast<std::int64_t>(cut.at.size())};
    group.signals.push_back({"I", Element::Real, shape, result_.unit, label()});
    group.axes = {cut.along};
    group.numbers.push_back(
        {cut.along, shape, cut.at.data(), cut.unit, fmt::format("{} ({})", cut.along, cut.unit)});
    lines_[cut.name] = &cut;
    file.groups.push_back(std::move(group));
  }

  void addAxis(ImageAxis axis, std::vector<Numbers> &axes, Group &group) {
    axes_.push_back(std::move(axis));
    const ImageAxis &kept = axes_.back();
    group.axes.push_back(kept.name);
    axes.push_back({kept.name,
                    {static_cast<std::int64_t>(kept.values.size())},
                    kept.values.data(),
                    kept.unit,
                    fmt::format("{} ({})", kept.name, kept.unit)});
    group.numbers.push_back(axes.back());
  }

  std::string label() const {
    return result_.unit.empty() || result_.unit == "1"
               ? result_.quantity
               : fmt::format("{} ({})", result_.quantity, result_.unit);
  }

  static void fillBeside(const SceneImage &image, const Signal &signal, hid_t data) {
    const Beside *found = &solidAngle;
    for (const Beside &b : qOfPixels)
      found = signal.name == b.name ? &b : found;
    for (const Beside &b : anglesOfPixels)
      found = signal.name == b.name ? &b : found;
    const std::int64_t columns = image.pixels->columns(), n = elements(signal.shape);
    const std::int64_t fast = signal.shape.size() == 2 ? columns : 1;
    const std::int64_t step = std::max<std::int64_t>(1, block / fast) * fast;
    std::vector<double> values;
    for (std::int64_t begin = 0; begin < n; begin += step) {
      const std::int64_t end = std::min(begin + step, n);
      values.clear();
      for (std::int64_t i = begin; i < end; ++i)
        values.push_back(found->of(image.pixels->at(i / columns, i % columns)));
      Shape start(signal.shape.size(), 0), count = signal.shape;
      start[0] = begin / fast;
      count[0] = (end - begin) / fast;
      writeBox(data, signal, start, count, values.data());
    }
  }

  const SceneResult &result_;
  std::vector<ImageAxis> axes_;
  std::vector<double> angles_;
  std::map<std::string, const SceneImage *> images_;
  std::map<std::string, const CutLine *> lines_;
};

} // namespace

void writeSceneFile(const Experiment &experiment, const SceneResult &result,
                    const std::vector<CutLine> &cuts, const Process &process,
                    const std::string &path) {
  const Described described(experiment, result, cuts);
  std::int64_t bytes = 0;
  for (const Group &group : described.file.groups)
    for (const Signal &signal : group.signals)
      bytes += elements(signal.shape) * bytesOf(signal.element);
  h5::writeFile(path, bytes, [&](hid_t root) {
    layOut(root, described.file, Storage::Whole,
           [&](const Group &group, const Signal &signal, hid_t data) {
             described.fill(group, signal, data);
           });
    writeProcess(root, process);
  });
}

} // namespace facet::runtime
