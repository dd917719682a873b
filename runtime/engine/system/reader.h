// reader.h - a file as a stream that tells its end from a disk that fails.
#pragma once
#include <fstream>
#include <istream>
#include <string>

namespace facet::runtime {

/// Throws Error for what is neither a regular file nor a folder; a name without a file passes. A
/// device or a pipe may have no end, and some readers read a file twice.
void refuseDevice(const std::string &path);

/// A file to be read, as std::ifstream. What the disk refuses, which is the end of the file to a
/// stream, throws Error (Failed); so does what refuseDevice refuses.
class FileReader : public std::istream {
public:
  /// Bytes or lines. No line may be longer than 16 MB: Error.
  enum class Content { Bytes, Lines };
  explicit FileReader(const std::string &path, Content of = Content::Bytes);

private:
  class Buffer : public std::filebuf {
  public:
    std::string path;
    Content of = Content::Bytes;
    std::size_t line = 0; // bytes since its last end

  protected:
    int_type underflow() override;
    std::streamsize xsgetn(char *to, std::streamsize count) override;
  };
  Buffer buffer_;
};

/// A line without its end, which is LF, CR LF or CR; false at the end of the file.
bool readLine(std::istream &file, std::string &line);

/// All of it. False, and nothing in `text`, if it cannot be opened; throws Error (Failed) if it
/// cannot be read, Error if it is larger than 64 MB, which no text that people write is.
bool readFile(const std::string &path, std::string &text);

} // namespace facet::runtime
