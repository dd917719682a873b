// input.cpp - .fir files through the IR's reader, .cpp files through the front end.
#include "input.h"
#include "dsl/frontend/frontend.h"
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

} // namespace

Input readInput(const std::string &path, const std::string &name) {
  if (path.empty())
    throw ir::Error{"no input file; see facetc --help", {}};
  const std::string kind = fs::path(path).extension();
  if (kind != ".fir" && kind != ".cpp" && kind != ".cc" && kind != ".cxx")
    throw ir::Error{fmt::format("{}: a kernel file is named .cpp (C++) or .fir (IR)", path), {}};
  const std::string text = readText(path);
  Input input;
  input.source = fs::absolute(path).lexically_normal();
  std::vector<ir::Kernel> kernels;
  std::vector<std::string> types;
  if (kind == ".fir") {
    kernels.push_back(ir::read(text, path));
    ir::verify(kernels.front());
    types.push_back(kernels.front().name);
    input.files.emplace_back(input.source, frontend::hashOf(text));
  } else {
    frontend::Parsed parsed = frontend::parse(path);
    if (parsed.errors)
      throw Told{};
    for (const frontend::FileRead &file : parsed.files)
      input.files.emplace_back(file.path, file.hash);
    kernels = std::move(parsed.kernels);
    types = std::move(parsed.types);
  }
  const std::size_t chosen = choose(kernels, path, name);
  input.kernel = std::move(kernels[chosen]);
  input.type = std::move(types[chosen]);
  return input;
}

} // namespace facet::driver
