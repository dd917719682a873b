// fixture.cpp - a kernel library written by hand: born with plain loops, to test the runtime
// without the compiler. Built several times, each with one thing broken:
//   FIXTURE_ABI        the ABI it claims
//   FIXTURE_CODE       what its sums return
//   FIXTURE_WRONG      the class from which on sums are right
//   FIXTURE_TRANSLATE  its translation flag
//   FIXTURE_WAVES      also separable and transforms
//   FIXTURE_FORBIDS    says why there are none
#include <cmath>
#include <complex>
#include <facet/abi.h>

#ifndef FIXTURE_ABI
#define FIXTURE_ABI FACET_ABI_VERSION
#endif
#ifndef FIXTURE_WRONG
#define FIXTURE_WRONG 0
#endif
#ifndef FIXTURE_CODE
#define FIXTURE_CODE 0
#endif
#ifndef FIXTURE_TRANSLATE
#define FIXTURE_TRANSLATE FACET_TRANSLATE_ALWAYS
#endif

namespace {

using Complex = std::complex<double>;
constexpr const char *columns[] = {"area",       "normal.x",   "normal.y",  "normal.z",
                                   "centroid.x", "centroid.y", "centroid.z"};
constexpr facet_role roles[] = {{0, 0, 1, 2}, {1, 0, 1, 0}, {1, 0, 1, 0}, {1, 0, 1, 0},
                                {1, 1, 1, 1}, {1, 1, 1, 1}, {1, 1, 1, 1}};
constexpr facet_parameter parameters[] = {{"kappa", 1, 0, 1, nullptr}};

// A record: kappa s n and the centroid, in the class's type; careful: the centroid is wide.
template <class Real, bool Careful>
void pack(const double *const *c, int64_t n, const double *p, void *narrow, double *wide) {
  auto *to = static_cast<Real *>(narrow);
  for (int64_t t = 0; t < n; ++t) {
    for (int k = 0; k < 3; ++k)
      *to++ = static_cast<Real>(p[0] * c[0][t] * c[1 + k][t]);
    for (int k = 0; k < 3; ++k)
      if (Careful)
        *wide++ = c[4 + k][t];
      else
        *to++ = static_cast<Real>(c[4 + k][t]);
  }
}

template <class Real, bool Careful>
std::complex<Real> term(const facet_sum_args &a, int64_t t, const Complex *q) {
  const auto *w = static_cast<const Real *>(a.narrow) + t * (Careful ? 3 : 6);
  using Phase = std::conditional_t<Careful, double, Real>;
  std::complex<Phase> phase = 0;
  std::complex<Real> weight = 0;
  for (int k = 0; k < 3; ++k) {
    const Phase c = Careful ? static_cast<Phase>(a.wide[3 * t + k]) : static_cast<Phase>(w[3 + k]);
    phase += std::complex<Phase>(q[k]) * c;
    weight += std::complex<Real>(q[k]) * w[k];
  }
  return weight * std::complex<Real>(std::exp(std::complex<Phase>(0, 1) * phase));
}

template <class Real, bool Careful, int Klass> int sum(const facet_sum_args *args) {
  const facet_sum_args &a = *args;
  const bool points = a.n[1] == 1 && a.n[2] == 1 && a.end[1] == 1;
  const auto component = [&](int k, int64_t i) {
    return Complex(a.axis_re[k][i], a.axis_im[k] != nullptr ? a.axis_im[k][i] : 0);
  };
  for (int64_t x = a.begin[0]; x < a.end[0]; ++x)
    for (int64_t y = a.begin[1]; y < a.end[1]; ++y)
      for (int64_t z = a.begin[2]; z < a.end[2]; ++z) {
        const Complex q[3] = {component(0, x), component(1, points ? x : y),
                              component(2, points ? x : z)};
        std::complex<Real> all = 0;
        for (int64_t t = a.t_begin; t < a.t_end; ++t)
          all += term<Real, Careful>(a, t, q);
        if (Klass < FIXTURE_WRONG)
          all *= static_cast<Real>(1.001);
        a.sums[0][(x * a.n[1] + y) * a.n[2] + z] += all.real();
        a.sums[1][(x * a.n[1] + y) * a.n[2] + z] += all.imag();
      }
  return FIXTURE_CODE;
}

void finish(const double *const qRe[3], const double *const qIm[3], const int64_t stride[3],
            int64_t n, const double *, const double *, const double *const *sums,
            double *const *to) {
  for (int64_t i = 0; i < n; ++i) {
    Complex qq = 0;
    for (int k = 0; k < 3; ++k) {
      const Complex q(qRe[k][i * stride[k]], qIm[k] != nullptr ? qIm[k][i * stride[k]] : 0);
      qq += q * q;
    }
    const Complex f = Complex(0, -1) * Complex(sums[0][i], sums[1][i]) / qq;
    to[0][i] = f.real();
    to[1][i] = f.imag();
  }
}

void reference(const double *q, int64_t n, const double *const *c, int64_t nt, const double *p,
               double *f, double *sumAbs, double *factor) {
  for (int64_t i = 0; i < n; ++i, q += 6) {
    Complex all = 0, qq = 0;
    sumAbs[i] = 0;
    for (int64_t t = 0; t < nt; ++t) {
      Complex phase = 0, weight = 0;
      for (int k = 0; k < 3; ++k) {
        phase += Complex(q[2 * k], q[2 * k + 1]) * c[4 + k][t];
        weight += Complex(q[2 * k], q[2 * k + 1]) * c[1 + k][t];
      }
      const Complex one = p[0] * c[0][t] * weight * std::exp(Complex(0, 1) * phase);
      all += one;
      sumAbs[i] += std::abs(one);
    }
    for (int k = 0; k < 3; ++k)
      qq += Complex(q[2 * k], q[2 * k + 1]) * Complex(q[2 * k], q[2 * k + 1]);
    const Complex value = Complex(0, -1) * all / qq;
    f[2 * i] = value.real();
    f[2 * i + 1] = value.imag();
    factor[i] = 1 / std::abs(qq);
  }
}

#ifdef FIXTURE_ORIGIN
void origin(const double *const *c, int64_t nt, const double *p, double f[2]) {
  f[0] = f[1] = 0;
  for (int64_t t = 0; t < nt; ++t)
    for (int k = 0; k < 3; ++k)
      f[0] += p[0] * c[0][t] * c[1 + k][t] * c[4 + k][t] / 3;
}
#endif

#ifdef FIXTURE_WAVES
// The same kernel as transforms: T_k = sum kappa s n_k cis(q.c), F = -i sum_k q_k T_k / q.q.
void fill(const double *const *c, int64_t n, const double *p, double *const *points,
          double *const *strengths) {
  for (int64_t t = 0; t < n; ++t)
    for (int k = 0; k < 3; ++k) {
      points[k][t] = c[4 + k][t];
      strengths[k][2 * t] = p[0] * c[0][t] * c[1 + k][t];
      strengths[k][2 * t + 1] = 0;
    }
}

void combine(const double *const qRe[3], const double *const qIm[3], const int64_t stride[3],
             int64_t n, const double *, const double *, const double *const *sums,
             double *const *to) {
  double *f = to[0];
  for (int64_t i = 0; i < n; ++i) {
    Complex all = 0, qq = 0;
    for (int k = 0; k < 3; ++k) {
      const Complex q(qRe[k][i * stride[k]], qIm[k] != nullptr ? qIm[k][i * stride[k]] : 0);
      all += q * Complex(sums[k][2 * i], sums[k][2 * i + 1]);
      qq += q * q;
    }
    const Complex value = Complex(0, -1) * all / qq;
    f[2 * i] = value.real();
    f[2 * i + 1] = value.imag();
  }
}

constexpr int32_t waveOf[] = {0, 0, 0}, partsOf[] = {2, 2, 2};

constexpr facet_transforms transformsOf(facet_q_kind q) {
  facet_transforms t{};
  t.q = q;
  t.waves = 1;
  t.transforms = 3;
  t.wave_of = waveOf;
  t.parts = partsOf;
  t.fill = fill;
  t.combine = combine;
  return t;
}

const facet_transforms transforms[] = {transformsOf(FACET_REAL_Q), transformsOf(FACET_COMPLEX_Q)};
#endif

constexpr int32_t parts[] = {2};

template <class Real, facet_class Class>
constexpr facet_variant variantOf(facet_grid_kind grid, facet_q_kind q,
                                  facet_algorithm algorithm = FACET_DIRECT) {
  constexpr bool careful = Class == FACET_F32_CAREFUL;
  facet_variant v{};
  v.target = "sse41";
  v.klass = Class;
  v.grid = grid;
  v.q = q;
  v.algorithm = algorithm;
  v.narrow_fields = careful ? 3 : 6;
  v.wide_fields = careful ? 3 : 0;
  v.t_block = 64;
  const bool product = grid == FACET_PRODUCT;
  const int32_t pad[3] = {product ? 1 : 8, product ? 2 : 1, product ? 4 : 1};
  for (int k = 0; k < 3; ++k)
    v.pad[k] = pad[k];
  v.error_bound = Class == FACET_F64 ? 1e-15 : 1e-7;
  v.pack = pack<Real, careful>;
  v.sum = sum<Real, careful, Class>;
  v.finish = finish;
  v.knobs = "";
  v.interface_ = FACET_CPU;
  v.components = 1;
  v.parts = parts;
  return v;
}

#define VARIANTS(grid, q)                                                                          \
  variantOf<float, FACET_F32>(grid, q), variantOf<float, FACET_F32_CAREFUL>(grid, q),              \
      variantOf<double, FACET_F64>(grid, q)

const facet_variant variants[] = {
    VARIANTS(FACET_PRODUCT, FACET_REAL_Q),
    VARIANTS(FACET_PRODUCT, FACET_COMPLEX_Q),
    VARIANTS(FACET_POINTS, FACET_REAL_Q),
    VARIANTS(FACET_POINTS, FACET_COMPLEX_Q),
#ifdef FIXTURE_WAVES // what is called separable here is the direct sum: the runtime cannot tell
    variantOf<double, FACET_F64>(FACET_PRODUCT, FACET_REAL_Q, FACET_SEPARABLE),
    variantOf<double, FACET_F64>(FACET_PRODUCT, FACET_COMPLEX_Q, FACET_SEPARABLE),
#endif
};

facet_kernel_description describe() {
  facet_kernel_description d{};
  d.abi = FIXTURE_ABI;
  d.size = sizeof d;
  d.name = "fixture";
  d.shape = "";
  d.manifest = "{\"files\": []}";
  d.triangle = 1;
  d.translation = FIXTURE_TRANSLATE;
  d.grid = FACET_PRODUCT;
  d.complex_q[2] = 1;
  d.column_count = 7;
  d.columns = columns;
  d.roles = roles;
  d.param_count = d.parameter_count = 1;
  d.parameters = parameters;
  d.variant_count = sizeof variants / sizeof *variants;
  d.variants = variants;
#ifdef FIXTURE_WAVES
  d.transforms_count = 2;
  d.transforms = transforms;
#endif
#ifdef FIXTURE_FORBIDS
  d.no_separable = "fixture.cpp:7:3: exp(q.x * t.area) joins q and t";
  d.no_nufft = "fixture.cpp:8:3: the phase is not linear in q";
#endif
  d.reference = reference;
#ifdef FIXTURE_ORIGIN
  d.origin = origin;
#endif
  static constexpr facet_output outputs[] = {{"", 1}};
  d.output_count = 1;
  d.outputs = outputs;
  return d;
}
const facet_kernel_description description = describe();

} // namespace

extern "C" const facet_kernel_description *facet_kernel() { return &description; }
