# embed.cmake - writes files as texts into a C++ source: cmake -DOUTPUT=x.cpp "-DFILES=a|b" -P embed.cmake
string(REPLACE "|" ";" files "${FILES}")
set(table "")
foreach(file IN LISTS files)
  file(READ "${file}" hex HEX)
  string(LENGTH "${hex}" digits)
  math(EXPR size "${digits} / 2")
  string(REGEX REPLACE "(..)" "\\\\x\\1" text "${hex}")
  string(REGEX REPLACE "((\\\\x..)(\\\\x..)(\\\\x..)(\\\\x..)(\\\\x..)(\\\\x..)(\\\\x..)(\\\\x..))" "\\1\"\n\"" text "${text}")
  get_filename_component(name "${file}" NAME)
  string(APPEND table "{\"${name}\", {\n\"${text}\", ${size}}},\n")
endforeach()
list(LENGTH files count)
file(WRITE "${OUTPUT}" "// Made by embed.cmake from dsl/facet: do not edit.
#include <string_view>
#include <utility>
namespace facet::frontend {
extern const std::pair<std::string_view, std::string_view> embeddedFiles[];
extern const std::size_t embeddedFileCount;
const std::pair<std::string_view, std::string_view> embeddedFiles[] = {
${table}};
const std::size_t embeddedFileCount = ${count};
} // namespace facet::frontend
")
