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
//   ... facet::reference<born, born_columns>(q, n, columns, nt, params, f, sum_abs, factor);
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
  void add(cplx term) { re.add(term.re), im.add(term.im); }
  cplx value() const { return {re.value(), im.value()}; }
};

} // namespace detail

/// The record type of kernel K, its Params (an empty struct if it has none) and its q.
template <class K> using record_of = decltype(detail::record(&K::term));
template <class K> using params_of = typename detail::params<K>::type;
template <class K> using q_of = typename K::Grid::q;

/// K's functions, with the parameters if they take them.
template <class K> cplx term(const q_of<K> &q, const record_of<K> &t, const params_of<K> &p) {
  if constexpr (requires { K::term(q, t, p); })
    return K::term(q, t, p);
  else
    return K::term(q, t);
}
template <class K> cplx finish(const q_of<K> &q, cplx sum, const params_of<K> &p) {
  if constexpr (requires { K::finish(q, sum, p); })
    return K::finish(q, sum, p);
  else
    return K::finish(q, sum);
}
template <class K>
inline constexpr bool has_origin = requires(record_of<K> t) { K::origin(t); } ||
                                   requires(record_of<K> t, params_of<K> p) { K::origin(t, p); };

/// F at one q; the sum of |term|; and |dF/dsum|: eps * sum_abs * factor bounds the rounding of F.
struct reference_value {
  cplx f;
  real sum_abs = 0, factor = 0;
};

namespace detail {

/// |dF/dsum| by central differences along both axes, the larger. The step is of the size of the sum
/// itself: finish is nearly always linear in it (then any step is exact) or quadratic (then a
/// central one is), and a large step keeps rounding out.
template <class K>
real finish_factor(const q_of<K> &q, const params_of<K> &p, cplx sum, real sum_abs) {
  const real size = max(abs(sum), sum_abs);
  const real step = size > 0 ? size / 1024 : real(1);
  const cplx across = facet::finish<K>(q, sum + step, p) - facet::finish<K>(q, sum - step, p);
  const cplx along =
      facet::finish<K>(q, sum + i * step, p) - facet::finish<K>(q, sum - i * step, p);
  return max(abs(across), abs(along)) / (2 * step);
}

} // namespace detail

/// F at q over the nt records that records(0) ... records(nt - 1) return.
template <class K, class Records>
reference_value evaluate(const q_of<K> &q, const Records &records, long nt,
                         const params_of<K> &p = {}) {
  detail::compensated_cplx sum;
  detail::compensated sum_abs;
  for (long k = 0; k < nt; ++k) {
    const cplx value = term<K>(q, records(k), p);
    sum.add(value);
    sum_abs.add(abs(value));
  }
  reference_value result;
  result.f = finish<K>(q, sum.value(), p);
  result.sum_abs = sum_abs.value();
  result.factor = detail::finish_factor<K>(q, p, sum.value(), result.sum_abs);
  return result;
}

/// The value at q = 0: the compensated sum of origin over the records.
template <class K, class Records>
cplx evaluate_origin(const Records &records, long nt, const params_of<K> &p = {}) {
  detail::compensated_cplx sum;
  for (long k = 0; k < nt; ++k) {
    if constexpr (requires { K::origin(records(k), p); })
      sum.add(K::origin(records(k), p));
    else
      sum.add(K::origin(records(k)));
  }
  return sum.value();
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

/// facet_reference_fn of abi.h: F (re, im) at n points q (x.re, x.im, y.re, y.im, z.re, z.im each).
/// Parts of q that the kernel does not have (an imaginary part of a real axis) are ignored.
template <class K, class Columns>
void reference(const double *q, long n, const double *const *columns, long nt,
               const double *param_values, double *f, double *sum_abs, double *factor) {
  const detail::column_records<K, Columns> records{columns};
  const params_of<K> p = detail::read_params<K, Columns>(param_values);
  for (long k = 0; k < n; ++k) {
    q_of<K> point;
    detail::set(point.x, q[6 * k], q[6 * k + 1]);
    detail::set(point.y, q[6 * k + 2], q[6 * k + 3]);
    detail::set(point.z, q[6 * k + 4], q[6 * k + 5]);
    const reference_value value = evaluate<K>(point, records, nt, p);
    f[2 * k] = static_cast<double>(value.f.re);
    f[2 * k + 1] = static_cast<double>(value.f.im);
    sum_abs[k] = static_cast<double>(value.sum_abs);
    factor[k] = static_cast<double>(value.factor);
  }
}

/// facet_origin_fn of abi.h: the value at q = 0 (re, im).
template <class K, class Columns>
void origin(const double *const *columns, long nt, const double *param_values, double *f) {
  const detail::column_records<K, Columns> records{columns};
  const params_of<K> p = detail::read_params<K, Columns>(param_values);
  const cplx value = evaluate_origin<K>(records, nt, p);
  f[0] = static_cast<double>(value.re);
  f[1] = static_cast<double>(value.im);
}

FACET_LANGUAGE_END
