// reader.h - a file as a stream that tells its end from a disk that fails.
#pragma once
#include <fstream>
#include <istream>
#include <string>

namespace facet::runtime {

/// A file to be read, as std::ifstream. What the disk refuses, which is the end of the file to a
/// stream, throws Error (Failed).
class FileReader : public std::istream {
public:
  explicit FileReader(const std::string &path);

private:
  class Buffer : public std::filebuf {
  public:
    std::string path;

  protected:
    int_type underflow() override;
    std::streamsize xsgetn(char *to, std::streamsize count) override;
  };
  Buffer buffer_;
};

/// All of it. False, and nothing in `text`, if it cannot be opened; throws Error (Failed) if it
/// cannot be read.
bool readFile(const std::string &path, std::string &text);

} // namespace facet::runtime
