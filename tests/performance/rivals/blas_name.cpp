// blas_name.cpp - says which OpenBLAS, and which kernel of it, the benchmarks are beside.
#include "rivals.h"
#include <cstdio>

int main(int /*argc*/, char **argv) {
  facet::rivals::useOwnBlasKernel(argv);
  std::puts(facet::rivals::blasName().c_str());
}
