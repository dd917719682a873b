// kernel_text.h - the CUDA C++ around a kernel's factors; words in $dollars$ are put in by
// cuda.cpp.
#pragma once

namespace facet::lower::tensor {

inline constexpr const char *kernelText =
    R"(// The separable sum of kernel '$name$' on the tensor cores of a GPU, in double. Written by facetc.
//
// The sum over records t is one matrix product of real numbers:
//   [row = (x, y)][k] times [k][column = (z, re or im)],   k = (t, row factor)
// $work$
// multiply-adds for each record and q. A block of threads takes $rows$ rows and $z$ z: it makes tables
// of both factors for a few records in shared memory, and its warps multiply them.
//
// Arguments: records as facet packs them, [t][field]; q of each axis, nm^-1; how many records, x, y
// and z; sums re and im, [x][y][z], which are written. Launch:
//   grid ((nx * ny + $rows$ - 1) / $rows$, (nz + $z$ - 1) / $z$), $threads$ threads,
//   $bytes$ bytes of dynamic shared memory (cuFuncSetAttribute allows what is beyond 48 KiB).

constexpr int row_tile = $rows$, z_tile = $z$, column_tile = 2 * z_tile, threads = $threads$;
constexpr int factors = $factors$;         // row factors of a record
constexpr int record_tile = $records$;     // records of a table
constexpr int depth = factors * record_tile;
// Tables are [k][row] and [k][column]. Lines lie so that no two lanes meet in a bank.
constexpr int row_pitch = row_tile + 4, column_pitch = column_tile + 4;
constexpr int table_size = depth * (row_pitch + column_pitch);

// Integers, |a| < 2^51, by an addition: its last bits are those of the nearest integer.
__device__ __forceinline__ double round_(double a) {
  return (a + 6755399441055744.0) - 6755399441055744.0;
}
// -a where the integer b is odd.
__device__ __forceinline__ double negate_if_odd_(double a, double b) {
  const long long odd = __double_as_longlong(b + 6755399441055744.0) << 63;
  return __longlong_as_double(__double_as_longlong(a) ^ odd);
}
// a 2^b.
__device__ __forceinline__ double scale2_(double a, int b) {
  const long long exponent = 1023 + (b < -1022 ? -1022 : b > 1023 ? 1023 : b);
  return a * __longlong_as_double(exponent << 52);
}

#ifndef FACET_EMULATE // without a GPU, functions of these names take the fragments apart
// c += a b for a warp, [16][8] [8][8]. Lane = 4 group + member has a[group (+8)][member (+4)],
// b[member (+4)][group], c[group (+8)][2 member (+1)].
__device__ __forceinline__ void mma_m16n8k8(double (&c)[4], const double (&a)[4],
                                            const double (&b)[2]) {
  asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
      : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
}
// The same for [8][4] [4][8].
__device__ __forceinline__ void mma_m8n8k4(double &c0, double &c1, double a, double b) {
  asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
      : "+d"(c0), "+d"(c1)
      : "d"(a), "d"(b));
}
#endif

__device__ __forceinline__ void multiply_add(double (&c)[4], const double (&a)[4],
                                             const double (&b)[2]) {
#if __CUDA_ARCH__ >= 900
  mma_m16n8k8(c, a, b);
#else // sm_80 has the small product only: four of them, whose fragments are parts of the large one's
  mma_m8n8k4(c[0], c[1], a[0], b[0]);
  mma_m8n8k4(c[2], c[3], a[1], b[0]);
  mma_m8n8k4(c[0], c[1], a[2], b[1]);
  mma_m8n8k4(c[2], c[3], a[3], b[1]);
#endif
}

// What the term has of x and y, for one record and one row: a column of the table of rows.
__device__ __forceinline__ void row_factors(double *table$row_parameters$) {
$row_factors$}

// The rest, for one record and one z: the factors of each row factor in re and in im.
__device__ __forceinline__ void column_factors(double *table, bool is_record$column_parameters$) {
$column_factors$}

extern "C" __global__ void __launch_bounds__(threads, 1)
$symbol$($parameters$) {
  extern __shared__ double tables[]; // two, each of rows, then of columns
  const int thread = threadIdx.x, warp = thread / 32, group = thread % 32 / 4, member = thread % 4;
  const int rows = nx * ny, first_row = blockIdx.x * row_tile, first_z = blockIdx.y * z_tile;

  // A thread fills tables at one row and one z; beyond the last it repeats that one.
  const int my_row = thread % row_tile, my_z = thread % z_tile;
  const int row = first_row + my_row < rows ? first_row + my_row : rows - 1;
  const int z = first_z + my_z < nz ? first_z + my_z : nz - 1;
$axes$  const auto fill = [&](double *table, int first) {
    constexpr int row_step = threads / row_tile, z_step = threads / z_tile; // records at a time
#pragma unroll
    for (int step = 0; step < record_tile; step += row_step) {
      const int t = step + thread / row_tile;
      const int record = first + t < records ? first + t : records - 1;
      row_factors(table + t * factors * row_pitch + my_row$row_arguments$);
    }
#pragma unroll
    for (int step = 0; step < record_tile; step += z_step) {
      const int t = step + thread / z_tile;
      const int record = first + t < records ? first + t : records - 1;
      column_factors(table + depth * row_pitch + t * factors * column_pitch + 2 * my_z,
                     first + t < records$column_arguments$); // beyond the last: 0
    }
  };

  // A warp sums 64 rows and 32 columns, in registers.
  const int warp_row = warp / 4 * 64, warp_column = warp % 4 * 32;
  double sums[4][4][4] = {}; // fragments c
  const auto multiply = [&](const double *table) {
    const double *row_at = table + member * row_pitch + warp_row + group;
    const double *column_at = table + depth * row_pitch + member * column_pitch + warp_column + group;
#pragma unroll
    for (int k = 0; k < depth; k += 8) {
      double a[4][4], b[4][2];
#pragma unroll
      for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int part = 0; part < 4; ++part)
          a[i][part] = row_at[(k + part / 2 * 4) * row_pitch + 16 * i + part % 2 * 8];
#pragma unroll
      for (int j = 0; j < 4; ++j)
#pragma unroll
        for (int part = 0; part < 2; ++part)
          b[j][part] = column_at[(k + part * 4) * column_pitch + 8 * j];
#pragma unroll
      for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j)
          multiply_add(sums[i][j], a[i], b[j]);
    }
  };

  if (records > 0)
    fill(tables, 0);
  __syncthreads();
  for (int first = 0, current = 0; first < records; first += record_tile, current ^= 1) {
    // Of the two warps of a scheduler one multiplies while the other fills the next table.
#pragma unroll 1
    for (int turn = 0; turn < 2; ++turn)
      if (turn == warp / 4)
        multiply(tables + current * table_size);
      else if (first + record_tile < records)
        fill(tables + (current ^ 1) * table_size, first + record_tile);
    __syncthreads();
  }

  // re and im of one z are neighbours, both in one lane.
#pragma unroll
  for (int i = 0; i < 4; ++i)
#pragma unroll
    for (int j = 0; j < 4; ++j)
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int to_row = first_row + warp_row + 16 * i + 8 * half + group;
        const int to_z = first_z + warp_column / 2 + 4 * j + member;
        if (to_row < rows && to_z < nz) {
          re[(long long)to_row * nz + to_z] = sums[i][j][2 * half];
          im[(long long)to_row * nz + to_z] = sums[i][j][2 * half + 1];
        }
      }
}
)";

} // namespace facet::lower::tensor
