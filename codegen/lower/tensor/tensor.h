// tensor.h - a separable sum as CUDA C++ for tensor cores, one real matrix product in double, and
// its machine code.
#pragma once
#include "codegen/ir/ir.h"
#include "codegen/lower/lower.h"
#include <array>
#include <map>
#include <string>
#include <vector>

namespace facet::lower::tensor {

/// A product of values, sorted; empty: 1.
using Product = std::vector<ir::Id>;
/// A sum of products with coefficients.
using Polynomial = std::map<Product, double>;

/// The term as a sum over row factors: re = sum_j rows[j] columns[j][0], im = sum_j rows[j]
/// columns[j][1]. A row factor has x or y and no z; a column has no x and no y.
struct Products {
  std::vector<Product> rows;
  std::vector<std::array<Polynomial, 2>> columns;
};
/// `term`: after all passes of a separable variant in f64. Throws ir::Error if x or y and z meet
/// in more than sums and products.
Products products(const ir::Region &term);

/// A sum as CUDA C++, whose comment says how it is launched, and the kernel's parameters in order;
/// Count stands for four of them: how many records, x, y and z.
struct CudaSum {
  std::string text;
  std::vector<Argument> arguments;
  int sharedBytes = 0; // of a block
};
/// The CUDA C++ of the kernel `symbol`. `kernel`: after all passes of a separable variant in f64.
/// Throws ir::Error if the term is no such product, or if its tables do not fit into shared
/// memory.
CudaSum cuda(const ir::Kernel &kernel, const std::string &symbol);

/// Machine code for sm_80 and sm_90, and PTX for later devices, in one file `image`, as
/// cuModuleLoadData takes it. By nvcc: $FACET_NVCC, else the first of the PATH, of $CUDA_HOME/bin
/// and of /usr/local/cuda/bin. Throws ir::Error if there is none or it fails.
void compile(const std::string &text, const std::string &image);

} // namespace facet::lower::tensor
