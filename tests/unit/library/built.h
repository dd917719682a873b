// built.h - a kernel library built, loaded and run in the test itself; its transforms summed by
// hand; references compiled with the tests.
#pragma once
#include "codegen/lower/library/library.h"
#include "tests/support/folder.h"
#include "tests/support/ir.h"
#include "values.h"
#include <facet/abi.h>
#include <memory>
#include <string>
#include <vector>

namespace facet::test {

/// The file of a kernel of examples/kernels, else of this test.
std::string fileOf(const std::string &name);
/// A kernel of examples/kernels by name, for the best target of this CPU, all classes; points and
/// product grids, all q that its Grid allows.
lower::LibraryRequest requestFor(const std::string &kernelFile);

/// Opened; closed with the last copy.
struct Loaded {
  std::shared_ptr<void> handle;
  const facet_kernel_description *kernel = nullptr;
};
Loaded buildAndLoad(const lower::LibraryRequest &request, const Folder &folder);

/// F at the points of `axes` (product or three lists), by fill, plain sums of strengths times
/// cis(q.r), totals_fn and combine. Rows of a product grid are combined with strides 0 0 1.
std::vector<std::complex<double>> byTransforms(const facet_transforms &transforms,
                                               const std::vector<const double *> &columns, int nt,
                                               const Axes &axes, bool product,
                                               const std::vector<double> &params);

/// Those of the example kernels, by the project's own compiler.
extern const facet_reference_fn bornByGcc, closedByGcc;
extern const facet_origin_fn closedOriginByGcc;

} // namespace facet::test
