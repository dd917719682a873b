// packages.h - kernels that installed Python packages name.
#pragma once
#include <string>
#include <vector>

namespace facet::runtime {

/// The file of a kernel that a package of $FACET_PYTHON names; else "", and the names that packages
/// have are added to `names`. Throws Error with what Python says of a package that is broken.
std::string packagedKernel(const std::string &name, std::vector<std::string> &names);

/// The package that a kernel file is of, and its version, "facet-lamps-1.2"; "" of others.
std::string packageOf(const std::string &kernelFile);

} // namespace facet::runtime
