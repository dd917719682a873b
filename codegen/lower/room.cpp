// room.cpp - a file of the size of a large library, taken back.
#include "codegen/lower/room.h"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <unistd.h>

namespace facet::lower {

std::string temporaryPlace() {
  std::error_code code;
  const std::filesystem::path place = std::filesystem::temp_directory_path(code);
  if (code)
    throw Unwritable{{fmt::format("TMPDIR is no folder: {}", code.message()), {}}};
  return place;
}

void requireRoom(const std::string &file, const std::string &name) {
  constexpr off_t bytes = 16 << 20;
  const int made = open(file.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0666);
  int error = made < 0 ? errno : posix_fallocate(made, 0, bytes);
  if (error == 0 && ftruncate(made, 0) != 0)
    error = errno;
  if (made >= 0)
    close(made);
  if (error == EINVAL || error == EOPNOTSUPP) // a file system that reserves nothing
    return;
  const bool full = error == ENOSPC || error == EDQUOT || error == EFBIG;
  if (error != 0)
    throw Unwritable{{fmt::format("cannot write {}: {}{}", name, std::strerror(error),
                                  full ? fmt::format("; {} MB are wanted there", bytes >> 20) : ""),
                      {}}};
}

} // namespace facet::lower
