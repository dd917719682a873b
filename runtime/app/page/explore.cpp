// explore.cpp - the scripts and the data of a kernel's page.
#include "explore.h"

namespace facet::page {

Page explorePage(const Exploration &exploration) {
  Page made;
  for (const nlohmann::json &kernel : exploration.kernels)
    made.title += (made.title.empty() ? "" : " and ") + kernel["label"].get<std::string>();
  made.scripts = {"links.js",   "source.js", "passes.js", "assembly.js",
                  "compare.js", "facts.js",  "explore.js"};
  made.data = {{"kernels", exploration.kernels}, {"roofline", exploration.roofline}};
  return made;
}

} // namespace facet::page
