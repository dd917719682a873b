// session.h - one run of Clang in this process, hermetic: the headers of facet are in the program.
#pragma once
#include <clang/Frontend/CompilerInstance.h>
#include <memory>
#include <string>
#include <vector>

namespace facet::frontend {

/// Where the built-in headers appear to be; nothing is there on disk.
inline constexpr llvm::StringLiteral headerFolder = "/facet/include";

/// A file that exists in memory only.
struct MemoryFile {
  std::string path, text;
};

/// Whether files on disk can be included, or nothing can but the built-in headers.
enum class Disk { Read, Hidden };

/// A compiler instance for `file` and the arguments of `clang -cc1` given, with the built-in
/// headers as system headers, and no others. Null if the arguments are wrong (the consumer gets
/// why).
std::unique_ptr<clang::CompilerInstance> makeSession(const std::vector<std::string> &arguments,
                                                     clang::DiagnosticConsumer &consumer,
                                                     const MemoryFile &file, Disk disk);

} // namespace facet::frontend
