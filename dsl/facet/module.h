// module.h - what a WebAssembly module of a kernel exports: F on a grid of q, of triangles and
// parameters that may change with each call. docs/embedding.md shows how it is called.
//
// Pointers are 32-bit addresses in the exported `memory`, lengths nm, q nm^-1. There is one thread.
// The text of a kernel library includes this file behind facet_kernel().
#pragma once
#include "abi.h"
#include "dsl.h"

extern "C" {
void *malloc(unsigned long);
void free(void *);
const facet_kernel_description *facet_kernel(void);
}

namespace facet::module {

/// What a call returns beside facet_sum_code.
constexpr int32_t no_variant = 6, no_columns = 7;

/// Zeros, for the length of a call. `data` is null if there is no memory for them.
template <class T> struct room {
  T *data = nullptr;
  explicit room(int64_t count) {
    const int64_t bytes = (count > 0 ? count : 1) * static_cast<int64_t>(sizeof(T));
    if (bytes < 0x7fffffff)
      data = static_cast<T *>(::malloc(static_cast<unsigned long>(bytes)));
    if (data)
      __builtin_memset(data, 0, static_cast<unsigned long>(bytes));
  }
  room(const room &) = delete;
  ~room() { ::free(data); }
};

inline const real *part(const real &value, const char *name) { return *name ? nullptr : &value; }
inline const real *part(const vec3 &value, const char *name) {
  if (name[0] != '.' || name[1] < 'x' || name[1] > 'z' || name[2])
    return nullptr;
  return name[1] == 'x' ? &value.x : name[1] == 'y' ? &value.y : &value.z;
}

/// What follows `start` in a name; null if the name does not begin so.
inline const char *after(const char *name, const char *start) {
  for (; *start; ++start, ++name)
    if (*name != *start)
      return nullptr;
  return name;
}

/// The number of a triangle that a column is called after ("area", "normal.x"); null: the column is
/// the caller's own.
inline const real *geometry(const Triangle &t, const char *column) {
#define FACET_TRIANGLE(name, is_vector, power, moves, doc)                                         \
  if (const char *rest = after(column, #name))                                                     \
    if (const real *number = part(t.name, rest))                                                   \
      return number;
#include "triangle.def"
  return nullptr;
}

/// The triangle of nine numbers, its corners. Without area it has no normal.
inline Triangle triangle(const double *c) {
  Triangle t;
  t.vertex0 = {c[0], c[1], c[2]}, t.vertex1 = {c[3], c[4], c[5]}, t.vertex2 = {c[6], c[7], c[8]};
  t.edge1 = t.vertex1 - t.vertex0, t.edge2 = t.vertex2 - t.vertex0;
  const vec3 twice = cross(t.edge1, t.edge2);
  t.area = norm(twice) / 2;
  t.normal = t.area > 0 ? twice / (2 * t.area) : vec3{};
  t.centroid = (t.vertex0 + t.vertex1 + t.vertex2) / 3;
  return t;
}

/// The columns of `count` records, in the kernel's order.
class records {
public:
  /// `own`: the columns that are no geometry, in the kernel's order.
  records(int32_t count, const double *corners, const double *const *own)
      : count(count), values(int64_t(count) * kernel.column_count), columns(kernel.column_count) {
    if (!values.data || !columns.data)
      return;
    const Triangle none;
    for (int32_t c = 0; c < kernel.column_count; ++c) {
      double *to = values.data + int64_t(count) * c;
      columns.data[c] = to;
      if (kernel.triangle && geometry(none, kernel.columns[c]))
        missing |= !corners && count > 0;
      else if (own && own[owned])
        __builtin_memcpy(to, own[owned++], sizeof(double) * static_cast<unsigned long>(count));
      else
        missing |= count > 0;
    }
    if (!missing && kernel.triangle)
      measure(corners);
  }
  int32_t code() const {
    return !values.data || !columns.data ? int32_t(FACET_NO_MEMORY) : missing ? no_columns : 0;
  }
  const facet_kernel_description &kernel = *facet_kernel();
  int32_t count;

private:
  room<double> values;
  bool missing = false;
  int32_t owned = 0;

public:
  room<const double *> columns;

private:
  void measure(const double *corners) {
    for (int32_t k = 0; k < count; ++k) {
      const Triangle t = triangle(corners + 9 * k);
      for (int32_t c = 0; c < kernel.column_count; ++c)
        if (const real *number = geometry(t, kernel.columns[c]))
          values.data[int64_t(count) * c + k] = *number;
    }
  }
};

/// The axes, or the list, of q: padded as the variant's sum wants them.
class grid {
public:
  grid(const facet_variant &variant, const int32_t *n, const double *const *re,
       const double *const *im)
      : product(variant.grid == FACET_PRODUCT),
        extent{n[0], product ? n[1] : 1, product ? n[2] : 1},
        padded{up(extent[0], variant.pad[0]), up(extent[1], variant.pad[1]),
               up(extent[2], variant.pad[2])},
        values(2 * (length(0) + length(1) + length(2))) {
    double *next = values.data;
    for (int k = 0; k < 3 && next; ++k)
      for (int imaginary = 0; imaginary < 2; ++imaginary) {
        const double *from = !imaginary ? re[k] : im ? im[k] : nullptr;
        (imaginary ? axis_im : axis_re)[k] = next;
        const int64_t given = product ? extent[k] : extent[0];
        for (int64_t j = 0; from && j < length(k); ++j)
          next[j] = from[j < given ? j : given - 1];
        next += length(k);
      }
  }
  bool product;
  int64_t extent[3], padded[3];
  double *axis_re[3] = {}, *axis_im[3] = {};
  int64_t points() const { return extent[0] * extent[1] * extent[2]; }
  int64_t padded_points() const { return padded[0] * padded[1] * padded[2]; }

private:
  room<double> values;
  static int64_t up(int64_t n, int64_t step) { return (n + step - 1) / step * step; }
  int64_t length(int k) const { return product ? padded[k] : padded[0]; }

public:
  bool ready() const { return values.data != nullptr; }
};

/// One call of facet_form_factor, in the order of its steps.
class call {
public:
  call(const facet_variant &variant, const records &mesh, const double *params, const grid &q)
      : variant(variant), mesh(mesh), params(params), q(q), count(real_sums(variant)),
        values(count * q.padded_points()), sums(count), totals(2 * variant.totals),
        sizes(variant.totals) {
    for (int32_t s = 0; s < count && sums.data; ++s)
      sums.data[s] = values.data + s * q.padded_points();
  }
  int32_t run(double *f) {
    if (!values.data || !sums.data || !totals.data || !sizes.data || !q.ready())
      return FACET_NO_MEMORY;
    if (const int32_t failed = sum())
      return failed;
    if (variant.totals_fn)
      variant.totals_fn(mesh.columns.data, mesh.count, params, totals.data, sizes.data);
    for (int64_t row = 0; row < q.extent[0] * q.extent[1]; row += q.product ? 1 : q.extent[0])
      finish(row, f);
    at_origin(f);
    return FACET_DONE;
  }

private:
  const facet_variant &variant;
  const records &mesh;
  const double *params;
  const grid &q;
  int32_t count;
  room<double> values;
  room<double *> sums;
  room<double> totals, sizes;

  static int32_t real_sums(const facet_variant &variant) {
    int32_t all = 0;
    for (int32_t k = 0; k < variant.components; ++k)
      all += variant.parts[k];
    return all;
  }

  int32_t sum() {
    const bool isDouble = variant.klass == FACET_F64;
    room<char> narrow(int64_t(mesh.count) * variant.narrow_fields * (isDouble ? 8 : 4));
    room<double> wide(int64_t(mesh.count) * variant.wide_fields);
    if (!narrow.data || !wide.data)
      return FACET_NO_MEMORY;
    variant.pack(mesh.columns.data, mesh.count, params, narrow.data, wide.data);
    facet_sum_args args = {};
    args.narrow = narrow.data, args.wide = wide.data;
    args.t_end = mesh.count;
    for (int k = 0; k < 3; ++k) {
      args.axis_re[k] = q.axis_re[k], args.axis_im[k] = q.axis_im[k];
      args.n[k] = args.end[k] = q.padded[k];
    }
    args.params = params, args.sums = sums.data;
    return variant.sum(&args);
  }

  /// F of a row (x, y), or of the whole list.
  void finish(int64_t row, double *f) {
    const int64_t x = row / q.extent[1], y = row % q.extent[1];
    const int64_t at[3] = {x, y, 0}, first = (x * q.padded[1] + y) * q.padded[2];
    const double *re[3], *im[3], *here[FACET_MOST_SUMS];
    double *to[2 * FACET_MOST_OUTPUTS];
    int64_t stride[3];
    for (int k = 0; k < 3; ++k) {
      re[k] = q.axis_re[k] + (q.product ? at[k] : 0);
      im[k] = q.axis_im[k] + (q.product ? at[k] : 0);
      stride[k] = !q.product || k == 2;
    }
    for (int32_t s = 0; s < count; ++s)
      here[s] = sums.data[s] + (q.product ? first : 0);
    const int64_t length = q.product ? q.extent[2] : q.extent[0];
    for (int32_t o = 0; o < 2 * mesh.kernel.output_count; ++o)
      to[o] = f + o * q.points() + (q.product ? row * length : 0);
    variant.finish(re, variant.q == FACET_COMPLEX_Q ? im : nullptr, stride, length, params,
                   totals.data, here, to);
  }

  /// F where q is 0, if the kernel says what it is there.
  void at_origin(double *f) {
    if (!mesh.kernel.origin)
      return;
    for (int64_t p = 0; p < q.points(); ++p) {
      const int64_t z = p % q.extent[2], y = p / q.extent[2] % q.extent[1],
                    x = p / (q.extent[2] * q.extent[1]);
      const int64_t at[3] = {x, q.product ? y : x, q.product ? z : x};
      bool zero = true;
      for (int k = 0; k < 3; ++k)
        zero = zero && q.axis_re[k][at[k]] == 0 &&
               (variant.q != FACET_COMPLEX_Q || q.axis_im[k][at[k]] == 0);
      double value[2 * FACET_MOST_OUTPUTS];
      if (zero)
        mesh.kernel.origin(mesh.columns.data, mesh.count, params, value);
      for (int32_t o = 0; zero && o < 2 * mesh.kernel.output_count; ++o)
        f[o * q.points() + p] = value[o];
    }
  }
};

#define FACET_EXPORT(name) __attribute__((export_name("facet_" #name), used)) name

/// FACET_ABI_VERSION: read first.
inline int32_t FACET_EXPORT(abi)() { return FACET_ABI_VERSION; }

/// JSON that ends with a zero: columns, params with defaults, outputs, variants.
inline const char *FACET_EXPORT(manifest)() { return facet_kernel()->manifest; }

/// Memory for a caller's arrays, aligned for doubles; null: there is none left.
inline void *FACET_EXPORT(alloc)(uint32_t bytes) { return ::malloc(bytes); }
inline void FACET_EXPORT(free)(void *memory) { ::free(memory); }

/// F of triangles on a grid of q.
/// - variant: its place in the manifest's list.
/// - corners: 9 numbers a triangle; null of records that are none.
/// - own: the columns that are no geometry, an array of `count` numbers each, in the manifest's
///   order; null if there are none.
/// - params: all numbers, in the manifest's order.
/// - n: points of each axis, x, y, z; of a list n[0]. re, im: the three axes, or lists; im, or one
///   of its three, may be null: 0.
/// - f: for each output its real parts at all q, z fastest, then its imaginary parts.
/// Returns facet_sum_code; 6: no such variant; 7: corners or a column are missing.
inline int32_t FACET_EXPORT(form_factor)(int32_t variant, int32_t count, const double *corners,
                                         const double *const *own, const double *params,
                                         const int32_t *n, const double *const *re,
                                         const double *const *im, double *f) {
  const facet_kernel_description &kernel = *facet_kernel();
  if (variant < 0 || variant >= kernel.variant_count)
    return no_variant;
  const records mesh(count, corners, own);
  if (const int32_t failed = mesh.code())
    return failed;
  const grid q(kernel.variants[variant], n, re, im);
  return q.points() > 0 ? call(kernel.variants[variant], mesh, params, q).run(f) : 0;
}

/// F of the kernel file in double, by compensated sums, at n points; at q = 0 its origin.
/// - q: x.re, x.im, y.re, y.im, z.re, z.im each.
/// - f: of each point all outputs, re and im.
/// Returns the same codes.
inline int32_t FACET_EXPORT(reference)(int32_t count, const double *corners,
                                       const double *const *own, const double *params, int32_t n,
                                       const double *q, double *f) {
  const facet_kernel_description &kernel = *facet_kernel();
  const records mesh(count, corners, own);
  const room<double> size(n), factors(int64_t(n) * kernel.output_count);
  if (const int32_t failed = mesh.code())
    return failed;
  if (!size.data || !factors.data)
    return FACET_NO_MEMORY;
  kernel.reference(q, n, mesh.columns.data, count, params, f, size.data, factors.data);
  for (int64_t p = 0; p < n && kernel.origin; ++p) {
    bool zero = true;
    for (int k = 0; k < 6; ++k)
      zero = zero && q[6 * p + k] == 0;
    if (zero)
      kernel.origin(mesh.columns.data, count, params, f + 2 * p * kernel.output_count);
  }
  return FACET_DONE;
}

} // namespace facet::module
#undef FACET_EXPORT
