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
      addComplex(entry, name, views);
    // Images before cuts.
    std::stable_partition(views.begin(), views.end(), [](const json &view) {
      return view["kind"] != "curve" || !view["name"].get<std::string>().starts_with("cut_");
    });
    return views;
  }

private:
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

  /// The complex signals of a group, those of an image that is small enough.
  void addComplex(const h5::Object &entry, const std::string &name, json &views) {
    const h5::Object group = entry.open(name);
    const std::string signal = group.attribute("signal");
    const std::vector<std::string> axes = group.attributes("axes");
    if (axes.size() != 2 || signal.empty() || !group.has(signal) || !group.open(signal).isComplex())
      return;
    std::vector<std::string> signals = group.attributes("auxiliary_signals");
    signals.insert(signals.begin(), signal);
    for (const std::string &one : signals)
      if (group.has(one) && group.open(one).isComplex() && group.has(axes[0]) && group.has(axes[1]))
        if (json view = complexImage(name, group, one, axes); !view.is_null())
          views.push_back(std::move(view));
  }

  json complexImage(const std::string &name, const h5::Object &group, const std::string &signal,
                    const std::vector<std::string> &axes) {
    const h5::Object data = group.open(signal), y = group.open(axes[0]), x = group.open(axes[1]);
    const h5::Shape shape = data.shape();
    if (shape.size() != 2 || nexus::elements(shape) > mostOfAll || nexus::elements(shape) == 0 ||
        y.shape() != h5::Shape{shape[0]} || x.shape() != h5::Shape{shape[1]})
      return nullptr;
    std::vector<std::complex<double>> values(static_cast<std::size_t>(nexus::elements(shape)));
    data.read({0, 0}, shape, values.data(), h5::complexType());
    const std::vector<bool> there = result_.computed("/entry/" + name + "/" + signal, shape);
    for (std::size_t k = 0; k < there.size(); ++k)
      if (!there[k])
        values[k] = {blank, blank};
    const std::string unit = data.attribute("units");
    json view = {{"kind", "F"},
                 {"name", name},
                 {"title", group.text("title")},
                 {"quantity", signal},
                 {"unit", unit == "arbitrary" ? "" : unit},
                 {"grid", "image"},
                 {"steps", {""}},
                 {"real", {false}},
                 {"shape", {1, shape[0], shape[1]}},
                 {"axes",
                  {axisOf({"", "", {0}}), axisOf({axes[0], y.attribute("units"), y.doubles()}),
                   axisOf({axes[1], x.attribute("units"), x.doubles()})}}};
    view["values"] = blobs_.add(values);
    return view;
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
