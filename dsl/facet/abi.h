/* abi.h - what a kernel library shows to the runtime: plain C, no exceptions across.
 *
 * A library exports one function, facet_kernel_NAME(), and where it is a shared object also
 * facet_kernel(), both returning the same static description. Lengths in nm, q in nm^-1. */
#ifndef FACET_ABI_H
#define FACET_ABI_H
#ifdef FACET_COMPILER /* facet compiles without standard headers */
typedef __INT32_TYPE__ int32_t;
typedef __INT64_TYPE__ int64_t;
typedef __UINT8_TYPE__ uint8_t;
typedef __UINT16_TYPE__ uint16_t;
typedef __UINT32_TYPE__ uint32_t;
typedef __UINT64_TYPE__ uint64_t;
#else
#include <stdint.h>
#endif
#ifdef __cplusplus
extern "C" {
#endif

#define FACET_ABI_VERSION 10
#define FACET_MOST_SUMS 32 /* real sums of a term: facet_sum_args */
#define FACET_MOST_OUTPUTS 8
#define FACET_OF_POINTS                                                                            \
  3 /* facet_axis_column.axis of a column of points; at most FACET_MOST_SUMS */
#define FACET_MOST_DEVICE_TABLES 24 /* real columns with an axis that a device's sum reads */

typedef enum { FACET_PRODUCT = 0, FACET_POINTS = 1 } facet_grid_kind;
typedef enum { FACET_REAL_Q = 0, FACET_COMPLEX_Q = 1 } facet_q_kind;
/* f32; f32 with the phase formed and reduced in double; f64. */
typedef enum { FACET_F32 = 0, FACET_F32_CAREFUL = 1, FACET_F64 = 2 } facet_class;
/* direct: every term at every q; separable: tables of factors without z and without x, y; nufft:
 * sums of waves by non-uniform fast Fourier transforms (facet_transforms). docs/algorithms.md. */
typedef enum { FACET_DIRECT = 0, FACET_SEPARABLE = 1, FACET_NUFFT = 2 } facet_algorithm;

/* Where a sum runs: on a CPU, or on a device through OpenCL or CUDA's driver. */
typedef enum { FACET_CPU = 0, FACET_OPENCL = 1, FACET_CUDA = 2 } facet_interface;

/* What facet_sum_fn returns. On devices `message` of facet_device says more. */
typedef enum {
  FACET_DONE = 0,
  FACET_NO_IMAGINARY = 1,  /* an axis_im is missing */
  FACET_TOO_LARGE = 2,     /* strides of the sums beyond 32 bits */
  FACET_NO_MEMORY = 3,     /* of the device: a smaller tile, or fewer records, may do */
  FACET_DEVICE_FAILED = 4, /* lost, or refused the kernel */
  FACET_NO_DEVICE = 5      /* device is null, or of another interface */
} facet_sum_code;

/* Parts of a call on a device, as facet_device.step is called with them. */
typedef enum {
  FACET_UPLOADS = 0,
  FACET_COMPUTES = 1,
  FACET_DOWNLOADS = 2,
  FACET_STEPS = 3
} facet_step;

/* One queue of a device, of one host thread at a time. Made and owned by the runtime; a kernel
 * library takes context and queue from here, whatever of Halide's it runs. */
typedef struct facet_device {
  int32_t interface_; /* facet_interface */
  void *context;      /* cl_context, CUcontext */
  void *queue;        /* cl_command_queue, CUstream */
  /* Host memory for transfers, pinned where the device can: at least `bytes`, kept for the next
   * call; slot 0 to 3 are different memory. Null where there is none. */
  void *(*staging)(struct facet_device *self, int32_t slot, int64_t bytes);
  char message[512]; /* of the last call that failed */
  /* Null, or called when each part of a call begins, at the end with FACET_STEPS: the queue is then
   * waited for between the parts. `steps` belongs to who listens. */
  void (*step)(struct facet_device *self, int32_t step);
  void *steps;
} facet_device;

/* The numbers of a column with an axis, a row for each value of the axis, `stride` apart. */
typedef struct {
  const double *values;
  int64_t stride;
} facet_table;

/* One call of a sum kernel: adds the terms of records [t_begin, t_end) to the sums of a tile.
 *
 * A term has components, numbers with a sum each, and these real sums: of a complex component the
 * real part, then the imaginary one; of a real component one alone (facet_variant.parts).
 * Axes are doubles. Product grid: axis k has its own vector; the tile is [begin[k], end[k]) of each
 * axis k; real sum s of (x, y, z) is at sums[s][(x * n[1] + y) * n[2] + z]. Points: axes are three
 * lists of equal length; begin[0], end[0] bound the tile, sum p is at sums[s][p].
 * Bounds are multiples of facet_variant.pad (the caller pads axes and sums, the surplus is
 * dropped). axis_im[k] may be null if q[k] is real. sums are accumulated into, in double.
 */
typedef struct {
  const void *narrow; /* packed records, [t][narrow_fields], float (f32 classes) or double (f64) */
  const double *wide; /* packed records, [t][wide_fields] */
  int64_t t_begin, t_end;
  const double *axis_re[3], *axis_im[3];
  int64_t n[3]; /* padded extents: strides of the sums */
  int64_t begin[3], end[3];
  const double *params;
  double *const *sums;
  facet_device *device; /* null on CPUs */
  /* Columns with an axis, in the order of facet_kernel_description.axis_columns: the value of
   * record t at place k of its axis is tables[c].values[k * tables[c].stride + t], places and
   * records counted as begin, end, t_begin and t_end count them. table_rows[a]: places of axis a,
   * the padded ones left out; beyond them the last is read. Null where the kernel has none. Of a
   * column of points (axis 3) the value at point p is tables[c].values[p], padded as the axes. */
  const facet_table *tables;
  int64_t table_rows[3];
} facet_sum_args;

typedef int (*facet_sum_fn)(const facet_sum_args *args); /* facet_sum_code */

/* Packs records: columns[c][t] (doubles, the order of facet_kernel.columns) for t < n. */
typedef void (*facet_pack_fn)(const double *const *columns, int64_t n, const double *params,
                              void *narrow, double *wide);

/* Sums over the records, n >= 0 of them, of values that have no q in them: totals[2k] + i
 * totals[2k + 1] = B_k by compensated summation, sizes[k] = sum |b_k|. */
typedef void (*facet_totals_fn)(const double *const *columns, int64_t n, const double *params,
                                double *totals, double *sizes);

/* F at n points, f[2o][p] + i f[2o + 1][p] of output o, from finished sums, sums[s][p] of real sum
 * s; the imaginary part of a real output is 0. Component k of q at point p is q_re[k][p *
 * stride[k]] (stride 0: the same for all). q_im[k] may be null. Of a kernel with columns of points
 * number c of axis_columns at point p is q_re[3 + c][p], and strides are 1. totals: of
 * facet_totals_fn, null if the variant has none. */
typedef void (*facet_finish_fn)(const double *const q_re[3], const double *const q_im[3],
                                const int64_t stride[3], int64_t n, const double *params,
                                const double *totals, const double *const *sums, double *const *f);

/* The kernel file itself in plain double: F (re, im of each output) at n points q (x.re, x.im,
 * y.re, y.im, z.re, z.im each), with compensated summation; sum_abs, one a point: sum of |term|
 * over records and components; factors, one an output and point: |dF/dsum|, of several components
 * the mean by their sums of |term|, so that eps * sum_abs * factor bounds the reference's own
 * rounding. Output o of point p is at p * outputs + o. columns: those of the kernel, then
 * those with an axis, each at the place of its axis where q is: where there are any, the n points
 * are to have these places in common. */
typedef void (*facet_reference_fn)(const double *q, int64_t n, const double *const *columns,
                                   int64_t nt, const double *params, double *f, double *sum_abs,
                                   double *factors);

/* F at q = 0: the compensated sum of `origin`, re and im of each output; null if there is none. */
typedef void (*facet_origin_fn)(const double *const *columns, int64_t nt, const double *params,
                                double *f);

/* One compiled variant. */
typedef struct {
  const char *target; /* "avx2", "cuda-sm_80": schedules/targets.def */
  int32_t klass;      /* facet_class */
  int32_t grid;       /* facet_grid_kind */
  int32_t q;          /* facet_q_kind */
  int32_t algorithm;  /* facet_algorithm: FACET_DIRECT or FACET_SEPARABLE */
  /* 1: records are nodes of a quadrature rule. Columns are those of the kernel, of the node's
   * triangle, and four more: node_weight (of a triangle's nodes the sum is 1) and node.x, node.y,
   * node.z, the barycentric coordinates of the node. */
  int32_t nodes;
  int32_t narrow_fields, wide_fields;
  int32_t totals;     /* how many B_k its finish reads; 0: totals_fn is null */
  int32_t t_block;    /* records a call should take: summed in registers, then added in double */
  int32_t pad[3];     /* tile bounds and padded extents are multiples of these */
  double error_bound; /* relative error of one term's elementary functions, phase rounding apart */
  facet_pack_fn pack;
  facet_sum_fn sum;
  facet_finish_fn finish;
  facet_totals_fn totals_fn;
  int32_t tile[3];      /* x, y, z (points: how many, 0, 0) a call should take; 0: any */
  const char *knobs;    /* of its schedule: "tile_y=4,tile_z=1,..." (schedules/knobs.def) */
  int32_t interface_;   /* facet_interface */
  int32_t components;   /* of the term */
  const int32_t *parts; /* real sums of each component: 2, or 1 of a real one */
  /* Of direct sums in f64 beside transforms that leave mixed records to them
   * (facet_transforms.mixed): like finish, but f is the sum of each component of the term as the
   * kernel file has it, factors that a sum leaves out multiplied in. Else null. */
  facet_finish_fn components_fn;
} facet_variant;

/* Points and strengths of the transforms, at n records: points[3w + k] (k = 0, 1, 2: x, y, z) of
 * wave w, and strengths[j] of transform j: n numbers each, of complex ones re and im interleaved
 * (facet_transforms.parts). After the numbers of the kernel's parameters, params has one for each
 * scalar of q: a value u_s. */
typedef void (*facet_waves_fn)(const double *const *columns, int64_t n, const double *params,
                               double *const *points, double *const *strengths);

/* mixed[t] = 1 for the records of which a condition of scalars and t may change within the ranges
 * of the scalars, else 0: they are not for the transforms. After the numbers of the kernel's
 * parameters and one of each scalar, which is not read, params has the least and the largest value
 * of each. */
typedef void (*facet_mixed_fn)(const double *const *columns, int64_t n, const double *params,
                               double *mixed);

/* The real scalars of q in which strengths are interpolated, at n points: u[s] has n values. Other
 * arguments as in facet_finish_fn. */
typedef void (*facet_scalars_fn)(const double *const q_re[3], const double *const q_im[3],
                                 const int64_t stride[3], int64_t n, const double *params,
                                 double *const *u);

/* F at n points from the transforms T_j(q) = sum over t of strengths[j][t] cis(q.r_t); sums[j]: n
 * values, real or re and im interleaved. f[o]: n values of output o, interleaved. Other arguments
 * as in facet_finish_fn. */
typedef void (*facet_combine_fn)(const double *const q_re[3], const double *const q_im[3],
                                 const int64_t stride[3], int64_t n, const double *params,
                                 const double *totals, const double *const *sums, double *const *f);

/* The kernel as F = combine(q, T_0(q), T_1(q), ..): for any grid, in double. */
typedef struct {
  int32_t q;              /* facet_q_kind */
  int32_t nodes;          /* as in facet_variant */
  int32_t waves;          /* different phases */
  int32_t transforms;     /* T_j, in the order of their waves */
  const int32_t *wave_of; /* the wave of each transform */
  const int32_t *parts;   /* of each: 2, or 1 if it is real: real strengths, points that are 0 */
  int32_t totals;
  facet_waves_fn fill;
  facet_totals_fn totals_fn; /* null if totals is 0 */
  facet_combine_fn combine;
  /* Strengths may depend on q too, through these real scalars of q alone, 0 to 2 of them: then
   * T_j(q) = sum over t of b_j(t; u(q)) cis(q.r_t). */
  int32_t scalars;
  const int32_t *scalars_of;       /* of each wave: bit s is set if its strengths read scalar s */
  const char *const *scalar_names; /* "norm2(q)" */
  facet_scalars_fn scalars_fn;     /* null if there are none */
  const facet_waves_fn *refill; /* of each wave: its strengths alone; null of one without scalars */
  /* Null, or which records are to be summed directly, in f64. combine then takes the sum of each
   * component over these behind the T_j: n values, re and im interleaved, 0 if there are none. */
  facet_mixed_fn mixed;
  int32_t rest; /* so many components; 0 if `mixed` is null */
} facet_transforms;

/* How the sum behaves when all records are moved by a (checked by evaluation when compiling). */
typedef enum {
  FACET_TRANSLATE_NO = 0,     /* the mesh must stay where it is */
  FACET_TRANSLATE_CLOSED = 1, /* sum -> cis(q.a) sum for closed meshes */
  FACET_TRANSLATE_ALWAYS = 2  /* sum -> cis(q.a) sum */
} facet_translation;

/* What a pose of the particle (turned, sized, moved) does to a column. */
typedef struct {
  int32_t turns; /* a component of a vector that turns with it: NAME.x, NAME.y or NAME.z */
  int32_t moves; /* and moves with it: a place */
  int32_t known; /* 0: the kernel does not say; only turning it is right */
  int32_t power; /* grows as this power of its size */
} facet_role;

/* A column with an axis: a number a record for each value of the axis, a table [n_axis][records].
 * Only product grids have axes; such a column is not packed, and stays as it is in any pose. */
typedef struct {
  const char *name; /* "weight", or "wtilde.re" and "wtilde.im" of a complex one */
  int32_t axis;     /* 0, 1, 2: x, y, z; FACET_OF_POINTS: not of the record */
} facet_axis_column;

/* A parameter as the kernel file declares it. Functions are given the numbers of all of them, one
 * after the other: components x, y, z, of each re and im; of a matrix its rows. */
typedef struct {
  const char *name;
  int32_t components;  /* 1, 3 of a vector, 9 of a matrix */
  int32_t is_complex;  /* 1: a component is two numbers */
  int32_t in_sum;      /* 0: the sums do not read it, finish or origin alone */
  const double *value; /* its default, all its numbers; null: it has none */
} facet_parameter;

/* What finish gives: F, an output without a name; or outputs by name. */
typedef struct {
  const char *name;   /* "" of the only one that finish returns as a number */
  int32_t is_complex; /* 0: real, its imaginary part is 0 */
} facet_output;

typedef struct {
  uint32_t abi;  /* FACET_ABI_VERSION: read first */
  uint32_t size; /* sizeof(facet_kernel) */
  const char *name;
  const char *shape;    /* what tuned knobs are of: kernels that differ in name alone share it */
  const char *manifest; /* JSON: hashes of the files read, command line, versions, op counts, ... */
  int32_t
      triangle; /* 1: records are triangles; columns with the built-in names come from the mesh */
  int32_t translation;  /* facet_translation */
  int32_t grid;         /* what the kernel file says: facet_grid_kind, and ... */
  int32_t complex_q[3]; /* ... which components of q may be complex ... */
  int64_t fixed[3];     /* ... and extents known when compiling, 0 where not */
  int32_t
      column_count; /* columns of doubles the kernel reads: "area", "normal.x", "contrast" ... */
  const char *const *columns;
  const facet_role *roles; /* of each column */
  int32_t axis_column_count;
  const facet_axis_column *axis_columns; /* beside the columns: no role, read as tables */
  int32_t param_count;                   /* numbers that functions take as `params` */
  int32_t parameter_count;
  const facet_parameter *parameters;
  int32_t variant_count;
  const facet_variant *variants;
  int32_t transforms_count;
  const facet_transforms *transforms; /* one a q kind asked for; none where the form forbids it */
  /* Why there is no separable variant, no transforms: the expression that forbids it, with its
   * place in the kernel file. Null where there is one, or where it was not asked for. */
  const char *no_separable, *no_nufft;
  facet_reference_fn reference;
  facet_origin_fn origin;
  int32_t output_count; /* 1 to FACET_MOST_OUTPUTS */
  const facet_output *outputs;
} facet_kernel_description;

typedef const facet_kernel_description *(*facet_kernel_fn)(void);

#ifdef __cplusplus
}
#endif
#endif
