// inside.h - what facet's own programs take from kernels beyond their interface.
#pragma once
#include <facet/runtime/kernel.h>

namespace facet::runtime {

/// Time of a point of a list, relative to one of a product: each phase takes two more products.
constexpr double pointCost = 1.3;

bool isDeviceTarget(const std::string &name);
/// For people, if "auto" is wanted and finds no GPU, or "any" and no device: why; else "".
std::string targetRemark(const std::string &wanted);
/// `wanted`, else $FACET_TARGET, else "".
std::string askedWord(const std::string &wanted);
/// Targets that a word allows on this machine, best last, never none: for "" those of this CPU, for
/// "cuda" the device's, for "auto" this CPU's and, after them, a GPU's, for "any" this CPU's.
/// `where`: for messages.
/// Throws Error: no such target, or this machine cannot run it, and why.
std::vector<std::string> allowedTargets(const std::string &word, const std::string &where);
/// The targets a library is to be built for, as facetc takes them. In a list "cuda" is the best
/// that the device here can run. Without a device it is the least `cuda-sm_*`, which every later
/// device runs too. "auto" is a GPU's target if there is one, else the best of this CPU; "any" is
/// targetsFor() it. A device's target brings this CPU's best along, as targetList() does. No device
/// is needed. Other words, and "" for all, are left to facetc.
std::string buildTargets(const std::string &words);
/// What a library for a target holds: "opencl,avx512". Beside a device's sums are those of this
/// CPU's best, since repairs and lists of q run there.
std::string targetList(const std::string &target);

/// The mesh with its own columns in nm, by their roles: itself if it is in nm, else a copy in
/// `room`.
const Mesh &inNm(const Mesh &mesh, const facet_kernel_description &kernel, Mesh &room);

/// Throws Error if turning the mesh would not turn its records.
void checkTurns(const facet_kernel_description &kernel);
/// Throws Error if the records have no place, or it is not clear which: they cannot be `what`,
/// "sized" or "averaged".
void checkPlaces(const facet_kernel_description &kernel, const std::string &what);
/// Throws Error if the kernel has columns with an axis, which what is computed has none for: `what`
/// does, "an experiment sums at q of its own".
void checkNoAxes(const facet_kernel_description &kernel, const std::string &what,
                 const std::string &help);
/// Throws Error if the kernel has outputs with names: `what` takes F of one, "an experiment".
void checkOneOutput(const facet_kernel_description &kernel, const std::string &what);
/// Numbers of one parameter; for all parameters if none are given: defaults, else 1.
int numberCount(const facet_parameter &parameter);
std::vector<double> likelyParameters(const facet_kernel_description &kernel);

/// $FACETC, else facetc beside this program, else in the PATH. Throws Error.
std::string findFacetc();
/// The names of the kernels that come with facet, sorted: what findKernel takes besides files.
std::vector<std::string> shippedKernels();
/// The schedules that come with facet (schedules/machines/*.toml), by name.
std::vector<std::string> shippedSchedules();
/// Keeps JSON for facetc --schedules in the cache folder; the file's name is made of its content.
std::string schedulesFile(const std::string &json);
/// "FILE:NAME" into file and kernel name; the name is "" if there is none.
std::pair<std::string, std::string> splitKernel(const std::string &text);
/// Runs a program and waits: its exit code; 128 + signal if it died. `quiet`: its standard
/// output is dropped. `said`: receives what it writes to standard error, which else is this
/// program's.
int spawn(const std::vector<std::string> &command, bool quiet = false, std::string *said = nullptr);

/// Runs facetc: itself, the kernel file, options. If it refuses, what it has said is in the Error
/// thrown, or on standard error (facetcSpeaks).
void runFacetc(const std::vector<std::string> &words, bool quiet);

} // namespace facet::runtime
