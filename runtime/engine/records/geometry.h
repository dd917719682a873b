// geometry.h - what the mesh code shares: vectors of three doubles, lists of records and readers of
// each kind of mesh file. Also checks of what a file gave, and corners at the same place.
#pragma once
#include <algorithm>
#include <cmath>
#include <facet/runtime/mesh.h>
#include <limits>
#include <optional>
#include <string_view>

namespace facet::runtime {

inline Vec3 operator+(const Vec3 &a, const Vec3 &b) {
  return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}
inline Vec3 operator-(const Vec3 &a, const Vec3 &b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
inline Vec3 operator*(double s, const Vec3 &a) { return {s * a[0], s * a[1], s * a[2]}; }
inline double dot(const Vec3 &a, const Vec3 &b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
inline Vec3 cross(const Vec3 &a, const Vec3 &b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
inline double length(const Vec3 &a) { return std::sqrt(dot(a, a)); }
/// By a row-major matrix.
inline Vec3 times(const Matrix3 &m, const Vec3 &v) {
  return {m[0] * v[0] + m[1] * v[1] + m[2] * v[2], m[3] * v[0] + m[4] * v[1] + m[5] * v[2],
          m[6] * v[0] + m[7] * v[1] + m[8] * v[2]};
}
inline Matrix3 times(const Matrix3 &a, const Matrix3 &b) {
  Matrix3 c{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      for (std::size_t k = 0; k < 3; ++k)
        c[3 * i + j] += a[3 * i + k] * b[3 * k + j];
  return c;
}
inline Matrix3 transposed(const Matrix3 &m) {
  return {m[0], m[3], m[6], m[1], m[4], m[7], m[2], m[5], m[8]};
}

/// The bounding box of places.
struct BoundingBox {
  static constexpr double far = std::numeric_limits<double>::infinity();
  Vec3 low{far, far, far}, high{-far, -far, -far};
  void add(const Vec3 &p) {
    for (std::size_t k = 0; k < 3; ++k) {
      low[k] = std::min(low[k], p[k]);
      high[k] = std::max(high[k], p[k]);
    }
  }
};

using Triangle = std::array<Vec3, 3>;

/// Area times the outward unit normal.
inline Vec3 areaNormal(const Triangle &t) { return 0.5 * cross(t[1] - t[0], t[2] - t[0]); }
inline Vec3 centroid(const Triangle &t) { return 1.0 / 3 * (t[0] + t[1] + t[2]); }
inline double longestEdge(const Triangle &t) {
  const auto squares = [](const Vec3 &v) { return dot(v, v); };
  return std::sqrt(std::max({squares(t[1] - t[0]), squares(t[2] - t[1]), squares(t[0] - t[2])}));
}
/// No area but rounding: corners that coincide or lie on a line.
constexpr bool isDegenerate(double area, double longestEdge) {
  return area <= 1e-14 * longestEdge * longestEdge;
}
/// The part of the area that sum s n of a closed surface stays below. One triangle missing of four
/// million is 2e-7; rounding leaves 1e-13. Facets come from text with few digits.
constexpr double leastGap(bool corners) { return corners ? 1e-8 : 1e-5; }

/// Calls with each list of records of a mesh and the same list of another, which takes over what is
/// said of all of them.
template <class Use> void eachList(const Mesh &from, Mesh &to, const Use &use) {
  to.name = from.name;
  to.roles = from.roles;
  to.unit = from.unit;
  to.statedUnit = from.statedUnit;
  to.notes = from.notes;
  use(from.triangles, to.triangles);
  use(from.facets.area, to.facets.area);
  use(from.facets.normal, to.facets.normal);
  use(from.facets.centroid, to.facets.centroid);
  for (const auto &[name, values] : from.columns)
    use(values, to.columns[name]);
}
/// Adds the records of a mesh to another, tables left out.
inline void append(const Mesh &part, Mesh &to) {
  eachList(part, to, [](const auto &from, auto &list) {
    if constexpr (requires { list.own(); })
      list.own().insert(list.own().end(), from.begin(), from.end());
    else
      list.insert(list.end(), from.begin(), from.end());
  });
}
/// Throws Error if an own column is named as what triangles have themselves, "area", "normal.x".
void checkOwnNames(const Mesh &mesh);
/// The components of an own column that is a vector; null if it is none, or not there.
template <class AMesh> auto vectorOf(AMesh &mesh, const std::string &name) {
  std::array<decltype(&mesh.columns.begin()->second), 3> parts{};
  for (std::size_t k = 0; k < 3; ++k)
    if (const auto found = mesh.columns.find(name + "." + "xyz"[k]); found != mesh.columns.end())
      parts[k] = &found->second;
  if (parts[0] == nullptr || parts[1] == nullptr || parts[2] == nullptr)
    parts.fill(nullptr);
  return parts;
}

/// eachPlace, compiled with what is done at each place.
template <class Use> void everyPlace(const Mesh &mesh, const ColumnRoles &roles, const Use &use) {
  for (const Triangle &t : mesh.triangles)
    for (const Vec3 &p : t)
      use(p);
  for (const Vec3 &p : mesh.facets.centroid)
    use(p);
  for (const auto &[name, role] : roles)
    if (const auto parts = vectorOf(mesh, name); role.moves && parts[0] != nullptr)
      for (std::size_t i = 0; i < parts[0]->size(); ++i)
        use(Vec3{(*parts[0])[i], (*parts[1])[i], (*parts[2])[i]});
}
constexpr std::int64_t rowsAtOnce = 1 << 15; // read or written at once when the whole file is
template <class Take> void eachBlock(const MeshBlocks &mesh, const Take &take) {
  for (std::int64_t first = 0; first < mesh.size(); first += rowsAtOnce)
    take(mesh.read(first, std::min(rowsAtOnce, mesh.size() - first)));
}
/// Takes out the values marked by other than 0; marks[i] is of values[i].
template <class Value> void drop(std::vector<Value> &values, const std::vector<char> &marks) {
  std::erase_if(values, [&](const Value &v) { return marks[&v - values.data()] != 0; });
}
inline void drop(Triangles &triangles, const std::vector<char> &marks) {
  drop(triangles.own(), marks);
}

/// Mesh files that facet tells apart by their content.
enum class MeshFile { BinaryStl, TextStl, Obj, Ply, Hdf5, Table };

/// Looks at the beginning, the end and the size of a file. Throws Error: missing, empty, truncated
/// STL, none of these.
MeshFile recognise(const std::string &path);

/// Throws Error of a file that another program reads, by its first bytes, or by its name where none
/// are given: with the line that converts it.
void refuseForeign(const std::string &path, std::string_view first);

// Each in the file's own units, unchecked. Throw Error: not to be read, damaged.
Mesh readObj(const std::string &path);
Mesh readTextStl(const std::string &path);
Mesh readPly(const std::string &path);
Mesh readTableMesh(const std::string &path, std::optional<double> unit);

inline std::shared_ptr<const MeshBlocks> blocksBy(std::int64_t size, MeshBlocks::Read read) {
  return std::make_shared<const MeshBlocks>(size, std::move(read));
}
/// Rows of a mesh file as they are: no units, no checks. Throws Error: not to be read, or a mesh
/// that has no rows, or that states another unit than `unit`. Without one `unit` becomes what the
/// file states, or nm. `whole`: triangles by index too, which are read at once.
std::shared_ptr<const MeshBlocks> openHdf5Rows(const std::string &path, bool whole,
                                               std::optional<double> &unit);
std::shared_ptr<const MeshBlocks> openBinaryStl(const std::string &path);

// What every mesh read from a file goes through.

/// What a file states is its unit, nm of one. Throws Error where that is not understood and `unit`
/// is none, or where it is another than `unit`; `where`: what of the file states it.
double unitOfFile(const std::string &path, const std::string &where, const std::string &stated,
                  std::optional<double> unit);
/// Throws Error unless `unit`, nm for one unit of a mesh file, is greater than 0.
void checkUnit(double unit);
/// Throws Error for NaN and infinity, lengths that differ, normals that are none; makes nm of all
/// lengths but own columns, which wait for their roles. `first`: the number of the mesh's first
/// record in its file.
Mesh checked(Mesh mesh, const std::string &path, double unit, std::int64_t first = 0);
/// 1 for each triangle without area.
std::vector<char> degenerate(const Mesh &mesh);
/// Takes out the records marked by other than 0.
void drop(Mesh &mesh, const std::vector<char> &marks);

/// Numbers for corners: those at the same place, to `tolerance` nm, have the same number. Corner c
/// of triangle t is at 3 t + c.
std::vector<std::uint32_t> weld(const Mesh &mesh, double tolerance);

} // namespace facet::runtime
