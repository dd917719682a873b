// execute.cpp - one execution of a plan: pack the records, sum tile by tile, finish.
#include "runtime/plan/state.h"
#include <algorithm>
#include <chrono>
#include <fmt/format.h>

namespace facet::runtime {
namespace {

std::int64_t quotientUp(std::int64_t n, std::int64_t unit) { return (n + unit - 1) / unit; }

} // namespace

void Plan::State::pack() {
  if (packed)
    return;
  constexpr std::int64_t part = 1 << 16;
  const auto n = static_cast<std::size_t>(records.size());
  const std::size_t number = variant->klass == FACET_F64 ? sizeof(double) : sizeof(float);
  const std::size_t narrowBytes = static_cast<std::size_t>(variant->narrow_fields) * number;
  const auto wideFields = static_cast<std::size_t>(variant->wide_fields);
  // A vector load at the last record may read beyond it, never beyond a cache line.
  narrow.resize(n * narrowBytes + 64);
  wide.resize(n * wideFields + 8);
  const std::vector<const double *> &columns = records.centred();
  pool.run(quotientUp(records.size(), part), [&](std::int64_t task, int) {
    const std::int64_t first = task * part;
    const auto at = static_cast<std::size_t>(first);
    std::vector<const double *> from(columns);
    for (const double *&column : from)
      column += first;
    variant->pack(from.data(), std::min(part, records.size() - first), params.data(),
                  narrow.data() + at * narrowBytes, wide.data() + at * wideFields);
  });
  packed = true;
}

// A task is one tile with one chunk of the records; within it blocks of records follow each other,
// so that the sums do not depend on which thread has the task.
void Plan::State::sumTile(std::int64_t task) {
  const std::int64_t tileCount = layout.tileCount();
  const std::int64_t chunk = task / tileCount;
  std::int64_t rest = task % tileCount;
  facet_sum_args args{};
  for (const int k : {2, 1, 0}) {
    args.n[k] = layout.padded[k];
    args.begin[k] = rest % layout.tiles[k] * layout.tile[k];
    args.end[k] = std::min(args.begin[k] + layout.tile[k], layout.padded[k]);
    rest /= layout.tiles[k];
    args.axis_re[k] = layout.re[k].data();
    args.axis_im[k] = layout.im[k].empty() ? nullptr : layout.im[k].data();
  }
  args.narrow = narrow.data();
  args.wide = wide.data();
  args.params = params.data();
  args.re = sumRe.data() + chunk * layout.paddedSize();
  args.im = sumIm.data() + chunk * layout.paddedSize();
  for (std::int64_t x = args.begin[0]; x < args.end[0]; ++x)
    for (std::int64_t y = args.begin[1]; y < args.end[1]; ++y) {
      const std::int64_t row = (x * args.n[1] + y) * args.n[2];
      std::fill(args.re + row + args.begin[2], args.re + row + args.end[2], 0.0);
      std::fill(args.im + row + args.begin[2], args.im + row + args.end[2], 0.0);
    }
  std::int64_t points = 1; // without padding
  for (int k = 0; k < 3; ++k)
    points *= std::max<std::int64_t>(std::min(args.end[k], layout.n[k]) - args.begin[k], 0);
  const std::int64_t block = variant->t_block;
  const std::int64_t blocks = quotientUp(records.size(), block);
  const std::int64_t last = std::min(blocks * (chunk + 1) / layout.chunks * block, records.size());
  for (args.t_begin = blocks * chunk / layout.chunks * block; args.t_begin < last;
       args.t_begin = args.t_end) {
    args.t_end = std::min(args.t_begin + block, last);
    if (const int code = variant->sum(&args); code != 0)
      throw Error(kernel.path().empty() ? std::string("kernel ") + kernel->name : kernel.path(),
                  fmt::format("the sum of class {}, target {} failed with code {}",
                              className(variant->klass), variant->target, code),
                  "this is a fault of the kernel library: build it again", Exit::Failed);
    done.fetch_add(points * (args.t_end - args.t_begin), std::memory_order_relaxed);
  }
}

void Plan::State::sum() {
  done = 0;
  const double total = static_cast<double>(records.size()) * static_cast<double>(layout.size());
  std::function<void()> meanwhile;
  if (progress)
    meanwhile = [&] { progress(static_cast<double>(done), total); };
  pool.run(
      layout.tileCount() * layout.chunks, [this](std::int64_t task, int) { sumTile(task); },
      meanwhile);
}

const std::vector<std::complex<double>> &Plan::execute(const std::vector<double> &params) {
  State &s = *state_;
  if (params.size() != static_cast<std::size_t>(s.kernel->param_count))
    throw Error(std::string("kernel ") + s.kernel->name,
                fmt::format("has {} parameters, {} given", s.kernel->param_count, params.size()));
  const auto start = std::chrono::steady_clock::now();
  s.packed = s.packed && s.params == params;
  s.params = params;
  s.pack();
  s.sum();
  s.finish();
  s.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return s.f;
}

} // namespace facet::runtime
