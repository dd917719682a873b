// columns.cpp - meshes and other records as columns: HDF5, by hyperslabs; the papers' 7-column
// text; named text.
#include "runtime/engine/records/geometry.h"
#include "runtime/engine/store/hdf5.h"
#include "runtime/engine/system/text.h"
#include "runtime/engine/system/units.h"
#include <algorithm>
#include <facet/runtime/error.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <mutex>
#include <optional>

namespace facet::runtime {
namespace {

using Columns = std::map<std::string, std::vector<double>>;

/// Takes NAME.x, NAME.y, NAME.z out of the columns as vectors.
std::vector<Vec3> takeVectors(Columns &columns, const std::string &name) {
  std::array<Columns::iterator, 3> at;
  for (int k = 0; k < 3; ++k)
    at[k] = columns.find(name + "." + "xyz"[k]);
  std::vector<Vec3> vectors(at[0]->second.size());
  for (int k = 0; k < 3; ++k) {
    for (std::size_t i = 0; i < vectors.size(); ++i)
      vectors[i][k] = at[k]->second[i];
    columns.erase(at[k]);
  }
  return vectors;
}

/// Turns columns with the built-in names into geometry; the rest stay columns.
Mesh fromColumns(Columns columns) {
  Mesh mesh;
  // Vectors are whole: with a component missing they stay columns.
  const auto has = [&](const std::string &name) {
    return columns.contains(name + ".x") && columns.contains(name + ".y") &&
           columns.contains(name + ".z");
  };
  if (has("vertex0") && has("vertex1") && has("vertex2")) {
    std::array<std::vector<Vec3>, 3> v;
    for (int c = 0; c < 3; ++c)
      v[c] = takeVectors(columns, "vertex" + std::to_string(c));
    mesh.triangles.resize(std::min({v[0].size(), v[1].size(), v[2].size()}));
    for (std::size_t i = 0; i < mesh.triangles.size(); ++i)
      mesh.triangles[i] = {v[0][i], v[1][i], v[2][i]};
  } else if (columns.contains("area") && has("normal") && has("centroid")) {
    mesh.facets.normal = takeVectors(columns, "normal");
    mesh.facets.centroid = takeVectors(columns, "centroid");
    mesh.facets.area = std::move(columns["area"]);
    columns.erase("area");
  }
  mesh.columns = std::move(columns);
  return mesh;
}

/// HDF5 is not built for threads everywhere.
std::mutex &oneAtATime() {
  static std::mutex mutex;
  return mutex;
}

class Hdf5Rows {
public:
  Hdf5Rows(const std::string &path, bool whole, std::optional<double> &unit) : path_(path) {
    const std::lock_guard lock(oneAtATime());
    h5::Object &file = file_.emplace(path);
    takeGroup();
    for (const std::string &name : file.numbers(true))
      if (Set set{name, file.open(name), {}}; !(set.shape = set.data.shape()).empty())
        sets_.push_back(std::move(set)); // single numbers are no columns
    takeUnit(unit);
    if (!has("triangles") && has("vertices") && has("faces"))
      takeIndexed(whole);
    std::erase_if(sets_, [](const Set &s) { return s.name == "vertices" || s.name == "faces"; });
    takeTables();
    if (sets_.empty() && indexed_.empty() && tables_.empty())
      throw Error(path, "this HDF5 file holds no mesh",
                  "facet looks for /triangles [n, 3, 3], or /vertices [m, 3] and /faces [n, 3], or "
                  "columns [n]");
    for (const Set &s : sets_)
      checkShape(s);
  }
  ~Hdf5Rows() {
    const std::lock_guard lock(oneAtATime());
    sets_.clear();
    tables_.clear();
    file_.reset();
  }
  Hdf5Rows(const Hdf5Rows &) = delete;

  std::int64_t size() const { return size_; }
  Mesh read(std::int64_t first, std::int64_t count) const {
    Mesh mesh;
    if (count == 0)
      return mesh;
    mesh.triangles = indexed_;
    Columns columns;
    for (const Set &s : sets_)
      if (s.name == "triangles") {
        mesh.triangles.resize(count);
        slab(s, first, count, mesh.triangles[0][0].data());
      } else if (s.shape.size() == 1) {
        columns[s.name].resize(count);
        slab(s, first, count, columns[s.name].data());
      } else {
        std::vector<Vec3> all(count);
        slab(s, first, count, all[0].data());
        for (std::size_t k = 0; k < 3; ++k) {
          std::vector<double> &to = columns[s.name + "." + "xyz"[k]];
          to.resize(count);
          std::ranges::transform(all, to.begin(), [k](const Vec3 &v) { return v[k]; });
        }
      }
    if (mesh.triangles.empty())
      mesh = fromColumns(std::move(columns));
    else
      mesh.columns = std::move(columns);
    for (const Set &s : tables_)
      readTable(s, first, count, mesh.tables);
    mesh.statedUnit = statedUnit_;
    return mesh;
  }

private:
  struct Set {
    std::string name;
    h5::Object data;
    h5::Shape shape;
  };

  const Set *find(const std::string &name) const {
    const auto at = std::ranges::find(sets_, name, &Set::name);
    return at == sets_.end() ? nullptr : &*at;
  }
  bool has(const std::string &name) const { return find(name) != nullptr; }

  /// Where no numbers are at the top, goes to the one group that holds a mesh.
  void takeGroup() {
    unitOfFile_ = h5::statedUnit(*file_);
    if (!file_->numbers(true).empty())
      return;
    std::vector<std::string> groups;
    addGroups(*file_, "", groups);
    if (groups.size() > 1)
      throw Error(path_, fmt::format("several groups hold a mesh: /{}", fmt::join(groups, ", /")),
                  "write one mesh into a file of its own");
    if (groups.size() == 1)
      *file_ = file_->open(groups[0]);
  }
  /// Adds the groups at most four below that hold triangles, or vertices and faces.
  static void addGroups(const h5::Object &in, const std::string &name,
                        std::vector<std::string> &groups) {
    if (std::ranges::count(name, '/') > 3)
      return;
    for (const std::string &below : in.names()) {
      const h5::Object one = in.open(below);
      const std::string whole = name.empty() ? below : name + "/" + below;
      if (one.has("triangles") || (one.has("vertices") && one.has("faces")))
        groups.push_back(whole);
      else
        addGroups(one, whole, groups);
    }
  }

  /// The file and its datasets of places must state one unit. A dataset of another name may be of
  /// anything, and is asked only where it states a length.
  void takeUnit(std::optional<double> &unit) {
    const std::optional<double> given = unit;
    const auto take = [&](const std::string &where, const std::optional<std::string> &stated) {
      if (!stated)
        return;
      const double own = unitOfFile(path_, where, *stated, given);
      if (!given && unit && std::abs(own / *unit - 1) > 1e-9)
        throw Error(
            path_,
            fmt::format("{} states '{}', and the file '{}' too", where, *stated, statedUnit_),
            "write one unit, or give the one to be taken with --unit");
      statedUnit_ = *stated;
      unit = own;
    };
    take("its attribute units", unitOfFile_);
    take("the attribute units of its group", h5::statedUnit(*file_));
    for (const Set &s : sets_) {
      const auto stated = h5::statedUnit(s.data);
      if (isOfPlaces(s.name) || (stated && unitSize(*stated, Dimension::Length)))
        take(fmt::format("the attribute units of /{}", s.name), stated);
    }
  }
  static bool isOfPlaces(const std::string &name) {
    return name == "triangles" || name.starts_with("vert") || name.starts_with("centroid");
  }

  /// Sets the number of records; datasets [rows, records] are columns with an axis, as all complex
  /// ones are, and [3, 3] of three records may be that or a vector.
  void takeTables() {
    const auto vectorOrNumber = [](const Set &s) {
      return !s.data.isComplex() &&
             (s.shape.size() != 2 || s.shape[1] == 3 || s.name == "triangles");
    };
    const auto first = std::ranges::find_if(sets_, vectorOrNumber);
    if (!indexed_.empty())
      size_ = std::ssize(indexed_);
    else if (first != sets_.end())
      size_ = first->shape[0];
    else if (!sets_.empty())
      size_ = sets_.front().shape.back();
    std::erase_if(sets_, [](const Set &s) { return s.data.isComplex() && s.shape.size() != 2; });
    for (auto s = sets_.begin(); s != sets_.end();) {
      const bool table =
          s->shape.size() == 2 && s->shape[0] > 0 && s->shape[1] == size_ && s->name != "triangles";
      const bool vector = vectorOrNumber(*s) && s->shape[0] == size_;
      if (table)
        tables_.push_back(Set{s->name, file_->open(s->name), s->shape});
      s = table && !vector ? sets_.erase(s) : s + 1;
    }
  }

  /// A table [rows, records], or its real and imaginary parts, row by row.
  void readTable(const Set &set, std::int64_t first, std::int64_t count,
                 std::map<std::string, AxisTable> &to) const {
    const std::lock_guard lock(oneAtATime());
    const std::int64_t rows = set.shape[0];
    const std::size_t parts = set.data.isComplex() ? 2 : 1, n = static_cast<std::size_t>(count);
    std::vector<double> row(parts * n);
    std::array<std::vector<double>, 2> values;
    for (std::size_t k = 0; k < parts; ++k)
      values[k].reserve(static_cast<std::size_t>(rows) * n);
    for (std::int64_t r = 0; r < rows; ++r) {
      const h5::Handle complex = h5::complexType();
      set.data.read({r, first}, {1, count}, row.data(),
                    parts == 2 ? hid_t{complex} : H5T_NATIVE_DOUBLE);
      for (std::size_t i = 0; i < row.size(); ++i)
        values[i % parts].push_back(row[i]);
    }
    for (std::size_t k = 0; k < parts; ++k)
      to[set.name + (parts == 1 ? ""
                     : k == 0   ? ".re"
                                : ".im")] = AxisTable(rows, count, std::move(values[k]));
  }

  void checkShape(const Set &s) const {
    if (s.name == "triangles" && s.shape != h5::Shape{s.shape[0], 3, 3})
      throw Error(path_, "/triangles must have the shape [n, 3, 3]: triangle, corner, x y z");
    if (s.name != "triangles" && s.shape.size() != 1 &&
        (s.data.isComplex() || s.shape != h5::Shape{s.shape[0], 3}))
      throw Error(path_, fmt::format("dataset /{} is no column: its shape must be [n], [n, 3] or, "
                                     "with an axis, [values of the axis, n], n = {} records",
                                     s.name, size_));
    if (s.shape[0] != size_)
      throw Error(path_, fmt::format("dataset /{} has {} values for {} records", s.name, s.shape[0],
                                     size_));
  }

  void takeIndexed(bool whole) {
    if (!whole)
      throw Error(path_,
                  "its triangles are given by index (/vertices, /faces), which is not read "
                  "a block at a time",
                  "facet mesh convert IN.h5 -o OUT.h5 writes /triangles [n, 3, 3]");
    for (const char *name : {"vertices", "faces"})
      if (const h5::Shape &shape = find(name)->shape; shape != h5::Shape{shape[0], 3})
        throw Error(path_, "/vertices and /faces must have the shapes [m, 3] and [n, 3]");
    const std::vector<double> places = find("vertices")->data.doubles(),
                              faces = find("faces")->data.doubles();
    indexed_.resize(faces.size() / 3);
    for (std::size_t i = 0; i < faces.size(); ++i) {
      if (faces[i] != std::floor(faces[i]))
        throw Error(path_, fmt::format("face {} names vertex {}", i / 3 + 1, faces[i]),
                    "indices are whole numbers");
      if (!(faces[i] >= 0) || 3 * faces[i] >= static_cast<double>(places.size()))
        throw Error(path_, fmt::format("face {} names a vertex that is not there", i / 3 + 1),
                    "indices count from 0");
      for (std::size_t k = 0; k < 3; ++k)
        indexed_[i / 3][i % 3][k] = places[3 * static_cast<std::int64_t>(faces[i]) + k];
    }
  }

  void slab(const Set &set, std::int64_t first, std::int64_t count, double *to) const {
    const std::lock_guard lock(oneAtATime());
    h5::Shape begin(set.shape.size(), 0), extent = set.shape;
    begin[0] = first;
    extent[0] = count;
    set.data.read(begin, extent, to);
  }

  std::string path_, statedUnit_;
  std::optional<std::string> unitOfFile_;
  std::optional<h5::Object> file_; // closed under the lock
  std::vector<Set> sets_, tables_; // tables_: of columns with an axis
  std::vector<std::array<Vec3, 3>> indexed_;
  std::int64_t size_ = 0;
};

} // namespace

std::shared_ptr<const MeshBlocks> openHdf5Rows(const std::string &path, bool whole,
                                               std::optional<double> &unit) {
  const auto rows = std::make_shared<const Hdf5Rows>(path, whole, unit);
  return blocksBy(rows->size(), [rows](std::int64_t first, std::int64_t count) {
    return rows->read(first, count);
  });
}

/// A comment is a person's: what it says of a unit that is not nm, --unit is to say.
std::string unitOfComments(const std::string &path, const Table &table,
                           std::optional<double> unit) {
  std::string stated;
  for (const std::string &comment : table.comments)
    for (const StatedUnit &said : unitsOfLength(comment)) {
      if (!unit && said.size != 1)
        throw Error(path, fmt::format("a comment speaks of the unit '{}'", said.text),
                    said.size > 0
                        ? fmt::format("--unit {0}, or unit = \"{0}\", reads it so; \"nm\" does not",
                                      said.text)
                        : "--unit, or unit = of the particle, gives the nm in one of it");
      stated = said.text;
    }
  return stated;
}

Mesh readTableMesh(const std::string &path, std::optional<double> unit) {
  Table table = readTable(path);
  const std::string stated = unitOfComments(path, table, unit);
  if (table.rows() == 0)
    throw Error(path, "there are no triangles in this file");
  static const std::vector<std::string> papers{"area",       "normal.x",   "normal.y",  "normal.z",
                                               "centroid.x", "centroid.y", "centroid.z"};
  // Seven columns are triangles, whatever a comment says, unless it says so by their names.
  const auto &said = table.commentNames;
  if (table.names.empty() && (table.columns.size() != papers.size() ||
                              std::find(said.begin(), said.end(), "normal.x") != said.end()))
    table.names = said;
  if (table.names.empty()) {
    if (table.columns.size() != papers.size())
      throw Error(path,
                  fmt::format("a table of triangles has 7 columns (area nx ny nz cx cy cz), this "
                              "one has {}",
                              table.columns.size()),
                  "give other columns names by a header line");
    table.names = papers;
  }
  Columns columns;
  for (std::size_t k = 0; k < table.names.size(); ++k)
    if (!columns.emplace(table.names[k], std::move(table.columns[k])).second)
      throw Error(path, "two columns are named '" + table.names[k] + "'");
  Mesh mesh = fromColumns(std::move(columns));
  mesh.statedUnit = stated;
  return mesh;
}

} // namespace facet::runtime
