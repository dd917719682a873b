// cache_command.cpp - facet cache: how much the compiled kernels take, and away with them.
#include "runtime/cli/commands.h"
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

void addCacheCommand(CLI::App &app) {
  CLI::App *c = app.add_subcommand("cache", "say what the compiled kernels take; clear them");
  c->require_subcommand(0, 1);
  CLI::App *clear =
      c->add_subcommand("clear", "remove them all: they are compiled again when needed");
  c->callback([clear] {
    const Cache cache(cacheFolder());
    if (clear->parsed())
      print("removed", cache.clear());
    else
      print("holds", cache.content());
  });
}

} // namespace facet::cli
