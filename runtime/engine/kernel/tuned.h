// tuned.h - knobs found by tuning, what they are for, and the files that keep them.
#pragma once
#include "schedules/knobs.h"
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace facet::runtime {

/// What tuned knobs are for, in the words people type: "direct", "f32", "avx512", "product",
/// "real".
struct TunedKey {
  std::string kernel; // its name, for people; the shape decides
  std::string shape;  // facet_kernel_description.shape
  std::string algorithm, klass, target, grid, q;

  bool separable() const { return algorithm == "separable"; }
  bool onDevice() const;
  /// Whether a knob has a meaning for the sum.
  bool uses(const schedules::KnobInfo &knob) const {
    return schedules::isUsed(knob, separable(), onDevice());
  }
  /// Whether both are of one variant: all members are equal but the name.
  bool sameVariant(const TunedKey &other) const;
  /// "born, direct, f32, avx512, product, real".
  std::string text() const;
};
/// The members by the words that files and programs have for them.
inline constexpr std::pair<const char *, std::string TunedKey::*> keyWords[] = {
    {"kernel", &TunedKey::kernel},
    {"shape", &TunedKey::shape},
    {"algorithm", &TunedKey::algorithm},
    {"class", &TunedKey::klass},
    {"target", &TunedKey::target},
    {"grid", &TunedKey::grid},
    {"q", &TunedKey::q}};

/// One entry of a schedule file: knobs and the signature that says where they hold.
struct TunedEntry {
  TunedKey key;
  schedules::Knobs knobs;
  // TQP/s of one thread, or of a device, with these knobs and with the defaults.
  double throughput = 0, before = 0;
  // What was measured at the next values of each knob: "tile_y=6 97.4%, block_t=64 95.0%".
  std::string neighbours;
  std::string facet, halide, cpu, date; // versions, cpuId(), "2026-11-21"
  std::string device;                   // deviceSignature() of its target; "" for CPUs
  // Set when an entry is read:
  int line = 0;         // in the file
  bool shipped = false; // it came with facet
  std::string from;     // "tuned on 2026-11-21", "shipped profile NAME of 2026-11-21"
  std::string refusal;  // why it does not hold on this machine with this facet; "": it does
  bool stale = false;   // of this machine, tuned with another facet or Halide
};

using Say = std::function<void(const std::string &)>;

/// The device that knobs of its target hold for, by name, version and driver: "NVIDIA H200, compute
/// capability 9.0, CUDA 12.4". "" for a CPU's target, and if there is no such device here. To know
/// that, its driver is opened.
std::string deviceSignature(const std::string &target);

/// Fills in the signature of this machine and build, and today's date.
void sign(TunedEntry &entry);

/// The user's file: $FACET_SCHEDULES, else $XDG_CONFIG_HOME/facet/schedules.toml, else
/// ~/.config/facet/schedules.toml; "" if there is no home.
std::string schedulesPath();

/// Reads a schedule file. An entry that cannot be used (no number, a knob out of range, a missing
/// word) is left out and named to `refused`, with its line. A file that is no TOML is refused
/// whole. A missing file has no entries. Entries of other machines and versions are returned too.
std::vector<TunedEntry> readSchedules(const std::string &path, const Say &refused);

/// Adds entries to a file, in the place of those of the same variant, CPU and versions. What others
/// have written meanwhile is kept, comments too (a lock beside the file). The file is whole at any
/// time. Makes the folder if it is not there. Throws Error if it cannot be written, or is there and
/// no schedule file.
void mergeSchedules(const std::string &path, const std::vector<TunedEntry> &entries);
/// Throws what mergeSchedules would, before there is anything to write.
void checkSchedulesWritable(const std::string &path);

/// A file that is read when a kernel is run: the user's, or one that comes with facet.
struct ScheduleFile {
  std::string path;
  bool shipped = false;
  std::vector<TunedEntry> entries;
  std::vector<std::string> refused; // entries that cannot be read, or the whole file
};
/// `asked`: "" for the user's file and those that come with facet (`schedules/machines/*.toml`), or
/// none if $FACET_SCHEDULES is set and empty. "none": none. Else a file, which is read alone and
/// must be there (else Error).
/// Drivers are opened to see whether entries of devices hold; without `devices` these are left out.
std::vector<ScheduleFile> scheduleFiles(const std::string &asked = "", bool devices = true);

/// Entries that hold on this CPU, with this facet and its Halide: the user's, then those that come
/// with facet for variants the user has not tuned.
struct Schedules {
  std::vector<TunedEntry> held;
  std::vector<TunedEntry> stale; // of this CPU, tuned with another facet or Halide, and not since
  /// Knobs of one variant; null if there are none.
  const TunedEntry *find(const TunedKey &key) const;
};
/// `refused` gets what could not be read.
Schedules schedulesHere(const std::string &asked, const Say &refused, bool devices = true);

/// The entries for targets (names with commas between them) and a kind of q, as facetc --schedules
/// reads them (JSON); empty words stand for all. "" if there are none.
std::string schedulesJson(const std::vector<TunedEntry> &entries, const std::string &targets = "",
                          const std::string &q = "");

} // namespace facet::runtime
