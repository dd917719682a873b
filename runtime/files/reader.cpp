// reader.cpp - std::filebuf, whose exceptions std::istream swallows unless it is told not to.
#include "runtime/files/reader.h"
#include <facet/runtime/error.h>
#include <iterator>
#include <system_error>

namespace facet::runtime {
namespace {

template <class Read> auto orError(const std::string &path, const Read &read) {
  try {
    return read();
  } catch (const std::system_error &failure) {
    throw Error(path, "cannot be read: " + failure.code().message(),
                "mend the disk, or copy the file to another", Exit::Failed);
  }
}

} // namespace

FileReader::FileReader(const std::string &path) : std::istream(nullptr) {
  buffer_.path = path;
  init(&buffer_);
  if (buffer_.open(path, std::ios::in | std::ios::binary) == nullptr)
    setstate(std::ios::failbit);
  exceptions(std::ios::badbit); // what the buffer throws goes through
}

FileReader::Buffer::int_type FileReader::Buffer::underflow() {
  return orError(path, [this] { return std::filebuf::underflow(); });
}

std::streamsize FileReader::Buffer::xsgetn(char *to, std::streamsize count) {
  return orError(path, [this, to, count] { return std::filebuf::xsgetn(to, count); });
}

bool readFile(const std::string &path, std::string &text) {
  FileReader file(path);
  text.clear();
  if (!file)
    return false;
  text.assign(std::istreambuf_iterator<char>(file), {});
  return true;
}

} // namespace facet::runtime
