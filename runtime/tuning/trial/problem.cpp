// problem.cpp - records and grid of a problem, and the calls of a candidate on it.
#include "runtime/tuning/trial/problem.h"
#include "runtime/plan/grid/points.h"
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <ctime>
#include <random>

namespace facet::runtime {
namespace {

constexpr int CheckedRecords = 48;

/// Seconds this thread has run: a busy machine lets it wait, which is no cost of the work.
double threadSeconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

double wallSeconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// A column of the torus, or of random numbers where it has none of that name.
std::vector<double> columnOf(const Mesh &mesh, const std::string &name, std::mt19937_64 &random) {
  const std::size_t n = mesh.triangles.size();
  if (name == "node_weight")
    return std::vector<double>(n, 1.0);
  if (name.starts_with("node."))
    return std::vector<double>(n, 1.0 / 3);
  try {
    return column(mesh, name, centre(mesh));
  } catch (const Error &) { // a column of the user's own
    std::uniform_real_distribution<double> number(0.5, 1.5);
    std::vector<double> values(n);
    for (double &value : values)
      value = number(random);
    return values;
  }
}

Grid gridOf(const facet_kernel_description &kernel, const facet_variant &variant,
            const Problem::Size &size) {
  const std::array<std::int64_t, 3> usual{1, size.y, size.z};
  Grid grid;
  const std::array<double, 3> from{0.1, -2, 0.01}, to{0.1, 2, 2};
  for (std::size_t k = 0; k < 3; ++k) {
    const std::int64_t n = kernel.fixed[k] > 0 ? kernel.fixed[k] : usual[k];
    grid.axes[k] = linspace(from[k], to[k], n);
    if (k == 2 && variant.q == FACET_COMPLEX_Q && kernel.complex_q[2] != 0)
      grid.axes[k].im = linspace(0.001, 0.01, n).re;
  }
  return variant.grid == FACET_PRODUCT ? grid : pointsOf(grid);
}

} // namespace

Problem::Size Problem::onCpu(const facet_variant &variant, int rows) {
  return variant.algorithm == FACET_SEPARABLE ? Size{500, 500} : Size{rows, 200};
}

Problem::Problem(const facet_kernel_description &kernel, const facet_variant &variant, Size size)
    : grid_(gridOf(kernel, variant, size)), params_(likelyParameters(kernel)) {
  mesh_ = makeMesh(
      "torus", {{"major", {30}}, {"minor", {12}}, {"around", {60.0 * size.times}}, {"tube", {55}}});
  records_ = mesh_.size();
  std::mt19937_64 random(1);
  std::vector<std::string> names(kernel.columns, kernel.columns + kernel.column_count);
  if (variant.nodes != 0)
    names.insert(names.end(), {"node_weight", "node.x", "node.y", "node.z"});
  for (const std::string &name : names)
    columns_.push_back(columnOf(mesh_, name, random));
  for (const std::vector<double> &column : columns_)
    pointers_.push_back(column.data());
}

Mesh Problem::mesh(const facet_kernel_description &kernel) const {
  Mesh own = mesh_;
  for (int k = 0; k < kernel.column_count; ++k)
    try {
      column(mesh_, kernel.columns[k]);
    } catch (const Error &) {
      own.columns[kernel.columns[k]] = columns_[static_cast<std::size_t>(k)];
    }
  return own;
}

Candidate::Candidate(const Problem &problem, Kernel kernel, const schedules::Knobs &knobs)
    : problem_(&problem), kernel_(std::move(kernel)), variant_(kernel_->variants[0]) {
  const bool points = variant_.grid == FACET_POINTS;
  variant_.tile[0] = points ? knobs.gridZ : 0;
  variant_.tile[1] = points ? 0 : knobs.gridY;
  variant_.tile[2] = points ? 0 : knobs.gridZ;
  blockT_ = knobs.blockT;
  streams_ = std::clamp(knobs.streams, 1, Queues::most);
  layout_ = layOut(problem.grid(), variant_, kernel_->complex_q, problem.records(), 1);
  const auto n = static_cast<std::size_t>(problem.records());
  const std::size_t number = variant_.klass == FACET_F64 ? sizeof(double) : sizeof(float);
  narrow_.resize(n * static_cast<std::size_t>(variant_.narrow_fields) * number + 64);
  wide_.resize(n * static_cast<std::size_t>(variant_.wide_fields) + 8);
  variant_.pack(problem.columns().data(), problem.records(), problem.params().data(),
                narrow_.data(), wide_.data());
}

void Candidate::useDevice(facet_device *queue) {
  device_ = queue;
  setTiles(layout_, layout_.padded);
}

std::int64_t Candidate::tiles(double bytes) const {
  Layout cut = layout_;
  cutHyperblocks(cut, variant_, {bytes, streams_});
  return cut.tileCount();
}

double Candidate::runOnStreams(Queues &queues, SumBuffers &buffers) const {
  Layout cut = layout_;
  cutHyperblocks(cut, variant_, {deviceRoom(queues, 0), streams_});
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
      if (!callTile(hyperblock(cut, tile), 0, problem_->records(), buffers,
                    own[static_cast<std::size_t>(worker)]))
        failed = true;
  });
  return failed ? 0 : wallSeconds() - start;
}

bool Candidate::callTile(const Hyperblock &tile, std::int64_t begin, std::int64_t end,
                         SumBuffers &buffers, facet_device *device) const {
  facet_sum_args args{};
  args.narrow = narrow_.data();
  args.wide = wide_.data();
  args.params = problem_->params().data();
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
    if (!callTile(hyperblock(layout_, tile), begin, end, buffers, device_))
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
        std::min<std::int64_t>({variant_.t_block, left, problem_->records() - at});
    if (!call(at, at + count, buffers))
      return 0;
    left -= count;
    at = at + count < problem_->records() ? at + count : 0;
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
