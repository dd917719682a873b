// parts.h - the tables of an experiment file, each read by a function of its own.
#pragma once
#include "runtime/experiment/toml_table.h"
#include <facet/runtime/experiment.h>
#include <functional>

namespace facet::runtime::schema {

/// Inputs are named as seen from the experiment file.
std::string beside(const std::string &experimentFile, const std::string &input);
/// Numbers of an array; empty for what is none. Throws Error for other entries.
std::vector<double> readList(const TomlTable &from, const toml::node &node,
                             const std::string &what);
/// The list of so many numbers at `key`; `to` stays where it is not there. Throws Error.
void readNumbers(const TomlTable &from, const std::string &key, std::size_t count, double *to);
/// The value at `key` if it is one of `known`. Throws Error with the nearest.
void readChoice(const TomlTable &from, const std::string &key,
                const std::vector<std::string> &known, std::string &to);
/// Each table of the array at `key`, or the one there is. Throws Error for anything else.
void eachTable(const TomlTable &from, const std::string &key, const std::string &name,
               const std::string &file, const std::function<void(const TomlTable &)> &take);

/// Whether a particle's table has what only a scene has.
bool isScene(const TomlTable &particle);
Particle readParticle(const TomlTable &table, const std::string &file);
void readBeam(const TomlTable &table, Scene &to);
void readSample(const TomlTable &table, const std::string &file, Scene &to);
void readDetector(const TomlTable &table, const std::string &file, Scene &to);
/// [[object]] tables or the file; needs the particles.
void readObjects(const TomlTable &top, const std::string &file, Scene &to);
void readCuts(const TomlTable &output, const std::string &file, Scene &to);
/// What no table can see by itself: contradictions, what is missing. Throws Error.
void checkScene(const Experiment &experiment, const std::string &file);

/// The scene's tables as TOML: before [grid], and the lines of [output].
std::string particleToml(const Particle &particle, bool several);
std::string sceneToml(const Scene &scene);
std::string cutsToml(const Scene &scene);
/// A text in quotes.
std::string quoted(const std::string &text);
/// The shape's or mesh's lines, and its constant columns.
std::string geometryToml(const Particle &particle);

} // namespace facet::runtime::schema
