// finufft.cpp - FINUFFT opened, its options checked, its plans and errors.
#include "runtime/nufft/finufft.h"
#include "runtime/files/places.h"
#include "runtime/nufft/transforms.h"
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <facet/runtime/error.h>
#include <fmt/format.h>
#include <map>

namespace facet::runtime {
namespace finufft {
namespace {

const char *const install = "install it with `pip install finufft==2.5.1` and configure facet with "
                            "-DFACET_FINUFFT=.../finufft/libfinufft.so, or set FACET_FINUFFT to "
                            "the path of its library";

/// Whether the library's options are laid out as `Options`: its defaults, written over a pattern,
/// are those of 2.5 in each member, and nothing behind them has been touched.
bool knownLayout(void (*defaultOptions)(Options *)) {
  struct Guarded {
    Options options;
    std::array<unsigned char, 256> after;
  } guarded;
  std::memset(static_cast<void *>(&guarded), 0x5a, sizeof guarded);
  defaultOptions(&guarded.options);
  for (unsigned char byte : guarded.after)
    if (byte != 0x5a)
      return false;
  const Options &o = guarded.options;
  constexpr int Estimate = 64, NoFftw = -1; // FFTW_ESTIMATE; built with DUCC
  return o.modeord == 0 && o.spreadinterponly == 0 && o.debug == 0 && o.spread_debug == 0 &&
         o.showwarn == 1 && o.nthreads == 0 && (o.fftw == Estimate || o.fftw == NoFftw) &&
         o.spread_sort == 2 && o.spread_kerevalmeth == 1 && o.spread_kerpad == 1 &&
         o.upsampfac == 0 && o.spread_thread == 0 && o.maxbatchsize == 0 &&
         o.spread_nthr_atomic == -1 && o.spread_max_sp_size == 0 && o.spread_kerformula == 0 &&
         o.fftw_lock_fun == nullptr && o.fftw_unlock_fun == nullptr && o.fftw_lock_data == nullptr;
}

Library none(std::string why) {
  Library library;
  library.status = std::move(why);
  return library;
}

void check(int code, const char *step) {
  constexpr int Warning = 1; // eps cannot be reached: the kernel has its greatest width
  if (code <= Warning)
    return;
  // What can happen here, of finufft_errors.h.
  static const std::map<int, std::string> words{
      {2, "a fine grid of more than 10^12 nodes"}, {11, "no memory"}, {20, "too many points"}};
  const auto known = words.find(code);
  throw Error("nufft",
              fmt::format("FINUFFT could not {}: {}", step,
                          known != words.end() ? known->second : fmt::format("code {}", code)),
              "force another algorithm, or report this with the command you ran", Exit::Failed);
}

/// Opened with OpenMP threads that sleep soon after they have worked: libgomp's spin, and so take a core from facet's own
/// threads and from other programs (on two busy cores transforms took up to four times as long). What the user sets stands.
void *opened(const std::string &path) {
  constexpr const char *spins = "GOMP_SPINCOUNT";
  const bool isSet = std::getenv(spins) != nullptr || std::getenv("OMP_WAIT_POLICY") != nullptr;
  if (!isSet)
    setenv(spins, "1000", 0); // some microseconds; libgomp reads it as it is loaded
  // Kept open: these threads outlive any plan.
  void *handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!isSet)
    unsetenv(spins);
  return handle;
}

} // namespace

Library open(const std::string &path) {
  void *handle = opened(path);
  if (!handle)
    return none(fmt::format("FINUFFT cannot be opened ({}); {}", dlerror(), install));
  Library library;
  bool whole = true;
  const auto find = [&](auto &function, const char *name) {
    void *symbol = dlsym(handle, name);
    whole &= symbol != nullptr;
    std::memcpy(static_cast<void *>(&function), static_cast<const void *>(&symbol), sizeof symbol);
  };
  find(library.defaultOptions, "finufft_default_opts");
  find(library.makePlan, "finufft_makeplan");
  find(library.setPoints, "finufft_setpts");
  find(library.execute, "finufft_execute");
  find(library.executeAdjoint, "finufft_execute_adjoint");
  find(library.destroy, "finufft_destroy");
  if (!whole || !knownLayout(library.defaultOptions))
    return none(
        fmt::format("the FINUFFT at {} is not version 2.5, which facet knows; {}", path, install));
  library.status = "FINUFFT at " + path;
  return library;
}

const Library &library() {
  static const Library found = [] {
    if (const char *path = std::getenv("FACET_FINUFFT"); path && *path)
      return open(path);
    for (const std::string &path :
         {std::string(FACET_FINUFFT_PATH), besideLibrary("finufft/libfinufft.so"),
          besideLibrary("../../finufft/libfinufft.so"), // libfacet in Python's facet/lib
          std::string("libfinufft.so")})
      if (Library library = path.empty() ? Library{} : open(path); library.available())
        return library;
    return none(fmt::format("FINUFFT was not found; {}", install));
  }();
  return found;
}

Plan::Plan(int type, int dim, const std::int64_t *modes, int transforms, double eps,
           double upsampling, int threads)
    : plan_(nullptr, library().destroy) {
  const Library &library = finufft::library();
  if (!library.available())
    throw Error("nufft", library.status);
  Options options;
  library.defaultOptions(&options);
  options.showwarn = 0;
  options.nthreads = threads;
  options.upsampfac = upsampling;
  void *plan = nullptr;
  check(library.makePlan(type, dim, modes, +1, transforms, eps, &plan, &options), "make a plan");
  plan_.reset(plan);
}

void Plan::setPoints(std::int64_t points, const std::array<const double *, 3> &xyz,
                     std::int64_t targets, const std::array<const double *, 3> &stu) {
  check(library().setPoints(plan_.get(), points, xyz[0], xyz[1], xyz[2], targets, stu[0], stu[1],
                            stu[2]),
        "take the points");
}

void Plan::execute(std::complex<double> *strengths, std::complex<double> *out) {
  check(library().execute(plan_.get(), strengths, out), "transform");
}

void Plan::executeAdjoint(std::complex<double> *in, std::complex<double> *strengths) {
  check(library().executeAdjoint(plan_.get(), strengths, in), "transform back");
}

} // namespace finufft

bool nufftAvailable() { return finufft::library().available(); }
const std::string &nufftStatus() { return finufft::library().status; }

} // namespace facet::runtime
