// recognise.cpp - what kind of mesh a file is, by its content; truncated STL files.
#include "runtime/mesh/readers.h"
#include <algorithm>
#include <cctype>
#include <cstring>
#include <facet/runtime/error.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <set>
#include <string_view>

namespace facet::runtime {

namespace {
constexpr std::uint64_t stlHeader = 84, stlTriangle = 50; // bytes

struct Ends {
  std::string first, last; // up to 4 KiB each
  std::uint64_t size = 0;
};

Ends readEnds(const std::string &path) {
  std::error_code code;
  if (!std::filesystem::exists(path, code))
    throw Error(path, "there is no such file", "check the name of the mesh");
  if (std::filesystem::is_directory(path, code))
    throw Error(path, "this is a folder, not a mesh");
  std::ifstream file(path, std::ios::binary);
  Ends ends;
  ends.size = std::filesystem::file_size(path, code);
  if (!file || code)
    throw Error(path, "cannot read this file", "check its permissions");
  if (ends.size == 0)
    throw Error(path, "this file is empty");
  const auto take = static_cast<std::streamsize>(std::min<std::uint64_t>(4096, ends.size));
  ends.first.resize(take);
  ends.last.resize(take);
  file.read(ends.first.data(), take);
  file.seekg(-take, std::ios::end);
  file.read(ends.last.data(), take);
  if (!file)
    throw Error(path, "reading failed");
  return ends;
}

bool isText(const std::string &bytes) {
  return std::ranges::none_of(
      bytes, [](unsigned char c) { return (c < 32 && !std::isspace(c)) || c == 127; });
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

/// The first word of the first line that is no comment.
std::string firstWord(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    std::size_t begin = line.find_first_not_of(" \t\r");
    if (begin != std::string_view::npos && line[begin] != '#')
      return std::string(line.substr(begin, line.find_first_of(" \t\r,;", begin) - begin));
    at = end + 1;
  }
  return "";
}

bool startsObj(const std::string &word) {
  static const std::set<std::string> words{"v", "vn", "vt", "f", "o", "g", "s", "mtllib", "usemtl"};
  return words.contains(word);
}

std::uint64_t announced(const Ends &ends) { // in the header of a binary STL
  std::uint32_t count = 0;
  std::memcpy(&count, ends.first.data() + 80, sizeof count); // little endian, as STL is
  return count;
}

void checkBinaryStl(const std::string &path, const Ends &ends) {
  const std::uint64_t whole = (ends.size - stlHeader) / stlTriangle,
                      expected = stlHeader + stlTriangle * announced(ends);
  if (announced(ends) == 0)
    throw Error(path, "this STL file has no triangles");
  if (ends.size < expected)
    throw Error(path,
                fmt::format("truncated: the header announces {} triangles, the file holds {}",
                            announced(ends), whole),
                "copy or export the file again");
  if (ends.size > expected)
    throw Error(path,
                fmt::format("the header announces {} triangles, the file has room for {}",
                            announced(ends), whole),
                "export the file again");
}

void checkTextStl(const std::string &path, const Ends &ends) {
  if (lower(ends.first).find("facet") == std::string::npos)
    throw Error(path, "this STL file has no triangles");
  if (lower(ends.last).find("endsolid") == std::string::npos)
    throw Error(path, "truncated: this STL file does not end with endsolid",
                "copy or export the file again");
}
} // namespace

MeshFile recognise(const std::string &path) {
  Ends ends = readEnds(path);
  std::string extension = lower(std::filesystem::path(path).extension().string());
  if (ends.first.starts_with("\x89HDF"))
    return MeshFile::Hdf5;
  if (ends.first.starts_with("ply") && ends.first.size() > 3 &&
      std::isspace(static_cast<unsigned char>(ends.first[3])))
    return MeshFile::Ply;
  bool text = isText(ends.first) && isText(ends.last);
  std::string word = text ? lower(firstWord(ends.first)) : "";
  if (text && word == "solid") {
    checkTextStl(path, ends);
    return MeshFile::TextStl;
  }
  if (!text && ends.size >= stlHeader &&
      (extension == ".stl" || ends.size == stlHeader + stlTriangle * announced(ends))) {
    checkBinaryStl(path, ends);
    return MeshFile::BinaryStl;
  }
  if (text && startsObj(word))
    return MeshFile::Obj;
  bool number = !word.empty() && (std::isdigit(static_cast<unsigned char>(word[0])) ||
                                  word.find_first_of("+-.") == 0 || word == "nan" || word == "inf");
  if (text && (number || extension == ".txt" || extension == ".csv" || extension == ".dat"))
    return MeshFile::Table;
  throw Error(
      path,
      extension == ".stl" ? "this is no STL file, in text or binary"
                          : "this is no mesh that facet knows",
      "facet reads STL, OBJ, PLY, HDF5, and text with 7 columns (area nx ny nz cx cy cz) or with "
      "a header line");
}

} // namespace facet::runtime
