// cache_command.cpp - facet cache: how much the compiled kernels take, and away with them.
#include "runtime/cli/command/commands.h"
#include "runtime/kernel/cache.h"
#include <fmt/format.h>

namespace facet::cli {
namespace {

using namespace facet::runtime;

void print(const char *what, const Cache::Content &content) {
  fmt::print("{}: {} {} compiled kernels, {:.1f} MB\n", cacheFolder(), what, content.kernels,
             1e-6 * static_cast<double>(content.bytes));
}

} // namespace

void addCacheCommand(Command app) {
  Command c = app.command("cache", "say what the compiled kernels take; clear them");
  c.needsCommand(0, 1);
  Command clear = c.command("clear", "remove them all: they are compiled again when needed");
  c.run([clear] {
    const Cache cache(cacheFolder());
    if (clear.chosen())
      print("removed", cache.clear());
    else
      print("holds", cache.content());
  });
}

} // namespace facet::cli
