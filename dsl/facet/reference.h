// reference.h - a kernel file as its own reference: F(q) in plain double, with compensated sums,
// and a bound on its rounding.
//
// A kernel library's generated text says, once a kernel (K::... stands for the kernel's struct):
//
//   #include "born.cpp"
//   #include <facet/reference.h>
//   struct born_columns {
//     static void record(facet::record_of<born> &t, const double *const *columns, long k) {
//       t.area = columns[0][k];
//       t.normal.x = columns[1][k];
//     }
//     static void params(facet::params_of<born> &p, const double *values) { p.kappa = values[0]; }
//   };
//   ... facet::reference<born, born_columns>(q, n, columns, nt, params, f, sum_abs, factors);
//   ... facet::origin<born, born_columns>(columns, nt, params, f);   // if
//   facet::has_origin<born>
//
// record sets the columns the kernel reads; params is empty if the kernel has none. Needs no
// standard header, allocates nothing, and may be called from several threads.
#pragma once
#include "dsl.h"

FACET_LANGUAGE_BEGIN

namespace detail {

/// The record a term takes, by value or by reference; declared only.
template <class R, class Q, class T, class... P> T record(R (*)(Q, T, P...));
template <class R, class Q, class T, class... P> T record(R (*)(Q, const T &, P...));

struct no_params {};
template <class K> struct params {
  using type = no_params;
};
template <class K>
  requires requires { typename K::Params; }
struct params<K> {
  using type = typename K::Params;
};

inline void set(real &to, double re, double) { to = re; }
inline void set(cplx &to, double re, double im) { to = {re, im}; }

/// Neumaier's sum: the rounding of every addition is kept aside (ZAMM 54, 1974).
struct compensated {
  real sum = 0, lost = 0;
  void add(real term) {
    const real next = sum + term;
    lost += abs(sum) < abs(term) ? (term - next) + sum : (sum - next) + term;
    sum = next;
  }
  real value() const { return sum + lost; }
};

struct compensated_cplx {
  compensated re, im;
  void add(real term) { re.add(term); }
  void add(cplx term) { re.add(term.re), im.add(term.im); }
  cplx value() const { return {re.value(), im.value()}; }
  void get(real &to) const { to = re.value(); }
  void get(cplx &to) const { to = value(); }
};

/// Converts to any member, to count how many a struct is initialised with.
struct any_member {
  template <class T> constexpr operator T() const;
};
template <class S, class... M> constexpr int members() {
  if constexpr (requires { S{M{}..., any_member{}}; })
    return members<S, M..., any_member>();
  else
    return sizeof...(M);
}

/// f of each component of what a term or finish returns, in order: of a number itself, of a
/// vector's components, of those of a struct's members.
template <class F> constexpr void each(real &value, F f) { f(value); }
template <class F> constexpr void each(cplx &value, F f) { f(value); }
template <class F> constexpr void each(vec3 &v, F f) { f(v.x), f(v.y), f(v.z); }
template <class F> constexpr void each(cvec3 &v, F f) { f(v.x), f(v.y), f(v.z); }
template <class S, class F> constexpr void each(S &value, F f);
template <class S, class F> constexpr void each_member(S &value, F f) {
  const auto all = [&](auto &...member) { (each(member, f), ...); };
  constexpr int n = members<S>();
  static_assert(n >= 1 && n <= 8, "what a term or finish returns has 1 to 8 members");
  if constexpr (n == 1) {
    auto &[a] = value;
    all(a);
  } else if constexpr (n == 2) {
    auto &[a, b] = value;
    all(a, b);
  } else if constexpr (n == 3) {
    auto &[a, b, c] = value;
    all(a, b, c);
  } else if constexpr (n == 4) {
    auto &[a, b, c, d] = value;
    all(a, b, c, d);
  } else if constexpr (n == 5) {
    auto &[a, b, c, d, e] = value;
    all(a, b, c, d, e);
  } else if constexpr (n == 6) {
    auto &[a, b, c, d, e, g] = value;
    all(a, b, c, d, e, g);
  } else if constexpr (n == 7) {
    auto &[a, b, c, d, e, g, h] = value;
    all(a, b, c, d, e, g, h);
  } else {
    auto &[a, b, c, d, e, g, h, j] = value;
    all(a, b, c, d, e, g, h, j);
  }
}
template <class S, class F> constexpr void each(S &value, F f) {
  if constexpr (requires { value.facet_each(f); }) // of more members than a kernel file may have
    value.facet_each(f);
  else
    each_member(value, f);
}
template <class S> constexpr int components() {
  S value{};
  int n = 0;
  each(value, [&](auto &) { ++n; });
  return n;
}

/// One number is taken as complex.
template <class F> struct outputs {
  using type = F;
};
template <> struct outputs<real> {
  using type = cplx;
};

} // namespace detail

/// The record type of kernel K, its Params (an empty struct if it has none) and its q.
template <class K> using record_of = decltype(detail::record(&K::term));
template <class K> using params_of = typename detail::params<K>::type;
template <class K> using q_of = typename K::Grid::q;

/// K's functions, with the parameters if they take them.
template <class K> auto term(const q_of<K> &q, const record_of<K> &t, const params_of<K> &p) {
  if constexpr (requires { K::term(q, t, p); })
    return K::term(q, t, p);
  else
    return K::term(q, t);
}
/// What a term returns: real, cplx, vec3, cvec3 or a struct of these.
template <class K>
using sum_of = decltype(facet::term<K>(q_of<K>{}, record_of<K>{}, params_of<K>{}));
template <class K> auto finish(const q_of<K> &q, const sum_of<K> &sum, const params_of<K> &p) {
  if constexpr (requires { K::finish(q, sum, p); })
    return typename detail::outputs<decltype(K::finish(q, sum, p))>::type(K::finish(q, sum, p));
  else
    return typename detail::outputs<decltype(K::finish(q, sum))>::type(K::finish(q, sum));
}
/// What finish returns: cplx, or the struct of its outputs.
template <class K> using f_of = decltype(facet::finish<K>(q_of<K>{}, sum_of<K>{}, params_of<K>{}));
template <class K> inline constexpr int outputs_of = detail::components<f_of<K>>();
template <class K>
inline constexpr bool has_origin = requires(record_of<K> t) { K::origin(t); } ||
                                   requires(record_of<K> t, params_of<K> p) { K::origin(t, p); };

/// F at one q; the sum of |term|, of all components; and |dF/dsum| of each output, of several
/// components their mean by sums of |term|: eps * sum_abs * factor bounds the rounding of F.
template <class K> struct reference_values {
  f_of<K> f{};
  real sum_abs = 0, factor[outputs_of<K>] = {};
};

namespace detail {

/// The outputs as complex numbers.
template <class F> void numbers(F f, cplx *to) {
  each(f, [&](auto &value) { *to++ = value; });
}

/// F with `step` added to component k of the sum.
template <class K>
void stepped(const q_of<K> &q, const params_of<K> &p, sum_of<K> sum, int k, cplx step, cplx *to) {
  int at = 0;
  each(sum, [&](auto &value) {
    if (at++ != k)
      return;
    if constexpr (requires { value.im; })
      value = value + step;
    else
      value = value + step.re;
  });
  numbers(facet::finish<K>(q, sum, p), to);
}

/// |dF/dsum| of component k and each output by central differences along both axes, the larger. The
/// step is as large as the sum itself, which keeps rounding out. finish is nearly always linear in
/// the sum: there any step is exact. Where it is quadratic, a central step is.
template <class K>
void finish_factors(const q_of<K> &q, const params_of<K> &p, const sum_of<K> &sum, int k,
                    real sum_abs, real *factors) {
  real own = 0;
  bool is_complex = false;
  int at = 0;
  sum_of<K> copy = sum;
  each(copy, [&](auto &value) {
    if (at++ == k)
      own = abs(value), is_complex = requires { value.im; };
  });
  const real size = max(own, sum_abs);
  const real step = size > 0 ? size / 1024 : real(1);
  constexpr int n = outputs_of<K>;
  cplx right[n], left[n], up[n], down[n];
  stepped<K>(q, p, sum, k, step, right), stepped<K>(q, p, sum, k, -step, left);
  if (is_complex)
    stepped<K>(q, p, sum, k, facet::i * step, up), stepped<K>(q, p, sum, k, -facet::i * step, down);
  for (int o = 0; o < n; ++o) {
    const real across = abs(right[o] - left[o]);
    factors[o] = (is_complex ? max(across, abs(up[o] - down[o])) : across) / (2 * step);
  }
}

} // namespace detail

/// F at q over the nt records that records(0) ... records(nt - 1) return.
template <class K, class Records>
reference_values<K> evaluate(const q_of<K> &q, const Records &records, long nt,
                             const params_of<K> &p = {}) {
  constexpr int n = detail::components<sum_of<K>>();
  detail::compensated_cplx sums[n];
  detail::compensated sizes[n];
  for (long k = 0; k < nt; ++k) {
    sum_of<K> value = term<K>(q, records(k), p);
    int c = 0;
    detail::each(value, [&](auto &component) {
      sums[c].add(component);
      sizes[c++].add(abs(component));
    });
  }
  sum_of<K> sum{};
  int c = 0;
  detail::each(sum, [&](auto &component) { sums[c++].get(component); });
  reference_values<K> result;
  result.f = finish<K>(q, sum, p);
  constexpr int outputs = outputs_of<K>;
  real factors[outputs], weighted[outputs] = {}, largest[outputs] = {};
  for (int k = 0; k < n; ++k) {
    const real size = sizes[k].value();
    detail::finish_factors<K>(q, p, sum, k, size, factors);
    result.sum_abs = result.sum_abs + size;
    for (int o = 0; o < outputs; ++o) {
      weighted[o] = weighted[o] + size * factors[o];
      largest[o] = factors[o] <= largest[o] ? largest[o] : factors[o]; // or not a number
    }
  }
  for (int o = 0; o < outputs; ++o)
    result.factor[o] = n > 1 && result.sum_abs > 0 ? weighted[o] / result.sum_abs : largest[o];
  return result;
}

/// F at q = 0, one number or the struct of outputs: the compensated sum of origin over the records.
template <class K, class Records>
f_of<K> evaluate_origin(const Records &records, long nt, const params_of<K> &p = {}) {
  detail::compensated_cplx sums[outputs_of<K>];
  for (long k = 0; k < nt; ++k) {
    f_of<K> value{};
    if constexpr (requires { K::origin(records(k), p); })
      value = K::origin(records(k), p);
    else
      value = K::origin(records(k));
    int o = 0;
    detail::each(value, [&](auto &output) { sums[o++].add(output); });
  }
  f_of<K> sum{};
  int o = 0;
  detail::each(sum, [&](auto &output) { sums[o++].get(output); });
  return sum;
}

namespace detail {

/// Records read from columns of doubles, one at a time.
template <class K, class Columns> struct column_records {
  const double *const *columns;
  record_of<K> operator()(long k) const {
    record_of<K> t{};
    Columns::record(t, columns, k);
    return t;
  }
};

template <class K, class Columns> params_of<K> read_params(const double *values) {
  params_of<K> p{};
  Columns::params(p, values);
  return p;
}

} // namespace detail

namespace detail {
using int64 = __INT64_TYPE__; // as in abi.h, whatever `long` is
}

/// facet_reference_fn of abi.h: F (re, im of each output) at n points q (x.re, x.im, y.re, y.im,
/// z.re, z.im each).
/// Parts of q that the kernel does not have (an imaginary part of a real axis) are ignored.
template <class K, class Columns>
void reference(const double *q, detail::int64 n, const double *const *columns, detail::int64 nt,
               const double *param_values, double *f, double *sum_abs, double *factors) {
  const detail::column_records<K, Columns> records{columns};
  const params_of<K> p = detail::read_params<K, Columns>(param_values);
  for (long k = 0; k < n; ++k) {
    q_of<K> point;
    detail::set(point.x, q[6 * k], q[6 * k + 1]);
    detail::set(point.y, q[6 * k + 2], q[6 * k + 3]);
    detail::set(point.z, q[6 * k + 4], q[6 * k + 5]);
    const reference_values<K> value = evaluate<K>(point, records, nt, p);
    constexpr int outputs = outputs_of<K>;
    cplx numbers[outputs];
    detail::numbers(value.f, numbers);
    for (int o = 0; o < outputs; ++o) {
      f[2 * (k * outputs + o)] = static_cast<double>(numbers[o].re);
      f[2 * (k * outputs + o) + 1] = static_cast<double>(numbers[o].im);
      factors[k * outputs + o] = static_cast<double>(value.factor[o]);
    }
    sum_abs[k] = static_cast<double>(value.sum_abs);
  }
}

/// facet_origin_fn of abi.h: F at q = 0 (re, im of each output).
template <class K, class Columns>
void origin(const double *const *columns, detail::int64 nt, const double *param_values, double *f) {
  const detail::column_records<K, Columns> records{columns};
  const params_of<K> p = detail::read_params<K, Columns>(param_values);
  cplx numbers[outputs_of<K>];
  detail::numbers(evaluate_origin<K>(records, nt, p), numbers);
  for (int o = 0; o < outputs_of<K>; ++o) {
    f[2 * o] = static_cast<double>(numbers[o].re);
    f[2 * o + 1] = static_cast<double>(numbers[o].im);
  }
}

FACET_LANGUAGE_END
