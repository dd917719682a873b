// schema.h - an experiment as text, line by line as keys.h says.
#pragma once
#include <facet/runtime/experiment.h>
#include <map>

namespace facet::runtime::schema {

/// What the result of an experiment depends on, by parts: beam, sample, particles, grid, accuracy;
/// long parts as a hash. The kernel and files that it names are not in it, but for objects.
std::map<std::string, std::string> identityOf(const Experiment &experiment);
/// Title, beam and sample as TOML.
std::string layersToToml(const Experiment &experiment);

/// A key as docs/experiments.md lists it.
struct KeyRow {
  std::string table, key, unit, doc;
};
std::vector<KeyRow> allKeys();

} // namespace facet::runtime::schema
