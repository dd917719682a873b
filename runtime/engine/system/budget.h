// budget.h - who may hold how many bytes of memory; what the parts of a sum take. Those of images
// are in runtime/scattering/scene/budget.h, and nothing else knows what things take.
#pragma once
#include <facet/abi.h>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace facet::runtime {

/// The memory allowed, and what is taken of it: a value that is subtracted from.
class Budget {
public:
  explicit Budget(double bytes) : all_(bytes) {}
  /// The same with less left: `bytes` are held by `who`.
  [[nodiscard]] Budget without(const std::string &who, double bytes) const;
  double all() const { return all_; }
  double held() const;
  double left() const { return held() < all_ ? all_ - held() : 0; }
  /// "8 GB allowed: program 80 MB, mesh 12 MB; 7.91 GB left".
  std::string text() const;

private:
  double all_;
  std::vector<std::pair<std::string, double>> holders_;
};

/// What things take, in bytes.
namespace bytes {
/// Shares of what is free that a process takes, and that sums take of a device.
constexpr double shareOfFree = 0.8, shareOfDevice = 0.9;
/// Free where the system does not say.
constexpr double ifUnknown = 4e9;
/// The program before it has a mesh, as seen; of small budgets this share.
constexpr double program = 80e6, shareOfProgram = 0.2;
constexpr double ofNumber = 8, ofComplex = 16;
/// Real sums of a q.
inline int realSums(const facet_variant &v) {
  return std::accumulate(v.parts, v.parts + v.components, 0);
}
inline int realSums(const facet_transforms &form) {
  return std::accumulate(form.parts, form.parts + form.transforms, 2 * form.rest);
}
/// The same while it sums mixed records, which have direct sums of their own first.
inline int heldSums(const facet_transforms &form) { return realSums(form) + 2 * form.rest; }
/// A packed record.
inline double ofPacked(const facet_variant &v) {
  return (v.klass == FACET_F64 ? 8 : 4) * v.narrow_fields + ofNumber * v.wide_fields;
}
/// A column of a record: as it is, turned, moved; a record's rules of nodes.
constexpr double ofColumn = 24, ofRules = 16;
/// A node, while a thread packs those of one triangle: these columns, its weight and place.
inline double ofNode(int columns) { return ofNumber * (columns + 4); }
/// A q in planning and repair: its amplification, the number of its bin.
constexpr double ofRisk = 6;
/// A q that is repaired.
constexpr double ofRepaired = 100;
/// A q of a product, and of a list, while it is summed: sums, F, three components, copies.
inline double ofSum(const facet_variant &v, std::size_t outputs) {
  return 8 + 2 * ofNumber * realSums(v) + ofComplex * static_cast<double>(outputs - 1);
}
inline double ofListedSum(const facet_variant &v, std::size_t outputs) {
  return ofSum(v, outputs) + 40;
}
/// In bytes. ofStaged: for each real sum of a point of a device call's tile, in pinned memory.
/// Pinned memory may take shareOfStaging of the host's. Halide counts the bytes of a buffer in
/// int32: largestBuffer is half of what that reaches.
constexpr double ofStaged = 16, shareOfStaging = 0.25, largestBuffer = 1 << 30;
/// The three coordinates of a wave's point.
constexpr double ofPoint = 24;
/// Strengths and results of transforms that are done together, at most.
constexpr double ofTransforms = 64e6;
/// Copies of a list while transforms are made: the unit, its components, the transforms' own.
constexpr double listCopies = 3;
/// What transforms that are not the ones looked at may need more.
constexpr double moreForOthers = 1.25;
/// A record, as seen: of a mesh in memory, inspected and planned; of a block while one thread sums
/// it.
constexpr double ofRecord = 300, ofBlockRecord = 600;
/// Shares of the memory allowed: blocks of a mesh that is read again for each unit; all workers;
/// the least that one has for its sums.
constexpr double shareOfBlocks = 0.4, shareOfWorkers = 0.9, leastShareOfSums = 0.1;
/// A q with what F needs, where units are cut; the share of an evaluator's memory that records may
/// keep.
constexpr double ofPlannedQ = 300, shareOfKept = 0.25;
/// Blocks of records that a plan's evaluators keep, of the memory of a decision.
constexpr double shareOfSlices = 0.25;
/// A record while one thread differentiates by it: mesh, pose, columns and their slopes, corners,
/// strengths of transforms.
constexpr double ofDerivedRecord = 1200;
/// What is read to time this machine's memory, of all threads; the share of what is free, at most.
constexpr double ofBandwidth = 512e6, shareOfBandwidth = 0.25;
} // namespace bytes

} // namespace facet::runtime
