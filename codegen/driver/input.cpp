// input.cpp - .fir files through the IR's reader, .cpp files through the front end.
#include "input.h"
#include "codegen/frontend/frontend.h"
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>

namespace facet::driver {

namespace fs = std::filesystem;

namespace {

std::string readText(const std::string &path) {
  std::error_code code;
  if (fs::is_directory(path, code))
    throw ir::Error{fmt::format("{}: this is a folder, not a kernel file", path), {}};
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file)
    throw ir::Error{fmt::format("cannot read {}: {}", path, std::strerror(errno)), {}};
  return text;
}

/// The place of the kernel asked for.
std::size_t choose(const std::vector<ir::Kernel> &kernels, const std::string &path,
                   const std::string &name) {
  std::string known;
  for (const ir::Kernel &kernel : kernels)
    known += (known.empty() ? "" : ", ") + kernel.name;
  if (kernels.empty())
    throw ir::Error{fmt::format("{}: no kernel here: mark a struct with FACET_KERNEL", path), {}};
  if (name.empty() && kernels.size() > 1)
    throw ir::Error{fmt::format("{}: {} kernels here ({}): choose one with --kernel=NAME", path,
                                kernels.size(), known),
                    {}};
  for (std::size_t k = 0; k < kernels.size(); ++k)
    if (name.empty() || kernels[k].name == name)
      return k;
  throw ir::Error{fmt::format("{}: no kernel '{}' here; it has: {}", path, name, known), {}};
}

/// All kernels of a file, and their structs; the rest of the input.
struct Kernels {
  std::vector<ir::Kernel> kernels;
  std::vector<std::string> types;
  Input input;
};

Kernels readKernels(const std::string &path) {
  if (path.empty())
    throw ir::Error{"no input file; see facetc --help", {}};
  const std::string kind = fs::path(path).extension();
  if (kind != ".fir" && kind != ".cpp" && kind != ".cc" && kind != ".cxx")
    throw ir::Error{fmt::format("{}: a kernel file is named .cpp (C++) or .fir (IR)", path), {}};
  const std::string text = readText(path);
  Kernels read;
  read.input.source = fs::absolute(path).lexically_normal();
  if (kind == ".fir") {
    read.kernels.push_back(ir::read(text, path));
    ir::verify(read.kernels.front());
    read.types.push_back(read.kernels.front().name);
    read.input.hash = frontend::hashOf(text);
  } else {
    frontend::Parsed parsed = frontend::parse(path);
    if (parsed.errors)
      throw Told{};
    read.input.hash = parsed.hash;
    read.kernels = std::move(parsed.kernels);
    read.types = std::move(parsed.types);
  }
  return read;
}
} // namespace

Input readInput(const std::string &path, const std::string &name) {
  Kernels read = readKernels(path);
  const std::size_t chosen = choose(read.kernels, path, name);
  read.input.kernel = std::move(read.kernels[chosen]);
  read.input.type = std::move(read.types[chosen]);
  return std::move(read.input);
}

void checkInput(const std::string &path, const std::string &name) {
  const Kernels read = readKernels(path);
  if (!name.empty())
    choose(read.kernels, path, name);
}

} // namespace facet::driver
