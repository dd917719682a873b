// probe.cpp - q, records and parameters as JSON for facetc.
#include "runtime/app/jobs/probe.h"
#include "runtime/engine/system/json.h"
#include <cmath>
#include <facet/runtime/error.h>
#include <facet/runtime/mesh_stream.h>
#include <fmt/format.h>
#include <memory>

namespace facet::cli {
using namespace facet::runtime;
namespace {

constexpr std::int64_t others = 64;
constexpr double worthMoving = 0.01; // of the mesh's size: as sums do

Json pairsOf(const std::vector<std::complex<double>> &numbers) {
  Json pairs = Json::array();
  for (const std::complex<double> &z : numbers)
    pairs.push_back({z.real(), z.imag()});
  return pairs;
}

/// Adds the records of a mesh: corners, or columns.
void addRecords(const Mesh &mesh, Json &to) {
  for (const std::array<Vec3, 3> &t : mesh.triangles)
    to["corners"].push_back(t);
  const auto add = [&](const std::string &name, double value) {
    to["columns"][name].push_back(value);
  };
  for (const auto &[name, values] : mesh.columns)
    for (const double value : values)
      add(name, value);
  const Mesh::Facets &f = mesh.facets;
  for (std::size_t i = 0; i < f.area.size(); ++i) {
    add("area", f.area[i]);
    for (std::size_t k = 0; k < 3; ++k) {
      add(std::string("normal.") + "xyz"[k], f.normal[i][k]);
      add(std::string("centroid.") + "xyz"[k], f.centroid[i][k]);
    }
  }
}

} // namespace

std::vector<std::complex<double>> probeQ(const std::string &text) {
  const std::string where = "--at " + text;
  constexpr const char *help = "--at q=0,1,0.5 or, of complex components, q=0,1,0.5+0.01i (nm^-1)";
  if (!text.starts_with("q="))
    throw Error(where, "names no q", help);
  const ParameterValue q = parseParameter(text.substr(2), where);
  if (q.numbers.size() != 3)
    throw Error(where, "is no q: it has three components", help);
  return q.numbers;
}

std::string probeJson(const Mesh &mesh, std::int64_t record,
                      const std::vector<std::complex<double>> &q,
                      const NamedParameters &parameters) {
  if (record < 0 || record >= mesh.size())
    throw Error(fmt::format("--record {}", record),
                fmt::format("{} has {} records", mesh.name, mesh.size()),
                fmt::format("from 0 to {}", mesh.size() - 1));
  Json made = {{"q", pairsOf(q)},         {"mesh", mesh.name},      {"record", record},
               {"unit", mesh.unit},       {"records", mesh.size()}, {"columns", Json::object()},
               {"params", Json::object()}};
  const auto blocks = blocksOf(std::make_shared<const Mesh>(mesh));
  addRecords(blocks->read(record, 1), made);
  if (mesh.size() > 1)
    addRecords(thinned(*blocks, others), made);
  for (const auto &[name, value] : parameters) {
    if (!value.sweep.empty())
      throw Error("--param " + name, "is swept, and has one value here",
                  "give one number: --param " + name + "=0.3");
    made["params"][name] = pairsOf(value.numbers);
  }
  const MeshSummary all = summarise(mesh);
  made["closed"] = all.closed();
  const Vec3 middle = all.middle();
  if (all.places && std::hypot(middle[0], middle[1], middle[2]) > worthMoving * all.farthest)
    made["middle"] = middle;
  return made.dump();
}

} // namespace facet::cli
