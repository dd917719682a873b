// slope_picture.cpp - meshes by vertices and faces, read back with their slopes.
#include "runtime/scattering/output/slope_picture.h"
#include "runtime/engine/store/hdf5.h"
#include <facet/runtime/error.h>
#include <facet/runtime/output.h>
#include <filesystem>
#include <fmt/format.h>

namespace facet::runtime {
namespace {

/// The numbers at the three vertices of each triangle, three for each vertex.
std::vector<std::array<Vec3, 3>> atCorners(const std::vector<double> &ofVertices,
                                           const std::vector<double> &faces) {
  std::vector<std::array<Vec3, 3>> corners(faces.size() / 3);
  for (std::size_t c = 0; c < faces.size(); ++c)
    for (std::size_t k = 0; k < 3; ++k)
      corners[c / 3][c % 3][k] = ofVertices.at(3 * static_cast<std::size_t>(faces[c]) + k);
  return corners;
}

} // namespace

std::string slopePictureOf(const std::string &picture, const std::string &group) {
  const std::filesystem::path file(picture);
  return (file.parent_path() /
          fmt::format("{}_{}{}", file.stem().string(), group, file.extension().string()))
      .string();
}

std::vector<std::string> writeSlopePictures(const std::string &result, const std::string &picture) {
  const h5::Object entry = h5::Object(result).open("entry");
  std::vector<std::string> files;
  for (const std::string &name : entry.names()) {
    if (name != "gradient" && !name.starts_with("gradient_"))
      continue;
    const h5::Object group = entry.open(name), slope = group.open("slope");
    const std::vector<double> faces = group.open("faces").doubles();
    Mesh mesh;
    mesh.triangles = atCorners(group.open("vertices").doubles(), faces);
    const std::string unit = slope.attribute("units"), title = group.text("title");
    if (unit.empty() || title.empty()) // both are written with every result
      throw Error(result, fmt::format("/entry/{} cannot be read", name), "run it again",
                  Exit::Failed);
    const MeshSlopes slopes{atCorners(slope.doubles(), faces),
                            "dL by each vertex, outwards (" + unit + ")", title};
    files.push_back(slopePictureOf(picture, name));
    writeMeshPicture(mesh, files.back(), {}, &slopes);
  }
  return files;
}

} // namespace facet::runtime
