# embed.cmake - writes files as texts into a C++ source: TABLE[] of name and text, and TABLECount, in a namespace.
#   cmake -DOUTPUT=x.cpp "-DFILES=a|b" -DNAMESPACE=facet::x -DTABLE=embeddedFiles -P embed.cmake
string(REPLACE "|" ";" files "${FILES}")
set(rows "")
foreach(file IN LISTS files)
  file(READ "${file}" hex HEX)
  string(LENGTH "${hex}" digits)
  math(EXPR size "${digits} / 2")
  string(REGEX REPLACE "(..)" "\\\\x\\1" text "${hex}")
  string(REGEX REPLACE "((\\\\x..)(\\\\x..)(\\\\x..)(\\\\x..)(\\\\x..)(\\\\x..)(\\\\x..)(\\\\x..))" "\\1\"\n\"" text "${text}")
  get_filename_component(name "${file}" NAME)
  string(APPEND rows "{\"${name}\", {\n\"${text}\", ${size}}},\n")
endforeach()
list(LENGTH files count)
file(WRITE "${OUTPUT}" "// Made by dsl/embed.cmake: do not edit.
#include <string_view>
#include <utility>
namespace ${NAMESPACE} {
extern const std::pair<std::string_view, std::string_view> ${TABLE}[];
extern const std::size_t ${TABLE}Count;
const std::pair<std::string_view, std::string_view> ${TABLE}[] = {
${rows}};
const std::size_t ${TABLE}Count = ${count};
} // namespace ${NAMESPACE}
")
