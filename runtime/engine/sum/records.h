// records.h - the columns a kernel reads, from a mesh that may be rotated and centred. They come
// part by part as a variant reads them: those of the mesh, or nodes of its triangles.
#pragma once
#include <array>
#include <cmath>
#include <cstdint>
#include <facet/abi.h>
#include <facet/runtime/grid.h>
#include <facet/runtime/mesh_stream.h>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace facet::runtime {

class Pool;

/// Where the sum has its origin.
struct Frame {
  Vec3 centre{};        // of the mesh as given, nm; the origin if not centred
  bool centred = false; // the mesh is moved by -centre for the sum
  double radius = 0;    // largest distance of a corner from there, nm; 0 if not known
  /// No record is farther from the origin of the mesh as given, nm.
  double reach() const { return std::hypot(centre[0], centre[1], centre[2]) + radius; }
};

/// Throws Error unless the mesh has a table for each column of the kernel that has an axis. The
/// grid is a product, and a table has a row for each value of that axis.
void checkTables(const facet_kernel_description &kernel, const Grid &grid, const Mesh &mesh);

class Records {
public:
  explicit Records(const facet_kernel_description &kernel) : kernel_(&kernel) {}

  /// Columns that are 0 at all records, whatever mesh comes.
  void setZero(std::set<std::string> names) { zero_ = std::move(names); }
  /// Reads the columns on these threads (null: on the caller's). Decides by the kernel's
  /// translation flag (and whether sum s n is 0) whether they are centred. Throws Error if there
  /// are no records or a column is missing.
  void setMesh(const Mesh &mesh, Pool *threads = nullptr);
  /// Reads a part of a mesh, in the frame of the whole.
  void setMesh(const Mesh &mesh, const Frame &frame, Pool *threads = nullptr);
  /// The frame of a mesh that is known by its summary.
  Frame frameOf(const MeshSummary &mesh) const;
  const Frame &frame() const { return frame_; }
  void rotate(const Matrix3 &matrix);

  /// The records at these places, as they are turned, in the same frame, without tables.
  Records taken(const std::vector<std::int64_t> &places) const;

  std::int64_t size() const { return size_; }
  /// Columns of the mesh in its place, in the kernel's order: for `origin`.
  const std::vector<const double *> &columns() const { return inPlace_; }
  /// columns() and, behind them, the columns with an axis, each at its place: for the reference.
  std::vector<const double *> columnsAt(const std::array<std::int64_t, 3> &places) const;
  /// The tables of the columns with an axis, in the kernel's order.
  const std::vector<AxisTable> &tables() const { return tables_; }
  /// Columns of the mesh moved by -centre(): for the sum.
  const std::vector<const double *> &centred() const { return moved_; }
  const Vec3 &centre() const { return centre_; }

private:
  struct Column {
    bool turns = false, moves = false;  // with the mesh: facet_role
    int component = 0;                  // of a vector that turns, 0 to 2
    std::array<std::size_t, 3> parts{}; // places in base_: a vector's components; a number has one
    std::vector<double> turned, moved;
  };
  void setTables(const Mesh &mesh);
  bool havePlaces() const;
  std::size_t base(const std::string &name);
  void readBase(const Mesh &mesh, Pool *threads);
  void update();

  const facet_kernel_description *kernel_;
  std::vector<std::pair<std::string, std::vector<double>>> base_; // as in the mesh
  std::set<std::string> zero_;
  std::vector<Column> columns_;
  std::vector<AxisTable> tables_;
  std::vector<const double *> inPlace_, moved_;
  Matrix3 matrix_ = noRotation;
  bool turned_ = false;
  Frame frame_;
  Vec3 centre_{}; // turned
  std::int64_t size_ = 0;
};

class NodeRules;

class Source {
public:
  explicit Source(const Records &records) : records_(&records) {}

  /// From now on read() gives nodes of the present mesh by these rules; null: the mesh's own
  /// records.
  void setRules(std::shared_ptr<const NodeRules> rules);
  const NodeRules *rules() const { return rules_.get(); }

  /// How many records or nodes there are.
  std::int64_t size() const;
  std::int64_t parts() const;
  struct Part {
    std::int64_t first = 0, count = 0;   // of size()
    std::vector<const double *> columns; // what the variant reads, from `first` on
    std::vector<double> expanded;        // what they point into, if records are nodes
  };
  /// `centred`: columns of the mesh moved by -centre(). Buffers of `part` are used again.
  void read(std::int64_t index, bool centred, Part &part) const;

private:
  const Records *records_;
  std::shared_ptr<const NodeRules> rules_;
  std::vector<std::int64_t> cuts_; // triangles at which parts begin, and the number of all
};

} // namespace facet::runtime
