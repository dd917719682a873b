// views.cpp - images, curves and complex images of a result as data of a page.
#include "runtime/app/page/report/parts.h"
#include "runtime/app/page/report/report.h"
#include "runtime/engine/store/data_file.h"
#include <algorithm>
#include <cmath>
#include <complex>
#include <facet/runtime/error.h>
#include <facet/runtime/experiment.h>
#include <filesystem>
#include <limits>

namespace facet::page {

using nlohmann::json;
using namespace runtime;

namespace {

constexpr std::int64_t mostOfALine = 100000; // points of a curve
constexpr double blank = std::numeric_limits<double>::quiet_NaN();

json axisOf(const DataAxis &axis, std::int64_t step = 1) {
  return {{"name", axis.name},
          {"unit", axis.unit},
          {"values", step == 1 ? axis.values : thinned(axis.values, step)}};
}

class Views {
public:
  Views(const ResultFile &result, Blobs &blobs)
      : result_(result), blobs_(blobs), file_(result.file) {
    try {
      const Experiment e = readExperimentText(
          file_.experiment(), std::filesystem::path(result.path).filename().string());
      if (e.detector)
        mask_ = e.detector->mask;
    } catch (const Error &) { // sceneOf() says why
    }
  }

  json all() {
    json views = json::array();
    for (const DataGroup &group : file_.groups())
      views.push_back(group.rows() > 1 ? image(group) : curve(group));
    const h5::Object entry = h5::Object(result_.file).open("entry");
    for (const std::string &name : entry.names())
      if (json view = complexImages(name, entry.open(name)); !view.is_null())
        views.push_back(std::move(view));
    std::stable_sort(views.begin(), views.end(),
                     [](const json &a, const json &b) { return rankOf(a) < rankOf(b); });
    return views;
  }

private:
  /// What one looks at first: images, what stands beside them, cuts, amplitudes.
  static int rankOf(const json &view) {
    const auto name = view["name"].get<std::string>();
    if (name.starts_with("image") || name.starts_with("sasdata"))
      return 0;
    return view["kind"] == "F" ? 3 : name.starts_with("cut_") ? 2 : 1;
  }

  static std::string where(const DataGroup &group, const std::string &dataset) {
    return "/entry/" + group.name + "/" + dataset;
  }

  json image(const DataGroup &group) {
    CoarseImage small = file_.read(group, group.signal, mostOfASide);
    const bool without = hasHorizon(group.name);
    json view = {{"kind", "image"},
                 {"name", group.name},
                 {"title", group.title},
                 {"quantity", group.quantity},
                 {"unit", group.unit},
                 {"of", {group.rows(), group.columns()}},
                 {"step", {small.rowStep, small.columnStep}},
                 {"rows", small.rows},
                 {"columns", small.columns},
                 {"y", axisOf(group.axes[0], small.rowStep)},
                 {"x", axisOf(group.axes[1], small.columnStep)},
                 {"without", without ? "behind the sample" : "no number"}};
    view["state"] = statesOf(group, small);
    view["values"] = blobs_.add(small.values);
    if (const auto alphaI = file_.number(group, "alpha_i"))
      view["alpha_i"] = *alphaI;
    return view;
  }

  bool hasHorizon(const std::string &group) const {
    const h5::Object entry = h5::Object(result_.file).open("entry/" + group);
    return !entry.attribute("behind_the_sample").empty();
  }

  /// Why pixels of a smaller image have no number, and those that are not computed get none; null
  /// if all have one.
  json statesOf(const DataGroup &group, CoarseImage &image) {
    const std::vector<bool> there = result_.computed(where(group, group.signal), group.shape);
    const bool masks = mask_ && mask_->rows == group.rows() && mask_->columns == group.columns();
    std::vector<PixelState> states(image.values.size(), PixelState::Good);
    for (std::int64_t r = 0; r < image.rows; ++r)
      for (std::int64_t c = 0; c < image.columns; ++c) {
        const auto at = static_cast<std::size_t>(r * image.columns + c);
        const auto first =
            static_cast<std::size_t>(r * image.rowStep * group.columns() + c * image.columnStep);
        if (!there.empty() && !there[first])
          states[at] = PixelState::Missing, image.values[at] = blank;
        else if (!std::isfinite(image.values[at]))
          states[at] = masks && mask_->bad[first] ? PixelState::Masked : PixelState::Without;
      }
    if (std::ranges::all_of(states, [](PixelState s) { return s == PixelState::Good; }))
      return nullptr;
    return blobs_.add(states);
  }

  json curve(const DataGroup &group) {
    CoarseImage line = file_.read(group, group.signal, mostOfALine);
    const std::vector<bool> there = result_.computed(where(group, group.signal), group.shape);
    if (std::ranges::find(there, false) != there.end())
      std::fill(line.values.begin(), line.values.end(), blank); // a curve is made of all units
    const bool canSas = group.name.starts_with("sasdata");
    json view = {{"kind", "curve"},         {"name", group.name},
                 {"title", group.title},    {"quantity", group.quantity},
                 {"unit", group.unit},      {"of", group.columns()},
                 {"step", line.columnStep}, {"x", axisOf(group.axes[0], line.columnStep)},
                 {"logX", canSas},          {"values", line.values}};
    if (!group.errors.empty() && result_.isFinished)
      view["errors"] = file_.read(group, group.errors, mostOfALine).values;
    return view;
  }

  /// The complex datasets of a group that are images, the signal first; null if there are none, or
  /// they are too large.
  json complexImages(const std::string &name, const h5::Object &group) {
    const std::string signal = group.attribute("signal");
    const std::vector<std::string> axes = group.attributes("axes");
    if (axes.size() != 2 || signal.empty() || !group.has(signal) || !group.has(axes[0]) ||
        !group.has(axes[1]) || !group.open(signal).isComplex())
      return nullptr;
    const h5::Object data = group.open(signal), y = group.open(axes[0]), x = group.open(axes[1]);
    const h5::Shape shape = data.shape();
    std::vector<std::string> signals = group.names();
    std::erase_if(signals, [&](const std::string &one) {
      return one == signal || !group.open(one).isComplex() || group.open(one).shape() != shape;
    });
    signals.insert(signals.begin(), signal);
    const auto all = static_cast<std::int64_t>(signals.size()) * nexus::elements(shape);
    if (shape.size() != 2 || all > mostOfAll || all == 0 || y.shape() != h5::Shape{shape[0]} ||
        x.shape() != h5::Shape{shape[1]})
      return nullptr;
    const std::string unit = data.attribute("units");
    json view = {{"kind", "F"},
                 {"name", name},
                 {"title", group.text("title")},
                 {"quantity", signal},
                 {"unit", unit == "arbitrary" ? "" : unit},
                 {"grid", "image"},
                 {"steps", signals},
                 {"real", std::vector<bool>(signals.size(), false)},
                 {"shape", {1, shape[0], shape[1]}}};
    view["missing"] = !result_.isFinished;
    view["axes"] = {axisOf({"", "", {0}}), axisOf({axes[0], y.attribute("units"), y.doubles()}),
                    axisOf({axes[1], x.attribute("units"), x.doubles()})};
    view["values"] = complexValues(name, group, signals, shape);
    return view;
  }

  std::string complexValues(const std::string &name, const h5::Object &group,
                            const std::vector<std::string> &signals, const h5::Shape &shape) {
    const auto size = static_cast<std::size_t>(nexus::elements(shape));
    std::vector<std::complex<double>> values(signals.size() * size);
    for (std::size_t s = 0; s < signals.size(); ++s) {
      const auto to = values.begin() + static_cast<std::ptrdiff_t>(s * size);
      group.open(signals[s]).read({0, 0}, shape, &*to, h5::complexType());
      const auto there = result_.computed("/entry/" + name + "/" + signals[s], shape);
      for (std::size_t k = 0; k < there.size(); ++k)
        if (!there[k])
          values[s * size + k] = {blank, blank};
    }
    return blobs_.add(values);
  }

  const ResultFile &result_;
  Blobs &blobs_;
  DataFile file_;
  std::shared_ptr<const PixelMask> mask_;
};

} // namespace

json viewsOf(const ResultFile &result, Blobs &blobs) {
  if (holdsF(result.file))
    return json::array({gridView(result, blobs)});
  return Views(result, blobs).all();
}

} // namespace facet::page
