// nufft.cpp - DUCC and FINUFFT opened at run time: compiled for this CPU, and FINUFFT's wheel.
#include "nufft.h"
#include <cstring>
#include <dlfcn.h>
#include <stdexcept>
#include <type_traits>

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

void *opened(const char *file) {
  return *file != '\0' ? dlopen(file, RTLD_NOW | RTLD_LOCAL) : nullptr;
}

/// A function of an open library; null if there is none.
template <class F> F named(void *handle, const char *name) {
  void *symbol = handle != nullptr ? dlsym(handle, name) : nullptr;
  F function;
  std::memcpy(static_cast<void *>(&function), static_cast<const void *>(&symbol), sizeof symbol);
  return function;
}

template <class Real> using DuccFactory = Transform<Real> *(*)(const TransformShape *);
template <class Real> DuccFactory<Real> duccFactory() {
  static void *const handle = opened(FACET_RIVAL_DUCC);
  return named<DuccFactory<Real>>(handle, std::is_same_v<Real, float> ? "ducc_f32" : "ducc_f64");
}

template <class Real> struct Functions {
  using Complex = std::complex<Real>;
  void (*defaultOptions)(Options *) = nullptr;
  int (*makePlan)(int, int, const std::int64_t *, int, int, Real, void **,
                  const Options *) = nullptr;
  int (*setPoints)(void *, std::int64_t, const Real *, const Real *, const Real *, std::int64_t,
                   const Real *, const Real *, const Real *) = nullptr;
  int (*execute)(void *, Complex *, Complex *) = nullptr;
  int (*destroy)(void *) = nullptr;
  bool whole = true;

  explicit Functions(const char *file) {
    void *const handle = opened(file);
    find(handle, defaultOptions, "default_opts");
    find(handle, makePlan, "makeplan");
    find(handle, setPoints, "setpts");
    find(handle, execute, "execute");
    find(handle, destroy, "destroy");
  }

private:
  template <class F> void find(void *handle, F &function, const char *name) {
    const std::string prefix = std::is_same_v<Real, float> ? "finufftf_" : "finufft_";
    function = named<F>(handle, (prefix + name).c_str());
    whole &= function != nullptr;
  }
};

template <class Real> const Functions<Real> &functions(bool wheel) {
  static const Functions<Real> native(FACET_FINUFFT), generic(FACET_FINUFFT_WHEEL);
  return wheel ? generic : native;
}

void check(int code, const char *step) {
  constexpr int Warning = 1; // eps cannot be reached: the kernel has its greatest width
  if (code > Warning)
    throw std::runtime_error(std::string("FINUFFT could not ") + step + ": code " +
                             std::to_string(code));
}

template <class Real> class Finufft : public Transform<Real> {
public:
  Finufft(bool wheel, const TransformShape &shape)
      : call_(functions<Real>(wheel)), plan_(nullptr, call_.destroy) {
    Options options;
    call_.defaultOptions(&options);
    options.showwarn = 0;
    options.nthreads = shape.threads;
    const std::vector<std::int64_t> modes(shape.modes.rbegin(), shape.modes.rend());
    void *plan = nullptr;
    check(call_.makePlan(shape.list() ? 3 : 1, static_cast<int>(shape.axes), modes.data(), +1,
                         static_cast<int>(shape.transforms), static_cast<Real>(shape.eps), &plan,
                         &options),
          "make a plan");
    plan_.reset(plan);
  }

  void setPoints(const Coordinates &points, const Coordinates &targets) override {
    const auto [at, n] = taken(points, points_);
    if (to_.second == 0)
      to_ = taken(targets, targets_);
    const auto &[to, m] = to_;
    check(call_.setPoints(plan_.get(), n, at[0], at[1], at[2], m, to[0], to[1], to[2]),
          "take the points");
  }

  void execute(std::vector<std::complex<Real>> &strengths,
               std::vector<std::complex<Real>> &sums) override {
    check(call_.execute(plan_.get(), strengths.data(), sums.data()), "transform");
  }

private:
  using Axes = std::array<std::vector<Real>, 3>;
  using Pointers = std::pair<std::array<const Real *, 3>, std::int64_t>;

  /// Coordinates as Real, the fastest axis first.
  static Pointers taken(const Coordinates &from, Axes &to) {
    std::array<const Real *, 3> at{};
    for (std::size_t k = 0; k < from.size(); ++k) {
      const std::vector<double> &axis = from[from.size() - 1 - k];
      to[k].assign(axis.begin(), axis.end());
      at[k] = to[k].data();
    }
    return {at, from.empty() ? 0 : static_cast<std::int64_t>(from[0].size())};
  }

  const Functions<Real> &call_;
  std::unique_ptr<void, int (*)(void *)> plan_;
  Axes points_, targets_;
  Pointers to_;
};

} // namespace

bool has(Library library) {
  if (library == Library::Ducc)
    return duccFactory<float>() != nullptr && duccFactory<double>() != nullptr;
  const bool wheel = library == Library::FinufftWheel;
  return functions<float>(wheel).whole && functions<double>(wheel).whole;
}

template <class Real>
std::unique_ptr<Transform<Real>> transformOf(Library library, const TransformShape &shape) {
  if (library == Library::Ducc)
    return std::unique_ptr<Transform<Real>>(duccFactory<Real>()(&shape));
  return std::make_unique<Finufft<Real>>(library == Library::FinufftWheel, shape);
}
template std::unique_ptr<Transform<float>> transformOf<float>(Library, const TransformShape &);
template std::unique_ptr<Transform<double>> transformOf<double>(Library, const TransformShape &);

} // namespace facet::rivals
