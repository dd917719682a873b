// rows.h - rows of a mesh file as they are: no units, no checks, any range.
#pragma once
#include <facet/runtime/mesh.h>

namespace facet::runtime {

/// For several threads.
class Rows {
public:
  Rows() = default;
  Rows(const Rows &) = delete;
  Rows &operator=(const Rows &) = delete;
  virtual ~Rows() = default;
  virtual std::int64_t count() const = 0;
  virtual Mesh read(std::int64_t first, std::int64_t count) const = 0;
};

/// Throws Error: not to be read, or a mesh that has no rows.
std::unique_ptr<const Rows> openHdf5Rows(const std::string &path);
std::unique_ptr<const Rows> openStlRows(const std::string &path);

} // namespace facet::runtime
