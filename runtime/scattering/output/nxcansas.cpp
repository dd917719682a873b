// nxcansas.cpp - a curve as NXcanSAS 1.1.
//
// manual.nexusformat.org/classes/applications/NXcanSAS.html. SasView, silx, h5web and DAWN read it.
// I_axes and Q_indices are for canSAS, axes for NeXus plots; Idev lies there as I_errors, too,
// where h5web looks for errors.
#include "runtime/scattering/output/nxcansas.h"
#include "runtime/engine/store/lay_out.h"
#include <facet/runtime/error.h>

namespace facet::runtime {
using namespace nexus;

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

void writeNxcansas(const Curve &curve, const std::string &path) {
  const auto fits = [&](std::size_t size) { return size == 0 || size == curve.q.size(); };
  if (curve.q.empty() || curve.intensity.size() != curve.q.size() ||
      !fits(curve.deviation.size()) || !fits(curve.directions.size()))
    throw Error(path, "the curve's lists are empty or of unequal length", "", Exit::Failed);
  writeFile(path, describe(curve),
            {curve.provenance, curve.numbers, curve.experiment, curve.directions});
}

} // namespace facet::runtime
