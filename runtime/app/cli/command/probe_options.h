// probe_options.h - the options by which commands name a q and a record at which they look at
// values.
#pragma once
#include "runtime/app/cli/command/particle_options.h"
#include "runtime/engine/system/places.h"
#include <cstdint>

namespace facet::cli {

struct ProbeOptions : ParticleOptions {
  std::string at;
  std::int64_t record = -1;
  /// Whether any is given but --at.
  bool given() const;
};

/// --at, --record, and those of a particle and of parameters.
void addProbeOptions(Command command, ProbeOptions &to, const std::string &doc);

/// The probe of --at as a file for facetc; sets `q` to "real" or "complex", as the probe's is, if
/// it is empty. `command`: for messages. Throws runtime::Error.
struct ProbeFile {
  ProbeFile(const ProbeOptions &options, const std::string &command, std::string &q);
  runtime::TemporaryFolder folder;
  std::string path;
};

} // namespace facet::cli
