// kernel.h - kernel libraries: load one, find the variant for this machine, compile and cache on
// demand.
#pragma once
#include "error.h"
#include "mesh.h"
#include "parameters.h"
#include <facet/abi.h>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace facet::runtime {

/// A target of schedules/targets.def, and whether this CPU can run it.
struct Target {
  std::string name, doc;
  std::vector<std::string> missing; // CPU features it needs that are not here
  std::string foreign;              // its architecture, if that is not this machine's
  std::string device;               // "opencl", "cuda"; "" for a CPU's
  /// On this CPU; whyNot() asks for devices too.
  bool runnable() const { return missing.empty() && foreign.empty() && device.empty(); }
};
/// Every target facet compiles for: CPUs, best last, then devices.
const std::vector<Target> &targets();
/// The best target this CPU can run, never a device's.
std::string bestTarget();
/// Why this machine cannot run a target; "" if it can. For one of a device its driver is opened.
std::string whyNot(const Target &target);
/// `wanted`, else $FACET_TARGET, else "" (the CPU's best): a target's name; "cuda", the best that
/// the device can run; "auto", a GPU's (CUDA before OpenCL) if there is one, else the CPU's
/// best; "any", the CPU's best. Throws Error for an unknown name and for a target this machine
/// cannot run, and why.
std::string forcedTarget(const std::string &wanted = "");
/// The targets that a plan weighs, that of a CPU first: for "any" the CPU's best and the best that
/// each interface's device here can run, else one alone. Throws Error as forcedTarget does.
std::vector<std::string> targetsFor(const std::string &wanted);

/// Names as people type them: "f32", "f32-careful", "f64"; "product", "points"; "real", "complex";
/// "direct", "separable", "nufft".
std::string className(int klass);
std::string gridName(int grid);
std::string qName(int q);
std::string algorithmName(int algorithm);
/// Throws Error for an unknown name.
facet_class classByName(const std::string &name);
facet_algorithm algorithmByName(const std::string &name);

/// A loaded kernel library, or a kernel linked into the program. Cheap to copy; the library stays
/// open while a copy lives.
class Kernel {
public:
  /// Opens a shared library. Throws Error: no library, no kernel in it, another ABI.
  static Kernel load(const std::string &path);
  /// A kernel linked in: the result of facet_kernel_NAME(). Throws Error for another ABI.
  explicit Kernel(const facet_kernel_description *description, std::string where = "");

  const facet_kernel_description &operator*() const { return *description_; }
  const facet_kernel_description *operator->() const { return description_; }
  /// The file it came from, "" if it is linked in.
  const std::string &path() const { return path_; }

  /// The variant, null if the library has none. Separable ones are of product grids.
  const facet_variant *find(const std::string &target, int klass, int grid, int q,
                            int algorithm = FACET_DIRECT) const;
  /// The transforms for a kind of q, for any grid and target; null if the library has none:
  /// no_nufft of the description says why.
  const facet_transforms *transforms(int q) const;
  /// The best target that this CPU can run and the library was compiled for; if `forced` is not
  /// empty, the best that it allows (forcedTarget). Throws Error naming the targets of the library
  /// if there is none.
  std::string chooseTarget(const std::string &forced) const;
  /// Targets in the library, in the order of targets().
  std::vector<std::string> compiledTargets() const;
  /// The numbers of all parameters in the order of the library, as Plan::execute takes them; the
  /// default of one that is not named. Throws Error for one that has none, for an unknown name,
  /// for a value of another type, and for a sweep.
  std::vector<double> parameters(const NamedParameters &named) const;

private:
  const facet_kernel_description *description_;
  std::string path_;
  std::shared_ptr<void> library_;
};

/// The outputs of F, as `finish` gives them.
std::span<const facet_output> outputsOf(const facet_kernel_description &kernel);
/// "F", or the name of an output.
std::string nameOf(const facet_output &output);

/// What a pose of the particle does to the columns that a kernel reads.
ColumnRoles rolesOf(const facet_kernel_description &kernel);

/// What facetc is to build; all three classes are always built.
struct CompileRequest {
  std::string target; // one, or several with commas; of a device: the CPU's best is held too
  facet_grid_kind grid = FACET_PRODUCT;
  facet_q_kind q = FACET_REAL_Q;
  std::string kernel = ""; // its name, if the file holds several
  /// As `--algorithms` of facetc: "all" that the kernel allows, or a list, "direct,separable"; one
  /// that the kernel forbids is then an error, unless the list ends with "?".
  std::string algorithms = "all";
  /// As `--class` of facetc: "all", or one.
  std::string klass = "all";
  /// As `--derive` of facetc, "tangent": a kernel made of this one; "": itself.
  std::string derive = "";
  /// Tuned knobs as facetc --schedules reads them (JSON); "": the defaults.
  std::string schedules = "";
  /// Called before facetc starts, if the cache holds nothing that fits.
  std::function<void()> compiling = {};
};
struct Compiled {
  std::string library; // path of the shared library in the cache
  bool hit = false;    // it was there already
  double seconds = 0;  // spent compiling
};

/// The kernel's library from the cache, or compiled by facetc into it. The key is the content of
/// the kernel file and of every file it includes, facetc itself, and the request with its
/// schedules. Throws Error: facetc's diagnostics, if it has refused the kernel.
Compiled compileKernel(const std::string &file, const CompileRequest &request);
/// From now on facetc's diagnostics are on standard error, in colour where it is a terminal, and
/// the Error's text is empty. For programs that speak there themselves, before threads are started.
void facetcSpeaks();

/// $FACET_CACHE, else $XDG_CACHE_HOME/facet, else ~/.cache/facet.
std::string cacheFolder();
/// A kernel file as given, or a name ("born") of a kernel that comes with facet. Throws Error that
/// lists the names.
std::string findKernel(const std::string &nameOrFile);

} // namespace facet::runtime
