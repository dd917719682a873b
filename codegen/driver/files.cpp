// files.cpp - .fir files through the IR's reader, .cpp files through the front end; temporary names
// and renames; standard output.
#include "codegen/frontend/frontend.h"
#include "codegen/ir/roles.h"
#include "codegen/passes/differentiate.h"
#include "codegen/passes/forms.h"
#include "driver.h"
#include "schedules/shown.h"
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <iostream>
#include <iterator>
#include <unistd.h>

namespace facet::driver {
namespace {

namespace fs = std::filesystem;

std::string readText(const std::string &path) {
  std::error_code code;
  if (fs::is_directory(path, code))
    throw ir::Error{fmt::format("{}: this is a folder, not a kernel file", path)};
  constexpr std::uintmax_t most = 1 << 24; // bytes
  if (fs::exists(path, code) && !fs::is_regular_file(path, code))
    throw ir::Error{fmt::format("{}: this is no file but a device or a pipe", path)};
  if (const auto size = fs::file_size(path, code); !code && size > most)
    throw ir::Error{fmt::format("{}: is larger than 16 MB, which no kernel file is", path)};
  std::ifstream file(path, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file)
    throw ir::Error{fmt::format("cannot read {}: {}", path, std::strerror(errno))};
  return text;
}

/// The input of the kernel called `name`; if `name` is empty, that of the only kernel.
Input &choose(std::vector<Input> &inputs, const std::string &path, const std::string &name) {
  std::string known;
  for (const Input &input : inputs)
    known += (known.empty() ? "" : ", ") + input.kernel.name;
  if (inputs.empty())
    throw ir::Error{fmt::format("{}: no kernel here: mark a struct with FACET_KERNEL", path)};
  if (name.empty() && inputs.size() > 1)
    throw ir::Error{fmt::format("{}: {} kernels here ({}): choose one with --kernel=NAME", path,
                                inputs.size(), known)};
  for (Input &input : inputs)
    if (name.empty() || input.kernel.name == name)
      return input;
  throw ir::Error{fmt::format("{}: no kernel '{}' here; it has: {}", path, name, known)};
}

/// All kernels of a file.
std::vector<Input> readKernels(const std::string &path) {
  if (path.empty())
    throw ir::Error{"no input file; see facetc --help"};
  const std::string kind = fs::path(path).extension();
  if (kind != ".fir" && kind != ".cpp" && kind != ".cc" && kind != ".cxx")
    throw ir::Error{fmt::format("{}: a kernel file is named .cpp (C++) or .fir (IR)", path)};
  const std::string text = readText(path), source = fs::absolute(path).lexically_normal();
  if (kind == ".fir") {
    ir::Kernel kernel = ir::read(text, path);
    ir::verify(kernel);
    return {{{kernel, kernel.name, source, text, true}, ir::hashOf(text)}};
  }
  frontend::FileKernels parsed = frontend::parse(path);
  if (parsed.errors)
    throw ReportedError{};
  std::vector<Input> inputs;
  for (std::size_t k = 0; k < parsed.kernels.size(); ++k)
    inputs.push_back(
        {{std::move(parsed.kernels[k]), parsed.types[k], source, parsed.text}, parsed.hash});
  return inputs;
}

[[noreturn]] void fail(const std::string &path, const std::string &why) {
  throw lower::Unwritable{{fmt::format("cannot write {}: {}", path, why)}};
}

/// A file that is removed when this goes out of scope, unless it was renamed before.
struct Temporary {
  fs::path path;
  ~Temporary() {
    std::error_code ignored;
    fs::remove(path, ignored);
  }
};

/// "xz" of "tangent-q-xz"; empty: it is something else.
std::string qAxesOf(const std::string &derive) {
  for (const std::string axes : {"x", "y", "z", "xy", "xz", "yz", "xyz"})
    if (derive == "tangent-q-" + axes)
      return axes;
  return {};
}

} // namespace

Input readInput(const Options &options) {
  std::vector<Input> inputs = readKernels(options.input);
  Input input = std::move(choose(inputs, options.input, options.kernel));
  if (options.derive.empty())
    return input;
  if (options.derive == "tangent")
    input.kernel = passes::tangentOf(input.kernel);
  else if (options.derive == "tangent-q")
    input.kernel = passes::qTangentOf(input.kernel);
  else if (const std::string axes = qAxesOf(options.derive); !axes.empty())
    input.kernel = passes::qSlopesOf(input.kernel, axes);
  else if (options.derive == "adjoint" || options.derive == "adjoint-real")
    input.kernel = passes::adjointOf(input.kernel, options.derive == "adjoint");
  else if (options.derive == "sums")
    input.kernel = passes::ofComponents(input.kernel);
  else
    throw ir::Error{fmt::format("--derive={}: there is no such kernel to be made of another; there "
                                "are tangent, tangent-q, adjoint, adjoint-real, sums",
                                options.derive)};
  input.type = input.kernel.name;
  input.printed = true;
  return input;
}

void checkInput(const std::string &path, const std::string &name) {
  std::vector<Input> inputs = readKernels(path);
  if (!name.empty())
    choose(inputs, path, name);
  for (const Input &input : inputs)
    if (const auto columns = ir::unsettled(input.kernel);
        !columns.empty() && (name.empty() || input.kernel.name == name))
      fmt::print(
          stderr,
          "{}: note: kernel {}: the formula does not say what {} {}: to turn, size or average "
          "its records, or put them in a layer, say position3, offset3, direction3 or fixed3 "
          "in the place of vec3\n",
          schedules::shown(path), input.kernel.name, fmt::join(columns, ", "),
          columns.size() == 1 ? "is" : "are");
}

void writeWhole(const std::string &path, const std::function<void(const std::string &)> &write) {
  const bool toScreen = path.empty() || path == "-";
  const fs::path target = toScreen ? fs::path(lower::temporaryPlace()) / "facetc" : fs::path(path);
  std::error_code code;
  if (!toScreen && fs::is_directory(target, code))
    fail(path, "it is a folder");
  if (!toScreen && fs::exists(target, code) && !fs::is_regular_file(target, code))
    fail(path,
         "it is no file that the output could replace"); // a rename would replace even /dev/null
  // The ending is kept, since what writes the file may choose its format by it.
  const Temporary temporary{target.parent_path() / fmt::format("{}.{}.tmp{}",
                                                               target.stem().string(), ::getpid(),
                                                               target.extension().string())};
  lower::requireRoom(temporary.path, toScreen ? "into TMPDIR, " + target.string() : path);
  write(temporary.path);
  if (toScreen) {
    if (std::ifstream file(temporary.path, std::ios::binary); file && file.peek() != EOF)
      std::cout << file.rdbuf();
    if (!std::cout.flush())
      fail("standard output", std::strerror(errno));
    return;
  }
  fs::rename(temporary.path, target, code);
  if (code)
    fail(path, code.message());
}

void writeText(const std::string &path, const std::string &text) {
  if (path.empty() || path == "-") {
    if (!(std::cout << text).flush())
      fail("standard output", std::strerror(errno));
    return;
  }
  writeWhole(path, [&](const std::string &temporary) {
    std::ofstream file(temporary, std::ios::binary);
    if (!(file << text).flush())
      fail(path, std::strerror(errno));
  });
}

} // namespace facet::driver
