// inputs.cpp - meshes and grids as lengths and bytes.
#include "runtime/blocks/mpi/inputs.h"
#include <fmt/format.h>
#include <sstream>

namespace facet::runtime {
namespace {

template <class Value> void share(Communicator &ranks, std::vector<Value> &values) {
  std::size_t n = values.size();
  ranks.broadcast(&n, sizeof n);
  values.resize(n);
  if (n > 0)
    ranks.broadcast(values.data(), n * sizeof(Value));
}

} // namespace

void broadcast(Communicator &ranks, Mesh &mesh) {
  if (ranks.size() == 1)
    return;
  ranks.broadcast(mesh.name);
  share(ranks, mesh.triangles);
  share(ranks, mesh.facets.area);
  share(ranks, mesh.facets.normal);
  share(ranks, mesh.facets.centroid);
  std::string names;
  for (const auto &[name, values] : mesh.columns)
    names += name + '\n';
  ranks.broadcast(names);
  for (std::size_t at = 0; at < names.size(); at = names.find('\n', at) + 1)
    share(ranks, mesh.columns[names.substr(at, names.find('\n', at) - at)]);
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
    share(ranks, axis.re);
    share(ranks, axis.im);
  }
}

} // namespace facet::runtime
