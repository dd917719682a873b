// slopes.cpp - what a number changes by with the vertices of a result's meshes (facet run
// --gradient-of), as data of a page.
#include "runtime/app/page/report/parts.h"
#include "runtime/app/page/report/report.h"
#include <cmath>
#include <facet/runtime/error.h>

namespace facet::page {

using nlohmann::json;
using namespace runtime;

namespace {

struct Surface {
  std::vector<double> vertices, slope; // three numbers a vertex
  std::vector<std::size_t> corners;    // their vertices
};

/// Throws Error for lists that do not fit together.
Surface surfaceOf(const h5::Object &group, const std::string &place) {
  Surface s{group.open("vertices").doubles(), group.open("slope").doubles(), {}};
  const std::size_t count = s.vertices.size() / 3;
  for (const double vertex : group.open("faces").doubles()) {
    if (!(vertex >= 0 && vertex < static_cast<double>(count)))
      throw Error(place, "its faces are of vertices that it has not", "run it again");
    s.corners.push_back(static_cast<std::size_t>(vertex));
  }
  if (s.slope.size() != s.vertices.size() || s.corners.size() % 3 != 0)
    throw Error(place, "its lists of vertices, slopes and faces do not fit together",
                "run it again");
  return s;
}

/// How much the slope of each vertex points outwards, along the mean normal of the triangles there.
std::vector<double> outwards(const Surface &s) {
  std::vector<double> normals(s.vertices.size()), along(s.vertices.size() / 3);
  for (std::size_t c = 0; c < s.corners.size(); c += 3) {
    const auto at = [&](std::size_t k, std::size_t axis) {
      return s.vertices[3 * s.corners[c + k] + axis];
    };
    for (std::size_t x = 0; x < 3; ++x) {
      const std::size_t y = (x + 1) % 3, z = (x + 2) % 3;
      const double n = (at(1, y) - at(0, y)) * (at(2, z) - at(0, z)) -
                       (at(1, z) - at(0, z)) * (at(2, y) - at(0, y));
      for (std::size_t k = 0; k < 3; ++k)
        normals[3 * s.corners[c + k] + x] += n;
    }
  }
  for (std::size_t v = 0; v < along.size(); ++v) {
    const double *n = &normals[3 * v], *slope = &s.slope[3 * v];
    const double size = std::sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    along[v] = size > 0 ? (n[0] * slope[0] + n[1] * slope[1] + n[2] * slope[2]) / size : 0;
  }
  return along;
}

json viewOf(const std::string &name, const h5::Object &group, const std::string &place,
            Blobs &blobs) {
  const Surface s = surfaceOf(group, place);
  json made = {{"name", name}, {"mesh", group.text("title")}, {"triangles", s.corners.size() / 3}};
  if (s.corners.size() / 3 > mostTriangles) {
    made["note"] = "it has too many triangles";
    return made;
  }
  const std::vector<double> along = outwards(s);
  std::vector<float> corners, slopes;
  for (const std::size_t vertex : s.corners) {
    for (std::size_t k = 0; k < 3; ++k)
      corners.push_back(static_cast<float>(s.vertices[3 * vertex + k]));
    slopes.push_back(static_cast<float>(along[vertex]));
  }
  const std::string unit = group.open("slope").attribute("units");
  made["corners"] = blobs.add(corners);
  made["columns"] = {{{"name", "dL by each vertex, outwards (" + unit + ")"},
                      {"values", blobs.add(slopes)},
                      {"diverging", true}}};
  return made;
}

} // namespace

json slopesOf(const ResultFile &result, Blobs &blobs) {
  json made = json::array();
  const h5::Object entry = h5::Object(result.file).open("entry");
  for (const std::string &name : entry.names())
    if (const h5::Object group = entry.open(name);
        (name == "gradient" || name.starts_with("gradient_")) && group.has("vertices") &&
        group.has("faces") && group.has("slope"))
      made.push_back(viewOf(name, group, result.path + ": /entry/" + name, blobs));
  return made;
}

} // namespace facet::page
