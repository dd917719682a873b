// identity.cpp - sections of an experiment's text as parts of an identity.
#include "runtime/cli/scene/identity.h"
#include "runtime/experiment/scene/host.h"
#include "runtime/files/hash.h"
#include "runtime/output/tiled/identity.h"
#include <fmt/format.h>
#include <sstream>

namespace facet::cli {
using namespace facet::runtime;
namespace {

struct Section {
  const char *header, *part; // "" of what is left out: how it is run, where it goes
};
constexpr Section sections[] = {
    {"beam", "beam"},         {"sample", "sample"}, {"particle", "particles"},
    {"object", "particles"},  {"detector", "grid"}, {"grid", "grid"},
    {"accuracy", "accuracy"}, {"run", ""},          {"output", ""}};

} // namespace

Identity identityOf(const Experiment &e, const std::vector<Kernel> &kernels,
                    const std::string &meshes, const std::string &plan) {
  const Scene &scene = sceneOf(e);
  Identity identity;
  std::istringstream lines(toToml(e));
  std::string part;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t name = line.find_first_not_of('[');
    if (line.starts_with('[') && name != std::string::npos) {
      part.clear();
      for (const Section &s : sections)
        if (line.compare(name, line.find(']') - name, s.header) == 0)
          part = s.part;
      continue;
    }
    if (!part.empty() && !line.empty() && !line.starts_with("mesh = ")) // its numbers count
      identity[part] += (identity[part].empty() ? "" : "; ") + line;
  }
  Hash objects; // a table has them in a file
  for (const Object &o : scene.objects) {
    std::string text = fmt::format("{}", o.particle);
    for (const double v :
         {o.position[0], o.position[1], o.position[2], o.euler[0], o.euler[1], o.euler[2], o.scale})
      text += fmt::format(" {:a}", v);
    objects.field(text);
  }
  if (!scene.objects.empty())
    identity["particles"] += fmt::format("; {} objects {} {}", scene.objects.size(),
                                         scene.coherent ? "coherent" : "incoherent", objects.hex());
  if (!e.points.empty())
    identity["grid"] += "; " + hashOf(makeGrid(e));
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
