// lay_out.cpp - groups, attributes and datasets of a described result file.
#include "runtime/engine/store/lay_out.h"
#include <algorithm>
#include <facet/runtime/error.h>

namespace facet::runtime::nexus {

namespace {
constexpr std::int64_t chunkElements = 1 << 16; // of Storage::Compressed

/// The extents of a piece that lies side by side.
Shape pieceOf(const Shape &shape, std::int64_t most) {
  Shape piece(shape.size());
  for (std::size_t k = shape.size(); k-- > 0;) {
    piece[k] = std::clamp<std::int64_t>(most, 1, shape[k]);
    most /= piece[k];
  }
  return piece;
}

h5::Handle creation(Storage storage, const Shape &shape) {
  h5::Handle list = h5::datasetProperties();
  if (storage == Storage::Early) {
    h5::must(H5Pset_layout(list, H5D_CONTIGUOUS));
    h5::must(H5Pset_alloc_time(list, H5D_ALLOC_TIME_EARLY));
    h5::must(H5Pset_fill_time(list, H5D_FILL_TIME_NEVER));
  } else if (storage == Storage::Compressed) {
    const Shape chunk = pieceOf(shape, chunkElements);
    const std::vector<hsize_t> extents(chunk.begin(), chunk.end());
    h5::must(H5Pset_chunk(list, static_cast<int>(extents.size()), extents.data()));
    h5::must(H5Pset_shuffle(list));
    h5::must(H5Pset_deflate(list, 4));
  }
  return list;
}

h5::Handle typeOf(Element element) {
  return element == Element::Complex ? h5::complexType()
                                     : h5::Handle(H5Tcopy(H5T_NATIVE_DOUBLE), H5Tclose);
}

void label(hid_t data, const Signal &signal, const std::string &uncertainties) {
  h5::attribute(data, "long_name", signal.longName);
  h5::attribute(data, "units", signal.unit.empty() ? "arbitrary" : signal.unit);
  if (signal.image)
    h5::attribute(data, "interpretation", "image");
  if (!uncertainties.empty())
    h5::attribute(data, "uncertainties", uncertainties);
}

/// Calls with (begin, end, count) of each piece of a dataset, in order. A piece lies side by side
/// and has at most so many elements: whole fast axes if they fit.
void eachPiece(const Shape &shape, std::int64_t most,
               const std::function<void(const Shape &, const Shape &, const Shape &)> &call) {
  const Shape piece = pieceOf(shape, most);
  Shape begin(shape.size(), 0), end = piece, count = piece;
  for (bool more = true; more;) {
    for (std::size_t k = 0; k < shape.size(); ++k) {
      count[k] = std::min(piece[k], shape[k] - begin[k]);
      end[k] = begin[k] + count[k];
    }
    call(begin, end, count);
    more = false;
    for (std::size_t k = shape.size(); k-- > 0 && !more;) {
      more = (begin[k] += piece[k]) < shape[k];
      if (!more)
        begin[k] = 0;
    }
  }
}

/// Writes numbers that nobody holds, piece by piece.
void writeMade(hid_t data, const Shape &shape, const Make &make) {
  constexpr std::int64_t most = 1 << 18;
  std::vector<double> values;
  eachPiece(shape, most, [&](const Shape &begin, const Shape &, const Shape &count) {
    values.resize(static_cast<std::size_t>(elements(count)));
    make(flat(shape, begin), std::ssize(values), values.data());
    h5::writeBox(data, H5T_NATIVE_DOUBLE, begin, count, values.data());
  });
}

void makeSignal(hid_t group, const Group &in, const Signal &signal, Storage storage,
                const Fill &fill) {
  const h5::Handle data = h5::makeDataset(group, signal.name, typeOf(signal.element), signal.shape,
                                          creation(storage, signal.shape));
  label(data, signal, signal.uncertainties);
  if (signal.values != nullptr)
    writeBox(data, signal, Shape(signal.shape.size(), 0), signal.shape, signal.values);
  else if (signal.make)
    writeMade(data, signal.shape, signal.make);
  else
    fill(in, signal, data);
}

void makeNumbers(hid_t group, const Numbers &numbers, Storage storage) {
  const bool held = numbers.values != nullptr;
  const h5::Handle data =
      h5::makeDataset(group, numbers.name, H5T_NATIVE_DOUBLE, numbers.shape,
                      held ? h5::datasetProperties() : creation(storage, numbers.shape));
  if (held)
    h5::must(H5Dwrite(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.values));
  else
    writeMade(data, numbers.shape, numbers.make);
  h5::attribute(data, "units", numbers.unit);
  h5::attribute(data, "long_name", numbers.longName);
}

const Signal &signalOf(const File &file, const std::string &target) {
  for (const Group &group : file.groups)
    for (const Signal &signal : group.signals)
      if (group.name + "/" + signal.name == target)
        return signal;
  throw Error(target, "there is no such signal to link", "", Exit::Failed);
}

void makeLink(hid_t entry, hid_t group, const Link &link, const File &file) {
  if (link.uncertainties.empty()) {
    h5::must(H5Lcreate_hard(entry, link.target.c_str(), group, link.name.c_str(), H5P_DEFAULT,
                            H5P_DEFAULT));
    return;
  }
  const Signal &target = signalOf(file, link.target);
  const h5::Handle list = h5::datasetProperties(), space = h5::spaceOf(target.shape);
  h5::must(H5Pset_virtual(list, space, ".", ("/entry/" + link.target).c_str(), space));
  label(h5::makeDataset(group, link.name, typeOf(target.element), target.shape, list), target,
        link.uncertainties);
}

void makeGroup(hid_t entry, const Group &description, const File &file, Storage storage,
               const Fill &fill) {
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
    makeNumbers(group, numbers, storage);
  for (const auto &link : description.links)
    makeLink(entry, group, link, file);
}
} // namespace

void eachChunk(const Shape &shape,
               const std::function<void(const Shape &, const Shape &, const Shape &)> &call) {
  eachPiece(shape, chunkElements, call);
}

void writeBox(hid_t dataset, const Signal &signal, const Shape &begin, const Shape &count,
              const void *values) {
  h5::writeBox(dataset, typeOf(signal.element), begin, count, values);
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
    makeGroup(entry, group, file, storage, fill);
}

namespace {
/// Writes numbers beside a signal, in place of those that an earlier attempt has left.
void writeBeside(hid_t group, const std::string &name, hid_t type, const Shape &shape,
                 const void *values, const std::string &unit, const std::string &longName) {
  if (H5Lexists(group, name.c_str(), H5P_DEFAULT) > 0)
    h5::must(H5Ldelete(group, name.c_str(), H5P_DEFAULT));
  const h5::Handle data = h5::writeAll(group, name, type, shape, values);
  h5::attribute(data, "units", unit.empty() ? "arbitrary" : unit);
  h5::attribute(data, "long_name", longName);
}

void writeReduced(hid_t entry, const Reduction &made) {
  const h5::Handle group(h5::must(H5Gopen2(entry, made.group.c_str(), H5P_DEFAULT)), H5Gclose);
  if (!made.total.empty()) {
    std::vector<double> real;
    for (const std::complex<double> &one : made.total)
      real.push_back(one.real());
    const void *values =
        made.isComplex ? static_cast<const void *>(made.total.data()) : real.data();
    writeBeside(group, "total", typeOf(made.isComplex ? Element::Complex : Element::Real),
                made.totalShape, values, made.unit, made.totalLabel);
  }
  if (made.quantiles.empty())
    return;
  const Shape shape{std::ssize(made.quantiles)};
  writeBeside(group, "probabilities", H5T_NATIVE_DOUBLE, shape, made.probabilities.data(), "1",
              "probability of a smaller " + made.label);
  writeBeside(group, "quantiles", H5T_NATIVE_DOUBLE, shape, made.quantiles.data(), made.unit,
              "quantiles of " + made.label + " over the grid");
}
} // namespace

void writeProcess(hid_t root, const Process &process) {
  h5::Handle entry(h5::must(H5Gopen2(root, "entry", H5P_DEFAULT)), H5Gclose);
  for (const Reduction &made : process.reduced)
    writeReduced(entry, made);
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
  if (!process.directions.empty())
    h5::attribute(h5::writeAll(group, "directions", H5T_NATIVE_INT64,
                               {static_cast<std::int64_t>(process.directions.size())},
                               process.directions.data()),
                  "long_name", "directions of q averaged over");
}

void writeFile(const std::string &path, const File &file, const Process &process) {
  h5::writeFile(path, bytesOf(file), [&](hid_t root) {
    layOut(root, file, Storage::Whole, {});
    writeProcess(root, process);
  });
}

} // namespace facet::runtime::nexus
