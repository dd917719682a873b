/* launcher.c - a program for 64-bit ARM or RISC-V around one sum: reads calls, makes them, writes the sums.
 *
 * It stands alone, without a C library, so that an assembler-level tool chain and qemu-user are all
 * that is needed. emulator.cpp writes what it reads. */
#include <stddef.h>
#include <stdint.h>

typedef int (*Sum)(const void *, const void *, const void *, const void *, const void *,
                   const void *, const void *, const void *, const void *, const void *,
                   const void *, const void *, double, double, double, double);
extern char facet_sum_here[]; /* the linker is told what it is called */

static char memory[256 << 20] __attribute__((aligned(128)));
static size_t used;

void *halide_malloc(void *context, size_t bytes) {
  (void)context;
  void *here = memory + used;
  used += (bytes + 127) / 128 * 128;
  return here;
}
void halide_free(void *context, void *pointer) { (void)context, (void)pointer; }

void *memset(void *to, int value, size_t n) {
  for (size_t i = 0; i < n; ++i)
    ((char *)to)[i] = (char)value;
  return to;
}
void *memcpy(void *to, const void *from, size_t n) {
  for (size_t i = 0; i < n; ++i)
    ((char *)to)[i] = ((const char *)from)[i];
  return to;
}

static long system_call(long number, long a, long b, long c) {
#ifdef __riscv
  register long a7 __asm__("a7") = number;
  register long a0 __asm__("a0") = a;
  register long a1 __asm__("a1") = b;
  register long a2 __asm__("a2") = c;
  __asm__ volatile("ecall" : "+r"(a0) : "r"(a7), "r"(a1), "r"(a2) : "memory");
  return a0;
#else
  register long x8 __asm__("x8") = number;
  register long x0 __asm__("x0") = a;
  register long x1 __asm__("x1") = b;
  register long x2 __asm__("x2") = c;
  __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2) : "memory");
  return x0;
#endif
}
static void leave(int code) {
  for (;;)
    system_call(93, code, 0, 0);
}
static void take(void *to, size_t n) {
  for (size_t done = 0; done < n;) {
    const long got = system_call(63, 0, (long)((char *)to + done), (long)(n - done));
    if (got <= 0)
      leave(got < 0);
    done += (size_t)got;
  }
}
static void give(const void *from, size_t n) {
  for (size_t done = 0; done < n;) {
    const long put = system_call(64, 1, (long)((const char *)from + done), (long)(n - done));
    if (put <= 0)
      leave(1);
    done += (size_t)put;
  }
}
static uint64_t word(void) {
  uint64_t value;
  take(&value, sizeof value);
  return value;
}

/* Halide's buffer, as far as a sum reads it. */
struct buffer {
  uint64_t device;
  const void *interface;
  void *host;
  uint64_t flags;
  uint8_t code, bits;
  uint16_t lanes;
  int32_t dimensions;
  struct {
    int32_t min, extent, stride;
    uint32_t flags;
  } *dim;
  void *padding;
};

void _start(void) {
  const int64_t here = 1; /* the file has been read */
  give(&here, sizeof here);
  for (;;) {
    used = 0;
    const void *integers[12] = {0};
    double doubles[4] = {0};
    void *outputs[2] = {0};
    size_t sizes[2] = {0};
    int i = 0, d = 0, o = 0;
    for (uint64_t left = word(); left > 0; --left)
      switch (word()) {
      case 0:
        integers[i++] = (const void *)word();
        break;
      case 1:
        take(&doubles[d++], sizeof(double));
        break;
      case 3: /* a buffer that is written */
        outputs[o++] = (void *)1;
        /* fall through */
      case 2: {
        struct buffer *b = halide_malloc(0, sizeof *b);
        *b = (struct buffer){0};
        const uint64_t bytes = word();
        b->dimensions = (int32_t)word();
        b->dim = halide_malloc(0, 16 * (size_t)b->dimensions);
        take(b->dim, 16 * (size_t)b->dimensions);
        b->host = halide_malloc(0, bytes);
        take(b->host, bytes);
        if (o > 0 && outputs[o - 1] == (void *)1)
          outputs[o - 1] = b->host, sizes[o - 1] = bytes;
        integers[i++] = b;
      }
      }
    const int64_t result = ((Sum)(void *)facet_sum_here)(
        integers[0], integers[1], integers[2], integers[3], integers[4], integers[5], integers[6],
        integers[7], integers[8], integers[9], integers[10], integers[11], doubles[0], doubles[1],
        doubles[2], doubles[3]);
    give(&result, sizeof result);
    for (int k = 0; k < o; ++k)
      give(outputs[k], sizes[k]);
  }
}
