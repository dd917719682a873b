// places.h - where files lie: the user's folders, and what is installed with libfacet; temporary
// ones.
#pragma once
#include <string>

namespace facet::runtime {

/// An environment variable; "" if it is not set.
std::string environment(const char *name);
/// A file of the user's settings: in $XDG_CONFIG_HOME/facet, else in ~/.config/facet; "" if there
/// is no home.
std::string settingsFile(const std::string &name);
/// The folder for what can be made again: $XDG_CACHE_HOME/facet, else ~/.cache/facet; "" if there
/// is no home.
std::string cacheHome();
/// The path of a file beside libfacet, or in the folder facet there; "" if there is none.
std::string besideLibrary(const std::string &name);

/// A folder that only this user may enter, removed with what is in it at the end. Throws Error if
/// it cannot be made.
struct TemporaryFolder {
  TemporaryFolder();
  TemporaryFolder(TemporaryFolder &&) = delete;
  ~TemporaryFolder();
  std::string path;
};

} // namespace facet::runtime
