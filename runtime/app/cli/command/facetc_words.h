// facetc_words.h - a kernel and what is wanted of it, as words of facetc's command line.
#pragma once
#include <string>
#include <vector>

namespace facet::cli {

/// As people give them; "" where they give nothing.
struct StageRequest {
  std::string kernel; // a name, FILE, or FILE:NAME
  std::string target, grid, q, klass, algorithm, schedules;
};

/// facetc, the kernel's file and --emit=STAGE with these words. Tuned knobs come with stages that
/// have a schedule. `target` cuda or auto is one target, but all of them for a library. Throws
/// runtime::Error for a kernel that is not found.
std::vector<std::string> facetcWords(const StageRequest &asked, const std::string &stage);

} // namespace facet::cli
