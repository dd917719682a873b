// emulate.h - enough of CUDA to run a kernel of tensor cores on a CPU, compiled as plain C++: a
// block's threads are fibers, which take turns at barriers; fragments lie as PTX ISA says.
#pragma once
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <ucontext.h>
#include <vector>

#define FACET_EMULATE
#define __global__
#define __device__
#define __shared__
#define __forceinline__ inline
#define __launch_bounds__(...)

struct Place {
  int x = 0, y = 0;
};
inline Place threadIdx, blockIdx;
extern "C" {
double tables[163 * 1024 / 8]; // shared memory of a block, sm_80
}

inline long long __double_as_longlong(double a) {
  long long bits;
  std::memcpy(&bits, &a, sizeof bits);
  return bits;
}
inline double __longlong_as_double(long long bits) {
  double a;
  std::memcpy(&a, &bits, sizeof a);
  return a;
}

namespace emulate {

struct Fiber {
  ucontext_t context;
  std::vector<char> stack = std::vector<char>(64 * 1024);
  bool done = false;
};
inline std::vector<Fiber> fibers;
inline ucontext_t scheduler;
inline const std::function<void()> *body;

inline void yield() { swapcontext(&fibers[threadIdx.x].context, &scheduler); }

struct Barrier {
  int arrived = 0, generation = 0;
  void wait(int count) {
    const int now = generation;
    if (++arrived == count) {
      arrived = 0;
      ++generation;
    }
    while (generation == now)
      yield();
  }
};
inline Barrier block, warps[32];

inline void run() {
  (*body)();
  fibers[threadIdx.x].done = true;
}

/// Runs `kernel` for every thread of every block, one block after the other. Shared memory holds no
/// numbers when a block begins.
inline void launch(Place grid, int threads, const std::function<void()> &kernel) {
  body = &kernel;
  for (blockIdx.y = 0; blockIdx.y < grid.y; ++blockIdx.y)
    for (blockIdx.x = 0; blockIdx.x < grid.x; ++blockIdx.x) {
      for (double &a : tables)
        a = std::numeric_limits<double>::quiet_NaN();
      fibers.resize(threads);
      for (Fiber &fiber : fibers) {
        getcontext(&fiber.context);
        fiber.context.uc_stack.ss_sp = fiber.stack.data();
        fiber.context.uc_stack.ss_size = fiber.stack.size();
        fiber.context.uc_link = &scheduler;
        fiber.done = false;
        makecontext(&fiber.context, run, 0);
      }
      for (bool any = true; any;) {
        any = false;
        for (threadIdx.x = 0; threadIdx.x < threads; ++threadIdx.x)
          if (!fibers[threadIdx.x].done) {
            any = true;
            swapcontext(&scheduler, &fibers[threadIdx.x].context);
          }
      }
    }
}

/// What the lanes of each warp bring to a product: a, then b.
inline double brought[32][32][6];

/// c += a b for [rows][k] [k][8] of a warp. Fragments of f64 (PTX ISA, "Matrix fragments for
/// mma.m8n8k4" and "mma.m16n8k8"):
/// - a has row lane / 4 (+ 8: odd elements), k lane % 4 (+ 4: later ones);
/// - b has k lane % 4 (+ 4), column lane / 4;
/// - c has row lane / 4 (+ 8: the last two), column 2 (lane % 4) (+ 1: odd elements).
inline void multiply(double *c, const double *a, const double *b, int rows, int ks) {
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int tall = rows / 8, deep = ks / 4;
  for (int k = 0; k < tall * deep; ++k)
    brought[warp][lane][k] = a[k];
  for (int k = 0; k < deep; ++k)
    brought[warp][lane][4 + k] = b[k];
  warps[warp].wait(32);
  for (int part = 0; part < 2 * tall; ++part) {
    const int row = lane / 4, column = lane % 4 * 2 + part % 2, lower = part / 2;
    for (int k = 0; k < ks; ++k)
      c[part] = std::fma(brought[warp][row * 4 + k % 4][lower + k / 4 * tall],
                         brought[warp][column * 4 + k % 4][4 + k / 4], c[part]);
  }
  warps[warp].wait(32);
}

} // namespace emulate

inline void __syncthreads() { emulate::block.wait(static_cast<int>(emulate::fibers.size())); }
inline void mma_m16n8k8(double (&c)[4], const double (&a)[4], const double (&b)[2]) {
  emulate::multiply(c, a, b, 16, 8);
}
inline void mma_m8n8k4(double &c0, double &c1, double a, double b) {
  double c[2] = {c0, c1};
  emulate::multiply(c, &a, &b, 8, 4);
  c0 = c[0], c1 = c[1];
}
