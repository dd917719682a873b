// obj.cpp - meshes in OBJ, in double precision (Wavefront, Advanced Visualizer, appendix B1).
#include "runtime/scattering/mesh/formats/lines.h"
#include "runtime/scattering/mesh/formats/polygon.h"
#include <set>

namespace facet::runtime {
namespace {

class ObjReader {
public:
  explicit ObjReader(const std::string &path) : lines_(path) {}

  Mesh read() {
    for (Words words; lines_.next(words);)
      if (!words.empty())
        take(words);
    // Faces may name vertices that come after them.
    for (const Face &face : faces_)
      cut(face);
    if (unknown_ || mesh_.triangles.empty())
      if (const std::string passed = lines_.passed(); !passed.empty())
        mesh_.notes.push_back(passed);
    return std::move(mesh_);
  }

private:
  struct Face {
    std::size_t first, count; // in corners_
    std::int64_t line;
  };

  void take(const Words &words) {
    // Normals, textures, groups, materials, lines: all of OBJ that is no surface of flat faces.
    static const std::set<std::string_view> others{
        "vt",  "vn",     "vp",     "g",        "o",          "s",        "mg",
        "l",   "p",      "bevel",  "c_interp", "d_interp",   "lod",      "usemtl",
        "end", "usemap", "maplib", "mtllib",   "shadow_obj", "trace_obj"};
    if (words[0] == "v") {
      addVertex(words);
    } else if (words[0] == "f" || words[0] == "fo") {
      addFace(words);
      if (words.size() < 4)
        lines_.pass(words[0]);
    } else {
      lines_.pass(words[0]);
      unknown_ = unknown_ || !others.contains(words[0]);
    }
  }

  /// x y z, then nothing, a weight by which they are divided, or a colour.
  void addVertex(const Words &words) {
    if (words.size() < 4)
      lines_.damaged(fmt::format("a vertex of {} numbers, not 3", words.size() - 1));
    const double weight = words.size() == 5 ? lines_.real(words[4]) : 1;
    if (weight == 0)
      lines_.damaged("a vertex of weight 0 lies nowhere");
    Vec3 &place = vertices_.emplace_back();
    for (std::size_t k = 0; k < 3; ++k)
      place[k] = lines_.real(words[k + 1]) / weight;
  }

  /// Corners "v", "v/vt", "v//vn", "v/vt/vn"; v from 1, or below 0 from the last vertex so far.
  void addFace(const Words &words) {
    faces_.push_back({corners_.size(), words.size() - 1, lines_.number()});
    for (std::size_t k = 1; k < words.size(); ++k) {
      std::int64_t index = 0;
      if (!parseNumber(words[k].substr(0, words[k].find('/')), index) || index == 0)
        lines_.damaged(fmt::format("'{}' is no corner of a face", words[k].substr(0, 40)));
      corners_.push_back(index > 0 ? index - 1
                                   : static_cast<std::int64_t>(vertices_.size()) + index);
      if (corners_.back() < 0)
        missing(index, lines_.number());
    }
  }

  [[noreturn]] void missing(std::int64_t index, std::int64_t line) const {
    lines_.damaged(fmt::format("a face names vertex {}, and there are {}", index, vertices_.size()),
                   line);
  }

  void cut(const Face &face) {
    polygon_.clear();
    for (std::size_t k = face.first; k < face.first + face.count; ++k) {
      if (corners_[k] >= static_cast<std::int64_t>(vertices_.size()))
        missing(corners_[k] + 1, face.line);
      polygon_.push_back(vertices_[corners_[k]]);
    }
    if (!addPolygon(polygon_, mesh_.triangles.own()))
      lines_.damaged(fmt::format("a face of {} corners cannot be cut into triangles", face.count),
                     face.line);
  }

  Lines lines_;
  bool unknown_ = false; // a word that is none of OBJ, or of a curved surface
  std::vector<Vec3> vertices_, polygon_;
  std::vector<std::int64_t> corners_;
  std::vector<Face> faces_;
  Mesh mesh_;
};

} // namespace

Mesh readObj(const std::string &path) { return ObjReader(path).read(); }

} // namespace facet::runtime
