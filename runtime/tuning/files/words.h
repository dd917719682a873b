// words.h - the words of an entry of a schedule file, for reader and writer.
#pragma once
#include "runtime/tuning/tuned.h"
#include <array>
#include <utility>

namespace facet::runtime {

/// Key of an entry and where its text goes; every one is needed but the neighbours, `device` of
/// devices alone. After the target, which says that.
inline std::array<std::pair<const char *, std::string *>, 13> wordsOf(Tuned &entry) {
  TunedKey &k = entry.key;
  return {{{"kernel", &k.kernel},
           {"shape", &k.shape},
           {"algorithm", &k.algorithm},
           {"class", &k.klass},
           {"target", &k.target},
           {"grid", &k.grid},
           {"q", &k.q},
           {"neighbours", &entry.neighbours},
           {"device", &entry.device},
           {"cpu", &entry.cpu},
           {"facet", &entry.facet},
           {"halide", &entry.halide},
           {"date", &entry.date}}};
}
/// Likewise numbers, TQP/s; they may be missing.
inline std::array<std::pair<const char *, double *>, 2> numbersOf(Tuned &entry) {
  return {{{"throughput", &entry.throughput}, {"before", &entry.before}}};
}

/// Where an entry stands in its file: lines [begin, end), from 0, the line of [[schedule]] first.
struct Block {
  Tuned entry;
  bool whole = false; // it could be read
  std::size_t begin = 0, end = 0;
};
/// The whole file, "" where it is not there. Throws Error where it cannot be read.
std::string readText(const std::string &path);
/// The entries of `text`, in order; what cannot be read is named to `refused`. Throws Error (with
/// its line) where the text is no TOML, or its schedules are not written as [[schedule]].
std::vector<Block> readBlocks(const std::string &path, const std::string &text, const Say &refused);

} // namespace facet::runtime
