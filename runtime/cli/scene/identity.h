// identity.h - what the result of a scene is of, part by part.
#pragma once
#include "runtime/output/tiled/tiled_result.h"
#include <facet/runtime/experiment.h>
#include <facet/runtime/kernel.h>

namespace facet::cli {

/// Beam, sample, particles, grid and accuracy as the experiment has them (schema::identityOf), what
/// is in files that it names by hashes, and the plan.
runtime::Identity identityOf(const runtime::Experiment &experiment,
                             const std::vector<runtime::Kernel> &kernels, const std::string &meshes,
                             const std::string &plan);
/// 32 hex digits of all parts but the plan: kept in the result as "problem".
std::string problemOf(runtime::Identity identity);

} // namespace facet::cli
