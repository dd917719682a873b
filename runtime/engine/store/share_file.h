// share_file.h - the units that one job of an array has computed, in a file of their own.
//
// It is HDF5. /entry/process says where it is from, as in a result. /entry/share has `number` and
// `count` as attributes, and
//   journal   the text of a journal: its head, then a line for each unit, ascending (journal.h)
//   values    of the boxes in these lines, one after the other; complex ones are two
// It says nothing of when and how fast it was made: a share that is made again is the same file.
#pragma once
#include "runtime/engine/store/journal.h"
#include "runtime/engine/store/nexus.h"
#include <memory>

namespace facet::runtime {
namespace h5 {
class Object;
}

/// Part `number` of `count` of the units of a run, from 1 on. count 0: all units.
struct ShareNumber {
  int number = 1, count = 0;
  explicit operator bool() const { return count > 0; }
  bool operator==(const ShareNumber &) const = default;
};
/// "2 of 3".
std::string textOf(const ShareNumber &share);
/// The file of a share: "result.2-of-3.h5" of "result.h5".
std::string shareOf(const std::string &output, const ShareNumber &share);

class ShareFile {
public:
  /// Reads all but the values. Throws Error if it is no share.
  explicit ShareFile(std::string path);

  const std::string &path() const { return path_; }
  const ShareNumber &share() const { return share_; }
  const Identity &identity() const { return head_.identity; }
  const tiled::Head &head() const { return head_; }
  const std::vector<tiled::UnitLine> &units() const { return units_; }
  /// Where it is from.
  const std::map<std::string, std::string> &provenance() const { return provenance_; }
  const std::string &experiment() const { return experiment_; } // TOML
  /// Whether both have the same units with the same bytes.
  bool sameAs(const ShareFile &other) const;
  /// Throws Error: a share that cannot be used, and why.
  [[noreturn]] void refuse(const std::string &why) const;

  /// Its values from the first on.
  class Values {
  public:
    explicit Values(const ShareFile &share);
    /// Throws Error where the file has no more.
    void take(double *to, std::int64_t count);
    void skip(std::int64_t count) { at_ += count; }

  private:
    const ShareFile &share_;
    std::shared_ptr<const h5::Object> data_;
    std::int64_t size_, at_ = 0, first_ = 0;
    std::vector<double> piece_; // from first_ on
  };

private:
  std::string path_, experiment_;
  ShareNumber share_;
  tiled::Head head_;
  std::vector<tiled::UnitLine> units_;
  std::map<std::string, std::string> provenance_;
};

/// Gives the values of a share, piece by piece.
using EachValues = std::function<void(const std::function<void(const double *, std::int64_t)> &)>;
/// Writes a share with so many values. Throws Error.
void writeShare(const std::string &path, const ShareNumber &share, const std::string &journal,
                const nexus::Process &process, std::int64_t count, const EachValues &each);

} // namespace facet::runtime
