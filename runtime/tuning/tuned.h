// tuned.h - knobs found by tuning, what they are of, and the files that keep them.
#pragma once
#include "schedules/knobs.h"
#include <functional>
#include <string>
#include <vector>

namespace facet::runtime {

/// What tuned knobs are of, in the words people type: "direct", "f32", "avx512", "product", "real".
struct TunedKey {
  std::string kernel; // its name, for people; the shape decides
  std::string shape;  // facet_kernel_description.shape
  std::string algorithm, klass, target, grid, q;
};

/// One entry of a schedule file: knobs and the signature that says where they hold.
struct Tuned {
  TunedKey key;
  schedules::Knobs knobs;
  double throughput = 0, before = 0;    // TQP/s of one thread: with these knobs, with the defaults
  std::string facet, halide, cpu, date; // versions, cpuId(), "2026-11-21"
};

using Say = std::function<void(const std::string &)>;

/// The user's file: $FACET_SCHEDULES, else $XDG_CONFIG_HOME/facet/schedules.toml, else
/// ~/.config/facet/schedules.toml; "" where there is no home.
std::string schedulesPath();

/// Reads a schedule file. An entry that cannot be used (no number, a knob out of range, a missing
/// word) is left out and named to `refused`, with its line; a file that is no TOML is refused
/// whole. A missing file has no entries. Entries of other machines and versions are returned too.
std::vector<Tuned> readSchedules(const std::string &path, const Say &refused);

/// Adds entries to a file, in the place of those of the same key, CPU and versions; what others
/// have written meanwhile is kept (a lock beside the file), and the file is whole at any time.
/// Throws Error where it cannot be written.
void mergeSchedules(const std::string &path, const std::vector<Tuned> &entries);

/// Entries that hold on this CPU, with this facet and its Halide: the user's, then those that come
/// with facet (schedules/machines/*.toml) for keys the user has not tuned. What is of this CPU but
/// not of these versions is named to `refused` once a file; of other CPUs, where a file has nothing
/// for this one.
std::vector<Tuned> schedulesHere(const Say &refused);

/// The same as facetc --schedules reads them (JSON); "" where there are none.
std::string schedulesJson(const std::vector<Tuned> &entries);

} // namespace facet::runtime
