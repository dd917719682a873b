// matrices.cpp - stands in for CUDA's runtime and cuBLAS on the CPU; with WRONG its products are not right.
#include <complex>
#include <cstdlib>
#include <cstring>

template <class T>
int multiply(int m, int n, int k, const T *alpha, const T *a, int lda, const T *b, int ldb, T *c, int ldc) {
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      T sum = 0;
      for (int t = 0; t < k; ++t)
        sum += a[i + lda * t] * b[t + ldb * j];
#ifdef WRONG
      sum += 1;
#endif
      c[i + ldc * j] = *alpha * sum;
    }
  return 0;
}

extern "C" {
int cudaMalloc(void **at, std::size_t bytes) { return (*at = std::malloc(bytes)) == nullptr; }
int cudaFree(void *at) { return std::free(at), 0; }
int cudaMemcpy(void *to, const void *from, std::size_t bytes, int) { return std::memcpy(to, from, bytes), 0; }
int cudaDeviceSynchronize() { return 0; }
int cublasCreate_v2(void **handle) { return *handle = handle, 0; }
#define GEMM(name, T)                                                                              \
  int name(void *, int, int, int m, int n, int k, const T *alpha, const T *a, int lda, const T *b, \
           int ldb, const T *, T *c, int ldc) {                                                    \
    return multiply(m, n, k, alpha, a, lda, b, ldb, c, ldc);                                       \
  }
GEMM(cublasCgemm_v2, std::complex<float>)
GEMM(cublasZgemm_v2, std::complex<double>)
}
