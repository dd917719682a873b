// nxcansas.cpp - a curve as NXcanSAS 1.1, which SasView, silx, h5web and DAWN read.
//
// Layout: manual.nexusformat.org/classes/applications/NXcanSAS.html. I_axes and Q_indices are for
// canSAS, axes for NeXus plots; Idev lies there as I_errors, too, where h5web looks for errors.
#include "runtime/files/hdf5.h"
#include <facet/runtime/curve.h>
#include <facet/runtime/error.h>

namespace facet::runtime {

namespace {
/// A list of numbers with what it is and its unit.
h5::Handle writeList(hid_t group, const char *name, const std::vector<double> &values,
                     const std::string &what, const std::string &unit) {
  h5::writeDoubles(group, name, {values.size()}, values.data());
  h5::Handle data(h5::must(H5Dopen2(group, name, H5P_DEFAULT)), H5Dclose);
  h5::attribute(data, "units", unit);
  h5::attribute(data, "long_name", what + " (" + unit + ")");
  return data;
}

void writeData(hid_t entry, const Curve &curve) {
  const std::string unit = curve.unit.empty() ? "arbitrary" : curve.unit;
  h5::Handle data = h5::makeGroup(entry, "sasdata", "NXdata");
  h5::attribute(data, "canSAS_class", "SASdata");
  h5::attribute(data, "signal", "I");
  h5::attribute(data, "axes", "Q");
  h5::attribute(data, "I_axes", "Q");
  h5::attribute(data, "Q_indices", 0);
  h5::attribute(data, "SILX_style",
                R"({"axes_scale_types": ["log", "log"], "axes_scale_type": "log", )"
                R"("signal_scale_type": "log"})");
  h5::writeString(data, "title", curve.title.empty() ? curve.quantity : curve.title);
  writeList(data, "Q", curve.q, "q", "1/nm");
  const h5::Handle intensity = writeList(data, "I", curve.intensity, curve.quantity, unit);
  if (!curve.deviation.empty()) {
    h5::attribute(intensity, "uncertainties", "Idev");
    writeList(data, "Idev", curve.deviation, "estimated error of " + curve.quantity, unit);
    h5::must(H5Lcreate_hard(data, "Idev", data, "I_errors", H5P_DEFAULT, H5P_DEFAULT));
  }
}

void writeProcess(hid_t entry, const Curve &curve) {
  h5::Handle process = h5::makeGroup(entry, "process", "NXprocess");
  h5::attribute(process, "canSAS_class", "SASprocess");
  h5::writeString(process, "program", "facet");
  for (const auto &[name, text] : curve.provenance)
    h5::attribute(process, name, text);
  for (const auto &[name, value] : curve.numbers)
    h5::attribute(process, name, value);
  if (!curve.experiment.empty())
    h5::writeString(process, "experiment", curve.experiment);
  if (!curve.directions.empty()) {
    const h5::Handle data =
        h5::makeDataset(process, "directions", H5T_NATIVE_INT64, {curve.directions.size()});
    h5::must(
        H5Dwrite(data, H5T_NATIVE_INT64, H5S_ALL, H5S_ALL, H5P_DEFAULT, curve.directions.data()));
    h5::attribute(data, "long_name", "directions of q averaged over");
  }
}

void fill(hid_t root, const Curve &curve) {
  h5::attribute(root, "NX_class", "NXroot");
  h5::attribute(root, "default", "entry");
  h5::attribute(root, "creator", "facet");
  h5::Handle entry = h5::makeGroup(root, "entry", "NXentry");
  h5::attribute(entry, "default", "sasdata");
  h5::attribute(entry, "canSAS_class", "SASentry");
  h5::attribute(entry, "version", "1.1");
  h5::writeString(entry, "definition", "NXcanSAS");
  h5::writeString(entry, "title", curve.title);
  h5::writeString(entry, "run", curve.run);
  writeData(entry, curve);
  writeProcess(entry, curve);
}
} // namespace

void writeNxcansas(const Curve &curve, const std::string &path) {
  const auto fits = [&](std::size_t size) { return size == 0 || size == curve.q.size(); };
  if (curve.q.empty() || curve.intensity.size() != curve.q.size() ||
      !fits(curve.deviation.size()) || !fits(curve.directions.size()))
    throw Error(path, "the curve's lists are empty or of unequal length", "", Exit::Failed);
  h5::writeFile(path, static_cast<std::int64_t>(32 * curve.q.size()),
                [&](hid_t root) { fill(root, curve); });
}

} // namespace facet::runtime
