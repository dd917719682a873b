// problem.h - what kernels are timed on and by: a mesh, a grid, clocks.
#pragma once
#include <ctime>
#include <facet/runtime/grid.h>
#include <facet/runtime/kernel.h>
#include <facet/runtime/mesh.h>

namespace facet::runtime {

/// Seconds by one of the system's clocks.
inline double secondsBy(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}
inline double wallSeconds() { return secondsBy(CLOCK_MONOTONIC); }
/// Seconds this thread has run: a busy machine lets it wait, which is no cost of the work.
inline double threadSeconds() { return secondsBy(CLOCK_THREAD_CPUTIME_ID); }

/// A torus of about so many triangles, with random numbers for columns that only the user's meshes
/// have, or for all of records that are no triangles.
Mesh usualMesh(const facet_kernel_description &kernel, std::int64_t triangles);
/// q.x 0.1, `y` q.y from -2 to 2, `z` q.z from 0.01 to 2 nm^-1, if the kernel leaves them open;
/// Im q.z of complex q from 0.001 to 0.01.
Grid usualGrid(const facet_kernel_description &kernel, facet_grid_kind kind, facet_q_kind q,
               std::int64_t y, std::int64_t z);

} // namespace facet::runtime
