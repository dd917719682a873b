// embedded.h - the built-in headers dsl/facet/* as bytes; the table is written by embed.cmake.
#pragma once
#include <cstddef>

namespace facet::frontend {

struct EmbeddedFile {
  const char *name; // "dsl.h"
  const unsigned char *bytes;
  std::size_t size;
};
extern const EmbeddedFile embeddedFiles[];
extern const std::size_t embeddedFileCount;

} // namespace facet::frontend
