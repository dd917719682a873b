// explore.cpp - the scripts and the data of a kernel's page.
#include "explore.h"
#include <map>

namespace facet::page {
namespace {

using nlohmann::json;
using Place = std::pair<int, int>; // line, column

void move(json &data, const std::map<Place, Place> &places) {
  if (data.is_object() && data.contains("line")) {
    const auto to = places.find({data["line"].get<int>(), data.value("column", 0)});
    data["line"] = to == places.end() ? 0 : to->second.first;
    data["column"] = to == places.end() ? 0 : to->second.second;
  }
  if (data.is_structured())
    for (json &part : data)
      move(part, places);
}

} // namespace

void movePlaces(json &kernel, const json &python) {
  std::map<Place, Place> places;
  for (const json &row : python.at("places"))
    places[{row.at(0), row.at(1)}] = {row.at(2), row.at(3)};
  move(kernel, places);
  for (const char *key : {"file", "text", "first"})
    kernel[key] = python.at(key);
}

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
