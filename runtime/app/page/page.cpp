// page.cpp - a page from its assets, which are embedded, and its data.
//
// A policy in the page forbids requests, and scripts other than its own: these carry a number that
// a text within cannot know.
#include "page.h"
#include "runtime/engine/system/files.h"
#include "runtime/engine/system/hash.h"
#include <facet/runtime/error.h>
#include <fmt/format.h>
#include <string_view>

namespace facet::page {

extern const std::pair<std::string_view, std::string_view> assets[];
extern const std::size_t assetsCount;

namespace {

using nlohmann::json;

const std::string_view *assetOf(const std::string &name) {
  for (std::size_t k = 0; k < assetsCount; ++k)
    if (assets[k].first == name)
      return &assets[k].second;
  return nullptr;
}

/// JSON that may stand in a script: no character begins a tag.
std::string scriptJson(const json &data) {
  std::string made;
  for (const char c : data.dump(-1, ' ', false, json::error_handler_t::replace))
    if (c == '<')
      made += "\\u003c";
    else
      made += c;
  return made;
}

/// Text that may stand between tags; what is no UTF-8 is replaced, as in data.
std::string escaped(const std::string &text) {
  std::string made;
  for (const char c : json::parse(scriptJson(text)).get<std::string>())
    made += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : std::string(1, c);
  return made;
}

std::string base64(std::string_view bytes) {
  static constexpr char digits[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string made;
  made.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t k = 0; k < bytes.size(); k += 3) {
    const auto byte = [&](std::size_t i) {
      return i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0U;
    };
    const unsigned word = byte(k) << 16 | byte(k + 1) << 8 | byte(k + 2);
    for (int digit = 0; digit < 4; ++digit)
      made += k + digit > bytes.size() ? '=' : digits[word >> (18 - 6 * digit) & 63];
  }
  return made;
}

/// Colour maps by name, each a list of 0xRRGGBB at equal steps.
json colours() {
  json made;
#define FACET_COLOURS(map, ...) made[#map] = {__VA_ARGS__};
#include "runtime/picture/colours.def"
  return made;
}

} // namespace

std::string_view assetText(const std::string &name) {
  const std::string_view *text = assetOf(name);
  if (text == nullptr)
    throw runtime::Error(name, "is no script of pages", "add it to runtime/app/page/assets");
  return *text;
}

std::string htmlOf(const Page &page) {
  json names = json::array();
  for (const auto &[name, bytes] : page.blobs)
    names.push_back(name);
  const std::string data =
      scriptJson({{"title", page.title}, {"data", page.data}, {"blobs", names}});
  runtime::Hash hash;
  hash.field(data);
  const std::string nonce = hash.hex();
  std::string html =
      fmt::format("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                  "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                  "script-src 'nonce-{}' 'wasm-unsafe-eval' blob:; worker-src blob:; "
                  "style-src 'unsafe-inline'; img-src data: blob:\">\n"
                  "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                  "<link rel=\"icon\" href=\"data:,\">\n<title>{}</title>\n",
                  nonce, escaped(page.title));
  std::string style, scripts;
  const auto add = [&](const std::string &name) {
    scripts += fmt::format("<script nonce=\"{}\">\n{}</script>\n", nonce, assetText(name));
    for (const char *suffix : {".css", ".min.css"})
      if (const std::string_view *text = assetOf(name.substr(0, name.find('.')) + suffix))
        style += *text;
  };
  add("page.js");
  for (const std::string &name : page.scripts)
    add(name);
  html += fmt::format("<style>\n{}</style>\n</head>\n<body>\n", style);
  html += fmt::format("<script type=\"application/json\" id=\"data\">{}</script>\n", data);
  html += fmt::format("<script type=\"application/json\" id=\"colours\">{}</script>\n",
                      scriptJson(colours()));
  for (const auto &[name, bytes] : page.blobs)
    html += fmt::format("<script type=\"text/plain\" class=\"blob\">{}</script>\n", base64(bytes));
  html += scripts;
  return html + "</body>\n</html>\n";
}

void writePage(const Page &page, const std::string &path) {
  runtime::writeText(path, htmlOf(page));
}

} // namespace facet::page
