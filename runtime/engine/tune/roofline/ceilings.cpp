// ceilings.cpp - sizes of this machine's caches, from /sys; the ceilings library of a target: made,
// loaded, timed.
#include "runtime/engine/kernel/cache.h"
#include "runtime/engine/kernel/inside.h"
#include "runtime/engine/system/budget.h"
#include "runtime/engine/system/clock.h"
#include "runtime/engine/tune/roofline/roofline.h"
#include <algorithm>
#include <cstring>
#include <dlfcn.h>
#include <fmt/format.h>
#include <fstream>
#include <numeric>
#include <sstream>
#include <sys/mman.h>
#include <sys/stat.h>

namespace facet::runtime {
namespace {

std::string word(const std::string &path) {
  std::ifstream file(path);
  std::string text;
  file >> text;
  return text;
}

/// How many CPUs a list such as "0-3,8" names.
int listed(const std::string &text) {
  int count = 0;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    int first = 0, last = 0;
    const int read = std::sscanf(part.c_str(), "%d-%d", &first, &last);
    count += read == 2 ? last - first + 1 : 1;
  }
  return std::max(count, 1);
}

constexpr double aTurn = 4e-3; // seconds of a loop in one step

/// The library's path in the cache; facetc makes it if it is missing. Its key is facetc and the
/// target.
std::string libraryOf(const std::string &target) {
  const std::string facetc = findFacetc();
  struct stat compiler{};
  if (stat(facetc.c_str(), &compiler) != 0)
    throw Error(facetc, "cannot be read", "", Exit::Failed);
  const std::string key =
      fmt::format("ceilings-{}-{}-{:x}-{:x}-{:x}", FACET_CEILINGS_VERSION, target, compiler.st_size,
                  compiler.st_mtim.tv_sec, compiler.st_mtim.tv_nsec);
  const Cache cache(cacheFolder());
  if (const std::string found = cache.find(key, facetc); !found.empty())
    return found;
  return cache.add(key, facetc, [&](const std::string &path) {
    if (spawn({facetc, "--emit=ceilings", "--targets=" + target, "-o", path}, true) != 0)
      throw Error("", "", "", Exit::Failed); // facetc has said why
    return std::vector<std::string>{};
  });
}

std::int64_t roundTo(double bytes, std::int64_t unit) {
  return std::max<std::int64_t>(static_cast<std::int64_t>(bytes) / unit, 1) * unit;
}

} // namespace

std::vector<DataCache> dataCaches() {
  std::vector<DataCache> caches;
  for (int k = 0; k < 8; ++k) {
    const std::string folder = fmt::format("/sys/devices/system/cpu/cpu0/cache/index{}/", k);
    const std::string level = word(folder + "level"), type = word(folder + "type");
    std::int64_t size = 0; // "32K"
    char unit = 0;
    if (type == "Instruction" ||
        std::sscanf(word(folder + "size").c_str(), "%ld%c", &size, &unit) < 1)
      continue;
    const double times = unit == 'K' ? 1024 : unit == 'M' ? 1024 * 1024 : 1;
    const double bytes = times * static_cast<double>(size);
    caches.push_back({"L" + level, bytes, listed(word(folder + "shared_cpu_list"))});
  }
  if (caches.empty())
    caches = {{"L1", 32 * 1024.0, 1}, {"L2", 1024 * 1024.0, 1}};
  return caches;
}

CeilingMeter::CeilingMeter(const std::string &target, int threads) : pool_(threads) {
  const std::string path = libraryOf(target);
  library_ = std::shared_ptr<void>(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL), [](void *p) {
    if (p != nullptr)
      dlclose(p);
  });
  const auto entry =
      library_ ? reinterpret_cast<facet_ceilings_fn>(dlsym(library_.get(), "facet_ceilings_table"))
               : nullptr;
  if (entry == nullptr || entry()->version != FACET_CEILINGS_VERSION)
    throw Error(path, "not a library of ceilings for this facet", "remove it", Exit::Failed);
  table_ = entry();
  best_.target = target;
  best_.threads = threads;
  best_.vectorBytes = table_->vector_bytes;
  best_.fused = table_->fused != 0;
  best_.sincosFlops = {table_->sincos_flops[0], table_->sincos_flops[1]};
  chooseSizes();
  allocate();
}

void CeilingMeter::chooseSizes() {
  // A thread reads half of each cache, or half of its part of a shared one. Eight times the cache
  // before are enough to measure this level alone. From memory it reads twice the last cache.
  const int threads = best_.threads;
  double before = 0, last = 0;
  for (const DataCache &cache : dataCaches()) {
    const double share = cache.bytes / std::min(threads, cache.sharedBy);
    best_.levels.push_back({cache.name, share, 0});
    sizes_.push_back(
        roundTo(std::min(share / 2, before > 0 ? 8 * before : share), table_->read_unit));
    before = cache.bytes;
    last = share;
  }
  best_.levels.push_back({"memory", 0, 0});
  const double most =
      std::min(bytes::ofBandwidth, bytes::shareOfBandwidth * freeMemory()) / threads;
  sizes_.push_back(roundTo(std::clamp(2 * last, std::min(64e6, most), most), table_->read_unit));
}

void CeilingMeter::allocate() {
  const auto size = static_cast<std::size_t>(sizes_.back());
  constexpr std::size_t page = 2 << 20;
  const std::size_t bytes = (size + page - 1) / page * page;
  for (int k = 0; k < pool_.size(); ++k) {
    data_.emplace_back(static_cast<char *>(std::aligned_alloc(page, bytes)), std::free);
    if (!data_.back())
      throw Error("facet roofline", "not enough memory to read from", "", Exit::Failed);
    madvise(data_.back().get(), bytes, MADV_HUGEPAGE);
  }
  // The threads that read it write it first: pages that nobody wrote are one page of zeros.
  pool_.run(pool_.size(), [&](std::int64_t k, int) {
    std::memset(data_[static_cast<std::size_t>(k)].get(), 1, size);
  });
}

// Each thread times itself by its own CPU time, which holds neither the waking of the threads nor a
// busy machine.
void CeilingMeter::time(double &best, std::int64_t &rounds, const Loop &loop) {
  for (std::int64_t n = 1; rounds == 0; n *= 4) { // the first time: how many rounds take a turn
    const double begin = threadSeconds();
    loop(0, n);
    if (threadSeconds() - begin > aTurn / 2)
      rounds = n;
  }
  std::vector<double> paces(static_cast<std::size_t>(pool_.size()));
  pool_.run(pool_.size(), [&](std::int64_t k, int) {
    const double begin = threadSeconds();
    const double done = loop(static_cast<int>(k), rounds);
    paces[static_cast<std::size_t>(k)] = done / std::max(threadSeconds() - begin, 1e-9);
  });
  best = std::max(best, std::accumulate(paces.begin(), paces.end(), 0.0));
}

void CeilingMeter::step() {
  std::size_t which = 0;
  const auto timed = [&](double &best, const Loop &loop) {
    if (rounds_.size() == which)
      rounds_.push_back(0);
    time(best, rounds_[which++], loop);
  };
  for (const std::size_t p : {0, 1}) {
    timed(best_.flops[p], [&](int, std::int64_t n) { return table_->multiply_adds[p](n); });
    timed(best_.sincos[p], [&](int, std::int64_t n) { return table_->sincos[p](n); });
  }
  for (std::size_t k = 0; k < sizes_.size(); ++k)
    timed(best_.levels[k].speed, [&](int thread, std::int64_t n) {
      return table_->read(data_[static_cast<std::size_t>(thread)].get(), sizes_[k], n);
    });
}

} // namespace facet::runtime
