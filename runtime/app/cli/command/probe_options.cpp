// probe_options.cpp - a q and a record from a command line, as facetc takes them.
#include "runtime/app/cli/command/probe_options.h"
#include "runtime/app/jobs/probe.h"
#include "runtime/engine/system/files.h"
#include <algorithm>
#include <facet/runtime/mesh.h>
#include <limits>

namespace facet::cli {
using namespace facet::runtime;
namespace {

/// The mesh that the options name, or a record of their columns alone.
Mesh probeMesh(const ProbeOptions &o, const std::string &command) {
  if (!(o.mesh + o.shape).empty() || o.columns.empty()) {
    Particle particle;
    particle.mesh.clear();
    applyParticle(o, command, particle);
    return makeMesh(particle);
  }
  ParticleOptions columns = o;
  Particle particle;
  columns.mesh = "--column";
  applyParticle(columns, "", particle);
  Mesh mesh;
  mesh.name = columns.mesh;
  for (const auto &[name, number] : particle.columns)
    mesh.columns[name] = {number};
  return mesh;
}

} // namespace

bool ProbeOptions::given() const {
  return record >= 0 || !(mesh + unit + shape).empty() ||
         !(params.empty() && columns.empty() && euler.empty());
}

void addProbeOptions(Command c, ProbeOptions &o, const std::string &doc) {
  c.option("--at", o.at, doc);
  c.option("--record", o.record, "with --at: of which record of the mesh, from 0 (0)")
      .range(0, std::numeric_limits<std::int64_t>::max());
  addMeshOptions(c, o);
  addParameterOption(c, o);
}

ProbeFile::ProbeFile(const ProbeOptions &o, const std::string &command, std::string &q)
    : path(folder.path + "/at.json") {
  const std::vector<std::complex<double>> components = probeQ(o.at);
  if (q.empty())
    q = std::ranges::all_of(components, [](const auto &z) { return z.imag() == 0; }) ? "real"
                                                                                     : "complex";
  NamedParameters parameters;
  applyParameters(o, parameters);
  writeText(path, probeJson(probeMesh(o, command), std::max<std::int64_t>(o.record, 0), components,
                            parameters));
}

} // namespace facet::cli
