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

/// Lines as rows of these members, without zeros at their ends: half the bytes (links.js).
void pack(json &lines, const std::vector<std::string> &members) {
  for (json &line : lines) {
    json row = json::array();
    for (const std::string &member : members)
      row.push_back(line.value(member, json(0)));
    while (row.back() == 0 || row.back() == false)
      row.erase(row.size() - 1);
    line = std::move(row);
  }
}

void packLines(json &kernel, json &members) {
  members = {{"values", {"id", "text", "type", "domain", "line", "column", "changed", "numbers"}},
             {"instructions", {"text", "kind", "line", "column", "exact"}}};
  for (json &variant : kernel["variants"]) {
    for (json &pass : variant["passes"])
      if (pass.contains("regions"))
        for (json &region : pass["regions"])
          pack(region["lines"], members["values"]);
    for (json &sum : variant["sums"])
      if (sum.contains("lines"))
        pack(sum["lines"], members["instructions"]);
  }
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
                  "compare.js", "facts.js",  "plan.js",   "explore.js"};
  made.data = {{"kernels", exploration.kernels},
               {"roofline", exploration.roofline},
               {"plan", exploration.plan}};
  for (nlohmann::json &kernel : made.data["kernels"])
    if (kernel.contains("variants"))
      packLines(kernel, made.data["members"]);
  return made;
}

} // namespace facet::page
