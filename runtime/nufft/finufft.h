// finufft.h - FINUFFT's C interface, declared here because its wheel has no header, opened at run
// time so that facet builds and starts without it.
#pragma once
#include <array>
#include <complex>
#include <cstdint>
#include <memory>
#include <string>

namespace facet::runtime::finufft {

/// struct finufft_opts of FINUFFT 2.5 (include/finufft_opts.h of its source, v2.5.1). Another
/// version's may differ: open() checks the default values, member by member.
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

/// The functions facet calls.
struct Library {
  using Plan = void *;
  void (*defaultOptions)(Options *) = nullptr;
  int (*makePlan)(int type, int dim, const std::int64_t *modes, int sign, int transforms,
                  double eps, Plan *plan, const Options *options) = nullptr;
  int (*setPoints)(Plan plan, std::int64_t points, const double *x, const double *y,
                   const double *z, std::int64_t targets, const double *s, const double *t,
                   const double *u) = nullptr;
  int (*execute)(Plan plan, std::complex<double> *strengths, std::complex<double> *out) = nullptr;
  int (*executeAdjoint)(Plan plan, std::complex<double> *in,
                        std::complex<double> *strengths) = nullptr;
  int (*destroy)(Plan plan) = nullptr;
  std::string status; // where it is, or why there is none and what to do
  bool available() const { return execute != nullptr; }
};

/// Opens the library at `path` (a file, or a name the loader looks for).
Library open(const std::string &path);
/// The one facet uses; see nufftAvailable.
const Library &library();

/// The narrowest and widest kernel FINUFFT 2.5 goes to.
constexpr int MinWidth = 2, MaxWidth = 16;

/// A FINUFFT plan; e^{+i q.r}.
class Plan {
public:
  Plan(int type, int dim, const std::int64_t *modes, int transforms, double eps, double upsampling,
       int threads);
  /// The arrays must stay until the last execute.
  void setPoints(std::int64_t points, const std::array<const double *, 3> &xyz,
                 std::int64_t targets = 0, const std::array<const double *, 3> &stu = {});
  void execute(std::complex<double> *strengths, std::complex<double> *out);
  /// strengths = the conjugate transpose of `execute` applied to what has the shape of its results.
  void executeAdjoint(std::complex<double> *in, std::complex<double> *strengths);

private:
  std::unique_ptr<void, int (*)(void *)> plan_;
};

} // namespace facet::runtime::finufft
