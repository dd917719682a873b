// grid_units.cpp - boxes of a grid as those of datasets.
#include "runtime/app/jobs/grid_units.h"
#include "runtime/engine/kernel/inside.h"
#include <algorithm>

namespace facet::cli {
using namespace facet::runtime;
namespace {

int datasetOf(const TiledResult &result, const NamedOutput &output) {
  return result.dataset("/entry/" + (output.name.empty() ? "amplitude" : output.name) + "/F");
}

std::vector<double> realOf(const std::complex<double> *f, std::int64_t count) {
  std::vector<double> real;
  std::transform(f, f + count, std::back_inserter(real), [](const auto &z) { return z.real(); });
  return real;
}

} // namespace

std::vector<NamedOutput> storedOutputs(const Kernel &kernel) {
  std::vector<NamedOutput> stored;
  for (const facet_output &output : outputsOf(*kernel))
    stored.push_back({output.name, output.is_complex != 0});
  return stored;
}

GridUnits::GridUnits(const Grid &grid, const Cut &cut, std::vector<NamedOutput> outputs,
                     std::int64_t steps, std::int64_t together)
    : grid_(grid), boxes_(grid.extents(), cut.tile), outputs_(std::move(outputs)), steps_(steps),
      together_(together) {}

Cutter GridUnits::units() const {
  Extents along = boxes_.along();
  along[0] *= steps_ > 0 ? quotientUp(steps_, together_) : 1;
  return {along, {1, 1, 1}};
}

runtime::Run GridUnits::steps(std::int64_t unit) const {
  const std::int64_t begin = unit / boxes_.count() * together_;
  return {begin, std::min(begin + together_, std::max<std::int64_t>(steps_, 1))};
}

void GridUnits::write(TiledResult &result, std::int64_t unit, std::int64_t step,
                      const Values &values) const {
  const tiled::DatasetBox to = inFile(box(unit), step);
  const std::complex<double> *own = values.data();
  for (const NamedOutput &output : outputs_) {
    const int dataset = datasetOf(result, output);
    if (output.isComplex)
      result.write(unit, dataset, to.begin, to.end, own);
    else
      result.write(unit, dataset, to.begin, to.end, realOf(own, tiled::elements(to)).data());
    own += box(unit).size();
  }
}

void GridUnits::read(const TiledResult &result, std::int64_t step, const runtime::Box &box,
                     std::complex<double> *to, std::int64_t apart) const {
  const tiled::DatasetBox from = inFile(box, step);
  for (const NamedOutput &output : outputs_) {
    const int dataset = datasetOf(result, output);
    if (output.isComplex) {
      result.read(dataset, from.begin, from.end, to);
    } else {
      std::vector<double> real(static_cast<std::size_t>(tiled::elements(from)));
      result.read(dataset, from.begin, from.end, real.data());
      std::copy(real.begin(), real.end(), to);
    }
    to += apart;
  }
}

GridUnits::Values GridUnits::read(const TiledResult &result, std::int64_t step,
                                  std::int64_t unit) const {
  Values values(valuesOf(unit));
  read(result, step, box(unit), values.data(), box(unit).size());
  return values;
}

GridUnits::Values GridUnits::read(const TiledResult &result, std::int64_t step,
                                  const std::vector<std::int64_t> &q) const {
  const Cutter each(grid_.extents(), {1, 1, 1});
  Values values(outputs_.size() * q.size());
  const bool list = grid_.kind == Grid::Kind::Points;
  const std::int64_t row = !list            ? grid_.extents()[2]
                           : isImage(grid_) ? grid_.imageColumns
                                            : grid_.size();
  for (std::size_t k = 0, next = 0; k < q.size(); k = next) { // stretches of a row are read at once
    runtime::Box box = each.at(q[k]);
    for (next = k + 1; next < q.size() && q[next] == q[next - 1] + 1 && q[next] % row != 0;)
      ++next;
    box.end[list ? 0 : 2] += static_cast<std::int64_t>(next - k) - 1;
    read(result, step, box, &values[k], std::ssize(q));
  }
  return values;
}

Extremes GridUnits::extremes(std::int64_t unit, const Values &values) const {
  const runtime::Box u = box(unit);
  const Extents n = grid_.extents();
  Extremes extremes;
  auto f = values.begin();
  for (std::size_t o = 0; o < outputs_.size(); ++o)
    for (std::int64_t x = u.begin[0]; x < u.end[0]; ++x)
      for (std::int64_t y = u.begin[1]; y < u.end[1]; ++y)
        for (std::int64_t z = u.begin[2]; z < u.end[2]; ++z)
          extremes.see(grid_, (x * n[1] + y) * n[2] + z, *f++, o);
  return extremes;
}

/// A list that is an image has rows and columns in its dataset: a box is whole rows, or one q.
tiled::DatasetBox GridUnits::inFile(const runtime::Box &box, std::int64_t step) const {
  tiled::DatasetBox made{{box.begin.begin(), box.begin.end()}, {box.end.begin(), box.end.end()}};
  const std::int64_t begin = box.begin[0], last = box.end[0] - 1, n = grid_.imageColumns;
  if (isImage(grid_))
    made = {{begin / n, begin % n}, {last / n + 1, last % n + 1}};
  else if (grid_.kind == Grid::Kind::Points)
    made = {{begin}, {last + 1}};
  if (steps_ > 0) {
    made.begin.insert(made.begin.begin(), step);
    made.end.insert(made.end.begin(), step + 1);
  }
  return made;
}

} // namespace facet::cli
