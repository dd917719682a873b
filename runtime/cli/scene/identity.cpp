// identity.cpp - what the result of a scene is of: of its experiment, and of the files it names.
#include "runtime/cli/scene/identity.h"
#include "runtime/experiment/schema/schema.h"
#include "runtime/files/hash.h"
#include "runtime/output/tiled/identity.h"
#include <fmt/format.h>

namespace facet::cli {
using namespace facet::runtime;

Identity identityOf(const Experiment &e, const std::vector<Kernel> &kernels,
                    const std::string &meshes, const std::string &plan) {
  Identity identity = schema::identityOf(e);
  if (!e.points.empty())
    identity["grid"] = hashOf(makeGrid(e));
  Hash hash;
  for (const Kernel &kernel : kernels) {
    hash.field(kernel->name);
    hash.field(kernel->manifest);
    for (const double p : kernel.parameters(e.parameters))
      hash.field(fmt::format("{:a}", p));
  }
  identity["kernel"] = hash.hex();
  identity["mesh"] = meshes;
  identity["plan"] = plan;
  identity["facet"] = FACET_VERSION;
  return identity;
}

std::string problemOf(Identity identity) {
  identity.erase("plan");
  Hash hash;
  for (const auto &[name, value] : identity) {
    hash.field(name);
    hash.field(value);
  }
  return hash.hex();
}

} // namespace facet::cli
