# embed.cmake - writes files as bytes into a C++ source: cmake -DOUTPUT=x.cpp "-DFILES=a|b" -P embed.cmake
string(REPLACE "|" ";" files "${FILES}")
set(arrays "")
set(table "")
set(count 0)
foreach(file IN LISTS files)
  file(READ "${file}" hex HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
  string(REGEX REPLACE "(................................................................................)" "\\1\n" bytes "${bytes}")
  get_filename_component(name "${file}" NAME)
  string(APPEND arrays "static const unsigned char file${count}[] = {\n${bytes}0};\n")
  string(APPEND table "    {\"${name}\", file${count}, sizeof file${count} - 1},\n")
  math(EXPR count "${count} + 1")
endforeach()
file(WRITE "${OUTPUT}" "// Made by embed.cmake from dsl/facet: do not edit.
#include \"codegen/frontend/embedded.h\"
namespace facet::frontend {
${arrays}const EmbeddedFile embeddedFiles[] = {
${table}};
const std::size_t embeddedFileCount = ${count};
} // namespace facet::frontend
")
