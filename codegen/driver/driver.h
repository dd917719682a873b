// driver.h - facetc: its options, what it reads and writes, and its stages.
#pragma once
#include "codegen/lower/library/library.h"
#include <functional>
#include <string>
#include <sys/resource.h>
#include <vector>

namespace facet::driver {

// The command line (options.cpp).

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

/// Which variants and targets the options name. `everything`: what is not named means all (a
/// library); else one variant: the grid and q of the file, f32, the best target of this CPU. Throws
/// ir::Error for words it does not know.
lower::Selection choose(const Options &options, const ir::Kernel &kernel, bool everything);
/// The variant of the stages that take a single one. Separable: for product grids; nufft: as it is
/// compiled, for points in double. Throws ir::Error if several are named.
passes::Variant variantOf(const Options &options, const ir::Kernel &kernel);
/// Its target, in the same way.
std::string targetOf(const Options &options, const ir::Kernel &kernel);

/// The last target of targets.def that this machine runs; empty if none.
std::string nativeTarget();

/// Where to stop and whether to check.
passes::PipelineOptions pipelineOptions(const Options &options);

/// Reads tuned knobs as facet hands them over: {"schedules": [{"shape", "algorithm", "class",
/// "target", "grid", "q", "from", "knobs": {name: value, ...}}, ...]}; "from" says where they are
/// from, as "tuned on 2026-11-21". None if `path` is empty. Throws ir::Error naming the file, the
/// entry and what is wrong with it.
std::vector<lower::TunedKnobs> readSchedules(const std::string &path);

// Kernel files in C++ or IR; files that appear under their name only when they are whole
// (files.cpp).

struct Input : lower::SourceKernel {
  std::string hash; // of the file's bytes
};

/// While one exists, more than 1 GB of memory or 20 s of computing on top end the program with a
/// message that names the file and exit code 1. The limits are those of the whole process: for one
/// that reads a kernel file and does nothing else meanwhile (bounds.cpp).
class ResourceLimits {
public:
  explicit ResourceLimits(const std::string &file);
  ~ResourceLimits();
  ResourceLimits(ResourceLimits &&) = delete;

private:
  rlimit memory_, time_; // as they were
};

/// From here on the program ends with a message and exit code 2 where LLVM would end it with words
/// of its own: out of memory, without a thread (bounds.cpp).
void speakForLlvm();

/// Thrown if the front end has reported what is wrong itself.
struct ReportedError {};

/// Reads FILE.fir or FILE.cpp, the kernel that the options name, and derives from it what they ask
/// for. Throws ir::Error, or Reported.
Input readInput(const Options &options);
/// Judges every kernel of the file; `name`: one that must be there, or empty. Throws the same.
void checkInput(const std::string &path, const std::string &name);

/// The same as the options ask: with `--fix`, mended before; with `--json`, as a list for editors
/// (check.cpp). Throws the same.
void check(const Options &options);

/// Calls `write` with the path of a temporary file beside `path` and renames it to `path` when that
/// returns; removes it when it throws. `path` "-" or empty: standard output instead.
/// Throws lower::Unwritable if `path` cannot be written.
void writeWhole(const std::string &path, const std::function<void(const std::string &)> &write);
/// The same for a given text.
void writeText(const std::string &path, const std::string &text);

// What --emit writes (stages.cpp).

/// Writes what the options name, for the kernel that was read. Throws ir::Error.
void emitStage(const Options &options, const Input &input);
/// --emit=explore: JSON for a page (explore.cpp). Throws ir::Error.
void emitExploration(const Options &options, const Input &input);
/// The kernel's values at the point of --at, each beside its number in single precision, in double
/// and for reference; with `places`, where a sum computes it. Throws ir::Error (values.cpp).
void emitValues(const Options &options, const Input &input, const ir::Kernel &kernel, bool places);
/// The library that the options describe. Throws ir::Error.
lower::LibraryRequest libraryRequest(const Options &options, const Input &input);

/// --emit=ceilings, which needs no kernel: the library of loops of the options' target; without -o,
/// or with a name in .s, the loops' assembly. Throws ir::Error.
void emitCeilings(const Options &options);

/// The passes of each algorithm in order, one a line, with the reason for each place.
std::string passLists();
/// The table of IR operations as docs/ir.md holds it.
std::string opsTable();
/// The table of knobs as Markdown, for docs/schedules.md.
std::string knobsTable();

// A facetc that lasts (serve.cpp).

/// Reads requests from standard input, one JSON object a line, to its end. `--serve` threads answer
/// each with a line on standard output, in the order in which they are done:
///   {"id": 7, "file": "born.cpp", "kernel": "", "algorithm": "direct", "class": "f32",
///    "target": "avx512", "grid": "product", "q": "real", "knobs": "tile_y=4", "output": "7.so"}
///   {"id": 7, "seconds": 0.13, "error": ""}
/// `output` is a kernel library with that one variant. `seconds`: of the thread that built it.
/// What is wrong with a request is its answer's `error`; the server goes on. Throws ir::Error for
/// an input file or a number of threads that is none.
void serve(const Options &options);

// The linker within (linker.cpp), which lower::linker() names.

/// The arguments, "ld.lld" or "wasm-ld" first, as lld takes them; its exit code.
int linkObjects(int count, char **arguments);

} // namespace facet::driver
