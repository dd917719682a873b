// source.h - the records a variant reads, part by part: those of the mesh, or nodes of its
// triangles.
#pragma once
#include "runtime/plan/records/records.h"
#include <memory>

namespace facet::runtime {

class NodeRules;

class Source {
public:
  explicit Source(const Records &records) : records_(&records) {}

  /// From now on nodes, by these rules, of the mesh as it is; null: the mesh's own records.
  void setRules(std::shared_ptr<const NodeRules> rules);
  const NodeRules *rules() const { return rules_.get(); }

  /// Records, or nodes.
  std::int64_t size() const;
  std::int64_t parts() const;
  struct Part {
    std::int64_t first = 0, count = 0;   // of size()
    std::vector<const double *> columns; // of the variant, from `first` on
    std::vector<double> expanded;        // what they point into, where records are nodes
  };
  /// `centred`: columns of the mesh moved by -centre(). Buffers of `part` are used again.
  void read(std::int64_t index, bool centred, Part &part) const;

private:
  const Records *records_;
  std::shared_ptr<const NodeRules> rules_;
  std::vector<std::int64_t> cuts_; // triangles at which parts begin, and the number of all
};

} // namespace facet::runtime
