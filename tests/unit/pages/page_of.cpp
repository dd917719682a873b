// page_of.cpp - a page of what a test asks for: facet_page_of PATH, and on its standard input JSON,
// {title, scripts, data, blobs: {name: path of a file}}.
#include "runtime/app/page/page.h"
#include <fstream>
#include <iostream>
#include <iterator>

int main(int, char **words) {
  const auto given = nlohmann::json::parse(std::cin);
  facet::page::Page page{given["title"], given["scripts"], given.value("data", nlohmann::json{}), {}};
  const auto blobs = given.value("blobs", nlohmann::json::object());
  for (const auto &[name, path] : blobs.items()) {
    std::ifstream file(path.get<std::string>(), std::ios::binary);
    page.blobs.emplace_back(name, std::string(std::istreambuf_iterator<char>(file), {}));
  }
  facet::page::writePage(page, words[1]);
}
