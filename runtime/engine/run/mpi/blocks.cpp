// blocks.cpp - nodes of trees, meshes, grids and references as lengths and bytes.
#include "runtime/engine/run/mpi/blocks.h"
#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <iterator>
#include <sstream>

namespace facet::runtime {
namespace {

void put(std::vector<double> &to, const std::vector<double> &values) {
  to.push_back(static_cast<double>(values.size()));
  to.insert(to.end(), values.begin(), values.end());
}

class Reader {
public:
  explicit Reader(const std::vector<double> &from) : at_(from.data()) {}
  double one() { return *at_++; }
  std::size_t count() { return static_cast<std::size_t>(one()); }
  std::vector<double> many() {
    const std::size_t n = count();
    at_ += n;
    return {at_ - n, at_};
  }

private:
  const double *at_;
};

template <class Value> std::string bytesOf(const Value *values, std::size_t count) {
  return {reinterpret_cast<const char *>(values), count * sizeof(Value)};
}

template <class Value> std::vector<Value> valuesOf(const std::string &bytes) {
  std::vector<Value> values(bytes.size() / sizeof(Value));
  if (!values.empty()) // std::memcpy takes no null, whatever the size
    std::memcpy(values.data(), bytes.data(), values.size() * sizeof(Value));
  return values;
}

} // namespace

std::unique_ptr<SharedBlocks> sharedBlocks(Communicator &communicator, int first, int ranks,
                                           std::int64_t begin, std::int64_t end) {
  const auto give = [&communicator, first](const std::vector<TreeNode> &nodes) {
    const std::vector<double> numbers = packed(nodes);
    const std::uint64_t size = numbers.size();
    communicator.send(first, &size, sizeof size);
    communicator.send(first, numbers.data(), size * sizeof(double));
  };
  const auto others = [&communicator, first, ranks] {
    std::vector<TreeNode> all;
    for (int rank = first + 1; rank < first + ranks; ++rank) {
      std::uint64_t size = 0;
      communicator.receive(rank, &size, sizeof size);
      std::vector<double> numbers(size);
      communicator.receive(rank, numbers.data(), size * sizeof(double));
      std::ranges::move(unpacked(numbers), std::back_inserter(all));
    }
    return all;
  };
  return std::make_unique<SharedBlocks>(SharedBlocks{begin, end, give, others});
}

std::vector<double> packed(const std::vector<TreeNode> &nodes) {
  std::vector<double> to{static_cast<double>(nodes.size())};
  for (const TreeNode &node : nodes) {
    to.push_back(static_cast<double>(node.begin));
    to.push_back(node.height);
    to.push_back(static_cast<double>(node.partial.sums.size()));
    for (const std::vector<double> &array : node.partial.sums)
      put(to, array);
    to.push_back(static_cast<double>(node.partial.totals.size()));
    for (const Totals &totals : node.partial.totals)
      put(to, totals.numbers());
    to.push_back(static_cast<double>(node.partial.origin.size()));
    for (const std::complex<double> &origin : node.partial.origin)
      to.insert(to.end(), {origin.real(), origin.imag()});
  }
  return to;
}

std::vector<TreeNode> unpacked(const std::vector<double> &numbers) {
  Reader from(numbers);
  std::vector<TreeNode> nodes(from.count());
  for (TreeNode &node : nodes) {
    node.begin = static_cast<std::int64_t>(from.one());
    node.height = static_cast<int>(from.one());
    node.partial.sums.resize(from.count());
    for (std::vector<double> &array : node.partial.sums)
      array = from.many();
    node.partial.totals.resize(from.count());
    for (Totals &totals : node.partial.totals)
      totals = Totals::of(from.many());
    node.partial.origin.resize(from.count());
    for (std::complex<double> &origin : node.partial.origin) {
      const double re = from.one();
      origin = {re, from.one()};
    }
  }
  return nodes;
}

namespace {

/// Gives all ranks the keys of the first rank's map.
template <class Map> std::vector<std::string> broadcastNames(Communicator &ranks, const Map &of) {
  std::string text;
  for (const auto &[name, value] : of)
    text += name + '\n';
  ranks.broadcast(text);
  std::vector<std::string> names;
  for (std::size_t at = 0, end = 0; at < text.size(); at = end + 1) {
    end = text.find('\n', at);
    names.push_back(text.substr(at, end - at));
  }
  return names;
}

void broadcastTables(Communicator &ranks, Mesh &mesh) {
  for (const std::string &name : broadcastNames(ranks, mesh.tables)) {
    AxisTable &table = mesh.tables[name];
    std::array<std::int64_t, 2> shape{table.rows(), table.records()};
    ranks.broadcast(shape.data(), sizeof shape);
    std::vector<double> values;
    for (std::int64_t row = 0; row < table.rows(); ++row)
      values.insert(values.end(), table.row(row), table.row(row) + table.records());
    ranks.broadcast(values);
    table = AxisTable(shape[0], shape[1], std::move(values));
  }
}

} // namespace

void broadcast(Communicator &ranks, Mesh &mesh) {
  if (ranks.size() == 1)
    return;
  ranks.broadcast(mesh.name);
  ranks.broadcast(mesh.triangles.own());
  ranks.broadcast(mesh.facets.area);
  ranks.broadcast(mesh.facets.normal);
  ranks.broadcast(mesh.facets.centroid);
  for (const std::string &name : broadcastNames(ranks, mesh.columns))
    ranks.broadcast(mesh.columns[name]);
  broadcastTables(ranks, mesh);
  ranks.broadcast(&mesh.unit, sizeof mesh.unit);
  std::string roles;
  for (const auto &[name, role] : mesh.roles)
    roles += fmt::format("{} {:d} {:d} {}\n", name, role.turns, role.moves, role.power);
  ranks.broadcast(roles);
  std::istringstream lines(roles);
  ColumnRole role;
  for (std::string name; lines >> name >> role.turns >> role.moves >> role.power;)
    mesh.roles[name] = role;
}

void broadcast(Communicator &ranks, Grid &grid) {
  if (ranks.size() == 1)
    return;
  ranks.broadcast(&grid.kind, sizeof grid.kind);
  ranks.broadcast(&grid.imageRows, sizeof grid.imageRows);
  ranks.broadcast(&grid.imageColumns, sizeof grid.imageColumns);
  for (Axis &axis : grid.axes) {
    ranks.broadcast(axis.re);
    ranks.broadcast(axis.im);
  }
}

Extremes joined(Communicator &ranks, const Extremes &mine) {
  Extremes all;
  for (const std::string &theirs : ranks.gather(bytesOf(&mine, 1)))
    all.join(valuesOf<Extremes>(theirs).front());
  return all;
}

std::vector<Reference> sharedReferences(Communicator &ranks, const std::vector<std::int64_t> &q,
                                        std::size_t always, double seconds,
                                        const OwnReferences &own) {
  std::string text = bytesOf(q.data(), q.size());
  ranks.broadcast(text);
  ranks.broadcast(&always, sizeof always);
  ranks.broadcast(&seconds, sizeof seconds);
  const auto all = valuesOf<std::int64_t>(text);
  const auto size = static_cast<std::size_t>(ranks.size());
  std::vector<std::int64_t> mine;
  std::size_t least = 0;
  for (auto k = static_cast<std::size_t>(ranks.rank()); k < all.size(); k += size) {
    mine.push_back(all[k]);
    least += k < always ? 1 : 0;
  }
  const std::vector<Reference> found = own(mine, least, seconds);
  const auto texts = ranks.gather(bytesOf(found.data(), found.size()));
  std::vector<std::vector<Reference>> parts;
  parts.reserve(texts.size());
  for (const std::string &part : texts)
    parts.push_back(valuesOf<Reference>(part));
  std::vector<Reference> references;
  for (std::size_t k = 0; !parts.empty() && k < all.size(); ++k) {
    if (k / size >= parts[k % size].size())
      break;
    references.push_back(parts[k % size][k / size]);
  }
  return references;
}

} // namespace facet::runtime
