// mesh.h - triangle meshes and other records: the t of the sum.
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace facet::runtime {

using Vec3 = std::array<double, 3>;
using Matrix3 = std::array<double, 9>; // row-major
constexpr Matrix3 noRotation{1, 0, 0, 0, 1, 0, 0, 0, 1};

/// What a pose of the particle (turned, sized, moved) does to a column: facet_role of abi.h.
struct ColumnRole {
  bool turns = false, moves = false; // a vector that turns; a place, that moves too
  int power = 0;                     // of its size, with which it grows
  bool known = true;                 // false: the kernel's formula does not say what it is
  bool operator==(const ColumnRole &) const = default;
};
/// By the name of a column, "moment" of moment.x, moment.y and moment.z.
using ColumnRoles = std::map<std::string, ColumnRole>;

/// Three corners a triangle, nm, counter-clockwise seen from outside. They are a vector, or an
/// array of others', which is read where it lies, and copied before it is first changed.
class Triangles {
public:
  using value_type = std::array<Vec3, 3>;
  Triangles() = default;
  Triangles(std::vector<value_type> own) : own_(std::move(own)) {}
  Triangles(std::initializer_list<value_type> own) : own_(own) {}
  /// `keeper` is held as long as the array is read; copies share it.
  Triangles(std::span<const value_type> elsewhere, std::shared_ptr<const void> keeper)
      : elsewhere_(elsewhere), keeper_(std::move(keeper)) {}

  const value_type *data() const { return keeper_ ? elsewhere_.data() : own_.data(); }
  std::size_t size() const { return keeper_ ? elsewhere_.size() : own_.size(); }
  bool empty() const { return size() == 0; }
  const value_type *begin() const { return data(); }
  const value_type *end() const { return data() + size(); }
  const value_type &operator[](std::size_t i) const { return data()[i]; }

  /// To be changed: a vector of its own.
  std::vector<value_type> &own() {
    if (keeper_)
      own_.assign(elsewhere_.begin(), elsewhere_.end());
    keeper_.reset();
    return own_;
  }
  auto begin() { return own().begin(); }
  auto end() { return own().end(); }
  value_type &operator[](std::size_t i) { return own()[i]; }
  void push_back(const value_type &triangle) { own().push_back(triangle); }
  void resize(std::size_t size) { own().resize(size); }
  void assign(const value_type *first, const value_type *last) { *this = std::vector(first, last); }
  void clear() { *this = {}; }

private:
  std::vector<value_type> own_;
  std::span<const value_type> elsewhere_;
  std::shared_ptr<const void> keeper_; // null: own_ holds
};

/// A column with an axis: `rows` values a record, one for each value of an axis of the grid. Copies
/// and parts share the numbers.
class AxisTable {
public:
  AxisTable() = default;
  /// values[row * records + t].
  AxisTable(std::int64_t rows, std::int64_t records, std::vector<double> values)
      : rows_(rows), records_(records), stride_(records),
        values_(std::make_shared<const std::vector<double>>(std::move(values))) {}

  std::int64_t rows() const { return rows_; }
  std::int64_t records() const { return records_; }
  /// From a record's number in a row to that in the next.
  std::int64_t stride() const { return stride_; }
  const double *row(std::int64_t k) const { return values_->data() + first_ + k * stride_; }
  double bytes() const { return 8.0 * static_cast<double>(rows_) * static_cast<double>(records_); }
  /// The same numbers for the records [first, first + count).
  AxisTable part(std::int64_t first, std::int64_t count) const {
    AxisTable some = *this;
    some.first_ += first;
    some.records_ = count;
    return some;
  }

private:
  std::int64_t rows_ = 0, records_ = 0, stride_ = 0, first_ = 0;
  std::shared_ptr<const std::vector<double>> values_;
};

/// A triangle soup with columns of its own. Lengths in nm.
/// Records that are no triangles have columns only (triangles empty, count given by the columns).
struct Mesh {
  std::string name; // for messages: the file, or "torus"
  Triangles triangles;
  /// Columns of its own, one value a record; vectors as "name.x", "name.y", "name.z".
  std::map<std::string, std::vector<double>> columns;
  /// Columns of its own that have an axis; complex ones as "name.re" and "name.im".
  std::map<std::string, AxisTable> tables;
  /// What own columns are; those without a role stay as they are in any pose. See giveRoles.
  ColumnRoles roles;
  /// nm for one unit of the file, which own columns without a role are still in.
  double unit = 1;
  std::string statedUnit; // what the file states its unit as; "": nothing
  /// What its reader passed over, for people to read.
  std::vector<std::string> notes;
  /// For meshes given by area, normal, centroid only (the papers' 7-column text): these three, and
  /// no corners. Empty otherwise.
  struct Facets {
    std::vector<double> area;
    std::vector<Vec3> normal, centroid;
  } facets;
  std::int64_t size() const;
};

/// Those of what a closed surface bounds, of even density. What two surfaces bound counts twice.
struct Moments {
  Vec3 centroid{};     // nm
  double gyration = 0; // its radius, the root of the mean squared distance from the centroid, nm
};

/// What inspection finds.
struct MeshReport {
  std::int64_t triangles = 0, degenerate = 0; // degenerate: zero area
  double area = 0, volume = 0;                // nm^2, nm^3 (signed: negative is inside out)
  Vec3 low{}, high{};                         // bounding box, nm
  double longestEdge = 0, medianEdge = 0;     // nm
  bool corners = true;                   // false for 7-column meshes: closedness by sum s n only
  bool closed = false, oriented = false; // no open edges; no flipped ones
  std::int64_t openEdges = 0, flippedEdges = 0;
  double gap = 0; // |sum of area times normal| / area: of a closed surface what rounding leaves
  std::int64_t coincident = 0;    // triangles that lie on one before them and face the same way
  std::optional<Moments> moments; // none: open, flipped, or no corners
  /// Whether sum s n is 0: so that moving the mesh turns a volume form factor by a phase only.
  bool balanced() const;
};
MeshReport inspect(const Mesh &mesh);
/// What people should hear of a mesh, and what to do about it.
struct Remark {
  std::string text, help;
};
/// What it means for form factors that a surface is not closed, or that its normals do not all
/// point outward.
std::vector<Remark> remarksOn(const MeshReport &found);

/// Reads STL (text, binary), OBJ, PLY, HDF5, 7-column text; by content and extension. `unit`: nm
/// for one unit of the file. Zero-area triangles are dropped (see `dropped`). Throws Error: file
/// missing, wrong type, truncated, empty, NaN or infinity (with the first triangle's number).
Mesh readMesh(const std::string &path, std::optional<double> unit = std::nullopt,
              std::int64_t *dropped = nullptr);
/// A mesh that a program has filled in, fit for use as one that is read: unit, numbers checked,
/// zero-area triangles dropped. Throws Error.
Mesh checkedMesh(Mesh mesh, double unit = 1, std::int64_t *dropped = nullptr);
/// Records of a mesh a block at a time, so that it need not fit the memory. For several threads.
class MeshBlocks {
public:
  using Read = std::function<Mesh(std::int64_t first, std::int64_t count)>;
  MeshBlocks(std::int64_t size, Read read) : size_(size), read_(std::move(read)) {}
  std::int64_t size() const { return size_; }
  /// Records [first, first + count). Throws Error.
  Mesh read(std::int64_t first, std::int64_t count) const { return read_(first, count); }

private:
  std::int64_t size_;
  Read read_;
};
/// Blocks of a mesh that is in memory.
std::shared_ptr<const MeshBlocks> blocksOf(std::shared_ptr<const Mesh> mesh);

/// Writes by extension: .stl (binary), .ply, .obj, .h5, .txt (7 columns); a temporary name, then
/// renamed.
void writeMesh(const Mesh &mesh, const std::string &path);

/// Makes a closed, outward oriented shape centred at the origin, by its name in shapes/shapes.def:
/// "torus", "box", "sphere", "truncated-octahedron", "cylinder", "grating". `numbers` are its
/// arguments (nm, counts), one value or three (e.g. {"size", {20, 30, 10}}); what is not given has
/// its default. Every shape takes "refine": n cuts each triangle into n*n. Throws Error for unknown
/// shapes or arguments, naming the nearest, and for sizes that are not positive.
Mesh makeMesh(const std::string &shape,
              const std::map<std::string, std::vector<double>> &numbers = {});
/// The shapes and their arguments, with defaults, for people to read.
std::string shapesHelp();
/// Every triangle cut into n*n alike: the same surface and volume, finer for the centroid rule.
Mesh refined(const Mesh &mesh, int n);

/// What lies below and above a plane; a part may be empty.
struct MeshParts {
  Mesh below, above;
};
/// Cuts a closed mesh at z = `height`, nm, and closes both parts. Caps are triangles about one
/// point, with signs: they may lie on one another, and what is linear in the surface is right. They
/// have the columns of the triangles that they join. A mesh that only touches the plane stays as it
/// is. Throws Error: not closed, no corners, columns with an axis.
MeshParts cutMesh(const Mesh &mesh, double height);
/// "nm", "um", "angstrom", "m", .. or a number: nm for one unit of a mesh file. Throws Error.
double parseUnit(const std::string &text);

/// One column of doubles by its name in a kernel library ("area", "normal.x", "vertex0.z",
/// "contrast"), for a mesh moved by -centre. Throws Error for a missing column, listing those
/// there.
std::vector<double> column(const Mesh &mesh, const std::string &name, const Vec3 &centre = {});
/// Several of them, of `count` records from `first` on, to where they are wanted, in one pass over
/// the triangles.
void columns(const Mesh &mesh, const std::vector<std::string> &names, std::int64_t first,
             std::int64_t count, const std::vector<double *> &to);
/// Some records of a mesh in the order of their numbers, without tables.
Mesh taken(const Mesh &mesh, const std::vector<std::int64_t> &places);
/// Tells a mesh what its own columns are, as a kernel has them (rolesOf), once it is known; lengths
/// among them become nm.
void giveRoles(Mesh &mesh, const ColumnRoles &roles);
/// Calls `use` with every place of the mesh: corners, centroids of facets, own columns that move.
void eachPlace(const Mesh &mesh, const ColumnRoles &roles,
               const std::function<void(const Vec3 &)> &use);
inline void eachPlace(const Mesh &mesh, const std::function<void(const Vec3 &)> &use) {
  eachPlace(mesh, mesh.roles, use);
}
/// The middle of the bounding box of all places, nm.
Vec3 centre(const Mesh &mesh);
/// The mesh moved by -middle, sized, then turned by a 3x3 row-major matrix about the origin:
/// corners, and own columns by their roles.
Mesh posed(Mesh mesh, const Vec3 &middle, double scale, const Matrix3 &matrix);
/// The mesh turned by a 3x3 row-major matrix about the origin.
Mesh rotated(const Mesh &mesh, const Matrix3 &matrix);

} // namespace facet::runtime
