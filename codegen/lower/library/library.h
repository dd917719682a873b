// library.h - from a kernel to a kernel library: every requested variant, the reference, the
// descriptor of dsl/facet/abi.h, a C header and a JSON manifest.
#pragma once
#include "codegen/ir/ir.h"
#include "codegen/lower/system.h"
#include "codegen/lower/variant.h"
#include "codegen/passes/passes.h"
#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace facet::lower {

/// A file the kernel depends on and the hash of its bytes.
struct SourceFile {
  std::string path, hash;
};

/// C++ text (named for messages) to an object file; returns messages, empty when all went well.
/// Clang stays with the caller.
using CompileCpp = std::function<std::string(const std::string &text, const std::string &name,
                                             const std::string &objectPath)>;

/// Which variants are wanted. Direct: one for each combination. Separable: one for product grids
/// and each of classes f32 and f64. Nufft: one set of transforms a q kind, whatever the grids.
/// With either comes direct f64 for points: it repairs the q at which finish amplifies errors.
struct Selection {
  std::vector<std::string> targets; // names of targets.def
  std::vector<ir::GridKind> grids;
  std::vector<bool> complexQ;
  std::vector<passes::Class> classes;
  std::vector<passes::Algorithm> algorithms = {passes::Algorithm::Direct};
  bool insist = false; // on algorithms: a kernel that forbids one is an error, not left out
};

struct LibraryRequest : Selection {
  ir::Kernel kernel;  // before any pass
  std::string type;   // its struct with namespaces, "mine::born"; empty: the kernel's name
  std::string source; // the kernel file, included by absolute path for the reference; a .fir
                      // file has its kernel printed back as C++ instead
  std::vector<SourceFile> files;
  std::string commandLine;  // as people can type it again
  std::string frontVersion; // "LLVM 19.1.7": what compiles the reference
  passes::PipelineOptions pipeline;
  std::vector<TunedKnobs> tuned; // replace the default knobs if they are of this shape
  std::string knobs;             // "tile_y=4,block_t=64": replace both, for every variant
  CompileCpp compileCpp;
};

/// A kernel after all passes for one grid kind, q kind, class and algorithm; the same for the
/// targets it lists.
struct CompiledVariant {
  passes::Variant variant;
  std::vector<std::string> targets;
  ir::Kernel kernel;
  passes::Counts counts;
  int terms = 0; // separable: products of factors; else 0
};

/// All that is known before machine code is made.
struct LibraryPlan {
  LibraryRequest request;
  std::vector<CompiledVariant> variants;   // direct and separable
  std::vector<CompiledVariant> transforms; // nufft, one a q kind
  // Why there are none of a requested algorithm: expression and place; empty if there are.
  std::string noSeparable, noNufft;
  int translation = 0; // facet_translation
};

/// Runs the passes for every variant. Throws ir::Error: nothing requested, an unknown target, a
/// complex variant of a kernel whose Grid is real, an algorithm insisted on that the kernel
/// forbids, whatever a pass refuses.
LibraryPlan planLibrary(LibraryRequest request);

/// How the sum of `kernel` behaves when the records move (facet_translation), by ir::movedBy().
int translationOf(const ir::Kernel &kernel);

/// JSON: name, doc, files and hashes, command line, versions, targets, variants, columns, params.
std::string libraryManifest(const LibraryPlan &plan);
/// A small C header that declares facet_kernel_NAME().
std::string libraryHeader(const LibraryPlan &plan);
/// The C++ text of everything but the sums. `shared`: exports facet_kernel() too.
std::string libraryText(const LibraryPlan &plan, bool shared);

/// Seconds a stage took, by name; the stages of one step may have run side by side.
using StageTimes = std::vector<std::pair<std::string, double>>;

enum class LibraryForm : std::uint8_t {
  Shared, // a shared object, to be loaded
  Object  // one relocatable object, to be linked into a program
};
/// Makes the library. `path` is for the caller to choose (a temporary name) and to remove on
/// errors. Throws ir::Error: a variant that cannot be lowered, C++ that does not compile, no
/// linker.
StageTimes buildLibrary(const LibraryPlan &plan, LibraryForm form, const std::string &path);

/// Libraries of one variant that differ in their knobs alone, made one after another. Passes run
/// once, and the C++ that no knob changes (reference, pack, finish) is compiled once; a candidate
/// costs its Halide object, a page of C++ and a link. Safe on several threads.
class Candidates {
public:
  /// One target, grid kind, kind of q, class and algorithm. `knobs` of the request are not read.
  explicit Candidates(LibraryRequest request) : request(std::move(request)) {}
  Candidates(const Candidates &) = delete;
  Candidates &operator=(const Candidates &) = delete;

  /// A shared library as buildLibrary makes it, with the variant alone, whose knobs are `knobs`
  /// over the tuned or the default ones. Throws ir::Error as planLibrary and buildLibrary do.
  void build(const std::string &knobs, const std::string &path);

private:
  /// For each setting of the knobs that the shared part depends on.
  struct Shared {
    std::once_flag once;
    LibraryPlan plan;
    std::string object; // reference, pack, finish, tables
  };
  const Shared &get(const schedules::Knobs &knobs);
  void compile(const std::string &text, const std::string &name, const std::string &object) const;

  LibraryRequest request;
  TemporaryFolder folder;
  std::mutex guard; // of the map, not of its values
  std::map<std::string, Shared> shared;
  std::once_flag planned, linked;
  schedules::Knobs byDefault;
  std::string runtime; // Halide's for the device, an object; "" on CPUs
  std::atomic<int> count{0};
};

} // namespace facet::lower
