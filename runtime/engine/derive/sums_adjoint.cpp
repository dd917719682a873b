// sums_adjoint.cpp - the adjoint of a kernel carried out: a direct sum whose points are the records
// of the mesh and whose records are the q of the grid, each with its cotangent.
#include "runtime/engine/derive/sums_adjoint.h"
#include "runtime/engine/kernel/inside.h"
#include <algorithm>
#include <cmath>
#include <facet/runtime/mesh.h>
#include <fmt/format.h>
#include <numeric>

namespace facet::runtime {
namespace {

constexpr std::string_view ofSum = "sum", ofCotangent = "cotangent";

} // namespace

DirectAdjoint::DirectAdjoint(Kernel kernel, Kernel adjoint, const Grid &grid,
                             const std::string &target, facet_class klass,
                             std::shared_ptr<Pool> pool)
    : kernel_(std::move(kernel)), adjoint_(std::move(adjoint)), grid_(grid), pool_(std::move(pool)),
      variant_(findVariant(adjoint_, adjoint_.chooseTarget(target), klass, FACET_POINTS,
                           FACET_REAL_Q, FACET_DIRECT)),
      records_(*adjoint_) {
  if (variant_ == nullptr)
    throw Error(whereIs(adjoint_), fmt::format("holds no sum of class {}", className(klass)),
                "this is a fault of facet", Exit::Failed);
  if (variant_->interface_ != FACET_CPU)
    queues_ = openQueues(variant_->target);
  list_.kind = Grid::Kind::Points;
  qs_.name = "the cotangent";
  atZero_ = zeroPoints(grid);
  if (kernel_->origin != nullptr)
    zeros_ = atZero_;
  take(zeros_);
}

void DirectAdjoint::take(std::vector<std::int64_t> left) {
  left_ = std::move(left);
  taken_.clear();
  for (std::int64_t i = 0; i < grid_.size(); ++i)
    if (!std::ranges::binary_search(left_, i))
      taken_.push_back(i);
}

/// Whether these q are other ones than before. F may be NaN at q = 0, which does not count if its
/// cotangent is 0.
bool DirectAdjoint::takeCounted(const std::vector<std::complex<double>> &g) {
  std::vector<std::int64_t> left = atZero_;
  if (kernel_->origin == nullptr)
    std::erase_if(left, [&](std::int64_t i) {
      bool counts = false;
      for (; i < std::ssize(g); i += grid_.size()) // each output
        counts |= g[static_cast<std::size_t>(i)] != 0.0;
      return counts;
    });
  if (left == left_)
    return false;
  take(std::move(left));
  return true;
}

std::vector<std::string> DirectAdjoint::columnNames() const {
  std::vector<std::string> names;
  for (const facet_output &output : outputsOf(*adjoint_))
    names.emplace_back(output.name);
  return names;
}

bool DirectAdjoint::readsSums() const {
  return std::any_of(adjoint_->columns, adjoint_->columns + adjoint_->column_count,
                     [](const char *name) { return std::string_view(name).starts_with(ofSum); });
}

void DirectAdjoint::setMesh(const Mesh &mesh) {
  if (mesh.size() == 0)
    throw Error(mesh.name, "the mesh is empty", "a sum needs at least one record");
  mesh_ = &mesh;
  const Mesh first = taken(mesh, {0}); // enough to see whether the mesh has the columns
  for (int c = 0; c < adjoint_->axis_column_count; ++c)
    column(first, adjoint_->axis_columns[c].name);
}

void DirectAdjoint::setCotangent(const std::vector<std::complex<double>> &g,
                                 const std::vector<std::complex<double>> *sums,
                                 const std::vector<double> &params, bool originAlone) {
  params_ = params;
  if (kernel_->origin != nullptr) {
    for (std::int64_t first = 0; first < std::ssize(g); first += grid_.size()) { // of each output
      std::complex<double> atZero = 0;
      for (const std::int64_t i : zeros_)
        atZero += g[static_cast<std::size_t>(first + i)];
      params_.insert(params_.end(), {atZero.real(), atZero.imag()});
    }
  }
  const bool others = takeCounted(g);
  const bool none = originAlone || taken_.empty(); // then one q, whose cotangent is 0
  const bool same = none == std::exchange(none_, none) && !others;
  std::vector<std::pair<std::string, std::vector<double> *>> some; // columns to be set
  for (int c = 0; c < adjoint_->column_count; ++c) {
    const std::string name = adjoint_->columns[c];
    if (!same || !name.starts_with("q.") || !qs_.columns.contains(name))
      some.emplace_back(name, &qs_.columns[name]);
  }
  const auto set = [&](std::int64_t task, int) {
    const auto &[name, to] = some[static_cast<std::size_t>(task)];
    *to = none ? std::vector<double>{name.starts_with("q.") ? 1.0 : 0.0} : columnOf(name, g, sums);
  };
  pool_->run(std::ssize(some), set, {},
             seconds::ofRecord * static_cast<double>(none ? 0 : std::ssize(taken_)));
}

std::vector<double> DirectAdjoint::columnOf(const std::string &name,
                                            const std::vector<std::complex<double>> &g,
                                            const std::vector<std::complex<double>> *sums) const {
  const bool imaginary = name.ends_with(".im");
  const auto part = [&](const std::complex<double> &z) { return imaginary ? z.imag() : z.real(); };
  std::vector<double> values;
  values.reserve(taken_.size());
  if (name.starts_with("q.")) {
    const auto k = static_cast<std::size_t>(name[2] - 'x');
    for (const std::int64_t i : taken_)
      values.push_back(part(grid_.at(i)[k]));
    return values;
  }
  const bool isSum = name.starts_with(ofSum);
  const std::int64_t number = std::stol(name.substr((isSum ? ofSum : ofCotangent).size()));
  const std::complex<double> *from = (isSum ? *sums : g).data() + number * grid_.size();
  for (const std::int64_t i : taken_)
    values.push_back(part(from[i]));
  return values;
}

void DirectAdjoint::take(const std::vector<std::int64_t> *places) {
  const Mesh some = places != nullptr ? taken(*mesh_, *places) : Mesh();
  const Mesh &mesh = places != nullptr ? some : *mesh_;
  const std::int64_t n = mesh.size();
  for (Axis &axis : list_.axes)
    axis.re.assign(static_cast<std::size_t>(n), 0.0);
  all_.resize(static_cast<std::size_t>(n));
  std::iota(all_.begin(), all_.end(), 0);
  const auto padded = static_cast<std::size_t>(roundUp(n, variant_->pad[0]));
  for (int c = 0; c < adjoint_->axis_column_count; ++c) {
    const std::string name = adjoint_->axis_columns[c].name;
    std::vector<double> values = column(mesh, name);
    values.resize(padded, values.back());
    qs_.tables[name] = AxisTable(1, static_cast<std::int64_t>(padded), std::move(values));
  }
  records_.setMesh(qs_, pool_.get());
}

Sums DirectAdjoint::sums() const {
  static const std::function<void(double, double)> silent;
  SumContext work{adjoint_, list_, records_, *pool_, params_, all_, silent, queues_.get()};
  work.leave = leave_;
  return Sums(work, *variant_);
}

ColumnGradient DirectAdjoint::columns(const std::vector<std::int64_t> *places) {
  take(places);
  Sums sums = this->sums();
  sums.sum();
  device_ = sums.device();
  const auto size = static_cast<std::size_t>(list_.size());
  std::vector<std::complex<double>> made(outputsOf(*adjoint_).size() * size);
  sums.finish(made.data());
  ColumnGradient gradient;
  const std::complex<double> *at = made.data();
  for (const facet_output &output : outputsOf(*adjoint_)) {
    std::vector<double> &values = gradient[output.name];
    values.reserve(size);
    for (std::size_t t = 0; t < size; ++t)
      values.push_back((at++)->real());
    mustBeFinite(output.name, values);
  }
  return gradient;
}

double DirectAdjoint::expected() {
  take(nullptr);
  Sums sums = this->sums();
  return sums.predict(sums.measure());
}

void DirectAdjoint::mustBeFinite(const std::string &name, const std::vector<double> &values) const {
  const auto bad = std::ranges::find_if(values, [](double value) { return !std::isfinite(value); });
  if (bad != values.end())
    throw Error(
        std::string("kernel ") + kernel_->name,
        fmt::format("its derivative by column '{}' is not finite at record {}", name,
                    bad - values.begin()),
        "F is not finite at a q (let its cotangent be 0), or has no derivative there: a root "
        "or a modulus of 0");
}

} // namespace facet::runtime
