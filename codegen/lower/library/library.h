// library.h - from a kernel to a kernel library: every requested variant, the reference, the
// descriptor of dsl/facet/abi.h, a C header and a JSON manifest.
#pragma once
#include "codegen/lower/lower.h"
#include "codegen/lower/system.h"
#include <functional>
#include <map>
#include <memory>

namespace facet::lower {

/// A file the kernel depends on and the hash of its bytes.
struct SourceFile {
  std::string path, hash;
};

/// Texts that generated text includes, by absolute path.
using IncludedTexts = std::map<std::string, std::string>;
/// C++ text (named for messages) to an object file; returns messages, empty when all went well. No
/// file of the disk is read. Clang stays with the caller.
using CompileCpp =
    std::function<std::string(const std::string &text, const std::string &name,
                              const std::string &objectPath, const IncludedTexts &included)>;

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

/// A kernel before any pass, and where it is from.
struct SourceKernel {
  ir::Kernel kernel;
  std::string type;     // its struct with namespaces, "mine::born"; empty: the kernel's name
  std::string source;   // the kernel file, absolute, and its text as it was judged, which the
  std::string text;     // reference includes
  bool printed = false; // IR: the reference is the kernel printed back as C++ instead
};

/// What a library becomes.
enum class LibraryForm : std::uint8_t {
  Shared, // a shared object, to be loaded
  Object, // one relocatable object, to be linked into a program
  Module, // WebAssembly, with the exports of dsl/facet/module.h
  Sums // the sums alone in one relocatable object, of any CPU: a compiler of its own adds the rest
};

struct LibraryRequest : Selection, SourceKernel {
  LibraryForm form = LibraryForm::Shared;
  std::vector<SourceFile> files;
  std::string commandLine;  // as people can type it again
  std::string frontVersion; // "LLVM 19.1.7": what compiles the reference
  passes::PipelineOptions pipeline;
  std::vector<TunedKnobs> tuned; // replace the default knobs if they are of this shape
  std::string knobs;             // "tile_y=4,block_t=64": replace both, for every variant
  CompileCpp compileCpp;
};

/// A sum of the library. `terms`: of a separable one, products of factors; else 0.
struct PlannedSum : SumKernel {
  int terms = 0;
};

/// All that is known before machine code is made.
struct LibraryPlan {
  LibraryRequest request;
  std::vector<PlannedSum> variants{};  // direct and separable, one a target
  std::vector<SumKernel> transforms{}; // nufft, one a q kind: no sums of their own
  // Why there are none of a requested algorithm: expression and place; empty if there are.
  std::string noSeparable{}, noNufft{};
};

/// Runs the passes for every variant. Throws ir::Error: nothing requested, an unknown target or one
/// that is not of the form, a complex variant of a kernel whose Grid is real. Also an algorithm
/// insisted on that the kernel forbids, and whatever a pass refuses.
LibraryPlan planLibrary(LibraryRequest request);

/// How the sum of `kernel` behaves when the records move (facet_translation), by ir::movedBy().
int translationOf(const ir::Kernel &kernel);

/// JSON: name, doc, files and hashes, command line, versions, targets, variants, columns, params.
std::string libraryManifest(const LibraryPlan &plan);
/// A small C header that declares facet_kernel_NAME().
std::string libraryHeader(const LibraryPlan &plan);
/// The C++ text of everything but the sums. All forms but Object export facet_kernel() too.
std::string libraryText(const LibraryPlan &plan);

/// Seconds a stage took, by name; the stages of one step may have run side by side.
using StageTimes = std::vector<std::pair<std::string, double>>;

/// Makes the library. `path` is for the caller to choose (a temporary name) and to remove on
/// errors. Throws ir::Error: a variant that cannot be lowered, C++ that does not compile, no
/// linker.
StageTimes buildLibrary(const LibraryPlan &plan, const std::string &path);

/// Makes the library of the loops that reach a machine's ceilings (dsl/facet/ceilings.h), for one
/// target. Throws ir::Error.
void buildCeilings(const std::string &target, const CompileCpp &compileCpp,
                   const std::string &path);
/// Writes the assembly of its loops, one after another.
void writeCeilings(const std::string &target, const std::string &path);

/// Libraries of one variant that differ in their knobs alone, made one after another. Passes run
/// once, and the C++ that no knob changes (reference, pack, finish) is compiled once; a candidate
/// costs its Halide object, a page of C++ and a link. Safe on several threads.
class Candidates {
public:
  /// One target, grid kind, kind of q, class and algorithm. `knobs` of the request are not read.
  explicit Candidates(LibraryRequest request);
  ~Candidates();
  /// A shared library as buildLibrary makes it, with the variant alone, whose knobs are `knobs`
  /// over the tuned or the default ones. Throws ir::Error as planLibrary and buildLibrary do.
  void build(const std::string &knobs, const std::string &path);

private:
  struct CommonState;
  std::unique_ptr<CommonState> shared;
};

// What the files of the library builder share.

std::string_view gridName(ir::GridKind grid); // "product", "points"
std::string_view qName(bool complexQ);        // "real", "complex"
/// A C string literal, a line of the text a line.
std::string literal(std::string_view text);
/// The tile a call should take (facet_variant.tile).
std::array<int, 3> tileOf(const SumKernel &sum);
/// "facetc 0.1.0, Halide 21.0.0, LLVM 19.1.7".
std::string versions(const LibraryPlan &plan);

/// C++ of the adapter with the signature of facet_sum_fn, for a sum of a CPU.
std::string cppAdapter(const SumKernel &sum);
/// What adapters use; once a file.
std::string_view cppAdapterPrelude();
/// The same for a sum of a device, by dsl/facet/device_call.h.
std::string cppDeviceAdapter(const SumKernel &sum);
/// "FACET_CPU", "FACET_OPENCL", "FACET_CUDA".
std::string_view interfaceOf(const std::string &target);
/// Whether a library holds sums of devices.
bool hasDevices(const LibraryPlan &plan);

/// The path by which text includes a kernel file: what would end the words or the line in
/// #include "..." is written %22, as in addresses.
std::string includePath(const std::string &source);
/// Compiles C++ text. Throws ir::Error: `what`, "does not compile:" and the messages.
void compileText(const CompileCpp &compile, const std::string &text, const std::string &name,
                 const std::string &object, const std::string &what,
                 const IncludedTexts &included = {});
/// Links objects; the result shows the names `exported` only, a module what its text exports.
/// Throws ir::Error if there is no linker or it fails.
void link(LibraryForm form, const std::vector<std::string> &objects, const std::string &path,
          const std::vector<std::string> &exported);
/// Links objects and what they need of the C library to a WebAssembly module. Throws the same.
void linkModule(const std::vector<std::string> &objects, const std::string &path);

} // namespace facet::lower
