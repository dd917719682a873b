// request.h - one request of the server, and the kernels and variants that it keeps.
#pragma once
#include "codegen/driver/input.h"
#include "codegen/lower/candidates/candidates.h"
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace facet::driver {

struct ServeRequest {
  // As facetc's options of these names.
  std::string file, kernel, algorithm, klass, target, grid, q, knobs, output;
};

/// Builds requests; kernel files are parsed once, passes run once a variant. Safe on several
/// threads.
class Workshop {
public:
  /// Throws ir::Error or Told.
  void build(const ServeRequest &request);

private:
  template <class T> struct Slot {
    std::once_flag once;
    std::unique_ptr<T> value;
  };
  template <class T> using Slots = std::map<std::string, Slot<T>>;
  /// The value under a key, made by one thread while others wait; made again after an error.
  template <class T, class Make> T &get(Slots<T> &slots, const std::string &key, const Make &make);

  std::mutex guard_; // of the maps, not of their values
  Slots<Input> inputs_;
  Slots<lower::Candidates> candidates_;
};

} // namespace facet::driver
