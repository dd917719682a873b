// reader.cpp - std::filebuf, whose exceptions std::istream swallows unless it is told not to.
#include "runtime/engine/system/reader.h"
#include <array>
#include <cstring>
#include <facet/runtime/error.h>
#include <sys/stat.h>
#include <system_error>

namespace facet::runtime {
namespace {

constexpr std::size_t mostOfLine = std::size_t{1} << 24, mostOfText = std::size_t{1} << 26; // bytes

template <class Read> auto orError(const std::string &path, const Read &read) {
  try {
    return read();
  } catch (const std::system_error &failure) {
    throw Error(path, "cannot be read: " + failure.code().message(),
                "mend the disk, or copy the file to another", Exit::Failed);
  }
}

} // namespace

void refuseDevice(const std::string &path) {
  struct stat status{};
  if (stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode))
    throw Error(path, "is no file but a device, a pipe or a socket, which may have no end",
                "write what it gives into a file, and give that");
}

FileReader::FileReader(const std::string &path, Content of) : std::istream(nullptr) {
  refuseDevice(path);
  buffer_.path = path;
  buffer_.of = of;
  init(&buffer_);
  if (buffer_.open(path, std::ios::in | std::ios::binary) == nullptr)
    setstate(std::ios::failbit);
  exceptions(std::ios::badbit); // what the buffer throws goes through
}

FileReader::Buffer::int_type FileReader::Buffer::underflow() {
  const int_type next = orError(path, [this] { return std::filebuf::underflow(); });
  if (of == Content::Lines && next != traits_type::eof()) {
    const auto there = static_cast<std::size_t>(egptr() - gptr());
    line = std::memchr(gptr(), '\n', there) != nullptr ? 0 : line + there;
    if (line > mostOfLine)
      throw Error(path, "a line of it is longer than 16 MB", "give a text with shorter lines");
  }
  return next;
}

std::streamsize FileReader::Buffer::xsgetn(char *to, std::streamsize count) {
  return orError(path, [this, to, count] { return std::filebuf::xsgetn(to, count); });
}

bool readLine(std::istream &file, std::string &line) {
  line.clear();
  if (!file)
    return false;
  constexpr int end = std::istream::traits_type::eof();
  std::streambuf &bytes = *file.rdbuf();
  for (int c = bytes.sbumpc(); c != '\n'; c = bytes.sbumpc()) {
    if (c == '\r') {
      if (bytes.sgetc() == '\n')
        bytes.sbumpc();
      return true;
    }
    if (c == end) {
      file.setstate(line.empty() ? std::ios::eofbit | std::ios::failbit : std::ios::eofbit);
      return !line.empty();
    }
    line += static_cast<char>(c);
  }
  return true;
}

bool readFile(const std::string &path, std::string &text) {
  FileReader file(path);
  text.clear();
  if (!file)
    return false;
  std::array<char, 1 << 16> piece{};
  while (file.read(piece.data(), piece.size()), file.gcount() > 0) {
    text.append(piece.data(), static_cast<std::size_t>(file.gcount()));
    if (text.size() > mostOfText)
      throw Error(path, "is larger than 64 MB, which no text of this kind is", "give another file");
  }
  return true;
}

} // namespace facet::runtime
