// recognise.cpp - what kind of mesh a file is, by its content; truncated STL files.
#include "runtime/mesh/files/readers.h"
#include <algorithm>
#include <cctype>
#include <cstring>
#include <facet/runtime/error.h>
#include <filesystem>
#include <fstream>
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
  std::size_t take = static_cast<std::size_t>(std::min<std::uint64_t>(4096, ends.size));
  ends.first.resize(take);
  ends.last.resize(take);
  file.read(ends.first.data(), static_cast<std::streamsize>(take));
  file.seekg(-static_cast<std::streamoff>(take), std::ios::end);
  file.read(ends.last.data(), static_cast<std::streamsize>(take));
  if (!file)
    throw Error(path, "reading failed");
  return ends;
}

bool isText(const std::string &bytes) {
  return std::none_of(bytes.begin(), bytes.end(), [](char c) {
    auto u = static_cast<unsigned char>(c);
    return (u < 32 && !std::isspace(u)) || u == 127;
  });
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
  for (const char *keyword : {"v", "vn", "vt", "f", "o", "g", "s", "mtllib", "usemtl"})
    if (word == keyword)
      return true;
  return false;
}

void checkBinaryStl(const std::string &path, const Ends &ends) {
  std::uint32_t announced = 0;
  std::memcpy(&announced, ends.first.data() + 80, sizeof announced); // little endian, as STL is
  std::uint64_t whole = (ends.size - stlHeader) / stlTriangle;
  if (announced == 0)
    throw Error(path, "this STL file has no triangles");
  if (ends.size < stlHeader + stlTriangle * announced)
    throw Error(path,
                "truncated: the header announces " + std::to_string(announced) +
                    " triangles, the file holds " + std::to_string(whole),
                "copy or export the file again");
  if (ends.size > stlHeader + stlTriangle * announced)
    throw Error(path,
                "the header announces " + std::to_string(announced) +
                    " triangles, the file has room for " + std::to_string(whole),
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
  if (ends.first.compare(0, 4, "\x89HDF") == 0)
    return MeshFile::Hdf5;
  if (ends.first.compare(0, 3, "ply") == 0 && ends.first.size() > 3 &&
      std::isspace(static_cast<unsigned char>(ends.first[3])))
    return MeshFile::Ply;
  bool text = isText(ends.first) && isText(ends.last);
  std::string word = text ? lower(firstWord(ends.first)) : "";
  if (text && word == "solid") {
    checkTextStl(path, ends);
    return MeshFile::TextStl;
  }
  if (!text && ends.size >= stlHeader) {
    std::uint32_t announced = 0;
    std::memcpy(&announced, ends.first.data() + 80, sizeof announced);
    if (extension == ".stl" || ends.size == stlHeader + stlTriangle * announced) {
      checkBinaryStl(path, ends);
      return MeshFile::BinaryStl;
    }
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
