/* ceilings.h - loops that reach what a core can do, as facetc generates them for a target: plain C.
 *
 * facetc --emit=ceilings --targets=avx512 -o FILE.so makes a library with one function,
 * facet_ceilings_table(). The runtime times the loops for the roofline (docs/roofline.md). */
#ifndef FACET_CEILINGS_H
#define FACET_CEILINGS_H
#include <facet/abi.h>
#ifdef __cplusplus
extern "C" {
#endif

#define FACET_CEILINGS_VERSION 1

/* Each does `rounds` rounds of its work on this thread, in registers or in at most 20 KiB, and
 * returns how much it has done. Index 0: float, 1: double. */
typedef struct {
  uint32_t version;     /* FACET_CEILINGS_VERSION: read first */
  const char *target;   /* of schedules/targets.def */
  int32_t vector_bytes; /* of the widest registers */
  int32_t fused;        /* 1: it has fused multiply-adds */
  /* Fused multiply-adds (where the target has none: a multiplication, then an addition) in chains,
   * enough of them that none waits. Returns FLOPs, two each. */
  double (*multiply_adds[2])(int64_t rounds);
  /* Reads bytes of `data`, a multiple of read_unit, 64-byte aligned, and adds what it reads.
   * Returns bytes. */
  double (*read)(const void *data, int64_t bytes, int64_t rounds);
  int32_t read_unit;
  /* facet's own sine with its cosine, as a direct sum does it: a phase formed and reduced, both
   * polynomials, both parts added to a sum. Returns how many pairs. */
  double (*sincos[2])(int64_t rounds);
  int32_t sincos_flops[2]; /* of one such pair */
} facet_ceilings;

typedef const facet_ceilings *(*facet_ceilings_fn)(void);

#ifdef __cplusplus
}
#endif
#endif
