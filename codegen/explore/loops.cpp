// loops.cpp - the loops of a sum from Halide's statement, in words.
#include "explore.h"
#include <fmt/format.h>
#include <regex>

namespace facet::explore {
namespace {

/// What loops of direct.cpp and separable.cpp go over, by the end of Halide's name.
constexpr std::pair<std::string_view, std::string_view> meanings[] = {{"g$w", "bands of rows"},
                                                                      {"g$z", "tiles along z"},
                                                                      {"g$y", "rows"},
                                                                      {"g$x", "z"},
                                                                      {"t$x", "records"},
                                                                      {"t", "records"},
                                                                      {"x", "x"},
                                                                      {"y", "rows"},
                                                                      {"z", "z"},
                                                                      {"zo", "lines of z"},
                                                                      {"r", "rows"},
                                                                      {"l", "lines of z"}};

std::string_view meaningOf(const std::string &loop) {
  const std::string variable = loop.substr(loop.rfind('.') + 1);
  for (const auto &[name, meaning] : meanings)
    if (variable == name)
      return meaning;
  return {};
}

} // namespace

Json loopsOf(const std::string &statement) {
  static const std::regex loop(
      R"(^( *)(for|parallel|gpu_\w+)(?:<\w+>)? ?\(([^,]+), ([^,]+), (.+)\) \{)"),
      made(R"(^( *)produce (\S+) \{)");
  Json loops = Json::array();
  std::vector<std::size_t> open; // indents
  for (std::size_t at = 0; at < statement.size();) {
    const std::size_t end = std::min(statement.find('\n', at), statement.size());
    const std::string line = statement.substr(at, end - at);
    at = end + 1;
    std::smatch found;
    const bool isLoop = std::regex_search(line, found, loop);
    if (!isLoop && !std::regex_search(line, found, made))
      continue;
    const auto indent = static_cast<std::size_t>(found.length(1));
    while (!open.empty() && open.back() >= indent)
      open.pop_back();
    Json row = {{"depth", open.size()}};
    if (isLoop)
      row.update(
          {{"loop", found.str(3)}, {"extent", found.str(5)}, {"of", meaningOf(found.str(3))}});
    else
      row["makes"] = found.str(2);
    loops.push_back(row);
    open.push_back(indent);
  }
  return loops;
}

} // namespace facet::explore
