// live.h - a kernel that runs in its page: its WebAssembly module, scripts, meshes.
#pragma once
#include "page.h"

namespace facet::page {

/// What facetc makes of a kernel with --emit=module, or what it says against that.
struct LiveKernel {
  std::string module, refusal;
};

/// Puts the kernel into a page, its scripts before those that the page has. facet.live(element)
/// shows it.
void addLive(Page &page, const LiveKernel &kernel);

} // namespace facet::page
