// pending.cpp - weak stand-ins for readers and writers that land beside this; goes when they are there.
#include <facet/runtime/error.h>
#include <facet/runtime/mesh.h>
#include <facet/runtime/output.h>

namespace facet::runtime {
[[gnu::weak]] Mesh readMesh(const std::string &path, double, std::int64_t *) {
  throw Error(path, "mesh files are not read yet");
}
[[gnu::weak]] void writeHdf5(const Output &, const std::string &path) {
  throw Error(path, "HDF5 is not written yet");
}
[[gnu::weak]] void writePicture(const Output &, const std::string &path, const PictureOptions &) {
  throw Error(path, "pictures are not drawn yet");
}
[[gnu::weak]] double parseUnit(const std::string &text) { return std::stod(text); }
} // namespace facet::runtime
