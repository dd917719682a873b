// options.h - the command line of facetc, and the variants, targets and passes that it names.
#pragma once
#include "codegen/lower/library/library.h"
#include "codegen/passes/passes.h"
#include <string>
#include <vector>

namespace facet::driver {

/// What the command line says, as text: empty if an option was not given, "1" for a flag that was.
struct Options {
#define FACET_OPTION(member, name, value, help) std::string member;
#include "codegen/driver/options.def"
  std::string input;
  std::string commandLine; // as it can be typed again
};

/// Throws ir::Error for what it does not know, naming the nearest option it does.
Options parseOptions(int argc, char **argv);
std::string helpText();

/// A whole number of at least `least`; throws ir::Error naming the option.
int wholeNumber(const std::string &option, const std::string &text, int least);

/// Values by the words that options and tuned knobs have for them.
template <class T> using Word = std::pair<std::string_view, T>;
inline constexpr Word<ir::GridKind> gridWords[] = {{"product", ir::GridKind::Product},
                                                   {"points", ir::GridKind::Points}};
inline constexpr Word<passes::Class> classWords[] = {{"f32", passes::Class::F32},
                                                     {"f32-careful", passes::Class::F32Careful},
                                                     {"f64", passes::Class::F64}};

/// Which variants and targets the options name.
struct Choice : lower::Selection {
  bool means = false; // the kernel has means, so that separable and nufft need nodes
  /// The variant of the stages that take a single one. Separable: for product grids; nufft: as it
  /// is compiled, for points in double. Throws ir::Error if several are named.
  passes::Variant variant() const;
  /// The single target, in the same way.
  const std::string &target() const;
};

/// `everything`: what is not named means all (a library); else one variant: the grid and q of
/// the file, f32, the best target of this CPU. Throws ir::Error for words it does not know.
Choice choose(const Options &options, const ir::Kernel &kernel, bool everything);

/// The last target of targets.def that this machine runs; empty if none.
std::string nativeTarget();

/// Where to stop and whether to check. Throws ir::Error if a pass in the options is unknown.
passes::PipelineOptions pipelineOptions(const Options &options);

/// Reads tuned knobs as facet hands them over: {"schedules": [{"shape", "algorithm", "class",
/// "target", "grid", "q", "from", "knobs": {name: value, ...}}, ...]}; "from" says where they are
/// from, as "tuned on 2026-11-21". None if `path` is empty. Throws ir::Error naming the file, the
/// entry and what is wrong with it.
std::vector<lower::TunedKnobs> readSchedules(const std::string &path);

} // namespace facet::driver
