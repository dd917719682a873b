// finufft.cpp - FINUFFT opened at run time, its plans.
#include "finufft.h"
#include <cstring>
#include <dlfcn.h>
#include <stdexcept>
#include <string>

namespace facet::rivals {
namespace {

/// struct finufft_opts of FINUFFT 2.5 (include/finufft_opts.h of its source, v2.5.1).
struct Options {
  int modeord, spreadinterponly;
  int debug, spread_debug, showwarn;
  int nthreads, fftw, spread_sort, spread_kerevalmeth, spread_kerpad;
  double upsampfac;
  int spread_thread, maxbatchsize, spread_nthr_atomic, spread_max_sp_size, spread_kerformula;
  void (*fftw_lock_fun)(void *);
  void (*fftw_unlock_fun)(void *);
  void *fftw_lock_data;
};

struct Library {
  void (*defaultOptions)(Options *) = nullptr;
  int (*makePlan)(int, int, const std::int64_t *, int, int, double, void **,
                  const Options *) = nullptr;
  int (*setPoints)(void *, std::int64_t, const double *, const double *, const double *,
                   std::int64_t, const double *, const double *, const double *) = nullptr;
  int (*execute)(void *, std::complex<double> *, std::complex<double> *) = nullptr;
  int (*destroy)(void *) = nullptr;
  bool whole = true;

  template <class F> void find(void *handle, F &function, const char *name) {
    void *symbol = handle != nullptr ? dlsym(handle, name) : nullptr;
    whole &= symbol != nullptr;
    std::memcpy(static_cast<void *>(&function), static_cast<const void *>(&symbol), sizeof symbol);
  }
  Library() {
    void *handle = dlopen(FACET_FINUFFT, RTLD_NOW | RTLD_LOCAL);
    find(handle, defaultOptions, "finufft_default_opts");
    find(handle, makePlan, "finufft_makeplan");
    find(handle, setPoints, "finufft_setpts");
    find(handle, execute, "finufft_execute");
    find(handle, destroy, "finufft_destroy");
  }
};

const Library &library() {
  static const Library opened;
  return opened;
}

void check(int code, const char *step) {
  constexpr int Warning = 1; // eps cannot be reached: the kernel has its greatest width
  if (code > Warning)
    throw std::runtime_error(std::string("FINUFFT could not ") + step + ": code " +
                             std::to_string(code));
}

} // namespace

bool hasFinufft() { return library().whole; }

Finufft::Finufft(int type, int dim, const std::int64_t *modes, int transforms, double eps)
    : plan_(nullptr, library().destroy) {
  Options options;
  library().defaultOptions(&options);
  options.showwarn = 0;
  options.nthreads = 1;
  void *plan = nullptr;
  check(library().makePlan(type, dim, modes, +1, transforms, eps, &plan, &options), "make a plan");
  plan_.reset(plan);
}

void Finufft::setPoints(std::int64_t points, const std::array<const double *, 3> &xyz,
                        std::int64_t targets, const std::array<const double *, 3> &stu) {
  check(library().setPoints(plan_.get(), points, xyz[0], xyz[1], xyz[2], targets, stu[0], stu[1],
                            stu[2]),
        "take the points");
}

void Finufft::execute(std::complex<double> *strengths, std::complex<double> *out) {
  check(library().execute(plan_.get(), strengths, out), "transform");
}

} // namespace facet::rivals
