// problem.cpp - records and grid of a problem, and the calls of a candidate on it.
#include "runtime/tuning/problem.h"
#include "runtime/plan/grid/points.h"
#include <algorithm>
#include <atomic>
#include <cmath>
#include <random>

namespace facet::runtime {
namespace {

constexpr int CheckedRecords = 48;

/// What only the nodes of a mean over triangles have; else a column of the mesh.
std::vector<double> columnOf(const Mesh &mesh, const std::string &name) {
  if (name == "node_weight")
    return std::vector<double>(static_cast<std::size_t>(mesh.size()), 1.0);
  if (name.starts_with("node."))
    return std::vector<double>(static_cast<std::size_t>(mesh.size()), 1.0 / 3);
  return column(mesh, name, mesh.triangles.empty() ? Vec3{} : centre(mesh));
}

} // namespace

Problem::Size Problem::onCpu(const facet_variant &variant, int rows) {
  return variant.algorithm == FACET_SEPARABLE ? Size{500, 500} : Size{rows, 200};
}

Mesh usualMesh(const facet_kernel_description &kernel, std::int64_t triangles) {
  const double half = static_cast<double>(triangles) / 2;
  const double around = std::max(3.0, std::round(std::sqrt(1.09 * half)));
  Mesh mesh = makeMesh("torus", {{"major", {30}},
                                 {"minor", {12}},
                                 {"around", {around}},
                                 {"tube", {std::max(3.0, std::round(half / around))}}});
  const auto records = static_cast<std::size_t>(mesh.size());
  if (kernel.triangle == 0)
    mesh.triangles.clear();
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> number(0.5, 1.5);
  for (int c = 0; c < kernel.column_count; ++c)
    try {
      column(mesh, kernel.columns[c]);
    } catch (const Error &) { // a column of the user's own
      std::vector<double> &values = mesh.columns[kernel.columns[c]];
      for (std::size_t k = 0; k < records; ++k)
        values.push_back(number(random));
    }
  return mesh;
}

Grid usualGrid(const facet_kernel_description &kernel, facet_grid_kind kind, facet_q_kind q,
               std::int64_t y, std::int64_t z) {
  const std::array<std::int64_t, 3> usual{1, y, z};
  const std::array<double, 3> from{0.1, -2, 0.01}, to{0.1, 2, 2};
  Grid grid;
  for (std::size_t k = 0; k < 3; ++k)
    grid.axes[k] = linspace(from[k], to[k], kernel.fixed[k] > 0 ? kernel.fixed[k] : usual[k]);
  if (q == FACET_COMPLEX_Q && kernel.complex_q[2] != 0)
    grid.axes[2].im = linspace(0.001, 0.01, static_cast<std::int64_t>(grid.axes[2].re.size())).re;
  return kind == FACET_PRODUCT ? grid : pointsOf(grid);
}

Problem::Problem(const facet_kernel_description &kernel, const facet_variant &variant, Size size)
    : grid(usualGrid(kernel, static_cast<facet_grid_kind>(variant.grid),
                     static_cast<facet_q_kind>(variant.q), size.y, size.z)),
      params(likelyParameters(kernel)) {
  const Mesh mesh = usualMesh(kernel, 6600 * size.times);
  records = mesh.size();
  std::vector<std::string> names(kernel.columns, kernel.columns + kernel.column_count);
  if (variant.nodes != 0)
    names.insert(names.end(), {"node_weight", "node.x", "node.y", "node.z"});
  for (const std::string &name : names)
    values.push_back(columnOf(mesh, name));
  for (const std::vector<double> &column : values)
    columns.push_back(column.data());
}

Candidate::Candidate(const Problem &problem, Kernel kernel, const schedules::Knobs &knobs)
    : problem_(&problem), kernel_(std::move(kernel)), variant_(kernel_->variants[0]) {
  const bool points = variant_.grid == FACET_POINTS;
  variant_.tile[0] = points ? knobs.gridZ : 0;
  variant_.tile[1] = points ? 0 : knobs.gridY;
  variant_.tile[2] = points ? 0 : knobs.gridZ;
  blockT_ = knobs.blockT;
  streams_ = std::clamp(knobs.streams, 1, Queues::most);
  layout_ = layOut(problem.grid, variant_, kernel_->complex_q, problem.records, 1);
  const auto n = static_cast<std::size_t>(problem.records);
  const std::size_t number = variant_.klass == FACET_F64 ? sizeof(double) : sizeof(float);
  narrow_.resize(n * static_cast<std::size_t>(variant_.narrow_fields) * number + 64);
  wide_.resize(n * static_cast<std::size_t>(variant_.wide_fields) + 8);
  variant_.pack(problem.columns.data(), problem.records, problem.params.data(), narrow_.data(),
                wide_.data());
}

void Candidate::useDevice(facet_device *queue) {
  device_ = queue;
  layout_.tile = layout_.padded;
}

std::int64_t Candidate::tiles(double bytes) const {
  Layout cut = layout_;
  cut.tile = tileOfDevice(cut.padded, variant_, {bytes, streams_});
  return cut.tileCount();
}

double Candidate::runOnStreams(Queues &queues, SumBuffers &buffers) const {
  Layout cut = layout_;
  cut.tile = tileOfDevice(cut.padded, variant_, {deviceRoom(queues, 0), streams_});
  buffers.fit(layout_.paddedSize());
  std::vector<facet_device *> own;
  own.reserve(static_cast<std::size_t>(streams_));
  for (int k = 0; k < streams_; ++k)
    own.push_back(queues.queue(k));
  std::atomic<std::int64_t> next{0};
  std::atomic<bool> failed{false};
  queues.pool().limit(streams_);
  const double start = wallSeconds();
  queues.pool().run(streams_, [&](std::int64_t, int worker) {
    for (std::int64_t tile = next++; tile < cut.tileCount() && !failed; tile = next++)
      if (!callTile(cut.tiles().at(tile), 0, problem_->records, buffers,
                    own[static_cast<std::size_t>(worker)]))
        failed = true;
  });
  return failed ? 0 : wallSeconds() - start;
}

bool Candidate::callTile(const Box &tile, std::int64_t begin, std::int64_t end, SumBuffers &buffers,
                         facet_device *device) const {
  facet_sum_args args{};
  args.narrow = narrow_.data();
  args.wide = wide_.data();
  args.params = problem_->params.data();
  args.t_begin = begin;
  args.t_end = end;
  args.re = buffers.re.data();
  args.im = buffers.im.data();
  for (int k = 0; k < 3; ++k) {
    args.n[k] = layout_.padded[k];
    args.axis_re[k] = layout_.re[k].data();
    args.axis_im[k] = layout_.im[k].empty() ? nullptr : layout_.im[k].data();
  }
  for (std::size_t k = 0; k < 3; ++k) {
    args.begin[k] = tile.begin[k];
    args.end[k] = tile.end[k];
  }
  args.device = device;
  return variant_.sum(&args) == FACET_DONE;
}

bool Candidate::call(std::int64_t begin, std::int64_t end, SumBuffers &buffers) const {
  for (std::int64_t tile = 0; tile < layout_.tileCount(); ++tile)
    if (!callTile(layout_.tiles().at(tile), begin, end, buffers, device_))
      return false;
  return true;
}

double Candidate::run(std::int64_t records, SumBuffers &buffers) const {
  buffers.fit(layout_.paddedSize());
  const auto seconds = device_ != nullptr ? wallSeconds : threadSeconds;
  const double start = seconds();
  std::int64_t at = 0;
  for (std::int64_t left = records; left > 0;) {
    const std::int64_t count =
        std::min<std::int64_t>({variant_.t_block, left, problem_->records - at});
    if (!call(at, at + count, buffers))
      return 0;
    left -= count;
    at = at + count < problem_->records ? at + count : 0;
  }
  return seconds() - start;
}

double Candidate::work(std::int64_t records) const {
  return static_cast<double>(records) * static_cast<double>(layout_.size());
}

std::vector<double> Candidate::sample(SumBuffers &buffers) const {
  const auto size = static_cast<std::size_t>(layout_.paddedSize());
  buffers.re.assign(size, 0.0);
  buffers.im.assign(size, 0.0);
  std::vector<double> values;
  if (!call(0, CheckedRecords, buffers))
    return values;
  for (std::int64_t i = 0; i < layout_.size(); i += 37) {
    const std::int64_t z = i % layout_.n[2], rows = i / layout_.n[2];
    const std::int64_t y = rows % layout_.n[1], x = rows / layout_.n[1];
    const auto at = static_cast<std::size_t>((x * layout_.padded[1] + y) * layout_.padded[2] + z);
    values.push_back(buffers.re[at]);
    values.push_back(buffers.im[at]);
  }
  return values;
}

double disagreement(const std::vector<double> &a, const std::vector<double> &b) {
  double most = 0, size = 0;
  for (std::size_t k = 0; k < b.size() && k < a.size(); ++k) {
    most = std::max(most, std::abs(a[k] - b[k]));
    size = std::max(size, std::abs(b[k]));
    if (std::isnan(a[k]) != std::isnan(b[k]))
      return HUGE_VAL;
  }
  return a.size() != b.size() ? HUGE_VAL : size > 0 ? most / size : most;
}

} // namespace facet::runtime
