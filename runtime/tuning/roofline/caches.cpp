// caches.cpp - sizes of this machine's data caches, from /sys.
#include "runtime/tuning/roofline/ceilings.h"
#include <fmt/format.h>
#include <fstream>

namespace facet::runtime {
namespace {

std::string word(const std::string &path) {
  std::ifstream file(path);
  std::string text;
  file >> text;
  return text;
}

/// How many a list such as "0-3,8" names.
int listed(const std::string &text) {
  int count = 0;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    int first = 0, last = 0;
    const std::string part = text.substr(at, comma - at);
    const int read = std::sscanf(part.c_str(), "%d-%d", &first, &last);
    count += read == 2 ? last - first + 1 : 1;
    at = comma + 1;
  }
  return std::max(count, 1);
}

} // namespace

std::vector<DataCache> dataCaches() {
  std::vector<DataCache> caches;
  for (int k = 0; k < 8; ++k) {
    const std::string folder = fmt::format("/sys/devices/system/cpu/cpu0/cache/index{}/", k);
    const std::string level = word(folder + "level"), type = word(folder + "type");
    double bytes = 0;
    char unit = 0;
    if (type == "Instruction" ||
        std::sscanf(word(folder + "size").c_str(), "%lf%c", &bytes, &unit) < 1)
      continue;
    bytes *= unit == 'K' ? 1024 : unit == 'M' ? 1024 * 1024 : 1;
    caches.push_back({"L" + level, bytes, listed(word(folder + "shared_cpu_list"))});
  }
  if (caches.empty())
    caches = {{"L1", 32 * 1024.0, 1}, {"L2", 1024 * 1024.0, 1}};
  return caches;
}

} // namespace facet::runtime
