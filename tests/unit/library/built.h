// built.h - a kernel library built, loaded and run in the test itself.
#pragma once
#include "codegen/lower/library/library.h"
#include "tests/support/folder.h"
#include "values.h"
#include <facet/abi.h>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace facet::test {

/// The file of a kernel of examples/kernels, else of this test.
std::string fileOf(const std::string &name);
/// A kernel of examples/kernels by name, for the best target of this CPU, all classes; points and
/// product grids, all q that its Grid allows.
lower::LibraryRequest requestFor(const std::string &kernelFile);

/// What ir::Error says when `work` throws it; "" if it does not.
std::string refusalOf(const std::function<void()> &work);

/// Opened; closed with the last copy.
struct Loaded {
  std::shared_ptr<void> handle;
  const facet_kernel_description *kernel = nullptr;
};
Loaded buildAndLoad(const lower::LibraryRequest &request, const Folder &folder);

} // namespace facet::test
