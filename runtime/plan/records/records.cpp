// records.cpp - the columns a kernel reads, from a mesh that may be rotated and centred.
#include "runtime/plan/records/records.h"
#include <algorithm>
#include <cmath>
#include <facet/runtime/error.h>
#include <string_view>

namespace facet::runtime {
namespace {

constexpr std::string_view vectors[] = {
#define FACET_TRIANGLE(name, is_vector, doc) is_vector ? #name : "",
#include <facet/triangle.def>
};

/// Not worth a rounding where the mesh is (nearly) centred already.
constexpr double worthCentring = 0.01;

bool isVector(const std::string &stem) {
  return !stem.empty() &&
         std::find(std::begin(vectors), std::end(vectors), stem) != std::end(vectors);
}
bool isPosition(const std::string &stem) {
  return stem == "centroid" || stem.rfind("vertex", 0) == 0;
}

double farthest(const Mesh &mesh, const Vec3 &from) {
  double most = 0;
  const auto take = [&](const Vec3 &v) {
    most = std::max(most, std::hypot(v[0] - from[0], v[1] - from[1], v[2] - from[2]));
  };
  for (const auto &triangle : mesh.triangles)
    for (const Vec3 &corner : triangle)
      take(corner);
  for (const Vec3 &centroid : mesh.facets.centroid)
    take(centroid);
  return most;
}

// Whether moving the mesh turns the sum by a phase only. For kernels that ask for a closed mesh
// this looks at every edge, so it is asked last.
bool mayCentre(const facet_kernel_description &kernel, const Mesh &mesh) {
  return kernel.translation == FACET_TRANSLATE_ALWAYS || inspect(mesh).closed;
}

} // namespace

std::size_t Records::base(const Mesh &mesh, const std::string &name) {
  for (std::size_t i = 0; i < base_.size(); ++i)
    if (base_[i].first == name)
      return i;
  base_.emplace_back(name, column(mesh, name));
  return base_.size() - 1;
}

void Records::setMesh(const Mesh &mesh) {
  setMesh(mesh, mesh.size() == 0 ? Frame() : frameOf(mesh));
}

void Records::setMesh(const Mesh &mesh, const Frame &frame) {
  size_ = mesh.size();
  if (size_ == 0)
    throw Error(mesh.name, "the mesh is empty", "a sum needs at least one record");
  base_.clear();
  columns_.resize(static_cast<std::size_t>(kernel_->column_count));
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const std::string name = kernel_->columns[c];
    Column &column = columns_[c];
    const std::size_t dot = name.rfind('.');
    const std::string stem = dot == std::string::npos ? "" : name.substr(0, dot);
    column.vector = kernel_->triangle != 0 && isVector(stem) ? stem : "";
    if (column.vector.empty()) {
      column.parts.fill(base(mesh, name));
      continue;
    }
    column.component = name.back() - 'x';
    column.position = isPosition(stem);
    for (int k = 0; k < 3; ++k)
      column.parts[static_cast<std::size_t>(k)] =
          base(mesh, stem + "." + static_cast<char>('x' + k));
  }
  frame_ = frame;
  update();
}

Frame Records::frameOf(const Mesh &mesh) const {
  Frame frame;
  if (kernel_->triangle == 0)
    return frame;
  if (kernel_->translation != FACET_TRANSLATE_NO) {
    const Vec3 middle = runtime::centre(mesh);
    const double off = std::hypot(middle[0], middle[1], middle[2]);
    frame.centred = off > worthCentring * farthest(mesh, middle) && mayCentre(*kernel_, mesh);
    if (frame.centred)
      frame.centre = middle;
  }
  frame.radius = farthest(mesh, frame.centre);
  return frame;
}

Frame Records::frameOf(const MeshSummary &mesh) const {
  Frame frame;
  if (kernel_->triangle == 0 || !mesh.surface)
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

void Records::rotate(const std::array<double, 9> &matrix) {
  matrix_ = matrix;
  turned_ = matrix != std::array<double, 9>{1, 0, 0, 0, 1, 0, 0, 0, 1};
  update();
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
    if (turned_ && !column.vector.empty()) {
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
    if (frame_.centred && column.position) {
      column.moved.resize(n);
      for (std::size_t t = 0; t < n; ++t)
        column.moved[t] = inPlace_[c][t] - centre_[component];
      moved_[c] = column.moved.data();
    }
  }
}

} // namespace facet::runtime
