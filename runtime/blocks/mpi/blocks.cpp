// blocks.cpp - nodes of the tree of t blocks, as numbers from rank to rank.
#include "runtime/blocks/mpi/blocks.h"
#include "runtime/plan/blocks/tree.h"

namespace facet::runtime {
namespace {

void put(std::vector<double> &to, const std::vector<double> &values) {
  to.push_back(static_cast<double>(values.size()));
  to.insert(to.end(), values.begin(), values.end());
}

class Reader {
public:
  explicit Reader(const std::vector<double> &from) : at_(from.data()) {}
  double one() { return *at_++; }
  std::size_t count() { return static_cast<std::size_t>(one()); }
  std::vector<double> many() {
    const std::size_t n = count();
    at_ += n;
    return {at_ - n, at_};
  }

private:
  const double *at_;
};

class OfRanks final : public SharedBlocks {
public:
  OfRanks(Communicator &communicator, int first, int ranks, std::int64_t begin, std::int64_t end)
      : communicator_(communicator), first_(first), ranks_(ranks), begin_(begin), end_(end) {}
  std::int64_t begin() const override { return begin_; }
  std::int64_t end() const override { return end_; }

  void give(const std::vector<TreeNode> &nodes) override {
    const std::vector<double> numbers = packed(nodes);
    const std::uint64_t size = numbers.size();
    communicator_.send(first_, &size, sizeof size);
    communicator_.send(first_, numbers.data(), size * sizeof(double));
  }

  std::vector<TreeNode> others() override {
    std::vector<TreeNode> all;
    for (int rank = first_ + 1; rank < first_ + ranks_; ++rank) {
      std::uint64_t size = 0;
      communicator_.receive(rank, &size, sizeof size);
      std::vector<double> numbers(size);
      communicator_.receive(rank, numbers.data(), size * sizeof(double));
      for (TreeNode &node : unpacked(numbers))
        all.push_back(std::move(node));
    }
    return all;
  }

private:
  Communicator &communicator_;
  int first_, ranks_;
  std::int64_t begin_, end_;
};

} // namespace

std::unique_ptr<SharedBlocks> sharedBlocks(Communicator &communicator, int first, int ranks,
                                           std::int64_t begin, std::int64_t end) {
  return std::make_unique<OfRanks>(communicator, first, ranks, begin, end);
}

std::vector<double> packed(const std::vector<TreeNode> &nodes) {
  std::vector<double> to{static_cast<double>(nodes.size())};
  for (const TreeNode &node : nodes) {
    to.push_back(static_cast<double>(node.begin));
    to.push_back(node.height);
    to.push_back(static_cast<double>(node.partial.sums.size()));
    for (const std::vector<double> &array : node.partial.sums)
      put(to, array);
    to.push_back(static_cast<double>(node.partial.totals.size()));
    for (const Totals &totals : node.partial.totals)
      put(to, totals.numbers());
    to.push_back(node.partial.origin.real());
    to.push_back(node.partial.origin.imag());
  }
  return to;
}

std::vector<TreeNode> unpacked(const std::vector<double> &numbers) {
  Reader from(numbers);
  std::vector<TreeNode> nodes(from.count());
  for (TreeNode &node : nodes) {
    node.begin = static_cast<std::int64_t>(from.one());
    node.height = static_cast<int>(from.one());
    node.partial.sums.resize(from.count());
    for (std::vector<double> &array : node.partial.sums)
      array = from.many();
    node.partial.totals.resize(from.count());
    for (Totals &totals : node.partial.totals)
      totals = Totals::of(from.many());
    const double re = from.one();
    node.partial.origin = {re, from.one()};
  }
  return nodes;
}

} // namespace facet::runtime
