// device_call.h - how a kernel library calls a sum of a device. It holds the buffers that Halide's
// generated code takes, and the hooks that give Halide's runtime the caller's context and queue.
//
// Halide's runtime is linked into the library. Its own context and that context's lock are never
// made: a call runs in the facet_device that it was given. So threads with a queue each overlap.
// Names and layouts are those of HalideRuntime.h, Halide 21.
#pragma once
#include <facet/abi.h>

namespace facet::device {

struct Dimension {
  int32_t min, extent, stride;
  uint32_t flags;
};

/// halide_buffer_t.
struct Buffer {
  uint64_t device;
  const void *interface_;
  void *host;
  uint64_t flags; // hostChanged, deviceChanged
  uint8_t code, bits;
  uint16_t lanes;
  int32_t dimensions;
  Dimension *dim;
  void *padding;
};
constexpr uint64_t hostChanged = 1, deviceChanged = 2;

} // namespace facet::device

extern "C" {
const void *halide_opencl_device_interface();
const void *halide_cuda_device_interface();
int halide_copy_to_device(void *user, facet::device::Buffer *buffer, const void *interface_);
int halide_copy_to_host(void *user, facet::device::Buffer *buffer);
int halide_device_sync(void *user, facet::device::Buffer *buffer);
int halide_device_sync_global(void *user, const void *interface_);
int halide_device_free(void *user, facet::device::Buffer *buffer);
int halide_reuse_device_allocations(void *user, bool reuse);
void halide_mutex_lock(void *mutex);
void halide_mutex_unlock(void *mutex);

// At the end of the process Halide cleans up without a device: none is created for it.
__attribute__((visibility("hidden"))) inline int facet_device_context(void *user, void **context,
                                                                      void **queue, bool create) {
  auto *device = static_cast<facet_device *>(user);
  *context = device ? device->context : nullptr;
  if (queue)
    *queue = device ? device->queue : nullptr;
  return device || !create ? 0 : -1;
}
__attribute__((visibility("hidden"))) int halide_acquire_cl_context(void *user, void **context,
                                                                    void **queue, bool create) {
  return facet_device_context(user, context, queue, create);
}
__attribute__((visibility("hidden"))) int halide_release_cl_context(void *) { return 0; }
__attribute__((visibility("hidden"))) int halide_cuda_acquire_context(void *user, void **context,
                                                                      bool create) {
  return facet_device_context(user, context, nullptr, create);
}
__attribute__((visibility("hidden"))) int halide_cuda_release_context(void *) { return 0; }
__attribute__((visibility("hidden"))) int halide_cuda_get_stream(void *user, void *,
                                                                 void **stream) {
  *stream = user ? static_cast<facet_device *>(user)->queue : nullptr;
  return 0;
}
// The library that the runtime has opened; Halide's own search knows "libcuda.so" alone, which
// machines without CUDA's toolkit need not have.
void *facet_open(const char *, int) __asm__("dlopen");
void *facet_find(void *, const char *) __asm__("dlsym");
char *facet_variable(const char *) __asm__("getenv");
__attribute__((visibility("hidden"))) inline void *facet_cuda_function(const char *name) {
  constexpr int lazily = 1; // RTLD_LAZY
  const char *named = facet_variable("FACET_CUDA_LIBRARY");
  void *library = facet_open(named && *named ? named : "libcuda.so.1", lazily);
  return library ? facet_find(library, name) : nullptr;
}
/// Takes the place of cuModuleLoadDataEx. Halide's runtime tells the driver's compiler to bound the
/// registers of a thread. Under any bound, however high, the compiler wastes registers that warps
/// need: 199 instead of 96 for born's direct sum in f32 (ptxas 13.0, seen on an H200).
__attribute__((visibility("hidden"))) inline int facet_load_module(void **module, const void *image,
                                                                   unsigned, int *, void **) {
  const auto load =
      reinterpret_cast<int (*)(void **, const void *)>(facet_cuda_function("cuModuleLoadData"));
  constexpr int notFound = 500; // CUDA_ERROR_NOT_FOUND
  return load ? load(module, image) : notFound;
}
__attribute__((visibility("hidden"))) void *halide_cuda_get_symbol(void *, const char *name) {
  if (__builtin_strcmp(name, "cuModuleLoadDataEx") == 0)
    return reinterpret_cast<void *>(facet_load_module);
  return facet_cuda_function(name);
}
/// Keeps the first message of a call: those after it only follow from it.
__attribute__((visibility("hidden"))) void halide_error(void *user, const char *text) {
  auto *device = static_cast<facet_device *>(user);
  if (!device || device->message[0])
    return;
  unsigned long n = 0;
  for (; text[n] && n + 1 < sizeof device->message; ++n)
    device->message[n] = text[n] == '\n' ? ' ' : text[n];
  device->message[n] = 0;
}
}

namespace facet::device {

/// What a code of generated code means, by the code and the message that came with it.
inline int codeOf(int halide, const facet_device &device) {
  constexpr int mallocFailed = -16; // halide_error_code_device_malloc_failed
  if (halide == 0)
    return FACET_DONE;
  static const char *const shortage[] = {"OUT_OF_MEMORY", "ALLOCATION_FAILURE", "OUT_OF_RESOURCES",
                                         "OUT_OF_HOST_MEMORY", "INVALID_BUFFER_SIZE"};
  for (const char *word : shortage)
    if (__builtin_strstr(device.message, word))
      return FACET_NO_MEMORY;
  return halide == mallocFailed ? FACET_NO_MEMORY : FACET_DEVICE_FAILED;
}

/// Lets one thread look up OpenCL's functions for Halide's runtime before any other needs them.
/// Left alone, the runtime looks them up in the first call, without a lock. It takes all for found
/// when clCreateContext is (Halide's opencl.cpp, ClContext). A second thread that came during the
/// look-up called a null function. The runtime looks up CUDA's functions under a lock. Returns 0 or
/// a code of Halide's.
inline int findFunctions(facet_device *device, const void *interface_) {
  static void *mutex; // halide_mutex
  static bool found;
  if (device->interface_ != FACET_OPENCL)
    return 0;
  halide_mutex_lock(&mutex);
  const int failed = found ? 0 : halide_device_sync_global(device, interface_);
  found = failed == 0;
  halide_mutex_unlock(&mutex);
  return failed;
}

/// One call: the tile of the sums and the records in memory that transfers are fast from.
class Call {
public:
  Call(const facet_sum_args *args, int interface_, bool product, int count)
      : a(args), product(product), outputs(count) {
    if (!a->device || a->device->interface_ != interface_)
      code = FACET_NO_DEVICE;
    for (int k = 0; k < 3; ++k)
      extent[k] = product || k == 0 ? a->end[k] - a->begin[k] : 1;
    points = extent[0] * extent[1] * extent[2];
    if (points > 0x7fffffff || a->t_end - a->t_begin > 0x7fffffff)
      code = FACET_TOO_LARGE;
    if (code != FACET_DONE)
      return;
    a->device->message[0] = 0;
    dimension[0] = {0, static_cast<int32_t>(product ? extent[2] : extent[0]), 1, 0};
    dimension[1] = {0, static_cast<int32_t>(extent[1]), static_cast<int32_t>(extent[2]), 0};
    dimension[2] = {0, static_cast<int32_t>(extent[0]), static_cast<int32_t>(extent[1] * extent[2]),
                    0};
  }

  bool ready() const { return code == FACET_DONE && points > 0 && count() > 0; }
  int result() const { return code; }
  int32_t count() const { return static_cast<int32_t>(a->t_end - a->t_begin); }

  /// Axis k of the tile; an imaginary one may be missing.
  Buffer *axis(int k, bool imaginary) {
    const double *values = imaginary ? a->axis_im[k] : a->axis_re[k];
    if (!values) {
      code = FACET_NO_IMAGINARY;
      return nullptr;
    }
    const int along = product ? k : 0;
    const auto length = static_cast<int32_t>(extent[along]);
    return add(const_cast<double *>(values + a->begin[along]), 64, {0, length, 1, 0}, {});
  }
  /// Column c, which is one of points: those of the tile.
  Buffer *columnOfPoints(int c) {
    return add(const_cast<double *>(a->tables[c].values + a->begin[0]), 64,
               {0, static_cast<int32_t>(extent[0]), 1, 0}, {});
  }
  /// The records of the call: `fields` numbers of `bits` each.
  Buffer *records(bool wide, int bits, int fields) {
    const char *from =
        wide ? reinterpret_cast<const char *>(a->wide) : static_cast<const char *>(a->narrow);
    const int64_t record = static_cast<int64_t>(fields) * (bits / 8);
    void *host = stage(wide ? 3 : 2, record * count());
    if (!host)
      return nullptr;
    __builtin_memcpy(host, from + a->t_begin * record,
                     static_cast<unsigned long>(record * count()));
    return add(host, bits, {0, fields, 1, 0}, {0, count(), fields, 0}, 2);
  }
  /// Before the first table: the axes of all of them.
  template <int n> void makeRoomForTables(const int (&axes)[n]) {
    int64_t rows = 0;
    for (const int axis : axes)
      rows += rowsOf(axis);
    tables = static_cast<double *>(stage(1, rows * count() * 8));
  }
  /// Column c with axis k: the rows of the tile that there are, of the records of the call.
  Buffer *table(int c, int k) {
    const int64_t rows = rowsOf(k), records = count();
    if (rows * records > 0x7fffffff / 8) // what one buffer may have: a smaller tile fits
      code = FACET_NO_MEMORY;
    if (code != FACET_DONE)
      return nullptr;
    double *const host = tables;
    tables += rows * records;
    const facet_table &from = a->tables[c];
    for (int64_t row = 0; row < rows; ++row)
      __builtin_memcpy(host + row * records,
                       from.values + (a->begin[k] + row) * from.stride + a->t_begin,
                       static_cast<unsigned long>(records * 8));
    return add(host, 64, {0, count(), 1, 0}, {0, static_cast<int32_t>(rows), count(), 0}, 2);
  }
  /// Real sums k of the tile.
  Buffer *sums(int k) {
    auto *host = static_cast<double *>(stage(0, outputs * points * 8));
    if (!host)
      return nullptr;
    Buffer *buffer = add(host + k * points, 64, {}, {}, product ? 3 : 1);
    buffer->dim = dimension;
    buffer->flags = 0;
    out[k] = buffer;
    return buffer;
  }

  /// Before anything else of Halide's. If steps are listened to, brings over what the generated
  /// code would, and waits for it. Returns 0 or a code of Halide's.
  int upload(const void *interface_) {
    step(FACET_UPLOADS);
    int failed = findFunctions(a->device, interface_);
    if (!a->device->step)
      return failed;
    Buffer *last = nullptr;
    for (int k = 0; k < used && failed == 0; ++k)
      if (buffers[k].flags & hostChanged)
        failed = halide_copy_to_device(a->device, last = &buffers[k], interface_);
    if (failed == 0 && last)
      failed = halide_device_sync(a->device, last);
    step(FACET_COMPUTES);
    return failed;
  }

  /// Waits for the sums and adds them to the caller's. `halide`: what the generated code returned.
  int finish(int halide) {
    if (a->device->step) {
      if (halide == 0 && out[0])
        halide = halide_device_sync(a->device, out[0]);
      step(FACET_DOWNLOADS);
    }
    for (int k = 0; k < outputs; ++k)
      if (halide == 0 && out[k])
        halide = halide_copy_to_host(a->device, out[k]);
    if (halide == 0 && out[0])
      halide = halide_device_sync(a->device, out[0]);
    step(FACET_STEPS);
    code = codeOf(halide, *a->device);
    if (code == FACET_DONE)
      addSums();
    for (int k = 0; k < used; ++k)
      if (buffers[k].device)
        halide_device_free(a->device, &buffers[k]);
    return code;
  }

private:
  const facet_sum_args *a;
  bool product;
  int code = FACET_DONE, used = 0;
  int64_t extent[3], points;
  int outputs;
  Dimension dimension[3];
  double *tables = nullptr; // where the next one goes
  // Sums; columns of points, or fewer with an axis; six axes, two kinds of records.
  static constexpr int most = 2 * FACET_MOST_SUMS + 8;
  Buffer buffers[most];
  Dimension dimensions[most][2];
  Buffer *out[FACET_MOST_SUMS] = {};

  void step(int which) const {
    if (a->device->step)
      a->device->step(a->device, which);
  }
  /// Beyond the last row of a table the tile is padded.
  int64_t rowsOf(int axis) const {
    const int64_t left = a->table_rows[axis] - a->begin[axis];
    return left < extent[axis] ? left : extent[axis];
  }
  void *stage(int slot, int64_t bytes) {
    void *memory = a->device->staging(a->device, slot, bytes);
    if (!memory)
      code = FACET_NO_MEMORY;
    return memory;
  }
  Buffer *add(void *host, int bits, Dimension first, Dimension second, int count = 1) {
    dimensions[used][0] = first;
    dimensions[used][1] = second;
    Buffer &buffer = buffers[used];
    buffer = {0,     nullptr,          host,   hostChanged, 2, static_cast<uint8_t>(bits), 1,
              count, dimensions[used], nullptr};
    ++used;
    return &buffer;
  }
  void addSums() {
    const int64_t rows = product ? extent[0] * extent[1] : 1;
    const int64_t length = product ? extent[2] : extent[0];
    for (int64_t row = 0; row < rows; ++row) {
      const int64_t x = a->begin[0] + row / extent[1], y = a->begin[1] + row % extent[1];
      const int64_t to = product ? (x * a->n[1] + y) * a->n[2] + a->begin[2] : a->begin[0];
      for (int k = 0; k < outputs; ++k) {
        const double *from = static_cast<const double *>(out[k]->host) + row * length;
        for (int64_t i = 0; i < length; ++i)
          a->sums[k][to + i] += from[i];
      }
    }
  }
};

// Memory of a device is kept for the next call of the same queue: freeing it would stop all queues.
__attribute__((constructor)) static void keepAllocations() {
  halide_reuse_device_allocations(nullptr, true);
}

} // namespace facet::device
