// nxcansas.cpp - a curve as NXcanSAS 1.1, which SasView, silx, h5web and DAWN read.
//
// Layout: manual.nexusformat.org/classes/applications/NXcanSAS.html. I_axes and Q_indices are for
// canSAS, axes for NeXus plots; Idev lies there as I_errors, too, where h5web looks for errors.
#include "runtime/output/hdf5/lay_out.h"
#include <facet/runtime/curve.h>
#include <facet/runtime/error.h>

namespace facet::runtime {

namespace {
using namespace nexus;

/// Points into the curve.
File describe(const Curve &curve) {
  const std::string unit = curve.unit.empty() ? "arbitrary" : curve.unit;
  const Shape shape{static_cast<std::int64_t>(curve.q.size())};
  const auto list = [&](const char *name, const std::vector<double> &values,
                        const std::string &what, const std::string &of) {
    return Numbers{name, shape, values.data(), of, what + " (" + of + ")"};
  };
  Group data;
  data.name = "sasdata";
  data.title = curve.title.empty() ? curve.quantity : curve.title;
  data.attributes = {{"canSAS_class", "SASdata"},
                     {"I_axes", "Q"},
                     {"SILX_style",
                      R"({"axes_scale_types": ["log", "log"], "axes_scale_type": "log", )"
                      R"("signal_scale_type": "log"})"}};
  data.signals = {{"I", Element::Real, shape, unit, curve.quantity + " (" + unit + ")"}};
  data.signals[0].values = curve.intensity.data();
  data.axes = {"Q"};
  data.numbers = {list("Q", curve.q, "q", "1/nm")};
  if (!curve.deviation.empty()) {
    data.signals[0].uncertainties = "Idev";
    data.numbers.push_back(
        list("Idev", curve.deviation, "estimated error of " + curve.quantity, unit));
    data.links = {{"sasdata/Idev", "I_errors"}};
  }
  return {curve.title, "sasdata", {std::move(data)}, true};
}

void writeDirections(hid_t root, const std::vector<std::int64_t> &directions) {
  const h5::Handle process(h5::must(H5Gopen2(root, "entry/process", H5P_DEFAULT)), H5Gclose);
  h5::attribute(h5::writeAll(process, "directions", H5T_NATIVE_INT64,
                             {static_cast<std::int64_t>(directions.size())}, directions.data()),
                "long_name", "directions of q averaged over");
}
} // namespace

void writeNxcansas(const Curve &curve, const std::string &path) {
  const auto fits = [&](std::size_t size) { return size == 0 || size == curve.q.size(); };
  if (curve.q.empty() || curve.intensity.size() != curve.q.size() ||
      !fits(curve.deviation.size()) || !fits(curve.directions.size()))
    throw Error(path, "the curve's lists are empty or of unequal length", "", Exit::Failed);
  h5::writeFile(path, static_cast<std::int64_t>(32 * curve.q.size()), [&](hid_t root) {
    layOut(root, describe(curve), Storage::Whole, {});
    writeProcess(root, {curve.provenance, curve.numbers, curve.experiment});
    if (!curve.directions.empty())
      writeDirections(root, curve.directions);
  });
}

} // namespace facet::runtime
