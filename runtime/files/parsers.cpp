// parsers.cpp - the parsers of TOML and JSON, compiled once: each takes seconds. Others read toml++
// as declarations.
#include "runtime/files/json.h"
#define TOML_IMPLEMENTATION
#include <toml++/toml.h>

facet::runtime::Json facet::runtime::parseJson(const std::string &text) {
  return Json::parse(text, nullptr, false);
}
