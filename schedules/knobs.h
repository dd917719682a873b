// knobs.h - the numbers a schedule may choose: values, text, legal ranges. Knows nothing of Halide.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace facet::schedules {

/// What they mean and may be: knobs.def; what a schedule does with them: codegen/lower.
struct Knobs {
#define FACET_KNOB(member, name, fallback, least, most, step, algorithms, zero, doc)               \
  int member = fallback;
#include "schedules/knobs.def"
  bool operator==(const Knobs &) const = default;
};

/// For which sums a knob has a meaning.
enum class KnobUse { Direct, Separable, Both, Cpu, CpuDirect, Device };

/// A row of knobs.def.
struct KnobInfo {
  int Knobs::*member;
  std::string_view name;
  int fallback, least, most, step;
  KnobUse use;
  std::string_view zero; // what 0 means; empty: 0 is not legal
  std::string_view doc;
};
const std::vector<KnobInfo> &knobTable();
/// null if there is no such knob.
const KnobInfo *findKnob(std::string_view name);
/// A knob of earlier versions, which files and libraries may name; `value`: what all sums have
/// now.
struct RetiredKnob {
  std::string_view name;
  int value;
};
/// null if there was no such knob.
const RetiredKnob *findRetired(std::string_view name);

/// "1 to 16", "0, 16, 32, 64", "0 or 8 to 1024 in steps of 8".
std::string legalValues(const KnobInfo &knob);
bool isLegal(const KnobInfo &knob, int value);
/// All of them, from small to large.
std::vector<int> valuesOf(const KnobInfo &knob);
/// Whether it has a meaning for separable, or for direct sums, of a device or of a CPU.
bool isUsed(const KnobInfo &knob, bool separable, bool device = false);

/// What is wrong with the knobs, "tile_y=99: legal are 1 to 16"; "" if nothing is.
/// Registers of the target that a vector of `vector_bytes` may be made of.
constexpr int MostVectors = 4;
/// `vectorBytes`: of the target's widest vector, 0: not checked.
std::string problem(const Knobs &knobs, int vectorBytes = 0);

/// "tile_y=4,tile_z=2": all knobs that have a meaning, in the table's order.
std::string print(const Knobs &knobs, bool separable, bool device = false);
/// Sets what `text`, a comma-separated list, gives. Returns what is wrong with it, "" if nothing
/// is: an unknown knob with the nearest known one, no number, a value out of range, a knob given
/// twice. `knobs` stays as it was if something is wrong.
std::string parse(std::string_view text, Knobs &knobs);

/// The version of Halide this facet was built with, "21.0.0": tuned knobs hold for one version.
std::string halideVersion();

/// The name of `names` nearest to `word`, by edits (insert, drop, change, swap of neighbours).
/// Empty if none is within a third of its length. For messages that say what was meant.
std::string_view nearest(std::string_view word, const std::vector<std::string_view> &names);

} // namespace facet::schedules
