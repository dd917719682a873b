// lay_out.cpp - groups, attributes and datasets of a described result file.
#include "runtime/output/hdf5/lay_out.h"
#include <algorithm>

namespace facet::runtime::nexus {

namespace {
using Extents = std::vector<hsize_t>;

Extents extents(const Shape &shape) { return {shape.begin(), shape.end()}; }

h5::Handle creation(Storage storage, const Shape &shape) {
  h5::Handle list = h5::datasetProperties();
  if (storage == Storage::Early) {
    h5::must(H5Pset_layout(list, H5D_CONTIGUOUS));
    h5::must(H5Pset_alloc_time(list, H5D_ALLOC_TIME_EARLY));
    h5::must(H5Pset_fill_time(list, H5D_FILL_TIME_NEVER));
  } else if (storage == Storage::Compressed) {
    h5::must(H5Pset_chunk(list, static_cast<int>(shape.size()), extents(chunkOf(shape)).data()));
    h5::must(H5Pset_shuffle(list));
    h5::must(H5Pset_deflate(list, 4));
  }
  return list;
}

void makeSignal(hid_t group, const Group &in, const Signal &signal, Storage storage,
                const Fill &fill) {
  h5::Handle space(h5::must(H5Screate_simple(static_cast<int>(signal.shape.size()),
                                             extents(signal.shape).data(), nullptr)),
                   H5Sclose);
  h5::Handle data(h5::must(H5Dcreate2(group, signal.name.c_str(), typeOf(signal.element), space,
                                      H5P_DEFAULT, creation(storage, signal.shape), H5P_DEFAULT)),
                  H5Dclose);
  h5::attribute(data, "long_name", signal.longName);
  h5::attribute(data, "units", signal.unit.empty() ? "arbitrary" : signal.unit);
  if (signal.image)
    h5::attribute(data, "interpretation", "image");
  if (!signal.uncertainties.empty())
    h5::attribute(data, "uncertainties", signal.uncertainties);
  fill(in, signal, data);
}

/// Numbers that nobody holds, in blocks of whole rows.
void makeNumbers(hid_t group, const Numbers &numbers, Storage storage) {
  constexpr std::int64_t block = 1 << 18;
  const h5::Handle space(h5::must(H5Screate_simple(static_cast<int>(numbers.shape.size()),
                                                   extents(numbers.shape).data(), nullptr)),
                         H5Sclose);
  const h5::Handle data(
      h5::must(H5Dcreate2(group, numbers.name.c_str(), H5T_NATIVE_DOUBLE, space, H5P_DEFAULT,
                          creation(storage, numbers.shape), H5P_DEFAULT)),
      H5Dclose);
  const std::int64_t slow = numbers.shape[0], fast = elements(numbers.shape) / slow;
  const std::int64_t step = std::max<std::int64_t>(1, block / fast);
  std::vector<double> values;
  Shape begin(numbers.shape.size(), 0), count = numbers.shape;
  for (begin[0] = 0; begin[0] < slow; begin[0] += step) {
    count[0] = std::min(step, slow - begin[0]);
    values.resize(static_cast<std::size_t>(count[0] * fast));
    numbers.make(begin[0] * fast, count[0] * fast, values.data());
    writeBox(data, {}, begin, count, values.data());
  }
}

void writeNumbers(hid_t group, const Numbers &numbers, Storage storage) {
  if (numbers.values == nullptr)
    makeNumbers(group, numbers, storage);
  else
    h5::writeDoubles(group, numbers.name, extents(numbers.shape), numbers.values);
  h5::Handle data(h5::must(H5Dopen2(group, numbers.name.c_str(), H5P_DEFAULT)), H5Dclose);
  h5::attribute(data, "units", numbers.unit);
  h5::attribute(data, "long_name", numbers.longName);
}

void makeLink(hid_t entry, hid_t group, const Link &link) {
  if (link.uncertainties.empty()) {
    h5::must(H5Lcreate_hard(entry, link.target.c_str(), group, link.name.c_str(), H5P_DEFAULT,
                            H5P_DEFAULT));
    return;
  }
  const h5::Handle target(h5::must(H5Dopen2(entry, link.target.c_str(), H5P_DEFAULT)), H5Dclose);
  const h5::Handle space(h5::must(H5Dget_space(target)), H5Sclose),
      type(h5::must(H5Dget_type(target)), H5Tclose);
  const h5::Handle list = h5::datasetProperties();
  h5::must(H5Pset_virtual(list, space, ".", ("/entry/" + link.target).c_str(), space));
  const h5::Handle data(
      h5::must(H5Dcreate2(group, link.name.c_str(), type, space, H5P_DEFAULT, list, H5P_DEFAULT)),
      H5Dclose);
  for (const char *name : {"long_name", "units", "interpretation"})
    if (const std::string text = h5::stringAttribute(target, name); !text.empty())
      h5::attribute(data, name, text);
  h5::attribute(data, "uncertainties", link.uncertainties);
}

void makeGroup(hid_t entry, const Group &description, Storage storage, const Fill &fill) {
  h5::Handle group = h5::makeGroup(entry, description.name, "NXdata");
  for (const auto &[name, text] : description.attributes)
    h5::attribute(group, name, text);
  h5::attribute(group, "signal",
                description.signals.empty() ? description.links.at(0).name
                                            : description.signals[0].name);
  if (!description.axes.empty())
    h5::attribute(group, "axes", description.axes);
  for (const auto &[name, texts] : description.lists)
    h5::attribute(group, name, texts);
  for (const auto &[name, numbers] : description.indices)
    h5::attribute(group, name, numbers);
  for (std::size_t k = 0; k < description.axes.size(); ++k)
    if (description.axes[k] != ".")
      h5::attribute(group, description.axes[k] + "_indices", static_cast<int>(k));
  h5::writeString(group, "title", description.title);
  for (const auto &signal : description.signals)
    makeSignal(group, description, signal, storage, fill);
  for (const auto &numbers : description.numbers)
    writeNumbers(group, numbers, storage);
  for (const auto &link : description.links)
    makeLink(entry, group, link);
}
} // namespace

Shape chunkOf(const Shape &shape) {
  Shape chunk(shape.size());
  std::int64_t left = std::int64_t{1} << 16;
  for (std::size_t k = shape.size(); k-- > 0;) {
    chunk[k] = std::clamp<std::int64_t>(left, 1, shape[k]);
    left /= chunk[k];
  }
  return chunk;
}

h5::Handle typeOf(Element element) {
  if (element == Element::Real)
    return {h5::must(H5Tcopy(H5T_NATIVE_DOUBLE)), H5Tclose};
  h5::Handle type(h5::must(H5Tcreate(H5T_COMPOUND, 16)), H5Tclose);
  h5::must(H5Tinsert(type, "r", 0, H5T_NATIVE_DOUBLE));
  h5::must(H5Tinsert(type, "i", 8, H5T_NATIVE_DOUBLE));
  return type;
}

void layOut(hid_t root, const File &file, Storage storage, const Fill &fill) {
  h5::attribute(root, "NX_class", "NXroot");
  h5::attribute(root, "default", "entry");
  h5::attribute(root, "creator", "facet");
  h5::Handle entry = h5::makeGroup(root, "entry", "NXentry");
  h5::attribute(entry, "default", file.plot);
  h5::writeString(entry, "title", file.title);
  if (file.canSas) { // manual.nexusformat.org/classes/applications/NXcanSAS.html
    h5::attribute(entry, "canSAS_class", "SASentry");
    h5::attribute(entry, "version", "1.1");
    h5::writeString(entry, "definition", "NXcanSAS");
    h5::writeString(entry, "run", "facet");
  }
  for (const auto &group : file.groups)
    makeGroup(entry, group, storage, fill);
}

void writeProcess(hid_t root, const Process &process) {
  h5::Handle entry(h5::must(H5Gopen2(root, "entry", H5P_DEFAULT)), H5Gclose);
  h5::Handle group = h5::makeGroup(entry, "process", "NXprocess");
  if (H5Aexists(entry, "canSAS_class") > 0)
    h5::attribute(group, "canSAS_class", "SASprocess");
  h5::writeString(group, "program", "facet");
  for (const auto &[name, text] : process.provenance)
    h5::attribute(group, name, text);
  for (const auto &[name, value] : process.numbers)
    h5::attribute(group, name, value);
  if (!process.experiment.empty())
    h5::writeString(group, "experiment", process.experiment);
}

void writeBox(hid_t dataset, const Signal &signal, const Shape &begin, const Shape &count,
              const void *values) {
  Extents start = extents(begin), size = extents(count);
  h5::Handle file(h5::must(H5Dget_space(dataset)), H5Sclose);
  h5::must(H5Sselect_hyperslab(file, H5S_SELECT_SET, start.data(), nullptr, size.data(), nullptr));
  h5::Handle memory(h5::must(H5Screate_simple(static_cast<int>(size.size()), size.data(), nullptr)),
                    H5Sclose);
  h5::must(H5Dwrite(dataset, typeOf(signal.element), memory, file, H5P_DEFAULT, values));
}

} // namespace facet::runtime::nexus
