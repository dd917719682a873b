// records.cpp - the columns a kernel reads, from a mesh that may be rotated and centred.
#include "runtime/engine/sum/records.h"
#include "runtime/engine/kernel/inside.h"
#include "runtime/engine/sum/nodes/nodes.h"
#include "runtime/engine/system/pool.h"
#include <algorithm>
#include <cmath>
#include <facet/runtime/kernel.h>
#include <facet/runtime/mesh_stream.h>
#include <fmt/format.h>

namespace facet::runtime {

namespace {

/// Centring is not worth a rounding if the mesh is (nearly) centred already.
constexpr double worthCentring = 0.01;
/// The most records of a part: what is made of them stays in the cache while packed, and each
/// thread has several parts.
constexpr std::int64_t mostOfPart = 1 << 11;

/// The name without .x, .y, .z.
std::string stemOf(const std::string &column) { return column.substr(0, column.rfind('.')); }

/// The kernel's name of a column with an axis; for a complex one without .re or .im.
std::string tableName(const facet_axis_column &column) { return stemOf(column.name); }
char letter(const facet_axis_column &column) { return static_cast<char>('x' + column.axis); }

[[noreturn]] void missingTable(const Mesh &mesh, const facet_axis_column &column) {
  const std::string name = tableName(column), wanted = column.name;
  const bool complex = name != wanted;
  const bool other = mesh.tables.contains(name) || mesh.tables.contains(name + ".re");
  const bool single = mesh.columns.contains(name);
  throw Error(
      mesh.name,
      fmt::format(
          "the kernel needs a column '{}' with the axis {}, a table [values of {}, records] "
          "of {} numbers, which is not there{}",
          name, letter(column), letter(column), complex ? "complex" : "real",
          other    ? complex ? "; that one is real" : "; that one is complex"
          : single ? "; that one has a single number a record"
                   : ""),
      fmt::format("add a dataset '{0}' of this shape{1} to an HDF5 file of the records; in Python "
                  "give columns={{'{0}': ...}}",
                  name, complex ? ", a compound of r and i," : ""));
}

} // namespace

void checkTables(const facet_kernel_description &kernel, const Grid &grid, const Mesh &mesh) {
  for (int c = 0; c < kernel.axis_column_count; ++c) {
    const facet_axis_column &column = kernel.axis_columns[c];
    if (column.axis == FACET_OF_POINTS)
      throw Error(std::string("kernel ") + kernel.name,
                  fmt::format("column '{}' is one of points, not of records: it is the adjoint of "
                              "a kernel, and no plan sums it",
                              column.name),
                  "give the kernel itself, and ask for its gradient");
    if (grid.kind != Grid::Kind::Product)
      throw Error(std::string("kernel ") + kernel.name,
                  fmt::format("column '{}' has the axis {}, and a list of points has no axes",
                              tableName(column), letter(column)),
                  "give q by axes: --qx, --qy, --qz");
    const auto found = mesh.tables.find(column.name);
    if (found == mesh.tables.end())
      missingTable(mesh, column);
    const std::int64_t n = grid.extents()[static_cast<std::size_t>(column.axis)];
    const AxisTable &table = found->second;
    if (table.rows() != n || table.records() != mesh.size())
      throw Error(
          mesh.name,
          fmt::format("column '{}' has the shape [{}, {}]: axis {} of the grid has {} "
                      "value{}, and there are {} records",
                      tableName(column), table.rows(), table.records(), letter(column), n,
                      n == 1 ? "" : "s", mesh.size()),
          fmt::format("give a table [{}, {}], or another axis {}", n, mesh.size(), letter(column)));
  }
}

std::size_t Records::base(const std::string &name) {
  for (std::size_t i = 0; i < base_.size(); ++i)
    if (base_[i].first == name)
      return i;
  base_.emplace_back(name, std::vector<double>());
  return base_.size() - 1;
}

// Buffers are kept: another mesh of as many records allocates nothing.
void Records::readBase(const Mesh &mesh, Pool *threads) {
  std::vector<std::string> names;
  std::vector<double *> to;
  for (auto &[name, values] : base_) {
    values.resize(static_cast<std::size_t>(size_));
    if (zero_.contains(name)) {
      std::ranges::fill(values, 0.0);
      continue;
    }
    names.push_back(name);
    to.push_back(values.data());
  }
  const auto read = [&](std::int64_t first, std::int64_t count) {
    std::vector<double *> part = to;
    for (double *&column : part)
      column += first;
    runtime::columns(mesh, names, first, count, part);
  };
  if (threads == nullptr)
    return read(0, size_);
  const auto readPart = [&](std::int64_t part, int) {
    read(part * mostOfPart, std::min(mostOfPart, size_ - part * mostOfPart));
  };
  threads->run((size_ + mostOfPart - 1) / mostOfPart, readPart, {},
               seconds::ofRecord * static_cast<double>(size_));
}

void Records::setMesh(const Mesh &mesh, Pool *threads) {
  setMesh(mesh, frameOf(summarise(mesh, rolesOf(*kernel_))), threads);
}

void Records::setMesh(const Mesh &mesh, const Frame &frame, Pool *threads) {
  size_ = mesh.size();
  if (size_ == 0)
    throw Error(mesh.name, "the mesh is empty", "a sum needs at least one record");
  columns_.resize(static_cast<std::size_t>(kernel_->column_count));
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const std::string name = kernel_->columns[c];
    Column &column = columns_[c];
    column.turns = kernel_->roles[c].turns != 0;
    column.moves = kernel_->roles[c].moves != 0;
    column.component = 0;
    if (!column.turns) {
      column.parts.fill(base(name));
      continue;
    }
    column.component = name.back() - 'x';
    for (int k = 0; k < 3; ++k)
      column.parts[static_cast<std::size_t>(k)] =
          base(stemOf(name) + "." + static_cast<char>('x' + k));
  }
  readBase(mesh, threads);
  setTables(mesh);
  frame_ = frame;
  update();
}

void Records::setTables(const Mesh &mesh) {
  tables_.clear();
  for (int c = 0; c < kernel_->axis_column_count; ++c) {
    const auto found = mesh.tables.find(kernel_->axis_columns[c].name);
    if (found == mesh.tables.end())
      missingTable(mesh, kernel_->axis_columns[c]);
    tables_.push_back(found->second);
  }
}

std::vector<const double *> Records::columnsAt(const std::array<std::int64_t, 3> &places) const {
  std::vector<const double *> all = inPlace_;
  for (std::size_t c = 0; c < tables_.size(); ++c)
    all.push_back(tables_[c].row(places[static_cast<std::size_t>(kernel_->axis_columns[c].axis)]));
  return all;
}

bool Records::havePlaces() const {
  const facet_role *end = kernel_->roles + kernel_->column_count;
  return kernel_->triangle != 0 ||
         std::any_of(kernel_->roles, end, [](const facet_role &role) { return role.moves != 0; });
}

// Centres the mesh if moving it only turns the sum by a phase: for some kernels this needs sum s n
// to be 0, whether or not edges are open.
Frame Records::frameOf(const MeshSummary &mesh) const {
  Frame frame;
  if (!mesh.places || !havePlaces())
    return frame;
  const Vec3 middle = mesh.middle();
  const double off = std::hypot(middle[0], middle[1], middle[2]);
  frame.centred = off > worthCentring * mesh.farthest &&
                  (kernel_->translation == FACET_TRANSLATE_ALWAYS ||
                   (kernel_->translation == FACET_TRANSLATE_CLOSED && mesh.closed()));
  if (frame.centred)
    frame.centre = middle;
  frame.radius = frame.centred ? mesh.farthest : mesh.farthestFromOrigin;
  return frame;
}

void Records::rotate(const Matrix3 &matrix) {
  matrix_ = matrix;
  turned_ = matrix != noRotation;
  if (turned_)
    checkTurns(*kernel_);
  update();
}

Records Records::taken(const std::vector<std::int64_t> &places) const {
  Records made(*kernel_);
  made.size_ = std::ssize(places);
  made.frame_ = frame_;
  made.frame_.centre = centre_;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    std::vector<double> values;
    values.reserve(places.size());
    for (const std::int64_t t : places)
      values.push_back(inPlace_[c][t]);
    made.base_.emplace_back(kernel_->columns[c], std::move(values));
    Column &column = made.columns_.emplace_back();
    column.moves = columns_[c].moves;
    column.component = columns_[c].component;
    column.parts.fill(c);
  }
  made.update();
  return made;
}

// Buffers are kept: rotating a mesh in a fit allocates nothing after the first time.
void Records::update() {
  const auto n = static_cast<std::size_t>(size_);
  for (std::size_t k = 0; k < 3; ++k)
    centre_[k] = matrix_[3 * k] * frame_.centre[0] + matrix_[3 * k + 1] * frame_.centre[1] +
                 matrix_[3 * k + 2] * frame_.centre[2];
  inPlace_.resize(columns_.size());
  moved_.resize(columns_.size());
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    Column &column = columns_[c];
    const auto component = static_cast<std::size_t>(column.component);
    inPlace_[c] = base_[column.parts[component]].second.data();
    if (turned_ && column.turns) {
      const double *m = &matrix_[3 * component];
      const double *x = base_[column.parts[0]].second.data();
      const double *y = base_[column.parts[1]].second.data();
      const double *z = base_[column.parts[2]].second.data();
      column.turned.resize(n);
      for (std::size_t t = 0; t < n; ++t)
        column.turned[t] = m[0] * x[t] + m[1] * y[t] + m[2] * z[t];
      inPlace_[c] = column.turned.data();
    }
    moved_[c] = inPlace_[c];
    if (frame_.centred && column.moves) {
      column.moved.resize(n);
      for (std::size_t t = 0; t < n; ++t)
        column.moved[t] = inPlace_[c][t] - centre_[component];
      moved_[c] = column.moved.data();
    }
  }
}

void Source::setRules(std::shared_ptr<const NodeRules> rules) {
  rules_ = std::move(rules);
  cuts_.clear();
  for (std::int64_t t = 0; rules_ && t < rules_->triangles(); t = rules_->within(t, mostOfPart))
    cuts_.push_back(t);
  if (rules_)
    cuts_.push_back(rules_->triangles());
}

std::int64_t Source::size() const { return rules_ ? rules_->nodes() : records_->size(); }

std::int64_t Source::parts() const {
  return rules_ ? static_cast<std::int64_t>(cuts_.size()) - 1
                : (records_->size() + mostOfPart - 1) / mostOfPart;
}

void Source::read(std::int64_t index, bool centred, Part &part) const {
  const std::vector<const double *> &from = centred ? records_->centred() : records_->columns();
  if (!rules_) {
    part.first = index * mostOfPart;
    part.count = std::min(mostOfPart, records_->size() - part.first);
    part.columns = from;
    for (const double *&column : part.columns)
      column += part.first;
    return;
  }
  const std::int64_t begin = cuts_[static_cast<std::size_t>(index)];
  const std::int64_t end = cuts_[static_cast<std::size_t>(index) + 1];
  part.first = rules_->nodesBefore(begin);
  part.count = rules_->nodesBefore(end) - part.first;
  constexpr std::size_t own = 4; // node_weight, node.x, node.y, node.z
  const auto n = static_cast<std::size_t>(part.count);
  part.expanded.resize(n * (from.size() + own));
  std::vector<double *> to(from.size() + own);
  part.columns.resize(to.size());
  for (std::size_t c = 0; c < to.size(); ++c)
    part.columns[c] = to[c] = part.expanded.data() + c * n;
  rules_->expand(begin, end, from, to.data());
}

} // namespace facet::runtime
