// tensor.h - a separable sum as CUDA C++ for tensor cores: one real matrix product in double.
#pragma once
#include "codegen/ir/ir.h"
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
/// `term`: after all passes of a separable variant in f64. Throws ir::Error where x or y and z meet
/// in more than sums and products.
Products products(const ir::Region &term);

/// CUDA C++ of the kernel `symbol`, which its comment describes. `kernel`: after all passes of a
/// separable variant in f64. Throws ir::Error where the term is no such product, or where its
/// tables do not fit into shared memory.
std::string cuda(const ir::Kernel &kernel, const std::string &symbol);

} // namespace facet::lower::tensor
