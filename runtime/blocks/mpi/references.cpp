// references.cpp - q number k of a sample is that of rank k modulo their number.
#include "runtime/blocks/mpi/references.h"
#include <cstring>

namespace facet::runtime {
namespace {

template <class Value> std::string bytesOf(const Value *values, std::size_t count) {
  return {reinterpret_cast<const char *>(values), count * sizeof(Value)};
}

template <class Value> std::vector<Value> valuesOf(const std::string &bytes) {
  std::vector<Value> values(bytes.size() / sizeof(Value));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(Value));
  return values;
}

} // namespace

Extremes joined(Communicator &ranks, const Extremes &mine) {
  const auto numbers = mine.numbers();
  Extremes all;
  for (const std::string &text : ranks.gather(bytesOf(numbers.data(), numbers.size()))) {
    std::array<double, 4> theirs{};
    std::memcpy(theirs.data(), text.data(), sizeof theirs);
    all.join(Extremes::of(theirs));
  }
  return all;
}

std::vector<Reference> sharedReferences(Communicator &ranks, const std::vector<std::int64_t> &q,
                                        std::size_t always, double seconds,
                                        const OwnReferences &own) {
  std::string text = bytesOf(q.data(), q.size());
  ranks.broadcast(text);
  ranks.broadcast(&always, sizeof always);
  ranks.broadcast(&seconds, sizeof seconds);
  const auto all = valuesOf<std::int64_t>(text);
  const auto size = static_cast<std::size_t>(ranks.size());
  std::vector<std::int64_t> mine;
  std::size_t least = 0;
  for (auto k = static_cast<std::size_t>(ranks.rank()); k < all.size(); k += size) {
    mine.push_back(all[k]);
    least += k < always ? 1 : 0;
  }
  const std::vector<Reference> found = own(mine, least, seconds);
  const auto texts = ranks.gather(bytesOf(found.data(), found.size()));
  std::vector<std::vector<Reference>> parts;
  parts.reserve(texts.size());
  for (const std::string &part : texts)
    parts.push_back(valuesOf<Reference>(part));
  std::vector<Reference> references;
  for (std::size_t k = 0; !parts.empty() && k < all.size(); ++k) {
    if (k / size >= parts[k % size].size())
      break;
    references.push_back(parts[k % size][k / size]);
  }
  return references;
}

} // namespace facet::runtime
