// sum.cpp - one execution of sums: pack the records, sum tile by tile; then from sums to F: chunks
// added, centring undone, what is not finite found.
#include "runtime/engine/sum/sums.h"
#include "runtime/engine/system/budget.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace facet::runtime {

std::string whereIs(const Kernel &kernel) {
  return kernel.path().empty() ? std::string("kernel ") + kernel->name : kernel.path();
}

const facet_variant *findVariant(const Kernel &kernel, const std::string &target, int klass,
                                 int grid, int q, int algorithm) {
  const facet_variant *found = kernel.find(target, klass, grid, q, algorithm);
  return found != nullptr ? found : kernel.find(target, klass, grid, FACET_COMPLEX_Q, algorithm);
}

const facet_transforms *findTransforms(const Kernel &kernel, int q) {
  const facet_transforms *found = kernel.transforms(q);
  return found != nullptr ? found : kernel.transforms(FACET_COMPLEX_Q);
}

/// What repairs lists of few q. A device would have to compile one more kernel for them, so if it
/// runs the target, this is the variant of the best CPU target, if there is one.
const facet_variant *findPrecise(const Kernel &kernel, const std::string &target, int q) {
  const facet_variant *found =
      findVariant(kernel, target, FACET_F64, FACET_POINTS, q, FACET_DIRECT);
  if (found != nullptr && found->interface_ == FACET_CPU)
    return found;
  for (const Target &t : targets())
    if (t.runnable())
      if (const facet_variant *v =
              findVariant(kernel, t.name, FACET_F64, FACET_POINTS, q, FACET_DIRECT);
          v != nullptr && v->interface_ == FACET_CPU)
        found = v;
  return found;
}

const facet_variant *findRest(const Kernel &kernel, const std::string &target, const Grid &grid) {
  const int q = kindOf(grid);
  const facet_variant *points = findPrecise(kernel, target, q);
  const facet_variant *product =
      points != nullptr && grid.kind == Grid::Kind::Product
          ? findVariant(kernel, points->target, FACET_F64, FACET_PRODUCT, q, FACET_DIRECT)
          : nullptr;
  const facet_variant *found = product != nullptr ? product : points;
  return found != nullptr && found->components_fn != nullptr ? found : nullptr;
}

const facet_variant &anyDirect(const Kernel &kernel, const std::string &target, int q,
                               const facet_variant *precise) {
  if (precise != nullptr)
    return *precise;
  for (const int kind : {FACET_PRODUCT, FACET_POINTS})
    for (const int klass : {FACET_F32, FACET_F32_CAREFUL, FACET_F64})
      if (const facet_variant *v = findVariant(kernel, target, klass, kind, q, FACET_DIRECT))
        return *v;
  throw Error(whereIs(kernel),
              fmt::format("holds no variant for {} q, target {}", qName(q), target),
              "build it with facet build for this grid, or give facet run the kernel's source");
}

Sums::Sums(const SumContext &work, const facet_variant &variant,
           std::shared_ptr<const NodeRules> rules)
    : Algorithm(work), variant_(&variant), source_(work.records) {
  source_.setRules(std::move(rules));
  layout_ = layOut(work.grid, variant, work.kernel->complex_q, source_.size(), work.pool.size(),
                   work.apart);
  if (work.chunks > 0)
    layout_.chunks = work.chunks;
  if (variant.interface_ == FACET_CPU)
    return;
  if (work.queues == nullptr)
    throw Error(std::string("target ") + variant.target, "runs on a device, and none was opened",
                "this is a fault of facet", Exit::Failed);
  layout_.tile = tileOfDevice(layout_.padded, variant, room());
  layout_.block = recordsPerCall(variant, room(), tableBytes());
}

void Sums::resized(std::shared_ptr<const NodeRules> rules) {
  packed_ = false;
  source_.setRules(std::move(rules));
  if (work_.chunks == 0)
    layout_.chunks = chunksOf(layout_, *variant_, source_.size());
}

double Sums::tableBytes() const {
  double rows = 0;
  for (int c = 0; c < work_.kernel->axis_column_count; ++c) {
    const auto axis = static_cast<std::size_t>(work_.kernel->axis_columns[c].axis);
    if (axis != FACET_OF_POINTS)
      rows += static_cast<double>(std::min(layout_.tile[axis], layout_.n[axis]));
  }
  return bytes::ofNumber * rows;
}

// Tables are read where they lie: every thread reads the same numbers.
void Sums::setTables() {
  tables_.clear();
  const facet_kernel_description &kernel = *work_.kernel;
  for (int c = 0; c < kernel.axis_column_count; ++c) {
    const AxisTable &table = work_.records.tables()[static_cast<std::size_t>(c)];
    if (kernel.axis_columns[c].axis == FACET_OF_POINTS) {
      tables_.push_back({table.row(0), 0});
      continue;
    }
    const auto axis = static_cast<std::size_t>(kernel.axis_columns[c].axis);
    tables_.push_back({table.row(work_.grid.first[axis]), table.stride()});
  }
}

void Sums::pack() {
  if (packed_)
    return;
  setTables();
  const auto n = static_cast<std::size_t>(source_.size());
  const std::size_t number = variant_->klass == FACET_F64 ? sizeof(double) : sizeof(float);
  const std::size_t narrowBytes = static_cast<std::size_t>(variant_->narrow_fields) * number;
  const auto wideFields = static_cast<std::size_t>(variant_->wide_fields);
  // A vector load at the last record may read beyond it, never beyond a cache line.
  narrow_.resize(n * narrowBytes + 64);
  wide_.resize(n * wideFields + 8);
  const auto packPart = [&](std::int64_t task, int) {
    Source::Part part;
    source_.read(task, true, part);
    const auto at = static_cast<std::size_t>(part.first);
    variant_->pack(part.columns.data(), part.count, work_.params.data(),
                   narrow_.data() + at * narrowBytes, wide_.data() + at * wideFields);
  };
  work_.pool.run(source_.parts(), packPart, {}, seconds::ofRecord * static_cast<double>(n));
  totals_.compute(variant_->totals_fn, variant_->totals, work_, source_);
  packed_ = true;
}

facet_sum_args Sums::arguments(const Box &block, std::int64_t chunk) {
  facet_sum_args args{};
  for (std::size_t k = 0; k < 3; ++k) {
    args.n[k] = layout_.padded[k];
    args.begin[k] = block.begin[k];
    args.end[k] = block.end[k];
    args.axis_re[k] = layout_.re[k].data();
    args.axis_im[k] = layout_.im[k].empty() ? nullptr : layout_.im[k].data();
  }
  args.narrow = narrow_.data();
  args.wide = wide_.data();
  args.tables = tables_.data();
  std::ranges::copy(layout_.n, args.table_rows);
  args.params = work_.params.data();
  args.sums = chunkSums_.data() + chunk * std::ssize(sums_);
  return args;
}

void Sums::clear(const Box &block, std::int64_t chunk) {
  if (layout_.kind == FACET_POINTS) { // one row of all x
    const std::int64_t at = chunk * layout_.paddedSize() + block.begin[0];
    for (AlignedVector<double> &sum : sums_)
      std::fill_n(sum.data() + at, block.extent(0), 0.0);
    return;
  }
  for (std::int64_t x = block.begin[0]; x < block.end[0]; ++x)
    for (std::int64_t y = block.begin[1]; y < block.end[1]; ++y) {
      const std::int64_t row = chunk * layout_.paddedSize() +
                               (x * layout_.padded[1] + y) * layout_.padded[2] + block.begin[2];
      for (AlignedVector<double> &sum : sums_)
        std::fill_n(sum.data() + row, block.extent(2), 0.0);
    }
}

std::int64_t Sums::pointsOf(const Box &block) const {
  std::int64_t points = 1;
  for (std::size_t k = 0; k < 3; ++k)
    points *= std::max<std::int64_t>(std::min(block.end[k], layout_.n[k]) - block.begin[k], 0);
  return points;
}

// A task is one tile with one chunk of the records. Within it blocks of records follow each other.
// So the sums do not depend on which thread has the task.
void Sums::sumTile(std::int64_t task) {
  const Cutter tiles = layout_.tiles();
  const std::int64_t chunk = task / tiles.count(), records = source_.size();
  const Box tile = tiles.at(task % tiles.count());
  facet_sum_args args = arguments(tile, chunk);
  clear(tile, chunk);
  const std::int64_t points = pointsOf(tile), block = layout_.block;
  const std::int64_t blocks = quotientUp(records, block);
  const std::int64_t last = std::min(blocks * (chunk + 1) / layout_.chunks * block, records);
  for (args.t_begin = blocks * chunk / layout_.chunks * block; args.t_begin < last;
       args.t_begin = args.t_end) {
    work_.look();
    args.t_end = std::min(args.t_begin + block, last);
    if (const int code = variant_->sum(&args); code != 0)
      throw Error(whereIs(work_.kernel),
                  fmt::format("the sum of class {}, target {} failed with code {}",
                              className(variant_->klass), variant_->target, code),
                  "this is a fault of the kernel library: build it again", Exit::Failed);
    done_.fetch_add(points * (args.t_end - args.t_begin), std::memory_order_relaxed);
  }
}

void Sums::sum() {
  pack();
  sums_.resize(static_cast<std::size_t>(bytes::realSums(*variant_)));
  for (AlignedVector<double> &sum : sums_)
    sum.resize(static_cast<std::size_t>(layout_.chunks * layout_.paddedSize()));
  chunkSums_.clear();
  for (std::int64_t chunk = 0; chunk < layout_.chunks; ++chunk)
    for (AlignedVector<double> &sum : sums_)
      chunkSums_.push_back(sum.data() + chunk * layout_.paddedSize());
  done_ = 0;
  const double total = static_cast<double>(source_.size()) * static_cast<double>(layout_.size());
  std::function<void()> meanwhile;
  if (work_.progress)
    meanwhile = [&] { work_.progress(static_cast<double>(done_), total); };
  if (variant_->interface_ != FACET_CPU) {
    sumOnDevice(meanwhile);
    return;
  }
  work_.pool.run(
      layout_.tileCount() * layout_.chunks, [this](std::int64_t task, int) { sumTile(task); },
      meanwhile, seconds::ofTerm * total);
}

std::vector<std::span<double>> Sums::partial() {
  std::vector<std::span<double>> all;
  for (AlignedVector<double> &sum : sums_)
    all.emplace_back(sum.data(), sum.size());
  return all;
}

namespace {

/// e^{i q c} with q = re + i im.
std::complex<double> cis(double re, double im, double c) {
  const double size = std::exp(-im * c);
  return {size * std::cos(re * c), size * std::sin(re * c)};
}

} // namespace

/// cis(q.centre) at q of the grid; `inRow`: its place in its row, `row`: the factor of the row.
std::complex<double> Sums::turnAt(std::int64_t q, std::int64_t inRow,
                                  const std::complex<double> &row) const {
  const Layout &l = layout_;
  if (l.kind == FACET_PRODUCT)
    return row * turn_[2][static_cast<std::size_t>(inRow)];
  const auto p = static_cast<std::size_t>(q);
  double qcRe = 0, qcIm = 0;
  for (int k = 0; k < 3; ++k) {
    qcRe += l.re[k][p] * work_.records.centre()[k];
    qcIm += l.im[k].empty() ? 0 : l.im[k][p] * work_.records.centre()[k];
  }
  return cis(qcRe, qcIm, 1);
}

// `first` begins a row (product) or a part of the list (points).
void Sums::gather(std::int64_t first, std::int64_t count, double *const *to) const {
  const Layout &l = layout_;
  const bool centred = work_.records.frame().centred;
  std::int64_t from = first; // place in the padded sums
  std::complex<double> rowTurn = 1;
  if (l.kind == FACET_PRODUCT) {
    const std::int64_t row = first / l.n[2], x = row / l.n[1], y = row % l.n[1];
    from = (x * l.padded[1] + y) * l.padded[2];
    if (centred)
      rowTurn = turn_[0][static_cast<std::size_t>(x)] * turn_[1][static_cast<std::size_t>(y)];
  }
  for (std::size_t s = 0; s < sums_.size(); ++s) {
    std::copy_n(sums_[s].data() + from, count, to[s]);
    for (std::int64_t chunk = 1; chunk < l.chunks; ++chunk)
      for (std::int64_t i = 0; i < count; ++i)
        to[s][i] += sums_[s][static_cast<std::size_t>(chunk * l.paddedSize() + from + i)];
  }
  for (std::int64_t i = 0; i < count && centred; ++i) {
    const std::complex<double> turn = turnAt(first + i, i, rowTurn);
    double *const *sum = to;
    // A shift multiplies F of the kernel by a phase. A sum that is real wherever the mesh is can
    // then only be 0: it stays as it is.
    for (int c = 0; c < variant_->components; sum += variant_->parts[c], ++c)
      if (variant_->parts[c] == 2) {
        const std::complex<double> turned = turn * std::complex<double>(sum[0][i], sum[1][i]);
        sum[0][i] = turned.real();
        sum[1][i] = turned.imag();
      }
  }
}

void Sums::makePart(const GridPart &part, int worker, const SumTarget &made) {
  const std::int64_t count = part.count;
  std::array<double *, std::size_t{3} * FACET_MOST_SUMS> lines{}; // of the sums, then of F
  std::array<const double *, std::size_t{3} + FACET_MOST_SUMS> re{part.re[0], part.re[1],
                                                                  part.re[2]};
  for (std::size_t c = 0; c < tables_.size() && tables_[c].stride == 0; ++c)
    re[3 + c] = tables_[c].values + part.first; // of points
  const std::size_t sums = sums_.size(), all = sums + made.lines;
  for (std::size_t s = 0; s < all; ++s)
    lines[s] =
        buffers_[static_cast<std::size_t>(worker)].data() + static_cast<std::int64_t>(s) * count;
  gather(part.first, count, lines.data());
  made.by(re.data(), part.im, part.stride, count, work_.params.data(), totals_.values(),
          lines.data(), lines.data() + sums);
  for (std::int64_t i = 0; i < count; ++i) {
    bool finite = true;
    std::complex<double> *to = made.to + part.first + i;
    for (std::size_t line = sums; line < all; line += 2, to += layout_.size()) {
      const double re = lines[line][i], im = lines[line + 1][i];
      *to = {re, im};
      finite = finite && std::isfinite(re) && std::isfinite(im);
    }
    if (made.finite && !finite && notFinite_.note(part.first + i, work_.zeros))
      badSums_ = badSums_ || std::any_of(lines.begin(), lines.begin() + static_cast<long>(sums),
                                         [&](const double *sum) { return !std::isfinite(sum[i]); });
  }
}

void Sums::finish(std::complex<double> *f) { make({variant_->finish, linesOfF(), f, true}); }

void Sums::components(std::complex<double> *to) {
  make({variant_->components_fn, 2 * static_cast<std::size_t>(variant_->components), to, false});
}

void Sums::make(const SumTarget &made) {
  notFinite_.clear();
  badSums_ = false;
  const bool product = layout_.kind == FACET_PRODUCT;
  for (std::size_t k = 0; k < 3 && product && work_.records.frame().centred; ++k) {
    turn_[k].resize(static_cast<std::size_t>(layout_.n[k]));
    for (std::size_t i = 0; i < turn_[k].size(); ++i)
      turn_[k][i] = cis(layout_.re[k][i], layout_.im[k].empty() ? 0 : layout_.im[k][i],
                        work_.records.centre()[k]);
  }
  const GridParts parts(product, layout_.n);
  // One buffer a thread, kept between executions.
  buffers_.resize(static_cast<std::size_t>(work_.pool.size()));
  for (std::vector<double> &buffer : buffers_)
    buffer.resize((sums_.size() + made.lines) * static_cast<std::size_t>(parts.length()));
  work_.pool.run(
      parts.size(),
      [&](std::int64_t k, int worker) {
        makePart(parts.part(k, layout_.re, layout_.im), worker, made);
      },
      {}, seconds::ofFinish * static_cast<double>(layout_.size()));
  // A sum that overflows a class may hold in the next one; what `finish` makes of a good sum is
  // final.
  if (notFinite_.count() > 0 && !(badSums_ && variant_->klass != FACET_F64))
    throw work_.error(notFinite_);
}

} // namespace facet::runtime
