// tensor_call.h - how a kernel library launches a sum on tensor cores: nvcc's machine code, loaded
// once a context, through CUDA's driver.
//
// Memory and transfers are those of Halide's runtime (device_call.h), so that a call keeps to the
// contract of facet_sum_fn as every other: its queue, its staging memory, its errors.
#pragma once
#include <facet/device_call.h>

extern "C" {
int halide_device_malloc(void *user, facet::device::Buffer *buffer, const void *interface_);
}

namespace facet::device {

/// A kernel of the library, and the function of each context that has run it.
struct TensorKernel {
  const unsigned char *image; // for cuModuleLoadData
  const char *name;
  unsigned sharedBytes, threads; // of a block
  int rows, z;                   // of the grid, that a block takes
  struct Loaded {
    void *context, *function;
  } loaded[16]; // a context is a device
  void *mutex;  // halide_mutex
};

/// One launch. Parameters are given in the kernel's order; the first error stays.
class TensorCall {
public:
  static constexpr int most = 64; // parameters
  TensorCall(TensorKernel &kernel, const facet_sum_args *a) : kernel(kernel), a(a) {
    for (int k = 0; k < 3; ++k)
      extent[k] = static_cast<int32_t>(a->end[k] - a->begin[k]);
  }

  void input(Buffer *buffer) {
    if (code == 0)
      code = halide_copy_to_device(a->device, buffer, halide_cuda_device_interface());
    add(buffer->device);
  }
  /// Written by the kernel, all of it.
  void output(Buffer *buffer) {
    if (code == 0)
      code = halide_device_malloc(a->device, buffer, halide_cuda_device_interface());
    if (code == 0)
      buffer->flags |= deviceChanged;
    add(buffer->device);
  }
  void number(double value) { add(value); }
  /// How many records, x, y and z.
  void extents() {
    add(static_cast<int32_t>(a->t_end - a->t_begin));
    for (const int32_t n : extent)
      add(n);
  }

  /// 0, or a code of codeOf with a message in the device.
  int launch() {
    if (code != 0)
      return code;
    if (call("cuCtxPushCurrent_v2", a->device->context)) {
      if (void *function = find()) {
        const int64_t rows = static_cast<int64_t>(extent[0]) * extent[1];
        const auto blocks = static_cast<unsigned>((rows + kernel.rows - 1) / kernel.rows);
        const auto columns = static_cast<unsigned>((extent[2] + kernel.z - 1) / kernel.z);
        call("cuLaunchKernel", function, blocks, columns, 1U, kernel.threads, 1U, 1U,
             kernel.sharedBytes, a->device->queue, static_cast<void **>(parameters),
             static_cast<void **>(nullptr));
      }
      void *own;
      call("cuCtxPopCurrent_v2", &own);
    }
    return code;
  }

private:
  TensorKernel &kernel;
  const facet_sum_args *a;
  int32_t extent[3];
  int code = 0, used = 0;
  uint64_t values[most];
  void *parameters[most];

  template <class T> void add(T value) {
    __builtin_memcpy(&values[used], &value, sizeof value);
    parameters[used] = &values[used];
    ++used;
  }

  /// Calls the driver's `name`; false, with a message, if that fails.
  template <class... A> bool call(const char *name, A... arguments) {
    auto *function = reinterpret_cast<int (*)(A...)>(halide_cuda_get_symbol(a->device, name));
    if (!function)
      return say(name, "is missing", 0);
    const int result = function(arguments...);
    return result == 0 || say(name, "failed", result);
  }
  /// "CUDA: cuLaunchKernel failed: CUDA_ERROR_ILLEGAL_ADDRESS".
  bool say(const char *name, const char *what, int result) {
    const char *why = "";
    auto *words = reinterpret_cast<int (*)(int, const char **)>(
        halide_cuda_get_symbol(a->device, "cuGetErrorName"));
    if (result != 0 && words)
      words(result, &why);
    char text[256];
    __builtin_snprintf(text, sizeof text, "CUDA: %s %s%s%s", name, what, *why ? ": " : "", why);
    halide_error(a->device, text);
    if (code == 0)
      code = -1;
    return false;
  }

  /// The function in the current context; null after an error.
  void *find() {
    halide_mutex_lock(&kernel.mutex);
    void *function = nullptr;
    TensorKernel::Loaded *place = nullptr;
    for (TensorKernel::Loaded &one : kernel.loaded) {
      place = &one;
      if (!one.context || one.context == a->device->context)
        break;
    }
    if (place->context == a->device->context)
      function = place->function;
    else if (load(&function))
      *place = {a->device->context, function};
    halide_mutex_unlock(&kernel.mutex);
    return function;
  }
  bool load(void **function) {
    constexpr int sharedLimit = 8; // CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
    void *module = nullptr;
    void *found = nullptr;
    if (!call("cuModuleLoadData", &module, static_cast<const void *>(kernel.image)) ||
        !call("cuModuleGetFunction", &found, module, kernel.name) ||
        !call("cuFuncSetAttribute", found, sharedLimit, static_cast<int>(kernel.sharedBytes)))
      return false;
    *function = found;
    return true;
  }
};

} // namespace facet::device
