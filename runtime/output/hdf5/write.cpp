// write.cpp - results described and written: F and |F|^2 on a grid, and a curve as NXcanSAS 1.1.
//
// NXcanSAS: manual.nexusformat.org/classes/applications/NXcanSAS.html. SasView, silx, h5web and
// DAWN read it. I_axes and Q_indices are for canSAS, axes for NeXus plots; Idev lies there as
// I_errors, too, where h5web looks for errors.
#include "runtime/output/hdf5/lay_out.h"
#include <algorithm>
#include <facet/runtime/curve.h>
#include <facet/runtime/error.h>

namespace facet::runtime {

namespace {
using namespace nexus;

/// |F|^2 in blocks, in the order of the picture, so that no second array of the size of F is
/// needed. `step`: of a sweep.
void writeIntensity(hid_t data, const Signal &signal, const Output &output,
                    const PictureLayout &layout, std::int64_t step) {
  bool image = layout.view == View::Image;
  const std::size_t first = output.sweep != nullptr ? 1 : 0; // dimension of the picture
  const std::int64_t before = step * output.grid->size();
  std::int64_t slow = signal.shape[first], fast = output.grid->size() / slow;
  std::int64_t block =
      std::clamp<std::int64_t>((1 << 20) / std::max<std::int64_t>(fast, 1), 1, slow);
  std::vector<double> values;
  for (std::int64_t begin = 0; begin < slow; begin += block) {
    std::int64_t rows = std::min(block, slow - begin);
    values.resize(static_cast<std::size_t>(rows * fast));
    for (std::int64_t i = 0; i < rows * fast; ++i) {
      std::int64_t flat = image ? layout.index(begin + i / fast, i % fast) : begin * fast + i;
      values[static_cast<std::size_t>(i)] =
          std::norm((*output.f)[static_cast<std::size_t>(before + flat)]);
    }
    Shape start(signal.shape.size(), 0), count = signal.shape;
    start[0] = step;
    count[0] = 1;
    start[first] = begin;
    count[first] = rows;
    writeBox(data, signal, start, count, values.data());
  }
}
} // namespace

void writeHdf5(const Output &output, const std::string &path) {
  const std::int64_t steps =
      output.sweep != nullptr ? static_cast<std::int64_t>(output.sweep->values.size()) : 1;
  if (static_cast<std::int64_t>(output.f->size()) != steps * output.grid->size())
    throw Error(path,
                "F has " + std::to_string(output.f->size()) + " values for " +
                    std::to_string(steps * output.grid->size()) + " q",
                "", Exit::Failed);
  check(*output.grid);
  bool points = output.grid->kind == Grid::Kind::Points;
  std::int64_t bytes = (24 * steps + (points ? 48 : 0)) * output.grid->size();
  const GridFile described = describe(*output.grid, output.title, output.unit, output.sweep);
  h5::writeFile(path, bytes, [&](hid_t root) {
    layOut(root, described.file, Storage::Whole, [&](const Group &, const Signal &s, hid_t data) {
      if (s.element == Element::Complex)
        writeBox(data, s, Shape(s.shape.size(), 0), s.shape, output.f->data());
      else
        for (std::int64_t step = 0; step < steps; ++step)
          writeIntensity(data, s, output, described.layout, step);
    });
    writeProcess(root, {output.provenance, output.numbers, output.experiment});
  });
}

using namespace nexus;

File nexus::describe(const Curve &curve) {
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

void writeNxcansas(const Curve &curve, const std::string &path) {
  const auto fits = [&](std::size_t size) { return size == 0 || size == curve.q.size(); };
  if (curve.q.empty() || curve.intensity.size() != curve.q.size() ||
      !fits(curve.deviation.size()) || !fits(curve.directions.size()))
    throw Error(path, "the curve's lists are empty or of unequal length", "", Exit::Failed);
  h5::writeFile(path, 32 * std::ssize(curve.q), [&](hid_t root) {
    layOut(root, describe(curve), Storage::Whole, {});
    writeProcess(root, {curve.provenance, curve.numbers, curve.experiment, curve.directions});
  });
}

} // namespace facet::runtime
