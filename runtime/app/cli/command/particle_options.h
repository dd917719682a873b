// particle_options.h - the options by which commands name one particle's mesh and parameters.
#pragma once
#include "runtime/app/cli/command/command.h"
#include <facet/runtime/experiment.h>
#include <string>
#include <vector>

namespace facet::cli {

struct ParticleOptions {
  std::string mesh, unit, shape;
  std::vector<std::string> params, columns;
  std::vector<double> euler;
};

/// --mesh, --unit, --shape, --column, --euler
void addMeshOptions(Command command, ParticleOptions &to);
/// --param
void addParameterOption(Command command, ParticleOptions &to);

/// What the options say replaces what the particle has. `command`: for messages. Throws
/// runtime::Error, also where there is neither a mesh nor a shape then.
void applyParticle(const ParticleOptions &options, const std::string &command,
                   runtime::Particle &particle);
/// The same of parameters.
void applyParameters(const ParticleOptions &options, runtime::NamedParameters &parameters);

} // namespace facet::cli
