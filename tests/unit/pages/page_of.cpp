// page_of.cpp - a page of what a test asks for: facet_page_of PATH, and on its standard input JSON,
// {title, scripts, data, blobs: {name: path of a file}}; live: {module: path} or {refusal: text}.
#include "runtime/app/page/live.h"
#include <fstream>
#include <iostream>
#include <iterator>

static std::string bytesOf(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

int main(int, char **words) {
  const auto given = nlohmann::json::parse(std::cin);
  facet::page::Page page{
      given["title"], given["scripts"], given.value("data", nlohmann::json{}), {}};
  const auto blobs = given.value("blobs", nlohmann::json::object());
  for (const auto &[name, path] : blobs.items())
    page.blobs.emplace_back(name, bytesOf(path));
  if (given.contains("live"))
    addLive(page, {bytesOf(given["live"].value("module", "")), given["live"].value("refusal", "")});
  writePage(page, words[1]);
}
