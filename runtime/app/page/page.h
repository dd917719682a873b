// page.h - pages that are one file: style, scripts and data within, nothing asked of a network.
#pragma once
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace facet::page {

/// What a page holds. Texts are shown as they are, and are never markup; bytes that are no UTF-8
/// are replaced. Numbers that are not finite are null in `data`.
struct Page {
  std::string title;
  /// Files of runtime/app/page/assets (and module.js, uPlot.iife.js), run in this order behind
  /// page.js. A style sheet NAME.css beside NAME.js comes with it.
  std::vector<std::string> scripts;
  nlohmann::json data;                                    // facet.page.data
  std::vector<std::pair<std::string, std::string>> blobs; // name, bytes: facet.page.blob(name)
};

/// A file that is embedded for pages. Throws Error for one that is not.
std::string_view assetText(const std::string &name);

/// The page as HTML. Throws Error for a script that there is not.
std::string htmlOf(const Page &page);

/// Writes it whole or not at all; throws Error.
void writePage(const Page &page, const std::string &path);

} // namespace facet::page
