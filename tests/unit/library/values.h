// values.h - random records and axes, and F by a variant of a loaded library and by its reference.
#pragma once
#include <array>
#include <complex>
#include <facet/abi.h>
#include <fmt/format.h>
#include <string>
#include <vector>

namespace facet::test {

/// Columns (t values each) of random triangles within 5 nm, corners within `size` of their centre;
/// own columns are in [0.5, 1.5].
std::vector<std::vector<double>> randomColumns(const facet_kernel_description &kernel, int nt,
                                               double size = 1);
/// The same records at each node of a rule, followed by node_weight and node (abi.h).
struct Node {
  double weight;
  std::array<double, 3> barycentric;
};
std::vector<std::vector<double>> atNodes(const std::vector<std::vector<double>> &columns,
                                         const std::vector<Node> &rule);
std::vector<const double *> pointers(const std::vector<std::vector<double>> &columns);

/// Three axes, im parts within 0.2 nm^-1 if complex; points: three lists of n[0].
struct Axes {
  std::array<std::vector<double>, 3> re, im;
};
Axes randomAxes(const facet_kernel_description &kernel, bool complexQ, std::array<int, 3> n);

/// F by a variant, axes padded as the ABI asks; and by the reference at the same q.
struct Values {
  std::vector<std::complex<double>> f; // of each q the outputs
  std::vector<double> bound;           // sum |term| * |finish factor|, of the reference only
};
Values runVariant(const facet_variant &variant, const std::vector<const double *> &columns, int nt,
                  const Axes &axes, const std::vector<double> &params,
                  facet_device *device = nullptr, int outputs = 1);
Values runReference(const facet_kernel_description &kernel, const facet_variant &variant,
                    const std::vector<const double *> &columns, int nt, const Axes &axes,
                    const std::vector<double> &params);

/// max|a - b| / max bound of b.
double difference(const Values &a, const Values &b);

/// For messages.
inline std::string nameOf(const facet_variant &variant) {
  return fmt::format("class {} grid {} q {} algorithm {}", int{variant.klass}, int{variant.grid},
                     int{variant.q}, int{variant.algorithm});
}

/// The difference of a variant and the reference on nt random records, all parameters 1.1, for the
/// extents of a product grid or a number of points, by the variant's grid.
double errorOf(const facet_kernel_description &kernel, const facet_variant &variant, int nt,
               std::array<int, 3> product = {2, 3, 17}, int points = 35,
               facet_device *device = nullptr);

} // namespace facet::test
