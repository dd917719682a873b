// ceilings.cpp - the stage that needs no kernel: loops that reach the target's ceilings.
#include "codegen/lower/ceilings/ceilings.h"
#include "codegen/driver/options/choice.h"
#include "codegen/frontend/frontend.h"
#include "output.h"
#include "stages.h"
#include <fmt/format.h>
#include <fstream>
#include <iterator>

namespace facet::driver {

namespace {

/// The assembly of all loops, one after another.
void assembly(const std::string &target, const std::string &path) {
  std::ofstream out(path);
  using enum lower::Ceiling;
  for (const lower::Ceiling ceiling :
       {SincosF32, SincosF64, MultiplyAddsF32, MultiplyAddsF64, Read}) {
    const std::string part = path + ".part";
    lower::emitCeiling(ceiling, target, lower::Form::Asm, part);
    std::ifstream in(part);
    out << std::string(std::istreambuf_iterator<char>(in), {});
    std::remove(part.c_str());
  }
}

} // namespace

void emitCeilings(const Options &options) {
  if (!options.input.empty())
    throw ir::Error{fmt::format("--emit=ceilings is of a target, not of a kernel: leave out '{}'",
                                options.input),
                    {}};
  const std::string target =
      options.targets.empty() || options.targets == "native" ? nativeTarget() : options.targets;
  lower::vectorBytesOf(target);
  const bool isText =
      options.output.empty() || options.output == "-" || options.output.ends_with(".s");
  writeWhole(options.output, [&](const std::string &path) {
    if (isText)
      assembly(target, path);
    else
      lower::buildCeilings(target, frontend::compileObject, path);
  });
}

} // namespace facet::driver
